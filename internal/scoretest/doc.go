// Package scoretest has data and comparisons for the tests of node scores.
package scoretest

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/nodescore"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// Near reports equality to a relative tolerance, absolute below 1.
func Near(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))
}

// RandomMask sets about a fifth of the entries by intervention, with no two columns
// alike, and, where emptied, all of the last column.
func RandomMask(seed uint64, n, d int, emptied bool) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			if rng.Float64() < 0.2 || emptied && j == d-1 {
				m.Set(i, j, 1)
			}
		}
	}
	return m
}

// Keep returns the rows of x in which column j of the mask is 0.
func Keep(x, mask *mat.Dense, j int) *mat.Dense {
	n, d := x.Dims()
	var data []float64
	rows := 0
	for i := range n {
		if mask == nil || mask.At(i, j) == 0 {
			data = append(data, x.RawRowView(i)...)
			rows++
		}
	}
	if rows == 0 {
		return nil
	}
	return mat.NewDense(rows, d, data)
}

// EverySet calls f for every variable and set of parents.
func EverySet(d int, f func(j int, parents []int)) {
	for j := range d {
		for set := range 1 << d {
			if set>>j&1 == 1 {
				continue
			}
			var parents []int
			for i := range d {
				if set>>i&1 == 1 {
					parents = append(parents, i)
				}
			}
			f(j, parents)
		}
	}
}

// Normals is an n×d matrix of correlated normal numbers: every column has a part
// of the one before it.
func Normals(seed uint64, n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			if j > 0 {
				v += 0.7 * x.At(i, j-1)
			}
			x.Set(i, j, v+0.3)
		}
	}
	return x
}

// NewLinear is the score of data, which it must take.
func NewLinear(t testing.TB, x, mask mat.Matrix, opt score.LinearOptions) score.Linear {
	t.Helper()
	s, err := score.NewLinear(x, mask, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// LogNormal is the log density of y under a normal distribution with mean 0.
func LogNormal(t testing.TB, y []float64, sigma *mat.SymDense) float64 {
	t.Helper()
	var chol mat.Cholesky
	if !chol.Factorize(sigma) {
		t.Fatal("covariance is not positive definite")
	}
	var z mat.VecDense
	v := mat.NewVecDense(len(y), y)
	if err := chol.SolveVecTo(&z, v); err != nil {
		t.Fatal(err)
	}
	return -0.5*float64(len(y))*math.Log(2*math.Pi) - 0.5*chol.LogDet() - 0.5*mat.Dot(v, &z)
}

// NewGP is the score of data, which it must take.
func NewGP(t testing.TB, x, mask mat.Matrix, opt nodescore.GPOptions) *nodescore.GP {
	t.Helper()
	s, err := nodescore.NewGP(x, mask, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
