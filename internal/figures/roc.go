package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tobac/internal/scene"
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
	area, error     float64   // mean and standard error of the area; NaN: unknown
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
	s := newSheet(r.Title, r.Note)
	if len(curves) <= scene.SeriesColours {
		s.oneROC(curves)
	} else {
		s.manyROC(curves)
	}
	return s.figure(r.Title, fmt.Sprintf("Rates of true against rates of false edges of %d methods.", len(curves))), nil
}

var rates = func() []float64 {
	out := make([]float64, rocSteps+1)
	for k := range out {
		out[k] = float64(k) / rocSteps
	}
	return out
}()

func meanROC(j *Judged) (rocCurve, error) {
	c := rocCurve{name: scene.Clean(j.Method)}
	if err := j.check(); err != nil {
		return c, err
	}
	runs := make([][]float64, len(j.Sets))
	areas := make([]float64, len(j.Sets))
	for k, set := range j.Sets {
		x, y := rocPoints(set)
		if x == nil {
			return c, fmt.Errorf("%s, data set %d: want pairs with and without an edge", j.Method, k+1)
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
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Probabilities[b], p.Probabilities[a]) })
	x, y = []float64{0}, []float64{0}
	hits, misses := 0.0, 0.0
	for k, at := range order {
		if p.Edges[at] {
			hits++
		} else {
			misses++
		}
		if k+1 == len(order) || p.Probabilities[order[k+1]] != p.Probabilities[at] { // equal ones have one threshold
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

func (s *sheet) rocPanel(left, top, side float64) *panel {
	unit := scale{axis: scene.Axis{High: 1}}
	p := &panel{sheet: s, left: left, top: top, right: left + side, bottom: top + side}
	p.x, p.y = unit.between(p.left, p.right), unit.between(p.bottom, p.top)
	p.x.beyond = panelGap/2 - 2
	return p
}

// chance draws the curve of guesses.
func (p *panel) chance() {
	m := scene.Rule(p.left, p.bottom, p.right, p.top, scene.Muted)
	m.Dashed = true
	p.Add(m)
}

// oneROC draws all curves in one panel, with a legend beside it.
func (s *sheet) oneROC(curves []rocCurve) {
	p := s.rocPanel(scene.Margin+48, s.y+6, 380)
	p.frame("")
	p.across("rate of false edges")
	p.up(true, "rate of true edges")
	p.chance()
	for k := range curves {
		p.band(rates, curves[k].low, curves[k].high, scene.Series(k))
	}
	order := make([]int, len(curves))
	for k := range curves {
		p.path(fromOrigin(rates), fromOrigin(curves[k].mean), scene.Series(k), 2, false, curves[k].name)
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(curves[b].area, curves[a].area) })
	x, y := p.right+16, p.top+10
	s.Add(scene.Words(x, y+4, noteText, scene.Start, scene.Muted, "area under the curve"))
	for _, k := range order {
		y += 24
		room := pageWidth - scene.Margin - x - sampleWidth - 6
		s.entry(entry{ink: scene.Series(k), line: true, text: scene.Shorten(curves[k].name, noteText, room)}, x, y)
		y += 15
		s.Add(scene.Words(x+sampleWidth+6, y+4, noteText, scene.Start, scene.Muted, curves[k].text()))
	}
	y += 26
	m := scene.Rule(x, y, x+sampleWidth, y, scene.Muted)
	m.Dashed = true
	s.Add(m, scene.Words(x+sampleWidth+6, y+4, noteText, scene.Start, scene.Muted, "guessing: 0.5"))
	s.y = math.Max(p.bottom+36, y+10)
}

// panelColumns is into how many columns so many panels go: a page has room for them, and lines are as even as they can be.
func panelColumns(panels int) int {
	most := 4
	if panels > 12 {
		most = 5
	}
	rows := (panels + most - 1) / most
	return (panels + rows - 1) / rows
}

// everyFifth has every fifth number, the first and the last among them: enough for curves
// in the background.
func everyFifth(x []float64) (out []float64) {
	for k := 0; k < len(x); k += 5 {
		out = append(out, x[k])
	}
	return out
}

// fromOrigin begins with zero, where curves rise before the first false edge.
func fromOrigin(x []float64) []float64 { return append([]float64{0}, x...) }

// manyROC draws a panel for each curve, with the others in grey.
func (s *sheet) manyROC(curves []rocCurve) {
	columns := panelColumns(len(curves))
	left := scene.Margin + 34
	side := (pageWidth-scene.Margin-left+panelGap)/float64(columns) - panelGap
	for k := range curves {
		row, column := k/columns, k%columns
		p := s.rocPanel(left+float64(column)*(side+panelGap), s.y+22+float64(row)*(side+58), side)
		p.frame(curves[k].name)
		p.across("")
		p.up(column == 0, "")
		p.chance()
		for i := range curves {
			if i != k {
				p.path(everyFifth(rates), everyFifth(curves[i].mean), scene.Hairline, 1, false, "")
			}
		}
		p.band(rates, curves[k].low, curves[k].high, scene.Series(0))
		p.path(fromOrigin(rates), fromOrigin(curves[k].mean), scene.Series(0), 2, false, curves[k].name)
		p.Add(scene.Words(p.right-6, p.bottom-8, noteText, scene.End, scene.Text, curves[k].text()))
	}
	s.y += 22 + float64((len(curves)+columns-1)/columns)*(side+58) - 18
	s.Add(scene.Words(pageWidth/2, s.y, noteText, scene.Middle, scene.Text, "across: rate of false edges; up: rate of true edges; in each panel the area under its curve"))
	s.y += 4
}
