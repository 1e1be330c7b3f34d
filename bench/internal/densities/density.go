package densities

import (
	"math"
	"math/rand/v2"

	"tobac/autograd"
)

// A Density is a log density in several forms that agree up to rounding.
type Density struct {
	Name   string
	Params int

	// SD is the standard deviation of sensible points around 0.
	SD float64

	// Expression is the log density, a scalar, of one particle x of shape (Params).
	Expression func(x *autograd.Node) *autograd.Node

	// Spellings are further ways to write the expression.
	Spellings []Spelling
}

// A Spelling is another way to write an expression. One of Expression and OverRows
// is set, or neither: then the expression is the density's own.
type Spelling struct {
	Name       string
	Expression func(x *autograd.Node) *autograd.Node

	// OverRows is a log density whose terms are the indices of a mapped axis that was
	// declared before the particles, of size Rows.
	OverRows func(x *autograd.Node, row *autograd.Axis) *autograd.Node
	Rows     int

	// Mean adds the mean log density of all particles to the outputs, which does not
	// carry the axis of the particles.
	Mean bool
}

// withMean is the expression itself, with the mean log density as a third output.
func withMean() Spelling { return Spelling{Name: "mean of particles", Mean: true} }

// A Graph is a form of a density for many particles. Outputs begin with the log
// density and its gradient, which carry the axis of the particles.
type Graph struct {
	X       *autograd.Node
	Outputs []*autograd.Node
}

// Graph builds the expression for a number of particles, in the given spelling; the
// zero Spelling is the expression as it stands. An error is kept by the graph's
// builder and returned when the graph is compiled.
func (d *Density) Graph(particles int, s Spelling) *Graph {
	b := autograd.NewBuilder(d.Name)
	var row *autograd.Axis
	if s.OverRows != nil {
		row = b.Axis("row", s.Rows)
	}
	particle := b.Axis("particle", particles)
	x := b.Input("x", autograd.Shape{d.Params}, particle)
	var y *autograd.Node
	switch {
	case s.OverRows != nil:
		y = s.OverRows(x, row)
	case s.Expression != nil:
		y = s.Expression(x)
	default:
		y = d.Expression(x)
	}
	outputs := []*autograd.Node{y, b.Grad(y, x)[0]}
	if s.Mean {
		outputs = append(outputs, y.MeanOver(particle))
	}
	return &Graph{X: x, Outputs: outputs}
}

// stream is the source of a density's data.
func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

// normals are n independent numbers N(0, sd).
func normals(rng *rand.Rand, n int, sd float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = sd * rng.NormFloat64()
	}
	return v
}

// constant is data as a node beside x.
func constant(x *autograd.Node, data []float64, shape ...int) *autograd.Node {
	return x.Builder().Constant(data, shape)
}

// vector is data as a node beside x, with one dimension.
func vector(x *autograd.Node, data []float64) *autograd.Node {
	return constant(x, data, len(data))
}

// at is parameter i as a scalar.
func at(x *autograd.Node, i int) *autograd.Node { return x.Index(0, i) }

// halfSquare is −Σ z²/2, the log density of independent standard normals.
func halfSquare(z *autograd.Node) *autograd.Node { return z.Square().Sum().Scale(-0.5) }

// sigmoid is the logistic function.
func sigmoid(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
