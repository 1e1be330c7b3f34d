package ordering_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/ordering"
)

// sinksByInverse is the form of the published program: the sink is the smallest
// diagonal entry of the inverse of the covariance of the columns left.
func sinksByInverse(x *mat.Dense) []int {
	var c mat.SymDense
	stat.CovarianceMatrix(&c, x, nil)
	sinks := smallestOfInverses(&c)
	slices.Reverse(sinks)
	return sinks
}

func TestEqVarBottomUpMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 41))
		d := rapid.IntRange(2, 9).Draw(t, "d")
		x := gaussian(d+6+rapid.IntRange(0, 20).Draw(t, "more rows"), d, rng)
		got := must.Get(ordering.EqVarBottomUp(x))(t)
		if got.MinRelGap < 1e-3 {
			t.Skip("near a tie")
		}
		if diff := cmp.Diff(sinksByInverse(x), got.Order); diff != "" {
			t.Fatalf("against inversion (-want +got):\n%s", diff)
		}
		for c, j := range got.Order {
			want := regress(x, j, got.Order[:c])
			if !(math.Abs(got.Criterion[c]-want) <= 1e-7*regress(x, j, nil)) {
				t.Fatalf("criterion %d is %g, regression on the columns before gives %g", c,
					got.Criterion[c], want)
			}
			// The gap is by how much the runner-up is explained better.
			second := 0.0
			for _, i := range got.Order[:c] {
				second = max(second,
					regress(x, i, slices.DeleteFunc(slices.Clone(got.Order[:c+1]),
						func(k int) bool { return k == i })))
			}
			if wantGap := want/second - 1; c > 0 &&
				!(math.Abs(got.Gaps[c]-wantGap) <= 1e-6*(1+wantGap)) {
				t.Fatalf("gap %d is %g, want %g", c, got.Gaps[c], wantGap)
			}
		}
	})
}

// Orders of an independent float64 program.
func TestEqVarBottomUpSachs(t *testing.T) {
	raw, edges := sachs(t)
	for _, row := range []struct {
		name     string
		x        mat.Matrix
		order    []int
		violated int
	}{
		{"raw", raw, []int{8, 9, 2, 5, 6, 1, 0, 4, 10, 3, 7}, 8},
		{"standardised, first 767 rows", standardised(raw).Slice(0, 767, 0, 11),
			[]int{6, 5, 1, 0, 9, 8, 7, 2, 10, 3, 4}, 12},
	} {
		got := must.Get(ordering.EqVarBottomUp(row.x))(t)
		if diff := cmp.Diff(row.order, got.Order); diff != "" ||
			violated(got.Order, edges) != row.violated {
			t.Errorf("%s: %d violated edges, want %d (-want +got):\n%s", row.name,
				violated(got.Order, edges), row.violated, diff)
		}
	}
}

// Tied sinks: the lower index is the sink, and the warning names its position.
func TestEqVarBottomUpTies(t *testing.T) {
	x := mat.NewDense(8, 3, nil)
	for i := range 8 {
		for j := range 3 {
			x.Set(i, j, 1-2*float64(i>>j&1))
		}
	}
	got := must.Get(ordering.EqVarBottomUp(x))(t)
	if !slices.Equal(got.Order, []int{2, 1, 0}) || got.MinRelGap != 0 {
		t.Errorf("order %v, gap %g, want [2 1 0] and 0", got.Order, got.MinRelGap)
	}
	if want := "columns 1 and 2 tie at position 3 of the order (1.143); the lower " +
		"index was taken"; len(got.Warnings) != 3 ||
		got.Warnings[1].String() != want {
		t.Errorf("warnings %q, want three, the second %q", got.Sentences(nil), want)
	}
}

// Units as different as float64 allows leave the order of the precision alone.
func TestEqVarBottomUpExtremeScales(t *testing.T) {
	x := gaussian(40, 5, rand.New(rand.NewPCG(43, 43)))
	plain := must.Get(ordering.EqVarBottomUp(x))(t)
	for _, factor := range []float64{0x1p-500, 0x1p-60, 0x1p500} {
		var scaled mat.Dense
		scaled.Scale(factor, x)
		got := must.Get(ordering.EqVarBottomUp(&scaled))(t)
		if !slices.Equal(got.Order, plain.Order) || got.MinRelGap != plain.MinRelGap ||
			got.Criterion[4] != plain.Criterion[4]*factor*factor {
			t.Errorf("factor %g: %v, criterion %g; want %v, %g", factor, got.Order,
				got.Criterion[4], plain.Order, plain.Criterion[4]*factor*factor)
		}
	}
	// 10³⁰⁰ between columns: the widest first.
	for i := range 40 {
		x.Set(i, 0, x.At(i, 0)*1e150)
		x.Set(i, 1, x.At(i, 1)*1e-150)
	}
	got, err := ordering.EqVarBottomUp(x)
	if err == nil && (got.Order[0] != 1 || got.Order[4] != 0) {
		t.Errorf("order %v, want column 1 first and column 0 last", got.Order)
	}
}
