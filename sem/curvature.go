package sem

import (
	"math"

	"tobac/dataset"
	"tobac/internal/smooth"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// When no curvature shows: neither the strongest correlation has a chance below curvedChance, all
// pairs counted, nor are all together more than curvedDeviations standard deviations beyond chance.
const (
	curvedFunctions  = 3 // of each column
	curvedChance     = 1e-2
	curvedDeviations = 2
	rowsPerColumn    = 5 // from which on the weights are known well enough
	mostCondition    = 1e10
)

// curved reports whether the table shows curvature, or has too few rows to show that it has none:
// whether some column has a weight in the regression of a smooth function of another column, to
// which this is orthogonal, on all columns. With straight lines and normal noise none has, whatever
// the graph.
func curved(data *dataset.Table) bool {
	n, d := data.X.Dims()
	if n < rowsPerColumn*d || d < 2 || data.Mask() != nil {
		return true
	}
	standard, err := data.Standardize()
	if err != nil {
		return true
	}
	x := standard.X
	var gram, inverse mat.SymDense
	gram.SymOuterK(1, x.T())
	var factor mat.Cholesky
	if !factor.Factorize(&gram) || factor.Cond() > mostCondition ||
		factor.InverseTo(&inverse) != nil {
		return true
	}
	sum, most, tests := 0., 0., 0.
	var weights, fitted, rest mat.VecDense
	for i := range d {
		for k, f := range smooth.NewBasis(mat.Col(nil, i, x), smooth.Functions).Smooth {
			if k == curvedFunctions {
				break
			}
			b := mat.NewVecDense(n, f)
			rest.MulVec(x.T(), b)
			weights.MulVec(&inverse, &rest)
			fitted.MulVec(x, &weights)
			rest.Reset()
			rest.SubVec(b, &fitted)
			variance := mat.Dot(&rest, &rest) / float64(n-d-1)
			rest.Reset()
			for j := range d {
				if j != i && variance > 1e-12 {
					square := weights.AtVec(j) * weights.AtVec(j) / (variance * inverse.At(j, j))
					sum, most, tests = sum+square, max(most, square), tests+1
				}
			}
		}
	}
	chance := tests * distuv.ChiSquared{K: 1}.Survival(most)
	return !(chance >= curvedChance && sum <= tests+curvedDeviations*math.Sqrt(2*tests))
}
