package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/internal/scene"
)

// fewest are the rows from which on the checks' distributions hold well enough.
const fewest = 20

func untested(why string) Check { return Check{P: math.NaN(), Text: why} }

const noSign = "nothing against it"

// normality is the omnibus test of D'Agostino and Pearson (1973): the sum of the squares of
// the normal forms of skewness (D'Agostino 1970) and kurtosis (Anscombe and Glynn 1983),
// which has a χ² distribution with two degrees of freedom.
func normality(e []float64) Check {
	if len(e) < fewest {
		return untested("too few rows")
	}
	skew, kurtosis, ok := standardMoments(e)
	if !ok {
		return untested("no residuals")
	}
	n := float64(len(e))
	k2 := square(skewnessScore(skew, n)) + square(kurtosisScore(kurtosis, n))
	c := Check{P: math.Exp(-k2 / 2)}
	switch {
	case !c.Failed():
		c.Text = noSign
	case math.Abs(skew) > 0.5 && math.Abs(skew) > math.Abs(kurtosis-3)/2:
		c.Text = "skewed, skewness " + scene.Significant(skew, 2)
	case kurtosis > 4:
		c.Text = "heavy tails, kurtosis " + scene.Significant(kurtosis, 2)
	case kurtosis < 2.2:
		c.Text = "light tails, kurtosis " + scene.Significant(kurtosis, 2)
	default:
		c.Text = fmt.Sprintf("slightly off, skewness %s, kurtosis %s", scene.Significant(skew, 2),
			scene.Significant(kurtosis, 2))
	}
	return c
}

func square(v float64) float64 { return v * v }

// standardMoments are the third and the fourth standardised moments.
func standardMoments(e []float64) (skew, kurtosis float64, ok bool) {
	mean := stat.Mean(e, nil)
	var m2, m3, m4 float64
	for _, v := range e {
		c := v - mean
		m2 += c * c
		m3 += c * c * c
		m4 += c * c * c * c
	}
	n := float64(len(e))
	m2, m3, m4 = m2/n, m3/n, m4/n
	if !(m2 > 0) {
		return 0, 0, false
	}
	return m3 / math.Pow(m2, 1.5), m4 / (m2 * m2), true
}

func skewnessScore(skew, n float64) float64 {
	y := skew * math.Sqrt((n+1)*(n+3)/(6*(n-2)))
	beta2 := 3 * (n*n + 27*n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
	w2 := -1 + math.Sqrt(2*(beta2-1))
	alpha := math.Sqrt(2 / (w2 - 1))
	return math.Asinh(y/alpha) / math.Sqrt(0.5*math.Log(w2))
}

func kurtosisScore(kurtosis, n float64) float64 {
	mean := 3 * (n - 1) / (n + 1)
	variance := 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5))
	x := (kurtosis - mean) / math.Sqrt(variance)
	root := 6 * (n*n - 5*n + 2) / ((n + 7) * (n + 9)) * math.Sqrt(6*(n+3)*(n+5)/(n*(n-2)*(n-3)))
	a := 6 + 8/root*(2/root+math.Sqrt(1+4/(root*root)))
	return (1 - 2/(9*a) - math.Cbrt((1-2/a)/(1+x*math.Sqrt(2/(a-4))))) / math.Sqrt(2/(9*a))
}

// equalVariance is the test of Breusch and Pagan (1979) in Koenker's form: n R² of a
// regression of the squared residuals on the parents has a χ² distribution.
func equalVariance(e []float64, parents [][]float64) Check {
	if len(parents) == 0 {
		return untested("no parents")
	}
	k := len(parents)
	if len(e) < fewest+k {
		return untested("too few rows")
	}
	squares := make([]float64, len(e))
	for i, v := range e {
		squares[i] = v * v
	}
	rest, _, ok := regress(squares, parents)
	total := stat.Variance(squares, nil) * float64(len(e)-1)
	if !ok || !(total > 0) {
		return untested("dependent columns")
	}
	r2 := math.Max(0, 1-floats.Dot(rest, rest)/total)
	c := Check{P: distuv.ChiSquared{K: float64(k)}.Survival(float64(len(e)) * r2), Text: noSign}
	if c.Failed() {
		c.Text = "uneven, " + scene.Percent(r2)
	}
	return c
}

// linearity is Ramsey's RESET (1969): an F test of the squares and cubes of the fitted
// values in the regression on the parents.
func linearity(y []float64, parents [][]float64) Check {
	if len(parents) == 0 {
		return untested("no parents")
	}
	k := len(parents)
	if len(y) < fewest+k+3 {
		return untested("too few rows")
	}
	rest, fitted, ok := regress(y, parents)
	if !ok {
		return untested("dependent columns")
	}
	scale(fitted)
	squares, cubes := make([]float64, len(y)), make([]float64, len(y))
	for i, v := range fitted {
		squares[i], cubes[i] = v*v, v*v*v
	}
	curved, _, ok := regress(y, append(parents[:k:k], squares, cubes))
	before, after := floats.Dot(rest, rest), 0.0
	if ok {
		after = floats.Dot(curved, curved)
	}
	if !(after > 0) {
		return untested("a parent with too few values")
	}
	free := float64(len(y) - k - 3)
	f := math.Max(0, before-after) / 2 / (after / free)
	c := Check{P: distuv.F{D1: 2, D2: free}.Survival(f), Text: noSign}
	if c.Failed() {
		c.Text = "curved, " + scene.Percent((before-after)/before)
	}
	return c
}

// scale shifts and scales values to mean 0 and variance 1, if they differ at all.
func scale(v []float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	for i := range v {
		v[i] -= mean
		if sd > 0 {
			v[i] /= sd
		}
	}
}

// regress is the least-squares fit of y by a constant and the columns x: its residuals and
// its values. ok is false where the columns are linearly dependent.
func regress(y []float64, x [][]float64) (residuals, fitted []float64, ok bool) {
	n, k := len(y), len(x)
	a := mat.NewDense(n, k+1, nil)
	for c, column := range x {
		column = append([]float64(nil), column...)
		scale(column)
		a.SetCol(c+1, column)
	}
	for i := range n {
		a.Set(i, 0, 1)
	}
	var qr mat.QR
	qr.Factorize(a)
	const worst = 1e8 // condition beyond which the values are noise
	if cond := qr.Cond(); !(cond < worst) {
		return nil, nil, false
	}
	target := mat.NewVecDense(n, append([]float64(nil), y...))
	var coefficients, values mat.VecDense
	if err := qr.SolveVecTo(&coefficients, false, target); err != nil {
		return nil, nil, false
	}
	values.MulVec(a, &coefficients)
	target.SubVec(target, &values)
	return target.RawVector().Data, values.RawVector().Data, true
}
