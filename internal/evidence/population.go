package evidence

import (
	"context"
	"math"
	"math/rand/v2"

	"tobac/internal/anneal"
	"tobac/smc"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A population estimates the integral of a density, by points that end with weights.
type population struct {
	log       float64 // the estimate's
	variance  float64 // of log, about
	plain     float64 // effective sample size of the target's weights, as a part of all points
	effective float64 // the least of all weightings
	steps     int     // weightings
	points    *mat.Dense
	weights   []float64 // logarithms
}

// sample moves n points from a distribution to the target.
func (t *target) sample(from *mixture, n int, rng *rand.Rand) (*population, error) {
	s := smc.Sampler{
		Target:    path{t, from, n, rng},
		Seed:      rng.Uint64(),
		Particles: n,
		Leaps:     5,
		MostMoves: 5,
	}
	state, err := s.Begin()
	if err != nil {
		return nil, err
	}
	p := &population{effective: 1, plain: anneal.EffectiveSize(state.Likelihood) / float64(n)}
	for {
		p.weights = s.Weigh(state)
		p.effective = math.Min(p.effective, anneal.EffectiveSize(p.weights)/float64(n))
		if state.Done() {
			break
		}
		if err := s.Move(context.Background(), state, p.weights); err != nil {
			return nil, err
		}
	}
	p.log, p.variance, p.steps, p.points = state.LogEvidence, state.Variance, state.Steps, state.X
	return p, nil
}

// A path goes from a distribution to a target, equation (2), with all points evaluated at once.
type path struct {
	*target
	from *mixture
	n    int
	rng  *rand.Rand // of the points to begin with
}

var _ smc.Target = path{}

// Dims implements [smc.Target].
func (p path) Dims() (points, coordinates int) { return p.n, len(p.active) }

// Prior implements [smc.Target].
func (p path) Prior(n int, _ uint64) (*mat.Dense, error) {
	x := mat.NewDense(n, len(p.active), nil)
	for k := range n {
		x.SetRow(k, p.from.draw(p.rng))
	}
	return x, nil
}

// Tempered implements [smc.Target].
func (p path) Tempered(beta float64, prior, likelihood []float64, grad, x *mat.Dense) error {
	rows := make([][]float64, p.n)
	for k := range rows {
		rows[k] = append(rows[k], x.RawRowView(k)...)
	}
	all, err := p.at(rows...)
	if err != nil {
		return err
	}
	somewhere := false
	for k, to := range all {
		var slope []float64
		prior[k], slope = p.from.density(rows[k])
		likelihood[k] = to.log - prior[k]
		somewhere = somewhere || !math.IsInf(to.log, -1)
		floats.Scale(1-beta, slope)
		floats.AddScaled(slope, beta, to.grad)
		grad.SetRow(k, slope)
	}
	if !somewhere && beta == 0 {
		return p.fail("the density is 0 at all of %d points around its maximum", p.n)
	}
	return nil
}
