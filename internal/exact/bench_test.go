package exact_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/anneal"
	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"
)

// A stored scorer has all its scores computed beforehand, so that what takes time is
// not the scores.
type stored struct {
	score.Scorer
	q [][]float64
}

func store(b *testing.B, s score.Scorer) stored {
	b.Helper()
	d := s.Vars()
	r := stored{s, make([][]float64, d)}
	for j := range d {
		var others []int
		for i := range d {
			if i != j {
				others = append(others, i)
			}
		}
		r.q[j] = make([]float64, 1<<(d-1))
		must.Do(b, score.LogScores(context.Background(), s, r.q[j], j, others))
	}
	return r
}

func (s stored) LogScores(dst []float64, j int, _ []int) { copy(dst, s.q[j]) }

// simulated are rows of a random linear model with equal noise variances.
func simulated(tb testing.TB, d, edges, rows int) *mat.Dense {
	tb.Helper()
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d,
		EdgesPerNode: float64(edges) / float64(d), Seed: 1}))(tb)
	s := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Rows: rows, Seed: 1}))(tb)
	return s.Train.X
}

// scorers are data sets of the benchmarks: informative ones and one with few rows,
// whose posterior is wide.
func scorers(b *testing.B) map[string]score.Scorer {
	b.Helper()
	sachs, _ := must.Two(dataset.Sachs())(b)
	all := map[string]*mat.Dense{
		"Sachs/d=11":         sachs.X,
		"simulated/d=15":     simulated(b, 15, 30, 100),
		"simulated/d=20":     simulated(b, 20, 40, 100),
		"simulated-10/d=15":  simulated(b, 15, 30, 10),
		"simulated-10/d=20":  simulated(b, 20, 40, 10),
		"simulated-1e4/d=20": simulated(b, 20, 40, 10000),
	}
	made := map[string]score.Scorer{}
	for name, x := range all {
		s := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(b)
		made[name] = s
	}
	return made
}

// Scores of all sets and their sums; stored leaves the scores out.
func BenchmarkNew(b *testing.B) {
	for name, s := range scorers(b) {
		for kind, s := range map[string]score.Scorer{"BGe": s, "stored": store(b, s)} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					must.Get(exact.New(context.Background(), s, score.Fair(s.Vars()),
						exact.Options{}))(b)
				}
			})
		}
	}
}

func benchmarkAfterNew(b *testing.B, each func(b *testing.B, p *exact.Posterior, o *exact.Orders)) {
	for name, s := range scorers(b) {
		b.Run(name, func(b *testing.B) {
			p := must.Get(exact.New(context.Background(), s, score.Fair(s.Vars()),
				exact.Options{}))(b)
			o := must.Get(p.Orders(context.Background()))(b)
			each(b, p, o)
		})
	}
}

func BenchmarkOrders(b *testing.B) {
	benchmarkAfterNew(b, func(b *testing.B, p *exact.Posterior, _ *exact.Orders) {
		b.ReportAllocs()
		for b.Loop() {
			must.Get(p.Orders(context.Background()))(b)
		}
	})
}

func BenchmarkGraphs(b *testing.B) {
	benchmarkAfterNew(b, func(b *testing.B, _ *exact.Posterior, o *exact.Orders) {
		b.ReportAllocs()
		for b.Loop() {
			g := must.Get(o.Graphs(context.Background()))(b)
			b.ReportMetric(g.Rounding(), "rounding")
			b.ReportMetric(o.LogEvidence()-g.LogEvidence(), "nats")
		}
	})
}

func BenchmarkDraws(b *testing.B) {
	benchmarkAfterNew(b, func(b *testing.B, _ *exact.Posterior, o *exact.Orders) {
		for b.Loop() {
			draws := must.Get(o.Draws(context.Background(), 1000, 1))(b)
			b.ReportMetric(anneal.EffectiveSize(logWeights(draws)), "effective")
		}
	})
}
