package generalised

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
	largest := 0 // the sd is read off the values farthest apart
	least := 0
	for i, v := range y {
		if v > y[largest] {
			largest = i
		}
		if v < y[least] {
			least = i
		}
	}
	sd := (y[largest] - y[least]) / (z[largest] - z[least])
	f := normal{gram: m, v: make([]float64, len(m.columns)), yy: floats.Dot(z, z),
		jacobian: logDerivatives - float64(len(y))*math.Log(sd)}
	for k, column := range m.columns {
		f.v[k] = floats.Dot(z, column)
	}
	return f, true
}

// evidence is that of the equation with some columns, whose weights have the prior variances given
// relative to that of the noise.
func (f normal) evidence(columns []int, variance []float64) float64 {
	p, size := len(columns)+1, len(f.gram.columns)
	at := append([]int{0}, columns...)
	d := append([]float64{constantVariance}, variance...)
	m, u := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
	for a, i := range at {
		for b, k := range at[:a+1] {
			v := f.gram.g[i*size+k] * math.Sqrt(d[a]*d[b])
			if a == b {
				v++
			}
			m.SetSym(a, b, v)
		}
		u.SetVec(a, f.v[i]*math.Sqrt(d[a]))
	}
	var root mat.Cholesky
	if !root.Factorize(m) {
		return math.Inf(-1)
	}
	w := mat.NewVecDense(p, nil)
	_ = root.SolveVecTo(w, u) // an ill-conditioned matrix of eigenvalues from 1 on is solved well enough
	n := f.gram.g[0]
	s := max(f.yy-mat.Dot(u, w), 0)
	before, _ := math.Lgamma(varianceShape)
	after, _ := math.Lgamma(varianceShape + n/2)
	return f.jacobian - n/2*math.Log(2*math.Pi) - 0.5*root.LogDet() +
		varianceShape*math.Log(varianceRate) - before + after - (varianceShape+n/2)*math.Log(varianceRate+s/2)
}
