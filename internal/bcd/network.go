package bcd

import (
	"math"
	"math/rand/v2"

	"tobac/autograd"
)

// units is the width of both hidden layers of the network.
const units = 128

// logitCap limits the logits of the permutations, and the logarithms of standard
// deviations, to (−10, 10).
const logitCap = 10

// capped is 10 tanh(x/10).
func capped(x *autograd.Node) *autograd.Node {
	return x.Scale(1. / logitCap).Tanh().Scale(logitCap)
}

// A parameter is one array of the variational parameters.
type parameter struct {
	name    string
	shape   autograd.Shape
	decayed bool // of the permutations: subject to L2
	// start is the initial value of each element; sd, if not 0, the standard
	// deviation of a normal distribution cut off at twice that.
	start, sd float64
}

// parameters of the posterior for d variables with latents of a size: means μ and
// transformed log standard deviations ℓ of the weights and log noise, then those
// of the permutations.
func (s *Settings) parameters(d int) []parameter {
	size := s.latents(d)
	all := []parameter{
		{name: "mean", shape: autograd.Shape{size}},
		{name: "log sd", shape: autograd.Shape{size}, start: -1},
	}
	if s.Factorized {
		return append(all, parameter{name: "logits", shape: autograd.Shape{d, d}, decayed: true})
	}
	layer := func(name string, in, out int) {
		all = append(all,
			parameter{name: name + " weights", shape: autograd.Shape{in, out}, decayed: true,
				sd: 1 / math.Sqrt(float64(in))},
			parameter{name: name + " biases", shape: autograd.Shape{out}, decayed: true})
	}
	layer("first", size, units)
	layer("second", units, units)
	layer("output", units, d*d)
	return all
}

// latents is the number of coordinates of z: the weights below the diagonal of L,
// then one log noise or d.
func (s *Settings) latents(d int) int {
	if s.UnequalVariances {
		return d*(d-1)/2 + d
	}
	return d*(d-1)/2 + 1
}

// initial draws the parameters before the first step, one array after the other.
func initial(all []parameter, rng *rand.Rand) []float64 {
	var values []float64
	for _, p := range all {
		for range p.shape.Len() {
			v := p.start
			if p.sd > 0 {
				for v = rng.NormFloat64(); math.Abs(v) > 2; v = rng.NormFloat64() {
				}
				v *= p.sd
			}
			values = append(values, v)
		}
	}
	return values
}

// gelu is x·Φ(x) in its form with a hyperbolic tangent.
func gelu(x *autograd.Node) *autograd.Node {
	inner := x.Cube().Scale(0.044715).Add(x).Scale(math.Sqrt(2 / math.Pi))
	return inner.Tanh().AddScalar(1).Mul(x).Scale(0.5)
}

// network has the logits M of the permutation of each sample given its latents z.
// All samples go through the layers as one matrix.
func network(p []*autograd.Node, z *autograd.Node, sample *autograd.Axis, d int) *autograd.Node {
	x := z.Stack(sample)
	for k := 0; k < len(p); k += 2 {
		x = x.MatMul(p[k]).Add(p[k+1])
		if k+2 < len(p) {
			x = gelu(x)
		}
	}
	return x.Reshape(autograd.Shape{sample.Size(), d, d}).Unstack(sample)
}
