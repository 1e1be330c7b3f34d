package passes_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
)

// inputs draws numbers for all inputs of a function.
func inputs(rng *rand.Rand, f *ir.Func) [][]float64 {
	var in [][]float64
	for _, v := range f.Inputs {
		in = append(in, irtest.Numbers(rng, f, v))
	}
	return in
}

func eval(t *testing.T, f *ir.Func, in [][]float64) [][]float64 {
	t.Helper()
	must.Do(t, f.Verify())
	out := must.Get(irtest.Eval(f, in))(t)
	return out
}

func near(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	for i := range want {
		if !slices.EqualFunc(got[i], want[i], irtest.Near) {
			t.Fatalf("%s: output %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// run runs passes, after each of which the function is sound.
func run(t *testing.T, f *ir.Func, list ...passes.Pass) {
	t.Helper()
	must.Do(t, passes.Run(f, list, func(p passes.Pass, f *ir.Func) {
		if err := f.Verify(); err != nil {
			t.Fatalf("after %s: %v", p.Name, err)
		}
	}))
}

// What is needed must have been given, and kept since.
func TestRunRefuses(t *testing.T) {
	f := irtest.New().Return()
	forgetful := passes.Pass{Name: "forgetful", Run: func(*ir.Func) error { return nil }}
	for _, tt := range []struct {
		name string
		list []passes.Pass
		ok   bool
	}{
		{"in order", []passes.Pass{passes.Fold, passes.Simplify, passes.Zeros, passes.Live}, true},
		{"without zeros", []passes.Pass{passes.Live}, false},
		{"zeros forgotten", []passes.Pass{passes.Zeros, forgetful, passes.Live}, false},
		{"rewritten after zeros", []passes.Pass{passes.Zeros, passes.Simplify, passes.Live}, false},
		{"any support", []passes.Pass{passes.AnySupport, passes.AllLive}, true},
	} {
		err := passes.Run(f, tt.list, nil)
		if (err == nil) != tt.ok || err != nil &&
			!strings.Contains(err.Error(), "element-liveness needs facts") {
			t.Errorf("%s: got error %v, want none: %v", tt.name, err, tt.ok)
		}
	}
}

// An error of a pass ends the list, and the observer sees what ran.
func TestRunStops(t *testing.T) {
	fault := errors.New("fault")
	list := []passes.Pass{passes.Fold, {Name: "faulty", Run: func(*ir.Func) error { return fault }},
		passes.Zeros}
	var seen []string
	err := passes.Run(irtest.New().Return(), list, func(p passes.Pass, _ *ir.Func) {
		seen = append(seen, p.Name)
	})
	if !errors.Is(err, fault) || !slices.Equal(seen, []string{"constant-folding"}) {
		t.Errorf("got error %v after %v", err, seen)
	}
}

// What is left out is left out, and gives its facts all the same.
func TestStandard(t *testing.T) {
	for _, set := range append(passes.Sets(), 0, passes.StructuralZeros|passes.ElementLiveness|
		passes.ConstantFolding) {
		var names []string
		for _, p := range passes.Standard(set) {
			names = append(names, p.Name)
		}
		for _, part := range []passes.Set{passes.ConstantFolding, passes.AlgebraicSimplification,
			passes.StructuralZeros, passes.ElementLiveness} {
			if got, want := slices.Contains(names, part.String()), set&part == 0; got != want {
				t.Errorf("without %v: %v runs %v", set, names, part)
			}
		}
		run(t, irtest.Random(rand.New(rand.NewPCG(1, 1)), 12, 2, 3), passes.Standard(set)...)
	}
	if got := (passes.Fusion | passes.ConstantFolding).String(); got != "constant-folding|fusion" {
		t.Errorf("the name of two parts is %q", got)
	}
}

// Constants of constants are folded, views of them too; what crosses an axis, or is
// made of inputs, is not.
func TestFold(t *testing.T) {
	b := irtest.New(3)
	x, c := b.Input(ir.Shape{2}, 0), b.Const(ir.Shape{2}, 2, -3)
	sum := b.Map(irtest.Add, c, c)
	view := b.View(sum, ir.Shape{2}, 1, -1)
	repeated := b.Over(irtest.Crossing(ir.OverExpand, ir.Other), 0, sum)
	y := b.Map(irtest.Mul, x, sum)
	f := b.Return(y, view, repeated)
	run(t, f, passes.Fold)
	if !slices.Equal(sum.Const, []float64{4, -6}) || !slices.Equal(view.Const, []float64{-6, 0}) {
		t.Errorf("constants are %v and %v", sum.Const, view.Const)
	}
	if y.Const != nil || repeated.Const != nil {
		t.Errorf("folded %v and %v", y.Const, repeated.Const)
	}
	b = irtest.New()
	root := b.Whole(irtest.Root, b.Const(ir.Shape{2}, 1, -2))
	err := passes.Run(b.Return(root), []passes.Pass{passes.Fold}, nil)
	if !errors.Is(err, irtest.ErrNegative) ||
		!strings.Contains(err.Error(), "root(2) of constants") {
		t.Errorf("got error %v", err)
	}
}

// Identities make a result a view of its operand, or one product of it.
func TestSimplify(t *testing.T) {
	vector := ir.Shape{2}
	negative := math.Copysign(0, -1)
	scalar := func(b *irtest.Builder, c float64) *ir.Value { return b.Const(ir.Shape{}, c) }
	for _, tt := range []struct {
		name   string
		build  func(b *irtest.Builder, x *ir.Value) *ir.Value
		factor float64 // of x: 1 is x itself, NaN something else
	}{
		{"x + 0", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Add, x, b.Const(vector, 0, 0))
		}, 1},
		{"0 + x", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Add, b.Const(vector, 0, 0), x)
		}, 1},
		{"x + −0", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Add, x, scalar(b, negative))
		}, 1},
		{"x + a number 0", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Add, x, scalar(b, 0))
		}, math.NaN()},
		{"x − 0", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Sub, x, scalar(b, 0))
		}, 1},
		{"0 − x", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Sub, scalar(b, 0), x)
		}, math.NaN()},
		{"x·1", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, x, scalar(b, 1))
		}, 1},
		{"1·x", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, scalar(b, 1), x)
		}, 1},
		{"x·(1,2)", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, x, b.Const(vector, 1, 2))
		}, math.NaN()},
		{"x/1", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Div, x, scalar(b, 1))
		}, 1},
		{"1/x", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Div, scalar(b, 1), x)
		}, math.NaN()},
		{"−(−x)", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Neg, b.Map(irtest.Neg, x))
		}, 1},
		{"(3x)·5", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, b.Map(irtest.Mul, x, scalar(b, 3)), scalar(b, 5))
		}, 15},
		{"(−x)·5", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, b.Map(irtest.Neg, x), scalar(b, 5))
		}, -5},
		{"−(5x)", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Neg, b.Map(irtest.Mul, scalar(b, 5), x))
		}, -5},
		{"(cx)·(−2) of a vector c", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, b.Map(irtest.Mul, x, b.Const(vector, 3, 3)), scalar(b, -2))
		}, -6},
		{"(10⁻²⁰⁰x)·10⁻²⁰⁰", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, b.Map(irtest.Mul, x, scalar(b, 1e-200)), scalar(b, 1e-200))
		}, math.NaN()},
		{"(x + 10²⁰) − 10²⁰", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Add, b.Map(irtest.Add, x, scalar(b, 1e20)), scalar(b, -1e20))
		}, math.NaN()},
		{"(2⁷⁰x)·2", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, b.Map(irtest.Mul, x, scalar(b, 0x1p70)), scalar(b, 2))
		}, math.NaN()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := irtest.New()
			x := b.Input(vector)
			y := tt.build(b, x)
			f := b.Return(y)
			in := [][]float64{{1.5, negative}}
			want := eval(t, f, in)
			run(t, f, passes.Simplify)
			near(t, "simplified", eval(t, f, in), want)
			switch {
			case tt.factor == 1:
				if y.Origin() != x {
					t.Errorf("is not x:\n%v", f)
				}
			case math.IsNaN(tt.factor):
				if y.IsView() || y.Is(ir.Mul) && y.Args[0] == x && y.Args[1].All(tt.factor) {
					t.Errorf("is simplified:\n%v", f)
				}
			case !y.Is(ir.Mul) || y.Args[0] != x || !y.Args[1].All(tt.factor):
				t.Errorf("is not %v·x:\n%v", tt.factor, f)
			}
		})
	}
}

// The sign of a matrix product goes into a constant factor, unless something else reads
// the product; a derivative of relu reads relu.
func TestSimplifyProductsAndRelu(t *testing.T) {
	for _, readers := range []int{1, 2} {
		b := irtest.New()
		square := ir.Shape{2, 2}
		x, c := b.Input(square), b.Const(square, 1, 2, 0, -4)
		product := b.MatMul(c, x)
		y := b.Map(irtest.Neg, product)
		f := b.Return(y)
		if readers > 1 {
			f = b.Return(y, product)
		}
		in := inputs(rand.New(rand.NewPCG(1, 1)), f)
		want := eval(t, f, in)
		run(t, f, passes.Simplify)
		near(t, "negative product", eval(t, f, in), want)
		if got := y.Is(ir.Product); got != (readers == 1) {
			t.Errorf("%d readers: the negative is a product: %v", readers, got)
		}
	}
	b := irtest.New()
	x := b.Input(ir.Shape{4})
	relu := b.Map(irtest.Relu, x)
	slope := b.Map(irtest.Positive, x)
	f := b.Return(relu, slope)
	in := [][]float64{{-1, 0, 2, math.NaN()}}
	want := eval(t, f, in)
	run(t, f, passes.Simplify)
	near(t, "slope of relu", eval(t, f, in), want)
	if slope.Args[0] != relu {
		t.Errorf("1[x > 0] reads %s", f.Describe(slope.Args[0]))
	}
}

// On random functions all passes together keep what is computed; elements without
// support are 0 whatever the inputs, and nothing depends on elements that are not live.
func TestRandomFunctions(t *testing.T) {
	zeros, unread := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		f := irtest.Random(rng, 20, 2, 3)
		in := inputs(rng, f)
		want := eval(t, f, in)
		run(t, f, passes.Standard(0)...)
		near(t, "all passes", eval(t, f, in), want)

		spoiled := *f
		spoiled.Outputs = f.Values
		for _, v := range f.Inputs {
			for e := range v.Live {
				if v.Live[e] {
					continue
				}
				unread++
				for k := e; k < len(in[v.Input]); k += v.Len() {
					in[v.Input][k] = 3
				}
			}
		}
		near(t, "unread elements", eval(t, f, in), want)
		for i, y := range eval(t, &spoiled, in) {
			v := f.Values[i]
			for k, x := range y {
				if e := k % v.Len(); !v.Support[e] && x != 0 {
					t.Fatalf("seed %d: element %d of %s is %v, a structural zero:\n%v", seed, e,
						f.Describe(v), x, f)
				} else if !v.Support[e] {
					zeros++
				}
			}
		}
	}
	if zeros < 1000 || unread < 10 {
		t.Errorf("there were %d zeros and %d elements that nothing reads", zeros, unread)
	}
}

// Structural zeros of matrix products are those of the sparsity patterns, and only what
// the products read is live.
func TestZerosOfProducts(t *testing.T) {
	b := irtest.New()
	square := ir.Shape{2, 2}
	x, y := b.Input(ir.Shape{4}), b.Input(square)
	lower := b.View(x, square, 0, -1, 2, 3)
	column := b.Map(irtest.Mul, y, b.Const(square, 1, 0, 1, 0))
	product := b.MatMul(lower, column)
	f := b.Return(b.View(product, ir.Shape{1}, 0))
	run(t, f, passes.Standard(0)...)
	if want := []bool{true, false, true, false}; !slices.Equal(product.Support, want) {
		t.Errorf("support of the product is %v, want %v", product.Support, want)
	}
	if want := []bool{true, false, false, false}; !slices.Equal(x.Live, want) ||
		!slices.Equal(y.Live, want) {
		t.Errorf("of the inputs %v and %v are live, want %v", x.Live, y.Live, want)
	}
}

// An element of a batch of products has support if one of its terms has.
func TestZerosOfBatches(t *testing.T) {
	const batch, m, k, n = 3, 2, 4, 3
	rng := rand.New(rand.NewPCG(1, 4))
	b := irtest.New()
	sparse := func(shape ir.Shape) *ir.Value {
		index := make([]int, shape.Len())
		for e := range index {
			if index[e] = e; rng.IntN(2) == 0 {
				index[e] = -1
			}
		}
		return b.View(b.Input(ir.Shape{shape.Len()}), shape, index...)
	}
	x, y := sparse(ir.Shape{batch, m, k}), sparse(ir.Shape{batch, k, n})
	product := b.MatMul(x, y)
	run(t, b.Return(product), passes.Standard(0)...)
	for e, got := range product.Support {
		g, i, j, want := e/(m*n), e/n%m, e%n, false
		for l := range k {
			want = want || x.Index[(g*m+i)*k+l] >= 0 && y.Index[(g*k+l)*n+j] >= 0
		}
		if got != want {
			t.Errorf("element %d of product %d has support: %v, want %v", e%(m*n), g, got, want)
		}
	}
}
