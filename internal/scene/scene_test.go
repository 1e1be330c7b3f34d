package scene

import (
	"image/color"
	"math"
	"testing"
)

func TestTextForReaders(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Percent(0), "0 %"}, {Percent(1), "100 %"}, {Percent(0.9999), "> 99 %"},
		{Percent(1e-9), "< 1 %"}, {Percent(0.5), "50 %"}, {Percent(math.NaN()), "–"},
		{Percent(0.994), "99 %"}, {Percent(-1e-9), "0 %"}, {Percent(-0.2), "−20 %"},
		{Significant(1234.5, 3), "1230"}, {Significant(-0.001234, 3), "−0.00123"},
		{Significant(0.9999, 2), "1.0"}, {Significant(1e-9, 2), "1.0e-09"},
		{Significant(math.Inf(1), 2), "∞"}, {Significant(0, 3), "0"},
		{Significant(math.NaN(), 2), "–"}, {Significant(123456789, 3), "1.23e+08"},
		{Shorten("short", 12, 100), "short"}, {Clean("a\u202eb\n"), "a□b□"}, {Clean("ü中"), "ü中"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if s := Shorten("a very long name of a column", 12, 80); TextWidth(s, 12, false) > 80 ||
		s[0] != 'a' || s[len(s)-1] != 'n' {
		t.Errorf("shortened to %q", s)
	}
}

// blend is a colour over another: cells that are not opaque lie on panels.
func blend(over, under color.RGBA, opacity float64) color.RGBA {
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(opacity*float64(a) + (1-opacity)*float64(b)))
	}
	return color.RGBA{mix(over.R, under.R), mix(over.G, under.G), mix(over.B, under.B), 255}
}

// Numbers in cells can be read at every opacity, on both screens.
func TestContrastOfCells(t *testing.T) {
	channel := func(c uint8) float64 {
		s := float64(c) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	luminance := func(c color.RGBA) float64 {
		return 0.2126*channel(c.R) + 0.7152*channel(c.G) + 0.0722*channel(c.B)
	}
	for name, of := range map[string]func(Ink) color.RGBA{"light": func(i Ink) color.RGBA {
		return shades[i].light
	}, "dark": func(i Ink) color.RGBA { return shades[i].dark }} {
		for _, pair := range [][2]Ink{{Heat, HeatText}, {Turn, TurnText}} {
			for v := visible; v <= 1; v += 0.01 {
				ground, letters := luminance(blend(of(pair[0]), of(Panel), v)), luminance(of(Text))
				if v > strong {
					letters = luminance(of(pair[1]))
				}
				if r := (math.Max(ground, letters) + 0.05) / (math.Min(ground, letters) +
					0.05); r < 3.3 {
					t.Errorf("%s, %s at %.2f: contrast %.2f, want 3.3", name, pair[0].Name(), v, r)
				}
			}
		}
	}
}

// Ticks are round, within the axis, and between three and nine.
func TestTicks(t *testing.T) {
	for _, span := range [][2]float64{{0, 1}, {-3, 17}, {0.99, 1.2}, {-1e-3, 2e-3}, {0, 123456},
		{5, 5.02}} {
		a := Axis{span[0], span[1], 0, 100}
		ticks := a.Ticks()
		if len(ticks) < 3 || len(ticks) > 9 {
			t.Errorf("%v: ticks %v", span, ticks)
		}
		for _, v := range ticks {
			if v < span[0]-1e-9 || v > span[1]*(1+1e-9)+1e-9 {
				t.Errorf("%v: tick %g is outside", span, v)
			}
		}
	}
}
