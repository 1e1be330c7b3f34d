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
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/ordering"
)

// A known is a random strict partial order: i before j where a hidden permutation has i
// first and a coin says so.
type known struct {
	before [][]bool
	p      *ordering.Precedence
}

func drawKnown(t *rapid.T, d int, rng *rand.Rand) known {
	hidden, share := rng.Perm(d), rapid.Float64Range(0, 0.6).Draw(t, "share")
	k := known{before: make([][]bool, d)}
	for i := range d {
		k.before[i] = make([]bool, d)
		for j := range d {
			k.before[i][j] = hidden[i] < hidden[j] && rng.Float64() < share
		}
	}
	var err error
	if k.p, err = ordering.NewPrecedence(d, func(i, j int) bool {
		return k.before[i][j]
	}); err != nil {
		t.Fatal(err)
	}
	return k
}

// violated is a pair that an order has in the wrong sequence.
func (k known) violated(order []int) (pair []int) {
	for c, j := range order {
		for _, i := range order[c+1:] {
			if k.before[i][j] {
				return []int{i, j}
			}
		}
	}
	return nil
}

// Every estimator returns a permutation that agrees with what is known, whatever that is,
// and changes nothing that agrees anyway; relabelling the columns and the knowledge
// relabels the order.
func TestOrdersWithin(t *testing.T) {
	for _, e := range estimators {
		t.Run(e.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
				d := rapid.IntRange(2, 7).Draw(t, "d")
				x, k := gaussian(d+10, d, rng), drawKnown(t, d, rng)
				got := must.Get(e.orderer.Order(context.Background(), x, k.p, 1))(t)
				must.Do(t, ordering.Validate(got.Order, d))
				if pair := k.violated(got.Order); pair != nil || !k.p.Allows(got.Order) {
					t.Fatalf("order %v against %v; allowed: %v", got.Order, pair,
						k.p.Allows(got.Order))
				}
				if len(got.Criterion) != d || len(got.Gaps) != d || slices.Min(got.Gaps) < 0 {
					t.Fatalf("criteria %v, gaps %v", got.Criterion, got.Gaps)
				}
				plain := must.Get(e.orderer.Order(context.Background(), x, nil, 1))(t)
				if k.violated(plain.Order) == nil && e.name != "npvar, layers" &&
					!slices.Equal(got.Order, plain.Order) {
					t.Fatalf("order %v, without the knowledge that it agrees with %v", got.Order,
						plain.Order)
				}
				if got.MinRelGap < 1e-6 {
					return
				}
				relabel := rng.Perm(d)
				p := must.Get(ordering.NewPrecedence(d, func(i, j int) bool {
					return k.before[relabel[i]][relabel[j]]
				}))(t)
				again :=
					must.Get(e.orderer.Order(context.Background(), columns(x, relabel), p, 1))(t)
				if diff := cmp.Diff(got.Order, relabelled(again.Order, relabel)); diff != "" {
					t.Fatalf("relabelled by %v (-want +got):\n%s", relabel, diff)
				}
			})
		})
	}
}

// EqVar makes the choice that the definition makes: of the columns whose predecessors are
// placed, the one of the smallest variance given those placed, here by a regression of
// each on all of them.
func TestEqVarWithinByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		d := rapid.IntRange(2, 6).Draw(t, "d")
		x, k := gaussian(d+12, d, rng), drawKnown(t, d, rng)
		got := must.Get(ordering.MethodEqVar.Order(context.Background(), x, k.p, 1))(t)
		var c mat.SymDense
		stat.CovarianceMatrix(&c, x, nil)
		for at := range got.Order {
			placed, left := got.Order[:at], got.Order[at:]
			smallest, column := math.Inf(1), -1
			for _, j := range left {
				waits := slices.ContainsFunc(left, func(i int) bool { return k.before[i][j] })
				if v := conditional(&c, j, placed); !waits && v < smallest {
					smallest, column = v, j
				}
			}
			if column != got.Order[at] ||
				!(math.Abs(smallest-got.Criterion[at]) <= 1e-9*c.At(column, column)) {
				t.Fatalf("position %d has column %d of variance %g, want %d of %g", at,
					got.Order[at], got.Criterion[at], column, smallest)
			}
		}
	})
}

// conditional is the variance of column j given others, from the covariance.
func conditional(c *mat.SymDense, j int, given []int) float64 {
	if len(given) == 0 {
		return c.At(j, j)
	}
	a, b := mat.NewDense(len(given), len(given), nil), mat.NewVecDense(len(given), nil)
	for p, i := range given {
		b.SetVec(p, c.At(i, j))
		for q, k := range given {
			a.Set(p, q, c.At(i, k))
		}
	}
	var w mat.VecDense
	if err := w.SolveVec(a, b); err != nil {
		return math.NaN()
	}
	return c.At(j, j) - mat.Dot(b, &w)
}

// What is known may come from outside the data and be wrong about them: the order obeys.
// A chain whose end is put first is ordered backwards only where it must be.
func TestOrderWithinObeys(t *testing.T) {
	x := chain(t) // 3 → 1 → 0 → 2
	p := must.Get(ordering.NewPrecedence(4, func(i, j int) bool { return i == 2 && j == 3 }))(t)
	got := must.Get(ordering.MethodEqVar.Order(context.Background(), x, p, 1))(t)
	// Of the marginal variances 3.08, 3.25, 2.11 and 1 that of 2 is smallest but for the one that
	// waits.
	if got.Order[0] != 2 || got.Order[1] != 3 {
		t.Errorf("order %v", got.Order)
	}
}

// Every resample obeys too.
func TestBootstrapWithin(t *testing.T) {
	x := gaussian(30, 4, rand.New(rand.NewPCG(1, 5)))
	p := must.Get(ordering.NewPrecedence(4, func(i, j int) bool { return i == 3 && j != 3 }))(t)
	got := must.Get(ordering.Bootstrap(context.Background(),
		ordering.MethodEqVar, x, 25,
		ordering.BootstrapOptions{Seed: 1, Known: p}))(t)
	if len(got.Orders) < 2 {
		t.Fatalf("%d distinct orders", len(got.Orders))
	}
	for _, o := range append(got.Orders, ordering.WeightedOrder{Order: got.Point.Order}) {
		if o.Order[0] != 3 {
			t.Errorf("order %v, want 3 first", o.Order)
		}
	}
}

// Too few rows for all positions: those that the rows do not decide obey as well.
func TestPartialWithin(t *testing.T) {
	x := gaussian(3, 5, rand.New(rand.NewPCG(1, 6)))
	reversed := func(i, j int) bool { return i > j }
	p := must.Get(ordering.NewPrecedence(5, reversed))(t)
	got := must.Get(ordering.EqVarOptions{Partial: true}.Order(context.Background(), x, p, 1))(t)
	if want := []int{4, 3, 2, 1, 0}; !slices.Equal(got.Order, want) {
		t.Errorf("order %v, want %v", got.Order, want)
	}
}

// A known order is checked; a cycle is named; sizes that do not fit are the caller's fault.
func TestPrecedenceFailures(t *testing.T) {
	p, err := ordering.NewPrecedence(3, func(i, j int) bool { return i == 1 && j == 0 })
	if err != nil {
		t.Fatal(err)
	}
	x := gaussian(9, 3, rand.New(rand.NewPCG(1, 7)))
	if _, err := (ordering.Fixed{0, 1, 2}).Order(context.Background(), x, p, 1); err == nil ||
		!strings.Contains(err.Error(), "[0 1 2] contradicts") {
		t.Errorf("got error %v", err)
	}
	if r, err := (ordering.Fixed{2, 1, 0}).Order(context.Background(), x, p, 1); err != nil ||
		r.Order[0] != 2 {
		t.Errorf("got %v, %v", r, err)
	}
	_, err = ordering.NewPrecedence(4, func(i, j int) bool {
		return (i+1)%3 == j && i < 3 && j < 3 || i == 0 && j == 3
	})
	if err == nil || err.Error() != "ordering: columns 2, 3 and 1 come before each other" &&
		err.Error() != "ordering: columns 1, 2 and 3 come before each other" {
		t.Errorf("got error %v", err)
	}
	var fault *ordering.ColumnError
	if errors.As(err, &fault) {
		t.Error("a cycle is no fault of a column")
	}
	defer func() {
		if recover() == nil {
			t.Error("a precedence of 3 columns orders 4")
		}
	}()
	ordering.MethodEqVar.Order(context.Background(),
		gaussian(9, 4, rand.New(rand.NewPCG(1, 8))), p, 1)
}
