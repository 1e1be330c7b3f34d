package report

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// Size of pictures in pixels of an image.
const (
	sharpness  = 2.0  // for each pixel of a screen, along either axis
	mostPixels = 16e6 // of a picture; larger ones are less sharp
)

// pixels is the size of the picture as an image, and the resolution in dots for every 72
// pixels of a screen.
func (s *scene) pixels() (width, height, dpi int) {
	scale := math.Min(sharpness, math.Sqrt(mostPixels/(s.width*s.height)))
	dpi = max(1, int(72*scale))
	size := func(v float64) int { return max(1, int(math.Ceil(v*float64(dpi)/72))) }
	return size(s.width), size(s.height), dpi
}

// writePNG writes the picture as an image, in the colours of light screens.
func (s *scene) writePNG(w io.Writer) error {
	width, height, dpi := s.pixels()
	long := func(pixels int) vg.Length { return vg.Length(pixels) * 72 / vg.Length(dpi) }
	c := &canvas{vgimg.NewWith(vgimg.UseWH(long(width), long(height)), vgimg.UseDPI(dpi)), float64(long(height))}
	for k := range s.marks {
		c.draw(&s.marks[k])
	}
	_, err := vgimg.PngCanvas{Canvas: c.Canvas}.WriteTo(w)
	return err
}

// A canvas draws marks on an image of gonum/plot, whose y axis points up.
type canvas struct {
	*vgimg.Canvas
	height float64
}

func (c *canvas) at(p point) vg.Point {
	return vg.Point{X: vg.Length(p.x), Y: vg.Length(c.height - p.y)}
}

func (c *canvas) draw(m *mark) {
	if m.shape == label {
		c.write(m)
		return
	}
	outline := c.outline(m)
	if m.fill != none {
		fill := shades[m.fill].light
		if m.opacity > 0 && m.opacity < 1 {
			fill = blend(fill, shades[panel].light, m.opacity)
		}
		c.SetColor(fill)
		c.Fill(outline)
	}
	if m.stroke == none || m.width <= 0 {
		return
	}
	c.SetColor(shades[m.stroke].light)
	c.SetLineWidth(vg.Length(m.width))
	c.SetLineDash(nil, 0)
	if m.dashed {
		dash, gap := m.dash()
		c.SetLineDash([]vg.Length{vg.Length(dash), vg.Length(gap)}, 0)
	}
	c.Stroke(outline)
}

// blend is a colour over another. Cells that are not opaque lie on panels.
func blend(over, under color.RGBA, opacity float64) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(opacity*float64(a) + (1-opacity)*float64(b))) }
	return color.RGBA{mix(over.R, under.R), mix(over.G, under.G), mix(over.B, under.B), 255}
}

func (c *canvas) outline(m *mark) vg.Path {
	var path vg.Path
	switch m.shape {
	case circle:
		centre := c.at(m.points[0])
		path.Move(vg.Point{X: centre.X + vg.Length(m.size), Y: centre.Y})
		path.Arc(centre, vg.Length(m.size), 0, 2*math.Pi)
		path.Close()
	case rectangle:
		c.round(&path, m)
	case curve:
		path.Move(c.at(m.points[0]))
		for k := 1; k+2 < len(m.points); k += 3 {
			path.CubeTo(c.at(m.points[k]), c.at(m.points[k+1]), c.at(m.points[k+2]))
		}
	default:
		for k, p := range m.points {
			if k == 0 {
				path.Move(c.at(p))
			} else {
				path.Line(c.at(p))
			}
		}
		if m.shape == area {
			path.Close()
		}
	}
	return path
}

// round outlines a rectangle with round corners.
func (c *canvas) round(path *vg.Path, m *mark) {
	a, b := m.points[0], m.points[1]
	r := math.Min(m.size, math.Min(b.x-a.x, b.y-a.y)/2)
	corners := []struct{ before, corner, after point }{
		{point{b.x - r, a.y}, point{b.x, a.y}, point{b.x, a.y + r}},
		{point{b.x, b.y - r}, b, point{b.x - r, b.y}},
		{point{a.x + r, b.y}, point{a.x, b.y}, point{a.x, b.y - r}},
		{point{a.x, a.y + r}, a, point{a.x + r, a.y}},
	}
	path.Move(c.at(point{a.x + r, a.y}))
	for _, k := range corners {
		path.Line(c.at(k.before))
		if r > 0 {
			path.QuadTo(c.at(k.corner), c.at(k.after))
		}
	}
	path.Close()
}

func (c *canvas) write(m *mark) {
	if m.text == "" {
		return
	}
	c.SetColor(shades[m.fill].light)
	face := typefaces.face(m.size, m.bold)
	shift := 0.0
	switch m.anchor {
	case middle:
		shift = -float64(face.Width(m.text)) / 2
	case end:
		shift = -float64(face.Width(m.text))
	}
	c.Push()
	c.Translate(c.at(m.points[0]))
	if m.turned {
		c.Rotate(math.Pi / 2)
	}
	c.FillString(face, vg.Point{X: vg.Length(shift)}, m.text)
	c.Pop()
}
