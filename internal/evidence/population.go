package evidence

import (
	"math"
	"math/rand/v2"
	"slices"

	"tobac/internal/anneal"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// A population estimates the integral of a density, by points that end with weights.
type population struct {
	log       float64 // the estimate's
	variance  float64 // of log, about
	plain     float64 // effective sample size of the target's weights at once, as a part of the number of points
	effective float64 // the least of all weightings
	steps     int     // of (2)
	points    []member
	weights   []float64 // logarithms
}

// A member is a point with its log densities and their gradients, of the target and the
// distribution that points come from.
type member struct {
	target    place
	start     float64
	startGrad []float64
}

// sample moves n points from a distribution to the target.
func (t *target) sample(from *mixture, n int, rng *rand.Rand) (*population, error) {
	x := make([][]float64, n)
	for k := range x {
		x[k] = from.draw(rng)
	}
	p := &population{effective: 1, weights: make([]float64, n)}
	var err error
	if p.points, err = t.members(from, x); err != nil {
		return nil, err
	}
	h := hamiltonian{target: t, from: from, step: 0.4, rng: rng}
	for beta := 0.0; beta < 1; p.steps++ {
		ratios := make([]float64, n)
		for k, m := range p.points {
			ratios[k] = m.target.log - m.start
		}
		if math.IsInf(floats.Max(ratios), -1) {
			return nil, t.fail("the density is 0 at all of %d points around its maximum", n)
		}
		if beta == 0 {
			p.plain = anneal.EffectiveSize(ratios) / float64(n)
		}
		to := anneal.Next(p.weights, ratios, beta)
		p.log += floats.LogSumExp(p.weights) - math.Log(float64(n))
		ess := anneal.EffectiveSize(p.weights)
		p.variance += 1/ess - 1/float64(n)
		p.effective = math.Min(p.effective, ess/float64(n))
		if beta = to; beta == 1 {
			break
		}
		moved := make([]member, n)
		for k, from := range anneal.Resample(p.weights, n, rng.Float64()) {
			moved[k] = p.points[from]
		}
		p.points = moved
		if err := h.move(p.points, beta); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// members evaluates points.
func (t *target) members(from *mixture, x [][]float64) ([]member, error) {
	all, err := t.at(x...)
	if err != nil {
		return nil, err
	}
	out := make([]member, len(x))
	for k, p := range all {
		out[k].target = p
		out[k].start, out[k].startGrad = from.density(p.x)
	}
	return out, nil
}

// A hamiltonian moves points, all at the same time.
type hamiltonian struct {
	*target
	from *mixture
	step float64 // in standard deviations of the points
	rng  *rand.Rand
}

// Of the moves at each temperature.
const (
	moves = 5
	leaps = 5
)

// along is the log density (2) with its gradient.
func (m *member) along(beta float64) (log float64, grad []float64) {
	grad = floats.ScaleTo(make([]float64, len(m.startGrad)), 1-beta, m.startGrad)
	floats.AddScaled(grad, beta, m.target.grad)
	return (1-beta)*m.start + beta*m.target.log, grad
}

// move takes the moves at inverse temperature beta.
func (h *hamiltonian) move(points []member, beta float64) error {
	n := len(points[0].target.x)
	scale, column := make([]float64, n), make([]float64, len(points))
	for a := range scale {
		for k, m := range points {
			column[k] = m.target.x[a]
		}
		scale[a] = math.Max(stat.PopStdDev(column, nil), 1e-10)
	}
	for range moves {
		now, momenta := points, make([][]float64, len(points))
		energy := make([]float64, len(points))
		for k := range momenta {
			momenta[k] = make([]float64, n)
			for a := range momenta[k] {
				momenta[k][a] = h.rng.NormFloat64()
			}
			log, _ := now[k].along(beta)
			energy[k] = log - floats.Dot(momenta[k], momenta[k])/2
		}
		step := h.step * (0.8 + 0.4*h.rng.Float64()) // no orbit closes in all points
		half := func() {
			for k := range now {
				_, grad := now[k].along(beta)
				for a, g := range grad {
					momenta[k][a] += step / 2 * scale[a] * g
				}
			}
		}
		for range leaps {
			half()
			x := make([][]float64, len(now))
			for k := range now {
				x[k] = slices.Clone(now[k].target.x)
				for a := range x[k] {
					x[k][a] += step * scale[a] * momenta[k][a]
				}
			}
			var err error
			if now, err = h.members(h.from, x); err != nil {
				return err
			}
			half()
		}
		accepted := 0.0
		for k := range now {
			log, _ := now[k].along(beta)
			log -= floats.Dot(momenta[k], momenta[k]) / 2
			u := 1 - h.rng.Float64()
			if rate := math.Exp(math.Min(0, log-energy[k])); !math.IsNaN(rate) {
				accepted += rate / float64(len(now))
				if u <= rate {
					points[k] = now[k]
				}
			}
		}
		switch {
		case accepted > 0.85:
			h.step = math.Min(1.25*h.step, 1.5)
		case accepted < 0.6:
			h.step *= 0.7
		}
	}
	return nil
}
