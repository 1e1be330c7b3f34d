package cli

import (
	"fmt"
	"math"
	"strings"
	"time"

	"tobac/internal/jobs"
)

// A jobDisplay shows how far a list of jobs is: on a terminal in one line that is drawn anew,
// elsewhere in a line when something changes after two seconds, and every ten seconds from then on.
type jobDisplay struct {
	p       *Progress
	start   time.Time
	shownAt time.Time // zero means never
}

func NewJobDisplay(p *Progress) *jobDisplay {
	now := p.Now()
	return &jobDisplay{p: p, start: now}
}

// Update shows a status. Calls must not be concurrent.
func (d *jobDisplay) Update(s jobs.Status) {
	if s.Warning != "" {
		d.p.Warn(s.Warning)
	}
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	if d.p.closed || d.p.Quiet {
		return
	}
	now := d.p.Now()
	d.p.doing, d.p.doingSince = jobCounts(s), d.start // which a terminal shows each second, with the time
	if d.p.Terminal != nil {
		if now.Sub(d.shownAt) >= redraw {
			d.shownAt = now
			d.p.draw(d.line(s, now), now)
		}
		return
	}
	d.p.doingLines = math.MaxInt // no lines but those here
	if now.Sub(d.start) < FirstLine || now.Sub(d.shownAt) < NextLine {
		return
	}
	d.shownAt = now
	fmt.Fprintln(d.p.w, d.line(s, now))
}

// line says where the jobs are, and how long the others will take at the rate of
// those that this process has done.
func (d *jobDisplay) line(s jobs.Status, now time.Time) string {
	taken := now.Sub(d.start)
	line := jobCounts(s) + ", elapsed " + Spell(taken)
	if ended := s.Done + s.Failed; ended > 0 && s.Left() > 0 {
		line += ", left " + Spell(time.Duration(float64(taken)/float64(ended)*float64(s.Left())))
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

// End frees the line.
func (d *jobDisplay) End() { d.p.During("") }
