package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"tobac"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/jobs"
	"tobac/internal/study"
	"tobac/internal/words"

	"github.com/spf13/cobra"
)

// reproduceOptions are the flags of tobac reproduce.
type reproduceOptions struct {
	out, data     string
	tables        string
	runs, workers int
	seed          uint64
	only          []string
	quick, plan   bool
	collect       bool
	force, quiet  bool
	shard         jobs.Shard
	command       string // for the head of the results
}

const reproduceLong = `Reproduce runs the experiments of the paper, with the data, the settings and the methods of
its section on experiments, and baselines: the graph without edges, a random
order, stepwise regression, and the exact posterior.

  table1     flow cytometry data, ten splits, next to the published table
  linear     linear data, 20 variables, both densities
  nonlinear  nonlinear data, 20 variables, both densities
  size       linear data, 10, 20 and 50 variables, 100 and 500 rows
  order      TOBAC under causal orders from different sources
  all        all of these
  networks   networks of 10 and 20 variables, every engine next to its reference
  authors    the data sets of the authors' program, next to its figures; needs --data, and is
             a part of all where that is given
  svidag     this program's default on the tables of the SVI-DAG comparison, next to what was
             published of six methods; needs --tables, a folder with published.csv and a
             folder such as case3-n1000-r0 with train.npy and graph.csv for each table

A cell is one method on one data set. Every finished cell is a file in DIR/cells, so the
same command continues after an interruption, and more --runs or another experiment compute
only what is new. At the end DIR gets results.csv, results.md, report.html, times.csv and
the folder figures; --collect writes them from the finished cells.

--only keeps methods (tobac-eqvar, dibs, exact), sections (linear-d20-e40-n100), data sets and
cells (linear-d20-e40-n100-run0/dibs) by name; * and ? are the wildcards of a shell.
--quick takes minutes instead of hours: %s
--shard i/N computes every N-th cell and writes no tables: for an array of machines with a
common DIR, or one DIR each, whose files are copied together. --plan records the cells for
tobac-beam and computes none.`

func newReproduce() *cobra.Command {
	o := reproduceOptions{seed: 1, workers: runtime.GOMAXPROCS(0)}
	names := append(study.Names(), "all")
	cmd := &cobra.Command{
		Use:   "reproduce " + strings.Join(names, "|"),
		Short: "Run the experiments of the paper",
		Long:  fmt.Sprintf(reproduceLong, study.Reduced),
		Example: `  tobac reproduce all --quick --out results
  tobac reproduce linear --runs 3 --only 'tobac-*' --out results`,
		ValidArgs: names,
		Args:      cli.Arguments(1, 1, "one of "+strings.Join(names, ", ")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(names, args[0]) {
				return cli.Usagef("unknown experiment %q%s; allowed: %s", args[0],
					words.Suggestion(args[0], names), strings.Join(names, ", "))
			}
			if o.out == "" {
				return cli.Usagef(
					"tobac reproduce needs --out DIR, the folder for the cells and the results")
			}
			o.command, o.quiet = "tobac reproduce "+args[0], cli.IsQuiet(cmd)
			line := &cli.CommandLine{Flags: cmd.Flags()}
			for _, given := range line.Given(".", cli.MarkOutside) {
				for _, t := range given.Texts {
					o.command += " " + line.Word(given.Name, t)
				}
			}
			return reproduce(cmd.Context(), args[0], o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(cli.PlainText(&o.out, "DIR"), "out",
		"folder for the cells and the results, created if need be (required)")
	f.Var(cli.WholeNumber(&o.runs, 1, mostRuns), "runs", "data sets, or splits, of each section")
	cli.DefaultText(f, "runs",
		fmt.Sprintf("%d; %d with --quick", study.PublishedRuns, study.QuickRuns))
	cli.Toggle(f, &o.quick, "quick", "fewer runs and steps")
	f.Var(cli.SeveralOf(&o.only, "NAME"), "only",
		"a method, section, data set or cell; may be repeated")
	f.Var(cli.PlainText(&o.data, "DIR"), "data", "folder with linear-d20-e40-run0 to run4 of the "+
		"authors' program, and for networks nonlinear-d10-e20-run0 to run4 and nonlinear-d20-e40")
	f.Var(cli.PlainText(&o.tables, "DIR"), "tables", "folder with the tables of svidag")
	f.Var(cli.Seed(&o.seed), "seed", "seed of the data and of the inference")
	f.Var(cli.WholeNumber(&o.workers, 1, tobac.MostWorkers), "workers", "cells at a time")
	cli.DefaultText(f, "workers", "number of CPUs")
	f.Var(shard(&o.shard), "shard", "part of the cells, such as 2/4")
	cli.DefaultText(f, "shard", "all cells")
	cli.Toggle(f, &o.plan, "plan", "record the cells, compute none")
	cli.Toggle(f, &o.collect, "collect", "write the results of the finished cells, compute none")
	cli.Toggle(f, &o.force, "force", cli.ForceUsage)
	cli.Record(f)
	return cmd
}

// mostRuns bounds the number of data sets.
const mostRuns = 1000

// studies are those that the command line asks for.
func (o *reproduceOptions) studies(name string) ([]study.Study, error) {
	names := []string{name}
	if name == "all" {
		if names = study.OfPaper(); o.data != "" {
			names = append(names, study.Authors)
		}
	}
	if o.data != "" && !slices.Contains(names, study.Authors) && name != study.Networks {
		return nil, cli.Usagef("--data is for the experiments %s, %s and all", study.Authors,
			study.Networks)
	}
	if name == study.Authors && o.data == "" {
		return nil, cli.Usagef("the experiment %s needs --data DIR, the folder with the data "+
			"sets of the authors' program", name)
	}
	if o.tables == "" && name == study.SVIDAG {
		return nil, cli.Usagef("the experiment %s needs --tables DIR, the folder with the tables "+
			"of the SVI-DAG comparison", name)
	}
	if o.tables != "" && name != study.SVIDAG {
		return nil, cli.Usagef("--tables is for the experiment %s", study.SVIDAG)
	}
	var all []study.Study
	for _, n := range names {
		s, err := study.New(n, study.Options{Runs: o.runs, Seed: o.seed, Quick: o.quick,
			Data: cmp.Or(o.tables, o.data)})
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	kept, err := study.Only(all, o.only)
	if err != nil {
		return nil, cli.WrongUse(cli.Located("--only", err))
	}
	return kept, nil
}

func reproduce(ctx context.Context, name string, o reproduceOptions,
	stdout, stderr io.Writer) error {
	if o.plan && o.shard.Count > 0 {
		return cli.Usagef(
			"--plan and --shard contradict each other: cells are written down, or done")
	}
	if o.collect && (o.plan || o.shard.Count > 0) {
		return cli.Usagef("--collect contradicts --plan and --shard: results are written, or " +
			"cells done for them")
	}
	studies, err := o.studies(name)
	if err != nil {
		return err
	}
	if err := checkOut(o, studies); err != nil {
		return err
	}
	folder, err := jobs.OpenFolder(o.cellsFolder())
	if err != nil {
		return err
	}
	w := &jobWork{folder: folder, shard: o.shard, plan: o.plan, workers: o.workers}
	cells := study.Cells(studies)
	list := make([]jobs.Job, len(cells))
	for i, c := range cells {
		list[i] = c.Job()
	}
	done, err := o.cells(ctx, w, list, stderr)
	part := new(partError)
	switch {
	case errors.As(err, &part):
		_, err := fmt.Fprintln(stdout, part.text)
		return err
	case ctx.Err() != nil:
		return cli.Interruptedf(
			"interrupted; finished cells are kept in %s; the same command continues", folder.Dir())
	case err != nil:
		return err
	}
	r, err := collect(studies, w.folder, list, done)
	if err != nil {
		return err
	}
	if err := writeResults(o, r, stdout); err != nil || done.failed == nil {
		return err
	}
	first := done.failed.Failures[0]
	return fmt.Errorf("%d of %d cells failed; the same command repeats them; the first is %s: %s",
		len(done.failed.Failures), len(list), cells[first.Index].Name(), cli.Message(first.Err))
}

// cellsFolder is the folder of the finished cells.
func (o *reproduceOptions) cellsFolder() string { return filepath.Join(o.out, "cells") }

// open prepares the folder for the results.
func (o *reproduceOptions) open(studies []study.Study) (*file.Set, error) {
	return file.OpenSet(o.out, study.Files(studies),
		file.Guard{Beside: []string{o.cellsFolder()}, Force: o.force})
}

// checkOut finds a folder that results cannot be written to, and what must not be overwritten,
// before the work.
func checkOut(o reproduceOptions, studies []study.Study) error {
	set, err := o.open(studies)
	if err != nil {
		return err
	}
	set.Discard()
	// which Discard took away again if it was made
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return file.WithPath(o.out, err)
	}
	return nil
}

// A cellsDone is what became of cells: their outputs, and those that failed; nil means none did.
type cellsDone struct {
	outputs [][]byte
	failed  *jobs.FailedError
}

// cells does what the folder does not have, or with --collect takes what it has.
func (o *reproduceOptions) cells(ctx context.Context, w *jobWork, list []jobs.Job,
	stderr io.Writer) (cellsDone, error) {
	w.progress = cli.NewProgress(stderr, o.quiet)
	defer w.progress.Close()
	return cli.Within(ctx, func() (done cellsDone, err error) {
		if o.collect {
			done.outputs = make([][]byte, len(list))
			for i, j := range list {
				if done.outputs[i], _, err = w.folder.Output(j.ID()); err != nil {
					w.progress.Warn(fmt.Sprintf("%v; its cell, %s, is left out", err, j.Name))
				}
			}
			return done, nil
		}
		done.outputs, err = w.all(ctx, list)
		if ctx.Err() == nil && !w.partial() && errors.As(err, &done.failed) {
			return done, nil
		}
		return done, err
	})
}

// collect puts outputs, failures and times of cells together.
func collect(studies []study.Study, folder *jobs.Folder, list []jobs.Job,
	done cellsDone) (*study.Results, error) {
	failures, seconds := make([]string, len(list)), make([]float64, len(list))
	if done.failed != nil {
		for _, f := range done.failed.Failures {
			failures[f.Index] = cli.Message(f.Err)
		}
	}
	for i, j := range list {
		seconds[i] = math.NaN()
		if m, ok, err := folder.Measured(j.ID()); ok && err == nil { // a damaged one was named
			seconds[i] = m.Seconds
		}
	}
	return study.Collect(studies, done.outputs, failures, seconds)
}

// writeResults writes the tables, and prints which claims hold.
func writeResults(o reproduceOptions, r *study.Results, stdout io.Writer) error {
	about := study.About{Command: o.command, Version: "tobac " + cli.CurrentVersions().Tobac +
		", " + cli.CurrentVersions().Go, Machine: machine(), Date: time.Now().Format(time.DateOnly),
		Quick: o.quick, Only: o.only}
	set, err := o.open(r.Studies)
	if err != nil {
		return err
	}
	defer set.Discard()
	if err := r.WriteFiles(about, set.Write); err != nil {
		return err
	}
	if err := set.Commit(); err != nil {
		return err
	}
	for _, c := range r.Claims() {
		if c.Verdict() != study.NotCovered {
			if _, err := fmt.Fprintf(stdout, "claim %d %s: %s\n", c.Number, c.Verdict(),
				c.Text); err != nil {
				return err
			}
		}
	}
	_, err = fmt.Fprintf(stdout, "%s, report.html, results.csv: %d cells\n",
		filepath.Join(o.out, "results.md"), len(r.All))
	return err
}
