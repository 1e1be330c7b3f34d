package ordering

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// eqVarBottomUp orders the columns of x (n×d) from the last position to the first under the
// assumption of equal noise variances: of the columns left it takes as the sink the one with the
// smallest diagonal entry of the inverse covariance of those columns, Θ_jj, which is the one that
// the others explain least. Criterion holds 1/Θ_jj, the conditional variance given the columns
// before it in the order (divisor n−1); the sink has the largest. Its relative rounding error is
// that of the inverse, which grows with the condition number of the correlations. Gaps compare
// Θ_jj. It needs n·d²/2 multiplications for the covariance, 2d³/3 for its inverse and d³/6 for the
// pivots, and holds 2d² numbers.
//
// Assumptions, the effect of units, and failures are those of [EqVarOptions], except
// that it cannot do with n ≤ d.
func eqVarBottomUp(w *work, x mat.Matrix, p *Precedence) (*Result, error) {
	const method = "eqvar bottom-up"
	c, result, err := covarianceForOrder(w, x, method, func(d int) int { return d + 1 })
	if err != nil || c.Data == nil {
		return result, err
	}
	theta, unit, err := precision(w, c)
	if err != nil {
		return nil, err
	}
	e := newElimination(theta)
	p.check(len(e.v))
	next := p.front(sinksFirst)
	for e.t < len(e.v) && !w.done() {
		b, rival := e.smallestTwo(next)
		if !(e.v[b] > 0) {
			return nil, singular(e.label[b])
		}
		made := choice{column: e.label[b], criterion: unit / e.v[b], rival: -1, gap: math.Inf(1)}
		if rival >= 0 {
			made.rival, made.gap = e.label[rival], relativeGap(e.v[b], e.v[rival])
		}
		result.record(made)
		next.place(made.column)
		e.take(b)
	}
	result.sinksFirst()
	return result, nil
}

// precision returns theta = unit·C⁻¹, both triangles filled, where unit is the
// largest variance. It works on the correlation matrix R, so that neither units
// nor their squares leave the range of float64:
//
//	theta_ij = unit (R⁻¹)_ij / (s_i s_j),      s_j² = C_jj,
//
// and fails where a column depends on those of lower index.
func precision(w *work, c blas64.General) (theta blas64.General, unit float64, err error) {
	d := c.Cols
	sd := diagonal(c)
	for j, v := range sd {
		unit = math.Max(unit, v)
		sd[j] = math.Sqrt(v)
	}
	theta = blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
	for i := range d {
		for j := range d {
			theta.Data[i*d+j] = c.Data[i*d+j] / sd[i] / sd[j]
		}
		theta.Data[i*d+i] = 1
	}
	factor, ok := w.factor(theta)
	if w.err != nil {
		return theta, 0, w.err
	}
	for j := 0; ok && j < d; j++ {
		ok = theta.Data[j*d+j]*theta.Data[j*d+j] > dependence
	}
	if !ok {
		return theta, 0, firstDependent(c)
	}
	theta = blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
	for j := range d {
		theta.Data[j*d+j] = 1
	}
	w.divide(blas.Trans, factor, theta)
	w.divide(blas.NoTrans, factor, theta)
	root := math.Sqrt(unit)
	for i := range d {
		for j := i; j < d; j++ {
			v := theta.Data[i*d+j] * (root / sd[i]) * (root / sd[j])
			if math.IsInf(v, 0) || math.IsNaN(v) {
				return theta, 0, &ColumnError{Column: i, Row: -1, Err: errScale,
					Detail: fmt.Sprintf("%g against %g of another column leaves too few digits",
						sd[i]*sd[i], unit)}
			}
			theta.Data[i*d+j], theta.Data[j*d+i] = v, v
		}
	}
	return theta, unit, nil
}

// firstDependent returns the error of the first column that depends on those of
// lower index, or, if rounding hides which one, of the one that does so most.
func firstDependent(c blas64.General) error {
	own := diagonal(c)
	work := blas64.General{Rows: c.Rows, Cols: c.Cols, Stride: c.Stride,
		Data: append([]float64(nil), c.Data...)}
	e := newElimination(work)
	worst := 0
	for j, v := range own {
		if !(e.v[j] > dependence*v) {
			return dependent(j, e.v[j], v, upTo(j))
		}
		if e.v[j]/v < e.v[worst]/own[worst] {
			worst = j
		}
		e.take(j)
	}
	return dependent(worst, e.v[worst], own[worst], upTo(worst))
}

// upTo lists the columns of an index below j.
func upTo(j int) (all []int) {
	for k := range j {
		all = append(all, k)
	}
	return all
}

// singular is the error of a column whose pivot rounding has used up.
func singular(j int) error {
	return &ColumnError{Column: j, Row: -1, Err: errDependent,
		Detail: "rounding leaves nothing of its conditional variance"}
}
