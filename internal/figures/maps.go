package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/scene"
)

// Maps are heat maps of edge probabilities beside the true graph, whose edges are rings in
// the other maps.
type Maps struct {
	Title, Note string
	Names       []string   // of the d variables, at most 100
	Truth       mat.Matrix // d×d, an edge from i to j where entry (i, j) is not 0; nil: unknown
	Maps        []Map
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
		return fmt.Errorf("got %d variables and %d maps, want 1 to %d and at least one", d, len(m.Maps), mostVariables)
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
					return fmt.Errorf("%s, entry (%d, %d): got probability %g, want 0 to 1", one.Name, i+1, j+1, v)
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
	s := newSheet(m.Title, m.Note)
	variables := make([]int, len(m.Names))
	for k := range variables {
		variables[k] = k
	}
	var parts []*scene.Scene
	var names []string
	add := func(name string, h scene.HeatMap) {
		h.Names, h.Variables, h.Small = m.Names, variables, (pageWidth-scene.Margin)/float64(m.columns())
		h.Fill, h.On, h.Rows, h.Columns = scene.Heat, scene.HeatText, "from", "to"
		parts, names = append(parts, h.Draw()), append(names, name)
	}
	truth := func(i, j int) bool { return m.Truth != nil && m.Truth.At(i, j) != 0 }
	if m.Truth != nil {
		add("truth", scene.HeatMap{Unnumbered: true, Ring: truth, Value: func(i, j int) float64 {
			if truth(i, j) {
				return 1
			}
			return 0
		}})
	}
	for _, one := range m.Maps {
		add(one.Name, scene.HeatMap{Unnumbered: true, Ring: truth, Value: func(i, j int) float64 { return math.Min(1, one.Probabilities.At(i, j)) },
			Tip: func(i, j int) string {
				return fmt.Sprintf("%s → %s: %s", scene.Clean(m.Names[i]), scene.Clean(m.Names[j]), scene.Percent(one.Probabilities.At(i, j)))
			}})
	}
	s.flow(parts, names)
	s.Add(scene.Move(scene.HeatScale(scene.Heat), scene.At(scene.Margin, s.y))...)
	s.y += 18
	if m.Truth != nil {
		s.legend([]entry{{ink: scene.Negative, ring: true, text: "an edge of the true graph"}})
	}
	return s.figure(m.Title, fmt.Sprintf("Heat maps of the probabilities of edges between %d variables.", len(m.Names))), nil
}

// columns is how many maps stand beside each other.
func (m *Maps) columns() int {
	all := len(m.Maps)
	if m.Truth != nil {
		all++
	}
	if len(m.Names) <= 12 {
		return min(all, 3)
	}
	return min(all, 2)
}

// flow lays scenes out in lines, with their names above.
func (s *sheet) flow(parts []*scene.Scene, names []string) {
	x, line := 0.0, 0.0
	for k, part := range parts {
		if x > 0 && x+part.Width > pageWidth {
			x, s.y, line = 0, s.y+line+12, 0
		}
		m := scene.Words(x+scene.Margin, s.y+noteText, noteText, scene.Start, scene.Text, scene.Shorten(scene.Clean(names[k]), noteText, part.Width-scene.Margin))
		m.Bold = true
		s.Add(m)
		s.Add(scene.Move(part.Marks, scene.At(x, s.y+noteText+2))...)
		x += part.Width
		s.Width = math.Max(s.Width, x)
		line = math.Max(line, part.Height+noteText+2)
	}
	s.y += line
}
