package study

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	entries "tobac/internal/sparse"
	"tobac/posterior"
)

// stepwise is the graph along an order in which the parents of every variable are those earlier
// ones that a stepwise regression keeps: from none, the addition or removal that lowers
//
//	n ln(residual sum of squares / n) + |parents| ln n
//
// most is made until none lowers it. Every equation has an intercept and a noise variance of its
// own, the mean squared residual.
func stepwise(x *mat.Dense, order []int) (*dag.Graph, *posterior.Equations) {
	n, d := x.Dims()
	g := dag.New(d)
	all := entries.New(d)
	e := &posterior.Equations{Weights: all, Intercepts: make([]float64, d),
		NoiseVariances: make([]float64, d)}
	means := make([]float64, d)
	for j := range d {
		means[j] = stat.Mean(mat.Col(nil, j, x), nil)
	}
	scatter := mat.NewSymDense(d, nil)
	stat.CovarianceMatrix(scatter, x, nil)
	scatter.ScaleSym(float64(n-1), scatter)
	r := regression{n: float64(n), scatter: scatter}
	for at, j := range order {
		parents := r.choose(j, order[:at])
		weights, squares := r.fit(j, parents)
		e.NoiseVariances[j] = squares / r.n
		e.Intercepts[j] = means[j]
		for k, i := range parents {
			g.Set(i, j, true)
			all.Set(i, j, weights[k])
			e.Intercepts[j] -= weights[k] * means[i]
		}
	}
	return g, e
}

// A regression of one column on others, from their scatter matrix.
type regression struct {
	n       float64
	scatter *mat.SymDense
}

// choose is the stepwise choice of the parents of j among the candidates, in ascending sequence.
func (r *regression) choose(j int, candidates []int) []int {
	parents, best := []int{}, r.criterion(j, nil)
	for {
		var next []int
		for _, i := range candidates {
			changed := slices.DeleteFunc(slices.Clone(parents), func(k int) bool { return k == i })
			if len(changed) == len(parents) {
				changed = append(changed, i)
				slices.Sort(changed)
			}
			if c := r.criterion(j, changed); c < best {
				best, next = c, changed
			}
		}
		if next == nil {
			return parents
		}
		parents = next
	}
}

func (r *regression) criterion(j int, parents []int) float64 {
	if float64(len(parents)) >= r.n-2 {
		return math.Inf(1) // the rows would be fitted exactly
	}
	_, squares := r.fit(j, parents)
	return r.n*math.Log(squares/r.n) + float64(len(parents))*math.Log(r.n)
}

// fit is the regression of j: its weights and the sum of squared residuals, infinite if the parents
// are linearly dependent.
func (r *regression) fit(j int, parents []int) (weights []float64, squares float64) {
	total := r.scatter.At(j, j)
	if len(parents) == 0 {
		return nil, total
	}
	k := len(parents)
	a, b := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	for p, i := range parents {
		b.SetVec(p, r.scatter.At(i, j))
		for q := p; q < k; q++ {
			a.SetSym(p, q, r.scatter.At(i, parents[q]))
		}
	}
	var factor mat.Cholesky
	w := mat.NewVecDense(k, nil)
	if !factor.Factorize(a) || factor.SolveVecTo(w, b) != nil {
		return make([]float64, k), math.Inf(1)
	}
	squares = total - mat.Dot(w, b)
	if !(squares > 1e-12*total) { // rounding
		return w.RawVector().Data, math.Inf(1)
	}
	return w.RawVector().Data, squares
}
