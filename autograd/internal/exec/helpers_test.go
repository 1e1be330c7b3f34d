package exec_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
	_ "tobac/internal/unwritten"
)

// seeds is a number of random functions, fewer in short tests.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 5
	}
	return n
}

// numbers draws the data of all inputs; those of uniform numbers are in (0, 1).
func numbers(rng *rand.Rand, f *ir.Func) (in [][]float64) {
	for _, v := range f.Inputs {
		x := irtest.Numbers(rng, f, v)
		for i := range x {
			if v.Uniform {
				x[i] = rng.Float64()/2 + 0.25
			}
		}
		in = append(in, x)
	}
	return in
}

// data feeds numbers.
func data(in [][]float64) (src []exec.Feed) {
	for _, x := range in {
		src = append(src, exec.Feed{Data: x})
	}
	return src
}

// room is where outputs are written, with numbers that nothing computes.
func room(f *ir.Func) (dst [][]float64) {
	for _, v := range f.Outputs {
		x := make([]float64, irtest.Size(f, v))
		for i := range x {
			x[i] = -77
		}
		dst = append(dst, x)
	}
	return dst
}

// compile compiles and verifies.
func compile(t *testing.T, f *ir.Func, opt exec.Options) *exec.Program {
	t.Helper()
	p, err := exec.Compile(f, opt, func(p passes.Pass, f *ir.Func) {
		if err := f.Verify(); err != nil {
			t.Errorf("after %s: %v", p.Name, err)
		}
	})
	if err == nil {
		err = p.Verify()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run evaluates a function twice, which makes no difference.
func run(t *testing.T, f *ir.Func, opt exec.Options, src []exec.Feed) (dst [][]float64, err error) {
	t.Helper()
	e := must.Get(compile(t, f, opt).NewEvaluator(opt))(t)
	defer e.Close()
	dst, again := room(f), room(f)
	err = e.Eval(dst, src)
	second := e.Eval(again, src)
	if (err == nil) != (second == nil) || err != nil && err.Error() != second.Error() {
		t.Fatalf("got error %v, then %v", err, second)
	}
	same(t, "second run", again, dst)
	return dst, err
}

// same compares bit by bit, near up to rounding.
func same(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	compare(t, what, got, want, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
	})
}

func near(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	compare(t, what, got, want, irtest.Near)
}

func compare(t *testing.T, what string, got, want [][]float64, equal func(x, y float64) bool) {
	t.Helper()
	for i := range want {
		for k, w := range want[i] {
			if !equal(got[i][k], w) {
				t.Fatalf("%s: output %d, number %d is %v, want %v", what, i, k, got[i][k], w)
			}
		}
	}
}

// definition evaluates by package irtest.
func definition(t *testing.T, f *ir.Func, in [][]float64) [][]float64 {
	t.Helper()
	out := must.Get(irtest.Eval(f, in))(t)
	return out
}

// axes are sizes of mapped axes that lead to every layout: parts of one index after the
// other with lanes, strips, and arrays.
var axes = [][]int{nil, {3}, {40}, {3, 8}, {2, 13}, {2, 3, 4}, {3, 16, 2}, {16, 3}}
