package scene

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
)

// A scene is a picture: marks on a plane whose y axis points down, in pixels of a
// screen. Later marks cover earlier ones.
type Scene struct {
	Width, Height float64
	Marks         []Mark
}

// A mark is one shape or one line of text.
type Mark struct {
	Shape  Kind
	Points []Point // of a path: see Kind; of text: where it is anchored
	Size   float64 // text: height of the font; circle: radius; rectangle: radius of its corners

	Fill, Stroke Ink     // none: not painted
	Opacity      float64 // of the fill, from 0 to 1; 0 stands for 1
	Width        float64 // of the stroke
	Dashed       bool

	Text   string
	Anchor Anchor
	Bold   bool
	Turned bool // text reads upwards

	Tip string // what a pointer that rests on it shows; "" means nothing
}

// Margin is the room around what a scene shows, in pixels.
const Margin = 14.0

// A Point is a place on the plane.
type Point struct{ X, Y float64 }

// At is the point with these coordinates.
func At(x, y float64) Point { return Point{x, y} }

// A Kind says what the points of a mark are.
type Kind int

// What marks are.
const (
	Rectangle Kind = iota // two opposite corners, left above first
	Circle                // the centre
	Line                  // a line from point to point
	Area                  // the same, closed
	Curve                 // cubic Bézier curves: a start, then three points for each
	label                 // text
)

// An Anchor says which part of a text is at its point; vertically that is its base line.
type Anchor int

// Parts of a text.
const (
	Start Anchor = iota
	Middle
	End
)

// Add puts marks over those that are there.
func (s *Scene) Add(m ...Mark) { s.Marks = append(s.Marks, m...) }

// Move returns marks at a distance from where they are.
func Move(marks []Mark, by Point) []Mark {
	out := make([]Mark, len(marks))
	for k, m := range marks {
		points := make([]Point, len(m.Points))
		for i, p := range m.Points {
			points[i] = Point{p.X + by.X, p.Y + by.Y}
		}
		m.Points = points
		out[k] = m
	}
	return out
}

// Box is a rectangle with round corners; x and y are its left upper one.
func Box(x, y, w, h, radius float64, fill, stroke Ink) Mark {
	return Mark{Shape: Rectangle, Points: []Point{{x, y}, {x + w, y + h}}, Size: radius, Fill: fill,
		Stroke: stroke, Width: 1}
}

// Rule is a line one pixel wide.
func Rule(x1, y1, x2, y2 float64, stroke Ink) Mark {
	return Mark{Shape: Line, Points: []Point{{x1, y1}, {x2, y2}}, Stroke: stroke, Width: 1}
}

// Words is a line of text of a size in pixels.
func Words(x, y, size float64, a Anchor, fill Ink, text string) Mark {
	return Mark{Shape: label, Points: []Point{{x, y}}, Size: size, Anchor: a, Fill: fill,
		Text: text}
}

// The fonts of pictures. Browsers take Arial, Liberation Sans or Helvetica, whose
// characters have the same widths.
var typefaces = newTypefaces()

type faces struct {
	cache         *font.Cache
	regular, bold font.Font
}

func newTypefaces() *faces {
	f := &faces{regular: font.Font{Typeface: "Liberation", Variant: "Sans"}}
	f.bold = f.regular
	f.bold.Weight = xfont.WeightBold
	parse := func(text []byte) *opentype.Font {
		face, err := opentype.Parse(text)
		if err != nil {
			panic("scene: font: " + err.Error()) // it is part of the program
		}
		return face
	}
	f.cache = font.NewCache(font.Collection{
		{Font: f.regular, Face: parse(liberationsansregular.TTF)},
		{Font: f.bold, Face: parse(liberationsansbold.TTF)},
	})
	return f
}

// face is a font of a height in pixels.
func (f *faces) face(size float64, bold bool) font.Face {
	kind := f.regular
	if bold {
		kind = f.bold
	}
	return f.cache.Lookup(kind, font.Length(size))
}

// TextWidth is the width of a text in pixels. A character that the font lacks counts as
// wide as it is high, which holds for Chinese, Japanese and Korean.
func TextWidth(text string, size float64, bold bool) float64 {
	face := typefaces.face(size, bold)
	var known strings.Builder
	missing := 0
	var buffer sfnt.Buffer
	for _, c := range text {
		if at, err := face.Face.GlyphIndex(&buffer, c); err != nil || at == 0 {
			missing++
			continue
		}
		known.WriteRune(c)
	}
	return float64(face.Width(known.String())) + float64(missing)*size
}

// Shorten keeps both ends of a text that is wider than a number of pixels.
func Shorten(text string, size, most float64) string {
	if TextWidth(text, size, false) <= most {
		return text
	}
	runes := []rune(text)
	for keep := min(len(runes)-1, int(most/2)); keep > 2; keep-- {
		head := (keep + 1) / 2
		short := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if TextWidth(short, size, false) <= most {
			return short
		}
	}
	return string(runes[:1]) + "…"
}

// Clean is a name as it may be shown: characters that cannot be printed, or that would
// turn the direction of the text around them, are replaced by a visible sign.
func Clean(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == utf8.RuneError || unicode.Is(unicode.Bidi_Control, c) || !unicode.IsPrint(c) &&
			!unicode.Is(unicode.Mn, c):
			return '\u25a1'
		}
		return c
	}, strings.ToValidUTF8(name, "\ufffd"))
}

// Distance between two points.
func Distance(a, b Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }
