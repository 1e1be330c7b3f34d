package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
)

// joined makes the plan of a function whose small arrays become machine code.
func joined(t *testing.T, f *ir.Func) (p *dense.Plan, steps []dense.Step,
	stretches []dense.Stretch) {
	t.Helper()
	must.Do(t, passes.Run(f, passes.Standard(0), nil))
	dense.Order(f)
	must.Do(t, f.Verify())
	p = must.Get(dense.NewPlan(f, nil, 1, 1, 0))(t)
	p.PlaceAll(func(*ir.Value) bool { return false })
	p.AllocateReusing()
	for _, v := range f.Values {
		if v.Computed() && p.Stored(v) {
			steps = append(steps, p.Step(v))
		}
	}
	stretches = must.Get(p.Join(steps, true))(t)
	return p, steps, stretches
}

// compare runs a function step by step and stretch by stretch, and wants the same bits.
func compare(t *testing.T, name string, f *ir.Func,
	numbers func(v *ir.Value) []float64) (coded, batches int) {
	t.Helper()
	p, steps, stretches := joined(t, f)
	frames := [2]*dense.Frame{}
	for i := range frames {
		frames[i] = &dense.Frame{M: make([]float64, p.Arena), Scratch: make([]float64, p.Scratch)}
		copy(frames[i].M, p.Constant)
	}
	for _, v := range f.Inputs {
		if v == nil || !p.Stored(v) {
			continue
		}
		for e, x := range numbers(v) {
			if p.Place(v).Slot[e] >= 0 {
				frames[0].M[p.Offset(v, e)], frames[1].M[p.Offset(v, e)] = x, x
			}
		}
	}
	for _, s := range steps {
		s.Run(frames[0])
	}
	for _, s := range stretches {
		s.Run(frames[1])
		if s.Coded {
			coded += len(s.Steps)
		} else if len(s.Steps) > 1 {
			batches++
		}
	}
	for i, v := range f.Outputs {
		for e := range v.Len() {
			got, want := frames[1].M[p.Offset(v, e)], frames[0].M[p.Offset(v, e)]
			if math.Float64bits(got) != math.Float64bits(want) &&
				!(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("%s: output %d, element %d: got %v, want %v", name, i, e, got, want)
			}
		}
	}
	if len(frames[0].Failed) != len(frames[1].Failed) {
		t.Fatalf("%s: %d operations failed, want %d", name, len(frames[1].Failed),
			len(frames[0].Failed))
	}
	return coded, batches
}

// special draws numbers some of which are zeros, infinite or NaN.
func special(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
		if rng.IntN(20) == 0 {
			x[i] = []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1e300,
				5e-324}[rng.IntN(6)]
		}
	}
	return x
}

func codes(t *testing.T) {
	if !dense.Codes(0) {
		t.Skip("no machine code here")
	}
}

// Stretches of machine code, and operations that are joined, compute the bits of the
// instructions one by one.
func TestStretchesOfRandomFunctions(t *testing.T) {
	codes(t)
	coded, batches := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 21))
		f := irtest.Random(rng, 5+rng.IntN(60))
		c, b := compare(t, "random function", f, func(v *ir.Value) []float64 {
			return special(rng, v.Len())
		})
		coded, batches = coded+c, batches+b
	}
	if coded == 0 || batches == 0 {
		t.Errorf("%d steps are machine code, %d stretches joined operations", coded, batches)
	}
}

// Every sum, product and run of elements up to the largest that become machine code has the
// bits of its instruction.
func TestStretchesOfSizes(t *testing.T) {
	codes(t)
	rng := rand.New(rand.NewPCG(5, 22))
	for n := 1; n <= dense.MostCoded; n++ {
		b := irtest.New()
		x, y := b.Input(ir.Shape{n}), b.Input(ir.Shape{n})
		rows, cols := b.Input(ir.Shape{1, n}), b.Input(ir.Shape{n, 1})
		index := make([]int, n)
		for e := range index {
			index[e] = rng.IntN(n+1) - 1
		}
		picked := b.View(x, ir.Shape{n}, index...)
		outputs := []*ir.Value{
			b.Map(irtest.Add, x, y), b.Map(irtest.Mul, picked, y), b.Map(irtest.Neg, picked),
			b.Reduce(irtest.Sum, x), b.Reduce(irtest.Sum, picked),
			b.MatMul(rows, cols), b.MatMul(cols, rows),
		}
		for _, inner := range []int{1, 2, 3, 5} {
			if m := n / inner; m > 0 && m < 12 {
				outputs = append(outputs,
					b.MatMul(b.Input(ir.Shape{m, inner}), b.Input(ir.Shape{inner, 3})),
					b.MatMul(b.Input(ir.Shape{m, inner}), b.Input(ir.Shape{inner, 1})))
			}
		}
		compare(t, fmt.Sprint("size ", n), b.Return(outputs...), func(v *ir.Value) []float64 {
			return special(rng, v.Len())
		})
	}
}
