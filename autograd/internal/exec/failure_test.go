package exec_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
)

// An operation that fails at some indices of the loop is reported for these, whose
// results are NaN, and the others have theirs: with lanes, in strips, array by array, by
// the reference, and on any number of workers.
func TestFailuresPerParticle(t *testing.T) {
	for _, sizes := range [][]int{{5}, {40}, {5, 8}, {5, 3}, {5, 4, 2}} {
		b := irtest.New(sizes...)
		own := make([]int, len(sizes))
		for i := range own {
			own[i] = i
		}
		x := b.Input(ir.Shape{2}, own...)
		root := b.Whole(irtest.Root, x)
		root.Name = "root of x"
		y := b.Map(irtest.Exp, root)
		for i := 1; i < len(sizes); i++ {
			y = b.Over(irtest.Crossing(ir.OverSum, ir.Other), i, y)
		}
		for range 5 {
			y = b.Map(irtest.Tanh, b.Map(irtest.Exp, y))
		}
		f := b.Return(y)
		in := numbers(rand.New(rand.NewPCG(uint64(len(sizes)), 19)), f)
		for i, v := range in[0] {
			in[0][i] = math.Abs(v)
		}
		want := definition(t, f, in)
		failing := []int{1, 2, sizes[0] - 1}
		each := len(in[0]) / sizes[0]
		for _, k := range failing {
			in[0][k*each+each-1] = -100
			for e := range 2 {
				want[0][2*k+e] = math.NaN()
			}
		}
		check := func(what string, got [][]float64, err error) {
			t.Helper()
			var failed *exec.FailedError
			if !errors.As(err, &failed) || !errors.Is(err, irtest.ErrNegative) ||
				failed.Axis != "a" || !slices.Equal(failed.Indices, failing) {
				t.Fatalf("%s: got error %v", what, err)
			}
			if text := err.Error(); !strings.Contains(text,
				"a 1, and 2 more of them: root of x: negative sum") {
				t.Errorf("%s: got error %v", what, err)
			}
			near(t, what, got, want)
		}
		for _, without := range []passes.Set{0, passes.ElementSchedule} {
			for _, workers := range []int{1, 3} {
				got, err := run(t, f, exec.Options{Without: without, Workers: workers}, data(in))
				check(fmt.Sprintf("axes %v, without %v, %d workers", sizes, without, workers), got,
					err)
			}
		}
		dst := room(f)
		err := exec.NewReference(f, false).Eval(dst, data(in))
		check(fmt.Sprintf("axes %v, reference", sizes), dst, err)
	}
}

// Without a loop all results are NaN.
func TestFailureWithoutLoop(t *testing.T) {
	b := irtest.New()
	f := b.Return(b.Whole(irtest.Root, b.Input(ir.Shape{2})))
	got, err := run(t, f, exec.Options{}, data([][]float64{{-1, 0}}))
	var failed *exec.FailedError
	if !errors.As(err, &failed) || failed.Axis != "" || !math.IsNaN(got[0][0]) ||
		!math.IsNaN(got[0][1]) {
		t.Errorf("got %v, error %v", got, err)
	}
}

// With CheckFinite the first number that is not finite is found at every index, by name,
// element and lane: in an input, in an operation on lanes, in strips of a lone axis, and in one on
// arrays. An infinite constant is what its author wanted.
func TestCheckFinite(t *testing.T) {
	for _, sizes := range [][]int{{3, 8}, {100}} {
		b := irtest.New(sizes...)
		x := b.Input(ir.Shape{2}, []int{0, 1}[:len(sizes)]...)
		x.Name = "x"
		y := b.Map(irtest.Div, b.Const(ir.Shape{}, 1), x)
		y.Name = "quotient"
		z := b.Map(irtest.Tanh,
			b.Map(irtest.Add, y, b.Map(irtest.Div, y, b.Const(ir.Shape{}, math.Inf(1)))))
		outer, lane := 1, 0
		want := exec.NonFiniteError{Op: "quotient", Element: 1, At: "a 1, b 5", Value: math.Inf(1)}
		if len(sizes) > 1 {
			z = b.Over(irtest.Crossing(ir.OverSum, ir.Other), 1, z)
			lane = 5
		} else {
			outer, want.At = 70, "a 70"
		}
		f := b.Return(z)
		in := numbers(rand.New(rand.NewPCG(1, 20)), f)
		values := definition(t, f, in)
		lanes := len(in[0]) / 2 / sizes[0]
		in[0][(outer*lanes+lane)*2+1] = 0
		values[0][2*outer], values[0][2*outer+1] = math.NaN(), math.NaN()
		for _, opt := range []exec.Options{{}, {Workers: 2}, {Without: passes.ElementSchedule}} {
			opt.CheckFinite = true
			got, err := run(t, f, opt, data(in))
			var cause *exec.NonFiniteError
			if !errors.As(err, &cause) || *cause != want {
				t.Errorf("%v, %+v: got error %v", sizes, opt, err)
			}
			near(t, fmt.Sprintf("%v, %+v", sizes, opt), got, values)
		}
		in[0][0] = math.Inf(-1)
		_, err := run(t, f, exec.Options{CheckFinite: true}, data(in))
		var cause *exec.NonFiniteError
		if !errors.As(err, &cause) || cause.Op != "x" || !strings.HasPrefix(cause.At, "a 0") {
			t.Errorf("%v, an input: got error %v", sizes, err)
		}
	}
}

// A number that is not finite in what is computed once, because an index of the loop has
// failed, is not blamed on another index.
func TestFailureThatSpreads(t *testing.T) {
	b := irtest.New(3)
	root := b.Whole(irtest.Root, b.Input(ir.Shape{2}, 0))
	f := b.Return(root, b.Over(irtest.Crossing(ir.OverSum, ir.Other), 0, root))
	for _, checked := range []bool{false, true} {
		got, err := run(t, f, exec.Options{CheckFinite: checked},
			data([][]float64{{1, 2, -1, -2, 3, 4}}))
		var failed *exec.FailedError
		if !errors.As(err, &failed) || failed.Axis != "a" ||
			!slices.Equal(failed.Indices, []int{1}) {
			t.Fatalf("checked %v: got error %v", checked, err)
		}
		for k := range 3 {
			if math.IsNaN(got[0][2*k]) != (k == 1) {
				t.Errorf("checked %v: got %v", checked, got)
			}
		}
	}
}
