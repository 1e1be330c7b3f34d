package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// ROC are receiver operating characteristics: the rate of true edges against that of false
// ones over all thresholds, the mean over data sets at each rate of false ones, with a band
// of one standard error either way; in the legend the area under the curve, mean ± standard
// error. More than seven methods get a panel each, with the others in grey.
type ROC struct {
	Title, Note string
	Methods     []Judged
}

// rocSteps is in how many parts the rates of false edges are cut.
const rocSteps = 200

// A rocCurve is the mean curve of a method.
type rocCurve struct {
	name            string
	mean, low, high []float64 // at multiples of 1/rocSteps
	area, error     float64   // mean and standard error of the area; NaN means unknown
}

// Draw draws the figure. A data set needs an edge and a pair without one.
func (r ROC) Draw() (*Figure, error) {
	if len(r.Methods) == 0 {
		return nil, fmt.Errorf("ROC curves: no methods")
	}
	curves := make([]rocCurve, len(r.Methods))
	for k := range r.Methods {
		var err error
		if curves[k], err = meanROC(&r.Methods[k]); err != nil {
			return nil, fmt.Errorf("ROC curves: %w", err)
		}
	}
	s := sheet{title: r.Title, note: r.Note, columns: 1, high: 330}
	order := make([]int, len(curves))
	for k := range order {
		order[k] = k
	}
	if len(curves) <= len(seriesColours) {
		p := unitPanel("")
		p.X.Label.Text, p.Y.Label.Text = "rate of false edges", "rate of true edges"
		samples := make([]entry, len(curves))
		for k, c := range curves {
			band(p, rates, c.low, c.high, colourOf(k))
			samples[k] = entry{lined(p, c.points(), colourOf(k), 1.6, false),
				c.name + ", area " + c.text()}
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(curves[b].area, curves[a].area)
		})
		for _, k := range order {
			s.legend = append(s.legend, samples[k])
		}
		s.panels = []*plot.Plot{p}
	} else {
		s.columns, s.high, s.caption = columnsOf(len(curves), 4), 165, "across: rate of false "+
			"edges; up: rate of true edges; below each panel the area under its curve"
		for k, c := range curves {
			p := unitPanel(c.name)
			p.X.Label.Text = c.text()
			for i, other := range curves {
				if i != k {
					lined(p, other.points(), faint, 0.7, false)
				}
			}
			band(p, rates, c.low, c.high, colourOf(0))
			lined(p, c.points(), colourOf(0), 1.6, false)
			s.panels = append(s.panels, p)
		}
	}
	return s.figure(fmt.Sprintf("Rates of true against rates of false edges of %d methods.",
		len(curves))), nil
}

// unitPanel is a panel from 0 to 1 either way with the curve of guesses.
func unitPanel(name string) *plot.Plot {
	p := newPanel(name)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	lined(p, plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}, muted, 0.7, true)
	return p
}

// points are those of the mean curve, from the origin on, where it rises before the first false
// edge.
func (c *rocCurve) points() plotter.XYs {
	points := plotter.XYs{{}}
	for k, y := range c.mean {
		points = append(points, plotter.XY{X: rates[k], Y: y})
	}
	return points
}

var rates = func() []float64 {
	out := make([]float64, rocSteps+1)
	for k := range out {
		out[k] = float64(k) / rocSteps
	}
	return out
}()

func meanROC(j *Judged) (rocCurve, error) {
	c := rocCurve{name: j.Method}
	if err := j.check(); err != nil {
		return c, err
	}
	runs := make([][]float64, len(j.Sets))
	areas := make([]float64, len(j.Sets))
	for k, set := range j.Sets {
		x, y := rocPoints(set)
		if x == nil {
			return c, fmt.Errorf("%s, data set %d: want pairs with and without an edge", j.Method,
				k+1)
		}
		for i := 1; i < len(x); i++ {
			areas[k] += (x[i] - x[i-1]) * (y[i] + y[i-1]) / 2
		}
		runs[k] = alongRates(x, y)
	}
	c.mean, c.low, c.high = meanBand(runs, rocSteps+1)
	for k := range c.mean {
		c.low[k], c.high[k] = math.Max(0, c.low[k]), math.Min(1, c.high[k])
	}
	c.area, c.error = meanError(areas)
	return c, nil
}

// rocPoints are the rates of false (x) and of true (y) edges at each threshold from above,
// from (0, 0) to (1, 1); nil without both kinds of pairs.
func rocPoints(p Predictions) (x, y []float64) {
	order := make([]int, len(p.Edges))
	edges := 0.0
	for k := range order {
		order[k] = k
		if p.Edges[k] {
			edges++
		}
	}
	others := float64(len(order)) - edges
	if edges == 0 || others == 0 {
		return nil, nil
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(p.Probabilities[b], p.Probabilities[a])
	})
	x, y = []float64{0}, []float64{0}
	hits, misses := 0.0, 0.0
	for k, at := range order {
		if p.Edges[at] {
			hits++
		} else {
			misses++
		}
		// equal ones have one threshold
		if k+1 == len(order) || p.Probabilities[order[k+1]] != p.Probabilities[at] {
			x, y = append(x, misses/others), append(y, hits/edges)
		}
	}
	return x, y
}

// alongRates are the greatest rates of true edges at each of the rates of false ones.
func alongRates(x, y []float64) []float64 {
	out := make([]float64, len(rates))
	at := 0
	for k, rate := range rates {
		for at+1 < len(x) && x[at+1] <= rate {
			at++
		}
		out[k] = y[at]
		if at+1 < len(x) && x[at] < rate {
			out[k] += (rate - x[at]) / (x[at+1] - x[at]) * (y[at+1] - y[at])
		}
	}
	return out
}

func (c *rocCurve) text() string {
	text := fmt.Sprintf("%.3f", c.area)
	if !math.IsNaN(c.error) {
		text += fmt.Sprintf(" ± %.3f", c.error)
	}
	return text
}
