package generalised

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"
)

// The gradient and the Hessian of whole equations, with weights of rows and without, are those of
// differences.
func TestDerivativesOfEquations(t *testing.T) {
	for name, f := range families() {
		for _, weighted := range []bool{false, true} {
			p := drawn(f.family, 12, rand.New(rand.NewPCG(5, 9)))
			if weighted {
				for i := range p.y {
					p.weight = append(p.weight, float64(1+i%3))
				}
			}
			at := p.solve(nil).theta
			for k := range at {
				at[k] += 0.01 * float64(k+1) // cut points stay in sequence
			}
			size, w := len(at), p.newWork()
			hessian := mat.NewSymDense(size, nil)
			difference(t, fmt.Sprint(name, ", weights ", weighted), at, func(x, g, h []float64) float64 {
				v := p.density(w, x, g, hessian)
				for a := range size {
					for b := range size {
						h[a*size+b] = hessian.At(a, b)
					}
				}
				return v
			})
		}
	}
}

// The evidence of a normal equation is the density of a t distribution of all rows, of 2a degrees of
// freedom and the scale (b/a)(I + ZDZ'), here from gonum.
func TestNormalEvidence(t *testing.T) {
	const n, jacobian = 9, 0.7
	rng := rand.New(rand.NewPCG(2, 6))
	y, columns, variance := make([]float64, n), [][]float64{make([]float64, n), make([]float64, n)}, []float64{0.3, 2}
	for i := range n {
		columns[0][i], columns[1][i] = rng.NormFloat64(), rng.NormFloat64()
		y[i] = 5 + 2*columns[0][i] + rng.NormFloat64()
	}
	m := newGram(n, []covariates{{straight: columns[:1], curved: columns[1:]}})
	f, ok := newNormal(m, y, jacobian)
	if !ok {
		t.Fatal("values that vary were refused")
	}
	scale := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			v := constantVariance + variance[0]*columns[0][i]*columns[0][k] + variance[1]*columns[1][i]*columns[1][k]
			if i == k {
				v++
			}
			scale.SetSym(i, k, v*varianceRate/varianceShape)
		}
	}
	of, ok := distmv.NewStudentsT(make([]float64, n), scale, 2*varianceShape, nil)
	if !ok {
		t.Fatal("no distribution")
	}
	want := of.LogProb(standardised(y)) + jacobian - n*math.Log(stat.PopStdDev(y, nil))
	if got := f.evidence([]int{1, 2}, variance); math.Abs(got-want) > 1e-10*math.Abs(want) {
		t.Errorf("log evidence %v, want %v", got, want)
	}
}
