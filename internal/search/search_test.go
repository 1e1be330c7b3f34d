package search_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/search"
	"tobac/score"
)

func screened(t *testing.T, s score.Scorer, p *score.Prior) *search.Screen {
	t.Helper()
	c := must.Get(search.NewScreen(context.Background(), s, p, 2))(t)
	return c
}

// simulated is the BGe score of rows of a linear model.
func simulated(t *testing.T, d, rows int, seed uint64) (score.Scorer, *dag.Graph) {
	t.Helper()
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, Seed: seed, EdgesPerNode: 1.2}))(t)
	sim := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Seed: seed, Rows: rows}))(t)
	s := must.Get(score.NewBGe(sim.Train.X, nil, score.BGeOptions{}))(t)
	return s, g
}

func logScore(s score.Scorer, p *score.Prior, parents [][]int) float64 {
	sum := 0.0
	for j, set := range parents {
		sum += s.LogScore(j, set) + p.LogPrior(j, set)
	}
	return sum
}

// most is the largest ln p over all orders of few variables: each takes its best parents.
func most(s score.Scorer, p *score.Prior) float64 {
	d := s.Vars()
	at := make([]float64, 1<<d)
	for done := 1; done < 1<<d; done++ {
		at[done] = math.Inf(-1)
		for j := range d {
			if done>>j&1 == 0 {
				continue
			}
			before := done &^ (1 << j)
			for set := before; ; set = (set - 1) & before {
				var parents []int
				for i := range d {
					if set>>i&1 == 1 {
						parents = append(parents, i)
					}
				}
				at[done] = max(at[done], at[before]+s.LogScore(j, parents)+p.LogPrior(j, parents))
				if set == 0 {
					break
				}
			}
		}
	}
	return at[len(at)-1]
}

// Of few variables the search finds a most probable graph from every start, with knowledge too.
func TestBest(t *testing.T) {
	for seed := range uint64(6) {
		s, _ := simulated(t, 6, 60, seed)
		p := score.Fair(6)
		if seed%2 == 1 {
			p.Require(1, 2)
			p.Require(2, 4)
			p.Forbid(0, 3)
			p.MaxParents(3)
		}
		want, c := most(s, p), screened(t, s, p)
		for start := range uint64(3) {
			f := search.New(c, rand.New(rand.NewPCG(start, 1)))
			must.Do(t, f.Run(context.Background(), 300))
			got := logScore(s, p, f.Parents())
			if !(math.Abs(got-want) < 1e-9) || !(math.Abs(got-f.LogScore()) < 1e-9) {
				t.Errorf("scores %d, start %d: ln p is %v, by the search %v; want %v",
					seed, start, got, f.LogScore(), want)
			}
		}
	}
}

// No change of a single edge improves the graph, also with variables that were no candidates at
// first, and the same random numbers find it again. It is not worse than the true graph.
func TestOptimum(t *testing.T) {
	const d = 50
	s, truth := simulated(t, d, 400, 3)
	p := must.Get(score.Sparse(d, 2))(t)
	c := screened(t, s, p)
	var first *search.Searcher
	for range 2 {
		f := search.New(c, rand.New(rand.NewPCG(1, 1)))
		must.Do(t, f.Run(context.Background(), 200))
		if first != nil && !f.Graph().Equal(first.Graph()) {
			t.Error("two searches with the same random numbers differ")
		}
		first = f
	}
	q := func(j int, parents []int) float64 {
		return s.LogScore(j, parents) + p.LogPrior(j, parents)
	}
	g := first.Graph()
	now := first.LogScore()
	if want := logScore(s, p, first.Parents()); !(math.Abs(now-want) < 1e-6) {
		t.Errorf("ln p is %v, by the search %v", want, now)
	}
	for i := range d {
		for j := range d {
			if i == j {
				continue
			}
			h := g.Clone()
			h.Set(i, j, !g.Has(i, j))
			if gain := q(j, h.Parents(j)) - q(j, g.Parents(j)); gain > 1e-5 && h.Acyclic() {
				t.Errorf("%d → %d changed gains %v", i, j, gain)
			}
		}
	}
	best := make([][]int, d)
	for j := range best {
		best[j] = truth.Parents(j)
	}
	if want := logScore(s, p, best); !(now >= want-1e-6) {
		t.Errorf("ln p is %v, that of the true graph %v", now, want)
	}
}

// A search that starts at a graph which no few changes lead to comes back to it.
func TestStart(t *testing.T) {
	s := score.NewFunc(6, func(j int, parents []int) float64 {
		if j > 2 && slices.Equal(parents, []int{0, 1, 2}) {
			return 50
		}
		return -float64(len(parents))
	})
	g := dag.New(6)
	for j := 3; j < 6; j++ {
		for i := range 3 {
			g.Set(i, j, true)
		}
	}
	c := screened(t, s, score.Uniform(6))
	f := search.At(c, rand.New(rand.NewPCG(4, 4)), g)
	must.Do(t, f.Run(context.Background(), 100))
	if !f.Graph().Equal(g) {
		t.Errorf("ln p is %v, at the start 150", f.LogScore())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Run(ctx, 100); err == nil {
		t.Error("no error of a context that is done")
	}
}

// Of many variables with scores one by one, the search looks at a part of the candidates only. Its
// graph has no cycle, its score is that of its parents, and it comes to an end.
func TestFewCandidates(t *testing.T) {
	const d = 60
	s, _ := simulated(t, d, 150, 3)
	p := must.Get(score.Sparse(d, 2))(t)
	p.Require(1, 2)
	p.Forbid(3, 4)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	f := search.New(screened(t, score.NewFunc(d, s.LogScore), p), rand.New(rand.NewPCG(1, 1)))
	must.Do(t, f.Run(ctx, 200))
	if want := logScore(s, p, f.Parents()); !(math.Abs(f.LogScore()-want) < 1e-6) ||
		!f.Graph().Acyclic() {
		t.Errorf("ln p is %v, by the search %v, acyclic %t", want, f.LogScore(),
			f.Graph().Acyclic())
	}
}

// Of graphs with almost certain equations, whose directions no noise variance tells, the search
// finds one that is hardly less probable than the true one: a variable far from its place has
// dozens of parents on the way.
func TestCertain(t *testing.T) {
	hubs := must.Get(dataset.SimulateScaleFree(
		dataset.ScaleFreeConfig{Vars: 60, Seed: 5, EdgesPerNode: 2}))(t)
	dense := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: 50, Seed: 1, EdgesPerNode: 4}))(t)
	for _, c := range []struct {
		graph *dag.Graph
		noise float64 // of the prior: see [score.BGeOptions]
	}{{hubs, 1}, {dense, 0.03}} {
		d := c.graph.Len()
		sim := must.Get(dataset.SimulateLinear(c.graph,
			dataset.LinearConfig{Seed: 5, Rows: 1000}))(t)
		s := must.Get(score.NewBGe(sim.Train.X, nil,
			score.BGeOptions{AlphaLambda: float64(d+1) + c.noise}))(t)
		p := must.Get(score.Sparse(d, 4))(t)
		f := search.New(screened(t, s, p), rand.New(rand.NewPCG(1, 1)))
		must.Do(t, f.Run(context.Background(), 0))
		truth := make([][]int, d)
		for j := range truth {
			truth[j] = c.graph.Parents(j)
		}
		if want := logScore(s, p, truth); !(f.LogScore() >= want-10) {
			t.Errorf("%d variables: ln p is %v, that of the true graph %v", d, f.LogScore(), want)
		}
	}
}

// On its walks from a graph the loss of a set of parents is at least how much less probable the
// best graph with these parents is.
func TestDetours(t *testing.T) {
	const d = 4
	s, _ := simulated(t, d, 30, 3)
	p := score.Fair(d)
	at := search.New(screened(t, s, p), rand.New(rand.NewPCG(1, 0)))
	must.Do(t, at.Run(context.Background(), 0))
	best, others := at.LogScore(), 0
	at.Detours(func(loss float64, j int, parents []int) {
		only := p.Clone()
		for i := range d {
			switch {
			case slices.Contains(parents, i):
				only.Require(i, j)
			case i != j:
				only.Forbid(i, j)
			}
		}
		if !slices.Equal(at.Parents()[j], parents) {
			others++
		}
		if want := best - most(s, only); loss < want-1e-9 {
			t.Errorf("parents %v of %d: loss %v, want at least %v", parents, j, loss, want)
		}
	})
	if others == 0 {
		t.Error("no walk gave other parents")
	}
}

// A search through several scores is one under each, from the graph of that before.
func TestThrough(t *testing.T) {
	s, _ := simulated(t, 30, 200, 3)
	prior := score.Fair(30)
	var all []score.Scorer
	for _, f := range []float64{3, 0.1, 0.003} {
		all = append(all, s.(score.BGe).WithAlphaLambda(31+f))
	}
	screens := must.Get(search.NewScreens(t.Context(), all, prior, 2))(t)
	got := must.Get(search.Through(t.Context(), screens, rand.New(rand.NewPCG(1, 1)), 5, nil))(t)
	rng, from := rand.New(rand.NewPCG(1, 1)), (*dag.Graph)(nil)
	for _, c := range screens {
		at := search.At(c, rng, from)
		must.Do(t, at.Run(t.Context(), 5))
		from = at.Graph()
	}
	if !got.Graph().Equal(from) {
		t.Error("another graph than that of one search after the other")
	}
	if want := logScore(all[2], prior, got.Parents()); math.Abs(got.LogScore()-want) > 1e-6 {
		t.Errorf("ln p is %v, want %v, that of the last score", got.LogScore(), want)
	}
	for n := 1; n <= len(screens); n++ {
		if back := search.Back(screens[:n]); len(back) != max(1, n-2) ||
			back[len(back)-1] != screens[n-1] {
			t.Errorf("of %d scores a search goes back through %d", n, len(back))
		}
	}
	again, err := search.Through(t.Context(), search.Back(screens), rand.New(rand.NewPCG(1, 2)), 5,
		got.Graph())
	if err != nil {
		t.Fatal(err)
	}
	if again.LogScore() < got.LogScore()-1e-6 {
		t.Errorf("ln p falls from %v to %v where a search goes back", got.LogScore(),
			again.LogScore())
	}
}

// A column that many others explain in equal parts finds all of them, though none of them is worth
// its price before most of the others are parents, and no column that stands alone has any.
func TestManyWeakParents(t *testing.T) {
	const d, rows, parents = 150, 1000, 120
	rng := rand.New(rand.NewPCG(5, 1))
	x := mat.NewDense(rows, d, nil)
	for n := range rows {
		sum := 0.1 * rng.NormFloat64()
		for j := range d - 1 {
			v := rng.NormFloat64()
			x.Set(n, j, v)
			if j < parents {
				sum += v / math.Sqrt(parents)
			}
		}
		x.Set(n, d-1, sum)
	}
	s := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	p := must.Get(score.Sparse(d, 1))(t)
	f := search.New(screened(t, s, p), rand.New(rand.NewPCG(1, 1)))
	must.Do(t, f.Run(context.Background(), 1))
	truth := make([][]int, d)
	truth[d-1] = dag.Identity(parents)
	if got, want := f.LogScore(), logScore(s, p, truth); got < want-1e-6 {
		t.Errorf("ln p is %.1f, and %.1f of the true graph; parents %v", got, want,
			f.Parents()[d-1])
	}
}

// A search that begins where the parents of a parent stand in its place finds it: none of them can
// leave alone, and it gains nothing beside them.
func TestInPlaceOfParents(t *testing.T) {
	const rows, roots, sum, child = 500, 22, 22, 23
	rng := rand.New(rand.NewPCG(6, 1))
	x := mat.NewDense(rows, child+1, nil)
	truth := make([][]int, child+1)
	truth[sum], truth[child] = dag.Identity(8), dag.Identity(roots + 1)[8:]
	for n := range rows {
		for j := range roots {
			x.Set(n, j, rng.NormFloat64())
		}
		for _, j := range []int{sum, child} {
			v := rng.NormFloat64()
			if j == sum {
				v *= 1e-3
			}
			for _, i := range truth[j] {
				v += x.At(n, i)
			}
			x.Set(n, j, v)
		}
	}
	s := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	p := must.Get(score.Sparse(child+1, 1))(t)
	start := dag.New(child + 1)
	for i := range roots {
		start.Set(i, child, true)
		start.Set(i, sum, i < 8)
	}
	f := search.At(screened(t, s, p), rand.New(rand.NewPCG(1, 1)), start)
	must.Do(t, f.Run(t.Context(), 1))
	if got, want := f.LogScore(), logScore(s, p, truth); got < want-1e-6 {
		t.Errorf("ln p is %.1f, and %.1f of the true graph; parents %v", got, want,
			f.Parents()[child])
	}
}

// A search begins where it would begin with columns in other units, and ends there too.
func TestUnitsChangeNoSearch(t *testing.T) {
	const d, rows = 25, 200
	rng := rand.New(rand.NewPCG(5, 0))
	x := mat.NewDense(rows, d, nil)
	for i := range rows {
		for j := range d {
			v := rng.NormFloat64()
			for k := max(j-2, 0); k < j; k++ {
				v += x.At(i, k)
			}
			x.Set(i, j, v)
		}
	}
	from := func(unit func(j int) float64, run bool) [][]int {
		y := mat.DenseCopyOf(x)
		y.Apply(func(_, j int, v float64) float64 { return unit(j) * v }, y)
		b := must.Get(score.NewBGe(y, nil, score.BGeOptions{}))(t)
		s := search.New(screened(t, b, score.Fair(d)), rand.New(rand.NewPCG(7, 0)))
		if run {
			must.Do(t, s.Run(t.Context(), 3))
		}
		return s.Parents()
	}
	for _, run := range []bool{false, true} {
		got := from(func(j int) float64 { return math.Exp(float64(j*7%d - 12)) }, run)
		want := from(func(int) float64 { return 1 }, run)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("run %v: parents %v in other units, want %v", run, got, want)
		}
	}
}
