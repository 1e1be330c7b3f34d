package models

import (
	"gonum.org/v1/gonum/mat"
)

// regression is the posterior of the weights of some parents of a variable,
// N(A⁻¹b, A⁻¹) with A = C_pp/σ² + I/σ_e² and b = c_pj/σ² + μ_e/σ_e².
type regression struct {
	chol mat.Cholesky
	b    *mat.VecDense
	mean *mat.VecDense
}

// regress is the regression of variable j on the given parents, of which there
// is at least one. With finite data it always exists, since A is at least
// I/σ_e².
func (l *linear) regress(g *gramGroup, j int, parents []int) (r regression, ok bool) {
	p := len(parents)
	a := mat.NewSymDense(p, nil)
	r.b, r.mean = mat.NewVecDense(p, nil), mat.NewVecDense(p, nil)
	for s, i := range parents {
		for t := s; t < p; t++ {
			a.SetSym(s, t, g.gram.At(i, parents[t])/l.opt.NoiseVariance)
		}
		a.SetSym(s, s, a.At(s, s)+1/l.opt.EdgeVariance)
		r.b.SetVec(s, g.gram.At(i, j)/l.opt.NoiseVariance+l.opt.EdgeMean/l.opt.EdgeVariance)
	}
	if !r.chol.Factorize(a) {
		return r, false
	}
	return r, r.chol.SolveVecTo(r.mean, r.b) == nil
}
