package chain

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Metric is the kind of the inverse mass that a kernel moves with.
type Metric int

const (
	// Automatic is dense where a window of the warm-up shows that this pays: for up to 128
	// coordinates, with at least 1.5 times as many draws, if in the scales of the diagonal metric
	// the condition number of the dense one is above 16, whose price are trajectories four times as
	// long.
	Automatic Metric = iota
	Diagonal         // a scale for each coordinate
	// with covariances, from the first window with 1.5 times as many draws as coordinates
	Dense
)

// Of an automatic metric that is dense.
const (
	conditioned = 16  // least condition number
	many        = 128 // most coordinates: the eigenvalues of a window take 50 ms then
)

// can is whether n draws are enough for covariances of d coordinates.
func can(n, d int) bool { return d > 1 && 2*n >= 3*d }

// learned is the metric Σ between the covariance C of the draws of a window and the inverse of that
// of their gradients, G: Σ G Σ = C. It makes positions and gradients equally wide in every
// direction, which minimises the Fisher divergence from a normal density with covariance Σ, and
// is the covariance of a normal density from any d + 1 draws, wherever they are. A diagonal one is
// the root of the ratio of variances. Coordinates of which a window shows nothing keep the scale of
// the metric that there was.
func (w Window) learned(kind Metric, before []float64) []float64 {
	n, d := len(w.X), len(w.X[0])
	x, grad := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range w.X {
		x.SetRow(i, w.X[i])
		grad.SetRow(i, w.Grad[i])
	}
	scales, column := make([]float64, d), make([]float64, n) // of standard deviations
	for j := range d {
		old := before[j%len(before)]
		if len(before) > d {
			old = before[j*d+j]
		}
		vx, vg := stat.Variance(mat.Col(column, j, x), nil),
			stat.Variance(mat.Col(column, j, grad), nil)
		square := math.Sqrt(vx / vg)
		if !(square > 1e-200 && square < 1e200) {
			square = old
		}
		scales[j] = math.Sqrt(square)
	}
	diagonal := floats.MulTo(make([]float64, d), scales, scales)
	if kind == Diagonal || !can(n, d) || kind == Automatic && d > many {
		return diagonal
	}
	x.Apply(func(_, j int, v float64) float64 { return v / scales[j] }, x)
	grad.Apply(func(_, j int, v float64) float64 { return v * scales[j] }, grad)
	var c, g mat.SymDense
	stat.CovarianceMatrix(&c, x, nil)
	stat.CovarianceMatrix(&g, grad, nil)
	dense, condition := between(&c, &g)
	if dense == nil || kind == Automatic && condition < conditioned {
		return diagonal
	}
	out := make([]float64, d*d)
	for i := range d {
		for j := range d {
			out[i*d+j] = scales[i] * dense.At(i, j) * scales[j]
		}
	}
	return out
}

// between is the positive definite Σ with Σ G Σ = C, and its condition number: G^(−1/2) (G^(1/2) C
// G^(1/2))^(1/2) G^(−1/2). It is nil if one of them is not positive definite.
func between(c, g *mat.SymDense) (*mat.SymDense, float64) {
	for _, m := range []*mat.SymDense{c, g} {
		d := m.SymmetricDim()
		small := 1e-10 * mat.Trace(m) / float64(d)
		for i := range d {
			m.SetSym(i, i, m.At(i, i)+small)
		}
	}
	root, inverse := roots(g)
	if root == nil {
		return nil, 0
	}
	middle, _ := roots(sandwich(root, c))
	if middle == nil {
		return nil, 0
	}
	out := sandwich(inverse, middle)
	var e mat.EigenSym
	if !e.Factorize(out, false) {
		return nil, 0
	}
	values := e.Values(nil)
	if !(values[0] > 0) || math.IsInf(values[len(values)-1], 0) {
		return nil, 0
	}
	return out, values[len(values)-1] / values[0]
}

// roots are the symmetric square root of m and its inverse.
func roots(m *mat.SymDense) (root, inverse *mat.SymDense) {
	var e mat.EigenSym
	if !e.Factorize(m, true) {
		return nil, nil
	}
	values := e.Values(nil)
	if !(values[0] > 0) {
		return nil, nil
	}
	var v mat.Dense
	e.VectorsTo(&v)
	d := len(values)
	root, inverse = mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	for k, value := range values {
		column := v.ColView(k)
		root.SymRankOne(root, math.Sqrt(value), column)
		inverse.SymRankOne(inverse, 1/math.Sqrt(value), column)
	}
	return root, inverse
}

// sandwich is A B A.
func sandwich(a, b *mat.SymDense) *mat.SymDense {
	var m mat.Dense
	m.Product(a, b, a)
	d := a.SymmetricDim()
	out := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			out.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return out
}
