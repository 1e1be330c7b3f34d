package generalised

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/dataset"
	"tobac/internal/must"

	"gonum.org/v1/gonum/floats"
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
			difference(t, fmt.Sprint(name, ", weights ", weighted), at,
				func(x, g, h []float64) float64 {
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

// The evidence of a normal equation is the density of a t distribution of all rows, of 2a degrees
// of freedom and the scale (b/a)(I + ZDZ'), here from gonum.
func TestNormalEvidence(t *testing.T) {
	const n, jacobian = 9, 0.7
	rng := rand.New(rand.NewPCG(2, 6))
	y, columns, variance := make([]float64, n), [][]float64{make([]float64, n), make([]float64, n)},
		[]float64{0.3, 2}
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
			v := constantVariance + variance[0]*columns[0][i]*columns[0][k] +
				variance[1]*columns[1][i]*columns[1][k]
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

// What a parent adds at its values is what its columns add in their rows, but for the interpolation
// between knots.
func TestParts(t *testing.T) {
	const n = 300
	for name, v := range map[string]Variable{
		"real":     {},
		"positive": {Kind: dataset.Positive},
		"count":    {Kind: dataset.Count},
		"ordered":  {Kind: dataset.Ordered, Levels: 5, Values: []float64{1, 2, 4, 8, 9}},
		"category": {Kind: dataset.Categorical, Levels: 4},
	} {
		rng := rand.New(rand.NewPCG(1, 4))
		x := make([]float64, n)
		for i := range x {
			switch x[i] = 5 + rng.NormFloat64(); {
			case v.Kind == dataset.Positive:
				x[i] = math.Exp(x[i])
			case v.Kind == dataset.Count:
				x[i] = math.Floor(5 * x[i])
			case v.Levels > 0:
				x[i] = float64(rng.IntN(v.Levels - 1)) // the last level does not occur
			}
		}
		s := &Scorer{all: []covariates{newCovariates(x, v)}}
		c := &s.all[0]
		straight, curved := make([][]float64, 2), make([][]float64, 2)
		for q := range 2 {
			for range c.straight {
				straight[q] = append(straight[q], rng.NormFloat64())
			}
			for range c.curved {
				curved[q] = append(curved[q], rng.NormFloat64())
			}
		}
		p := s.all[0].part(straight, curved)
		off, all := 0.0, 0.0
		for i, at := range x {
			if v.Levels > 0 {
				at = v.values()[int(at)]
			}
			got := make([]float64, 2)
			p.addTo(got, at)
			for q := range 2 {
				want := 0.0
				for k, w := range straight[q] {
					want += w * c.straight[k][i]
				}
				for k, w := range curved[q] {
					want += w * c.curved[k][i]
				}
				off, all = off+(got[q]-want)*(got[q]-want), all+want*want
			}
		}
		if off > 0.03*0.03*all {
			t.Errorf("%s: off by %.1g of its size, want at most 0.03", name, math.Sqrt(off/all))
		}
	}
}

// Derivatives summed by products of columns are those summed column by column, and the factor of
// a Hessian of several panels is gonum's.
func TestSumsOfDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	p := drawn(newSoftmax(5), 40, rng)
	for range 6 {
		column := make([]float64, len(p.y))
		for i := range column {
			column[i] = rng.NormFloat64()
		}
		p.columns, p.variance = append(p.columns, column), append(p.variance, 0.7)
	}
	theta := make([]float64, p.size())
	for a := range theta {
		theta[a] = 0.3 * rng.NormFloat64()
	}
	size, w := len(theta), p.newWork()
	if w.weights == nil {
		t.Fatal("no products of columns")
	}
	byColumn := *w
	byColumn.weights, byColumn.hPair, byColumn.hRow = nil, len(p.y), 1
	g, h := make([]float64, size), mat.NewSymDense(size, nil)
	wantG, wantH := make([]float64, size), mat.NewSymDense(size, nil)
	v, want := p.density(w, theta, g, h), p.density(&byColumn, theta, wantG, wantH)
	if math.Abs(v-want) > 1e-10*math.Abs(want) || !floats.EqualApprox(g, wantG, 1e-10) ||
		!mat.EqualApprox(h, wantH, 1e-10) {
		t.Errorf("by products %v, %v, by columns %v, %v", v, g, want, wantG)
	}

	f := newFactor(size)
	var negative mat.SymDense
	negative.ScaleSym(-1, h)
	var root mat.Cholesky
	if !f.set(h, 0) || !root.Factorize(&negative) {
		t.Fatal("no factor")
	}
	x := mat.NewVecDense(size, nil)
	must.Do(t, root.SolveVecTo(x, mat.NewVecDense(size, g)))
	if f.solve(g); math.Abs(f.logDet()-root.LogDet()) > 1e-10*root.LogDet() ||
		!floats.EqualApprox(g, x.RawVector().Data, 1e-9) {
		t.Errorf("log determinant %v, want %v", f.logDet(), root.LogDet())
	}
	if f.set(wantH, -1e9) {
		t.Error("a matrix that is not positive definite has a factor")
	}
}
