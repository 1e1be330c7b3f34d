package bench_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/scoretest"
	"tobac/internal/study"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Networks over all orders of more variables than can be summed over, beside Gaussian processes. It
// takes a quarter of an hour with 30 variables, and as long with 50:
//
//	go test ./bench -run TestNetworksOfManyVariables/30 -long -v -timeout 60m
func TestNetworksOfManyVariables(t *testing.T) {
	full(t)
	for _, c := range []struct {
		vars, runs int
		perEdge    float64 // required expected SHD of the default, for each edge of the true graphs
	}{{30, 5, 0.5}, {50, 2, 0.5}} {
		t.Run(fmt.Sprint(c.vars), func(t *testing.T) {
			var problems []*study.Problem
			edges := 0.0
			for _, d := range study.SimulatedData(study.Nonlinear, c.vars, 2, 100, c.runs, 1) {
				p := must.Get(d.Problem())(t)
				problems = append(problems, p)
				edges += float64(p.Truth.Size())
			}
			methods := []method{tobacMethod("networks", tobac.Config{Model: sem.FeedForward{}}),
				withoutHeldout(tobacMethod("Gaussian processes",
					tobac.Config{Model: sem.GaussianProcess{}}))}
			all := compare(t, problems, methods, func(o outcome) {
				t.Logf("%-32s %s: E-SHD %.2f, AUROC %.3f; %.1f s", o.Method, o.Problem,
					o.Listed.ESHD, o.Listed.AUROC, o.Seconds)
			})
			logTable(t, all)
			off := 0.0
			for _, o := range all[:c.runs] {
				off += float64(o.Listed.ESHD) / edges
			}
			if t.Logf("expected SHD for each true edge: %.2f", off); off > c.perEdge {
				t.Errorf("expected SHD for each true edge: %.2f, want at most %v", off, c.perEdge)
			}
		})
	}
}

// withoutHeldout is a method whose graphs alone have no density of held-out rows.
func withoutHeldout(m method) method {
	return method{m.Name,
		func(ctx context.Context, p *study.Problem, seed uint64) (*study.Fitted, error) {
			own := *p
			own.Heldout = nil
			return m.Fit(ctx, &own, seed)
		}}
}

// Simulation-based calibration of networks over orders: graph, networks and data of four variables
// are drawn from the prior, and edges have the probability that the posterior says, in every bin.
// 200 data sets of 50 rows with -long, which takes some minutes; 6 without.
func TestNetworksAreCalibrated(t *testing.T) {
	const d, rows, noise, perNode = 4, 50, 0.1, 0.75
	sets := 6
	if *long {
		sets = 200
	}
	prior := must.Get(score.Sparse(d, perNode))(t)
	graphs, weights := allGraphs(d, prior)
	const bins = 5
	var count [bins]int
	var expected, found [bins]float64
	var squares, sums [bins + 1]float64
	for k := range sets {
		rng := rand.New(rand.NewPCG(uint64(k), 11))
		truth := graphs[drawFrom(weights, rng)]
		r := must.Get(tobac.Fit(context.Background(), networkData(truth, rows, noise, rng),
			tobac.Config{
				Model: sem.FeedForward{NoiseVariance: noise},
				Prior: background.Prior{EdgesPerNode: perNode}, Seed: uint64(k),
				Workers: runtime.GOMAXPROCS(0)}))(t)
		if e := r.Config.Engine.Engine().Name(); e != "tempering" {
			t.Fatalf("the engine %s, want tempering", e)
		}
		var excess [bins + 1]float64 // of edges above what the posterior expects; last, of all
		for i := range d {
			for j := range d {
				if i == j {
					continue
				}
				p, is := r.Probabilities.At(i, j), 0.0
				if truth.Has(i, j) {
					is = 1
				}
				b := min(int(p*bins), bins-1)
				count[b]++
				expected[b] += p
				found[b] += is
				excess[b] += is - p
				excess[bins] += is - p
			}
		}
		for b, e := range excess { // edges of one data set depend on each other
			sums[b] += e
			squares[b] += e * e
		}
	}
	for b := range bins {
		if n := float64(count[b]); n > 0 {
			t.Logf("probabilities from %.1f: %3.0f edges, %.3f expected, %.3f found, %+.1f "+
				"standard deviations", float64(b)/bins, n, expected[b]/n, found[b]/n,
				sums[b]/math.Sqrt(squares[b]))
		}
	}
	for b, e := range sums {
		// Sums over data sets are close to normal where these are many; a few sets only bound gross
		// errors. Six numbers, four deviations.
		if z := e / math.Sqrt(squares[b]+1); math.Abs(z) > 4 {
			t.Errorf("bin %d: %.1f edges more than expected, %.1f standard deviations", b, e, z)
		}
	}
}

// allGraphs are the acyclic graphs with their prior probabilities, not normalised.
func allGraphs(d int, prior *score.Prior) (all []*dag.Graph, weights []float64) {
	all = scoretest.Graphs(d)
	for _, g := range all {
		log := 0.0
		for j := range d {
			log += prior.LogPrior(j, g.Parents(j))
		}
		weights = append(weights, math.Exp(log))
	}
	return all, weights
}

// drawFrom is an index with a probability in proportion to its weight.
func drawFrom(weights []float64, rng *rand.Rand) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	u := total * rng.Float64()
	for k, w := range weights {
		if u -= w; u < 0 {
			return k
		}
	}
	return len(weights) - 1
}

// networkData are rows of networks of five units drawn from their prior.
func networkData(g *dag.Graph, rows int, noise float64, rng *rand.Rand) *dataset.Table {
	const units = 5
	d := g.Len()
	order, _ := g.TopologicalOrder() // of an acyclic graph
	t := &dataset.Table{X: mat.NewDense(rows, d, nil)}
	for j := range d {
		t.Names = append(t.Names, fmt.Sprintf("x%d", j))
	}
	for _, j := range order {
		parents := g.Parents(j)
		sum := slices.Repeat([]float64{rng.NormFloat64()}, rows)
		for range units {
			bias, out := rng.NormFloat64(), rng.NormFloat64()
			pre := slices.Repeat([]float64{bias}, rows)
			for _, i := range parents {
				w := rng.NormFloat64()
				for r := range pre {
					pre[r] += w * t.X.At(r, i)
				}
			}
			for r, v := range pre {
				sum[r] += out * math.Max(v, 0)
			}
		}
		for r, v := range sum {
			t.X.Set(r, j, v+math.Sqrt(noise)*rng.NormFloat64())
		}
	}
	return t
}
