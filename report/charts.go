package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Sizes of charts.
const (
	chartWidth = 580.0
	rowHeight  = 26.0
	mostRows   = 40 // of a chart; the table has all
)

// An axis maps numbers to pixels.
type axis struct{ low, high, from, to float64 }

func (a axis) at(v float64) float64 { return a.from + (v-a.low)/(a.high-a.low)*(a.to-a.from) }

// ticks are round numbers within the axis, about five of them.
func (a axis) ticks() []float64 {
	step := math.Pow(10, math.Floor(math.Log10(a.high-a.low)))
	for _, part := range []float64{0.1, 0.2, 0.5, 1} {
		if (a.high-a.low)/(part*step) <= 7 {
			step *= part
			break
		}
	}
	var out []float64
	for k := math.Ceil(a.low/step - 1e-9); k*step <= a.high+1e-9*step; k++ {
		out = append(out, k*step)
	}
	return out
}

func tickText(v float64) string {
	return minus(strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'g', 6, 64))
}

// drawAxis draws grid lines from top to bottom with their numbers below.
func (s *scene) drawAxis(a axis, top, bottom float64, caption string) {
	for _, v := range a.ticks() {
		m := rule(a.at(v), top, a.at(v), bottom, hairline)
		m.width = 0.6
		s.add(m, words(a.at(v), bottom+15, 11, middle, muted, tickText(v)))
	}
	s.add(words((a.from+a.to)/2, bottom+32, 12, middle, muted, caption))
}

// A row of a chart: a name on the left, a text on the right, and marks between.
type row struct {
	name, value, tip string
	draw             func(s *scene, y float64)
}

// drawRows draws rows between the axis' ends and returns the bottom.
func (s *scene) drawRows(rows []row, a axis, top float64) float64 {
	for k, r := range rows {
		y := top + (float64(k)+0.5)*rowHeight
		if k%2 == 0 {
			s.add(box(margin, y-rowHeight/2, s.width-2*margin, rowHeight, 3, panel, none))
		}
		name := words(a.from-12, y+4, 12, end, text, r.name)
		name.tip = r.tip
		s.add(name, words(a.to+14, y+4, 12, start, text, r.value))
	}
	return top + float64(len(rows))*rowHeight
}

// columnsOf is the room that names and values of rows need.
func columnsOf(rows []row) (left, right float64) {
	for _, r := range rows {
		left, right = math.Max(left, textWidth(r.name, 12, false)), math.Max(right, textWidth(r.value, 12, false))
	}
	return margin + left + 16, margin + right + 18
}

// chart draws rows over an axis from low to high; limits are vertical lines.
func chart(rows []row, low, high float64, caption string, limits ...float64) *scene {
	left, right := columnsOf(rows)
	s := &scene{width: math.Max(chartWidth, left+right+260)}
	a := axis{low, high, left, s.width - right}
	top := margin
	bottom := s.drawRows(rows, a, top)
	s.drawAxis(a, top, bottom, caption)
	for _, v := range limits {
		m := rule(a.at(v), top, a.at(v), bottom, limit)
		m.width, m.dashed = 1.4, true
		s.add(m)
	}
	for k, r := range rows {
		first := len(s.marks)
		r.draw(s, top+(float64(k)+0.5)*rowHeight)
		for m := first; m < len(s.marks); m++ { // marks of rows are in units of the axis
			for i := range s.marks[m].points {
				s.marks[m].points[i].x = a.at(s.marks[m].points[i].x)
			}
			s.marks[m].tip = r.tip
		}
	}
	s.height = bottom + 44
	return s
}

// pairName names an edge in a row.
func pairName(from, to string) string {
	return shorten(clean(from), 12, 110) + " → " + shorten(clean(to), 12, 110)
}

// effectsChart draws effects with intervals on the scale of standard deviations, the most
// certain ones; nil without standard deviations.
func (c *Content) effectsChart(effects []Effect) *scene {
	if c.SD == nil || len(effects) == 0 {
		return nil
	}
	at := map[string]int{}
	for k, name := range c.Names {
		at[name] = k
	}
	var rows []row
	low, high := -0.1, 0.1
	for _, e := range effects[:min(mostRows, len(effects))] {
		scale := c.SD[at[e.From]] / c.SD[at[e.To]]
		mean, lower, upper := e.Mean*scale, e.Lower*scale, e.Upper*scale
		if math.IsNaN(mean) || math.IsInf(mean, 0) {
			continue
		}
		interval := !math.IsNaN(lower) && !math.IsNaN(upper) && !math.IsInf(lower, 0) && !math.IsInf(upper, 0)
		low, high = math.Min(low, mean), math.Max(high, mean)
		if interval {
			low, high = math.Min(low, lower), math.Max(high, upper)
		}
		colour := uncertain
		switch {
		case interval && lower > 0:
			colour = positive
		case interval && upper < 0:
			colour = negative
		}
		rows = append(rows, row{name: pairName(e.From, e.To), value: intervalText(&e), tip: effectTip(&e), draw: func(s *scene, y float64) {
			if interval {
				s.add(mark{shape: line, points: []point{{lower, y}, {upper, y}}, stroke: colour, width: 3})
			}
			s.add(mark{shape: circle, points: []point{{mean, y}}, size: 5, fill: colour, stroke: paper, width: 1})
		}})
	}
	if len(rows) == 0 {
		return nil
	}
	pad := 0.04 * (high - low)
	return chart(rows, low-pad, high+pad, "standard deviations of the effect for one of the cause", 0)
}

func intervalText(e *Effect) string {
	if math.IsNaN(e.Lower) || math.IsNaN(e.Upper) {
		return significant(e.Mean, 3)
	}
	return significant(e.Mean, 3) + " [" + significant(e.Lower, 3) + ", " + significant(e.Upper, 3) + "]"
}

func effectTip(e *Effect) string {
	return fmt.Sprintf("one unit more of %s changes %s by %s; any effect: %s", clean(e.From), clean(e.To), intervalText(e), percent(e.PathProbability))
}

// strongest sorts effects by how sure it is that there is one, then by their size against
// their standard deviation, then by names.
func strongest(effects []Effect) []Effect {
	ratio := func(e *Effect) float64 {
		if math.IsNaN(e.Mean) || math.IsNaN(e.SD) || e.SD <= 0 {
			return 0
		}
		return math.Abs(e.Mean) / e.SD
	}
	out := slices.Clone(effects)
	slices.SortStableFunc(out, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(b.PathProbability, a.PathProbability), cmp.Compare(ratio(&b), ratio(&a)), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return out
}

// goodRHat is the R̂ up to which chains count as agreeing.
const goodRHat = 1.1

// convergenceChart draws R̂ of each quantity; nil if none is known.
func (c *Content) convergenceChart() *scene {
	var rows []row
	high := 1.2
	for _, q := range c.Convergence.Rows {
		if math.IsNaN(q.RHat) || math.IsInf(q.RHat, 0) {
			continue
		}
		high = math.Max(high, q.RHat+0.05)
		colour := positive
		if q.RHat > goodRHat {
			colour = negative
		}
		rows = append(rows, row{name: shorten(clean(q.Quantity), 12, 240), value: fmt.Sprintf("%.3f", q.RHat), tip: fmt.Sprintf("%s: R̂ %.3f, worth %.0f independent samples", clean(q.Quantity), q.RHat, q.ESS),
			draw: func(s *scene, y float64) {
				s.add(mark{shape: circle, points: []point{{q.RHat, y}}, size: 5, fill: colour})
			}})
	}
	if len(rows) == 0 {
		return nil
	}
	if len(rows) > mostRows {
		rows = rows[:mostRows]
	}
	return chart(rows, 0.99, high, "R̂: 1 means that the chains agree; the red line is the limit", goodRHat)
}

// fitChart draws R² of each column that has parents; nil without.
func (c *Content) fitChart() *scene {
	var rows []row
	for _, f := range c.Fit {
		value := f.R2
		if math.IsNaN(value) || len(f.Parents) == 0 {
			continue
		}
		value = math.Max(0, value)
		rows = append(rows, row{name: shorten(clean(f.Name), 12, 180), value: percent(value), tip: fmt.Sprintf("%s: parents explain %s of its variance", clean(f.Name), percent(value)),
			draw: func(s *scene, y float64) {
				s.add(mark{shape: rectangle, points: []point{{0, y - 7}, {value, y + 7}}, fill: accent})
			}})
	}
	if len(rows) == 0 {
		return nil
	}
	rows = rows[:min(len(rows), mostRows)]
	return chart(rows, 0, 1, "R²: the part of a column's variance that its most probable parents explain")
}

// countChart draws the distribution of the number of edges as bars; nil if unknown.
func (c *Content) countChart() *scene {
	first, last := -1, -1
	top := 0.0
	for k, p := range c.EdgeCounts {
		if p >= 0.0005 {
			if first < 0 {
				first = k
			}
			last = k
		}
		top = math.Max(top, p)
	}
	if first < 0 {
		return nil
	}
	const height, left = 200.0, 56.0
	s := &scene{width: math.Min(chartWidth, math.Max(320, left+margin+float64(last-first+1)*34)), height: height + 60}
	across := axis{float64(first) - 0.5, float64(last) + 0.5, left, s.width - margin}
	up := axis{0, top * 1.08, margin + height, margin}
	for _, v := range up.ticks() {
		m := rule(left, up.at(v), s.width-margin, up.at(v), hairline)
		m.width = 0.6
		s.add(m, words(left-8, up.at(v)+4, 11, end, muted, tickText(100*v)+" %"))
	}
	every := max(1, (last-first)/15)
	for k := first; k <= last; k++ {
		x, w := across.at(float64(k)-0.4), across.at(float64(k)+0.4)-across.at(float64(k)-0.4)
		m := box(x, up.at(c.EdgeCounts[k]), w, up.at(0)-up.at(c.EdgeCounts[k]), 2, accent, none)
		m.tip = fmt.Sprintf("%s: %s", counted(k, "edge"), percent(c.EdgeCounts[k]))
		s.add(m)
		if (k-first)%every == 0 {
			s.add(words(across.at(float64(k)), up.at(0)+16, 11, middle, muted, strconv.Itoa(k)))
		}
	}
	s.add(words((left+s.width-margin)/2, height+margin+36, 12, middle, muted, "number of edges"))
	return s
}
