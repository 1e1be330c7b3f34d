package sem

import (
	"math"

	"tobac/dataset"
	"tobac/internal/smooth"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// When no curvature shows: neither the strongest weight has a chance below curvedChance, all pairs
// counted, nor has what all columns together explain of any function, nor are all weights together
// more than curvedDeviations standard deviations beyond chance.
const (
	curvedFunctions  = 3 // of each column
	curvedChance     = 1e-2
	wideChance       = 1e-3 // of more than fewColumns, whose smooth equations take a minute
	fewColumns       = 24
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
	sum, most, tests, fit := 0., 0., 0., 0.
	left := mat.NewDense(n, curvedFunctions*d, nil) // of each function, over its length
	var weights, fitted, rest mat.VecDense
	for i := range d {
		basis := smooth.NewBasis(mat.Col(nil, i, x), smooth.Functions, smooth.ConstantTails)
		for k, f := range basis.Smooth {
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
			if variance > 1e-12 {
				fit = max(fit, mat.Dot(&fitted, &fitted)/variance)
				for j := range d {
					if j != i {
						w := weights.AtVec(j)
						square := w * w / (variance * inverse.At(j, j))
						sum, most, tests = sum+square, max(most, square), tests+1
					}
				}
				rest.ScaleVec(1/mat.Norm(&rest, 2), &rest)
				left.SetCol(curvedFunctions*i+k, rest.RawVector().Data)
			}
			rest.Reset()
		}
	}
	among, free := float64(d-1), float64(n-d-1)
	chance := min(tests*distuv.F{D1: 1, D2: free}.Survival(most),
		float64(curvedFunctions*d)*distuv.F{D1: among, D2: free}.Survival(fit/among))
	least := curvedChance
	if d > fewColumns {
		least = wideChance
	}
	return !(chance >= least &&
		sum <= tests+curvedDeviations*math.Sqrt(varianceOfSum(left, &inverse)))
}

// varianceOfSum is the variance of the sum of the squares of the weights of all columns but i in
// the regressions of functions of columns i, each over its standard deviation. They have the
// covariances c_ab R_jk, where c are the correlations of what is left of the functions, and R those
// of the weights in one regression; the squares have 2 (c_ab R_jk)².
func varianceOfSum(left *mat.Dense, inverse *mat.SymDense) float64 {
	d := inverse.SymmetricDim()
	square := mat.NewSymDense(d, nil) // R²
	rows, all := make([]float64, d), 0.0
	for j := range d {
		for k := range d {
			v := inverse.At(j, k)
			v *= v / (inverse.At(j, j) * inverse.At(k, k))
			square.SetSym(j, k, v)
			rows[j] += v
		}
		all += rows[j]
	}
	var c mat.SymDense
	c.SymOuterK(1, left.T())
	sum := 0.0
	for a := range c.SymmetricDim() {
		for b := range c.SymmetricDim() {
			i, k := a/curvedFunctions, b/curvedFunctions
			sum += c.At(a, b) * c.At(a, b) * (all - rows[i] - rows[k] + square.At(i, k))
		}
	}
	return 2 * sum
}
