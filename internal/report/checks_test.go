package report

import (
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
		if !(math.Abs(c.got-c.want) <= 1e-9) {
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
		for k, p := range []float64{normality(rest).P, equalVariance(rest, [][]float64{x}).P,
			linearity(y, [][]float64{x}).P} {
			if p < 0.1 {
				below[k]++
			}
		}
	}
	for k, n := range below {
		if part := float64(n) / runs; !(math.Abs(part-0.1) <= 0.06) {
			t.Errorf("check %d: p below 0.1 in %g of the runs", k, part)
		}
	}
}

func TestNumbersForReaders(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{plusMinus(0.43712, 0.0131), "0.437 ± 0.013"}, {plusMinus(-7.12, 6.71), "−7.1 ± 6.7"},
		{plusMinus(12345.6, 321), "12346 ± 321"}, {plusMinus(1, math.NaN()), "1.00"},
		{plusMinus(math.NaN(), 1), "–"}, {plusMinus(2, 0), "2.00"},
		{pvalue(0.5), "p = 0.500"}, {pvalue(1e-9), "p < 0.001"}, {pvalue(math.NaN()), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
