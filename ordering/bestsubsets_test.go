package ordering_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/ordering"
)

// everySubset calls visit with every subset of the given size.
func everySubset(of []int, size int, visit func([]int)) {
	if size == 0 {
		visit(nil)
		return
	}
	for k, j := range of {
		everySubset(of[k+1:], size-1, func(rest []int) { visit(append([]int{j}, rest...)) })
	}
}

// bestSubsetsByRegression is the definition, by QR factorisations.
func bestSubsetsByRegression(x *mat.Dense, size int) (order []int, criterion []float64) {
	_, d := x.Dims()
	for len(order) < d {
		best, bestV := -1, math.Inf(1)
		for j := range d {
			if slices.Contains(order, j) {
				continue
			}
			everySubset(order, min(size, len(order)), func(set []int) {
				if v := regress(x, j, set); v < bestV {
					best, bestV = j, v
				}
			})
		}
		order, criterion = append(order, best), append(criterion, bestV)
	}
	return order, criterion
}

func TestBestSubsetsMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 51))
		d := rapid.IntRange(2, 7).Draw(t, "d")
		size := rapid.IntRange(1, 4).Draw(t, "J")
		n := size + 4 + rapid.IntRange(0, 10).Draw(t, "more rows")
		x := gaussian(n, d, rng)
		got, err := ordering.BestSubsets{MaxParents: size}.Order(x)
		if err != nil {
			t.Fatal(err)
		}
		if got.MinRelGap < 1e-6 {
			t.Skip("tie")
		}
		order, criterion := bestSubsetsByRegression(x, size)
		if diff := cmp.Diff(order, got.Order); diff != "" {
			t.Fatalf("d=%d, n=%d, J=%d (-want +got):\n%s", d, n, size, diff)
		}
		for c, want := range criterion {
			if math.Abs(got.Criterion[c]-want) > 1e-8*regress(x, order[c], nil) {
				t.Fatalf("criterion %d is %g, regression gives %g", c, got.Criterion[c], want)
			}
		}
	})
}

// With J ≥ d−1 every predecessor may be a parent: EqVar.
func TestBestSubsetsOfAllIsEqVar(t *testing.T) {
	x := gaussian(40, 6, rand.New(rand.NewPCG(52, 52)))
	want := mustEqVar(t, x)
	got, err := ordering.BestSubsets{MaxParents: 5}.Order(x)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Order, want.Order) {
		t.Errorf("order %v, EqVar %v", got.Order, want.Order)
	}
	for c, v := range want.Criterion {
		if !near(got.Criterion[c], v, 1e-9) {
			t.Errorf("criterion %d is %g, EqVar %g", c, got.Criterion[c], v)
		}
	}
}

// More columns than rows: a sparse network of 60 variables is still ordered far
// better than by chance, which violates half. These seeds give 3 of 163 edges; the
// bound leaves room for a factor of six.
func TestBestSubsetsWithFewRows(t *testing.T) {
	bad, all := 0, 0
	for seed := range uint64(3) {
		x, edges := network(60, 50, 60, rand.New(rand.NewPCG(seed, 53)))
		got, err := ordering.BestSubsets{}.Order(x)
		if err != nil {
			t.Fatal(err)
		}
		bad += violated(got.Order, edges)
		all += len(edges)
	}
	t.Logf("%d of %d edges violated", bad, all)
	if bad > all/8 {
		t.Errorf("%d of %d edges violated, want at most an eighth", bad, all)
	}
}

// Members of a subset may nearly depend on each other: column 3 is the sum of
// columns 0 and 1 to five digits.
func TestBestSubsetsNearDependence(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 54))
	x := mat.NewDense(50, 4, nil)
	for i := range 50 {
		a, b := rng.NormFloat64(), 2*rng.NormFloat64()
		x.SetRow(i, []float64{a, b, 3 * rng.NormFloat64(), a + b + 1e-5*rng.NormFloat64()})
	}
	got, err := ordering.BestSubsets{}.Order(x)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 3, 2}; !slices.Equal(got.Order, want) {
		t.Errorf("order %v, want %v", got.Order, want)
	}
}

func TestBestSubsetsSettings(t *testing.T) {
	if _, err := (ordering.BestSubsets{MaxParents: -1}).Order(gaussian(9, 3, rand.New(rand.NewPCG(1, 1)))); err == nil {
		t.Error("no error for -1 parents")
	}
}
