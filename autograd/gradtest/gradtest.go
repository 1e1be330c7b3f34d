package gradtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	return fmt.Sprintf("gradtest: derivative for input %q, %s: got %v, want %v ± %.1g (differ by %.3g, allowed %.3g)",
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
func Check(build func(b *autograd.Builder, x []*autograd.Node) *autograd.Node, at [][]float64, shapes []autograd.Shape, opt Options) error {
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

// check is one graph with its arguments.
type check struct {
	args   []Argument
	inputs []*autograd.Node
	opt    Options
}

// compareRuns evaluates the results twice on the compiled engine and once on
// the reference engine, and compares them.
func (c *check) compareRuns(results []*autograd.Node) ([][]float64, error) {
	before := make([][]float64, len(c.args))
	for i, a := range c.args {
		before[i] = slices.Clone(a.Values)
	}
	var first [][]float64
	for _, engine := range []autograd.Engine{autograd.Compiled, autograd.Reference} {
		ev, err := autograd.NewEvaluator(c.inputs, results, autograd.Options{Engine: engine})
		if err != nil {
			return nil, err
		}
		defer ev.Close()
		for run := range 2 {
			got, err := c.eval(ev, results, nil)
			if err != nil {
				return nil, fmt.Errorf("gradtest: %v engine, run %d: %w", engine, run+1, err)
			}
			for i, a := range c.args {
				if k := differs(a.Values, before[i]); k >= 0 {
					return nil, fmt.Errorf("gradtest: %v engine, run %d: input %q, element %d was changed: got %v, want %v",
						engine, run+1, a.Node.Name(), k, a.Values[k], before[i][k])
				}
			}
			if first == nil {
				first = got
			}
			tolerance := c.opt.EngineTolerance
			if engine == autograd.Compiled {
				tolerance = 0
			}
			if err := c.compare(got, first, tolerance); err != nil {
				return nil, fmt.Errorf("gradtest: %v engine, run %d against the first: %w", engine, run+1, err)
			}
		}
	}
	return first, nil
}

// compare reports the first element that differs by more than the tolerance
// times the largest element of its result, or that is not finite.
func (c *check) compare(got, want [][]float64, tolerance float64) error {
	for i := range want {
		top := largest(want[i])
		for k, w := range want[i] {
			if g := got[i][k]; !(math.Abs(g-w) <= tolerance*top) || math.IsInf(top, 0) {
				return fmt.Errorf("%s, element %d: got %v, want %v", c.resultName(i), k, g, w)
			}
		}
	}
	return nil
}

// resultName names result i: the value, or a gradient.
func (c *check) resultName(i int) string {
	if i == 0 {
		return "value"
	}
	for _, a := range c.args {
		if !a.Fixed {
			i--
		}
		if i == 0 {
			return fmt.Sprintf("gradient for input %q", a.Node.Name())
		}
	}
	return ""
}

// differences compares the gradients, values[1:], with differences of y.
func (c *check) differences(y *autograd.Node, values [][]float64) error {
	ev, err := autograd.NewEvaluator(c.inputs, []*autograd.Node{y}, autograd.Options{})
	if err != nil {
		return err
	}
	defer ev.Close()
	rounding := 0.0
	for _, v := range values[0] {
		rounding += 1e-11 * math.Abs(v)
	}
	rng := rand.New(rand.NewPCG(c.opt.Seed, 0x67726164))
	at := 0
	for i, a := range c.args {
		if a.Fixed {
			continue
		}
		at++
		gradient := values[at]
		for k := range c.count(a) {
			direction, element := c.direction(a, k, rng)
			want, uncertainty, err := c.along(ev, y, i, direction)
			if err != nil {
				return err
			}
			got := 0.0
			for e, g := range gradient {
				got += g * direction[e]
			}
			allowed := c.opt.Tolerance*max(math.Abs(got), math.Abs(want), largest(gradient)) + rounding
			if !(math.Abs(got-want) <= allowed) {
				return &MismatchError{Input: a.Node.Name(), Element: element, Direction: k, Got: got, Want: want, Uncertainty: uncertainty, Allowed: allowed}
			}
		}
	}
	return nil
}

// count is the number of directions along which an argument is checked.
func (c *check) count(a Argument) int {
	if len(a.Values) <= c.opt.Every {
		return len(a.Values)
	}
	return c.opt.Directions
}

// direction number k of an argument: a unit vector, or a random vector whose
// elements are as large as those of the point.
func (c *check) direction(a Argument, k int, rng *rand.Rand) (v []float64, element int) {
	v = make([]float64, len(a.Values))
	if len(v) <= c.opt.Every {
		v[k] = 1
		return v, k
	}
	for e, x := range a.Values {
		v[e] = rng.NormFloat64() * max(1, math.Abs(x)) / math.Sqrt(float64(len(v)))
	}
	return v, -1
}

// along differentiates the sum of y when argument i moves along a direction.
func (c *check) along(ev autograd.Evaluator, y *autograd.Node, i int, direction []float64) (derivative, uncertainty float64, err error) {
	centre := c.args[i].Values
	step := c.opt.Step
	for e, v := range direction {
		if v == 1 {
			step *= max(1, math.Abs(centre[e]))
		}
	}
	moved := make([]float64, len(centre))
	value := func(h float64) []float64 {
		for e, x := range centre {
			moved[e] = x + h*direction[e]
		}
		got, evalErr := c.eval(ev, []*autograd.Node{y}, map[int][]float64{i: moved})
		if evalErr != nil {
			err = fmt.Errorf("gradtest: value at a step of %v from the point: %w", h, evalErr)
			return nil
		}
		return got[0]
	}
	var d [levels]float64
	for k := range d {
		h := math.Ldexp(step, -k)
		up, down := value(h), value(-h)
		if err != nil {
			return 0, 0, err
		}
		for l := range up {
			d[k] += (up[l] - down[l]) / (2 * h)
		}
	}
	derivative, uncertainty = extrapolate(d)
	return derivative, uncertainty, nil
}

// eval runs the evaluator at the point, some arguments replaced.
func (c *check) eval(ev autograd.Evaluator, results []*autograd.Node, replaced map[int][]float64) ([][]float64, error) {
	src := make([]autograd.Feed, len(c.args))
	for i, a := range c.args {
		src[i].Data = a.Values
		if v := replaced[i]; v != nil {
			src[i].Data = v
		}
	}
	dst := make([][]float64, len(results))
	for i, n := range results {
		size := n.Shape().Len()
		for _, a := range n.Axes() {
			size *= a.Size()
		}
		dst[i] = make([]float64, size)
	}
	return dst, ev.Eval(dst, src)
}

// differs is the first index at which two slices differ bit by bit, or -1.
func differs(a, b []float64) int {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return i
		}
	}
	return -1
}

func largest(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	return top
}
