package tempering

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/models"
)

// The mean of a step is where the slope of the density, by differences, and the curvature of its
// proposal lead.
func TestSlopeOfSteps(t *testing.T) {
	for _, cfg := range []Config{
		{Hidden: 3, Activation: models.Tanh, NoiseVariance: 0.3, ParamVariance: 1.5},
		{Hidden: 2, Activation: models.Sigmoid, NoBias: true},
	} {
		v := testNode(t, cfg)
		w := v.newWorker()
		w.power = 0.4
		rng := rand.New(rand.NewPCG(5, 6))
		s := w.newState()
		s.in[0], s.in[1] = true, true
		w.fromPrior(s, rng)
		const a = 1
		p := len(w.curved.from)
		at := func(k int) *float64 {
			if k == len(v.candidates) {
				return &s.biases[a]
			}
			return &s.weights[k*v.units+a]
		}
		log := func() float64 {
			w.refresh(s)
			sum := s.evidence
			for k := range p {
				sum -= *at(k) * *at(k) / (2 * v.scale * v.scale)
			}
			return sum
		}
		slope, from := make([]float64, p), make([]float64, p)
		for k := range p {
			const h = 1e-5
			from[k] = *at(k)
			*at(k) = from[k] + h
			up := log()
			*at(k) = from[k] - h
			slope[k] = (up - log()) / (2 * h)
			*at(k) = from[k]
		}
		log()
		if !w.around(&w.curved.forth, s, a, from) {
			t.Fatal("no proposal")
		}
		f := w.curved.forth
		for i := range p { // L Lᵀ (mean − from)
			got := 0.0
			for j := range p {
				for c := range min(i, j) + 1 {
					got += f.factor[i*p+c] * f.factor[j*p+c] * (f.mean[j] - from[j])
				}
			}
			if !(math.Abs(got-slope[i]) <= 1e-5*(1+math.Abs(slope[i]))) {
				t.Errorf("%+v: parameter %d: slope %v, by differences %v", cfg, i, got, slope[i])
			}
		}
	}
}

// Steps leave invariant what elliptical slice sampling does: the mean and the variance of the log
// evidence agree, and steps move.
func TestStepsAreReversible(t *testing.T) {
	var mean, variance [2]float64
	moved := 0.0
	const rounds, rests = 20000, 2000
	for way := range mean {
		w := testNode(t, Config{Hidden: 2, NoiseVariance: 0.2}).newWorker()
		rng := rand.New(rand.NewPCG(7, uint64(way)))
		s := w.newState()
		s.in[0], s.in[1] = true, true
		w.fromPrior(s, rng)
		for round := range rounds + rests {
			for a := range w.units {
				before := s.biases[a]
				if way == 1 {
					if w.step(s, a, rng); s.biases[a] != before {
						moved++
					}
				}
				if way == 0 || round%4 == 0 {
					w.turn(s, a, 1, rng)
				}
			}
			if round >= rests {
				mean[way] += s.evidence / rounds
				variance[way] += s.evidence * s.evidence / rounds
			}
		}
		variance[way] -= mean[way] * mean[way]
	}
	moved /= 2 * (rounds + rests)
	if !(math.Abs(mean[0]-mean[1]) <= 0.1*math.Sqrt(variance[0])) ||
		!(math.Abs(math.Log(variance[1]/variance[0])) <= 0.25) || moved < 0.05 {
		t.Errorf("log evidence %v ± %v by turns, %v ± %v by steps, which move in %v of the rounds",
			mean[0], math.Sqrt(variance[0]), mean[1], math.Sqrt(variance[1]), moved)
	}
}
