package gflownet

import (
	"fmt"
	"math"
	"math/rand/v2"

	ad "tobac/autograd"
	"tobac/internal/stream"
)

// heads of every attention layer.
const heads = 4

// A parameter is one array of a network.
type parameter struct {
	shape ad.Shape
	draw  func(rng *rand.Rand) float64 // of an element at the beginning
}

// layers adds the layers of a network to a graph, and lists their parameters, which are
// inputs, in the sequence in which they are made.
type layers struct {
	b          *ad.Builder
	parameters []parameter
	nodes      []*ad.Node
}

func (l *layers) parameter(draw func(rng *rand.Rand) float64, shape ...int) *ad.Node {
	n := l.b.Input(fmt.Sprintf("w%d", len(l.nodes)), shape)
	l.parameters, l.nodes = append(l.parameters, parameter{shape, draw}), append(l.nodes, n)
	return n
}

func zero(*rand.Rand) float64 { return 0 }
func one(*rand.Rand) float64  { return 1 }

// truncated draws from a normal distribution cut off at two standard deviations, sd
// being that before the cut.
func truncated(sd float64) func(rng *rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		for {
			if z := rng.NormFloat64(); math.Abs(z) <= 2 {
				return sd * z
			}
		}
	}
}

// scaled is the variance scaling of a linear layer: a truncated normal distribution with the
// variance scale/in, whose cut takes .87963² of the variance of the whole one.
func scaled(scale float64, in int) func(rng *rand.Rand) float64 {
	return truncated(math.Sqrt(scale/float64(in)) / 0.87963)
}

// linear is x·W + b.
func (l *layers) linear(x *ad.Node, out int, draw func(rng *rand.Rand) float64) *ad.Node {
	in := x.Shape()[len(x.Shape())-1]
	return x.MatMul(l.parameter(draw, in, out)).Add(l.parameter(zero, out))
}

// norm is the layer norm of the rows of x.
func (l *layers) norm(x *ad.Node) *ad.Node {
	rows, width := x.Shape()[0], x.Shape()[1]
	column := ad.Shape{rows, 1}
	centred := x.Sub(x.Mean(1).Reshape(column))
	scale := centred.Square().Mean(1).AddScalar(1e-5).Pow(-0.5).Reshape(column)
	return centred.Mul(scale).Mul(l.parameter(one, width)).Add(l.parameter(zero, width))
}

// mlp is linear layers of the given widths with rectified linear units between them.
// last draws the weights of the last one.
func (l *layers) mlp(x *ad.Node, last func(rng *rand.Rand) float64, widths ...int) *ad.Node {
	for k, width := range widths {
		if k == len(widths)-1 {
			return l.linear(x, width, last)
		}
		in := x.Shape()[len(x.Shape())-1]
		x = l.linear(x, width, truncated(1/math.Sqrt(float64(in)))).Relu()
	}
	return x
}

// split cuts the columns of x into heads, heads×rows×(columns/heads).
func split(x *ad.Node) *ad.Node {
	rows, width := x.Shape()[0], x.Shape()[1]
	return x.Reshape(ad.Shape{rows, heads, width / heads}).Transpose(1, 0, 2)
}

// join is the way back.
func join(x *ad.Node) *ad.Node {
	rows, width := x.Shape()[1], x.Shape()[2]
	return x.Transpose(1, 0, 2).Reshape(ad.Shape{rows, heads * width})
}

// draw fills a slice for each parameter.
func draw(parameters []parameter, seed uint64) [][]float64 {
	all := make([][]float64, len(parameters))
	for k, p := range parameters {
		rng := stream.New(seed, stream.GFlowNetWeights, k)
		all[k] = make([]float64, size(p.shape))
		for i := range all[k] {
			all[k][i] = p.draw(rng)
		}
	}
	return all
}

func size(shape ad.Shape) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}
