package ordering_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/ordering"
)

func TestNearTies(t *testing.T) {
	r := &ordering.Result{Order: []int{3, 1, 0, 4, 2, 5},
		Gaps: []float64{0.5, 0.019, 0, 0.021, 1e-6, math.Inf(1)}}
	if got := ordering.NearGap(100); got != 0.02 {
		t.Errorf("gap of 100 rows %v, want a tenth of 2/√100", got)
	}
	if got := r.NearTies(100); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("near ties at %v, want 1 and 4: a tie has a warning of its own", got)
	}
	for _, row := range []struct {
		rows  int
		names []string
		want  string
	}{
		{100, []string{"a", "b", "c", "d", "e", "f"},
			`the order is a guess at 2 of 6 positions (columns "b" and "c"): the next candidate was less than 2 % behind`},
		{1000, nil,
			`the order is a guess at 1 of 6 positions (column 3): the next candidate was less than 0.63 % behind`},
		{1 << 50, nil, ""},
		{4, nil, "the order is a guess at 3 of 6 positions (columns 2, 5 and 3): the next " +
			"candidate was less than 10 % behind"},
		{1, nil, "the order is a guess at 3 of 6 positions (columns 2, 5 and 3): the next " +
			"candidate was less than 20 % behind"},
	} {
		if got := r.NearTieSentence(row.rows, row.names); got != row.want {
			t.Errorf("%d rows: got  %s\nwant %s", row.rows, got, row.want)
		}
	}
	r.Gaps[0] = 0.001
	if got, want := r.NearTieSentence(4, nil), "the order is a guess at 4 of 6 positions (among "+
		"them columns 4, 2 and 5): the next candidate was less than 10 % behind"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if known, err := ordering.Known([]int{1, 0}, 2); err != nil || known.NearTies(10) != nil {
		t.Errorf("a known order has near ties: %v", err)
	}
}

// The gap is on the scale of what chance does to the choice between two columns
// that are alike: of 2,000 pairs of independent columns of 100 rows and variance 1
// about P(|N(0,1)| < 0.1) = 8 % come nearer than NearGap. 8 ± 2.4 % is four standard
// errors of the share.
func TestNearGapIsATenthOfAStandardError(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const pairs, rows = 2000, 100
	near := 0
	for range pairs {
		x := mat.NewDense(rows, 2, nil)
		x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
		r := must.Get(ordering.Variance(x))(t)
		near += len(r.NearTies(rows))
	}
	if share := float64(near) / pairs; !(math.Abs(share-0.08) <= 0.024) {
		t.Errorf("%.3f of the pairs are near ties, want 0.08 ± 0.024", share)
	}
}

// What random orders agree on, by listing the binomial distribution, and by
// random orders themselves: for 20 replicates of 40 columns the mean over 780
// pairs has a standard error of 0.0025 if they were independent; 0.02 is eight of
// those, since pairs with a column in common are not.
func TestChanceStability(t *testing.T) {
	for _, row := range []struct {
		replicates int
		want       float64
	}{
		{1, 1}, {2, 0.75}, {3, 0.75}, {4, (2*4 + 8*3 + 6*2) / 64.0},
	} {
		if got :=
			(&ordering.Distribution{Replicates: row.replicates}).ChanceStability(); !(math.Abs(
			got-row.want) <= 1e-15) {
			t.Errorf("%d replicates: %v, want %v", row.replicates, got, row.want)
		}
	}
	many, more := (&ordering.Distribution{Replicates: 1000}).ChanceStability(),
		(&ordering.Distribution{Replicates: 100000}).ChanceStability()
	if want := 0.5 + 1/math.Sqrt(2*math.Pi*1000); !(math.Abs(many-want) <= 1e-5) ||
		!(more > 0.5 && more < many) {
		t.Errorf("1000 replicates: %v, want about %v; 100000: %v", many, want, more)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	d := &ordering.Distribution{Point: &ordering.Result{Order: identity(40)}, Replicates: 20}
	for i := range 20 {
		d.Orders = append(d.Orders,
			ordering.WeightedOrder{Order: rng.Perm(40), Count: 1, First: i, Weight: 0.05})
	}
	if got, want := d.Stability(), d.ChanceStability(); !(math.Abs(got-want) <= 0.02) {
		t.Errorf("random orders have the stability %v, want %v ± 0.02", got, want)
	}
}

// First is the lowest replicate that gave an order, so that the sequence of the
// orders does not depend on the labels of the columns, and more replicates leave
// it alone.
func TestBootstrapFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(112, 112))
	x, _ := network(8, 16, 16, rng)
	relabel := rng.Perm(8)
	plain := bootstrap(t, ordering.MethodEqVar, x, 40,
		ordering.BootstrapOptions{Seed: 1, Workers: 2})
	other := bootstrap(t, ordering.MethodEqVar, columns(x, relabel), 40,
		ordering.BootstrapOptions{Seed: 1})
	more := bootstrap(t, ordering.MethodEqVar, x, 60, ordering.BootstrapOptions{Seed: 1})
	firsts := map[int]bool{}
	for k, o := range plain.Orders {
		if got := other.Orders[k]; got.First != o.First || got.Count != o.Count ||
			!slices.Equal(relabelled(got.Order, relabel), o.Order) {
			t.Errorf("order %d is %+v, relabelled %+v", k, o, got)
		}
		if firsts[o.First] || o.First < 0 || o.First >= 40 {
			t.Errorf("order %d appeared first in replicate %d, as another did", k, o.First)
		}
		firsts[o.First] = true
		if !slices.ContainsFunc(more.Orders, func(m ordering.WeightedOrder) bool {
			return m.First == o.First && slices.Equal(m.Order, o.Order)
		}) {
			t.Errorf("order %d has another first replicate among 60 than among 40", k)
		}
	}
	if len(plain.Orders) < 5 || !firsts[0] {
		t.Errorf("%d orders, first replicates %v", len(plain.Orders), firsts)
	}
}
