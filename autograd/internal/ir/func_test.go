package ir_test

import (
	"strings"
	"testing"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/internal/must"
)

// sound is a function with an input, a constant, a view and operations.
func sound() (f *ir.Func, x, c, view, y *ir.Value) {
	b := irtest.New(3, 4)
	x = b.Input(ir.Shape{2}, 0, 1)
	c = b.Const(ir.Shape{2}, 1, 2)
	view = b.View(x, ir.Shape{2}, 1, -1)
	y = b.Map(irtest.Add, view, c)
	z := b.Over(irtest.Crossing(ir.OverSum, ir.Other), 1, y)
	return b.Return(z), x, c, view, y
}

// Verify finds every kind of fault, and names the value.
func TestVerify(t *testing.T) {
	f, _, _, _, _ := sound()
	must.Do(t, f.Verify())
	for _, tt := range []struct {
		name, want string
		spoil      func(f *ir.Func, x, c, view, y *ir.Value)
	}{
		{"out of place", "stands at 1", func(f *ir.Func, _, c, _, _ *ir.Value) { c.ID = 2 }},
		{"no origin", "is neither input nor constant nor result",
			func(_ *ir.Func, x, _, _, _ *ir.Value) { x.Input = -1 }},
		{"too few constants", "has 1 constants, want 2", func(_ *ir.Func, _, c, _, _ *ir.Value) {
			c.Const = c.Const[:1]
		}},
		{"operand after it", "operand %3 does not come before it",
			func(_ *ir.Func, _, _, view, y *ir.Value) { view.Args[0] = y }},
		{"operand of another function", "does not come before it",
			func(_ *ir.Func, _, _, view, _ *ir.Value) {
				_, other, _, _, _ := sound()
				view.Args[0] = other
			}},
		{"view of two", "shows 2 elements of 2 operands",
			func(_ *ir.Func, x, c, view, _ *ir.Value) { view.Args = []*ir.Value{x, c} }},
		{"view of too few", "shows 1 elements of 1 operands",
			func(_ *ir.Func, _, _, view, _ *ir.Value) { view.Index = view.Index[:1] }},
		{"view beyond", "shows element 2 of 2", func(_ *ir.Func, _, _, view, _ *ir.Value) {
			view.Index[0] = 2
		}},
		{"too few facts", "has facts about 1 elements, want 2",
			func(_ *ir.Func, _, _, _, y *ir.Value) { y.Support = []bool{true} }},
		{"read and zero", "element 1 is read, and zero", func(_ *ir.Func, _, _, _, y *ir.Value) {
			y.Support, y.Live = []bool{true, false}, []bool{true, true}
		}},
		{"output of elsewhere", "is an output of elsewhere",
			func(f *ir.Func, _, _, _, _ *ir.Value) {
				other, _, _, _, _ := sound()
				f.Outputs = other.Outputs
			}},
		{"output beyond", "is an output of elsewhere", func(f *ir.Func, _, _, _, _ *ir.Value) {
			f.Outputs = []*ir.Value{{ID: 77, Input: 0}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, x, c, view, y := sound()
			tt.spoil(f, x, c, view, y)
			if err := f.Verify(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// A listing has a value a line, by number, with what is known of its elements.
func TestString(t *testing.T) {
	f, _, _, _, y := sound()
	y.Support, y.Live = []bool{true, true}, []bool{true, false}
	f.Values[0].Name = "x(2)"
	const want = `func "test"
  %0 = x(2)
  %1 = constant(2)
  %2 = view(2){a=3 b=4} shows %0
  %3 = add(2){a=3 b=4} add %2 %1, 1 of 2 elements
  %4 = sum_over(2){a=3} sum_over %3
  return %4
`
	if got := f.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Views are looked through to what they show, and constants compared bit by bit.
func TestOriginAndAll(t *testing.T) {
	b := irtest.New()
	x := b.Input(ir.Shape{3})
	v := b.View(b.View(x, ir.Shape{2}, 2, 0), ir.Shape{1}, 1)
	if v.Origin() != x || x.Origin() != x || !v.IsView() || v.Computed() {
		t.Errorf("the origin of %v is %v", v, v.Origin())
	}
	zero, negative := b.Const(ir.Shape{2}, 0, 0), b.Const(ir.Shape{2}, 0, -1/inf)
	if !zero.All(0) || zero.All(-1/inf) || negative.All(0) || x.All(0) {
		t.Error("All does not compare every bit of constants")
	}
}
