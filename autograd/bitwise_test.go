package autograd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// An element-wise operation returns the same bits for an element wherever it is: alone,
// among others of an array, in lanes, as a constant, with a scalar or with one number for
// all lanes as its other operand, and by the reference.
func TestElementsAloneAndTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	var x, y []float64
	for _, v := range specials {
		x, y = append(x, v, v), append(y, specials[rng.IntN(len(specials))], v)
	}
	for range 75 {
		x, y = append(x, 2*rng.NormFloat64()), append(y, rng.Float64())
	}
	n := len(x)
	for _, op := range elementwiseOperations()[1:] {
		if strings.HasPrefix(op.name, "sigmoid_shift") { // lanes with a number fuse
			continue
		}
		t.Run(op.name, func(t *testing.T) {
			want := elementsOf(t, op, ad.Shape{n}, nil, x, y, ad.Options{Engine: ad.Reference})
			check := func(where string, i int, got float64) {
				t.Helper()
				if math.Float64bits(got) != math.Float64bits(want[i]) &&
					!(math.IsNaN(got) && math.IsNaN(want[i])) {
					t.Errorf("%s: of %v and %v got %v, want %v", where, x[i], y[i], got, want[i])
				}
			}
			compare := func(where string, got []float64) {
				t.Helper()
				for i, v := range got {
					check(where, i, v)
				}
			}
			compare("array", elementsOf(t, op, ad.Shape{n}, nil, x, y, ad.Options{}))
			for i, v := range scatteredElements(t, op, x, y) {
				check("scattered", 7*i%n, v)
			}
			samples := func(b *ad.Builder) []*ad.Axis {
				return []*ad.Axis{b.Axis("particle", 1), b.Axis("sample", n)}
			}
			compare("lanes", elementsOf(t, op, ad.Shape{}, samples, x, y, ad.Options{}))
			compare("lanes by value", elementsOf(t, op, ad.Shape{}, samples, x, y,
				ad.Options{Without: ad.ElementSchedule}))
			compare("strips", elementsOf(t, op, ad.Shape{}, func(b *ad.Builder) []*ad.Axis {
				return []*ad.Axis{b.Axis("particle", n)}
			}, x, y, ad.Options{}))
			alone, scalars := aloneOperands(t, op), scalarOperands(t, op)
			folded := foldedElements(t, op, x, y)
			for i := range x {
				check("alone", i, alone(x[i], y[i])[0][0])
				check("constant", i, folded[i][0])
				for k, got := range scalars(x[i], y[i]) {
					check([]string{"number with array", "array with number", "number with lanes",
						"lanes with number"}[k], i, got[0])
				}
			}
		})
	}
}

// elementsOf applies an operation to x and y.
func elementsOf(t *testing.T, op operation, shape ad.Shape, axes func(*ad.Builder) []*ad.Axis,
	x, y []float64, opt ad.Options) []float64 {
	t.Helper()
	b := ad.NewBuilder("elements")
	var over []*ad.Axis
	if axes != nil {
		over = axes(b)
	}
	in := []*ad.Node{b.Input("x", shape, over...), b.Input("y", shape, over...)}
	return eval(t, in, []*ad.Node{op.apply(in[0], in[1])}, [][]float64{x, y}, opt)[0]
}

// scatteredElements applies an operation to elements that lie apart: result i is that of
// element 7i modulo their number.
func scatteredElements(t *testing.T, op operation, x, y []float64) []float64 {
	t.Helper()
	n := len(x)
	b := ad.NewBuilder("scattered")
	in := []*ad.Node{b.Input("x", ad.Shape{n}), b.Input("y", ad.Shape{n})}
	order := make([]int, n)
	for i := range order {
		order[i] = 7 * i % n
	}
	pick := func(v *ad.Node) *ad.Node { return v.Gather(order, ad.Shape{n}) }
	return eval(t, in, []*ad.Node{op.apply(pick(in[0]), pick(in[1]))}, [][]float64{x, y},
		ad.Options{})[0]
}

// foldedElements applies an operation to constants of one element each.
func foldedElements(t *testing.T, op operation, x, y []float64) [][]float64 {
	t.Helper()
	b := ad.NewBuilder("constants")
	var outputs []*ad.Node
	for i := range x {
		one := ad.Shape{1}
		outputs = append(outputs, op.apply(b.Constant(x[i:i+1], one), b.Constant(y[i:i+1], one)))
	}
	return eval(t, nil, outputs, nil, ad.Options{})
}

// aloneOperands applies an operation to two numbers, each an array of its own.
func aloneOperands(t *testing.T, op operation) func(x, y float64) [][]float64 {
	t.Helper()
	b := ad.NewBuilder("alone")
	in := []*ad.Node{b.Input("x", ad.Shape{1}), b.Input("y", ad.Shape{1})}
	run := compiledOnce(t, in, []*ad.Node{op.apply(in[0], in[1])})
	return func(x, y float64) [][]float64 { return run([]float64{x}, []float64{y}) }
}

// scalarOperands applies an operation to two numbers, one of which is repeated: in an
// array, then in lanes.
func scalarOperands(t *testing.T, op operation) func(x, y float64) [][]float64 {
	t.Helper()
	const n = 9
	b := ad.NewBuilder("scalars")
	s := b.Axis("sample", n)
	one := []*ad.Node{b.Input("x", ad.Shape{}), b.Input("y", ad.Shape{})}
	array := []*ad.Node{b.Input("xs", ad.Shape{n}), b.Input("ys", ad.Shape{n})}
	lanes := []*ad.Node{b.Input("xl", ad.Shape{}, s), b.Input("yl", ad.Shape{}, s)}
	in := []*ad.Node{one[0], one[1], array[0], array[1], lanes[0], lanes[1]}
	outputs := []*ad.Node{op.apply(one[0], array[1]), op.apply(array[0], one[1]),
		op.apply(one[0], lanes[1]), op.apply(lanes[0], one[1])}
	run := compiledOnce(t, in, outputs)
	return func(x, y float64) [][]float64 {
		xs, ys := slices.Repeat([]float64{x}, n), slices.Repeat([]float64{y}, n)
		return run([]float64{x}, []float64{y}, xs, ys, xs, ys)
	}
}

// compiledOnce is a program that is compiled once.
func compiledOnce(t *testing.T, inputs, outputs []*ad.Node) func(x ...[]float64) [][]float64 {
	t.Helper()
	ev := must.Get(ad.NewEvaluator(inputs, outputs, ad.Options{}))(t)
	t.Cleanup(func() { ev.Close() })
	return func(x ...[]float64) [][]float64 {
		t.Helper()
		dst := room(outputs)
		must.Do(t, ev.Eval(dst, feeds(x)))
		return dst
	}
}
