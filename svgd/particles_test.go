package svgd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// gaussianBlocks returns n particles of standard normal blocks.
func gaussianBlocks(seed uint64, n int, widths ...int) []*mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([]*mat.Dense, len(widths))
	for b, p := range widths {
		x[b] = mat.NewDense(n, p, nil)
		x[b].Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x[b])
	}
	return x
}

// zeros returns zero blocks of the shapes of x.
func zeros(x []*mat.Dense) []*mat.Dense {
	y := make([]*mat.Dense, len(x))
	for b, xb := range x {
		r, c := xb.Dims()
		y[b] = mat.NewDense(r, c, nil)
	}
	return y
}

func clone(x []*mat.Dense) []*mat.Dense {
	y := make([]*mat.Dense, len(x))
	for b, xb := range x {
		y[b] = mat.DenseCopyOf(xb)
	}
	return y
}

// wantClose fails unless |got − want| ≤ tol·max(1, |want|) in every entry.
func wantClose(t *testing.T, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	rows, cols := want.Dims()
	if r, c := got.Dims(); r != rows || c != cols {
		t.Fatalf("%s: got %d×%d, want %d×%d", what, r, c, rows, cols)
	}
	for i := range rows {
		for j := range cols {
			g, w := got.At(i, j), want.At(i, j)
			if !(math.Abs(g-w) <= tol*max(1, math.Abs(w))) {
				t.Errorf("%s[%d,%d]: got %v, want %v (tolerance %g)", what, i, j, g, w, tol)
			}
		}
	}
}

func wantBlocksClose(t *testing.T, what string, got, want []*mat.Dense, tol float64) {
	t.Helper()
	for b := range want {
		wantClose(t, what, got[b], want[b], tol)
	}
}

// sameBits reports whether a and b agree bit for bit.
func sameBits(a, b []*mat.Dense) bool {
	for i := range a {
		rows, cols := a[i].Dims()
		for r := range rows {
			for c := range cols {
				if math.Float64bits(a[i].At(r, c)) != math.Float64bits(b[i].At(r, c)) {
					return false
				}
			}
		}
	}
	return true
}

func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}()
	f()
}
