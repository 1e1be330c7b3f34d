package ordering

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// The ridge on every coefficient: the square root of the float64 epsilon, and
// the largest that is tried where the equations are not positive definite.
const (
	smallestRidge = 1.49e-8
	largestRidge  = 1e-4
)

// An additive model regresses the columns of the data on some of them, the
// predictors, with one smooth per predictor. All targets share the design
//
//	Z = [B_a : a a predictor],   M = ZᵀZ + λ·blockdiag(DᵀD) + ridge·I = L Lᵀ,
//
// with the basis B_a of a smooth centred, so that its constant direction is null
// in both terms and the intercept drops out. A new predictor appends K rows to
// M, hence to L, and K entries to every right-hand side w = L⁻¹ Zᵀy: each
// coefficient is factored once.
type additive struct {
	*work
	smoother Smoother
	k        int
	ridge    float64
	penalty  []float64      // K×K
	y        blas64.General // d×n: row j is column j of the data, centred

	predictors []int
	z          blas64.General // row per coefficient, n values each: Zᵀ
	l          blas64.General // lower triangle of the rows of L
	w          blas64.General // row j is w of target j
}

// newAdditive prepares for up to most predictors among the columns of x.
func newAdditive(w *work, x mat.Matrix, columns []column, s Smoother, most int) *additive {
	n, d := x.Dims()
	k := smoothers[s].k
	m := &additive{work: w, smoother: s, k: k, ridge: smallestRidge, penalty: s.penaltyMatrix(),
		y: blas64.General{Rows: d, Cols: n, Stride: n, Data: make([]float64, d*n)}}
	first := 0
	centredBlocks(w, x, columns, func(block blas64.General) {
		for j := range d {
			copy(m.y.Data[j*n+first:], block.Data[j*block.Stride:j*block.Stride+block.Cols])
		}
		first += block.Cols
	})
	size := k * most
	m.z = blas64.General{Cols: n, Stride: n, Data: make([]float64, size*n)}
	m.l = blas64.General{Stride: size, Data: make([]float64, size*size)}
	m.w = blas64.General{Rows: d, Stride: size, Data: make([]float64, d*size)}
	return m
}

// add makes column a a predictor. Where the equations are not positive definite
// it factors them again with ten times the ridge, and again, up to largestRidge.
func (m *additive) add(a int) error {
	m.predictors = append(m.predictors, a)
	from := len(m.predictors) - 1
	for !m.extend(from) {
		if m.done() {
			return m.err
		}
		if m.ridge *= 10; m.ridge > largestRidge {
			return fmt.Errorf("ordering: %w: the additive fit on %d columns, even with a ridge "+
				"of %.3g", errSingular, len(m.predictors), m.ridge/10)
		}
		from = 0
	}
	return nil
}

// extend factors the rows of the predictors with the numbers from and above.
func (m *additive) extend(from int) bool {
	m.z.Rows, m.l.Rows, m.l.Cols, m.w.Cols = from*m.k, from*m.k, from*m.k, from*m.k
	for _, a := range m.predictors[from:] {
		if !m.factor(a) {
			return false
		}
	}
	return true
}

// factor appends the smooth of column a:
//
//	L₂₁ = Z₂ᵀZ₁ L₁₁⁻ᵀ,   L₂₂ L₂₂ᵀ = Z₂ᵀZ₂ + λDᵀD + ridge·I − L₂₁L₂₁ᵀ,   w₂ = L₂₂⁻¹ (Z₂ᵀy − L₂₁w₁).
func (m *additive) factor(a int) bool {
	k, p, n := m.k, m.z.Rows, m.y.Cols
	z2 := blas64.General{Rows: k, Cols: n, Stride: n, Data: m.z.Data[p*n:]}
	copy(z2.Data, m.smoother.basis(m.y.Data[a*n:a*n+n]))
	for i := range k {
		row := z2.Data[i*n : i*n+n]
		mean := 0.0
		for _, v := range row {
			mean += v
		}
		mean /= float64(n)
		for r := range row {
			row[r] -= mean
		}
	}

	stride := m.l.Stride
	l11 := blas64.Triangular{N: p, Stride: stride, Data: m.l.Data, Uplo: blas.Lower,
		Diag: blas.NonUnit}
	l21 := blas64.General{Rows: k, Cols: p, Stride: stride, Data: m.l.Data[p*stride:]}
	l22 := blas64.Symmetric{N: k, Stride: stride, Data: m.l.Data[p*stride+p:], Uplo: blas.Lower}
	blas64.Syrk(blas.NoTrans, 1, z2, 0, l22)
	for i := range k {
		for j := range i + 1 {
			l22.Data[i*stride+j] += m.penalty[i*k+j]
		}
		l22.Data[i*stride+i] += m.ridge
	}
	if p > 0 {
		m.product(blas.Trans, 1, z2, m.z, 0, l21)
		m.divide(blas.Trans, l11, l21)
		blas64.Syrk(blas.NoTrans, -1, l21, 1, l22)
	}
	root, ok := lapack64.Potrf(l22)
	if !ok || m.done() {
		return false
	}
	w1 := m.w
	w2 := blas64.General{Rows: m.w.Rows, Cols: k, Stride: stride, Data: m.w.Data[p:]}
	m.product(blas.Trans, 1, m.y, z2, 0, w2)
	if p > 0 {
		m.product(blas.Trans, -1, w1, l21, 1, w2)
	}
	m.divide(blas.Trans, root, w2)
	m.z.Rows, m.l.Rows, m.l.Cols, m.w.Cols = p+k, p+k, p+k, p+k
	return true
}

// fit returns the fitted values f = Z L⁻ᵀw of the targets, one row of n values
// each. Their mean is 0.
func (m *additive) fit(targets []int) blas64.General {
	p, n := m.z.Rows, m.y.Cols
	beta := blas64.General{Rows: len(targets), Cols: p, Stride: max(p, 1),
		Data: make([]float64, len(targets)*p)}
	f := blas64.General{Rows: len(targets), Cols: n, Stride: n,
		Data: make([]float64, len(targets)*n)}
	if p == 0 || len(targets) == 0 {
		return f
	}
	for i, j := range targets {
		copy(beta.Data[i*p:i*p+p], m.w.Data[j*m.w.Stride:])
	}
	l := blas64.Triangular{N: p, Stride: m.l.Stride, Data: m.l.Data, Uplo: blas.Lower,
		Diag: blas.NonUnit}
	m.divide(blas.NoTrans, l, beta)
	m.product(blas.NoTrans, 1, beta, m.z, 0, f)
	return f
}

// fittedVariance sets dst[j], for every target j, to the variance (divisor n−1)
// of its fitted values.
func (m *additive) fittedVariance(dst []float64, targets []int) {
	f := m.fit(targets)
	for i, j := range targets {
		dst[j] = sampleVariance(f.Data[i*f.Stride : i*f.Stride+f.Cols])
	}
}

// sampleVariance is the variance of x with divisor n−1, in two passes.
func sampleVariance(x []float64) float64 {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	sum := 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return sum / math.Max(1, float64(len(x)-1))
}
