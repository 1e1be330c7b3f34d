package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
)

// The op table test. Every op of the table has one row here with an
// independent forward computation in plain Go, and every row is put through
// the same checks: value and gradient on all engines, second derivative, second
// run, untouched inputs, mapped variants, two parameter values in one graph,
// and special values.

// A row belongs to one op.
type row struct {
	op    string
	cases []opCase // the first one is checked in every variant
	other *opCase  // the first case with another parameter
	spots []spot   // special values and kinks

	once     bool // no second derivative: the first is constant
	constant bool // no derivative at all
}

// An opCase is one use of an op: operands, the node built from them, and what
// it must be.
type opCase struct {
	name   string
	axes   []int      // sizes of the mapped axes of the case, outermost first
	shapes []ad.Shape // of the operands
	over   [][]int    // per operand, the axes it carries; nil means none
	build  func(a []*ad.Axis, x []*ad.Node) *ad.Node

	// want computes the whole result from the whole operands, mapped axes
	// leading, in plain Go.
	want func(x [][]float64) []float64

	// slope, if set, is the function whose differences the gradient equals;
	// otherwise it is want.
	slope func(x [][]float64) []float64

	// sample draws operand i at one index of the axes; nil draws normals.
	sample func(rng *rand.Rand, i, size int) []float64

	frozen int // bit i: operand i receives no derivative
}

// A spot is a special point of a row: value and gradient of the sum are known.
type spot struct {
	name   string
	axes   []int
	shapes []ad.Shape
	over   [][]int
	at     [][]float64
	build  func(a []*ad.Axis, x []*ad.Node) *ad.Node // nil means that of the first case
	want   []float64
	grad   [][]float64 // nil, or nil for an operand: not looked at
	each   bool        // the tolerance is relative to each element
}

const (
	valueTolerance  = 1e-12 // relative to the largest element: summation order
	slopeTolerance  = 1e-7  // differences of plain Go code
	secondTolerance = 1e-6  // differences of the first gradient
)

var engines = []ad.Engine{ad.Compiled, ad.Reference}

// A variant adds mapped axes to a case.
type variant struct {
	name  string
	extra []int           // sizes
	masks func(i int) int // bit k: operand i carries extra axis k
	inner bool            // declared after the axes of the case
	whole bool            // also ask for an output without the axes
	light bool            // compare values and engines, no differences
}

func variants(operands, axes int) []variant {
	all := func(int) int { return 3 }
	vs := []variant{
		{name: "plain", masks: all},
		{name: "one axis", extra: []int{4}, masks: all},
		{name: "two axes", extra: []int{2, 3}, masks: all},
		{name: "two axes, whole", extra: []int{2, 3}, masks: all, whole: true},
		{name: "long axis", extra: []int{67}, masks: all, light: true},
		{name: "unit axis", extra: []int{1, 3}, masks: all, light: true},
	}
	if operands > 1 {
		vs = append(vs,
			variant{name: "an axis each", extra: []int{2, 3}, masks: func(i int) int {
				return 1 + i%2
			}},
			variant{name: "first operand shared", extra: []int{2, 3}, masks: func(i int) int {
				return min(i, 1) * 3
			}},
			variant{name: "last operand shared", extra: []int{3}, masks: func(i int) int {
				if i == operands-1 {
					return 0
				}
				return 1
			}},
			variant{name: "first on one axis, rest on both", extra: []int{2, 3},
				masks: func(i int) int { return 1 | min(i, 1)*2 }, whole: true},
		)
	}
	if axes > 0 {
		for _, v := range slices.Clone(vs[1:]) {
			v.name += ", inside"
			v.inner = true
			vs = append(vs, v)
		}
	}
	return vs
}

func TestOps(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows() {
		if seen[r.op] {
			t.Errorf("op %q has two rows", r.op)
		}
		seen[r.op] = true
		t.Run(r.op, func(t *testing.T) { checkRow(t, r) })
	}
	for _, op := range ad.Ops() {
		if !seen[op] {
			t.Errorf("op %q of the table has no row in this test", op)
		}
		delete(seen, op)
	}
	for op := range seen {
		t.Errorf("row %q tests an op that is not in the table", op)
	}
}

func checkRow(t *testing.T, r row) {
	for k, c := range r.cases {
		for _, v := range variants(len(c.shapes), len(c.axes)) {
			if k > 0 && v.extra != nil && v.name != "one axis" {
				continue
			}
			t.Run(c.name+"/"+v.name, func(t *testing.T) { checkCase(t, r, c, v) })
		}
	}
	if r.other != nil {
		t.Run("two parameters", func(t *testing.T) {
			checkCase(t, r, both(r.cases[0], *r.other), variants(1, 0)[0])
		})
	}
	for _, s := range r.spots {
		t.Run("at "+s.name, func(t *testing.T) { checkSpot(t, r, s) })
	}
}

// both joins two uses of an op on the same operands into one vector.
func both(a, b opCase) opCase {
	join := func(f, g func([][]float64) []float64) func([][]float64) []float64 {
		return func(x [][]float64) []float64 { return append(slices.Clone(f(x)), g(x)...) }
	}
	c := a
	c.build = func(axes []*ad.Axis, x []*ad.Node) *ad.Node {
		flat := func(n *ad.Node) *ad.Node {
			for _, a := range slices.Backward(n.Axes()) {
				n = n.Stack(a)
			}
			return n.Reshape(ad.Shape{n.Shape().Len()})
		}
		return ad.Concat(0, flat(a.build(axes, x)), flat(b.build(axes, x)))
	}
	c.want = join(a.want, b.want)
	if a.slope != nil {
		c.slope = join(a.slope, b.slope)
	}
	return c
}

func checkCase(t *testing.T, r row, c opCase, v variant) {
	s := newBench(t, c, v)
	operands := slices.Clone(s.inputs)
	loss := s.weighted("w", s.y)
	weights := s.feeds[len(operands)]
	if r.constant {
		checkConstant(t, s, loss, operands)
		return
	}
	var x []*ad.Node
	var which []int
	for i, n := range operands {
		if c.frozen>>i&1 == 0 {
			x, which = append(x, n), append(which, i)
		}
	}
	g := s.b.Grad(loss, x...)
	outputs := append([]*ad.Node{s.y}, g...)
	if v.whole {
		total := loss
		for _, a := range loss.Axes() {
			total = total.SumOver(a)
		}
		outputs = append(outputs, total)
	}
	got := s.run(t, outputs)
	compare(t, "value against plain Go", got[0], s.want(s.feeds), valueTolerance)
	if v.whole {
		compare(t, "total", got[len(got)-1], []float64{dot(weights, got[0])}, 1e-11)
	}
	if v.light {
		return
	}
	every := v.name == "plain"
	for k, i := range which {
		s.difference(t, i, got[1+k], every, slopeTolerance, func(x [][]float64) float64 {
			return dot(weights, s.slope(x))
		})
	}
	if v.name == "plain" || v.name == "two axes" || v.name == "an axis each" {
		s.checkSecond(t, r, x, which, g)
	}
}

// checkConstant expects the gradient to be zero.
func checkConstant(t *testing.T, s *bench, loss *ad.Node, operands []*ad.Node) {
	got := s.run(t, []*ad.Node{s.y})
	compare(t, "value against plain Go", got[0], s.want(s.feeds), 0)
	checkZero(t, "gradient", s.run(t, s.b.Grad(loss, operands...)))
}

func checkZero(t *testing.T, what string, x [][]float64) {
	t.Helper()
	for _, y := range x {
		compare(t, what, y, make([]float64, len(y)), 0)
	}
}

// checkSecond differentiates a weighted sum of the gradients once more.
func (s *bench) checkSecond(t *testing.T, r row, x []*ad.Node, which []int, g []*ad.Node) {
	h := s.b.Scalar(0)
	for i, n := range g {
		h = h.Add(s.weighted(fmt.Sprintf("v%d", i), n))
	}
	second := s.b.Grad(h, x...)
	must.Do(t, s.b.Err())
	got := s.run(t, second)
	if r.once {
		checkZero(t, "second derivative of a linear op", got)
		return
	}
	ev := must.Get(ad.NewEvaluator(s.inputs, []*ad.Node{h}, ad.Options{}))(t)
	defer ev.Close()
	dst := [][]float64{make([]float64, sizeOf(h))}
	for k, i := range which {
		s.difference(t, i, got[k], false, secondTolerance, func(x [][]float64) float64 {
			must.Do(t, ev.Eval(dst, feeds(x)))
			return sum(dst[0])
		})
	}
}

// run evaluates the outputs twice on every engine, compares everything with
// the first run of the first engine, and looks for changed inputs.
func (s *bench) run(t *testing.T, outputs []*ad.Node) [][]float64 {
	t.Helper()
	must.Do(t, s.b.Err())
	return runEngines(t, s.inputs, outputs, s.feeds, 1e-11)
}

// difference compares a gradient with differences of f when operand i moves:
// along every element, or along three random directions.
func (s *bench) difference(t *testing.T, i int, gradient []float64, every bool, tolerance float64,
	f func(x [][]float64) float64) {
	t.Helper()
	x := slices.Clone(s.feeds)
	centre := s.feeds[i]
	count := 3
	if every {
		count = len(centre)
	}
	for k := range count {
		direction := make([]float64, len(centre))
		if every {
			direction[k] = 1
		} else {
			copy(direction, normals(s.rng, len(centre)))
		}
		want, uncertainty := gradtest.Derivative(func(h float64) float64 {
			x[i] = make([]float64, len(centre))
			for e := range centre {
				x[i][e] = centre[e] + h*direction[e]
			}
			return f(x)
		}, 0.01)
		got := dot(gradient, direction)
		scale := max(1e-3, math.Abs(want), largest(gradient))
		if !(math.Abs(got-want) <= tolerance*scale) {
			t.Errorf("gradient of operand %d, direction %d: got %v, want %v ± %.1g at %v", i, k,
				got, want, uncertainty, centre)
		}
	}
}

// checkSpot compares value and gradient of the sum with known numbers.
func checkSpot(t *testing.T, r row, p spot) {
	b := ad.NewBuilder("spot")
	var axes []*ad.Axis
	for k, n := range p.axes {
		axes = append(axes, b.Axis(fmt.Sprintf("own%d", k), n))
	}
	var x []*ad.Node
	for i, shape := range p.shapes {
		var over []*ad.Axis
		for _, k := range at(p.over, i) {
			over = append(over, axes[k])
		}
		x = append(x, b.Input(fmt.Sprintf("x%d", i), shape, over...))
	}
	build := p.build
	if build == nil {
		build = r.cases[0].build
	}
	y := build(axes, x)
	outputs := []*ad.Node{y}
	var moving []*ad.Node
	for i := range p.grad {
		if p.grad[i] != nil {
			moving = append(moving, x[i])
		}
	}
	if len(moving) > 0 {
		outputs = append(outputs, b.Grad(y.Sum(), moving...)...)
	}
	must.Do(t, b.Err())
	if p.each {
		for _, engine := range engines {
			got := eval(t, x, nodes(y), p.at, ad.Options{Engine: engine})[0]
			for k, w := range p.want {
				if g := got[k]; !(math.Abs(g-w) <= valueTolerance*math.Abs(w)) {
					t.Errorf("%v engine at %v: got %v, want %v", engine, p.at[0][k], g, w)
				}
			}
		}
		return
	}
	got := runEngines(t, x, outputs, p.at, 1e-11)
	compare(t, "value", got[0], p.want, valueTolerance)
	k := 1
	for i := range p.grad {
		if p.grad[i] != nil {
			compare(t, fmt.Sprintf("gradient of operand %d", i), got[k], p.grad[i], valueTolerance)
			k++
		}
	}
}
