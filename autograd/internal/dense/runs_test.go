package dense_test

import (
	"testing"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
)

// planned makes the plan of a function array by array.
func planned(t *testing.T, f *ir.Func) *dense.Plan {
	t.Helper()
	must.Do(t, passes.Run(f, passes.Standard(0), nil))
	p := must.Get(dense.NewPlan(f, nil, 1, 1, 0))(t)
	p.PlaceAll(func(*ir.Value) bool { return false })
	p.AllocateReusing()
	return p
}

// Elements whose operands lie at regular distances are one run.
func TestRuns(t *testing.T) {
	vector := ir.Shape{8}
	for _, tt := range []struct {
		name  string
		build func(b *irtest.Builder, x *ir.Value) *ir.Value
		want  int
	}{
		{"two vectors", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Add, x, b.Input(vector))
		}, 1},
		{"with itself", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, x, x)
		}, 1},
		{"a number", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, x, b.Input(ir.Shape{}))
		}, 1},
		{"an element many times", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, x, b.View(b.Input(vector), vector, 3, 3, 3, 3, 3, 3, 3, 3))
		}, 1},
		{"two halves exchanged", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Mul, x, b.View(b.Input(vector), vector, 4, 5, 6, 7, 0, 1, 2, 3))
		}, 2},
		{"a gap in both", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			c := b.Const(vector, 1, 2, 3, 0, 5, 6, 7, 8)
			return b.Map(irtest.Mul, x, c)
		}, 1 + 1},
		{"a function of one", func(b *irtest.Builder, x *ir.Value) *ir.Value {
			return b.Map(irtest.Exp, x)
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := irtest.New()
			y := tt.build(b, b.Input(vector))
			p := planned(t, b.Return(y))
			if runs, elements := dense.CountRuns(p, y); runs > tt.want || elements > 8 {
				t.Errorf("got %d runs of %d elements, want %d runs", runs, elements, tt.want)
			}
		})
	}
}

// Products of single numbers are computed as a whole if they are large, one column only
// without zeros.
func TestWholeProducts(t *testing.T) {
	for _, c := range []struct {
		name                   string
		lanes                  int
		batch, rows, inner, co int
		triangle, whole        bool
	}{
		{"single numbers", 1, 0, 50, 8, 16, false, true},
		{"lanes", 8, 0, 50, 8, 16, false, false},
		{"a stack", 1, 3, 10, 8, 4, false, true},
		{"few products", 1, 0, 2, 8, 2, false, false},
		{"a triangle", 1, 0, 20, 20, 5, true, true},
		{"one column", 1, 0, 50, 8, 1, false, true},
		{"one column of a triangle", 1, 0, 40, 40, 1, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := irtest.New(c.lanes)
			lead := ir.Shape{}
			if c.batch > 0 {
				lead = ir.Shape{c.batch}
			}
			x := make([]float64, append(lead, c.rows, c.inner).Len())
			for i := range x {
				if !c.triangle || i%c.inner <= i/c.inner {
					x[i] = float64(1 + i%7)
				}
			}
			w := b.Input(append(lead[:len(lead):len(lead)], c.inner, c.co), 0)
			y := b.MatMul(b.Const(append(lead[:len(lead):len(lead)], c.rows, c.inner), x...), w)
			f := b.Return(y)
			must.Do(t, passes.Run(f, passes.Standard(0), nil))
			var lane *ir.Axis
			if c.lanes > 1 {
				lane = b.Axis(0)
			}
			p := must.Get(dense.NewPlan(f, lane, c.lanes, c.lanes, 0))(t)
			p.PlaceAll(func(*ir.Value) bool { return false })
			p.AllocateReusing()
			if whole := dense.IsWholeProduct(p.Step(y).Instruction); whole != c.whole {
				t.Errorf("computed as a whole: %v, want %v", whole, c.whole)
			}
		})
	}
}
