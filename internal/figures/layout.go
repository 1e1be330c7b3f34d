package figures

import (
	"math"
	"strings"

	"tobac/internal/scene"
)

// Sizes in pixels of a screen.
const (
	pageWidth  = 720.0
	titleText  = 15.0
	noteText   = 12.0
	axisText   = 11.0
	leastText  = 9.0  // to which names of panels shrink
	boldness   = 1.08 // of bold letters against others, in width
	lineHeight = 16.0
	gap        = 8.0 // between two texts
)

// A sheet is a page that is filled from the top down.
type sheet struct {
	*scene.Scene
	y float64 // below what is there
}

// newSheet begins a page with its title and its note.
func newSheet(title, note string) *sheet {
	s := &sheet{Scene: &scene.Scene{Width: pageWidth}, y: scene.Margin}
	for _, line := range wrap(title, titleText, true, pageWidth-2*scene.Margin) {
		m := scene.Words(scene.Margin, s.y+titleText, titleText, scene.Start, scene.Text, line)
		m.Bold = true
		s.Add(m)
		s.y += 20
	}
	for _, line := range wrap(note, noteText, false, pageWidth-2*scene.Margin) {
		s.Add(scene.Words(scene.Margin, s.y+noteText, noteText, scene.Start, scene.Muted, line))
		s.y += lineHeight
	}
	s.y += 6
	return s
}

// figure ends the page.
func (s *sheet) figure(title, description string) *Figure {
	s.Height = s.y + scene.Margin
	return &Figure{Title: title, Description: description, scene: s.Scene}
}

// wrap breaks a text into lines between its words; a word that is too wide is shortened.
func wrap(text string, size float64, bold bool, most float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(scene.Clean(text)) {
		word = scene.Shorten(word, size, most*0.9)
		switch longer := line + " " + word; {
		case line == "":
			line = word
		case scene.TextWidth(longer, size, bold) <= most:
			line = longer
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// A panel is a rectangle in which numbers have places.
type panel struct {
	*sheet
	x, y                     scale
	left, top, right, bottom float64
}

// frame draws the panel's ground and its name above it.
func (p *panel) frame(name string) {
	room := p.right - p.left
	p.Add(scene.Box(p.left, p.top, room, p.bottom-p.top, 0, scene.Panel, scene.None))
	if name = scene.Clean(name); name == "" {
		return
	}
	size := noteText
	if wide := scene.TextWidth(name, size, true); wide > room {
		size = math.Max(leastText, size*room/wide)
	}
	short := name
	if scene.TextWidth(name, size, true) > room+1 {
		short = scene.Shorten(name, size*boldness, room)
	}
	m := scene.Words((p.left+p.right)/2, p.top-6, size, scene.Middle, scene.Text, short)
	m.Bold, m.Tip = true, name
	p.Add(m)
}

// numbersBelow writes the numbers of the horizontal axis below a height.
func (p *panel) numbersBelow(y float64) {
	for _, t := range p.x.ticks(true) {
		p.write(&t, p.x.at(t.value), y+14, scene.Middle)
	}
}

// upright draws the grid of the horizontal axis.
func (p *panel) upright() {
	for _, t := range p.x.ticks(true) {
		p.Add(grid(p.x.at(t.value), p.top, p.x.at(t.value), p.bottom))
	}
}

// across draws the grid of the horizontal axis, with its numbers and its caption below.
func (p *panel) across(caption string) {
	p.upright()
	p.numbersBelow(p.bottom)
	if caption != "" {
		p.Add(scene.Words((p.left+p.right)/2, p.bottom+30, noteText, scene.Middle, scene.Text, scene.Shorten(caption, noteText, p.right-p.left)))
	}
}

// up draws the grid of the vertical axis, with its numbers on the left if they are wanted,
// and its caption left of them.
func (p *panel) up(numbers bool, caption string) {
	widest := 0.0
	for _, t := range p.y.ticks(false) {
		p.Add(grid(p.left, p.y.at(t.value), p.right, p.y.at(t.value)))
		if numbers {
			p.write(&t, p.left-6, p.y.at(t.value)+4, scene.End)
			widest = math.Max(widest, t.width())
		}
	}
	if caption != "" {
		m := scene.Words(p.left-widest-14, (p.top+p.bottom)/2, noteText, scene.Middle, scene.Text, scene.Shorten(caption, noteText, p.bottom-p.top))
		m.Turned = true
		p.Add(m)
	}
}

func grid(x1, y1, x2, y2 float64) scene.Mark {
	m := scene.Rule(x1, y1, x2, y2, scene.Hairline)
	m.Width = 0.6
	return m
}

// path draws a line through points, broken where one has no place.
func (p *panel) path(xs, ys []float64, ink scene.Ink, width float64, dashed bool, tip string) {
	var points []scene.Point
	flush := func() {
		if len(points) > 1 {
			p.Add(scene.Mark{Shape: scene.Line, Points: points, Stroke: ink, Width: width, Dashed: dashed, Tip: tip})
		} else if len(points) == 1 {
			p.dot(points[0], ink, tip)
		}
		points = nil
	}
	for k := range xs {
		if !p.x.has(xs[k]) || !p.y.has(ys[k]) {
			flush()
			continue
		}
		points = append(points, scene.At(p.x.at(xs[k]), p.y.at(ys[k])))
	}
	flush()
}

func (p *panel) dot(at scene.Point, ink scene.Ink, tip string) {
	p.Add(scene.Mark{Shape: scene.Circle, Points: []scene.Point{at}, Size: 2.6, Fill: ink, Tip: tip})
}

// band fills the area between two curves where both have places.
func (p *panel) band(xs, low, high []float64, ink scene.Ink) {
	from := 0
	for k := 0; k <= len(xs); k++ {
		if k < len(xs) && p.x.has(xs[k]) && p.y.has(low[k]) && p.y.has(high[k]) {
			continue
		}
		if k-from > 1 {
			var points []scene.Point
			for i := from; i < k; i++ {
				points = append(points, scene.At(p.x.at(xs[i]), p.y.at(high[i])))
			}
			for i := k - 1; i >= from; i-- {
				points = append(points, scene.At(p.x.at(xs[i]), p.y.at(low[i])))
			}
			p.Add(scene.Mark{Shape: scene.Area, Points: points, Fill: ink, Opacity: 0.18})
		}
		from = k + 1
	}
}

// level draws a dashed line across the panel at a height.
func (p *panel) level(y float64) {
	m := scene.Rule(p.left, p.y.at(y), p.right, p.y.at(y), scene.Limit)
	m.Width, m.Dashed = 1.4, true
	p.Add(m)
}

// An entry of a legend is a sample with its text.
type entry struct {
	ink    scene.Ink
	dashed bool
	line   bool // a line; otherwise a box
	ring   bool // the box is empty and round
	text   string
}

const sampleWidth = 26.0

func (e *entry) width() float64 { return sampleWidth + 6 + scene.TextWidth(e.text, noteText, false) }

func (s *sheet) entry(e entry, x, y float64) {
	switch {
	case e.line:
		m := scene.Rule(x, y, x+sampleWidth, y, e.ink)
		m.Width, m.Dashed = 2.2, e.dashed
		s.Add(m)
	case e.ring:
		m := scene.Box(x+8, y-5, 10, 10, 3.5, scene.None, e.ink)
		m.Width = 1.5
		s.Add(m)
	default:
		s.Add(scene.Box(x+6, y-5, sampleWidth-12, 10, 2, e.ink, scene.None))
	}
	s.Add(scene.Words(x+sampleWidth+6, y+4, noteText, scene.Start, scene.Text, e.text))
}

// legend lays entries out in lines below what is there.
func (s *sheet) legend(entries []entry) {
	if len(entries) == 0 {
		return
	}
	x := scene.Margin
	s.y += 10
	for k, e := range entries {
		e.text = scene.Shorten(e.text, noteText, pageWidth-2*scene.Margin-sampleWidth-6)
		if k > 0 && x+e.width() > pageWidth-scene.Margin {
			x, s.y = scene.Margin, s.y+lineHeight+2
		}
		s.entry(e, x, s.y)
		x += e.width() + 18
	}
	s.y += 8
}

// style is the look of the k-th of several curves: colours, then the same ones dashed.
func style(k int) (ink scene.Ink, dashed bool) {
	return scene.Series(k), k/scene.SeriesColours%2 == 1
}

// span is the range of numbers with some room at both ends.
func span(low, high float64, log bool) scale {
	if log {
		low, high = math.Log10(low), math.Log10(high)
	}
	room := 0.05 * (high - low)
	switch {
	case log:
		room = math.Max(room, 0.05)
	case room == 0:
		room = math.Max(0.05*math.Abs(high), 0.5)
	}
	return scale{axis: scene.Axis{Low: low - room, High: high + room}, log: log}
}
