package ordering

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Gram holds the products of the columns of data, C = XᵀX: all that a linear
// regression needs. It is safe for concurrent use.
type Gram struct {
	rows int
	c    blas64.General // d×d, both triangles
}

// NewGram returns the products of the columns of x (n×d) about their means:
// regressions have an intercept. It fails if d = 0, if a value is NaN or
// infinite ([ErrNotFinite]), if n < 2 ([ErrTooFewRows]), or if a sum of squares
// leaves the range of float64 ([ErrScale]).
func NewGram(x mat.Matrix) (*Gram, error) {
	columns, err := summarise(x)
	if err != nil {
		return nil, err
	}
	return newGram(x, columns)
}

// NewGramAboutZero returns the products of the columns as they are, for data
// whose means are known to be 0, as those of simulated data without intercepts.
// It fails like [NewGram].
func NewGramAboutZero(x mat.Matrix) (*Gram, error) {
	columns, err := summarise(x)
	if err != nil {
		return nil, err
	}
	for j := range columns {
		columns[j] = column{constant: columns[j].constant && x.At(0, j) == 0}
	}
	return newGram(x, columns)
}

func newGram(x mat.Matrix, columns []column) (*Gram, error) {
	n, d := x.Dims()
	if n < 2 {
		return nil, tooFewRows("a regression", n, d, 2)
	}
	c := covariance(x, columns)
	for i := range c.Data {
		c.Data[i] *= float64(n - 1)
	}
	if err := checkScales(diagonal(c), columns); err != nil {
		return nil, err
	}
	for j, about := range columns {
		if about.constant { // its rounded mean may differ from the constant
			for i := range d {
				c.Data[i*d+j], c.Data[j*d+i] = 0, 0
			}
		}
	}
	return &Gram{rows: n, c: c}, nil
}

// Dims returns the number of rows and columns of the data.
func (g *Gram) Dims() (n, d int) { return g.rows, g.c.Cols }

// At returns C_ij.
func (g *Gram) At(i, j int) float64 { return g.c.Data[i*g.c.Stride+j] }

// RSS returns the residual sum of squares of column j regressed on the columns
// in given,
//
//	C_jj − C_jS C_SS⁻¹ C_Sj,
//
// at least 0. It takes |S|³/6 multiplications. ok is false where the columns in
// given depend on each other: one of them has at most 1e-12 of its square left.
func (g *Gram) RSS(j int, given []int) (rss float64, ok bool) {
	fit, ok := g.solve(j, given)
	return fit.rss, ok
}

// A regression is the fit of one column on others.
type regression struct {
	coefficients []float64
	rss          float64
}

// solve regresses column j on the columns in given by a Cholesky factorisation
// of C_SS, row by row, whose last row is that of column j.
func (g *Gram) solve(j int, given []int) (regression, bool) {
	k := len(given)
	l := make([]float64, (k+1)*(k+1))
	members := append(append(make([]int, 0, k+1), given...), j)
	for a, i := range members {
		row := l[a*(k+1) : a*(k+1)+a+1]
		rest := g.At(i, i)
		for b := range a {
			v := g.At(i, members[b])
			for c := range b {
				v -= row[c] * l[b*(k+1)+c]
			}
			row[b] = v / l[b*(k+1)+b]
			rest -= row[b] * row[b]
		}
		switch {
		case a == k:
			row[k] = math.Max(0, rest)
		case !(rest > dependence*g.At(i, i)):
			return regression{}, false
		default:
			row[a] = math.Sqrt(rest)
		}
	}
	last := l[k*(k+1) : k*(k+1)+k+1]
	beta := make([]float64, k) // L_SSᵀ β = last
	for a := k - 1; a >= 0; a-- {
		v := last[a]
		for b := a + 1; b < k; b++ {
			v -= l[b*(k+1)+a] * beta[b]
		}
		beta[a] = v / l[a*(k+1)+a]
	}
	return regression{coefficients: beta, rss: last[k]}, true
}

// checkIndices panics for a column that the data do not have.
func (g *Gram) checkIndices(child int, candidates []int) {
	_, d := g.Dims()
	for _, j := range append([]int{child}, candidates...) {
		if j < 0 || j >= d {
			panic(fmt.Sprintf("ordering: column %d of %d", j, d))
		}
	}
}
