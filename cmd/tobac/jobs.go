package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"tobac"
	"tobac/internal/jobs"
	"tobac/internal/study"
)

// jobOptions say where the jobs of a fit are done, and which of them.
type jobOptions struct {
	dir   string     // folder; "": none, and no jobs
	shard jobs.Shard // zero: all
	plan  bool

	folder *jobs.Folder // that dir is, once it is open
}

// flags defines the options.
func (o *jobOptions) flags(f *pflag.FlagSet) {
	f.Var(text(&o.dir, "DIR"), "jobs", "do independent parts as jobs, and keep the finished ones in a folder")
	f.Var(shard(&o.shard), "shard", "do job i and every N-th after it of --jobs, and stop")
	defaultText(f, "shard", "all jobs")
	toggle(f, &o.plan, "plan", "write the jobs that are left into --jobs for tobac work, and stop")
}

// shard is a part of a list of jobs.
func shard(value *jobs.Shard) pflag.Value {
	return &bounded[jobs.Shard]{value, "i/N", "i/N with whole numbers from 1 on, i at most N, such as 2/8", func(text string) (jobs.Shard, bool) {
		s, err := jobs.ParseShard(text)
		return s, err == nil
	}}
}

// check finds options that contradict each other.
func (o *jobOptions) check(checkpoint bool) error {
	switch {
	case o.dir == "" && o.shard.Count > 0:
		return usagef("--shard is for the jobs of --jobs DIR")
	case o.dir == "" && o.plan:
		return usagef("--plan is for the jobs of --jobs DIR")
	case o.plan && o.shard.Count > 0:
		return usagef("--plan and --shard contradict each other: jobs are written down, or done")
	case o.dir != "" && checkpoint:
		return usagef("--jobs and --checkpoint contradict each other: the folder of jobs keeps what is finished")
	}
	return nil
}

// open opens the folder, if there is one to be.
func (o *jobOptions) open() (err error) {
	if o.dir != "" {
		o.folder, err = jobs.OpenFolder(o.dir)
	}
	return err
}

// partial reports whether the command ends without a result.
func (o *jobOptions) partial() bool { return o.plan || o.shard.Count > 0 }

// A partError says that a command has done its part of the jobs: it ends without a
// result, and nothing failed.
type partError struct{ text string }

func (e *partError) Error() string { return e.text }

// jobWork does jobs for a command, and shows how far they are.
type jobWork struct {
	jobOptions
	workers  int
	attempts int
	progress *progress
	asked    bool // something was to be done as jobs
}

// do is nil without a folder.
func (w *jobWork) do() tobac.Do {
	if w.folder == nil {
		return nil
	}
	return w.all
}

// all is a tobac.Do: it does the jobs of a list, or the part of them that was asked for. Where all are finished, a part
// goes on with the jobs that follow.
func (w *jobWork) all(ctx context.Context, list []jobs.Job) ([][]byte, error) {
	w.asked = true
	if !w.partial() {
		return w.list(ctx, list, true)
	}
	if w.plan {
		if err := w.folder.Add(list); err != nil {
			return nil, err
		}
	} else if _, err := w.list(ctx, w.shard.Of(list), false); err != nil {
		return nil, err
	}
	finished, left := make([][]byte, len(list)), 0
	for i, j := range list {
		output, ok, err := w.folder.Output(j.ID())
		if err != nil || !ok {
			left++ // a damaged one is named when it is done again
		}
		finished[i] = output
	}
	switch {
	case left == 0:
		return finished, nil
	case w.plan:
		return nil, &partError{fmt.Sprintf("%s has %d jobs to do: tobac work %s", w.dir, left, shellWord(w.dir))}
	}
	return nil, &partError{fmt.Sprintf("%d jobs of shard %v are in %s, and %d of all %d are not", len(w.shard.Of(list)), w.shard, w.dir, left, len(list))}
}

// end says, after a fit, that a command for a part of the jobs found none left, or that there were none.
func (w *jobWork) end() error {
	switch none := "nothing is done as jobs here: there are no parts that are independent of each other"; {
	case w.dir == "":
		return nil
	case w.partial() && w.asked:
		return &partError{fmt.Sprintf("all jobs are in %s: the same command without --plan and --shard gives the result", w.dir)}
	case w.partial():
		return &partError{none}
	case !w.asked:
		w.progress.warn(none)
	}
	return nil
}

// list does jobs. Outputs that cannot be kept are an error, unless they are of use all the same, which a warning says.
func (w *jobWork) list(ctx context.Context, list []jobs.Job, use bool) ([][]byte, error) {
	show := newJobDisplay(w.progress)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outputs, err := jobs.Do(ctx, jobs.Local{Workers: w.workers, Attempts: w.attempts}, w.folder, knownJobs(), list, func(s jobs.Status) {
		show.update(s)
		if s.NotKept > 0 && !use {
			cancel(errNotKept)
		}
	})
	show.end()
	failed, notKept := new(jobs.FailedError), new(jobs.NotKeptError)
	switch {
	case err == nil, errors.As(err, &failed), !errors.As(err, &notKept):
		return outputs, err
	case !use || errors.Is(err, context.Canceled):
		return nil, notKept
	}
	w.progress.warn(notKept.Error())
	return outputs, nil
}

var errNotKept = errors.New("an output could not be kept")

// knownJobs are the kinds of jobs that the command can do.
func knownJobs() jobs.Functions { return tobac.Functions().With(study.Functions()) }

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
	}{{s.Found, "found"}, {s.Running, "running"}, {s.Waiting, "in other processes"}, {s.Failed, "failed"}} {
		if part.count > 0 {
			words = append(words, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	return strings.Join(words, ", ")
}

// end frees the line.
func (d *jobDisplay) end() { d.p.during("") }
