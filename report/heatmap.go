package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Limits of heat maps.
const (
	mostCells = 60   // variables drawn, those with the surest relations
	numbered  = 16   // variables up to which cells hold numbers
	strong    = 0.7  // values above which the ink of numbers is that for full cells
	visible   = 0.01 // values below it are not painted
)

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
		best[r.from], best[r.to] = math.Max(best[r.from], r.adjacent), math.Max(best[r.to], r.adjacent)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(best[b], best[a]) })
	kept := order[:mostCells]
	slices.Sort(kept)
	return kept
}

// A heatMap is a matrix as a picture: row i, column j.
type heatMap struct {
	names         []string
	variables     []int                  // that are drawn
	value         func(i, j int) float64 // from 0 to 1; NaN: not known
	tip           func(i, j int) string
	fill, on      ink    // of cells, and of the text on dark ones
	rows, columns string // what rows and columns are; "": the same
}

// draw draws the map with the names of its rows on the left and those of its columns above.
func (h *heatMap) draw() *scene {
	n := len(h.variables)
	cell := math.Max(13, math.Min(40, 620/float64(n)))
	size := math.Min(13, cell*0.8)
	names := make([]string, n)
	widest := 0.0
	for k, v := range h.variables {
		names[k] = shorten(clean(h.names[v]), size, 140)
		widest = math.Max(widest, textWidth(names[k], size, false))
	}
	left, top := margin+widest+28, margin+widest+28 // room for what rows and columns are
	s := &scene{width: left + float64(n)*cell + margin, height: top + float64(n)*cell + margin}
	s.add(box(left, top, float64(n)*cell, float64(n)*cell, 0, panel, none))
	if h.columns != "" {
		s.add(words(left+float64(n)*cell/2, margin+10, 12, middle, muted, h.columns))
		side := words(margin+10, top+float64(n)*cell/2, 12, middle, muted, h.rows)
		side.turned = true
		s.add(side)
	}
	for k, v := range h.variables {
		at := float64(k)*cell + cell/2
		row := words(left-7, top+at+size*0.35, size, end, text, names[k])
		column := words(left+at+size*0.35, top-7, size, start, text, names[k])
		column.turned = true
		row.tip, column.tip = clean(h.names[v]), clean(h.names[v])
		s.add(row, column)
	}
	for a, i := range h.variables {
		for b, j := range h.variables {
			h.drawCell(s, left+float64(b)*cell, top+float64(a)*cell, cell, i, j)
		}
	}
	for k := 0; k <= n; k++ {
		at := float64(k) * cell
		s.add(grid(left, top+at, left+float64(n)*cell, top+at), grid(left+at, top, left+at, top+float64(n)*cell))
	}
	s.scale(h, left, n, cell)
	return s
}

func grid(x1, y1, x2, y2 float64) mark {
	m := rule(x1, y1, x2, y2, hairline)
	m.width = 0.6
	return m
}

func (h *heatMap) drawCell(s *scene, x, y, cell float64, i, j int) {
	v := h.value(i, j)
	if i == j {
		cross := rule(x, y+cell, x+cell, y, hairline)
		cross.width = 0.8
		s.add(cross)
		return
	}
	if math.IsNaN(v) || v < visible {
		return
	}
	m := box(x, y, cell, cell, 0, h.fill, none)
	m.opacity, m.tip = v, h.tip(i, j)
	s.add(m)
	if len(h.variables) > numbered {
		return
	}
	colour := text
	if v > strong {
		colour = h.on
	}
	caption := words(x+cell/2, y+cell/2+4, 11, middle, colour, strconv.FormatFloat(100*v, 'f', 0, 64))
	caption.tip = m.tip
	s.add(caption)
}

// scale explains the opacity below the map.
func (s *scene) scale(h *heatMap, left float64, n int, cell float64) {
	const steps, wide = 10, 14.0
	y := s.height
	s.add(words(left, y+11, 11, start, muted, "0 %"))
	at := left + 26
	for k := range steps {
		m := box(at+float64(k)*wide, y, wide, 12, 0, h.fill, none)
		m.opacity = (float64(k) + 0.5) / steps
		s.add(m)
	}
	s.add(words(at+steps*wide+6, y+11, 11, start, muted, "100 %"))
	s.height += 12 + margin
	s.width = math.Max(s.width, at+steps*wide+50)
}

func (c *Content) adjacencyMap(variables []int) *scene {
	p := c.Marginals.Probabilities
	h := heatMap{names: c.Names, variables: variables, fill: heat, on: heatText, value: func(i, j int) float64 { return math.Min(1, p.At(i, j)+p.At(j, i)) }}
	h.tip = func(i, j int) string {
		return fmt.Sprintf("%s — %s related: %s", clean(c.Names[i]), clean(c.Names[j]), percent(h.value(i, j)))
	}
	return h.draw()
}

// leastRelated is the adjacency from which the direction given adjacency is drawn: what
// hardly ever is there has no direction worth a look.
const leastRelated = 0.05

func (c *Content) directionMap(variables []int) *scene {
	p := c.Marginals.Probabilities
	h := heatMap{names: c.Names, variables: variables, fill: turn, on: turnText, rows: "cause", columns: "effect"}
	h.value = func(i, j int) float64 {
		if both := p.At(i, j) + p.At(j, i); both >= leastRelated {
			return p.At(i, j) / both
		}
		return math.NaN()
	}
	h.tip = func(i, j int) string {
		return fmt.Sprintf("%s → %s: %s, if they are related", clean(c.Names[i]), clean(c.Names[j]), percent(h.value(i, j)))
	}
	return h.draw()
}

func (c *Content) matrixMap(m *mat.Dense, variables []int, rows, columns string, tip func(from, to, p string) string) *scene {
	h := heatMap{names: c.Names, variables: variables, fill: heat, on: heatText, rows: rows, columns: columns, value: func(i, j int) float64 { return math.Min(1, m.At(i, j)) }}
	h.tip = func(i, j int) string { return tip(clean(c.Names[i]), clean(c.Names[j]), percent(m.At(i, j))) }
	return h.draw()
}
