package ordering

import "gonum.org/v1/gonum/mat"

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
