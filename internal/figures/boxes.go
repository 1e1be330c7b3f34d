package figures

import (
	"fmt"
	"math"
	"slices"

	"tobac/internal/scene"
)

// Boxes are box plots, a row for each method and a panel for each group, as the paper's
// figures have them: the box from the lower to the upper quartile with the median, whiskers
// to the most extreme values within one and a half lengths of the box, circles beyond. Fewer
// than five values are drawn as points with their median, one as a point.
type Boxes struct {
	Title string
	Note  string // in muted letters below the title; "": none
	Axis  string // what is measured, for instance "E-SHD (lower is better)"
	Log   bool   // the axis is logarithmic; values must be positive

	Methods []string // names, from top to bottom
	// Kinds has a number for each method: those of one kind have one colour. nil: all alike.
	Kinds     []int
	KindNames []string // what the kinds 0, 1, … are; nil: not said
	Groups    []Group

	// LevelName says what the groups' levels are, for instance "graph without edges".
	LevelName string
}

// A Group is a panel: one density, size or data set.
type Group struct {
	Name string // for instance "2d edges"
	// Values has those of every method, in the sequence of the methods, one for each data
	// set: NaN and infinities are left out and counted. An empty list is said to be missing.
	Values [][]float64
	// Level is drawn as a line. nil: none.
	Level *float64
}

// Draw draws the figure. Errors name what does not fit.
func (b Boxes) Draw() (*Figure, error) {
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("box plots: %w", err)
	}
	s := newSheet(b.Title, b.Note)
	names := make([]string, len(b.Methods))
	left := 0.0
	for k, name := range b.Methods {
		names[k] = scene.Shorten(scene.Clean(name), noteText, 190)
		left = math.Max(left, scene.TextWidth(names[k], noteText, false))
	}
	left += scene.Margin + 10
	columns := max(1, min(len(b.Groups), int((pageWidth-scene.Margin-left+panelGap)/(leastPanel+panelGap))))
	rows := (len(b.Groups) + columns - 1) / columns
	columns = (len(b.Groups) + rows - 1) / rows // as even as they can be
	width := (pageWidth-scene.Margin-left+panelGap)/float64(columns) - panelGap
	for row := range rows {
		top := s.y + 20
		bottom := top + rowHeight*float64(len(names))
		for k, name := range names {
			m := scene.Words(left-8, top+rowHeight*(float64(k)+0.5)+4, noteText, scene.End, scene.Text, name)
			m.Tip = scene.Clean(b.Methods[k])
			s.Add(m)
		}
		for c := range columns {
			if g := row*columns + c; g < len(b.Groups) {
				x := left + float64(c)*(width+panelGap)
				b.panel(&panel{sheet: s, left: x, top: top, right: x + width, bottom: bottom}, &b.Groups[g])
			}
		}
		s.y = bottom + 22
	}
	s.Add(scene.Words((left+pageWidth-scene.Margin)/2, s.y+8, noteText, scene.Middle, scene.Text, scene.Shorten(scene.Clean(b.Axis), noteText, pageWidth-left)))
	s.y += 16
	s.legend(b.entries())
	return s.figure(b.Title, fmt.Sprintf("Box plots of %s for %d methods in %d groups.", b.Axis, len(b.Methods), len(b.Groups))), nil
}

const (
	rowHeight  = 20.0
	leastPanel = 150.0
	panelGap   = 14.0
	fewValues  = 5 // from which on there are boxes
)

func (b *Boxes) check() error {
	if len(b.Methods) == 0 || len(b.Groups) == 0 {
		return fmt.Errorf("got %d methods and %d groups, want at least one of each", len(b.Methods), len(b.Groups))
	}
	if b.Kinds != nil && len(b.Kinds) != len(b.Methods) {
		return fmt.Errorf("got %d kinds for %d methods", len(b.Kinds), len(b.Methods))
	}
	for _, kind := range b.Kinds {
		if kind < 0 || b.KindNames != nil && kind >= len(b.KindNames) {
			return fmt.Errorf("got kind %d, want 0 to %d", kind, len(b.KindNames)-1)
		}
	}
	for _, g := range b.Groups {
		if len(g.Values) != len(b.Methods) {
			return fmt.Errorf("group %q: got values of %d methods, want %d", g.Name, len(g.Values), len(b.Methods))
		}
		if g.Level != nil && (missing(*g.Level) || b.Log && *g.Level <= 0) {
			return fmt.Errorf("group %q: got level %g", g.Name, *g.Level)
		}
		for k, values := range g.Values {
			for _, v := range values {
				if b.Log && v <= 0 {
					return fmt.Errorf("group %q, %s: got %g, want positive numbers on a logarithmic axis", g.Name, b.Methods[k], v)
				}
			}
		}
	}
	return nil
}

// bounds are the range of everything in a group; low is above high if there is nothing.
func (g *Group) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	add := func(v float64) {
		if !missing(v) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	for _, values := range g.Values {
		for _, v := range values {
			add(v)
		}
	}
	if g.Level != nil {
		add(*g.Level)
	}
	return low, high
}

func (b *Boxes) panel(p *panel, g *Group) {
	p.frame(g.Name)
	for k := range b.Methods {
		if k%2 == 1 {
			p.Add(scene.Box(p.left, p.top+rowHeight*float64(k), p.right-p.left, rowHeight, 0, scene.Paper, scene.None))
		}
	}
	low, high := g.bounds()
	if low > high {
		for k := range b.Methods {
			b.row(p, k, nil)
		}
		return
	}
	p.x = span(low, high, b.Log).between(p.left, p.right)
	p.x.beyond = panelGap/2 - 3
	p.across("")
	if g.Level != nil {
		m := scene.Rule(p.x.at(*g.Level), p.top, p.x.at(*g.Level), p.bottom, scene.Limit)
		m.Width, m.Dashed, m.Tip = 1.4, true, b.LevelName+": "+scene.Significant(*g.Level, 4)
		p.Add(m)
	}
	for k, values := range g.Values {
		b.row(p, k, values)
	}
}

func (b *Boxes) ink(k int) scene.Ink {
	if b.Kinds == nil {
		return scene.Series(0)
	}
	return scene.Series(b.Kinds[k])
}

// row draws the values of a method.
func (b *Boxes) row(p *panel, k int, values []float64) {
	y := p.top + rowHeight*(float64(k)+0.5)
	var known []float64
	for _, v := range values {
		if !missing(v) {
			known = append(known, v)
		}
	}
	ink := b.ink(k)
	if len(known) == 0 {
		p.Add(scene.Words((p.left+p.right)/2, y+4, axisText, scene.Middle, scene.Muted, "–"))
		return
	}
	slices.Sort(known)
	q := quartiles(known)
	tip := fmt.Sprintf("%s: median %s, quartiles %s and %s, %d values", b.Methods[k], scene.Significant(q[1], 4), scene.Significant(q[0], 4), scene.Significant(q[2], 4), len(known))
	if left := len(values) - len(known); left > 0 {
		tip += fmt.Sprintf(", %d more that are not finite", left)
	}
	line := func(x1, y1, x2, y2, width float64, colour scene.Ink) {
		m := scene.Rule(x1, y1, x2, y2, colour)
		m.Width, m.Tip = width, tip
		p.Add(m)
	}
	circle := func(v float64) {
		p.Add(scene.Mark{Shape: scene.Circle, Points: []scene.Point{scene.At(p.x.at(v), y)}, Size: 2.4, Stroke: ink, Width: 1.2, Tip: tip})
	}
	median := func() { line(p.x.at(q[1]), y-6, p.x.at(q[1]), y+6, 2.6, scene.Text) }
	if len(known) < fewValues {
		for _, v := range known {
			circle(v)
		}
		if len(known) > 1 {
			median()
		}
		return
	}
	reach := 1.5 * (q[2] - q[0])
	low, high := q[0], q[2]
	for _, v := range known {
		switch {
		case v < q[0]-reach || v > q[2]+reach:
			circle(v)
		default:
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	line(p.x.at(low), y, p.x.at(q[0]), y, 1.3, ink)
	line(p.x.at(q[2]), y, p.x.at(high), y, 1.3, ink)
	line(p.x.at(low), y-3.5, p.x.at(low), y+3.5, 1.3, ink)
	line(p.x.at(high), y-3.5, p.x.at(high), y+3.5, 1.3, ink)
	box := scene.Box(p.x.at(q[0]), y-6, p.x.at(q[2])-p.x.at(q[0]), 12, 0, ink, ink)
	box.Opacity, box.Tip, box.Width = 0.35, tip, 1.2
	p.Add(box)
	median()
}

// quartiles of sorted numbers, interpolated linearly between order statistics (type 7 of
// Hyndman and Fan).
func quartiles(sorted []float64) (q [3]float64) {
	for k := range q {
		at := 0.25 * float64(k+1) * float64(len(sorted)-1)
		i := min(int(at), len(sorted)-1)
		j := min(i+1, len(sorted)-1)
		q[k] = sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
	}
	return q
}

func (b *Boxes) entries() (out []entry) {
	for k, name := range b.KindNames {
		if slices.Contains(b.Kinds, k) {
			out = append(out, entry{ink: scene.Series(k), text: scene.Clean(name)})
		}
	}
	for _, g := range b.Groups {
		if g.Level != nil {
			return append(out, entry{ink: scene.Limit, dashed: true, line: true, text: scene.Clean(b.LevelName)})
		}
	}
	return out
}
