package figures

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Maps are heat maps of edge probabilities beside the true graph, whose edges are rings in
// the other maps.
type Maps struct {
	Title, Note string
	Names       []string // of the d variables, at most 100
	// d×d, an edge from i to j where entry (i, j) is not 0; nil means unknown
	Truth mat.Matrix
	Maps  []Map
}

// A Map is a d×d matrix of edge probabilities: entry (i, j) is that of the edge from i to j.
type Map struct {
	Name          string
	Probabilities mat.Matrix
}

const mostVariables = 100

func (m *Maps) check() error {
	d := len(m.Names)
	if d < 1 || d > mostVariables || len(m.Maps) == 0 {
		return fmt.Errorf("got %d variables and %d maps, want 1 to %d and at least one", d,
			len(m.Maps), mostVariables)
	}
	all := m.Maps
	if m.Truth != nil {
		all = append([]Map{{"truth", m.Truth}}, all...)
	}
	for _, one := range all {
		if r, c := one.Probabilities.Dims(); r != d || c != d {
			return fmt.Errorf("%s: got a matrix %d×%d for %d variables", one.Name, r, c, d)
		}
		for i := range d {
			for j := range d {
				if v := one.Probabilities.At(i, j); !(v >= 0 && v <= 1+1e-9) && i != j {
					return fmt.Errorf("%s, entry (%d, %d): got probability %g, want 0 to 1",
						one.Name, i+1, j+1, v)
				}
			}
		}
	}
	return nil
}

// Draw draws the figure.
func (m Maps) Draw() (*Figure, error) {
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("heat maps: %w", err)
	}
	all := m.Maps
	if m.Truth != nil {
		all = append([]Map{{"truth", m.Truth}}, all...)
	}
	s := sheet{title: m.Title, note: m.Note, columns: columnsOf(len(all), 3), legend: []entry{
		{swatch{heat[0]}, "0"}, {swatch{heat[len(heat)/2]}, "0.5"},
		{swatch{heat[len(heat)-1]}, "1"},
	}}
	if len(m.Names) > 12 {
		s.columns = columnsOf(len(all), 2)
	}
	side := (pageWidth - 2*margin) / vg.Length(max(2, s.columns))
	s.high = side
	for _, one := range all {
		s.panels = append(s.panels, m.panel(one, side))
	}
	if m.Truth != nil {
		s.legend = append(s.legend, entry{ring{}, "an edge of the true graph"})
	}
	return s.figure(fmt.Sprintf("Heat maps of the probabilities of edges between %d variables.",
		len(m.Names))), nil
}

// heat are the colours of probabilities, from 0 to 1.
var heat = func() (all shades) {
	const n = 100
	for k := range n + 1 {
		mix := func(light, dark float64) uint8 {
			return uint8(math.Round(light + (dark-light)*float64(k)/n))
		}
		all = append(all, color.RGBA{mix(243, 10), mix(245, 79), mix(248, 143), 255})
	}
	return all
}()

type shades []color.Color

func (s shades) Colors() []color.Color { return s }

// grid has the first row of a matrix at the top.
type grid struct{ mat.Matrix }

func (g grid) X(c int) float64    { return float64(c) }
func (g grid) Y(r int) float64    { return float64(r) }
func (g grid) Z(c, r int) float64 { d, _ := g.Dims(); return math.Min(1, g.At(d-1-r, c)) }

// A ring is a sample of the mark of a true edge.
type ring struct{}

// Thumbnail implements [plot.Thumbnailer].
func (ring) Thumbnail(c *draw.Canvas) {
	c.DrawGlyph(draw.GlyphStyle{Color: colourOf(1), Radius: 3.5, Shape: draw.RingGlyph{}},
		c.Center())
}

// panel draws a map in a square of a side.
func (m *Maps) panel(one Map, side vg.Length) *plot.Plot {
	d := len(m.Names)
	cell := 0.75 * side / vg.Length(d)
	p := newPanel(one.Name)
	matrix := mat.DenseCopyOf(one.Probabilities)
	for k := range d {
		matrix.Set(k, k, 0)
	}
	h := plotter.NewHeatMap(grid{matrix}, heat)
	h.Min, h.Max = 0, 1
	p.Add(h)
	rings := plotter.XYs{}
	rows, columns := make(plot.ConstantTicks, d), make(plot.ConstantTicks, d)
	for i, name := range m.Names {
		rows[i], columns[i] = plot.Tick{Value: float64(d - 1 - i), Label: name},
			plot.Tick{Value: float64(i), Label: name}
		for j := range d {
			if m.Truth != nil && m.Truth.At(i, j) != 0 && i != j {
				rings = append(rings, plotter.XY{X: float64(j), Y: float64(d - 1 - i)})
			}
		}
	}
	p.Add(&plotter.Scatter{XYs: rings, GlyphStyle: draw.GlyphStyle{Color: colourOf(1),
		Radius: 0.35 * cell, Shape: draw.RingGlyph{}}})
	p.X.Tick.Marker, p.Y.Tick.Marker = columns, rows
	p.X.Label.Text, p.Y.Label.Text = "to", "from"
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Length, a.Tick.Width, a.LineStyle.Width = 4, 0, 0
		a.Tick.Label.Font.Size = min(numberSize, 0.9*cell)
	}
	p.X.Padding = 6 // under the cells of the last row
	p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/2, text.XRight,
		text.YCenter
	return p
}
