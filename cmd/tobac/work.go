package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"tobac"
	"tobac/internal/file"
	"tobac/internal/jobs"
)

const workLong = `Work does the jobs that are recorded in the folder DIR, and are not finished: those
that tobac fit --jobs DIR --plan wrote. What has made them need not be known. Then the
command that planned them, run again without --plan, finds what they have given.

Several processes may work on one folder at a time, on machines that share it too: each
takes jobs that no other one that lives has begun. Of a process that is killed, its
finished jobs stay, and the others take over what it had begun. Machines without a
common folder do --shard i/N each in a copy of DIR, and tobac merge puts the copies
together.

A job that fails does not stop the others. The failed ones are named at the end, and
are done again by the next run. docs/many-machines.md has job arrays of Slurm, indexed
jobs of Kubernetes and a Snakefile.`

func newWork() *cobra.Command {
	w := jobWork{workers: min(runtime.GOMAXPROCS(0), tobac.MostWorkers), attempts: 1}
	quiet := false
	cmd := &cobra.Command{
		Use:   "work DIR",
		Short: "Do the jobs that are recorded in a folder",
		Long:  workLong,
		Example: `  tobac fit data.csv --orders 8 --jobs parts --plan
  tobac work parts
  tobac fit data.csv --orders 8 --jobs parts --out run`,
		Args: arguments(1, 1, "one folder of jobs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w.dir = args[0]
			w.progress = newProgress(cmd.ErrOrStderr(), quiet)
			defer w.progress.close()
			return w.work(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(shard(&w.shard), "shard", "do job i and every N-th after it")
	defaultText(f, "shard", "all jobs")
	f.Var(wholeNumber(&w.workers, 1, tobac.MostWorkers), "workers", "jobs at a time")
	defaultText(f, "workers", "number of CPUs")
	f.Var(wholeNumber(&w.attempts, 1, mostAttempts), "attempts", "how often a job is tried that fails")
	toggle(f, &quiet, "quiet", "no progress on standard error")
	return cmd
}

// mostAttempts is the largest number of attempts at a job.
const mostAttempts = 100

// work does what is recorded in the folder.
func (w *jobWork) work(ctx context.Context, stdout io.Writer) error {
	var err error
	if w.folder, err = jobs.ExistingFolder(w.dir); err != nil {
		return err
	}
	list, err := w.folder.Jobs()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintf(stdout, "%s: no jobs are recorded there, so there is nothing to do\n", w.dir)
		return err
	}
	part := w.shard.Of(list)
	_, err = within(ctx, func() (any, error) {
		_, err := w.list(ctx, part, false)
		return nil, err
	})
	switch {
	case errors.Is(err, errInterrupted):
		return interruptedf("interrupted; finished jobs are kept; to continue: tobac work %s", shellWord(w.dir))
	case err != nil:
		return &locatedError{w.dir, err}
	}
	w.progress.close()
	text := fmt.Sprintf("%s: all %d jobs are done\n", w.dir, len(list))
	if w.shard.Count > 1 {
		text = fmt.Sprintf("%s: the %d jobs of shard %v are done\n", w.dir, len(part), w.shard)
	}
	if _, err := io.WriteString(stdout, text); err != nil {
		return file.WithPath("standard output", err)
	}
	return nil
}

const mergeLong = `Merge takes what folders of jobs have into the folder OUT, which is made if need be:
the outputs of finished jobs, and the jobs that are recorded. What OUT has already
stays. Damaged outputs, and such as differ from that of the same job in OUT, are named
and left out, and the exit status is then 1.`

func newMerge() *cobra.Command {
	return &cobra.Command{
		Use:     "merge OUT DIR...",
		Short:   "Put the finished jobs of several folders into one",
		Long:    mergeLong,
		Example: `  tobac merge parts part-1 part-2 part-3`,
		Args:    arguments(2, 1_000_000, "a folder to merge into and those to merge"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return working(cmd.ErrOrStderr(), false, "merging into "+args[0], func(p *progress) error {
				return merge(cmd.Context(), args[0], args[1:], over{p, cmd.OutOrStdout()})
			})
		},
	}
}

// merge puts folders together. All are opened before anything is written.
func merge(ctx context.Context, out string, dirs []string, stdout io.Writer) error {
	var from []*jobs.Folder
	for _, dir := range dirs {
		f, err := jobs.ExistingFolder(dir)
		if err != nil {
			return err
		}
		from = append(from, f)
	}
	to, err := jobs.OpenFolder(out)
	if err != nil {
		return err
	}
	var failed []error
	for _, f := range from {
		if ctx.Err() != nil {
			return interruptedf("interrupted; to continue, give the same command")
		}
		added, err := to.Merge(f)
		if err != nil {
			failed = append(failed, err)
		}
		if _, err := fmt.Fprintf(stdout, "%s: %d jobs\n", f.Dir(), added); err != nil {
			return file.WithPath("standard output", err)
		}
	}
	return errors.Join(failed...)
}
