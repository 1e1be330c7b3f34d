package impute

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// chain runs data augmentation from the estimates m on: iterations of P-step and I-step after a
// first I-step. It returns the values of the gaps that are handed over, in the units of the data.
func (p *problem) chain(ctx context.Context, m *normal, iterations int, rng *rand.Rand,
	sets [][]int, x *mat.Dense) ([]float64, error) {
	values := make([]float64, p.gaps)
	if p.gaps == 0 {
		return p.inUnits(values), nil
	}
	s, w := newStatistics(p.d, false), new(scratch)
	for k := 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		s.reset()
		if err := p.fill(p.patterns, m, values, s, w, rng); err != nil {
			return nil, err
		}
		if k == iterations {
			break
		}
		var err error
		if m, err = p.drawn(s, rng); err != nil {
			return nil, err
		}
	}
	out := p.inUnits(values)
	p.match(m, values, out, sets, x, rng)
	return out, nil
}

// drawn is the P-step. With Ψ = S + λI = CCᵀ and the lower triangular B of Bartlett's
// decomposition, B_aa² ~ χ²(ν − a) and standard normal numbers below the diagonal, the precision
// C⁻ᵀBBᵀC⁻¹ is Wishart with ν degrees of freedom and the scale matrix Ψ⁻¹, and x̄ + CB⁻ᵀε/√n is the
// mean for standard normal numbers ε.
func (p *problem) drawn(s *statistics, rng *rand.Rand) (*normal, error) {
	mean, scatter := p.moments(s)
	p.withRidge(scatter)
	var chol mat.Cholesky
	if !chol.Factorize(scatter) {
		return nil, errors.New("impute: the scatter of completed rows is not positive definite")
	}
	var c mat.TriDense
	chol.LTo(&c)
	df := float64(p.n) - 1 + p.prior.df
	b := mat.NewTriDense(p.d, mat.Lower, nil)
	for i := range p.d {
		for j := range i {
			b.SetTri(i, j, rng.NormFloat64())
		}
		b.SetTri(i, i, math.Sqrt(distuv.ChiSquared{K: df - float64(i), Src: rng}.Rand()))
	}
	noise := mat.NewDense(p.d, 1, nil)
	for i := range p.d {
		noise.Set(i, 0, rng.NormFloat64()/math.Sqrt(float64(p.n)))
	}
	var g mat.Dense
	if err := solve(&g, c.T(), b); err != nil {
		return nil, err
	}
	out := &normal{mean: mean, precision: mat.NewSymDense(p.d, nil)}
	out.precision.SymOuterK(1, &g)
	mirror(out.precision)
	var scaled, moved mat.Dense
	if err := solve(&scaled, b.T(), noise); err != nil {
		return nil, err
	}
	moved.Mul(&c, &scaled)
	for i := range out.mean {
		out.mean[i] += moved.At(i, 0)
	}
	return out, nil
}
