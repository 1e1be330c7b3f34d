package additive

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
)

// Of many rows, derivatives are sums over blocks of rows: those of all rows at once. What is known
// about a mode gives the evidence under other prior variances that a climb finds.
func TestManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	const n = wholeRows + 100
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		a := rng.NormFloat64()
		x.SetRow(i, []float64{a, math.Sin(2*a) + 0.3*rng.NormFloat64()})
	}
	s := must.Get(New(x, nil, Options{}))(t)
	const form = 5 // smooth, normal noise
	if f := forms[form]; f.shape != normal || !f.smooth || f.scale {
		t.Fatalf("form %+v, want smooth functions with normal noise", f)
	}
	e := s.equation(1, []int{0}, form, 1)
	theta := e.with(nil, 1, s.equation(1, []int{0}, 0, 0), s.straight(1, []int{0})[0].theta)
	_, _, near := e.laplace(theta, math.Inf(-1))
	if near == nil {
		t.Fatal("nothing is known about the mode")
	}
	for _, amplitude := range []float64{0.3, 3} {
		other := s.equation(1, []int{0}, form, amplitude)
		got, at, ok := near.under(other.variances())
		start := append([]float64(nil), theta...)
		want, _, _ := other.laplace(start, math.Inf(-1))
		if !ok || math.Abs(got-want) > 0.01 {
			t.Errorf("amplitude %v: log evidence %v, want %v", amplitude, got, want)
		}
		for k, v := range start {
			if ok && math.Abs(at[k]-v) > 0.01 {
				t.Errorf("amplitude %v: parameter %d is %v, want %v", amplitude, k, at[k], v)
			}
		}
	}

	p := take(e.shape, n)
	p.design = make([]float64, len(e.terms)*n)
	for k, term := range e.terms {
		for i := range n {
			p.design[k*n+i] = 1
			if term.column != nil {
				p.design[k*n+i] = term.column[i]
			}
		}
	}
	c := &climb{equation: e, program: p}
	must.Get(c.evaluate(theta))(t)
	m := len(e.terms)
	blocks, whole := mat.NewSymDense(m, nil), mat.NewSymDense(m, nil)
	sums, sum := make([]float64, m), make([]float64, m)
	c.derivatives(sums, blocks, theta)
	c.addDerivatives(sum, whole, make([]float64, m), 0, n)
	for k, term := range e.terms {
		whole.SetSym(k, k, whole.At(k, k)+1/term.variance)
		if want := sum[k] - theta[k]/term.variance; math.Abs(sums[k]-want) > 1e-6 {
			t.Errorf("slope %d is %v in blocks, %v at once", k, sums[k], want)
		}
	}
	if !mat.EqualApprox(blocks, whole, 1e-9*float64(n)) {
		t.Errorf("negative Hessian in blocks\n%v\nat once\n%v", mat.Formatted(blocks),
			mat.Formatted(whole))
	}
}
