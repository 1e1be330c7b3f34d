package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"tobac/jobs"
)

// cellsShown shows how far a list of cells is.
type cellsShown struct {
	p     *progress
	start time.Time

	mu      sync.Mutex
	last    jobs.Status
	shownAt time.Time
}

func newCellsShown(p *progress) *cellsShown { return &cellsShown{p: p, start: p.now()} }

// ended is the number of cells that have an output.
func (c *cellsShown) ended() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last.Found + c.last.Done
}

// status takes a new status.
func (c *cellsShown) status(s jobs.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = s
	if s.Warning != "" {
		c.p.warn(s.Warning)
	}
	now := c.p.now()
	if c.p.terminal != nil {
		if now.Sub(c.shownAt) >= redraw {
			c.p.mu.Lock()
			c.p.draw(c.line(now), now)
			c.p.mu.Unlock()
			c.shownAt = now
		}
		return
	}
	if now.Sub(c.shownAt) >= longest {
		if !c.shownAt.IsZero() {
			c.p.say(c.line(now))
		}
		c.shownAt = now
	}
}

// line says how far the cells are, and how long the others will take if they take as long as those before.
func (c *cellsShown) line(now time.Time) string {
	s := c.last
	parts := []string{fmt.Sprintf("%d of %d cells done", s.Found+s.Done, s.Jobs), fmt.Sprintf("%d running", s.Running)}
	if s.Waiting > 0 {
		parts = append(parts, fmt.Sprintf("%d elsewhere", s.Waiting))
	}
	if s.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", s.Failed))
	}
	taken := now.Sub(c.start)
	parts = append(parts, "elapsed "+spell(taken))
	if s.Done > 0 {
		parts = append(parts, "left "+spell(time.Duration(float64(taken)*float64(s.Left())/float64(s.Done))))
	}
	return strings.Join(parts, ", ")
}
