package dense_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
	_ "tobac/internal/unwritten"
)

// run evaluates a function array by array: without mapped axes, or with one, the lanes.
func run(t *testing.T, f *ir.Func, lane *ir.Axis, in [][]float64, without passes.Set) [][]float64 {
	t.Helper()
	lanes := 1
	if lane != nil {
		lanes = lane.Size()
	}
	must.Do(t, passes.Run(f, passes.Standard(without), nil))
	p := must.Get(dense.NewPlan(f, lane, lanes, lanes, without))(t)
	p.PlaceAll(func(*ir.Value) bool { return false })
	p.AllocateReusing()
	var steps []dense.Step
	for _, v := range f.Values {
		if v.Computed() && p.Stored(v) {
			steps = append(steps, p.Step(v))
		}
	}
	frame := p.NewFrame()
	for _, v := range f.Inputs {
		for k, x := range in[v.Input] {
			if e := k % v.Len(); p.Stored(v) && p.Place(v).Slot[e] >= 0 {
				frame.M[p.Offset(v, e)+k/v.Len()] = x
			}
		}
	}
	for _, s := range steps {
		if flops, bytes := s.Cost(); flops < 0 || bytes < 0 {
			t.Errorf("%s costs %d operations and %d bytes", f.Describe(s.V), flops, bytes)
		}
		s.Run(frame)
	}
	for _, x := range frame.Failed {
		t.Fatalf("%s failed in lane %d: %v", f.Describe(x.V), x.Lane, x.Err)
	}
	var out [][]float64
	for _, v := range f.Outputs {
		y := make([]float64, irtest.Size(f, v))
		for k := range y {
			e, l := k%v.Len(), k/v.Len()
			y[k] = frame.M[p.Offset(v, e)+min(l, p.Width(v, e)-1)]
		}
		out = append(out, y)
	}
	return out
}

// A structural zero that meets an infinity or NaN in a matrix product counts as zero,
// whether the product is computed as a whole or pair by pair, in stacks too; other
// products with infinities are those of IEEE arithmetic.
func TestStructuralZerosMeetInfinity(t *testing.T) {
	const n = 8
	rng := rand.New(rand.NewPCG(1, 9))
	for _, batch := range []int{1, 3} {
		for _, cols := range []int{1, 2, 7} {
			for round := range 40 {
				b := irtest.New()
				triangle := make([]float64, batch*n*n)
				for e := range triangle {
					if e%n <= e/n%n {
						triangle[e] = rng.NormFloat64()
					}
				}
				x := b.Input(ir.Shape{batch, n, cols})
				f := b.Return(b.MatMul(b.Const(ir.Shape{batch, n, n}, triangle...), x))
				in := irtest.Numbers(rng, f, x)
				for range round % 4 {
					in[rng.IntN(len(in))] = []float64{math.Inf(1), math.Inf(-1),
						math.NaN()}[rng.IntN(3)]
				}
				got := run(t, f, nil, [][]float64{in}, 0)[0]
				for e, y := range got {
					g, i, j := e/(n*cols), e/cols%n, e%cols
					want := 0.0
					for l := range i + 1 {
						want += triangle[(g*n+i)*n+l] * in[(g*n+l)*cols+j]
					}
					if !irtest.Near(y, want) {
						t.Fatalf("%d matrices, %d columns: element %d is %v, want %v", batch, cols,
							e, y, want)
					}
				}
			}
		}
	}
}

// An operation on whole values that fails leaves NaN in its lane, says which, and the
// other lanes have their results.
func TestFailures(t *testing.T) {
	b := irtest.New(3)
	x := b.Input(ir.Shape{2}, 0)
	y := b.Whole(irtest.Root, x)
	f := b.Return(y)
	must.Do(t, passes.Run(f, passes.Standard(0), nil))
	p := must.Get(dense.NewPlan(f, b.Axis(0), 3, 3, 0))(t)
	p.PlaceAll(func(*ir.Value) bool { return false })
	p.AllocateReusing()
	s := p.Step(y)
	frame := p.NewFrame()
	for e, lanes := range [][]float64{{2, -5, 1}, {2, 1, 3}} {
		copy(frame.M[p.Offset(x, e):], lanes)
	}
	s.Run(frame)
	if len(frame.Failed) != 1 || frame.Failed[0].Lane != 1 ||
		frame.Failed[0].Err != irtest.ErrNegative || frame.Failed[0].V != y {
		t.Errorf("failures are %+v", frame.Failed)
	}
	for e, want := range [][]float64{{1, math.NaN(), 0.5}, {1, math.NaN(), 1.5}} {
		for l, w := range want {
			if got := frame.M[p.Offset(y, e)+l]; !irtest.Near(got, w) {
				t.Errorf("element %d in lane %d is %v, want %v", e, l, got, w)
			}
		}
	}
}
