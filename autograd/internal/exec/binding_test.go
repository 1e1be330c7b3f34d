package exec_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
)

// Outputs may be inputs, constants, views, the same value twice, lack axes or elements,
// and carry axes of which some are loops, some lanes and some dimensions.
func TestOutputs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(b *irtest.Builder) []*ir.Value
	}{
		{"inputs alone", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Input(ir.Shape{2}, 0, 1), b.Input(ir.Shape{2}, 2),
				b.Input(ir.Shape{3})}
		}},
		{"constants alone", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Const(ir.Shape{2}, 0, 7), b.Const(ir.Shape{}, -1),
				b.Const(ir.Shape{0})}
		}},
		{"an input beside a result", func(b *irtest.Builder) []*ir.Value {
			x := b.Input(ir.Shape{2}, 0, 1)
			return []*ir.Value{x, b.Map(irtest.Exp, x), x}
		}},
		{"the same result twice", func(b *irtest.Builder) []*ir.Value {
			y := b.Map(irtest.Exp, b.Input(ir.Shape{2}, 0, 1))
			return []*ir.Value{y, y, b.Map(irtest.Exp, y)}
		}},
		{"views", func(b *irtest.Builder) []*ir.Value {
			x := b.Input(ir.Shape{3}, 0, 1)
			return []*ir.Value{b.View(x, ir.Shape{2}, 2, -1),
				b.View(b.Map(irtest.Exp, x), ir.Shape{4}, -1, 0, 0, 2),
				b.View(b.Const(ir.Shape{2}, 3, 4), ir.Shape{1}, 1)}
		}},
		{"every subset of axes", func(b *irtest.Builder) (out []*ir.Value) {
			x := b.Input(ir.Shape{2}, 0, 1, 2)
			for _, s := range [][]int{nil, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}} {
				y := b.Map(irtest.Tanh,
					b.Map(irtest.Add, b.Input(ir.Shape{2}, s...), b.Input(ir.Shape{2})))
				out = append(out, y, b.Map(irtest.Mul, x, y))
			}
			return out
		}},
		{"repeated along lanes", func(b *irtest.Builder) []*ir.Value {
			x := b.Input(ir.Shape{2}, 0)
			return []*ir.Value{b.Over(irtest.Crossing(ir.OverExpand, ir.Other), 1,
				b.Map(irtest.Exp, x)), b.Map(irtest.Exp, b.Input(ir.Shape{}, 0, 1))}
		}},
		{"no elements", func(b *irtest.Builder) []*ir.Value {
			return []*ir.Value{b.Map(irtest.Exp, b.Input(ir.Shape{0}, 0, 1)),
				b.Map(irtest.Exp, b.Input(ir.Shape{1}, 0, 1))}
		}},
		{"stacks of samples before particles", func(b *irtest.Builder) []*ir.Value {
			x := b.Input(ir.Shape{2}, 0, 1)
			return []*ir.Value{
				b.Over(irtest.Crossing(ir.OverStack, ir.Other), 0, x),
				b.Over(irtest.Crossing(ir.OverStack, ir.Other), 1, b.Map(irtest.Exp, x)),
				b.Over(irtest.Crossing(ir.OverSum, ir.Other), 0,
					b.Over(irtest.Crossing(ir.OverLogSumExp, ir.Other), 1, x)),
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, sizes := range [][]int{{2, 8, 3}, {3, 5, 1}, {40, 2, 2}} {
				b := irtest.New(sizes...)
				f := b.Return(tt.build(b)...)
				in := numbers(rand.New(rand.NewPCG(1, 18)), f)
				want := definition(t, f, in)
				for _, without := range append(passes.Sets(), 0) {
					got := must.Get(run(t, f, exec.Options{Without: without, Workers: 2},
						data(in)))(t)
					near(t, "without "+without.String(), got, want)
				}
			}
		})
	}
}

// Calls that do not fit are refused, with what they got and what was wanted.
func TestCheckCall(t *testing.T) {
	b := irtest.New(3)
	x, c := b.Input(ir.Shape{2}, 0), b.Input(ir.Shape{2})
	u := b.Input(ir.Shape{}, 0)
	u.Uniform = true
	f := b.Return(b.Map(irtest.Mul, b.Map(irtest.Add, x, c), u))
	x.Name, c.Name, u.Name = "x", "c", "u"
	fill, seed := func([]float64, int) {}, func(int) uint64 { return 1 }
	good := func() []exec.Feed {
		return []exec.Feed{{Data: make([]float64, 6)}, {Data: make([]float64, 2)}, {Seed: seed}}
	}
	for _, tt := range []struct {
		name, want string
		feed       int
		with       exec.Feed
	}{
		{"too few", "feed of x: got 5 values, want 6", 0, exec.Feed{Data: make([]float64, 5)}},
		{"none", "feed of x: set exactly one of Data and Fill", 0, exec.Feed{}},
		{"both", "feed of x: set exactly one of Data and Fill", 0,
			exec.Feed{Data: make([]float64, 6), Fill: fill}},
		{"seed of other numbers", "feed of x: field Seed is for inputs of uniform numbers", 0,
			exec.Feed{Seed: seed}},
		{"fill without axis", "feed of c: field Fill needs a mapped axis", 1,
			exec.Feed{Fill: fill}},
		{"seed and fill", "feed of u: set exactly one of Data, Fill and Seed", 2,
			exec.Feed{Seed: seed, Fill: fill}},
	} {
		src := good()
		src[tt.feed] = tt.with
		if err := exec.CheckCall(f, room(f), src); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	if err := exec.CheckCall(f, room(f), good()); err != nil {
		t.Error(err)
	}
	if err := exec.CheckCall(f, nil, good()); err == nil ||
		!strings.Contains(err.Error(), "got 3 feeds and 0 results, want 3 and 1") {
		t.Errorf("no results: got %v", err)
	}
	if err := exec.CheckCall(f, [][]float64{make([]float64, 7)}, good()); err == nil ||
		!strings.Contains(err.Error(), "got room for 7 values, want 6") {
		t.Errorf("too much room: got %v", err)
	}
}

// Explain says how each part is computed and what is special about it.
func TestExplain(t *testing.T) {
	explain := func(sizes []int, without passes.Set,
		build func(b *irtest.Builder) *ir.Value) string {
		b := irtest.New(sizes...)
		return compile(t, b.Return(build(b)), exec.Options{Without: without}).Explain()
	}
	mean := func(b *irtest.Builder, y *ir.Value) *ir.Value {
		return b.Over(irtest.Crossing(ir.OverLogSumExp, ir.Other), 1, y)
	}
	for _, tt := range []struct {
		name string
		got  string
		want []string
	}{
		{"lanes", explain([]int{3, 16}, 0, func(b *irtest.Builder) *ir.Value {
			return mean(b, b.Map(irtest.Exp, b.Input(ir.Shape{2}, 0, 1)))
		}),
			[]string{"runs in 1 part,", "loop a=3, 16 lanes of b",
				`16 indices of axis "b" as lanes of an element program`,
				"3 runs are shared out among workers"}},
		{"rounded up", explain([]int{3, 13}, 0, func(b *irtest.Builder) *ir.Value {
			return mean(b, b.Map(irtest.Exp, b.Input(ir.Shape{2}, 0, 1)))
		}),
			[]string{"13 lanes are rounded up to 16"}},
		{"no form for elements", explain([]int{3, 70}, 0, func(b *irtest.Builder) *ir.Value {
			y := b.Whole(irtest.Root, b.Map(irtest.Square, b.Input(ir.Shape{2}, 0, 1)))
			for range 500 { // which is faster on lanes
				y = b.Map(irtest.Square, y)
			}
			return mean(b, y)
		}), []string{`"root" has no form for single elements`}},
		{"without schedule",
			explain([]int{3, 16}, passes.ElementSchedule, func(b *irtest.Builder) *ir.Value {
				return mean(b, b.Map(irtest.Exp, b.Input(ir.Shape{2}, 0, 1)))
			}), []string{"2 values as whole arrays"}},
		{"no axes", explain(nil, 0, func(b *irtest.Builder) *ir.Value {
			return b.Map(irtest.Exp, b.Input(ir.Shape{2}))
		}),
			[]string{"loop none, no lanes", "one run: a single worker"}},
		{"two parts", explain([]int{3, 16}, 0, func(b *irtest.Builder) *ir.Value {
			return b.Over(irtest.Crossing(ir.OverSum, ir.Other), 0,
				mean(b, b.Input(ir.Shape{2}, 0, 1)))
		}), []string{"runs in 2 parts", "part 1, loop none, no lanes"}},
	} {
		for _, want := range tt.want {
			if !strings.Contains(tt.got, want) {
				t.Errorf("%s: got\n%s\nwant %q", tt.name, tt.got, want)
			}
		}
	}
	if lines := slices.Collect(strings.Lines(explain([]int{3}, 0,
		func(b *irtest.Builder) *ir.Value { return b.Input(ir.Shape{}, 0) }))); len(lines) < 2 {
		t.Errorf("an input as output: %q", lines)
	}
}
