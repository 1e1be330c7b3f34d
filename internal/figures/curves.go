package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Curves are learning curves: a number along steps or iterations, the mean over runs with a
// band of one standard error either way. At most fourteen series have a look of their own.
type Curves struct {
	Title, Note string
	X, Y        string // captions of the axes
	LogX, LogY  bool
	Series      []Series
	Level       *float64 // a line; nil means none
	LevelName   string
}

// A Series is one curve of each run over the same X, which ascends. NaN means not measured, and
// so is what has no place on a logarithmic axis.
type Series struct {
	Name string
	X    []float64
	Runs [][]float64
}

const mostSeries = 2 * len(seriesColours)

func (c *Curves) check() error {
	if len(c.Series) == 0 || len(c.Series) > mostSeries {
		return fmt.Errorf("got %d series, want 1 to %d", len(c.Series), mostSeries)
	}
	for _, s := range c.Series {
		if len(s.X) == 0 || len(s.Runs) == 0 {
			return fmt.Errorf("%s: got %d places and %d runs, want at least one of each", s.Name,
				len(s.X), len(s.Runs))
		}
		for k, x := range s.X {
			if missing(x) || k > 0 && x <= s.X[k-1] {
				return fmt.Errorf("%s: place %d is %g, want numbers that ascend", s.Name, k+1, x)
			}
		}
		for k, run := range s.Runs {
			if len(run) != len(s.X) {
				return fmt.Errorf("%s, run %d: got %d values for %d places", s.Name, k+1, len(run),
					len(s.X))
			}
		}
	}
	if c.Level != nil && (missing(*c.Level) || c.LogY && *c.Level <= 0) {
		return fmt.Errorf("got level %g", *c.Level)
	}
	return nil
}

// Draw draws the figure.
func (c Curves) Draw() (*Figure, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("curves: %w", err)
	}
	s := sheet{title: c.Title, note: c.Note, columns: 1, high: 300}
	p := newPanel("")
	p.X.Label.Text, p.Y.Label.Text = c.X, c.Y
	if c.LogX {
		logarithmic(&p.X)
	}
	if c.LogY {
		logarithmic(&p.Y)
	}
	rules(p, true)
	place := func(v float64, log bool) bool { return !missing(v) && (!log || v > 0) }
	for k, one := range c.Series {
		mean, low, high := meanBand(one.Runs, len(one.X))
		dashed := k/len(seriesColours)%2 == 1
		// Lines break where a number has no place.
		for from := 0; from < len(mean); {
			to := from
			for to < len(mean) && place(one.X[to], c.LogX) && place(low[to], c.LogY) &&
				place(mean[to], c.LogY) {
				to++
			}
			var points plotter.XYs
			for i := from; i < to; i++ {
				points = append(points, plotter.XY{X: one.X[i], Y: mean[i]})
			}
			if len(points) > 0 {
				band(p, one.X[from:to], low[from:to], high[from:to], colourOf(k))
				lined(p, points, colourOf(k), 1.6, dashed)
			}
			from = to + 1
		}
		s.legend = append(s.legend,
			entry{lined(newPanel(""), nil, colourOf(k), 1.6, dashed), one.Name})
	}
	if p.X.Min > p.X.Max || p.Y.Min > p.Y.Max { // nothing to draw
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, 10, 1, 10
	}
	if c.Level != nil {
		s.legend = append(s.legend,
			entry{lined(p, plotter.XYs{{X: p.X.Min, Y: *c.Level}, {X: p.X.Max, Y: *c.Level}}, limit,
				1.2, true), c.LevelName})
	}
	s.panels = []*plot.Plot{p}
	return s.figure(fmt.Sprintf("%s along %s, %d series.", c.Y, c.X, len(c.Series))), nil
}
