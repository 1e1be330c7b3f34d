package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/internal/scene"
	"tobac/internal/words"

	"gonum.org/v1/gonum/mat"
)

// Sizes of charts.
const (
	chartWidth = 580.0
	rowHeight  = 26.0
	mostRows   = 40 // of a chart; the table has all
)

// drawAxis draws grid lines from top to bottom with their numbers below.
func drawAxis(s *scene.Scene, a scene.Axis, top, bottom float64, caption string) {
	for _, v := range a.Ticks() {
		m := scene.Rule(a.At(v), top, a.At(v), bottom, scene.Hairline)
		m.Width = 0.6
		s.Add(m, scene.Words(a.At(v), bottom+15, 11, scene.Middle, scene.Muted, scene.TickText(v)))
	}
	s.Add(scene.Words((a.From+a.To)/2, bottom+32, 12, scene.Middle, scene.Muted, caption))
}

// A row of a chart: a name on the left, a text on the right, and marks between.
type row struct {
	name, value, tip string
	draw             func(s *scene.Scene, y float64)
}

// drawRows draws rows between the axis' ends and returns the bottom.
func drawRows(s *scene.Scene, rows []row, a scene.Axis, top float64) float64 {
	for k, r := range rows {
		y := top + (float64(k)+0.5)*rowHeight
		if k%2 == 0 {
			s.Add(scene.Box(scene.Margin, y-rowHeight/2, s.Width-2*scene.Margin, rowHeight, 3,
				scene.Panel, scene.None))
		}
		name := scene.Words(a.From-12, y+4, 12, scene.End, scene.Text, r.name)
		name.Tip = r.tip
		s.Add(name, scene.Words(a.To+14, y+4, 12, scene.Start, scene.Text, r.value))
	}
	return top + float64(len(rows))*rowHeight
}

// columnsOf is the room that names and values of rows need.
func columnsOf(rows []row) (left, right float64) {
	for _, r := range rows {
		left, right = math.Max(left, scene.TextWidth(r.name, 12, false)),
			math.Max(right, scene.TextWidth(r.value, 12, false))
	}
	return scene.Margin + left + 16, scene.Margin + right + 18
}

// chart draws rows over an axis from low to high; limits are vertical lines.
func chart(rows []row, low, high float64, caption string, limits ...float64) *scene.Scene {
	left, right := columnsOf(rows)
	s := &scene.Scene{Width: math.Max(chartWidth, left+right+260)}
	a := scene.Axis{Low: low, High: high, From: left, To: s.Width - right}
	top := scene.Margin
	bottom := drawRows(s, rows, a, top)
	drawAxis(s, a, top, bottom, caption)
	for _, v := range limits {
		m := scene.Rule(a.At(v), top, a.At(v), bottom, scene.Limit)
		m.Width, m.Dashed = 1.4, true
		s.Add(m)
	}
	for k, r := range rows {
		first := len(s.Marks)
		r.draw(s, top+(float64(k)+0.5)*rowHeight)
		for m := first; m < len(s.Marks); m++ { // marks of rows are in units of the axis
			for i := range s.Marks[m].Points {
				s.Marks[m].Points[i].X = a.At(s.Marks[m].Points[i].X)
			}
			s.Marks[m].Tip = r.tip
		}
	}
	s.Height = bottom + 44
	return s
}

// pairName names an edge in a row.
func pairName(from, to string) string {
	return scene.Shorten(scene.Clean(from), 12, 110) + " → " +
		scene.Shorten(scene.Clean(to), 12, 110)
}

// effectsChart draws effects with intervals on the scale of standard deviations, the most
// certain ones; nil without standard deviations.
func (c *Content) effectsChart(effects []Effect) *scene.Scene {
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
		interval := !math.IsNaN(lower) && !math.IsNaN(upper) && !math.IsInf(lower, 0) &&
			!math.IsInf(upper, 0)
		low, high = math.Min(low, mean), math.Max(high, mean)
		if interval {
			low, high = math.Min(low, lower), math.Max(high, upper)
		}
		colour := scene.Uncertain
		switch {
		case interval && lower > 0:
			colour = scene.Positive
		case interval && upper < 0:
			colour = scene.Negative
		}
		rows = append(rows, row{name: pairName(e.From, e.To), value: intervalText(&e),
			tip: effectTip(&e), draw: func(s *scene.Scene, y float64) {
				if interval {
					s.Add(scene.Mark{Shape: scene.Line, Points: []scene.Point{scene.At(lower, y),
						scene.At(upper, y)}, Stroke: colour, Width: 3})
				}
				s.Add(scene.Mark{Shape: scene.Circle, Points: []scene.Point{scene.At(mean, y)},
					Size: 5,
					Fill: colour, Stroke: scene.Paper, Width: 1})
			}})
	}
	if len(rows) == 0 {
		return nil
	}
	pad := 0.04 * (high - low)
	return chart(rows, low-pad, high+pad, "standard deviations of the effect for one of the cause",
		0)
}

func intervalText(e *Effect) string {
	if math.IsNaN(e.Lower) || math.IsNaN(e.Upper) {
		return scene.Significant(e.Mean, 3)
	}
	return scene.Significant(e.Mean, 3) + " [" + scene.Significant(e.Lower, 3) + ", " +
		scene.Significant(e.Upper, 3) + "]"
}

func effectTip(e *Effect) string {
	return fmt.Sprintf("one unit more of %s changes %s by %s; any effect: %s", scene.Clean(e.From),
		scene.Clean(e.To), intervalText(e), scene.Percent(e.PathProbability))
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
		return cmp.Or(cmp.Compare(b.PathProbability, a.PathProbability),
			cmp.Compare(ratio(&b), ratio(&a)), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return out
}

// goodRHat is the R̂ up to which chains count as agreeing.
const goodRHat = 1.1

// convergenceChart draws R̂ of each quantity; nil if none is known.
func (c *Content) convergenceChart() *scene.Scene {
	var rows []row
	high := 1.2
	for _, q := range c.Convergence.Rows {
		if math.IsNaN(q.RHat) || math.IsInf(q.RHat, 0) {
			continue
		}
		high = math.Max(high, q.RHat+0.05)
		colour := scene.Positive
		if q.RHat > goodRHat {
			colour = scene.Negative
		}
		rows = append(rows, row{name: scene.Shorten(scene.Clean(q.Quantity), 12, 240),
			value: fmt.Sprintf("%.3f", q.RHat),
			tip: fmt.Sprintf("%s: R̂ %.3f, effective sample size %.0f", scene.Clean(q.Quantity),
				q.RHat, q.ESS),
			draw: func(s *scene.Scene, y float64) {
				s.Add(scene.Mark{Shape: scene.Circle, Points: []scene.Point{scene.At(q.RHat, y)},
					Size: 5, Fill: colour})
			}})
	}
	if len(rows) == 0 {
		return nil
	}
	if len(rows) > mostRows {
		rows = rows[:mostRows]
	}
	return chart(rows, 0.99, high, "R̂: 1 means that the chains agree; the red line is the limit",
		goodRHat)
}

// fitChart draws R² of each column that has parents; nil without.
func (c *Content) fitChart() *scene.Scene {
	var rows []row
	for _, f := range c.Fit {
		value := f.R2
		if math.IsNaN(value) || len(f.Parents) == 0 {
			continue
		}
		value = math.Max(0, value)
		rows = append(rows, row{name: scene.Shorten(scene.Clean(f.Name), 12, 180),
			value: scene.Percent(value), tip: fmt.Sprintf("%s: parents explain %s of its variance",
				scene.Clean(f.Name), scene.Percent(value)),
			draw: func(s *scene.Scene, y float64) {
				s.Add(scene.Mark{Shape: scene.Rectangle, Points: []scene.Point{scene.At(0, y-7),
					scene.At(value, y+7)}, Fill: scene.Accent})
			}})
	}
	if len(rows) == 0 {
		return nil
	}
	rows = rows[:min(len(rows), mostRows)]
	return chart(rows, 0, 1,
		"R²: the part of a column's variance that its most probable parents explain")
}

// countChart draws the distribution of the number of edges as bars; nil if unknown.
func (c *Content) countChart() *scene.Scene {
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
	s := &scene.Scene{Width: math.Min(chartWidth,
		math.Max(320, left+scene.Margin+float64(last-first+1)*34)), Height: height + 60}
	across := scene.Axis{Low: float64(first) - 0.5, High: float64(last) + 0.5, From: left,
		To: s.Width - scene.Margin}
	up := scene.Axis{Low: 0, High: top * 1.08, From: scene.Margin + height, To: scene.Margin}
	for _, v := range up.Ticks() {
		m := scene.Rule(left, up.At(v), s.Width-scene.Margin, up.At(v), scene.Hairline)
		m.Width = 0.6
		s.Add(m, scene.Words(left-8, up.At(v)+4, 11, scene.End, scene.Muted,
			scene.TickText(100*v)+" %"))
	}
	every := max(1, (last-first)/15)
	for k := first; k <= last; k++ {
		x, w := across.At(float64(k)-0.4), across.At(float64(k)+0.4)-across.At(float64(k)-0.4)
		m := scene.Box(x, up.At(c.EdgeCounts[k]), w, up.At(0)-up.At(c.EdgeCounts[k]), 2,
			scene.Accent, scene.None)
		m.Tip = fmt.Sprintf("%s: %s", words.Counted(k, "edge"), scene.Percent(c.EdgeCounts[k]))
		s.Add(m)
		if (k-first)%every == 0 {
			s.Add(scene.Words(across.At(float64(k)), up.At(0)+16, 11, scene.Middle, scene.Muted,
				strconv.Itoa(k)))
		}
	}
	s.Add(scene.Words((left+s.Width-scene.Margin)/2, height+scene.Margin+36, 12, scene.Middle,
		scene.Muted, "number of edges"))
	return s
}

// mostCells are the variables that heat maps have at most, those with the surest relations.
const mostCells = 60

// shown are the variables that heat maps have: all, or those with the greatest adjacency
// to any other, in the sequence of the columns.
func (c *Content) shown(all []relation) []int {
	best := make([]float64, len(c.Names))
	order := make([]int, len(c.Names))
	for v := range order {
		order[v] = v
	}
	if len(order) <= mostCells {
		return order
	}
	for _, r := range all {
		best[r.from], best[r.to] = math.Max(best[r.from], r.adjacent),
			math.Max(best[r.to], r.adjacent)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(best[b], best[a]) })
	kept := order[:mostCells]
	slices.Sort(kept)
	return kept
}

func (c *Content) adjacencyMap(variables []int) *scene.Scene {
	p := c.Marginals.Probabilities
	h := scene.HeatMap{Names: c.Names, Variables: variables, Fill: scene.Heat, On: scene.HeatText,
		Value: func(i, j int) float64 { return math.Min(1, p.At(i, j)+p.At(j, i)) }}
	h.Tip = func(i, j int) string {
		return fmt.Sprintf("%s — %s related: %s", scene.Clean(c.Names[i]), scene.Clean(c.Names[j]),
			scene.Percent(h.Value(i, j)))
	}
	return h.Draw()
}

// leastRelated is the adjacency from which the direction given adjacency is drawn: what
// hardly ever is there has no direction worth a look.
const leastRelated = 0.05

func (c *Content) directionMap(variables []int) *scene.Scene {
	p := c.Marginals.Probabilities
	h := scene.HeatMap{Names: c.Names, Variables: variables, Fill: scene.Turn, On: scene.TurnText,
		Rows: "cause", Columns: "effect"}
	h.Value = func(i, j int) float64 {
		if both := p.At(i, j) + p.At(j, i); both >= leastRelated {
			return p.At(i, j) / both
		}
		return math.NaN()
	}
	h.Tip = func(i, j int) string {
		return fmt.Sprintf("%s → %s: %s, if they are related", scene.Clean(c.Names[i]),
			scene.Clean(c.Names[j]), scene.Percent(h.Value(i, j)))
	}
	return h.Draw()
}

func (c *Content) matrixMap(m *mat.Dense, variables []int, rows, columns string,
	tip func(from, to, p string) string) *scene.Scene {
	h := scene.HeatMap{Names: c.Names, Variables: variables, Fill: scene.Heat, On: scene.HeatText,
		Rows: rows, Columns: columns, Value: func(i, j int) float64 {
			return math.Min(1, m.At(i, j))
		}}
	h.Tip = func(i, j int) string {
		return tip(scene.Clean(c.Names[i]), scene.Clean(c.Names[j]), scene.Percent(m.At(i, j)))
	}
	return h.Draw()
}
