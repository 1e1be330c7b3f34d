package scene

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// fontFamily are typefaces with the widths that the layout assumes.
const fontFamily = `Arial,"Liberation Sans",Helvetica,sans-serif`

// WriteSVG writes the picture as a file that carries its colours.
func (s *Scene) WriteSVG(w io.Writer, title, description string) error {
	var b strings.Builder
	width, height := number(s.Width), number(s.Height)
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="%s">`,
		width, height, width, height, html.EscapeString(fontFamily))
	fmt.Fprintf(&b, "\n<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(title),
		html.EscapeString(description))
	fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="%s"/>`+"\n", width, height,
		hexColour(shades[Paper].light))
	s.writeMarks(&b, func(i Ink) string { return hexColour(shades[i].light) })
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// InlineSVG is the picture for the page, whose style sheet colours it. On wide screens it
// grows to most of its width, on narrow ones it shrinks to least of it, and scrolls within its
// frame from there on.
func (s *Scene) InlineSVG(id, title, description string, least, most float64) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg id="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-title %s-text" style="max-width:%spx;min-width:%spx">`,
		id, number(s.Width), number(s.Height), id, id, number(math.Round(most*s.Width)),
		number(math.Round(least*s.Width)))
	fmt.Fprintf(&b, "\n<title id=\"%s-title\">%s</title>\n<desc id=\"%s-text\">%s</desc>\n", id,
		html.EscapeString(title), id, html.EscapeString(description))
	s.writeMarks(&b, func(i Ink) string { return "var(--" + shades[i].name + ")" })
	b.WriteString("</svg>")
	return b.String()
}

// number is a coordinate with two decimals at most.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64) }

func coordinates(points []Point) string {
	var b strings.Builder
	for k, p := range points {
		if k > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(number(p.X) + "," + number(p.Y))
	}
	return b.String()
}

func (s *Scene) writeMarks(b *strings.Builder, colour func(Ink) string) {
	for k := range s.Marks {
		m := &s.Marks[k]
		element := m.element(b)
		m.paint(b, colour)
		switch {
		case m.Shape == label:
			b.WriteByte('>')
			b.WriteString(m.tooltip())
			b.WriteString(html.EscapeString(m.Text))
			b.WriteString("</text>\n")
		case m.Tip != "":
			fmt.Fprintf(b, ">%s</%s>\n", m.tooltip(), element)
		default:
			b.WriteString("/>\n")
		}
	}
}

func (m *Mark) tooltip() string {
	if m.Tip == "" {
		return ""
	}
	return "<title>" + html.EscapeString(m.Tip) + "</title>"
}

// element opens the element of a mark with its geometry, and returns its name.
func (m *Mark) element(b *strings.Builder) string {
	p := m.Points
	switch m.Shape {
	case Rectangle:
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s"`, number(p[0].X), number(p[0].Y),
			number(p[1].X-p[0].X), number(p[1].Y-p[0].Y))
		if m.Size > 0 {
			fmt.Fprintf(b, ` rx="%s"`, number(m.Size))
		}
		return "rect"
	case Circle:
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s"`, number(p[0].X), number(p[0].Y),
			number(m.Size))
		return "circle"
	case Line:
		fmt.Fprintf(b, `<polyline points="%s"`, coordinates(p))
		return "polyline"
	case Area:
		fmt.Fprintf(b, `<polygon points="%s"`, coordinates(p))
		return "polygon"
	case Curve:
		fmt.Fprintf(b, `<path d="M%s C%s"`, coordinates(p[:1]), coordinates(p[1:]))
		return "path"
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s"`, number(p[0].X), number(p[0].Y),
		number(m.Size))
	if m.Anchor != Start {
		fmt.Fprintf(b, ` text-anchor="%s"`, [...]string{Middle: "middle", End: "end"}[m.Anchor])
	}
	if m.Bold {
		b.WriteString(` font-weight="bold"`)
	}
	if m.Turned {
		fmt.Fprintf(b, ` transform="rotate(-90 %s %s)"`, number(p[0].X), number(p[0].Y))
	}
	return "text"
}

// paint writes how a mark is filled and stroked.
func (m *Mark) paint(b *strings.Builder, colour func(Ink) string) {
	if m.Fill == None {
		b.WriteString(` fill="none"`)
	} else {
		fmt.Fprintf(b, ` fill="%s"`, colour(m.Fill))
		if m.Opacity > 0 && m.Opacity < 1 {
			fmt.Fprintf(b, ` fill-opacity="%s"`, number(m.Opacity))
		}
	}
	if m.Stroke == None {
		return
	}
	fmt.Fprintf(b, ` stroke="%s" stroke-width="%s"`, colour(m.Stroke), number(m.Width))
	if m.Dashed {
		dash, gap := m.dash()
		fmt.Fprintf(b, ` stroke-dasharray="%s %s"`, number(dash), number(gap))
	}
}

// dash is the length of the dashes of a mark and that of the gaps between them.
func (m *Mark) dash() (dash, gap float64) { return 5 + m.Width, 4 + m.Width/2 }
