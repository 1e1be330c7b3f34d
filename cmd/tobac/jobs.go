package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"tobac/internal/jobs"
	"tobac/internal/study"

	"github.com/spf13/pflag"
)

// shard is a part of a list of jobs.
func shard(value *jobs.Shard) pflag.Value {
	return &bounded[jobs.Shard]{value, "i/N", "i/N with whole numbers from 1 on, i at most N, such as 2/8", func(text string) (jobs.Shard, bool) {
		s, err := jobs.ParseShard(text)
		return s, err == nil
	}}
}

// A partError says that a command has done its part of the jobs: it ends without a
// result, and nothing failed.
type partError struct{ text string }

func (e *partError) Error() string { return e.text }

// jobWork does jobs for a command, keeps them in a folder, and shows how far they are.
type jobWork struct {
	folder   *jobs.Folder
	shard    jobs.Shard // zero: all
	plan     bool       // record the jobs, and do none
	workers  int
	progress *progress
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
		return nil, &partError{fmt.Sprintf("all %d cells are in %s: the same command without --plan and --shard writes the results", len(list), dir)}
	case w.plan:
		return nil, &partError{fmt.Sprintf("%s has %d jobs to do", dir, left)}
	}
	return nil, &partError{fmt.Sprintf("%d jobs of shard %v are in %s, and %d of all %d are not", len(w.shard.Of(list)), w.shard, dir, left, len(list))}
}

// list does jobs. Outputs that cannot be kept are an error of a part, and a warning where the results follow.
func (w *jobWork) list(ctx context.Context, list []jobs.Job) ([][]byte, error) {
	show := newJobDisplay(w.progress)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outputs, err := jobs.Do(ctx, jobs.Local{Workers: w.workers}, w.folder, study.Functions(), list, func(s jobs.Status) {
		show.update(s)
		if s.NotKept > 0 && w.partial() {
			cancel(errNotKept)
		}
	})
	show.end()
	failed, notKept := new(jobs.FailedError), new(jobs.NotKeptError)
	switch {
	case err == nil, errors.As(err, &failed), !errors.As(err, &notKept):
		return outputs, err
	case w.partial() || errors.Is(err, context.Canceled):
		return nil, notKept
	}
	w.progress.warn(notKept.Error())
	return outputs, nil
}

var errNotKept = errors.New("an output could not be kept")

// A jobDisplay shows how far a list of jobs is: on a terminal in one line that is
// drawn anew, elsewhere in a line when something changes after two seconds, and every ten seconds from then on.
type jobDisplay struct {
	p       *progress
	start   time.Time
	shownAt time.Time // zero: never
}

func newJobDisplay(p *progress) *jobDisplay {
	now := p.now()
	return &jobDisplay{p: p, start: now}
}

// update shows a status. Calls must not be concurrent.
func (d *jobDisplay) update(s jobs.Status) {
	if s.Warning != "" {
		d.p.warn(s.Warning)
	}
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	if d.p.closed || d.p.quiet {
		return
	}
	now := d.p.now()
	d.p.doing, d.p.doingSince = jobCounts(s), d.start // which a terminal shows each second, with the time
	if d.p.terminal != nil {
		if now.Sub(d.shownAt) >= redraw {
			d.shownAt = now
			d.p.draw(d.line(s, now), now)
		}
		return
	}
	d.p.doingLines = math.MaxInt // no lines but those here
	if now.Sub(d.start) < firstLine || now.Sub(d.shownAt) < nextLine {
		return
	}
	d.shownAt = now
	fmt.Fprintln(d.p.w, d.line(s, now))
}

// line says where the jobs are, and how long the others will take at the rate of
// those that this process has done.
func (d *jobDisplay) line(s jobs.Status, now time.Time) string {
	taken := now.Sub(d.start)
	line := jobCounts(s) + ", elapsed " + spell(taken)
	if ended := s.Done + s.Failed; ended > 0 && s.Left() > 0 {
		line += ", left " + spell(time.Duration(float64(taken)/float64(ended)*float64(s.Left())))
	}
	return line
}

// jobCounts says how many jobs have ended, and how, and what becomes of the others.
func jobCounts(s jobs.Status) string {
	words := []string{fmt.Sprintf("jobs: %d of %d done", s.Done+s.Found, s.Jobs)}
	for _, part := range []struct {
		count int
		what  string
	}{{s.Found, "found"}, {s.Running, "running"}, {s.Failed, "failed"}} {
		if part.count > 0 {
			words = append(words, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	return strings.Join(words, ", ")
}

// end frees the line.
func (d *jobDisplay) end() { d.p.during("") }
