package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tobac/engine"
	"tobac/internal/jobs"

	"golang.org/x/term"
)

// A Progress shows how far a run is and whether it converges: on a terminal one line that is drawn
// anew, otherwise a line after two seconds and every ten seconds from then on. What is computed
// between steps is shown once it takes longer than patient. It is safe for concurrent use.
type Progress struct {
	mu       sync.Mutex
	w        io.Writer
	Terminal func() (width int, ok bool) // nil means no terminal
	Quiet    bool
	Now      func() time.Time

	steps   int
	first   int // steps that had been taken at the start
	taken   int
	start   time.Time       // zero means not begun
	last    engine.Progress // the last step
	shown   int             // step of the last line
	shownAt time.Time       // time of the last line or drawing
	drawn   int             // columns of the line on the terminal

	doing      string // what is computed between steps; "" means nothing
	doingSince time.Time
	doingLines int // lines about it

	steppedAt time.Time // of the last step

	closed bool
	done   chan struct{} // ends the watch
}

// FirstLine and NextLine are how long nothing is written while steps are taken, at the beginning
// and between two lines. Tests shorten them.
var FirstLine, NextLine = Patient, 10 * time.Second

const (
	Patient = 2 * time.Second
	// slowStep is how long nothing is written during a single step.
	slowStep = 30 * time.Second
	redraw   = 100 * time.Millisecond
)

func NewProgress(w io.Writer, quiet bool) *Progress {
	p := &Progress{w: w, Quiet: quiet, Now: time.Now, done: make(chan struct{})}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.Terminal = func() (int, bool) {
			width, _, err := term.GetSize(int(f.Fd()))
			return width, err == nil && width > 0
		}
	}
	if !quiet {
		go p.watch()
	}
	return p
}

// watch shows what takes long between steps.
func (p *Progress) watch() {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
			p.Wait()
		}
	}
}

// Working shows what is being done, in a few words, while do runs and once that takes long.
func Working(w io.Writer, quiet bool, what string, do func(p *Progress) error) error {
	p := NewProgress(w, quiet)
	defer p.Close()
	p.During(what)
	return do(p)
}

// An over is a writer to which the line on the terminal gives way.
type over struct {
	p *Progress
	w io.Writer
}

// Beneath is a writer to which the line of p gives way.
func Beneath(p *Progress, w io.Writer) io.Writer { return over{p, w} }

func (o over) Write(text []byte) (int, error) {
	o.p.mu.Lock()
	defer o.p.mu.Unlock()
	o.p.clear()
	return o.w.Write(text)
}

// During says what is being done from now on; "" means nothing, and the line on the terminal is
// free.
func (p *Progress) During(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.doing, p.doingSince, p.doingLines = what, p.Now(), 0
}

// Wait shows the stage that is being computed, if that has taken long: on a terminal
// each second, otherwise after 2, 20 and 200 seconds.
func (p *Progress) Wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	if p.closed || p.doing == "" {
		p.waitForStep(now)
		return
	}
	taken := now.Sub(p.doingSince)
	switch {
	case taken < Patient:
	case p.Terminal != nil:
		if now.Sub(p.shownAt) >= time.Second {
			p.draw(p.doing+"  elapsed "+Spell(taken), now)
		}
	case taken >= Patient*time.Duration(math.Pow10(p.doingLines)) && p.doingLines < 3:
		p.doingLines++
		fmt.Fprintf(p.w, "%s, elapsed %s\n", p.doing, Spell(taken))
	}
}

// waitForStep shows a step that takes long: without a terminal the first one, and others in which
// nothing is written for slowStep.
func (p *Progress) waitForStep(now time.Time) {
	if p.closed || p.start.IsZero() || p.taken >= p.steps {
		return
	}
	text := fmt.Sprintf("step %d of %d, elapsed %s", p.taken+1, p.steps, Spell(now.Sub(p.start)))
	switch silent := now.Sub(p.shownAt); {
	case now.Sub(p.steppedAt) < Patient:
	case p.Terminal != nil:
		if silent >= time.Second {
			p.draw(text, now)
		}
	case p.shown == p.first && p.doingLines == 0, silent >= slowStep:
		p.doingLines++
		p.shownAt = now
		fmt.Fprintln(p.w, text)
	}
}

// Begin writes the warnings and starts the clock. The number of steps depends on
// the data where several orders are sampled; a resumed run has taken some of them.
func (p *Progress) Begin(warnings []string, taken, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first, p.taken, p.shown, p.steps = taken, taken, taken, steps
	p.start = p.Now()
	p.doing, p.steppedAt, p.doingLines = "", p.start, 0
	if p.closed {
		return
	}
	p.clear()
	Warn(p.w, warnings)
	p.shownAt = p.start
}

// Warn writes a warning of its own, also where no progress is shown.
func (p *Progress) Warn(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.clear()
		Warn(p.w, []string{text})
	}
}

// Step says where the run is.
func (p *Progress) Step(s engine.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	if s.Doing != "" {
		p.doing, p.doingSince, p.doingLines = fmt.Sprintf("%s: %s", s.Engine, s.Doing), now, 0
		return
	}
	p.doing, p.steppedAt = "", now
	if p.start.IsZero() {
		return
	}
	p.taken, p.last = s.Step, s
	if p.closed || p.Quiet {
		return
	}
	if p.Terminal != nil {
		if now.Sub(p.shownAt) >= redraw {
			p.draw(StatusLine(p.status(now), p.width()), now)
		}
		return
	}
	if now.Sub(p.start) < FirstLine || p.shown > p.first && now.Sub(p.shownAt) < NextLine {
		return
	}
	p.shown, p.shownAt = p.taken, now
	st := p.status(now)
	fmt.Fprintf(p.w, "%s: step %d of %d, %s\n", st.What, p.taken, p.steps,
		strings.Join(append(st.convergence, st.Times), ", "))
}

// A Status is what a line of progress says.
type Status struct {
	What        string
	Taken, Of   int
	convergence []string
	Times       string
}

func (p *Progress) status(now time.Time) Status {
	taken := now.Sub(p.start)
	st := Status{What: p.last.Engine, Taken: p.taken, Of: p.steps, convergence: convergence(p.last)}
	left := time.Duration(float64(taken) * float64(p.steps-p.taken) / float64(p.taken-p.first))
	st.Times = "elapsed " + Spell(taken) + ", left " + Spell(left)
	return st
}

// convergence says in a few words how the sampling goes: for Markov chains split
// R̂ of the log density, the part of the proposals that are accepted, and the log density
// itself; for a training the ELBO or the loss; for SVGD the order that it samples under.
func convergence(s engine.Progress) (words []string) {
	if c := s.Chains; c != nil {
		if math.IsNaN(c.RHat) {
			words = append(words, "R-hat not yet known")
		} else {
			words = append(words, fmt.Sprintf("R-hat %.2f", c.RHat))
		}
		if !math.IsNaN(c.Acceptance) {
			words = append(words, fmt.Sprintf("accepted %.2f", c.Acceptance))
		}
		return append(words, fmt.Sprintf("log p %.1f", c.LogP))
	}
	if t := s.Training; t != nil && t.Quantity != "" {
		words = append(words, fmt.Sprintf("%s %.4g", t.Quantity, t.Value))
	}
	if s.Orders > 1 {
		words = append(words, fmt.Sprintf("order %d of %d", s.Order, s.Orders))
	}
	return words
}

// StatusLine is the line of a terminal of some columns. What has no room is left
// out: the bar first, then what says least.
func StatusLine(s Status, width int) string {
	percent := 0
	if s.Of > 0 {
		percent = 100 * s.Taken / s.Of
	}
	begin := fmt.Sprintf("%s %3d%%", s.What, percent)
	count := fmt.Sprintf("step %d of %d", s.Taken, s.Of)
	rest := append([]string{count}, s.convergence...)
	line := func(parts []string) string {
		return strings.Join(append(append([]string{begin}, parts...), s.Times), "  ")
	}
	for len(rest) > 0 && textWidth(line(rest)) > width-1 {
		rest = append(rest[:0:0], rest[:len(rest)-1]...)
	}
	text := line(rest)
	const shortest, widest = 10, 30
	if room := width - 1 - textWidth(text) - 4; len(rest) == 1+len(s.convergence) &&
		room >= shortest {
		room = min(room, widest)
		full := room * percent / 100
		bar := "[" + strings.Repeat("#", full) + strings.Repeat("-", room-full) + "]"
		text = strings.Join(append(append([]string{begin, bar}, rest...), s.Times), "  ")
	}
	if textWidth(text) > width-1 {
		text = begin
	}
	return text
}

// textWidth is the width of a text without combining or wide characters.
func textWidth(text string) int { return utf8.RuneCountInString(text) }

// Spell is a duration for a reader: 11 s, 4 min, 1 h 20 min.
func Spell(d time.Duration) string {
	switch s := d.Round(time.Second).Seconds(); {
	case math.IsNaN(s) || s < 0 || d > 1000*time.Hour:
		return "unknown"
	case d < 10*time.Second:
		return fmt.Sprintf("%.2g s", d.Seconds())
	case s < 100:
		return fmt.Sprintf("%.0f s", s)
	case s < 100*60:
		return fmt.Sprintf("%.0f min", d.Minutes())
	default:
		m := int(d.Minutes())
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
}

// width is that of the terminal, 80 if it does not say.
func (p *Progress) width() int {
	if width, ok := p.Terminal(); ok {
		return width
	}
	return 80
}

// draw replaces the line on the terminal. One that fails is no reason to stop.
func (p *Progress) draw(line string, now time.Time) {
	n := textWidth(line)
	if width := p.width(); n > width-1 {
		line, n = string([]rune(line)[:max(width-1, 0)]), width-1
	}
	fmt.Fprint(p.w, "\r", line, strings.Repeat(" ", max(p.drawn-n, 0)))
	p.drawn, p.shownAt = n, now
}

// clear removes the line on the terminal.
func (p *Progress) clear() {
	if p.drawn > 0 {
		fmt.Fprint(p.w, "\r", strings.Repeat(" ", p.drawn), "\r")
		p.drawn = 0
	}
}

// Begun reports whether there is a state to keep.
func (p *Progress) Begun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.start.IsZero()
}

// Close ends the display; later steps are counted but not shown.
func (p *Progress) Close() (taken, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.clear()
		close(p.done)
	}
	p.closed = true
	return p.taken, p.steps
}

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
	// which a terminal shows each second, with the time
	d.p.doing, d.p.doingSince = jobCounts(s), d.start
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
