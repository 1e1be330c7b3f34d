package generalised

import (
	"math"

	"tobac/dataset"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Lines are equations with straight lines alone, whose parameters come from elsewhere: those of
// [tobac/models.Generalised], on columns that are standardised.
type Lines struct {
	rows      int
	variables []Variable
	all       []covariates
}

// NewLines prepares them for data, as of [New].
func NewLines(x mat.Matrix, variables []Variable) *Lines {
	l := &Lines{variables: variables}
	l.rows, _ = x.Dims()
	for j, v := range variables {
		l.all = append(l.all, newCovariates(mat.Col(nil, j, x), v))
	}
	return l
}

// Covariates are the functions of column j that its children have, n×k: the column, or its
// logarithm where that is less skewed, standardised; of a category its contrasts. Those of a column
// that does not vary are 0.
func (l *Lines) Covariates(j int) *mat.Dense {
	columns := l.all[j].straight
	out := mat.NewDense(l.rows, max(len(columns), 1), nil)
	for k, column := range columns {
		out.SetCol(k, column)
	}
	return out
}

// Function is the equation of variable j: constants are those of its predictors, weights[q] those
// of the covariates of the parents in predictor q, by parent, and variance that of the noise of a
// number.
func (l *Lines) Function(j int, parents []int, constants []float64,
	weights func(q, i int) []float64, variance float64) *Function {
	v, own := l.variables[j], &l.all[j]
	f := &Function{form: ofNormal, constants: append([]float64(nil), constants...)}
	scale := 1.0
	switch {
	case v.Kind.Levelled():
		f.form, f.values = ofLevels, v.values()
	case v.Kind == dataset.Count:
		f.form = ofCounts
	case len(own.straight) == 0:
		f.form, f.constants = ofConstant, []float64{own.mean}
		f.parts = make([]part, len(parents))
		for k := range parents {
			f.parts[k] = part{scale: asIs, knots: []float64{0}, slope: []float64{0},
				terms: [][]float64{{0}}}
		}
		return f
	default:
		if own.scale == byLog {
			f.form = ofLogNormal
		}
		scale = own.sd
		f.constants = []float64{own.mean + scale*constants[0], scale * math.Sqrt(variance)}
	}
	if !f.complete() {
		panic("generalised: constants that no equation has")
	}
	for _, i := range parents {
		straight := make([][]float64, len(constants))
		for q := range straight {
			straight[q] = floats.ScaleTo(make([]float64, len(l.all[i].straight)), scale,
				weights(q, i)[:len(l.all[i].straight)])
		}
		f.parts = append(f.parts, l.all[i].part(straight, make([][]float64, len(constants))))
	}
	return f
}
