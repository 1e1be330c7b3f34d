package lane_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/lane"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
)

// packed are the groups of a program that run on selected lanes.
func packed(p *lane.Program) (all []*lane.Group) {
	for i := range p.Stages {
		for j := range p.Stages[i].Groups {
			if g := &p.Stages[i].Groups[j]; g.Weight != nil {
				all = append(all, g)
			}
		}
	}
	return all
}

const samples = 40

// weighted is a sum over samples of an expression of numbers w, the softmax weights of a
// sum, and x. Reverse mode has made the weights if form is ir.Weight.
func weighted(form ir.Form, build func(b *irtest.Builder, w, x *ir.Value) *ir.Value) (f *ir.Func,
	axis *ir.Axis) {
	b := irtest.New(samples)
	s, x := b.Input(ir.Shape{2}, 0), b.Input(ir.Shape{4}, 0)
	w := b.Over(irtest.Crossing(ir.OverSoftmax, form), 0, b.Reduce(irtest.Sum, s))
	y := b.Over(irtest.Crossing(ir.OverSum, ir.Other), 0, build(b, w, x))
	return b.Return(y), b.Axis(0)
}

// spread draws numbers whose softmax has few weights that are not negligible.
func spread(rng *rand.Rand) (s, x []float64) {
	for range samples {
		s = append(s, 60*rng.NormFloat64(), 60*rng.NormFloat64())
		for range 4 {
			x = append(x, rng.NormFloat64())
		}
	}
	return s, x
}

// Sums of what is proportional to a weight that reverse mode made run on selected lanes;
// others do not. Either way the result is that of all lanes.
func TestProportionalWeights(t *testing.T) {
	for _, tt := range []struct {
		name  string
		form  ir.Form
		build func(b *irtest.Builder, w, x *ir.Value) *ir.Value
		want  bool
	}{
		{"w·x", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, w, x)
		}, true},
		{"x·w", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, x, w)
		}, true},
		{"−w·x", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Neg, b.Map(irtest.Mul, w, x))
		}, true},
		{"w·x + w·tanh x", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Add, b.Map(irtest.Mul, w, x),
				b.Map(irtest.Mul, w, b.Map(irtest.Tanh, x)))
		}, true},
		{"x > 0 ? w·x : 0", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Where, b.Map(irtest.Relu, x), b.Map(irtest.Mul, w, x),
				b.Const(ir.Shape{}, 0))
		}, true},
		{"sum of w·x", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Reduce(irtest.Sum, b.Map(irtest.Mul, w, x))
		}, true},
		{"products of w·x", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			square := ir.Shape{2, 2}
			return b.MatMul(b.View(b.Map(irtest.Mul, w, x), square, 0, 1, 2, 3),
				b.View(x, square, 3, 2, 1, 0))
		}, true},
		{"w·x + x", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Add, b.Map(irtest.Mul, w, x), x)
		}, false},
		{"exp(w)·x", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, b.Map(irtest.Exp, w), x)
		}, false},
		{"w/x, which nothing bounds", ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Div, w, x)
		}, false},
		{"w·√exp x, which nothing bounds", ir.Weight,
			func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
				return b.Map(irtest.Mul, w, b.Map(irtest.Sqrt, b.Map(irtest.Exp, x)))
			}, false},
		{"another softmax", ir.Other, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, w, x)
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, axis := weighted(tt.form, tt.build)
			s, x := spread(rand.New(rand.NewPCG(1, 11)))
			want := must.Get(irtest.Eval(f, [][]float64{s, x}))(t)
			p := compile(t, f, axis, 0)
			if got := len(packed(p)) > 0; got != tt.want {
				t.Errorf("selected lanes: %v, want %v", got, tt.want)
			}
			state, got := run(p, [][]float64{s, x})
			if tt.want && (len(state.Lanes) == 0 || len(state.Lanes) > samples/2) {
				t.Errorf("%d of %d lanes are selected", len(state.Lanes), samples)
			}
			for k, w := range want[0] {
				if !irtest.Near(got[0][k], w) {
					t.Errorf("number %d is %v, want %v", k, got[0][k], w)
				}
			}
		})
	}
}

// Without the pass nothing is selected.
func TestWithoutSparseCotangents(t *testing.T) {
	f, axis := weighted(ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
		return b.Map(irtest.Mul, w, x)
	})
	if n := len(packed(compile(t, f, axis, passes.SparseCotangents))); n != 0 {
		t.Errorf("%d groups run on selected lanes", n)
	}
}

// factor draws an expression of x and a number that is the same in all lanes, of
// operations that the compiler bounds.
func factor(rng *rand.Rand, b *irtest.Builder, x, u *ir.Value) *ir.Value {
	pool := []*ir.Value{x, u, b.Const(ir.Shape{4}, 1, -2.5, 0, 1e3)}
	any := func() *ir.Value { return pool[rng.IntN(len(pool))] }
	square := func(v *ir.Value) *ir.Value {
		return b.View(v, ir.Shape{2, 2}, rng.IntN(4), rng.IntN(4), rng.IntN(4), rng.IntN(4))
	}
	for range 1 + rng.IntN(6) {
		var y *ir.Value
		switch rng.IntN(7) {
		case 0:
			y = b.Map([]*ir.Op{irtest.Neg, irtest.Relu, irtest.Square, irtest.Positive,
				irtest.Tanh}[rng.IntN(5)], any())
		case 1:
			y = b.Map(irtest.Exp, b.Map(irtest.Tanh, any()))
		case 2, 3:
			y = b.Map([]*ir.Op{irtest.Add, irtest.Sub, irtest.Mul}[rng.IntN(3)], any(), any())
		case 4:
			y = b.Map(irtest.Where, b.Map(irtest.Positive, any()), any(), any())
		case 5:
			y = b.View(b.MatMul(square(any()), square(any())), ir.Shape{4}, 0, 1, 2, 3)
		case 6:
			sums := b.Reduce(irtest.Sum, square(any()))
			y = b.View(sums, ir.Shape{4}, 0, 1, 1, 0)
		}
		pool = append(pool, y)
	}
	return pool[len(pool)-1]
}

// In random groups on selected lanes, no element of the factor that the weight is
// multiplied with is above its bound in any lane.
func TestBounds(t *testing.T) {
	groups := 0
	for seed := range uint64(300) {
		build := func() (b *irtest.Builder, y, g *ir.Value) {
			b = irtest.New(samples)
			s, x, u := b.Input(ir.Shape{}, 0), b.Input(ir.Shape{4}, 0), b.Input(ir.Shape{4})
			w := b.Over(irtest.Crossing(ir.OverSoftmax, ir.Weight), 0, s)
			g = factor(rand.New(rand.NewPCG(seed, 13)), b, x, u)
			return b, b.Over(irtest.Crossing(ir.OverSum, ir.Other), 0,
				b.Map(irtest.Mul, w, b.Map(irtest.Add, g, b.Map(irtest.Tanh, x)))), g
		}
		b, y, g := build()
		whole := b.Return(y, g)
		rng := rand.New(rand.NewPCG(seed, 12))
		var in [][]float64
		for i, v := range whole.Inputs {
			in = append(in, irtest.Numbers(rng, whole, v))
			for k := range in[i] {
				in[i][k] *= 10
			}
		}
		values := must.Get(irtest.Eval(whole, in))(t)
		b, y, _ = build()
		p := compile(t, b.Return(y), b.Axis(0), 0)
		s, got := run(p, in)
		for k, w := range values[0] {
			if !irtest.Near(got[0][k], w) {
				t.Fatalf("seed %d: number %d is %v, want %v", seed, k, got[0][k], w)
			}
		}
		largest := 0.0
		for _, v := range values[1] {
			largest = max(largest, math.Abs(v)-1) // the tangent may take up to 1 away
		}
		for _, group := range packed(p) {
			groups++
			if bound := group.Bound(s); math.Log2(largest) > bound {
				t.Errorf("seed %d: a factor is %v, beyond the bound 2^%v:\n%v", seed, largest,
					bound, whole)
			}
		}
	}
	if groups < 200 {
		t.Errorf("%d groups on selected lanes, want 200", groups)
	}
}

// If the result is so small that lanes of negligible weight may count, the group runs on
// all lanes.
func TestRepeatsOnAllLanes(t *testing.T) {
	f, axis := weighted(ir.Weight, func(b *irtest.Builder, w, x *ir.Value) *ir.Value {
		return b.Map(irtest.Mul, w, x)
	})
	p := compile(t, f, axis, 0)
	s, x := make([]float64, 2*samples), make([]float64, 4*samples)
	for l := range samples {
		for e := range 4 {
			x[4*l+e] = 1
		}
		if l > 0 {
			s[2*l] = -60
		}
	}
	for _, tt := range []struct {
		factor  float64 // of the lane that has almost all weight
		repeats int
	}{{1, 0}, {1e-30, 1}, {0, 1}} {
		for e := range 4 {
			x[e] = tt.factor
		}
		state, got := run(p, [][]float64{s, x})
		total := 1 + (samples-1)*math.Exp(-60)
		want := (tt.factor + (samples-1)*math.Exp(-60)) / total
		if state.Repeats != tt.repeats || !(math.Abs(got[0][0]-want) <= 1e-14*want) {
			t.Errorf("factor %v: got %v after %d repeats on %d lanes, want %v after %d", tt.factor,
				got[0][0], state.Repeats, len(state.Lanes), want, tt.repeats)
		}
		if lanes := len(state.Lanes); (lanes == samples) != (tt.repeats > 0) {
			t.Errorf("factor %v: ran on %d lanes", tt.factor, lanes)
		}
	}
}
