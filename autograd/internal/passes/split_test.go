package passes_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
)

// evalParts computes the outputs of a function part by part.
func evalParts(t *testing.T, f *ir.Func, parts []passes.Part, in [][]float64) [][]float64 {
	t.Helper()
	known := map[*ir.Value][]float64{}
	for i, v := range f.Inputs {
		known[v] = in[i]
	}
	for k, p := range parts {
		var own [][]float64
		for _, v := range p.From {
			x, ok := known[v]
			if !ok {
				t.Fatalf("part %d reads %s, which no part before it computes", k, f.Describe(v))
			}
			own = append(own, x)
		}
		for i, y := range eval(t, p.F, own) {
			known[p.To[i]] = y
		}
	}
	var out [][]float64
	for _, v := range f.Outputs {
		y := known[v]
		if !slices.ContainsFunc(parts, func(p passes.Part) bool {
			return slices.Contains(p.To, v)
		}) {
			t.Fatalf("no part computes output %s", f.Describe(v))
		}
		out = append(out, y)
	}
	return out
}

// checkSplit compares a function with its parts, in which nothing crosses their loop.
func checkSplit(t *testing.T, f *ir.Func, parts []passes.Part) {
	t.Helper()
	in := inputs(rand.New(rand.NewPCG(1, 5)), f)
	near(t, "part by part", evalParts(t, f, parts, in), eval(t, f, in))
	for i, p := range parts {
		for _, v := range p.F.Values {
			if v.Op != nil && v.Op.Over != ir.Within && v.Attr.Axis == p.Loop {
				t.Errorf("part %d: %s crosses its loop", i, p.F.Describe(v))
			}
		}
		for _, v := range p.F.Outputs {
			if p.Loop != nil && !v.Axes.Has(p.Loop) {
				t.Errorf("part %d: output %s does not carry its loop", i, p.F.Describe(v))
			}
		}
	}
}

// loops are the names of the loops of parts.
func loops(parts []passes.Part) []string {
	var names []string
	for _, p := range parts {
		if p.Loop == nil {
			names = append(names, "once")
		} else {
			names = append(names, p.Loop.Name())
		}
	}
	return names
}

// Where functions are cut: particles are axis a, samples axis b.
func TestSplit(t *testing.T) {
	sum, mean := irtest.Crossing(ir.OverSum, ir.Other), irtest.Crossing(ir.OverLogSumExp, ir.Other)
	// beyond the cost from which work is hoisted
	costly := func(b *irtest.Builder, x *ir.Value) *ir.Value {
		return b.Whole(irtest.Root, b.Map(irtest.Square, x))
	}
	for _, tt := range []struct {
		name  string
		build func(b *irtest.Builder) []*ir.Value
		want  []string
	}{
		{"one loop", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Over(mean, 1, b.Map(irtest.Exp, b.Input(ir.Shape{2}, 0, 1)))}
		}, []string{"a"}},
		{"total over particles", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Over(sum, 0, b.Over(mean, 1, b.Input(ir.Shape{2}, 0, 1)))}
		}, []string{"a", "once"}},
		{"deviation from the mean of particles", func(b *irtest.Builder) []*ir.Value {
			x := b.Over(mean, 1, b.Input(ir.Shape{2}, 0, 1))
			return []*ir.Value{b.Map(irtest.Sub, x, b.Over(sum, 0, x))}
		}, []string{"a", "once", "a"}},
		{"samples before particles", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Map(irtest.Exp, b.Over(sum, 0, b.Input(ir.Shape{2}, 0, 1)))}
		}, []string{"b"}},
		{"work that does not depend on the loop", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Map(irtest.Mul, b.Input(ir.Shape{2}, 0),
				costly(b, b.Input(ir.Shape{2})))}
		}, []string{"once", "a"}},
		{"little work that does not", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Map(irtest.Mul, b.Input(ir.Shape{2}, 0),
				b.Map(irtest.Exp, b.Input(ir.Shape{2})))}
		}, []string{"a"}},
		{"no axes", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Map(irtest.Exp, b.Input(ir.Shape{2}))}
		}, []string{"once"}},
		{"an input repeated along the loop", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Over(irtest.Crossing(ir.OverExpand, ir.Other), 0,
				b.Input(ir.Shape{2}))}
		}, []string{"a"}},
		{"inputs and constants as outputs", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Input(ir.Shape{2}, 0), b.Input(ir.Shape{3}),
				b.Const(ir.Shape{}, 7)}
		}, []string{"once", "a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := irtest.New(3, 4)
			f := b.Return(tt.build(b)...)
			parts := passes.Split(f)
			if got := loops(parts); !slices.Equal(got, tt.want) {
				t.Errorf("loops are %v, want %v", got, tt.want)
			}
			checkSplit(t, f, parts)
		})
	}
}

// What is hoisted is computed before the loop, and read there.
func TestSplitHoists(t *testing.T) {
	b := irtest.New(3)
	x, y := b.Input(ir.Shape{2}, 0), b.Input(ir.Shape{2})
	root := b.Whole(irtest.Root, b.Map(irtest.Square, y))
	f := b.Return(b.Map(irtest.Mul, x, root))
	parts := passes.Split(f)
	if len(parts) != 2 || !slices.Equal(parts[0].To, []*ir.Value{root}) ||
		!slices.Contains(parts[1].From, root) || slices.Contains(parts[1].From, y) {
		t.Errorf("parts are %v", parts)
	}
}

// Random functions are cut into parts that compute the same, by any loop.
func TestSplitRandomFunctions(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 6))
		f := irtest.Random(rng, 20, 3, 2, 4)
		checkSplit(t, f, passes.Split(f))
		for _, a := range f.Axes {
			checkSplit(t, f, passes.SplitBy(f, a))
		}
		checkSplit(t, f, passes.SplitBy(f, nil))
	}
}
