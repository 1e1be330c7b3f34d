package ordering

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Basis returns the values of a smoother's functions at every x, n×K.
func Basis(s Smoother, x []float64) mat.Matrix {
	return mat.NewDense(smoothers[s].k, len(x), s.basis(x)).T()
}

// Penalty returns λ·DᵀD.
func Penalty(s Smoother) *mat.Dense {
	return mat.NewDense(smoothers[s].k, smoothers[s].k, s.penaltyMatrix())
}

// AdditiveFit returns the fitted values, n×len(targets), of the additive model
// that has gained the predictors one by one.
func AdditiveFit(x mat.Matrix, s Smoother, predictors, targets []int) (mat.Matrix, error) {
	columns, err := summarise(alone(), x)
	if err != nil {
		return nil, err
	}
	m := newAdditive(alone(), x, columns, s, len(predictors))
	for _, a := range predictors {
		if err := m.add(a); err != nil {
			return nil, err
		}
	}
	f := m.fit(targets)
	return mat.NewDense(f.Rows, f.Cols, f.Data).T(), nil
}

// RaisedRidge returns the ridge that an additive model of all columns ends with
// when its penalty is made smaller by less on the diagonal, so that the usual
// ridge does not make its equations positive definite.
func RaisedRidge(x mat.Matrix, s Smoother, less float64) (float64, error) {
	columns, err := summarise(alone(), x)
	if err != nil {
		return 0, err
	}
	_, d := x.Dims()
	m := newAdditive(alone(), x, columns, s, d)
	for i := range m.k {
		m.penalty[i*m.k+i] -= less
	}
	for a := range d {
		if err := m.add(a); err != nil {
			return m.ridge, err
		}
	}
	return m.ridge, nil
}

// Drawn returns the resample of a replicate.
func Drawn(x *mat.Dense, seed uint64, replicate int) *mat.Dense {
	n, d := x.Dims()
	dst := mat.NewDense(n, d, nil)
	drawRows(dst, x, seed, replicate)
	return dst
}

// NearGap is nearGap.
var NearGap = nearGap

var (
	R2          = r2
	Sortability = sortability
)

func (r *Result) NearTies(rows int) []int { return r.nearTies(rows) }

func (w Warning) Sentence(names []string) string { return w.sentence(names) }

// The estimators as functions of the data alone.
var (
	EqVar         = orderBy(EqVarOptions{})
	Variance      = orderBy(MethodVariance)
	EqVarBottomUp = orderBy(MethodEqVarBottomUp)
	NPVar         = orderBy(NPVarOptions{})
	SCORE         = orderBy(MethodSCORE)
)

func orderBy(o Orderer) func(x mat.Matrix) (*Result, error) {
	return func(x mat.Matrix) (*Result, error) { return o.Order(context.Background(), x, nil, 1) }
}

// Known is [Fixed.Order] for a matrix of d columns.
func Known(order []int, d int) (*Result, error) {
	return orderBy(Fixed(order))(mat.NewDense(1, d, nil))
}

// MaxRows is maxRows.
const MaxRows = maxRows

// SteinHessian is the estimate of a stein, n×d, with its bandwidth.
func SteinHessian(x mat.Matrix) (h *mat.Dense, bandwidth float64, err error) {
	w := alone()
	columns, err := summarise(w, x)
	if err != nil {
		return nil, 0, err
	}
	n, d := x.Dims()
	if n < 3 {
		return nil, 0, tooFewRows("the Stein estimate", n, d, 3)
	}
	if err := checkScales(variances(w, x, columns), columns); err != nil {
		return nil, 0, err
	}
	e := newStein(w, x, columns)
	if err := e.estimate(indices(d)); err != nil {
		return nil, 0, err
	}
	h = mat.NewDense(n, d, nil)
	for j := range d {
		for a, v := range e.hessian(j) {
			v /= e.bandwidth * e.bandwidth
			if math.IsInf(v, 0) || math.IsNaN(v) {
				return nil, 0, &ColumnError{Column: j, Row: a, Err: errScale,
					Detail: fmt.Sprintf("its second derivative is %g; multiply all data by one "+
						"constant", v)}
			}
			h.Set(a, j, v)
		}
	}
	return h, e.bandwidth, nil
}

// Reasons of errors.
var (
	ErrNotFinite     = errNotFinite
	ErrConstant      = errConstant
	ErrDependent     = errDependent
	ErrScale         = errScale
	ErrTooLarge      = errTooLarge
	ErrSingular      = errSingular
	ErrDuplicateRows = errDuplicateRows
)

// Kinds of warnings.
const (
	WarningStandardised = warningStandardised
	WarningTie          = warningTie
	WarningConstant     = warningConstant
	WarningUndecided    = warningUndecided
	WarningClamped      = warningClamped
	WarningRidge        = warningRidge
	WarningLarge        = warningLarge
)

func (w Warning) Kind() warningKind { return w.kind }

// NewWarning is a warning of a kind.
func NewWarning(kind warningKind, columns []int, position int, values []float64) Warning {
	return Warning{kind: kind, Columns: columns, Position: position, Values: values}
}
