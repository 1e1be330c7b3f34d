package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"tobac"
	"tobac/internal/cli"
	"tobac/internal/engines"
	"tobac/internal/file"

	"github.com/spf13/cobra"
)

const fitLong = `Fit infers the posterior over causal graphs of a table: the probability of every edge, a
consensus graph, and graphs with their parameters. Without a table it takes the embedded flow
cytometry data of Sachs et al. and their consensus network. The same data, options and seed
give the same results with any number of workers.

--set changes a setting of an engine, a model or another topic: tobac help lists the topics,
and tobac help svgd, data, prior, order, results, report, ... their settings.`

func newFit() *cobra.Command { return fitCommand(newFitOptions()) }

// fitCommand is tobac fit with its options in o.
func fitCommand(o *fitOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fit [DATA.csv]",
		Short: "Infer the posterior over causal graphs",
		Long:  fitLong,
		Example: `  tobac fit
  tobac fit data.csv --out run
  tobac fit data.csv --engine svgd --set particles=50 --holdout 0.1`,
		Args: cli.Arguments(0, 1, "at most one data file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.command.Data = args[0]
			}
			if _, err := cli.Within(cmd.Context(), func() (any, error) {
				return nil, o.recall()
			}); err != nil {
				return notBegun(err)
			}
			return fit(cmd.Context(), *o, o.command.Data, cmd.InOrStdin(), cmd.OutOrStdout(),
				cmd.ErrOrStderr())
		},
	}
	o.command = &cli.CommandLine{Flags: cmd.Flags(), Settings: cli.SettingsOf(o.topics())}
	o.given = o.command.Changed
	f := cmd.Flags()
	f.SortFlags = false
	o.table.flags(f)
	f.Var(cli.PlainText(&o.interventions, "FILE"), "interventions",
		"table of 0 and 1: which values were set by intervention")
	f.Var(cli.Fraction(&o.holdout), "holdout",
		"fraction of the rows to hold out for the predictive density")
	f.Var(cli.PlainText(&o.heldout, "FILE"), "heldout", cli.HeldoutUsage)
	cli.Group(f, "Data", "columns", "drop", "missing", "kind", "categories", "interventions",
		"holdout", "heldout")
	o.knowledge.flags(f)
	f.Var(cli.PlainText(&o.order, "posterior|METHOD|FILE|a,b,c"), "order",
		"causal order: posterior, METHOD, a,b,c or FILE")
	f.Var(cli.PlainText(&o.prior, o.config.Prior.Settings()[0].Type()+"|FILE"), "prior",
		"graph prior: er, fair, sf, uniform, or FILE")
	cli.Group(f, "Knowledge", "forbid", "require", "tiers", "knowledge", "order", "prior")
	f.Var(modelChoice(&o.model), "model", modelList())
	f.Var(cli.OneName(&o.engine, engines.Names()), "engine", strings.Join(engines.Names(), ", "))
	f.Var(cli.Choice(&o.beside, besideAuto, besideNone, besideSVGD), "beside",
		"engine to compare with the posterior: svgd or none")
	cli.DefaultText(f, "beside", "none; svgd without a table")
	cli.SettingsFlag(f, &o.set, o.command.Settings)
	f.Var(cli.Seed(&o.seed), "seed", "seed of the random numbers")
	f.Var(cli.WholeNumber(&o.workers, 1, tobac.MostWorkers), "workers",
		"goroutines; the result does not depend on it")
	cli.DefaultText(f, "workers", "number of CPUs")
	cli.Group(f, "Model and engine", "model", "engine", "beside", "set", "seed", "workers")
	f.Var(cli.PlainText(&o.out, "DIR"), "out", "folder for the results, created if need be")
	f.Var(cli.PlainText(&o.truth, "GRAPH.csv"), "truth", cli.TruthUsage)
	cli.Toggle(f, &o.details, "details", "print effects, evidences and other figures too")
	cli.Toggle(f, &o.json, "json", cli.JSONUsage)
	cli.Toggle(f, &o.quiet, "quiet", cli.QuietUsage)
	cli.Toggle(f, &o.force, "force", cli.ForceUsage)
	f.Var(cli.PlainText(&o.configFile, "FILE"), "config", "options from a file, such as "+
		cli.ConfigFile+" of a run")
	f.Var(cli.PlainText(&o.checkpoint, "FILE"), "checkpoint", "keep the state of the run in a file")
	f.Var(cli.PlainText(&o.resume, "FILE"), "resume", "continue from a checkpoint")
	cli.Group(f, "Results", "out", "truth", "details", "json", "quiet", "force", "config",
		"checkpoint", "resume")
	cli.Mark(f, cli.MarkOutside, "set", "out", "checkpoint", "resume", "config", "workers",
		"details", "json", "force", "quiet")
	cli.Mark(f, cli.MarkAnytime, "set", "out", "checkpoint", "resume", "config", "workers",
		"details", "json", "force", "quiet", "truth", "heldout")
	cli.Record(f)
	return cmd
}

// recall completes the options by those of a file or a checkpoint, and gives all settings their
// values.
func (o *fitOptions) recall() (err error) {
	switch {
	case o.configFile != "" && o.resume != "":
		return cli.Usagef("--config and --resume contradict each other: a checkpoint holds the " +
			"options of its run")
	case o.configFile != "":
		err = o.command.ReadConfig(o.configFile, o.assign)
	case o.resume == "":
		return o.assign()
	default:
		if o.resumed, err = readCheckpoint(o.resume); err != nil {
			return err
		}
		if o.checkpoint == "" {
			o.checkpoint = o.resume
		}
		err = o.resumed.recall(o.command, o.resume, o.assign)
	}
	return err
}

// assign gives the settings of --set their values. Engine and model, which decide what short names
// mean, are known by then.
func (o *fitOptions) assign() error {
	return o.set.Assign(o.engine, o.model, o.beside.String())
}

// fit runs the command: it checks everything that can be checked, infers, and
// only then writes files and the report. What was inferred is kept whatever becomes of
// the rest.
func fit(ctx context.Context, o fitOptions, data string, stdin io.Reader,
	stdout, stderr io.Writer) error {
	start := time.Now()
	var j *job
	err := cli.Working(stderr, o.quiet, "reading "+cli.DataLabel(data),
		func(*cli.Progress) (err error) {
			j, err = cli.Within(ctx, func() (*job, error) { return prepare(o, data, stdin) })
			return err
		})
	if err != nil {
		return notBegun(o.command.Mistaken(err))
	}
	if err := checkFormats(o.formats, j.train.Names, o.out); err != nil {
		return err
	}
	k := &keeping{out: o.out, guard: file.Guard{Inputs: o.command.Inputs("out", "checkpoint"),
		Beside: []string{o.checkpoint}, Force: o.force}}
	if err := k.open(); err != nil {
		return err
	}
	defer k.discard()
	if o.checkpoint != "" { // after the folder, which may hold it
		if err := checkCheckpoint(o.checkpoint,
			file.Guard{Inputs: o.command.Inputs("out", "checkpoint", "resume"),
				Force: o.force}); err != nil {
			return err
		}
		if err := k.checkApart(o.checkpoint); err != nil {
			return err
		}
	}
	r, err := j.infer(ctx, stderr)
	if err != nil {
		return err
	}
	r.command, r.formats, r.details, r.EngineReason = o.command, o.formats, o.details, j.why
	r.effectColumns = o.effectColumns
	after := cli.NewProgress(stderr, o.quiet)
	defer after.Close()
	after.During("judging the posterior, total effects and the verdict")
	k.conclude(ctx, r, j, cli.Beneath(after, stderr))
	r.summary.Seconds.Total = time.Since(start).Seconds()
	if o.out != "" {
		if o.report {
			after.During("drawing the report")
			k.draw(ctx, r, j, cli.Beneath(after, stderr))
		}
		after.During("writing " + o.out)
		k.save(r)
	}
	after.Close()
	if !o.json {
		if err := k.show(stdout, func(w io.Writer) error {
			return r.print(w, k.saved)
		}); err != nil {
			return err
		}
	}
	if j.beside && k.reasons == nil {
		if err := k.compare(ctx, r, j, &o, stdout, stderr); err != nil {
			return err
		}
	}
	if o.json {
		if err := k.show(cli.Exactly(stdout), func(w io.Writer) error {
			return cli.WriteJSON(w, r.summary)
		}); err != nil {
			return err
		}
	}
	return k.verdict(ctx, j)
}

// notBegun says of a run that was interrupted while its inputs were read that there is
// nothing of it.
func notBegun(err error) error {
	if errors.Is(err, cli.ErrInterrupted) {
		return cli.Interruptedf("interrupted before the first step; nothing was written")
	}
	return err
}
