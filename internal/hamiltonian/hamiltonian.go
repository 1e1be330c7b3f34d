package hamiltonian

import (
	"fmt"
	"math"

	"tobac/chain"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A System is what kernels with momenta share: the energy −log p(x) + pᵀM⁻¹p/2, whose inverse
// mass M⁻¹ is the chain's metric, leapfrog steps, and the adaptation of the step size.
type System struct {
	*chain.Walk
	acceptance float64

	v         []float64 // velocity
	trial     chain.Point
	factor    mat.Cholesky // of the dense metric
	hasFactor bool
}

// New is for a walk, with the mean acceptance that steps are adapted to.
func New(w *chain.Walk, acceptance float64) *System {
	d := len(w.Chain.X)
	return &System{Walk: w, acceptance: acceptance,
		v: make([]float64, d), trial: chain.NewPoint(d)}
}

// Check is the error of an acceptance that is no probability, where 0 stands for a
// default, or of an unknown metric.
func Check(kernel string, acceptance float64, metric chain.Metric) error {
	switch {
	case !(acceptance >= 0 && acceptance < 1):
		return fmt.Errorf("%s: acceptance %v, want one between 0 and 1", kernel, acceptance)
	case metric < chain.Automatic || metric > chain.Dense:
		return fmt.Errorf("%s: metric %d, want Automatic, Diagonal or Dense", kernel, metric)
	}
	return nil
}

// Velocity is the metric times a momentum, overwritten by the next call.
func (h *System) Velocity(p []float64) []float64 {
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
func (h *System) Momentum(z *chain.Point) {
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

func (h *System) energy(z *chain.Point) {
	z.Energy = floats.Dot(h.Velocity(z.P), z.P)/2 - z.LogDensity
	if math.IsNaN(z.Energy) {
		z.Energy = math.Inf(1)
	}
}

// Leap is one leapfrog step, and the new energy: +∞ outside the support, or if the run stops.
func (h *System) Leap(z *chain.Point, step float64) {
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
func (h *System) Begin() bool {
	c := h.Chain
	if c.Step != 0 {
		return true
	}
	c.Step = 1
	return h.restart()
}

// restart doubles or halves the step size until the acceptance of one step crosses 0.8, and
// begins dual averaging there.
func (h *System) restart() bool {
	z, c := &h.trial, h.Chain
	leaps, sign := c.Leaps, 0.0
	for range 100 {
		z.Set(h.Here())
		h.Momentum(z)
		before := z.Energy
		if h.Leap(z, c.Step); h.Stopped() {
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
	c.Averaging = chain.Averaging{Center: math.Log(10 * c.Step)}
	return true
}

// Adapt learns step size and metric from the iteration that was just done, with
// Chain.Accepted, and reports false if the run stops.
func (h *System) Adapt() bool {
	warming, last := h.Warming()
	if !warming {
		return true
	}
	average(h.Chain, h.acceptance)
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

// average is a step of dual averaging towards a mean acceptance.
func average(c *chain.Chain, goal float64) {
	a := &c.Averaging
	a.Count++
	n := float64(a.Count)
	a.Gap += (goal - c.Accepted - a.Gap) / (n + 10)
	step := a.Center - a.Gap*math.Sqrt(n)/0.05
	share := math.Pow(n, -0.75)
	a.Mean = share*step + (1-share)*a.Mean
	c.Step = math.Exp(step)
}
