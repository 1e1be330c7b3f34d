package scene

import (
	"image/color"
	"image/png"
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
func (s *Scene) pixels() (width, height, dpi int) {
	scale := math.Min(sharpness, math.Sqrt(mostPixels/(s.Width*s.Height)))
	dpi = max(1, int(72*scale))
	size := func(v float64) int { return max(1, int(math.Ceil(v*float64(dpi)/72))) }
	return size(s.Width), size(s.Height), dpi
}

// WritePNG writes the picture as an image, in the colours of light screens.
func (s *Scene) WritePNG(w io.Writer) error {
	width, height, dpi := s.pixels()
	long := func(pixels int) vg.Length { return vg.Length(pixels) * 72 / vg.Length(dpi) }
	c := &canvas{vgimg.NewWith(vgimg.UseWH(long(width), long(height)), vgimg.UseDPI(dpi)),
		float64(long(height))}
	for k := range s.Marks {
		c.draw(&s.Marks[k])
	}
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, c.Image())
}

// A canvas draws marks on an image of gonum/plot, whose y axis points up.
type canvas struct {
	*vgimg.Canvas
	height float64
}

func (c *canvas) at(p Point) vg.Point {
	return vg.Point{X: vg.Length(p.X), Y: vg.Length(c.height - p.Y)}
}

func (c *canvas) draw(m *Mark) {
	if m.Shape == label {
		c.write(m)
		return
	}
	outline := c.outline(m)
	if m.Fill != None {
		fill := color.NRGBA(shades[m.Fill].light) // which is opaque
		if m.Opacity > 0 && m.Opacity < 1 {
			fill.A = uint8(math.Round(255 * m.Opacity))
		}
		c.SetColor(fill)
		c.Fill(outline)
	}
	if m.Stroke == None || m.Width <= 0 {
		return
	}
	c.SetColor(shades[m.Stroke].light)
	c.SetLineWidth(vg.Length(m.Width))
	c.SetLineDash(nil, 0)
	if m.Dashed {
		dash, gap := m.dash()
		c.SetLineDash([]vg.Length{vg.Length(dash), vg.Length(gap)}, 0)
	}
	c.Stroke(outline)
}

func (c *canvas) outline(m *Mark) vg.Path {
	var path vg.Path
	switch m.Shape {
	case Circle:
		centre := c.at(m.Points[0])
		path.Move(vg.Point{X: centre.X + vg.Length(m.Size), Y: centre.Y})
		path.Arc(centre, vg.Length(m.Size), 0, 2*math.Pi)
		path.Close()
	case Rectangle:
		c.round(&path, m)
	case Curve:
		path.Move(c.at(m.Points[0]))
		for k := 1; k+2 < len(m.Points); k += 3 {
			path.CubeTo(c.at(m.Points[k]), c.at(m.Points[k+1]), c.at(m.Points[k+2]))
		}
	default:
		for k, p := range m.Points {
			if k == 0 {
				path.Move(c.at(p))
			} else {
				path.Line(c.at(p))
			}
		}
		if m.Shape == Area {
			path.Close()
		}
	}
	return path
}

// round outlines a rectangle with round corners.
func (c *canvas) round(path *vg.Path, m *Mark) {
	a, b := m.Points[0], m.Points[1]
	r := math.Min(m.Size, math.Min(b.X-a.X, b.Y-a.Y)/2)
	corners := []struct{ before, corner, after Point }{
		{Point{b.X - r, a.Y}, Point{b.X, a.Y}, Point{b.X, a.Y + r}},
		{Point{b.X, b.Y - r}, b, Point{b.X - r, b.Y}},
		{Point{a.X + r, b.Y}, Point{a.X, b.Y}, Point{a.X, b.Y - r}},
		{Point{a.X, a.Y + r}, a, Point{a.X + r, a.Y}},
	}
	path.Move(c.at(Point{a.X + r, a.Y}))
	for _, k := range corners {
		path.Line(c.at(k.before))
		if r > 0 {
			path.QuadTo(c.at(k.corner), c.at(k.after))
		}
	}
	path.Close()
}

func (c *canvas) write(m *Mark) {
	if m.Text == "" {
		return
	}
	c.SetColor(shades[m.Fill].light)
	face := typefaces.face(m.Size, m.Bold)
	shift := 0.0
	switch m.Anchor {
	case Middle:
		shift = -float64(face.Width(m.Text)) / 2
	case End:
		shift = -float64(face.Width(m.Text))
	}
	c.Push()
	c.Translate(c.at(m.Points[0]))
	if m.Turned {
		c.Rotate(math.Pi / 2)
	}
	c.FillString(face, vg.Point{X: vg.Length(shift)}, m.Text)
	c.Pop()
}
