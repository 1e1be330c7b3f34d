package generalised

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A normal child is one whose column, or a function of it, is normal: y = Zβ + ε with
// ε ~ N(0, σ²), β ~ N(0, σ² D) and σ² ~ inverse gamma (a, b), on the column scaled to mean 0 and
// variance 1. Its evidence is
//
//	ln p(y) = −n/2 ln 2π − ½ ln|I + D^½ G D^½| + a ln b − ln Γ(a) + ln Γ(a + n/2) − (a + n/2) ln(b + s/2),
//	s = y'y − v'(D⁻¹ + G)⁻¹v,   G = Z'Z,   v = Z'y.
type normal struct {
	gram     *gram
	v        []float64 // Z'y of all columns
	yy       float64
	jacobian float64 // of the function, scaling included
	form     int     // of a [Function]
	mean, sd float64 // of the function of the column
}

const (
	varianceShape    = 1
	varianceRate     = 0.25
	constantVariance = 1
)

// A gram holds the products of all covariates of all variables, and a constant, which comes first.
type gram struct {
	columns [][]float64
	g       []float64
	first   [][2]int // of each variable: its straight and its curved columns
}

func newGram(n int, all []covariates) *gram {
	constant := make([]float64, n)
	for i := range constant {
		constant[i] = 1
	}
	m := &gram{columns: [][]float64{constant}}
	for _, c := range all {
		at := len(m.columns)
		m.first = append(m.first, [2]int{at, at + len(c.straight)})
		m.columns = append(append(m.columns, c.straight...), c.curved...)
	}
	size := len(m.columns)
	m.g = make([]float64, size*size)
	for a := range size {
		for b := range a + 1 {
			v := floats.Dot(m.columns[a], m.columns[b])
			m.g[a*size+b], m.g[b*size+a] = v, v
		}
	}
	return m
}

// newNormal is that of a function of the column with the given values, whose log derivatives have
// the given sum; ok is false if these do not vary.
func newNormal(m *gram, y []float64, logDerivatives float64) (_ normal, ok bool) {
	if len(y) < 2 || floats.Min(y) == floats.Max(y) {
		return normal{}, false
	}
	z := standardised(y)
	mean, sd := momentsOf(y, z)
	f := normal{gram: m, v: make([]float64, len(m.columns)), yy: floats.Dot(z, z),
		mean: mean, sd: sd,
		jacobian: logDerivatives - float64(len(y))*math.Log(sd)}
	for k, column := range m.columns {
		f.v[k] = floats.Dot(z, column)
	}
	return f, true
}

// A solution is what the data say about the equation with some columns.
type solution struct {
	scale []float64 // square roots of prior variances, that of the constant first
	root  mat.Cholesky
	mode  *mat.VecDense // weights over scale
	rest  float64       // s
}

// solve solves the equation with some columns, whose weights have the prior variances given
// relative to that of the noise; false if it has no solution.
func (f normal) solve(columns []int, variance []float64) (s solution, ok bool) {
	p, size := len(columns)+1, len(f.gram.columns)
	at := append([]int{0}, columns...)
	for _, v := range append([]float64{constantVariance}, variance...) {
		s.scale = append(s.scale, math.Sqrt(v))
	}
	m, u := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
	for a, i := range at {
		for b, k := range at[:a+1] {
			v := f.gram.g[i*size+k] * s.scale[a] * s.scale[b]
			if a == b {
				v++
			}
			m.SetSym(a, b, v)
		}
		u.SetVec(a, f.v[i]*s.scale[a])
	}
	if !s.root.Factorize(m) {
		return s, false
	}
	s.mode = mat.NewVecDense(p, nil)
	// an ill-conditioned matrix of eigenvalues from 1 on is solved well enough
	_ = s.root.SolveVecTo(s.mode, u)
	s.rest = max(f.yy-mat.Dot(u, s.mode), 0)
	return s, true
}

// evidence is that of the equation with some columns.
func (f normal) evidence(columns []int, variance []float64) float64 {
	s, ok := f.solve(columns, variance)
	if !ok {
		return math.Inf(-1)
	}
	n := f.gram.g[0]
	before, _ := math.Lgamma(varianceShape)
	after, _ := math.Lgamma(varianceShape + n/2)
	return f.jacobian - n/2*math.Log(2*math.Pi) - 0.5*s.root.LogDet() +
		varianceShape*math.Log(varianceRate) - before +
		after - (varianceShape+n/2)*math.Log(varianceRate+s.rest/2)
}

// draw draws the weights, the constant first, and the standard deviation of the noise.
func (f normal) draw(columns []int, variance []float64, rng *rand.Rand) (weights []float64,
	sd float64) {
	s, ok := f.solve(columns, variance)
	if !ok {
		panic("generalised: an equation without evidence is drawn")
	}
	n := f.gram.g[0]
	sd = 1 / math.Sqrt(distuv.Gamma{Alpha: varianceShape + n/2, Beta: varianceRate + s.rest/2,
		Src: rng}.Rand())
	z := mat.NewVecDense(len(s.scale), nil)
	for k := range s.scale {
		z.SetVec(k, sd*rng.NormFloat64())
	}
	var u mat.TriDense
	s.root.UTo(&u)
	_ = z.SolveVec(&u, z)
	z.AddVec(z, s.mode)
	weights = z.RawVector().Data
	floats.Mul(weights, s.scale)
	return weights, sd
}
