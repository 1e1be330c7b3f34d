package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Boxes are box plots, a row for each method and a panel for each group, as the paper's
// figures have them: the box from the lower to the upper quartile with the median, whiskers
// to the most extreme values within one and a half lengths of the box, circles beyond. Fewer
// than five values are drawn as points with their median, one as a point.
type Boxes struct {
	Title string
	Note  string // in muted letters below the title; "" means none
	Axis  string // what is measured, for instance "E-SHD (lower is better)"
	Log   bool   // the axis is logarithmic; values must be positive

	Methods []string // names, from top to bottom
	// Kinds has a number for each method: those of one kind have one colour. nil means all alike.
	Kinds     []int
	KindNames []string // what the kinds 0, 1, … are; nil means not said
	Groups    []Group

	// LevelName says what the groups' levels are, for instance "graph without edges".
	LevelName string
}

// A Group is a panel: one density, size or data set.
type Group struct {
	Name string // for instance "2d edges"
	// Values has those of every method, in the sequence of the methods, one for each data
	// set: NaN and infinities are left out. An empty list has no mark.
	Values [][]float64
	// Level is drawn as a line. nil means none.
	Level *float64
}

// Draw draws the figure. Errors name what does not fit.
func (b Boxes) Draw() (*Figure, error) {
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("box plots: %w", err)
	}
	s := sheet{title: b.Title, note: b.Note, caption: b.Axis, columns: columnsOf(len(b.Groups), 3),
		high: 44 + 14*vg.Length(len(b.Methods))}
	for k := range b.Groups {
		p, err := b.panel(&b.Groups[k], k%s.columns == 0)
		if err != nil {
			return nil, fmt.Errorf("box plots: group %q: %w", b.Groups[k].Name, err)
		}
		s.panels = append(s.panels, p)
	}
	for k, name := range b.KindNames {
		if slices.Contains(b.Kinds, k) {
			s.legend = append(s.legend, entry{swatch{translucent(colourOf(k), boxOpacity)}, name})
		}
	}
	if slices.ContainsFunc(b.Groups, func(g Group) bool { return g.Level != nil }) {
		s.legend = append(s.legend, entry{lined(newPanel(""), nil, limit, 1.2, true), b.LevelName})
	}
	return s.figure(fmt.Sprintf("Box plots of %s for %d methods in %d groups.", b.Axis,
		len(b.Methods), len(b.Groups))), nil
}

const (
	boxOpacity = 0.4
	fewValues  = 5 // from which on there are boxes
)

func (b *Boxes) check() error {
	if len(b.Methods) == 0 || len(b.Groups) == 0 {
		return fmt.Errorf("got %d methods and %d groups, want at least one of each", len(b.Methods),
			len(b.Groups))
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
			return fmt.Errorf("group %q: got values of %d methods, want %d", g.Name, len(g.Values),
				len(b.Methods))
		}
		if g.Level != nil && (missing(*g.Level) || b.Log && *g.Level <= 0) {
			return fmt.Errorf("group %q: got level %g", g.Name, *g.Level)
		}
		for k, values := range g.Values {
			for _, v := range values {
				if b.Log && v <= 0 {
					return fmt.Errorf("group %q, %s: got %g, want positive numbers on a "+
						"logarithmic axis", g.Name, b.Methods[k], v)
				}
			}
		}
	}
	return nil
}

// panel draws a group, with the names of the methods on the left if they are wanted.
func (b *Boxes) panel(g *Group, named bool) (*plot.Plot, error) {
	p := newPanel(g.Name)
	last := float64(len(b.Methods) - 1)
	if b.Log {
		logarithmic(&p.X)
	}
	rules(p, false)
	if g.Level != nil {
		lined(p, plotter.XYs{{X: *g.Level, Y: -0.5}, {X: *g.Level, Y: last + 0.5}}, limit, 1.2,
			true)
	}
	for k, values := range g.Values {
		values, y := known(values), last-float64(k)
		colour := colourOf(0)
		if b.Kinds != nil {
			colour = colourOf(b.Kinds[k])
		}
		glyph := draw.GlyphStyle{Color: colour, Radius: 2, Shape: draw.RingGlyph{}}
		if len(values) < fewValues {
			points := plotter.XYs{}
			for _, v := range values {
				points = append(points, plotter.XY{X: v, Y: y})
			}
			if p.Add(&plotter.Scatter{XYs: points, GlyphStyle: glyph}); len(values) == 0 {
				continue
			}
		}
		box, err := plotter.NewBoxPlot(8, y, plotter.Values(values))
		if err != nil {
			return nil, err
		}
		box.Horizontal, box.FillColor, box.GlyphStyle = true, translucent(colour, boxOpacity), glyph
		box.BoxStyle, box.WhiskerStyle = draw.LineStyle{Color: colour, Width: 0.8},
			draw.LineStyle{Color: colour, Width: 0.8}
		box.MedianStyle = draw.LineStyle{Color: ink, Width: 1.6}
		if len(values) < fewValues {
			box.FillColor, box.BoxStyle.Width, box.WhiskerStyle.Width, box.CapWidth = nil, 0, 0, 0
		}
		p.Add(box)
	}
	ticks := make(plot.ConstantTicks, len(b.Methods))
	for k, name := range b.Methods {
		if ticks[k].Value = last - float64(k); named {
			ticks[k].Label = name
		}
	}
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = ticks, 0, 0
	p.Y.Tick.Label.Color = ink
	p.Y.Min, p.Y.Max = -0.5, last+0.5
	if p.X.Min > p.X.Max { // nothing to draw
		p.X.Min, p.X.Max = 1, 10
	}
	return p, nil
}
