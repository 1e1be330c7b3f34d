package report

import (
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
)

// series are the numbers of the reference values below.
func series() (x, e, y []float64) {
	for i := range 60 {
		t := float64(i)
		x = append(x, math.Sin(1.7*t)*2+0.1*t)
		v := math.Cos(t*t*0.37) * (1 + 0.05*t)
		if i%13 == 0 {
			v += 3
		}
		e = append(e, v)
		y = append(y, 1+0.5*x[i]+0.05*x[i]*x[i]+v)
	}
	return x, e, y
}

// The p-values of SciPy 1.17.1: scipy.stats.normaltest(e); χ² and F of regressions by
// numpy.linalg.lstsq.
func TestChecksAgainstSciPy(t *testing.T) {
	x, e, y := series()
	rest, _, ok := regress(y, [][]float64{x})
	if !ok {
		t.Fatal("no regression")
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"normality", normality(e).P, 0.04411138588771373},
		{"equal variance", equalVariance(rest, [][]float64{x}).P, 0.04514665009646206},
		{"linearity", linearity(y, [][]float64{x}).P, 0.28241762819988037},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: p %.12g, want %.12g", c.name, c.got, c.want)
		}
	}
}

// On data of the model p-values are uniform: the part below 0.1 of 400 is 0.1 ± 0.015, four
// standard deviations are 0.06.
func TestChecksAreUniformUnderTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const runs = 400
	var below [3]int
	for range runs {
		x, y := make([]float64, 80), make([]float64, 80)
		for i := range x {
			x[i] = rng.NormFloat64()
			y[i] = x[i] + rng.NormFloat64()
		}
		rest, _, _ := regress(y, [][]float64{x})
		for k, p := range []float64{normality(rest).P, equalVariance(rest, [][]float64{x}).P, linearity(y, [][]float64{x}).P} {
			if p < 0.1 {
				below[k]++
			}
		}
	}
	for k, n := range below {
		if part := float64(n) / runs; math.Abs(part-0.1) > 0.06 {
			t.Errorf("check %d: p below 0.1 in %g of the runs", k, part)
		}
	}
}

func TestNumbersForReaders(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percent(0), "0 %"}, {percent(1), "100 %"}, {percent(0.9999), "> 99 %"}, {percent(1e-9), "< 1 %"}, {percent(0.5), "50 %"}, {percent(math.NaN()), "–"}, {percent(0.994), "99 %"}, {percent(-1e-9), "0 %"}, {percent(-0.2), "−20 %"},
		{significant(1234.5, 3), "1230"}, {significant(-0.001234, 3), "−0.00123"}, {significant(0.9999, 2), "1.0"}, {significant(1e-9, 2), "1.0e-09"}, {significant(math.Inf(1), 2), "∞"}, {significant(0, 3), "0"},
		{significant(math.NaN(), 2), "–"}, {significant(123456789, 3), "1.23e+08"},
		{plusMinus(0.43712, 0.0131), "0.437 ± 0.013"}, {plusMinus(-7.12, 6.71), "−7.1 ± 6.7"}, {plusMinus(12345.6, 321), "12346 ± 321"}, {plusMinus(1, math.NaN()), "1.00"}, {plusMinus(math.NaN(), 1), "–"}, {plusMinus(2, 0), "2.00"},
		{pvalue(0.5), "p = 0.500"}, {pvalue(1e-9), "p < 0.001"}, {pvalue(math.NaN()), ""},
		{shorten("short", 12, 100), "short"}, {clean("a\u202eb\n"), "a□b□"}, {clean("ü中"), "ü中"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if s := shorten("a very long name of a column", 12, 80); textWidth(s, 12, false) > 80 || s[0] != 'a' || s[len(s)-1] != 'n' {
		t.Errorf("shortened to %q", s)
	}
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
	for name, of := range map[string]func(ink) color.RGBA{"light": func(i ink) color.RGBA { return shades[i].light }, "dark": func(i ink) color.RGBA { return shades[i].dark }} {
		for _, pair := range [][2]ink{{heat, heatText}, {turn, turnText}} {
			for v := visible; v <= 1; v += 0.01 {
				ground, letters := luminance(blend(of(pair[0]), of(panel), v)), luminance(of(text))
				if v > strong {
					letters = luminance(of(pair[1]))
				}
				if r := (math.Max(ground, letters) + 0.05) / (math.Min(ground, letters) + 0.05); r < 3.3 {
					t.Errorf("%s, %s at %.2f: contrast %.2f, want 3.3", name, shades[pair[0]].name, v, r)
				}
			}
		}
	}
}

// Ticks are round, within the axis, and between three and nine.
func TestTicks(t *testing.T) {
	for _, span := range [][2]float64{{0, 1}, {-3, 17}, {0.99, 1.2}, {-1e-3, 2e-3}, {0, 123456}, {5, 5.02}} {
		a := axis{span[0], span[1], 0, 100}
		ticks := a.ticks()
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
