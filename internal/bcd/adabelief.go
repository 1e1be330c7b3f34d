package bcd

import "math"

// AdaBelief moves parameters against a gradient g (Zhuang et al. 2020). At update
// number c = 1, 2, …, with e = g − m before the update,
//
//	m ← β₁ m + (1−β₁) g,   v ← β₂ v + (1−β₂) e²,
//	x ← x − rate (m/(1−β₁ᶜ)) / (√(v/(1−β₂ᶜ) + 1e-16) + 1e-8),
//
// β₁ = 0.9 and β₂ = 0.999. Its state is First, m, and Second, v.
type adaBelief struct {
	first, second []float64
	updates       int
}

func newAdaBelief(parameters int) adaBelief {
	return adaBelief{first: make([]float64, parameters), second: make([]float64, parameters)}
}

const (
	beta1 = 0.9
	beta2 = 0.999
)

func (o *adaBelief) update(x, gradient []float64, rate float64) {
	o.updates++
	correct1 := rate / (1 - math.Pow(beta1, float64(o.updates)))
	correct2 := 1 / (1 - math.Pow(beta2, float64(o.updates)))
	for i, g := range gradient {
		m, v := o.first[i], o.second[i]
		e := g - m
		m = beta1*m + (1-beta1)*g
		v = beta2*v + (1-beta2)*e*e
		o.first[i], o.second[i] = m, v
		x[i] -= correct1 * m / (math.Sqrt(v*correct2+1e-16) + 1e-8)
	}
}
