package main

import (
	"context"
	"errors"
	"fmt"

	"tobac/internal/cli"
	"tobac/internal/jobs"
	"tobac/internal/study"

	"github.com/spf13/pflag"
)

// shard is a part of a list of jobs.
func shard(value *jobs.Shard) pflag.Value {
	return cli.Bound(value, "i/N", "i/N with whole numbers from 1 on, i at most N, such as 2/8",
		func(text string) (jobs.Shard, bool) {
			s, err := jobs.ParseShard(text)
			return s, err == nil
		})
}

// A partError says that a command has done its part of the jobs: it ends without a
// result, and nothing failed.
type partError struct{ text string }

func (e *partError) Error() string { return e.text }

// jobWork does jobs for a command, keeps them in a folder, and shows how far they are.
type jobWork struct {
	folder   *jobs.Folder
	shard    jobs.Shard // zero means all
	plan     bool       // record the jobs, and do none
	workers  int
	progress *cli.Progress
}

// partial reports whether the command ends without a result.
func (w *jobWork) partial() bool { return w.plan || w.shard.Count > 0 }

// all does the jobs of a list, or the part of them that was asked for.
func (w *jobWork) all(ctx context.Context, list []jobs.Job) ([][]byte, error) {
	if !w.partial() {
		return w.list(ctx, list)
	}
	if w.plan {
		if err := w.folder.Add(list); err != nil {
			return nil, err
		}
	} else if _, err := w.list(ctx, w.shard.Of(list)); err != nil {
		return nil, err
	}
	left := 0
	for _, j := range list {
		if _, ok, err := w.folder.Output(j.ID()); err != nil || !ok {
			left++ // a damaged one is named when it is done again
		}
	}
	dir := w.folder.Dir()
	switch {
	case left == 0:
		return nil, &partError{fmt.Sprintf("all %d cells are in %s: the same command without "+
			"--plan and --shard writes the results", len(list), dir)}
	case w.plan:
		return nil, &partError{fmt.Sprintf("%s has %d jobs to do", dir, left)}
	}
	return nil, &partError{fmt.Sprintf("%d jobs of shard %v are in %s, and %d of all %d are not",
		len(w.shard.Of(list)), w.shard, dir, left, len(list))}
}

// list does jobs. Outputs that cannot be kept are an error of a part, and a warning where the
// results follow.
func (w *jobWork) list(ctx context.Context, list []jobs.Job) ([][]byte, error) {
	show := cli.NewJobDisplay(w.progress)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outputs, err := jobs.Do(ctx, jobs.Local{Workers: w.workers}, w.folder, study.Functions(), list,
		func(s jobs.Status) {
			show.Update(s)
			if s.NotKept > 0 && w.partial() {
				cancel(errNotKept)
			}
		})
	show.End()
	failed, notKept := new(jobs.FailedError), new(jobs.NotKeptError)
	switch {
	case err == nil, errors.As(err, &failed), !errors.As(err, &notKept):
		return outputs, err
	case w.partial() || errors.Is(err, context.Canceled):
		return nil, notKept
	}
	w.progress.Warn(notKept.Error())
	return outputs, nil
}

var errNotKept = errors.New("an output could not be kept")
