package gradtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/autograd"
	"tobac/internal/stream"
)

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
					return nil, fmt.Errorf("gradtest: %v engine, run %d: input %q, element %d "+
						"was changed: got %v, want %v",
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
				return nil, fmt.Errorf("gradtest: %v engine, run %d against the first: %w", engine,
					run+1, err)
			}
		}
	}
	return first, nil
}

// compare reports the first element that differs by more than the tolerance
// times the largest element of all results, since a value may cancel that its
// derivatives are no smaller for, or that is not finite.
func (c *check) compare(got, want [][]float64, tolerance float64) error {
	top := 0.0
	for _, w := range want {
		if l := largest(w); !math.IsInf(l, 0) && !math.IsNaN(l) {
			top = max(top, l)
		}
	}
	for i := range want {
		for k, w := range want[i] {
			g := got[i][k]
			if math.IsNaN(g) || math.IsInf(g, 0) {
				return fmt.Errorf("%s, element %d is %v", c.resultName(i), k, g)
			}
			if !(math.Abs(g-w) <= tolerance*top) {
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
	rng := stream.New(c.opt.Seed, stream.GradientDirection)
	at := 0
	for i, a := range c.args {
		if a.Fixed {
			continue
		}
		at++
		gradient := values[at]
		for k := range c.count(a) {
			direction, step, element := c.direction(a, k, rng)
			want, uncertainty, err := c.along(ev, y, i, direction, step)
			if err != nil {
				return err
			}
			got := 0.0
			for e, g := range gradient {
				got += g * direction[e]
			}
			allowed := c.opt.Tolerance*max(math.Abs(got), math.Abs(want), largest(gradient)) +
				rounding
			if !(math.Abs(got-want) <= allowed) {
				return &MismatchError{Input: a.Node.Name(), Element: element, Direction: k,
					Got: got, Want: want, Uncertainty: uncertainty, Allowed: allowed}
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

// direction number k of an argument and the largest step along it: a unit
// vector, or a random vector whose elements are as large as those of the point.
func (c *check) direction(a Argument, k int, rng *rand.Rand) (v []float64, step float64,
	element int) {
	v = make([]float64, len(a.Values))
	if len(v) <= c.opt.Every {
		v[k] = 1
		return v, c.opt.Step * max(1, math.Abs(a.Values[k])), k
	}
	for e, x := range a.Values {
		v[e] = rng.NormFloat64() * max(1, math.Abs(x)) / math.Sqrt(float64(len(v)))
	}
	return v, c.opt.Step, -1
}

// along differentiates the sum of y when argument i moves along a direction.
// Points at which the graph cannot be evaluated count as not finite, unless
// that leaves nothing.
func (c *check) along(ev autograd.Evaluator, y *autograd.Node, i int, direction []float64,
	step float64) (derivative, uncertainty float64, err error) {
	centre := c.args[i].Values
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
		if up == nil || down == nil {
			d[k] = math.NaN()
			continue
		}
		for l := range up { // lane by lane: differences lose fewer digits than sums
			d[k] += (up[l] - down[l]) / (2 * h)
		}
	}
	derivative, uncertainty = extrapolate(d)
	if math.IsInf(uncertainty, 1) && err != nil {
		return 0, 0, err
	}
	return derivative, uncertainty, nil
}

// eval runs the evaluator at the point, some arguments replaced.
func (c *check) eval(ev autograd.Evaluator, results []*autograd.Node,
	replaced map[int][]float64) ([][]float64, error) {
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
