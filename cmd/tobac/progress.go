package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"tobac"
)

// A progress shows how far a run is: a bar on a terminal, otherwise a line every
// tenth of the run and at least every ten seconds. It is safe for concurrent
// use.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	bar     *progressbar.ProgressBar // nil: lines, or not begun
	steps   int
	first   int // steps that had been taken at the start
	taken   int
	start   time.Time // zero: not begun
	shown   int       // step of the last line
	shownAt time.Time // time of the last line
	closed  bool
}

func newProgress(w io.Writer) *progress { return &progress{w: w} }

// begin writes the warnings and starts the clock. The number of steps depends on
// the data where several orders are sampled; a resumed run has taken some of them.
func (p *progress) begin(warnings []string, taken, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first, p.taken, p.shown, p.steps = taken, taken, taken, steps
	p.start = time.Now()
	if p.closed {
		return
	}
	warn(p.w, warnings)
	p.shownAt = p.start
	if isTerminal(p.w) && p.steps > taken {
		p.bar = newBar(p.w, p.steps)
	}
}

func newBar(w io.Writer, steps int) *progressbar.ProgressBar {
	return progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("sampling"),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("steps"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// isTerminal reports whether w shows what is written to a person at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// step says where the run is.
func (p *progress) step(s tobac.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.start.IsZero() { // what comes before the steps
		const worthSaying = 100 << 20
		if s.Bytes >= worthSaying && !p.closed {
			fmt.Fprintf(p.w, "the engine %v needs about %.1f GB of memory\n", s.Stage, float64(s.Bytes)/(1<<30))
		}
		return
	}
	taken := s.Step
	p.taken = taken
	if p.closed {
		return
	}
	if p.bar != nil {
		p.bar.Set(taken) // a terminal that fails is no reason to stop
		return
	}
	const longest = 10 * time.Second
	now := time.Now()
	if (taken < p.steps || taken == p.shown) && taken-p.shown < (p.steps+9)/10 && now.Sub(p.shownAt) < longest {
		return
	}
	p.shown, p.shownAt = taken, now
	rate := float64(taken-p.first) / now.Sub(p.start).Seconds()
	left := time.Duration(float64(p.steps-taken) / rate * float64(time.Second)).Round(time.Second)
	format := "step %d of %d, %.3g steps/s, %v left\n"
	if rate >= 1000 {
		format = "step %d of %d, %.0f steps/s, %v left\n"
	}
	fmt.Fprintf(p.w, format, taken, p.steps, rate, left)
}

// begun reports whether there is a state to keep.
func (p *progress) begun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.start.IsZero()
}

// close ends the display; later steps are counted but not shown.
func (p *progress) close() (taken, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil && !p.closed {
		p.bar.Clear() // a terminal that fails is no reason to stop
	}
	p.closed = true
	return p.taken, p.steps
}
