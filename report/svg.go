package report

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

// writeSVG writes the picture as a file that carries its colours.
func (s *scene) writeSVG(w io.Writer, title, description string) error {
	var b strings.Builder
	width, height := number(s.width), number(s.height)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="%s">`,
		width, height, width, height, html.EscapeString(fontFamily))
	fmt.Fprintf(&b, "\n<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(title), html.EscapeString(description))
	fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="%s"/>`+"\n", width, height, hexColour(shades[paper].light))
	s.writeMarks(&b, func(i ink) string { return hexColour(shades[i].light) })
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// inlineSVG is the picture for the page, whose style sheet colours it. On wide screens it
// grows to most of its width, on narrow ones it shrinks to least of it, and scrolls within its
// frame from there on.
func (s *scene) inlineSVG(id, title, description string, least, most float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg id="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-title %s-text" style="max-width:%spx;min-width:%spx">`,
		id, number(s.width), number(s.height), id, id, number(math.Round(most*s.width)), number(math.Round(least*s.width)))
	fmt.Fprintf(&b, "\n<title id=\"%s-title\">%s</title>\n<desc id=\"%s-text\">%s</desc>\n", id, html.EscapeString(title), id, html.EscapeString(description))
	s.writeMarks(&b, func(i ink) string { return "var(--" + shades[i].name + ")" })
	b.WriteString("</svg>")
	return b.String()
}

// number is a coordinate with two decimals at most.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64) }

func coordinates(points []point) string {
	var b strings.Builder
	for k, p := range points {
		if k > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(number(p.x) + "," + number(p.y))
	}
	return b.String()
}

func (s *scene) writeMarks(b *strings.Builder, colour func(ink) string) {
	for k := range s.marks {
		m := &s.marks[k]
		element := m.element(b)
		m.paint(b, colour)
		switch {
		case m.shape == label:
			b.WriteByte('>')
			b.WriteString(m.tooltip())
			b.WriteString(html.EscapeString(m.text))
			b.WriteString("</text>\n")
		case m.tip != "":
			fmt.Fprintf(b, ">%s</%s>\n", m.tooltip(), element)
		default:
			b.WriteString("/>\n")
		}
	}
}

func (m *mark) tooltip() string {
	if m.tip == "" {
		return ""
	}
	return "<title>" + html.EscapeString(m.tip) + "</title>"
}

// element opens the element of a mark with its geometry, and returns its name.
func (m *mark) element(b *strings.Builder) string {
	p := m.points
	switch m.shape {
	case rectangle:
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s"`, number(p[0].x), number(p[0].y), number(p[1].x-p[0].x), number(p[1].y-p[0].y))
		if m.size > 0 {
			fmt.Fprintf(b, ` rx="%s"`, number(m.size))
		}
		return "rect"
	case circle:
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s"`, number(p[0].x), number(p[0].y), number(m.size))
		return "circle"
	case line:
		fmt.Fprintf(b, `<polyline points="%s"`, coordinates(p))
		return "polyline"
	case area:
		fmt.Fprintf(b, `<polygon points="%s"`, coordinates(p))
		return "polygon"
	case curve:
		fmt.Fprintf(b, `<path d="M%s C%s"`, coordinates(p[:1]), coordinates(p[1:]))
		return "path"
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s"`, number(p[0].x), number(p[0].y), number(m.size))
	if m.anchor != start {
		fmt.Fprintf(b, ` text-anchor="%s"`, [...]string{middle: "middle", end: "end"}[m.anchor])
	}
	if m.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if m.turned {
		fmt.Fprintf(b, ` transform="rotate(-90 %s %s)"`, number(p[0].x), number(p[0].y))
	}
	return "text"
}

// paint writes how a mark is filled and stroked.
func (m *mark) paint(b *strings.Builder, colour func(ink) string) {
	if m.fill == none {
		b.WriteString(` fill="none"`)
	} else {
		fmt.Fprintf(b, ` fill="%s"`, colour(m.fill))
		if m.opacity > 0 && m.opacity < 1 {
			fmt.Fprintf(b, ` fill-opacity="%s"`, number(m.opacity))
		}
	}
	if m.stroke == none {
		return
	}
	fmt.Fprintf(b, ` stroke="%s" stroke-width="%s"`, colour(m.stroke), number(m.width))
	if m.dashed {
		dash, gap := m.dash()
		fmt.Fprintf(b, ` stroke-dasharray="%s %s"`, number(dash), number(gap))
	}
}

// dash is the length of the dashes of a mark and that of the gaps between them.
func (m *mark) dash() (dash, gap float64) { return 5 + m.width, 4 + m.width/2 }
