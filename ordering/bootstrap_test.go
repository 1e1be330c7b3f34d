package ordering_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/ordering"
)

func bootstrap(t testing.TB, o ordering.Orderer, x mat.Matrix, n int,
	opt ordering.BootstrapOptions) *ordering.Distribution {
	t.Helper()
	return must.Get(ordering.Bootstrap(t.Context(), o, x, n, opt))(t)
}

// The same seed gives the same bits for any number of workers; another seed
// gives another distribution.
func TestBootstrapDeterministic(t *testing.T) {
	x, _ := network(8, 40, 12, rand.New(rand.NewPCG(101, 101)))
	for _, m := range []ordering.Method{ordering.MethodEqVar, ordering.MethodNPVar,
		ordering.MethodSCORE} {
		want := bootstrap(t, m, x, 23, ordering.BootstrapOptions{Seed: 5})
		for _, workers := range []int{1, 2, 3, 64} {
			got := bootstrap(t, m, x, 23, ordering.BootstrapOptions{Seed: 5, Workers: workers})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v with %d workers (-want +got):\n%s", m, workers, diff)
			}
		}
		other := bootstrap(t, m, x, 23, ordering.BootstrapOptions{Seed: 6})
		if cmp.Equal(want.Orders, other.Orders) {
			t.Errorf("%v: seeds 5 and 6 give the same orders", m)
		}
	}
}

// A replicate depends on the seed and its number alone, and the streams are
// frozen: published figures depend on them.
func TestBootstrapStream(t *testing.T) {
	x := mat.NewDense(10, 1, nil)
	for i := range 10 {
		x.Set(i, 0, float64(i))
	}
	for _, row := range []struct {
		seed      uint64
		replicate int
		want      []float64
	}{
		{0, 0, []float64{8, 9, 4, 6, 4, 8, 7, 9, 6, 9}},
		{1, 0, []float64{2, 2, 3, 2, 4, 0, 1, 7, 6, 8}},
		{0, 1, []float64{2, 4, 1, 1, 7, 7, 0, 6, 7, 5}},
	} {
		if got := mat.Col(nil, 0, ordering.Drawn(x, row.seed, row.replicate)); !slices.Equal(got,
			row.want) {
			t.Errorf("seed %d, replicate %d: rows %v, want %v", row.seed, row.replicate, got,
				row.want)
		}
	}
}

// Every row is drawn with probability 1/n: over 10,000 draws of 10 rows a count
// has a standard deviation of 30; 150 is five.
func TestBootstrapDrawsEvenly(t *testing.T) {
	x := mat.NewDense(10, 1, nil)
	for i := range 10 {
		x.Set(i, 0, float64(i))
	}
	count := make([]int, 10)
	for replicate := range 1000 {
		for _, v := range mat.Col(nil, 0, ordering.Drawn(x, 7, replicate)) {
			count[int(v)]++
		}
	}
	for i, c := range count {
		if c < 850 || c > 1150 {
			t.Errorf("row %d was drawn %d times of 10000, want 1000 ± 150", i, c)
		}
	}
}

// Weights are shares, Precedes is their sum, and a pair's two directions sum to 1.
func TestDistribution(t *testing.T) {
	x, _ := network(6, 25, 8, rand.New(rand.NewPCG(102, 102)))
	d := bootstrap(t, ordering.MethodEqVar, x, 50, ordering.BootstrapOptions{Seed: 1, Workers: 2})
	total, weight := 0, 0.0
	want := mat.NewDense(6, 6, nil)
	for i, o := range d.Orders {
		total += o.Count
		weight += o.Weight
		if err := ordering.Validate(o.Order, 6); err != nil {
			t.Error(err)
		}
		if i > 0 && (o.Count > d.Orders[i-1].Count || o.Count == d.Orders[i-1].Count &&
			o.First <= d.Orders[i-1].First) {
			t.Errorf("order %d is out of sequence: %v after %v", i, o, d.Orders[i-1])
		}
		for a, v := range o.Order {
			for _, w := range o.Order[a+1:] {
				want.Set(v, w, want.At(v, w)+o.Weight)
			}
		}
	}
	if total != 50 || d.Replicates != 50 || len(d.Failures) != 0 || !(math.Abs(weight-1) <= 1e-12) {
		t.Errorf("%d replicates, %d counted, weights sum to %g, failures %v", d.Replicates, total,
			weight, d.Failures)
	}
	p := d.Precedes()
	if !mat.EqualApprox(p, want, 1e-12) {
		t.Errorf("precedes\n%.3g\nwant\n%.3g", mat.Formatted(p), mat.Formatted(want))
	}
	stability := 0.0
	for i := range 6 {
		for j := range i {
			if !(math.Abs(p.At(i, j)+p.At(j, i)-1) <= 1e-12) {
				t.Errorf("pair %d,%d: %g and %g", i, j, p.At(i, j), p.At(j, i))
			}
			stability += max(p.At(i, j), p.At(j, i)) / 15
		}
		if p.At(i, i) != 0 {
			t.Errorf("column %d precedes itself", i)
		}
	}
	if got := d.Stability(); !(math.Abs(got-stability) <= 1e-12) || got < 0.5 || got > 1 {
		t.Errorf("stability %g, want %g", got, stability)
	}
	plain := mustEqVar(t, x)
	if diff := cmp.Diff(plain, d.Point); diff != "" {
		t.Errorf("point (-want +got):\n%s", diff)
	}
}

// A chain with strong effects has one order, a tie has two, and a known order
// does not depend on the data.
func TestBootstrapKnowsWhatDataDecide(t *testing.T) {
	rng := rand.New(rand.NewPCG(103, 103))
	strong, tied := mat.NewDense(200, 3, nil), mat.NewDense(200, 3, nil)
	for i := range 200 {
		a := rng.NormFloat64()
		b := 3*a + rng.NormFloat64()
		strong.SetRow(i, []float64{3*b + rng.NormFloat64(), b, a})
		tied.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64(), 9 * rng.NormFloat64()})
	}
	d := bootstrap(t, ordering.MethodEqVar, strong, 40, ordering.BootstrapOptions{})
	if len(d.Orders) != 1 || d.Orders[0].Weight != 1 || d.Stability() != 1 ||
		!slices.Equal(d.Orders[0].Order, []int{2, 1, 0}) {
		t.Errorf("a strong chain: %+v", d.Orders)
	}
	d = bootstrap(t, ordering.MethodEqVar, tied, 40, ordering.BootstrapOptions{})
	p := d.Precedes()
	if len(d.Orders) < 2 || p.At(0, 2) != 1 || p.At(1, 2) != 1 || p.At(0, 1) < 0.1 ||
		p.At(0, 1) > 0.9 {
		t.Errorf("two columns alike: %+v\n%v", d.Orders, mat.Formatted(p))
	}
	d = bootstrap(t, ordering.Fixed{1, 0, 2}, tied, 5, ordering.BootstrapOptions{Workers: 3})
	if len(d.Orders) != 1 || d.Orders[0].Count != 5 ||
		!slices.Equal(d.Orders[0].Order, []int{1, 0, 2}) {
		t.Errorf("a known order: %+v", d.Orders)
	}
	// Standardised data: the point says so, the resamples differ.
	d = bootstrap(t, ordering.MethodEqVar, standardised(tied), 40, ordering.BootstrapOptions{})
	if d.Point.Warnings[0].Kind() != ordering.WarningStandardised || len(d.Orders) < 4 ||
		d.Stability() > 0.85 {
		t.Errorf("standardised: warnings %v, %d orders, stability %g", d.Point.Warnings,
			len(d.Orders), d.Stability())
	}
}

// Resamples of 7 rows of 5 columns are often singular: those are set aside.
func TestBootstrapFailures(t *testing.T) {
	x := gaussian(7, 5, rand.New(rand.NewPCG(104, 104)))
	d := bootstrap(t, ordering.MethodEqVar, x, 60, ordering.BootstrapOptions{Seed: 3, Workers: 2})
	total := 0
	for _, o := range d.Orders {
		total += o.Count
	}
	if len(d.Failures) == 0 || d.Replicates+len(d.Failures) != 60 || total != d.Replicates {
		t.Errorf("%d replicates, %d failures, %d counted", d.Replicates, len(d.Failures), total)
	}
	for _, err := range d.Failures {
		if !errors.Is(err, ordering.ErrDependent) && !errors.Is(err, ordering.ErrConstant) ||
			!strings.HasPrefix(err.Error(), "replicate ") {
			t.Errorf("failure %v", err)
		}
	}

	if _, err := ordering.Bootstrap(t.Context(), ordering.MethodEqVar, mat.NewDense(9, 2, nil), 5,
		ordering.BootstrapOptions{}); !errors.Is(err, ordering.ErrConstant) {
		t.Errorf("constant data: %v", err)
	}
	for _, row := range []struct{ n, workers int }{{0, 1}, {-1, 1}, {3, -1}} {
		if _, err := ordering.Bootstrap(t.Context(), ordering.MethodEqVar, x, row.n,
			ordering.BootstrapOptions{Workers: row.workers}); err == nil {
			t.Errorf("%d replicates, %d workers: no error", row.n, row.workers)
		}
	}
	// Five distinct rows in 5 columns decide an order only with all of them.
	_, err := ordering.Bootstrap(t.Context(), ordering.MethodEqVar,
		gaussian(6, 5, rand.New(rand.NewPCG(105, 105))), 3, ordering.BootstrapOptions{Seed: 1})
	if !errors.Is(err, ordering.ErrDependent) ||
		!strings.Contains(err.Error(), "none of 3 resamples") {
		t.Errorf("all replicates fail: %v", err)
	}
}

func TestBootstrapCancelled(t *testing.T) {
	x := gaussian(50, 5, rand.New(rand.NewPCG(106, 106)))
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	stop := ordererFunc(func(x mat.Matrix) (*ordering.Result, error) {
		if calls++; calls == 4 {
			cancel()
		}
		return ordering.EqVar(x)
	})
	d, err := ordering.Bootstrap(ctx, stop, x, 1000, ordering.BootstrapOptions{Workers: 1})
	if !errors.Is(err, context.Canceled) || d != nil || calls != 4 {
		t.Errorf("cancelled in call 4: %d calls, %v, %v", calls, d, err)
	}
}

type ordererFunc func(x mat.Matrix) (*ordering.Result, error)

func (f ordererFunc) Order(_ context.Context, x mat.Matrix, _ *ordering.Precedence,
	_ int) (*ordering.Result, error) {
	return f(x)
}
