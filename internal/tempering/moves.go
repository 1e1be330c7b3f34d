package tempering

import (
	"math"
	"math/rand/v2"
)

// turn moves the weights and the bias of unit a by one step of elliptical slice sampling [1], which
// leaves p(W, b) p(y|W, b)^β invariant. Pre-activations are linear in them, so that a proposal is
// one row.
func (w *worker) turn(s *state, a int, beta float64, rng *rand.Rand) {
	h, n, k := w.units, w.n, w.kernels
	bias := 0.0
	if !w.cfg.NoBias {
		bias = w.scale * rng.NormFloat64()
	}
	direction := w.direction
	for r := range direction {
		direction[r] = bias
	}
	for i, in := range s.in {
		if in {
			w.ellipse[i] = w.scale * rng.NormFloat64()
			k.AddScaled(direction, direction, w.ellipse[i], w.row(i))
		}
	}
	least := beta*s.evidence + math.Log(1-rng.Float64())
	angle := 2 * math.Pi * rng.Float64()
	low, high := angle-2*math.Pi, angle
	pre, phi := s.pre[a*n:(a+1)*n], s.phi[a*n:(a+1)*n]
	copy(w.phi[:n], phi)
	moved := w.proposal[:n]
	if n > 0 {
		w.solver.Without(s.gram, n, math.Exp(s.logs)/w.power, a)
	}
	const tries = 60 // after which the bracket is narrower than 1e-15 but for a miracle
	for range tries {
		sin, cos := math.Sincos(angle)
		k.Scale(moved, direction, sin)
		k.AddScaled(moved, moved, cos, pre)
		w.activate(phi, moved)
		w.unitProducts(s.phi, a)
		e := 0.0
		if n > 0 {
			e = w.tempered(w.solver.LogEvidenceWith(w.dots), s.logs)
		}
		if beta*e >= least || beta == 0 {
			w.putProducts(s.gram, a)
			for i, in := range s.in {
				if in {
					s.weights[i*h+a] = cos*s.weights[i*h+a] + sin*w.ellipse[i]
				}
			}
			s.biases[a] = cos*s.biases[a] + sin*bias
			copy(pre, moved)
			s.evidence = e
			return
		}
		if angle < 0 {
			low = angle
		} else {
			high = angle
		}
		angle = low + (high-low)*rng.Float64()
	}
	copy(phi, w.phi[:n])
}

// proposalSDs are the standard deviations, in those of the prior, of the normal distributions from
// one of which the weights of a new edge are drawn, all from the same.
var proposalSDs = [...]float64{1, 0.3, 0.1, 0.03}

// propose draws the weights of an edge.
func (w *worker) propose(rng *rand.Rand) {
	sd := w.scale * proposalSDs[rng.IntN(len(proposalSDs))]
	for a := range w.weights {
		w.weights[a] = sd * rng.NormFloat64()
	}
}

// advantage is ln p(w)/q(w) of the weights of an edge, of their prior and the distribution of
// propose.
func (w *worker) advantage(weights []float64) float64 {
	square := 0.0
	for _, v := range weights {
		square += v * v
	}
	square /= 2 * w.scale * w.scale
	h := float64(len(weights))
	sum := 0.0
	for _, sd := range proposalSDs {
		// relative to the prior: sd^−h exp(square − square/sd²)
		sum += math.Exp(square*(1-1/(sd*sd)) - h*math.Log(sd))
	}
	return math.Log(float64(len(proposalSDs))) - math.Log(sum)
}

// changed fills the proposal with the pre-activations after weights are added to those of candidate
// i.
func (w *worker) changed(pre []float64, i int, sign float64, weights []float64) {
	for a, v := range weights {
		w.kernels.AddScaled(w.proposal[a*w.n:(a+1)*w.n], pre[a*w.n:(a+1)*w.n], sign*v, w.row(i))
	}
}

// accept makes the proposed pre-activations those of a state, whose parents are the proposed ones
// already, with the probability of Metropolis and Hastings: ratio is the logarithm of that of the
// proposals, and u a uniform number. It reports whether it did.
func (w *worker) accept(s *state, beta, ratio, u float64) bool {
	prior := w.logPrior(s)
	if math.IsInf(prior, -1) {
		return false
	}
	copy(w.phi, s.phi)
	w.activate(w.phi[:w.units*w.n], w.proposal)
	copy(w.gram, s.gram)
	w.products(w.gram, w.phi, w.units)
	evidence := w.logEvidence(w.gram, s.logs)
	if !(math.Log(u) <= prior-s.prior+beta*(evidence-s.evidence)+ratio) {
		return false
	}
	copy(s.pre, w.proposal)
	copy(s.phi, w.phi)
	copy(s.gram, w.gram)
	s.prior, s.evidence = prior, evidence
	return true
}

// toggle adds a candidate to the parents, or removes it.
func (w *worker) toggle(s *state, beta float64, rng *rand.Rand) {
	i, u := rng.IntN(len(w.candidates)), 1-rng.Float64()
	if w.required[i] {
		return
	}
	weights := s.weights[i*w.units : (i+1)*w.units]
	added := !s.in[i]
	ratio := 0.0
	if added {
		w.propose(rng)
		ratio = w.advantage(w.weights)
		w.changed(s.pre, i, 1, w.weights)
	} else {
		ratio = -w.advantage(weights)
		w.changed(s.pre, i, -1, weights)
	}
	s.in[i] = added
	if !w.accept(s, beta, ratio, u) {
		s.in[i] = !added
	} else if added {
		copy(weights, w.weights)
	}
}

// swap replaces a parent by another candidate, which gets its weights or, as often, new ones.
func (w *worker) swap(s *state, beta float64, rng *rand.Rand) {
	first, second, u, fresh := rng.Float64(), rng.Float64(), 1-rng.Float64(), rng.IntN(2) == 0
	out, ok := w.pick(s, true, first)
	into, also := w.pick(s, false, second)
	if !ok || !also || w.required[out] {
		return
	}
	old := s.weights[out*w.units : (out+1)*w.units]
	ratio := 0.0
	if fresh {
		w.propose(rng)
		ratio = w.advantage(w.weights) - w.advantage(old)
	} else {
		copy(w.weights, old)
	}
	w.changed(s.pre, out, -1, old)
	w.changed(w.proposal, into, 1, w.weights)
	s.in[out], s.in[into] = false, true
	if w.accept(s, beta, ratio, u) {
		copy(s.weights[into*w.units:(into+1)*w.units], w.weights)
	} else {
		s.in[out], s.in[into] = true, false
	}
}

// pick is one of the candidates that are parents, or are none; false: there is none.
func (w *worker) pick(s *state, in bool, u float64) (int, bool) {
	w.list = w.list[:0]
	for i, v := range s.in {
		if v == in {
			w.list = append(w.list, i)
		}
	}
	if len(w.list) == 0 {
		return 0, false
	}
	return w.list[int(u*float64(len(w.list)))], true
}

// noise moves ln σ² by a random walk, whose step suits the temperature.
func (w *worker) noise(s *state, beta float64, rng *rand.Rand) {
	sd := 2.4 * math.Sqrt(2/(w.power*beta*float64(w.n)+1))
	for range 2 {
		to, u := s.logs+sd*rng.NormFloat64(), 1-rng.Float64()
		e := w.logEvidence(s.gram, to)
		if math.Log(u) <= w.cfg.logNoise(to)-w.cfg.logNoise(s.logs)+beta*(e-s.evidence) {
			s.logs, s.evidence = to, e
		}
	}
}

// moveNetwork moves everything but the parents at inverse temperature β; half of the units by
// steps, which β = 1 is for, if asked for.
func (w *worker) moveNetwork(s *state, beta float64, steps bool, rng *rand.Rand) {
	for a := range w.units {
		if steps && rng.IntN(2) == 0 {
			w.step(s, a, rng)
		} else {
			w.turn(s, a, beta, rng)
		}
	}
	if w.cfg.NoiseVariance == 0 {
		w.noise(s, beta, rng)
	}
}

// sweep moves everything at inverse temperature β: parents as often as there are candidates, at
// least 4 times.
func (w *worker) sweep(s *state, beta float64, rng *rand.Rand) {
	w.moveNetwork(s, beta, false, rng)
	if len(w.candidates) == 0 {
		return
	}
	for range max(4, len(w.candidates)) {
		if rng.IntN(2) == 0 {
			w.toggle(s, beta, rng)
		} else {
			w.swap(s, beta, rng)
		}
	}
}

// start draws a state from the prior: weights exactly, parents by four times as many moves as there
// are candidates.
func (w *worker) start(s *state, rng *rand.Rand) {
	copy(s.in, w.required)
	w.fromPrior(s, rng)
	for range 4 * len(w.candidates) {
		w.toggle(s, 0, rng)
	}
}

// fromPrior draws everything but the parents.
func (w *worker) fromPrior(s *state, rng *rand.Rand) {
	for i := range s.weights {
		s.weights[i] = w.scale * rng.NormFloat64()
	}
	if !w.cfg.NoBias {
		for a := range s.biases {
			s.biases[a] = w.scale * rng.NormFloat64()
		}
	}
	s.logs = w.cfg.startNoise(rng)
	w.refresh(s)
}
