package bench_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/internal/parallel"
	"tobac/sem"
)

// coverage counts intervals of total effects that hold the true one.
type coverage struct {
	uncertain, covered int // pairs whose interval is not a point
	// posterior probability of these intervals: above 0.9 where 0 has a probability of its own
	expected          float64
	sure, onSure      int // pairs with a path of probability 0.95 or more
	paths, onPaths    int // pairs that the true graph joins by a path
	impossible, wrong int // intervals that are the point 0, and those of them with an effect
	// directed edges of the consensus graph, and those that the truth has
	arrows, right  int
	dashes, joined int // its undirected edges, and those that the truth joins
}

// count adds the pairs of a data set, whose true weights are w in units of the data.
func (c *coverage) count(r *tobac.Result, truth *dag.Graph, w *mat.Dense) error {
	e, err := r.Effects(context.Background())
	if err != nil {
		return err
	}
	consensus, _ := r.Posterior.PartiallyDirected()
	for _, edge := range consensus.Edges() {
		switch joined := truth.Has(edge.From, edge.To) || truth.Has(edge.To, edge.From); {
		case !consensus.Has(edge.To, edge.From):
			c.arrows++
			if truth.Has(edge.From, edge.To) {
				c.right++
			}
		case edge.From < edge.To:
			c.dashes++
			if joined {
				c.joined++
			}
		}
	}
	d := truth.Len()
	identity, a, inverse := mat.NewDense(d, d, nil), new(mat.Dense), new(mat.Dense)
	for j := range d {
		identity.Set(j, j, 1)
	}
	a.Sub(identity, w)
	if err := inverse.Inverse(a); err != nil {
		return err
	}
	paths := truth.Closure()
	for from := range d {
		for _, f := range e.Of(from) {
			want := inverse.At(from, f.To)
			if !paths.Has(from, f.To) {
				want = 0 // exactly
			}
			holds := f.Q05 <= want && want <= f.Q95
			if f.Q05 < f.Q95 {
				c.uncertain++
				if holds {
					c.covered++
				}
				for m, v := range e.Values(from, f.To) {
					if f.Q05 <= v && v <= f.Q95 {
						c.expected += e.Weights[m]
					}
				}
			} else {
				c.impossible++
				if !holds {
					c.wrong++
				}
			}
			if f.Path >= 0.95 {
				c.sure++
				if holds {
					c.onSure++
				}
			}
			if paths.Has(from, f.To) {
				c.paths++
				if holds {
					c.onPaths++
				}
			}
		}
	}
	return nil
}

func (c *coverage) add(o coverage) {
	c.uncertain, c.covered, c.paths, c.onPaths = c.uncertain+o.uncertain, c.covered+o.covered,
		c.paths+o.paths, c.onPaths+o.onPaths
	c.impossible, c.wrong = c.impossible+o.impossible, c.wrong+o.wrong
	c.arrows, c.right, c.dashes, c.joined = c.arrows+o.arrows, c.right+o.right, c.dashes+o.dashes,
		c.joined+o.joined
	c.expected, c.sure, c.onSure = c.expected+o.expected, c.sure+o.sure, c.onSure+o.onSure
}

func (c coverage) String() string {
	return fmt.Sprintf("90 %% intervals hold %.1f %% of %d effects (their posterior probability "+
		"is %.1f %%), %.1f %% of the %d with a sure path, %.1f %% of the %d on true paths; of %d "+
		"intervals that are 0, %d miss an effect; of %d directed edges of the consensus graphs "+
		"%.1f %% are true, of %d undirected ones %.1f %% join the right pairs",
		100*c.share(), c.uncertain, 100*c.nominal(), 100*float64(c.onSure)/float64(c.sure), c.sure,
		100*float64(c.onPaths)/float64(c.paths), c.paths, c.impossible, c.wrong,
		c.arrows, 100*float64(c.right)/float64(c.arrows), c.dashes,
		100*float64(c.joined)/float64(c.dashes))
}

// share is the fraction of the intervals, points apart, that hold the true effect, and
// nominal what the posterior says it is.
func (c coverage) share() float64   { return float64(c.covered) / float64(c.uncertain) }
func (c coverage) nominal() float64 { return c.expected / float64(c.uncertain) }

// A population is a way to make tables with a known linear graph.
type population struct {
	name string
	draw func(rng *rand.Rand, seed uint64) (x *mat.Dense, truth *dag.Graph, weights *mat.Dense,
		err error)
}

// scaled multiplies and shifts the columns at random, and the weights with them.
func scaled(rng *rand.Rand, x, w *mat.Dense) {
	n, d := x.Dims()
	for j := range d {
		s, m := math.Exp(2*rng.NormFloat64()), 10*rng.NormFloat64()
		for i := range n {
			x.Set(i, j, s*(x.At(i, j)+m))
		}
		for i := range d {
			w.Set(i, j, s*w.At(i, j))
			w.Set(j, i, w.At(j, i)/s)
		}
	}
}

// simulated are tables of package dataset.
func simulated(unitless bool) func(rng *rand.Rand, seed uint64) (*mat.Dense, *dag.Graph, *mat.Dense,
	error) {
	return func(rng *rand.Rand, seed uint64) (*mat.Dense, *dag.Graph, *mat.Dense, error) {
		g, err := dataset.SimulateER(dataset.ERConfig{Vars: 5 + rng.IntN(6), EdgesPerNode: 1,
			Seed: seed})
		if err != nil {
			return nil, nil, nil, err
		}
		s, err := dataset.SimulateLinear(g, dataset.LinearConfig{Rows: 100, Seed: seed})
		if err != nil {
			return nil, nil, nil, err
		}
		if unitless {
			scaled(rng, s.Train.X, s.Weights)
		}
		return s.Train.X, g, s.Weights, nil
	}
}

// unequal are tables with noise variances and units of their own.
func unequal(rng *rand.Rand, _ uint64) (*mat.Dense, *dag.Graph, *mat.Dense, error) {
	d := 5 + rng.IntN(6)
	g := dag.New(d)
	order := rng.Perm(d)
	for b := range order {
		for a := range b {
			if rng.Float64() < 2/float64(d-1) {
				g.Set(order[a], order[b], true)
			}
		}
	}
	x, w, err := simulate(rng, g, 200, func(p int) (float64, []float64, float64) {
		weights := make([]float64, p)
		for k := range weights {
			weights[k] = rng.NormFloat64()
		}
		return 0, weights, math.Exp(rng.NormFloat64())
	})
	if err == nil {
		scaled(rng, x, w)
	}
	return x, g, w, err
}

var populations = []population{
	{"random units and unequal noise variances", unequal},
	{"package dataset", simulated(false)},
	{"package dataset in random units", simulated(true)},
}

// measure fits count tables of a population.
func (p population) measure(t *testing.T, count int, seed uint64) coverage {
	t.Helper()
	parts := make([]coverage, count)
	err := parallel.For(context.Background(), count, runtime.GOMAXPROCS(0), func(k int) error {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		x, truth, weights, err := p.draw(rng, seed+uint64(k))
		if err != nil {
			return err
		}
		table := &dataset.Table{X: x}
		for j := range truth.Len() {
			table.Names = append(table.Names, string(rune('a'+j)))
		}
		var best *tobac.Result
		for _, m := range []sem.Model{sem.Linear{}, sem.BGe{}} { // Gaussian processes take minutes
			r, err := tobac.Fit(context.Background(), table,
				tobac.Config{Model: m, Engine: &sums.Exact{}, Seed: seed + uint64(k), Workers: 1})
			if err != nil {
				return err
			}
			if best == nil || r.Evidence[0].Log > best.Evidence[0].Log {
				best = r
			}
		}
		return parts[k].count(best, truth, weights)
	})
	if err != nil {
		t.Fatal(err)
	}
	var all coverage
	for _, c := range parts {
		all.add(c)
	}
	return all
}

// The intervals of total effects hold the true ones as often as they say, over tables of 5 to 10
// columns. The linear model of greater evidence is taken; the long test has two hundred tables of
// each kind.
//
//	go test ./bench -run TestCoverageOfEffects -long -v
func TestCoverageOfEffects(t *testing.T) {
	count := 200
	if !*long {
		count = 8
	}
	for _, p := range populations {
		c := p.measure(t, count, 100)
		t.Logf("%s, %d tables: %v", p.name, count, c)
		// Effects of a table are far from independent: the standard deviation over 8 tables
		// is about 3 %.
		if c.share() < 0.85 || c.share() < c.nominal()-0.06 {
			t.Errorf("%s: intervals of a posterior probability of %.1f %% hold %.1f %% of the "+
				"effects", p.name, 100*c.nominal(), 100*c.share())
		}
	}
}

// Graph, parameters and data from the prior of the model: given any data, the effect
// along a path that the truth has follows its posterior given a path. Its rank among the draws
// with a path is uniform, and the middle 90 % of them hold it in 90 %.
func TestEffectRanksFromThePrior(t *testing.T) {
	count := 40
	if *long {
		count = 1500
	}
	all := normalWishart.replicates(t, count, 5, 40, 0.75, 4711)
	var ranks []float64
	var c coverage
	for k, r := range all {
		rng := rand.New(rand.NewPCG(uint64(k), 17))
		must.Do(t, c.count(r.Result, r.truth, r.weights))
		e := must.Get(r.Effects(context.Background()))(t)
		ranks = append(ranks, effectRanks(rng, e, r)...)
	}
	inside := 0
	for _, u := range ranks {
		if u > 0.05 && u < 0.95 {
			inside++
		}
	}
	t.Logf("%d effects: the middle 90 %% hold %.1f %%, chi square of ten bins %.1f; %v", len(ranks),
		100*float64(inside)/float64(len(ranks)), chiSquare(ranks), c)
	// The 0.9999 quantile of chi square with nine degrees of freedom is 33.7; effects of one table
	// are not independent, which widens it.
	if x := chiSquare(ranks); x > 40 {
		t.Errorf("ranks of true effects are not uniform: chi square %.1f", x)
	}
	// Four standard errors of independent intervals.
	if p, n := float64(inside)/float64(len(ranks)),
		float64(len(ranks)); math.Abs(p-0.9) > 4*math.Sqrt(0.09/n) {
		t.Errorf("the middle 90 %% of the draws hold %.1f %% of %d effects", 100*p, len(ranks))
	}
}

// effectRanks are the ranks, scaled to (0, 1), of true effects among those of the draws
// with a path.
func effectRanks(rng *rand.Rand, e *effects.Effects, r replicate) (ranks []float64) {
	d := r.truth.Len()
	paths := r.truth.Closure()
	for from := range d {
		for _, f := range e.Of(from) {
			if !paths.Has(from, f.To) || f.Path < 0.2 {
				continue
			}
			truth := totalEffect(r.truth, r.weights, from, f.To)
			below, total, heaviest := 0.0, 0.0, 0.0
			for m, v := range e.Values(from, f.To) {
				if v == 0 {
					continue
				}
				total += e.Weights[m]
				heaviest = max(heaviest, e.Weights[m])
				if v < truth {
					below += e.Weights[m]
				}
			}
			ranks = append(ranks, (below+rng.Float64()*heaviest)/(total+heaviest))
		}
	}
	return ranks
}

// totalEffect sums over all directed paths.
func totalEffect(g *dag.Graph, w *mat.Dense, from, to int) float64 {
	if from == to {
		return 1
	}
	sum := 0.0
	for _, i := range g.Parents(to) {
		sum += totalEffect(g, w, from, i) * w.At(i, to)
	}
	return sum
}
