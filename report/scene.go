package report

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
type scene struct {
	width, height float64
	marks         []mark
}

// A mark is one shape or one line of text.
type mark struct {
	shape  shape
	points []point // of a path: see shape; of text: where it is anchored
	size   float64 // text: height of the font; circle: radius; rectangle: radius of its corners

	fill, stroke ink     // none: not painted
	opacity      float64 // of the fill, from 0 to 1; 0 stands for 1
	width        float64 // of the stroke
	dashed       bool

	text   string
	anchor anchor
	bold   bool
	turned bool // text reads upwards

	tip string // what a pointer that rests on it shows; "": nothing
}

type point struct{ x, y float64 }

// shape says what the points of a mark are.
type shape int

const (
	rectangle shape = iota // two opposite corners, left above first
	circle                 // the centre
	line                   // a line from point to point
	area                   // the same, closed
	curve                  // cubic Bézier curves: a start, then three points for each
	label                  // text
)

// anchor says which part of a text is at its point; vertically that is its base line.
type anchor int

const (
	start anchor = iota
	middle
	end
)

func (s *scene) add(m ...mark) { s.marks = append(s.marks, m...) }

// move shifts marks.
func move(marks []mark, by point) []mark {
	out := make([]mark, len(marks))
	for k, m := range marks {
		points := make([]point, len(m.points))
		for i, p := range m.points {
			points[i] = point{p.x + by.x, p.y + by.y}
		}
		m.points = points
		out[k] = m
	}
	return out
}

func box(x, y, w, h, radius float64, fill, stroke ink) mark {
	return mark{shape: rectangle, points: []point{{x, y}, {x + w, y + h}}, size: radius, fill: fill, stroke: stroke, width: 1}
}

func rule(x1, y1, x2, y2 float64, stroke ink) mark {
	return mark{shape: line, points: []point{{x1, y1}, {x2, y2}}, stroke: stroke, width: 1}
}

func words(x, y, size float64, a anchor, fill ink, text string) mark {
	return mark{shape: label, points: []point{{x, y}}, size: size, anchor: a, fill: fill, text: text}
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
			panic("report: font: " + err.Error()) // it is part of the program
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

// textWidth is the width of a text in pixels. A character that the font lacks counts as
// wide as it is high, which holds for Chinese, Japanese and Korean.
func textWidth(text string, size float64, bold bool) float64 {
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

// shorten keeps both ends of a text that is wider than a number of pixels.
func shorten(text string, size, most float64) string {
	if textWidth(text, size, false) <= most {
		return text
	}
	runes := []rune(text)
	for keep := min(len(runes)-1, int(most/2)); keep > 2; keep-- {
		head := (keep + 1) / 2
		short := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if textWidth(short, size, false) <= most {
			return short
		}
	}
	return string(runes[:1]) + "…"
}

// clean is a name as it may be shown: characters that cannot be printed, or that would
// turn the direction of the text around them, are replaced by a visible sign.
func clean(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == utf8.RuneError || unicode.Is(unicode.Bidi_Control, c) || !unicode.IsPrint(c) && !unicode.Is(unicode.Mn, c):
			return '\u25a1'
		}
		return c
	}, strings.ToValidUTF8(name, "\ufffd"))
}

// distance between two points.
func distance(a, b point) float64 { return math.Hypot(a.x-b.x, a.y-b.y) }
