package scene

import (
	"math"
	"strconv"
)

// Limits of heat maps.
const (
	numbered = 16   // variables up to which cells hold numbers
	strong   = 0.7  // values above which the ink of numbers is that for full cells
	visible  = 0.01 // values below it are not painted
)

// A HeatMap is a matrix as a picture: row i, column j.
type HeatMap struct {
	Names         []string
	Variables     []int                  // that are drawn
	Value         func(i, j int) float64 // from 0 to 1; NaN means not known
	Tip           func(i, j int) string  // of a cell; nil means none
	Fill, On      Ink                    // of cells, and of the text on dark ones
	Rows, Columns string                 // what rows and columns are; "" means the same
}

// Limits of cells, in pixels, and of names.
const (
	usualSide            = 620.0
	smallCell, largeCell = 13.0, 40.0
	longestName          = 140.0
)

// names are those of the variables with their size and the width of the widest one, and the
// width of the cells.
func (h *HeatMap) names() (names []string, size, widest, cell float64) {
	cell = math.Max(smallCell, math.Min(largeCell, usualSide/float64(len(h.Variables))))
	size, names = math.Min(13, cell*0.8), make([]string, len(h.Variables))
	for k, v := range h.Variables {
		names[k] = Shorten(Clean(h.Names[v]), size, longestName)
		widest = math.Max(widest, TextWidth(names[k], size, false))
	}
	return names, size, widest, cell
}

// Draw draws the map with the names of its rows on the left and those of its columns above.
func (h *HeatMap) Draw() *Scene {
	n := len(h.Variables)
	names, size, widest, cell := h.names()
	left, top := Margin+widest+28, Margin+widest+28 // room for what rows and columns are
	s := &Scene{Width: left + float64(n)*cell + Margin, Height: top + float64(n)*cell + Margin}
	s.Add(Box(left, top, float64(n)*cell, float64(n)*cell, 0, Panel, None))
	if h.Columns != "" {
		s.Add(Words(left+float64(n)*cell/2, Margin+10, 12, Middle, Muted, h.Columns))
		side := Words(Margin+10, top+float64(n)*cell/2, 12, Middle, Muted, h.Rows)
		side.Turned = true
		s.Add(side)
	}
	for k, v := range h.Variables {
		at := float64(k)*cell + cell/2
		row := Words(left-7, top+at+size*0.35, size, End, Text, names[k])
		column := Words(left+at+size*0.35, top-7, size, Start, Text, names[k])
		column.Turned = true
		row.Tip, column.Tip = Clean(h.Names[v]), Clean(h.Names[v])
		s.Add(row, column)
	}
	for a, i := range h.Variables {
		for b, j := range h.Variables {
			h.drawCell(s, left+float64(b)*cell, top+float64(a)*cell, cell, i, j)
		}
	}
	for k := 0; k <= n; k++ {
		at := float64(k) * cell
		s.Add(grid(left, top+at, left+float64(n)*cell, top+at),
			grid(left+at, top, left+at, top+float64(n)*cell))
	}
	bar := Move(heatScale(h.Fill), At(left, s.Height))
	s.Add(bar...)
	s.Height += 12 + Margin
	s.Width = math.Max(s.Width, left+heatScaleWidth)
	return s
}

func grid(x1, y1, x2, y2 float64) Mark {
	m := Rule(x1, y1, x2, y2, Hairline)
	m.Width = 0.6
	return m
}

func (h *HeatMap) drawCell(s *Scene, x, y, cell float64, i, j int) {
	v := h.Value(i, j)
	if i == j {
		cross := Rule(x, y+cell, x+cell, y, Hairline)
		cross.Width = 0.8
		s.Add(cross)
		return
	}
	if math.IsNaN(v) || v < visible {
		return
	}
	m := Box(x, y, cell, cell, 0, h.Fill, None)
	m.Opacity = v
	if h.Tip != nil {
		m.Tip = h.Tip(i, j)
	}
	s.Add(m)
	if len(h.Variables) > numbered {
		return
	}
	colour := Text
	if v > strong {
		colour = h.On
	}
	caption := Words(x+cell/2, y+cell/2+4, 11, Middle, colour,
		strconv.FormatFloat(100*v, 'f', 0, 64))
	caption.Tip = m.Tip
	s.Add(caption)
}

const heatScaleWidth = 216.0

// heatScale explains the opacity of cells, in a bar 12 pixels high.
func heatScale(fill Ink) []Mark {
	const steps, wide, at = 10, 14.0, 26.0
	out := []Mark{Words(0, 11, 11, Start, Muted, "0 %")}
	for k := range steps {
		m := Box(at+float64(k)*wide, 0, wide, 12, 0, fill, None)
		m.Opacity = (float64(k) + 0.5) / steps
		out = append(out, m)
	}
	return append(out, Words(at+steps*wide+6, 11, 11, Start, Muted, "100 %"))
}
