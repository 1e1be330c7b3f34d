package bcd

import (
	"math"

	"tobac/autograd"
)

// betheIterations is the number of sweeps of the message-passing iteration, and
// betheFloor what is added to its factors, as to the arguments of logarithms.
const (
	betheIterations = 20
	betheFloor      = 1e-20
)

// bethe has the Bethe approximation of the logarithm of the permanent of e^M, M
// d×d, followed by the d×d numbers γ at which it is taken.
var bethe = &autograd.Primitive{
	Name: "bethe",
	Shape: func(at autograd.Attr, in []autograd.Shape) (autograd.Shape, error) {
		s, err := oneSquare(at, in)
		if err != nil {
			return nil, err
		}
		return autograd.Shape{1 + s.Len()}, nil
	},
	Value: func(_ autograd.Attr, out []float64, _ autograd.Shape, in [][]float64,
		shapes []autograd.Shape) error {
		out[0] = bethePermanent(out[1:], in[0], shapes[0][0])
		return nil
	},
}

// logPermanent is the Bethe approximation of ln perm e^M. By the envelope theorem
// its gradient is γ.
func logPermanent(m *autograd.Node) *autograd.Node {
	all, d := bethe.Apply(autograd.Attr{}, m), m.Shape()[0]
	gamma := all.Slice(0, 1, 1+d*d).Reshape(autograd.Shape{d, d})
	return autograd.WithGradient(all.Index(0, 0), func(ct *autograd.Node) []*autograd.Node {
		return []*autograd.Node{gamma.Mul(ct)}
	}, m)
}

// bethePermanent writes γ and returns
//
//	Σ γM − Σ γ ln γ + Σ (1−γ) ln(1−γ),
//
// after sweeps of belief propagation with θ = e^M, from ν = 1 on:
//
//	μ_ij = θ_ij / Σ_{k≠j} θ_ik ν_ik,   ν_ij = 1 / Σ_{k≠i} μ_kj,   γ_ij = μ_ij / Σ_k μ_kj.
//
// With V₁ = γ and V₂ the rows of θν scaled to sum 1 these are the sweeps
// V₁ ← columns of V₂(1−V₁)/(1−V₂), V₂ ← rows of V₁(1−V₂)/(1−V₁), scaled, in which M
// enters at the start alone: near a permutation, where 1 − V is rounding, they lose it.
func bethePermanent(gamma, m []float64, d int) float64 {
	if d == 1 {
		gamma[0] = 1
		return m[0]
	}
	work := make([]float64, 2*d*d)
	theta, nu, mu := work[:d*d], work[d*d:], gamma
	for i := range d {
		row := m[i*d : i*d+d]
		top := row[0]
		for _, x := range row {
			top = max(top, x)
		}
		for j, x := range row {
			theta[i*d+j], nu[i*d+j] = x-top, 1
		}
	}
	kernels.Exp(theta, theta)
	columns := make([]others, d)
	for range betheIterations {
		clear(columns)
		for i := range d {
			var row others
			t, v, u := theta[i*d:i*d+d], nu[i*d:i*d+d], mu[i*d:i*d+d]
			for j := range t {
				row.add(t[j]*v[j], j)
			}
			for j := range t {
				u[j] = withinRange(t[j] / row.but(t[j]*v[j], j))
				columns[j].add(u[j], i)
			}
		}
		for i := range d {
			u, v := mu[i*d:i*d+d], nu[i*d:i*d+d]
			for j := range v {
				v[j] = withinRange(1 / columns[j].but(u[j], i))
			}
		}
	}
	value := 0.0
	for e, u := range mu {
		column := &columns[e%d]
		all := column.top + column.rest
		g, complement := u/all, column.but(u, e/d)/all
		gamma[e] = g
		value += g*(m[e]-math.Log(g+betheFloor)) + complement*math.Log(complement+betheFloor)
	}
	return value
}

// others has sums of positive numbers without one of them: the largest, where it is,
// and the sum of the others, which a difference would lose.
type others struct {
	top, rest float64
	at        int
}

func (s *others) add(x float64, at int) {
	if x > s.top {
		s.top, s.rest, s.at = x, s.rest+s.top, at
	} else {
		s.rest += x
	}
}

// but is the sum of all numbers but x, the one at a place.
func (s *others) but(x float64, at int) float64 {
	if at == s.at {
		return s.rest
	}
	return s.top + (s.rest - x)
}

// withinRange keeps a message far from overflow, where it is certain anyway.
func withinRange(x float64) float64 {
	if x > 1e140 {
		return 1e140
	}
	if x < 1e-140 {
		return 1e-140
	}
	return x
}
