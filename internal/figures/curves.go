package figures

import (
	"fmt"
	"math"

	"tobac/internal/scene"
)

// Curves are learning curves: a number along steps or iterations, the mean over runs with a
// band of one standard error either way. At most fourteen series have a look of their own.
type Curves struct {
	Title, Note string
	X, Y        string // captions of the axes
	LogX, LogY  bool
	Series      []Series
	Level       *float64 // a line; nil: none
	LevelName   string
}

// A Series is one curve of each run over the same X, which ascends. NaN: not measured, and
// so is what has no place on a logarithmic axis.
type Series struct {
	Name string
	X    []float64
	Runs [][]float64
}

const mostSeries = 2 * scene.SeriesColours

func (c *Curves) check() error {
	if len(c.Series) == 0 || len(c.Series) > mostSeries {
		return fmt.Errorf("got %d series, want 1 to %d", len(c.Series), mostSeries)
	}
	for _, s := range c.Series {
		if len(s.X) == 0 || len(s.Runs) == 0 {
			return fmt.Errorf("%s: got %d places and %d runs, want at least one of each", s.Name, len(s.X), len(s.Runs))
		}
		for k, x := range s.X {
			if missing(x) || k > 0 && x <= s.X[k-1] {
				return fmt.Errorf("%s: place %d is %g, want numbers that ascend", s.Name, k+1, x)
			}
		}
		for k, run := range s.Runs {
			if len(run) != len(s.X) {
				return fmt.Errorf("%s, run %d: got %d values for %d places", s.Name, k+1, len(run), len(s.X))
			}
		}
	}
	if c.Level != nil && (missing(*c.Level) || c.LogY && *c.Level <= 0) {
		return fmt.Errorf("got level %g", *c.Level)
	}
	return nil
}

// A bound collects the range of numbers that have a place.
type bound struct{ low, high float64 }

func newBound() bound { return bound{math.Inf(1), math.Inf(-1)} }

func (b *bound) add(v float64, log bool) {
	if !missing(v) && (!log || v > 0) {
		b.low, b.high = math.Min(b.low, v), math.Max(b.high, v)
	}
}

// scale spans the range; from 1 to 10 where it is empty.
func (b *bound) scale(log bool) scale {
	if b.low > b.high {
		return span(1, 10, log)
	}
	return span(b.low, b.high, log)
}

// Draw draws the figure.
func (c Curves) Draw() (*Figure, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("curves: %w", err)
	}
	s := newSheet(c.Title, c.Note)
	means, lows, highs := make([][]float64, len(c.Series)), make([][]float64, len(c.Series)), make([][]float64, len(c.Series))
	across, up := newBound(), newBound()
	for k, one := range c.Series {
		means[k], lows[k], highs[k] = meanBand(one.Runs, len(one.X))
		for i := range one.X {
			if scale := (scale{log: c.LogX}); scale.has(one.X[i]) {
				across.add(one.X[i], c.LogX)
				for _, v := range []float64{lows[k][i], means[k][i], highs[k][i]} {
					up.add(v, c.LogY)
				}
			}
		}
	}
	var entries []entry
	if c.Level != nil {
		up.add(*c.Level, c.LogY)
	}
	p := &panel{sheet: s, left: scene.Margin + 66, top: s.y + 6, right: pageWidth - scene.Margin - 10}
	p.bottom = p.top + 340
	p.x, p.y = across.scale(c.LogX).between(p.left, p.right), up.scale(c.LogY).between(p.bottom, p.top)
	p.x.beyond = 22
	if !c.LogX && across.low < across.high { // curves begin and end at the sides
		p.x.axis.Low, p.x.axis.High = across.low, across.high
	}
	p.frame("")
	p.across(scene.Clean(c.X))
	p.up(true, scene.Clean(c.Y))
	if c.Level != nil {
		p.level(*c.Level)
	}
	for k, one := range c.Series {
		ink, _ := style(k)
		p.band(one.X, lows[k], highs[k], ink)
	}
	for k, one := range c.Series {
		ink, dashed := style(k)
		p.path(one.X, means[k], ink, 2, dashed, scene.Clean(one.Name))
		entries = append(entries, entry{ink: ink, dashed: dashed, line: true, text: scene.Clean(one.Name)})
	}
	if c.Level != nil {
		entries = append(entries, entry{ink: scene.Limit, dashed: true, line: true, text: scene.Clean(c.LevelName)})
	}
	s.y = p.bottom + 38
	s.legend(entries)
	return s.figure(c.Title, fmt.Sprintf("%s along %s, %d series.", c.Y, c.X, len(c.Series))), nil
}
