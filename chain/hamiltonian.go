package chain

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Hamiltonian is what kernels with momenta share: the energy −log p(x) + pᵀM⁻¹p/2, whose inverse
// mass M⁻¹ is the chain's metric, leapfrog steps, and the adaptation of the step size.
type Hamiltonian struct {
	*Walk
	acceptance float64

	v         []float64 // velocity
	trial     Point
	factor    mat.Cholesky // of the dense metric
	hasFactor bool
}

// NewHamiltonian is for a walk, with the mean acceptance that steps are adapted to.
func NewHamiltonian(w *Walk, acceptance float64) *Hamiltonian {
	d := len(w.Chain.X)
	return &Hamiltonian{Walk: w, acceptance: acceptance,
		v: make([]float64, d), trial: NewPoint(d)}
}

// CheckHamiltonian is the error of an acceptance that is no probability, where 0 stands for a
// default, or of an unknown metric.
func CheckHamiltonian(kernel string, acceptance float64, metric Metric) error {
	switch {
	case !(acceptance >= 0 && acceptance < 1):
		return fmt.Errorf("%s: acceptance %v, want one between 0 and 1", kernel, acceptance)
	case metric < Automatic || metric > Dense:
		return fmt.Errorf("%s: metric %d, want Automatic, Diagonal or Dense", kernel, metric)
	}
	return nil
}

// Velocity is the metric times a momentum, overwritten by the next call.
func (h *Hamiltonian) Velocity(p []float64) []float64 {
	d := len(p)
	if len(h.Chain.Metric) == d {
		floats.MulTo(h.v, h.Chain.Metric, p)
		return h.v
	}
	for i := range d {
		h.v[i] = floats.Dot(h.Chain.Metric[i*d:][:d], p)
	}
	return h.v
}

// Momentum draws a momentum for z, and writes its energy.
func (h *Hamiltonian) Momentum(z *Point) {
	p := z.P
	for i := range p {
		p[i] = h.Rand.NormFloat64()
	}
	d := len(p)
	if len(h.Chain.Metric) == d {
		for i := range p {
			p[i] /= math.Sqrt(h.Chain.Metric[i])
		}
		h.energy(z)
		return
	}
	if !h.hasFactor {
		if !h.factor.Factorize(mat.NewSymDense(d, append([]float64(nil), h.Chain.Metric...))) {
			panic("chain: the metric is not positive definite")
		}
		h.hasFactor = true
	}
	upper := h.factor.RawU() // UᵀU is the metric, and p = U⁻¹z has its inverse as covariance
	for i := d - 1; i >= 0; i-- {
		for j := i + 1; j < d; j++ {
			p[i] -= upper.At(i, j) * p[j]
		}
		p[i] /= upper.At(i, i)
	}
	h.energy(z)
}

func (h *Hamiltonian) energy(z *Point) {
	z.Energy = floats.Dot(h.Velocity(z.P), z.P)/2 - z.LogDensity
	if math.IsNaN(z.Energy) {
		z.Energy = math.Inf(1)
	}
}

// Leap is one leapfrog step, and the new energy: +∞ outside the support, or if the run stops.
func (h *Hamiltonian) Leap(z *Point, step float64) {
	floats.AddScaled(z.P, step/2, z.Grad)
	floats.AddScaled(z.X, step, h.Velocity(z.P))
	if !h.Eval(z) {
		z.Energy = math.Inf(1)
		return
	}
	h.Chain.Leaps++
	floats.AddScaled(z.P, step/2, z.Grad)
	h.energy(z)
}

// Begin finds a first step size if there is none.
func (h *Hamiltonian) Begin() bool {
	c := h.Chain
	if c.Step != 0 {
		return true
	}
	c.Step = 1
	return h.restart()
}

// restart doubles or halves the step size until the acceptance of one step crosses 0.8, and
// begins dual averaging there.
func (h *Hamiltonian) restart() bool {
	z, c := &h.trial, h.Chain
	leaps, sign := c.Leaps, 0.0
	for range 100 {
		z.Set(h.here)
		h.Momentum(z)
		before := z.Energy
		if h.Leap(z, c.Step); h.stopped {
			return false
		}
		s := -1.0
		if before-z.Energy > math.Log(0.8) {
			s = 1
		}
		if sign != 0 && s != sign {
			break
		}
		sign = s
		c.Step *= math.Exp2(s)
	}
	c.Leaps = leaps
	c.Averaging = Averaging{Center: math.Log(10 * c.Step)}
	return true
}

// Adapt learns step size and metric from the iteration that was just done, with
// Chain.Accepted, and reports false if the run stops.
func (h *Hamiltonian) Adapt() bool {
	warming, last := h.warming()
	if !warming {
		return true
	}
	h.Chain.average(h.acceptance)
	if h.Learn() {
		h.hasFactor = false
		if !h.restart() {
			return false
		}
	}
	if last && h.Chain.Averaging.Count > 0 {
		h.Chain.Step = math.Exp(h.Chain.Averaging.Mean)
	}
	return true
}
