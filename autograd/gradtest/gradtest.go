package gradtest

import (
	"errors"
	"fmt"
	"math"

	"tobac/autograd"
)

// Options of a check. The zero value is right for well-scaled functions.
type Options struct {
	// Step is the largest half-width of the differences, relative to
	// max(1, |x|); 0 means 0.01. Make it smaller where the domain ends closer.
	Step float64

	// Tolerance is the accepted relative error of a derivative; 0 means 1e-6.
	// A directional derivative got passes for want if
	//
	//	|got − want| ≤ Tolerance·max(|got|, |want|, ‖g‖∞) + 1e-11·Σ|y|
	//
	// where g is the gradient for the same input and the last term covers the
	// rounding of the value y.
	Tolerance float64

	// EngineTolerance is the accepted difference between the compiled and the
	// reference engine, relative to the largest element of a result; 0 means
	// 1e-9.
	EngineTolerance float64

	// Every is the number of elements up to which an input is checked element
	// by element; 0 means 32, a negative number none.
	Every int

	// Directions is the number of random directions along which a larger input
	// is checked; 0 means 8.
	Directions int

	// Seed of the directions.
	Seed uint64
}

func (o Options) withDefaults() Options {
	if o.Step == 0 {
		o.Step = 0.01
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
	}
	if o.EngineTolerance == 0 {
		o.EngineTolerance = 1e-9
	}
	if o.Every == 0 {
		o.Every = 32
	}
	if o.Directions == 0 {
		o.Directions = 8
	}
	return o
}

// A MismatchError is a derivative that differs from its finite difference.
type MismatchError struct {
	Input       string  // name of the input
	Element     int     // its element, or -1 for a random direction
	Direction   int     // number of the random direction, from 0
	Got         float64 // from the graph
	Want        float64 // from differences of the value
	Uncertainty float64 // of Want; large near a kink or a pole
	Allowed     float64 // largest accepted |Got − Want|
}

func (e *MismatchError) Error() string {
	at := fmt.Sprintf("element %d", e.Element)
	if e.Element < 0 {
		at = fmt.Sprintf("random direction %d", e.Direction)
	}
	return fmt.Sprintf("gradtest: derivative for input %q, %s: got %v, want %v ± %.1g (differ by "+
		"%.3g, allowed %.3g)",
		e.Input, at, e.Got, e.Want, e.Uncertainty, math.Abs(e.Got-e.Want), e.Allowed)
}

// An Argument is an input of a graph to check and its values, in the layout of
// [autograd.Feed.Data]: mapped axes lead, then the shape, row-major.
type Argument struct {
	Node   *autograd.Node
	Values []float64
	Fixed  bool // not differentiated: data, noise
}

// Check differentiates the scalar-shaped node that build makes of inputs
// x0, x1, … of the given shapes at the point at, and compares the result with
// finite differences. The error is a [*MismatchError] if a derivative is wrong;
// other errors are those of the graph and of its evaluation. at is not modified.
func Check(build func(b *autograd.Builder, x []*autograd.Node) *autograd.Node, at [][]float64,
	shapes []autograd.Shape, opt Options) error {
	if len(at) != len(shapes) {
		return fmt.Errorf("gradtest: got values of %d inputs, want %d", len(at), len(shapes))
	}
	b := autograd.NewBuilder("gradtest")
	args := make([]Argument, len(shapes))
	x := make([]*autograd.Node, len(shapes))
	for i, s := range shapes {
		x[i] = b.Input(fmt.Sprintf("x%d", i), s)
		args[i] = Argument{Node: x[i], Values: at[i]}
	}
	return CheckGraph(build(b, x), args, opt)
}

// CheckGraph does the same for a node y of a graph that is built already. y has
// the scalar shape; if it carries mapped axes, the gradient of the sum over
// them is checked. args lists every input that y depends on. The gradient's
// nodes are added to the graph.
func CheckGraph(y *autograd.Node, args []Argument, opt Options) error {
	opt = opt.withDefaults()
	var inputs, varied []*autograd.Node
	for _, a := range args {
		inputs = append(inputs, a.Node)
		if !a.Fixed {
			varied = append(varied, a.Node)
		}
	}
	if len(varied) == 0 {
		return errors.New("gradtest: no input to differentiate")
	}
	results := append([]*autograd.Node{y}, y.Builder().Grad(y, varied...)...)
	c := &check{args: args, inputs: inputs, opt: opt}
	values, err := c.compareRuns(results)
	if err != nil {
		return err
	}
	return c.differences(y, values)
}
