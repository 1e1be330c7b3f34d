package tempering

import (
	"math"
	"math/rand/v2"
)

// curved is the memory of steps by the curvature of the evidence. Parameters are those of one unit,
// its weights and then its bias.
type curved struct {
	from, to []float64 // parameters
	jacobian []float64 // of the activations that the output layer weighs: parameter by row
	products []float64 // of a row of it with the features and y: parameter by product
	mean     []float64 // of the output layer
	inverse  []float64 // column of B⁻¹
	forth    normal    // which proposes
	back     normal    // which would have proposed the way back
}

// A normal distribution with the lower factor of its precision.
type normal struct {
	mean, factor []float64
}

func (v *node) newCurved() curved {
	p, k := len(v.candidates), v.features
	if !v.cfg.NoBias {
		p++
	}
	return curved{
		from: make([]float64, p), to: make([]float64, p), jacobian: make([]float64, p*v.n),
		products: make([]float64, p*(k+1)), mean: make([]float64, k), inverse: make([]float64, k),
		forth: normal{make([]float64, p), make([]float64, p*p)},
		back:  normal{make([]float64, p), make([]float64, p*p)},
	}
}

// step moves the parameters of unit a to a draw from the normal distribution that has the slope and
// the curvature of p(W, b) p(y|W, b) where they are, the curvature by Gauss and Newton with the
// output layer integrated out [6]. It does not care how differently parents vary, and that their
// effects make up for each other. Metropolis and Hastings accept it. All candidates are parents.
func (w *worker) step(s *state, a int, rng *rand.Rand) {
	c, h, n := &w.curved, w.units, w.n
	p := len(c.from)
	if p == 0 || n == 0 {
		return
	}
	for i := range w.candidates {
		c.from[i] = s.weights[i*h+a]
	}
	if !w.cfg.NoBias {
		c.from[p-1] = s.biases[a]
	}
	for i := range c.to {
		c.to[i] = rng.NormFloat64()
	}
	u := 1 - rng.Float64()
	w.logEvidence(s.gram, s.logs)
	if !w.around(&c.forth, s, a, c.from) {
		return
	}
	log := -c.forth.draw(c.to)
	pre, phi := s.pre[a*n:(a+1)*n], s.phi[a*n:(a+1)*n]
	copy(w.proposal[:n], pre)
	copy(w.phi[:n], phi)
	copy(w.gram, s.gram)
	bias := 0.0
	if !w.cfg.NoBias {
		bias = c.to[p-1]
	}
	for r := range pre {
		pre[r] = bias
	}
	for i := range w.candidates {
		w.kernels.AddScaled(pre, pre, c.to[i], w.row(i))
	}
	w.activate(phi, pre)
	w.unitProducts(s.phi, a)
	w.putProducts(s.gram, a)
	e := w.logEvidence(s.gram, s.logs)
	for i, v := range c.to {
		log += (c.from[i]*c.from[i] - v*v) / (2 * w.scale * w.scale)
	}
	if !math.IsInf(e, -1) && w.around(&c.back, s, a, c.to) &&
		math.Log(u) <= e-s.evidence+log+c.back.logDensity(c.from) {
		for i := range w.candidates {
			s.weights[i*h+a] = c.to[i]
		}
		if !w.cfg.NoBias {
			s.biases[a] = c.to[p-1]
		}
		s.evidence = e
		return
	}
	copy(pre, w.proposal[:n])
	copy(phi, w.phi[:n])
	copy(s.gram, w.gram)
}

// around is the normal distribution around the parameters of unit a of a state, whose evidence was
// the last to be computed. With B and v̂ of [ridge], J = dφ_a/d(parameters) and s² = σ²/β,
//
//	slope      (v̂_a Jᵀ(y − Φv̂) − JᵀΦ B⁻¹_a) / s²
//	curvature  E v_a² (JᵀJ − JᵀΦ B⁻¹ ΦᵀJ/s²) / s²
func (w *worker) around(dst *normal, s *state, a int, at []float64) bool {
	c, n, k, p := &w.curved, w.n, w.features, len(at)
	precision := w.power / math.Exp(s.logs)
	w.solver.Mean(c.mean)
	clear(c.inverse)
	c.inverse[a] = 1
	w.solver.Solve(c.inverse)
	output := c.mean[a]
	square := (output*output + c.inverse[a]) * precision
	for b, v := range c.mean {
		c.inverse[b] += output * v
	}
	slopes := c.jacobian[(p-1)*n:]
	w.cfg.Activation.Slopes(slopes, s.phi[a*n:(a+1)*n], s.pre[a*n:(a+1)*n], w.scale)
	for i := range w.candidates { // the last of them in place, where there are no biases
		w.kernels.MulEach(c.jacobian[i*n:(i+1)*n], slopes, w.row(i))
	}
	root, prior := math.Sqrt(precision), 1/(w.scale*w.scale)
	for i := range p {
		row := c.jacobian[i*n : (i+1)*n]
		factor, products := dst.factor[i*p:i*p+i+1], c.products[i*(k+1):(i+1)*(k+1)]
		w.times(factor, c.jacobian, row)
		w.times(products, s.phi, row)
		slope := output * products[k]
		for b, v := range c.inverse {
			slope -= v * products[b]
		}
		dst.mean[i] = slope*precision - at[i]*prior
		products = products[:k]
		w.solver.Half(products)
		for b := range products {
			products[b] *= root
		}
		for j := range factor {
			v := factor[j]
			for b, u := range c.products[j*(k+1) : j*(k+1)+k] {
				v -= u * products[b]
			}
			factor[j] = square * v
		}
		factor[i] += prior
	}
	return dst.settle(at)
}

// settle makes a slope the mean, and a precision its factor, if it is positive definite: in place,
// since steps allocate nothing, as [mat.Cholesky] would.
func (d *normal) settle(at []float64) bool {
	p, f := len(at), d.factor
	for i := range p {
		row := f[i*p : i*p+i+1]
		for j := range row {
			v := row[j]
			for c, u := range f[j*p : j*p+j] {
				v -= row[c] * u
			}
			if j < i {
				row[j] = v / f[j*p+j]
			} else if row[i] = math.Sqrt(v); !(v > 0) {
				return false
			}
		}
		for c, u := range row[:i] {
			d.mean[i] -= u * d.mean[c]
		}
		d.mean[i] /= row[i]
	}
	d.solve(d.mean)
	for i, v := range at {
		d.mean[i] += v
	}
	return true
}

// solve replaces x by L⁻ᵀx.
func (d *normal) solve(x []float64) {
	p, f := len(x), d.factor
	for i := p - 1; i >= 0; i-- {
		x[i] /= f[i*p+i]
		for c := range i {
			x[c] -= f[i*p+c] * x[i]
		}
	}
}

// draw replaces standard normal numbers by a draw, whose log density, without constants, it
// returns.
func (d *normal) draw(x []float64) (log float64) {
	p := len(x)
	for i, v := range x {
		log += math.Log(d.factor[i*p+i]) - v*v/2
	}
	d.solve(x)
	for i, v := range d.mean {
		x[i] += v
	}
	return log
}

// logDensity is that of x, without constants.
func (d *normal) logDensity(x []float64) (log float64) {
	p := len(x)
	for c := range p {
		v := 0.0
		for i := c; i < p; i++ {
			v += d.factor[i*p+c] * (x[i] - d.mean[i])
		}
		log += math.Log(d.factor[c*p+c]) - v*v/2
	}
	return log
}
