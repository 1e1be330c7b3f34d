package figures_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/dag"
	"tobac/internal/figures"
	"tobac/internal/scene"
	"tobac/metrics"
)

// A text is where words of a picture are.
type text struct {
	words                    string
	left, top, right, bottom float64
}

// texts reads the words of an SVG file and the room that they take.
func texts(t *testing.T, svg string) (out []text, width, height float64) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attr := map[string]string{}
		for _, a := range e.Attr {
			attr[a.Name.Local] = a.Value
		}
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(attr[name], 64)
			if err != nil {
				t.Fatalf("%s: %v", e.Name.Local, err)
			}
			return v
		}
		switch e.Name.Local {
		case "svg":
			width, height = number("width"), number("height")
		case "text":
			var content struct {
				Words string `xml:",chardata"`
			}
			if err := d.DecodeElement(&content, &e); err != nil {
				t.Fatal(err)
			}
			x, y, size := number("x"), number("y"), number("font-size")
			w := scene.TextWidth(content.Words, size, attr["font-weight"] == "bold")
			from := map[string]float64{"": 0, "middle": w / 2, "end": w}[attr["text-anchor"]]
			// Letters reach from a fifth below the base line to seven tenths above it.
			m := text{content.Words, x - from, y - 0.72*size, x - from + w, y + 0.2*size}
			if attr["transform"] != "" { // turned to the left about (x, y)
				m = text{content.Words, x - 0.72*size, y + from - w, x + 0.2*size, y + from}
			}
			out = append(out, m)
		}
	}
	return out, width, height
}

// No two texts of any figure overlap, none leaves the picture, all letters are in the font
// of PNG files, and every figure is as wide as a page and not higher than one.
func TestTextsHaveRoom(t *testing.T) {
	font, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range gallery() {
		f, err := g.Draw()
		if err != nil {
			t.Fatal(err)
		}
		var svg bytes.Buffer
		if err := f.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		all, width, height := texts(t, svg.String())
		if width != 720 || height > 1040 {
			t.Errorf("%s: size %g×%g", name, width, height)
		}
		for k, a := range all {
			if a.left < 0 || a.right > width+0.5 || a.top < 0 || a.bottom > height {
				t.Errorf("%s: %q leaves the picture: %+v", name, a.words, a)
			}
			for _, c := range a.words {
				var buffer sfnt.Buffer
				if at, err := font.GlyphIndex(&buffer, c); err != nil || at == 0 {
					t.Errorf("%s: %q: the font has no %q", name, a.words, c)
				}
			}
			for _, b := range all[:k] {
				if math.Min(a.right, b.right)-math.Max(a.left, b.left) > 0.5 && math.Min(a.bottom, b.bottom)-math.Max(a.top, b.top) > 0.5 {
					t.Errorf("%s: %q and %q overlap", name, a.words, b.words)
				}
			}
		}
	}
}

// The same with long names, foreign letters, huge, tiny and equal numbers.
func TestTextsOfHostileNumbersHaveRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	long := strings.Repeat("a long name ", 12)
	for _, scale := range []float64{1e-12, 1e-3, 1, 1e5, 1e12} {
		for _, log := range []bool{false, true} {
			b := figures.Boxes{Title: long, Note: long + long, Axis: long, Log: log, Methods: []string{long, "<&\"'>", "ü"}, LevelName: long, Kinds: []int{0, 1, 2}, KindNames: []string{long, long, "c"}}
			c := figures.Curves{Title: long, X: long, Y: long, LogX: log, LogY: log}
			for k := range 5 {
				level := scale
				g := figures.Group{Name: long, Level: &level}
				for range b.Methods {
					values := []float64{scale, scale, scale, scale, scale}
					for i := range values {
						values[i] *= 1 + float64(k)*rng.Float64()
					}
					g.Values = append(g.Values, values)
				}
				b.Groups = append(b.Groups, g)
				c.Series = append(c.Series, figures.Series{Name: long, X: []float64{scale, 2 * scale, 3 * scale}, Runs: [][]float64{{scale, math.NaN(), 2 * scale}}})
			}
			drawn := []drawer{b, c}
			if scale == 1 && log {
				set := figures.Predictions{Probabilities: []float64{0.9, 0.2, 1}, Edges: []bool{true, false, false}}
				few := make([]figures.Judged, 7)
				for k := range few {
					few[k] = figures.Judged{Method: long, Sets: []figures.Predictions{set, set}}
				}
				many := append(few, few...)
				maps := figures.Maps{Title: long, Names: []string{long, "中文", long + "c"}, Maps: []figures.Map{{Name: long, Probabilities: mat.NewDense(3, 3, nil)}, {Name: long, Probabilities: mat.NewDense(3, 3, nil)}}}
				cost := figures.Cost{Name: long, X: []float64{1}, Y: []float64{1e-300}}
				panel := figures.GrowthPanel{X: long, Costs: []figures.Cost{cost, cost}}
				drawn = append(drawn, figures.ROC{Title: long, Methods: few}, figures.ROC{Methods: many}, figures.Calibration{Methods: few[:2]}, figures.Calibration{Methods: many}, maps,
					figures.Growth{Y: long, Panels: []figures.GrowthPanel{panel, panel, panel}})
			}
			for _, d := range drawn {
				f, err := d.Draw()
				if err != nil {
					t.Fatal(err)
				}
				var svg, png bytes.Buffer
				if err := f.WriteSVG(&svg); err != nil {
					t.Fatal(err)
				}
				if scale == 1e-12 && log { // drawing is slow
					if err := f.WritePNG(&png); err != nil {
						t.Fatal(err)
					}
				}
				all, width, height := texts(t, svg.String())
				for k, a := range all {
					if a.left < 0 || a.right > width+0.5 || a.top < 0 || a.bottom > height {
						t.Errorf("scale %g, %T: %q leaves the picture: %+v", scale, d, a.words, a)
					}
					for _, b := range all[:k] {
						if math.Min(a.right, b.right)-math.Max(a.left, b.left) > 0.5 && math.Min(a.bottom, b.bottom)-math.Max(a.top, b.top) > 0.5 {
							t.Errorf("scale %g, %T: %q and %q overlap", scale, d, a.words, b.words)
						}
					}
				}
			}
		}
	}
}

// The areas in the legend are those of package metrics.
func TestAreasAgreeWithMetrics(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const d = 9
	for range 20 {
		truth, p := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				if i < j && (rng.Float64() < 0.3 || i == 0 && j == 1) {
					truth.Set(i, j, 1)
				}
				if i != j {
					p.Set(i, j, math.Round(10*rng.Float64())/10) // with ties
				}
			}
		}
		for _, diagonal := range []bool{false, true} {
			f, err := figures.ROC{Methods: []figures.Judged{{Method: "m", Sets: []figures.Predictions{figures.Pairs(p, truth, diagonal)}}}}.Draw()
			if err != nil {
				t.Fatal(err)
			}
			which := metrics.OffDiagonal
			if diagonal {
				which = metrics.WithDiagonal
			}
			want := fmt.Sprintf("%.3f", metrics.AUROC(p, dag.FromMatrix(truth), which))
			if svg := f.SVG("x"); !strings.Contains(svg, ">"+want+"<") {
				t.Errorf("diagonal %v: no area %s in the legend", diagonal, want)
			}
		}
	}
}

// Intervals hold the frequencies that make what was seen no rarer than 2.5 % either way.
func TestIntervalsAreExact(t *testing.T) {
	for _, c := range []struct{ edges, pairs int }{{0, 7}, {7, 7}, {3, 11}, {1, 200}, {150, 200}} {
		low, high := figures.Interval(c.edges, c.pairs)
		if c.edges > 0 {
			if tail := 1 - (distuv.Binomial{N: float64(c.pairs), P: low}).CDF(float64(c.edges-1)); !(math.Abs(tail-0.025) <= 1e-9) {
				t.Errorf("%v: %g above the lower end, want 0.025", c, tail)
			}
		} else if low != 0 {
			t.Errorf("%v: lower end %g", c, low)
		}
		if c.edges < c.pairs {
			if tail := (distuv.Binomial{N: float64(c.pairs), P: high}).CDF(float64(c.edges)); !(math.Abs(tail-0.025) <= 1e-9) {
				t.Errorf("%v: %g below the upper end, want 0.025", c, tail)
			}
		} else if high != 1 {
			t.Errorf("%v: upper end %g", c, high)
		}
	}
}

// The exponent in the legend is that of the upper half of the points.
func TestExponents(t *testing.T) {
	cost := figures.Cost{Name: "c", X: []float64{1, 2, 4, 8, 16}}
	for _, x := range cost.X {
		cost.Y = append(cost.Y, 7*math.Pow(x, 2.5))
	}
	cost.Y[0], cost.Y[1] = 1e6, 1e6 // which do not count
	f, err := figures.Growth{Y: "seconds", Panels: []figures.GrowthPanel{{X: "d", Costs: []figures.Cost{cost}}}}.Draw()
	if err != nil {
		t.Fatal(err)
	}
	if svg := f.SVG("x"); !strings.Contains(svg, "c: d^2.50<") {
		t.Error("no exponent 2.50 in the legend")
	}
}

// Colours of series differ for readers with and without deficiencies: distances in CIE Lab
// after the simulations of Machado, Oliveira and Fernandes (2009) at full severity.
func TestSeriesAreToldApart(t *testing.T) {
	type matrix [9]float64
	kinds := map[string]matrix{
		"none":         {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	}
	linear := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	lab := func(c color.RGBA, m matrix) [3]float64 {
		in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
		var s [3]float64
		for i := range s {
			s[i] = math.Max(0, math.Min(1, m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2]))
		}
		f := func(v float64) float64 {
			if v > 216.0/24389 {
				return math.Cbrt(v)
			}
			return (24389.0/27*v + 16) / 116
		}
		x := f((0.4124*s[0] + 0.3576*s[1] + 0.1805*s[2]) / 0.9505)
		y := f(0.2126*s[0] + 0.7152*s[1] + 0.0722*s[2])
		z := f((0.0193*s[0] + 0.1192*s[1] + 0.9505*s[2]) / 1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	for kind, m := range kinds {
		for a := range scene.SeriesColours {
			for b := range a {
				for screen := range 2 {
					ca, cb := shade(scene.Series(a), screen), shade(scene.Series(b), screen)
					p, q := lab(ca, m), lab(cb, m)
					if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < 24 {
						t.Errorf("%s, screen %d: series %d and %d are %.1f apart", kind, screen, a+1, b+1, d)
					}
				}
			}
		}
	}
}

// shade is the colour of an ink on light (0) and on dark (1) screens.
func shade(i scene.Ink, screen int) color.RGBA {
	sheet := strings.Split(figures.StyleSheet(), "@media")[screen]
	_, after, _ := strings.Cut(sheet, "--"+i.Name()+":#")
	v, err := strconv.ParseUint(after[:6], 16, 32)
	if err != nil {
		panic(err)
	}
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}
