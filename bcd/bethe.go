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
	Value: func(_ autograd.Attr, out []float64, _ autograd.Shape, in [][]float64, shapes []autograd.Shape) error {
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
// after sweeps, from V₁ = 1/d and V₂ the softmax of the rows of M, of
//
//	V₁' = columns of V₂(1−V₁)/(1−V₂) scaled to sum 1,
//	V₂' = rows of V₁'(1−V₂)/(1−V₁') scaled to sum 1;   V₁ = V₁', V₂ = V₂',   γ = V₁.
func bethePermanent(gamma, m []float64, d int) float64 {
	v1, v2 := gamma, make([]float64, d*d+d)
	sums := v2[d*d:]
	v2 = v2[:d*d]
	for i := range d {
		row := m[i*d : i*d+d]
		top := row[0]
		for _, x := range row {
			top = max(top, x)
		}
		for j, x := range row {
			v2[i*d+j] = x - top
		}
	}
	kernels.Exp(v2, v2)
	for i := range d {
		scaleToOne(v2[i*d : i*d+d])
	}
	for e := range v1 {
		v1[e] = 1 / float64(d)
	}
	for range betheIterations {
		clear(sums)
		for i := range d {
			a, b := v1[i*d:i*d+d], v2[i*d:i*d+d]
			for j := range a {
				a[j] = (b[j] + betheFloor) * (1 - a[j] + betheFloor) / (1 - b[j] + betheFloor)
				sums[j] += a[j]
			}
		}
		for j := range sums {
			sums[j] = 1 / sums[j]
		}
		for i := range d {
			a, b := v1[i*d:i*d+d], v2[i*d:i*d+d]
			for j := range a {
				a[j] *= sums[j]
				b[j] = (a[j] + betheFloor) * (1 - b[j] + betheFloor) / (1 - a[j] + betheFloor)
			}
			scaleToOne(b)
		}
	}
	value := 0.0
	for e, g := range gamma {
		value += g*(m[e]-math.Log(g+betheFloor)) + (1-g)*math.Log(1-g+betheFloor)
	}
	return value
}

func scaleToOne(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for j := range x {
		x[j] /= sum
	}
}

// releasedLogPermanent is the approximation as the authors' program has it: its
// first half-step lacks the factor (1−V₁)/(1−V₂), so that the iteration misses the
// optimum, and reverse mode goes through all of it. The second result is γ.
func releasedLogPermanent(m *autograd.Node) (value, gamma *autograd.Node) {
	d := m.Shape()[0]
	over := func(x *autograd.Node, axis int) *autograd.Node {
		shape := autograd.Shape{d, 1}
		if axis == 0 {
			shape = autograd.Shape{1, d}
		}
		return x.Div(x.Sum(axis).Reshape(shape))
	}
	complement := func(x *autograd.Node) *autograd.Node { return x.Neg().AddScalar(1 + betheFloor) }
	v2 := m.Softmax(1)
	for range betheIterations {
		gamma = over(v2.AddScalar(betheFloor), 0)
		v2 = over(gamma.AddScalar(betheFloor).Mul(complement(v2)).Div(complement(gamma)), 1)
	}
	entropy := gamma.Mul(gamma.AddScalar(betheFloor).Log()).Sum()
	hole := gamma.Neg().AddScalar(1).Mul(complement(gamma).Log()).Sum()
	return gamma.Dot(m).Sub(entropy).Add(hole), gamma
}
