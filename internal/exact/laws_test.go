package exact_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"
)

// sachs is the BGe score of the Sachs data.
func sachs(t *testing.T) score.Conjugate {
	t.Helper()
	table, _ := must.Two(dataset.Sachs())(t)
	return must.Get(score.NewBGe(table.X, nil, score.BGeOptions{}))(t)
}

// A permutation of the variables permutes the results.
func TestRelabelling(t *testing.T) {
	const d = 8
	for n, r := range ranges[:4] {
		s := randomTable(d, r.offset, r.deviation, uint64(n))
		perm := rand.New(rand.NewPCG(1, uint64(n))).Perm(d)
		prior, moved := score.Fair(d), score.Fair(d)
		prior.Forbid(1, 2)
		prior.Require(3, 4)
		moved.Forbid(perm[1], perm[2])
		moved.Require(perm[3], perm[4])
		p, o := posterior(t, s, prior, exact.Options{})
		q, u := posterior(t, s.relabel(perm), moved, exact.Options{})
		back := func(x *mat.Dense) *mat.Dense {
			y := mat.NewDense(d, d, nil)
			for i := range d {
				for j := range d {
					y.Set(i, j, x.At(perm[i], perm[j]))
				}
			}
			return y
		}
		tol := tolerance(r.offset, r.deviation)
		near(t, "edge over orders", back(u.Edges()), o.Edges(), tol)
		near(t, "precedence", back(u.Precedence()), o.Precedence(), tol)
		g, h := graphs(t, o), graphs(t, u)
		near(t, "edge over graphs", back(h.Edges()), g.Edges(), tol)
		near(t, "ancestor", back(h.Ancestors()), g.Ancestors(), tol)
		nearNumber(t, "log evidence", h.LogEvidence(), g.LogEvidence(), 1e-12+tol)
		best, _ := must.Two(p.Best(context.Background()))(t)
		other, _ := must.Two(q.Best(context.Background()))(t)
		near(t, "best graph", back(other.Matrix()), best.Matrix(), 0)
	}
}

// Everything has the same bits for any number of workers. 15 variables make blocks of
// sets in every sweep.
func TestWorkers(t *testing.T) {
	const d = 15
	x := simulated(t, d, 30, 100)
	s := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	type everything struct {
		orders, before, graphs, ancestors *mat.Dense
		evidence, graphEvidence, rounding float64
		parents                           []float64
		draws                             []exact.Draw
		given                             *mat.Dense
	}
	compute := func(workers int) everything {
		opt := exact.Options{Workers: workers}
		_, o := posterior(t, s, score.Fair(d), opt)
		g := graphs(t, o)
		draws := must.Get(o.Draws(context.Background(), 50, 1))(t)
		given := must.Get(exact.GivenOrder(context.Background(), s, score.Fair(d), draws[0].Order,
			opt))(t)
		return everything{o.Edges(), o.Precedence(), g.Edges(), g.Ancestors(), o.LogEvidence(),
			g.LogEvidence(), g.Rounding(), g.ParentSets(3), draws, given.Edges()}
	}
	want := compute(1)
	for _, workers := range []int{2, 7} {
		if got := compute(workers); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: results differ from those of one", workers)
		}
	}
}

// BGe gives equivalent graphs the same score: both directions of an edge that no
// third variable orients have the same probability over graphs.
func TestCoveredEdge(t *testing.T) {
	for d := 3; d <= 6; d++ {
		x := simulated(t, d, d-2, 50)
		s := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
		// Without other edges, the two are equivalent.
		prior := score.Uniform(d)
		for i := range d {
			for j := range d {
				if i != j && i+j != 1 {
					prior.Forbid(i, j)
				}
			}
		}
		_, o := posterior(t, s, prior, exact.Options{})
		g := graphs(t, o)
		nearNumber(t, "P(1 → 0)", g.Edges().At(1, 0), g.Edges().At(0, 1), 1e-12)
	}
}

// The chance that a variable comes before another and that of the converse are one
// in sum, and an edge is no more probable than its order, over orders, or than a
// path, over graphs.
func TestSums(t *testing.T) {
	_, o := posterior(t, sachs(t), score.Fair(11), exact.Options{})
	g := graphs(t, o)
	before, edges := o.Precedence(), o.Edges()
	for i := range 11 {
		for j := range 11 {
			if i != j {
				nearNumber(t, fmt.Sprintf("P(%d before %d) + P(%d before %d)", i, j, j, i),
					before.At(i, j)+before.At(j, i), 1, 1e-12)
			}
			if edges.At(i, j) > before.At(i, j)+1e-12 {
				t.Errorf("P(%d → %d) is %v, more than that of the order, %v", i, j, edges.At(i, j),
					before.At(i, j))
			}
			if g.Edges().At(i, j) > g.Ancestors().At(i, j)+1e-12 {
				t.Errorf("P(%d → %d) is %v, more than that of a path, %v", i, j, g.Edges().At(i, j),
					g.Ancestors().At(i, j))
			}
		}
	}
	for j := range 11 {
		for name, probs := range map[string][]float64{"orders": o.ParentSets(j),
			"graphs": g.ParentSets(j)} {
			sum := 0.0
			for _, p := range probs {
				sum += p
			}
			nearNumber(t, fmt.Sprintf("sum of the probabilities of parents of %d over %s", j, name),
				sum, 1, 1e-11)
		}
	}
}

// A scorer that cancels the computation at its n-th score.
type cancelling struct {
	score.Scorer
	cancel context.CancelCauseFunc
	after  int
}

func (c *cancelling) LogScore(j int, parents []int) float64 {
	if c.after--; c.after == 0 {
		c.cancel(errStop)
	}
	return 0
}

var errStop = errors.New("stop")

func TestCancelled(t *testing.T) {
	before := runtime.NumGoroutine()
	stopped, stop := context.WithCancelCause(context.Background())
	stop(errStop)
	s, prior := randomTable(10, 0, 1, 1), score.Uniform(10)
	p, o := posterior(t, s, prior, exact.Options{})
	calls := map[string]func() error{
		"New": func() error { _, err := exact.New(stopped, s, prior, exact.Options{}); return err },
		"GivenOrder": func() error {
			_, err := exact.GivenOrder(stopped, s, prior, rand.New(rand.NewPCG(1, 1)).Perm(10),
				exact.Options{})
			return err
		},
		"Orders": func() error { _, err := p.Orders(stopped); return err },
		"Graphs": func() error { _, err := o.Graphs(stopped); return err },
		"Best":   func() error { _, _, err := p.Best(stopped); return err },
		"Draws":  func() error { _, err := o.Draws(stopped, 10, 1); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, errStop) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: error %v", name, err)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &cancelling{s, cancel, 1000}
	if _, err := exact.New(ctx, c, prior, exact.Options{Workers: 1}); !errors.Is(err, errStop) &&
		!errors.Is(err, context.Canceled) {
		t.Errorf("cancelled among the scores: error %v", err)
	}
	if c.after < -100 {
		t.Errorf("%d scores after the context was cancelled", -c.after)
	}
	checkGoroutines(t, before)
}

// A glance is a context that is done after a number of looks at it.
type glance struct {
	context.Context
	left atomic.Int64
}

func (g *glance) Err() error {
	if g.left.Add(-1) < 0 {
		return errStop
	}
	return nil
}

// checkGoroutines waits until no more goroutines are left than there were: one that has done its
// work may not have ended yet.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for deadline :=
		time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left, were %d", runtime.NumGoroutine(), before)
		}
	}
}

// Wherever a computation is when its context is done, it ends with the cause, and
// no goroutine is left.
func TestCancelledAnywhere(t *testing.T) {
	const d = 14
	s, prior := randomTable(d, 0, 1e-3, 1), score.Uniform(d)
	p, o := posterior(t, s, prior, exact.Options{})
	before := runtime.NumGoroutine()
	calls := map[string]func(ctx context.Context) error{
		"New": func(ctx context.Context) error {
			_, err := exact.New(ctx, s, prior, exact.Options{})
			return err
		},
		"Orders": func(ctx context.Context) error {
			o, err := p.Orders(ctx)
			if err == nil {
				err = o.Prepare(ctx)
			}
			return err
		},
		"Graphs": func(ctx context.Context) error {
			g, err := o.Graphs(ctx)
			if err == nil {
				err = g.Prepare(ctx)
			}
			return err
		},
		"GraphsCost": func(ctx context.Context) error { _, err := o.GraphsCost(ctx); return err },
		"Best":       func(ctx context.Context) error { _, _, err := p.Best(ctx); return err },
		"Draws": func(ctx context.Context) error {
			_, err := o.Draws(ctx, 1000, 1)
			return err
		},
	}
	for name, call := range calls {
		looks := int64(1)
		for ; ; looks *= 2 {
			g := &glance{Context: context.Background()}
			g.left.Store(looks)
			err := call(g)
			if err == nil {
				break
			}
			if !errors.Is(err, errStop) {
				t.Fatalf("%s, done after %d looks: error %v", name, looks, err)
			}
		}
		if looks < 16 {
			t.Errorf("%s looked at its context fewer than %d times", name, looks)
		}
	}
	checkGoroutines(t, before)
}

// The estimate is near the number of terms where none is left out, half of which are
// done in groups; it falls where the data leave few orders open.
func TestGraphsCost(t *testing.T) {
	const d = 13
	cost := func(s score.Scorer) float64 {
		_, o := posterior(t, s, score.Fair(d), exact.Options{})
		c := must.Get(o.GraphsCost(context.Background()))(t)
		return c / math.Pow(3, d)
	}
	if c := cost(randomTable(d, 0, 0, 1)); c < 0.25 || c > 1 {
		t.Errorf("no data: %v of 3^d terms, want most", c)
	}
	bge := must.Get(score.NewBGe(simulated(t, d, 2*d, 10000), nil, score.BGeOptions{}))(t)
	if c := cost(bge); c > 0.1 {
		t.Errorf("10,000 rows: %v of 3^d terms, want few", c)
	}
}

func TestRefuses(t *testing.T) {
	ctx := context.Background()
	large := score.NewFunc(30, func(int, []int) float64 { return 0 })
	medium := score.NewFunc(22, func(int, []int) float64 { return 0 })
	contradiction := score.Uniform(3)
	contradiction.Require(0, 1)
	contradiction.Require(1, 0)
	nan := score.NewFunc(3, func(j int, p []int) float64 {
		if j == 1 && len(p) == 2 {
			zero := 0.0
			return zero / zero
		}
		return 0
	})
	tests := []struct {
		name  string
		err   func() error
		wants []string
	}{
		{"too many variables", func() error {
			_, err := exact.New(ctx, large, score.Uniform(30), exact.Options{})
			return err
		}, []string{"30 variables", "mcmc"}},
		{"too much memory", func() error {
			_, err := exact.New(ctx, medium, score.Uniform(22), exact.Options{})
			return err
		}, []string{"22 variables", "MiB", "mcmc"}},
		{"contradiction", func() error {
			_, err := exact.New(ctx, randomTable(3, 0, 1, 1), contradiction, exact.Options{})
			return err
		}, []string{"required"}},
		{"NaN", func() error {
			_, err := exact.New(ctx, nan, score.Uniform(3), exact.Options{})
			return err
		}, []string{"column 2", "NaN"}},
		{"NaN given the order", func() error {
			_, err := exact.GivenOrder(ctx, nan, score.Uniform(3), []int{0, 2, 1}, exact.Options{})
			return err
		}, []string{"column 2", "NaN"}},
		{"too many variables given an order", func() error {
			_, err := exact.GivenOrder(ctx, large, score.Uniform(30), nil, exact.Options{})
			return err
		}, []string{"30 variables"}},
	}
	for _, test := range tests {
		err := test.err()
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		for _, want := range test.wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q does not say %q", test.name, err, want)
			}
		}
	}
}
