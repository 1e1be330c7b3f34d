package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	stdpng "image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/internal/report"
	"tobac/posterior"
)

func svg(t tester, p *report.Picture) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, p.WriteSVG(&b))
	return b.String()
}

func png(t tester, p *report.Picture) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, p.WritePNG(&b))
	return b.String()
}

// An element of a picture.
type element struct {
	name string
	attr map[string]string
	text string // of the element itself, without those in it
	tip  string
}

func (e *element) number(t tester, key string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attr[key], 64)
	if err != nil {
		t.Fatalf("<%s %s=%q>: %v", e.name, key, e.attr[key], err)
	}
	return v
}

// checkSVG parses a picture as XML and asserts that no coordinate is NaN.
func checkSVG(t tester, name, text string) []*element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	var all, open []*element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch v := token.(type) {
		case xml.StartElement:
			e := &element{name: v.Name.Local, attr: map[string]string{}}
			for _, a := range v.Attr {
				e.attr[a.Name.Local] = a.Value
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: <%s %s=%q>", name, e.name, a.Name.Local, a.Value)
				}
			}
			all, open = append(all, e), append(open, e)
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(v)
			}
		case xml.EndElement:
			if n := len(open); n > 1 && v.Name.Local == "title" {
				open[n-2].tip = open[n-1].text
			}
			open = open[:len(open)-1]
		}
	}
	return all
}

// checkPNG decodes an image and compares its size with that of the picture.
func checkPNG(t tester, name, data string, root *element) image.Image {
	t.Helper()
	im, err := stdpng.Decode(strings.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	w, h := root.number(t, "width"), root.number(t, "height")
	got := im.Bounds()
	scale := math.Min(2, math.Sqrt(16e6/(w*h)))
	if !(math.Abs(float64(got.Dx())-scale*w) <= 0.03*scale*w+2) ||
		!(math.Abs(float64(got.Dy())-scale*h) <= 0.03*scale*h+2) || got.Dx()*got.Dy() > 17e6 {
		t.Errorf("%s: image of %v for a picture of %g×%g, want about %.3g times that", name, got, w,
			h, scale)
	}
	return im
}

// blank reports whether an image has one colour only.
func blank(im image.Image) bool {
	b := im.Bounds()
	first := im.At(b.Min.X, b.Min.Y)
	for y := b.Min.Y; y < b.Max.Y; y += 2 {
		for x := b.Min.X; x < b.Max.X; x += 2 {
			if im.At(x, y) != first {
				return false
			}
		}
	}
	return true
}

func TestPicturesOfAllSizes(t *testing.T) {
	for _, d := range []int{2, 12, 30, 31, 60, 61} {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			r := build(t, random(d, uint64(d)))
			for _, p := range r.Pictures() {
				if d == 60 { // where only the notes of the page differ from 61
					break
				}
				elements := checkSVG(t, p.Name, svg(t, &p))
				if im := checkPNG(t, p.Name, png(t, &p), elements[0]); blank(im) {
					t.Errorf("%s is blank", p.Name)
				}
			}
			text := html(t, r)
			checkPage(t, text)
			if noted := strings.Contains(text, "are not drawn"); noted != (d > 30) {
				t.Errorf("a note about variables that are not drawn: %v", noted)
			}
			if noted := strings.Contains(text,
				"with the surest relations are drawn"); noted != (d > 60) {
				t.Errorf("a note about heat maps: %v", noted)
			}
		})
	}
}

func TestPicturesOfExtremes(t *testing.T) {
	for name, p := range map[string]func(i, j int) float64{
		"no edge":               func(i, j int) float64 { return 0 },
		"every edge, unknown":   func(i, j int) float64 { return 0.5 },
		"every edge, in a line": func(i, j int) float64 { return map[bool]float64{true: 1}[i < j] },
		"hardly any":            func(i, j int) float64 { return 0.001 },
	} {
		for _, d := range []int{2, 7, 40} {
			c := report.Content{Names: names(d),
				Marginals: posterior.Marginals{Probabilities: filled(d, p)}}
			r := build(t, c)
			checkPage(t, html(t, r))
			for _, p := range r.Pictures() {
				checkSVG(t, name, svg(t, &p))
			}
			if d < 40 {
				continue
			}
			drawn := strings.Count(svg(t, r.Picture("graph")), "<path")
			if most := map[string]int{"every edge, unknown": 250,
				"every edge, in a line": 250}[name]; drawn != most {
				t.Errorf("%s: %d edges drawn, want %d", name, drawn, most)
			}
		}
	}
}

var coordinate = regexp.MustCompile(`-?[0-9.]+`)

// Nodes do not cover each other, edges lead downwards from cause to effect, everything lies within
// the picture, and an edge is dashed and without a head exactly where its direction is not known.
func TestGraphPicture(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := rapid.IntRange(2, 14).Draw(rt, "d")
		c := random(d, rapid.Uint64().Draw(rt, "seed"))
		elements := checkSVG(rt, "graph", svg(rt, build(t, c).Picture("graph")))
		width, height := elements[0].number(rt, "width"), elements[0].number(rt, "height")
		want, directed := 0, 0
		for i := range d {
			for j := range i {
				p, q := c.Marginals.Probabilities.At(i, j), c.Marginals.Probabilities.At(j, i)
				if p+q > report.Related {
					want++
					if math.Max(p, q)/(p+q) >= report.Directed {
						directed++
					}
				}
			}
		}
		type frame struct{ x1, y1, x2, y2 float64 }
		var nodes []frame
		paths, solid, heads := 0, 0, 0
		for _, e := range elements {
			switch {
			case e.name == "rect" && e.attr["rx"] == "7":
				x, y := e.number(rt, "x"), e.number(rt, "y")
				nodes = append(nodes,
					frame{x, y, x + e.number(rt, "width"), y + e.number(rt, "height")})
			case e.name == "path":
				paths++
				if e.attr["stroke-dasharray"] != "" {
					continue
				}
				solid++
				v := coordinate.FindAllString(e.attr["d"], -1)
				first, _ := strconv.ParseFloat(v[1], 64)
				last, _ := strconv.ParseFloat(v[len(v)-1], 64)
				// edges follow the sequence of the variables, so that there is no cycle
				if first >= last {
					rt.Errorf("the edge %q leads upwards", e.tip)
				}
			case e.name == "polygon" && e.tip != "":
				heads++
			}
		}
		if len(nodes) != d || paths != want || solid != directed || heads != directed {
			rt.Errorf("%d nodes, %d edges, %d solid, %d heads; want %d, %d, %d, %d", len(nodes),
				paths, solid, heads, d, want, directed, directed)
		}
		for k, a := range nodes {
			if a.x1 < 0 || a.y1 < 0 || a.x2 > width || a.y2 > height {
				rt.Errorf("node %v outside of %g×%g", a, width, height)
			}
			for _, b := range nodes[:k] {
				if a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2 {
					rt.Errorf("nodes %v and %v cover each other", a, b)
				}
			}
		}
	})
}

// Surer edges are wider, signs have their colours, and what is not clear has none.
func TestEdgeAppearance(t *testing.T) {
	c := report.Content{Names: names(8),
		Marginals: posterior.Marginals{Probabilities: filled(8, func(i, j int) float64 {
			return 0
		}), WeightMean: filled(8, func(i, j int) float64 {
			return 0
		}), WeightSD: filled(8, func(i, j int) float64 { return 1 })}}
	set := func(i int, p, w float64) {
		c.Marginals.Probabilities.Set(i, i+1, p)
		c.Marginals.WeightMean.Set(i, i+1, w)
	}
	set(0, 0.6, 5)
	set(2, 0.8, -5)
	set(4, 1, 1.9)
	set(6, 0.9, math.NaN())
	colours, widths := map[string]string{}, map[string]float64{}
	for _, e := range checkSVG(t, "graph", svg(t, build(t, c).Picture("graph"))) {
		if e.name == "path" {
			name, _, _ := strings.Cut(e.tip, "\n")
			colours[name], widths[name] = e.attr["stroke"], e.number(t, "stroke-width")
		}
	}
	if !(widths["X0 — X1"] < widths["X2 — X3"] && widths["X2 — X3"] < widths["X6 — X7"] &&
		widths["X6 — X7"] < widths["X4 — X5"]) {
		t.Errorf("widths %v do not follow the probabilities", widths)
	}
	if a, b, u := colours["X0 — X1"], colours["X2 — X3"], colours["X4 — X5"]; a == b || a == u ||
		b == u || u != colours["X6 — X7"] {
		t.Errorf("colours %v", colours)
	}
}

// luminance is the relative luminance of WCAG 2 of a colour #rrggbb.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	v := must.Get(strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32))(t)
	linear := func(c uint64) float64 {
		s := float64(c&255) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(v>>16) + 0.7152*linear(v>>8) + 0.0722*linear(v)
}

// Text has the contrast that WCAG asks for on both screens, and the signs differ in grey.
func TestContrast(t *testing.T) {
	text := html(t, build(t, complete()))
	light, dark, _ := strings.Cut(text[strings.Index(text, "<style>"):],
		"@media (prefers-color-scheme:dark)")
	of := func(style, name string) float64 {
		_, rest, found := strings.Cut(style, "--"+name+":")
		if !found {
			t.Fatalf("no colour %s", name)
		}
		return luminance(t, rest[:7])
	}
	ratio := func(a, b float64) float64 { return (math.Max(a, b) + 0.05) / (math.Min(a, b) + 0.05) }
	for name, style := range map[string]string{"light": light, "dark": dark} {
		for _, ink := range []string{"text", "muted", "accent", "limit"} {
			for _, ground := range []string{"paper", "panel"} {
				if r := ratio(of(style, ink), of(style, ground)); r < 4.5 {
					t.Errorf("%s: %s on %s has the contrast %.2f, want 4.5", name, ink, ground, r)
				}
			}
		}
		for _, pair := range [][2]string{{"heat-text", "heat"}, {"turn-text", "turn"}} {
			if r := ratio(of(style, pair[0]), of(style, pair[1])); r < 4.5 {
				t.Errorf("%s: %s has the contrast %.2f, want 4.5", name, pair[0], r)
			}
		}
		for _, ink := range []string{"positive", "negative", "uncertain"} {
			if r := ratio(of(style, ink), of(style, "paper")); r < 2.7 {
				t.Errorf("%s: %s lines have the contrast %.2f, want 2.7", name, ink, r)
			}
		}
		if r := ratio(of(style, "positive"), of(style, "negative")); r < 1.8 {
			t.Errorf("%s: the signs differ by %.2f in grey, want 1.8", name, r)
		}
	}
}
