package bench_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/ordering"
)

// correlated draws an n×d matrix of correlated columns. Large linear models
// have columns that depend on each other to within rounding.
func correlated(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(9, 9))
	noise, mix := mat.NewDense(n, d, nil), mat.NewDense(d, d, nil)
	for _, m := range []*mat.Dense{noise, mix} {
		raw := m.RawMatrix().Data
		for i := range raw {
			raw[i] = rng.NormFloat64()
		}
	}
	var x mat.Dense
	x.Mul(noise, mix)
	return &x
}

// linearTable draws n rows of a linear model with two edges per variable and
// noise variance 0.1, and returns its graph.
func linearTable(b *testing.B, n, d int) (*mat.Dense, *dag.Graph) {
	b.Helper()
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, EdgesPerNode: 2, Seed: 9}))(b)
	sim := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Rows: n, Seed: 9}))(b)
	return sim.Train.X, g
}

// BenchmarkOrder times the estimators of package ordering. Their limits are 2 s
// for EqVar at d = 1,000 and n = 2,000, 0.1 s for NPVar at d = 20 and n = 100,
// and 3 s for SCORE at d = 20 and n = 1,000.
func BenchmarkOrder(b *testing.B) {
	for _, row := range []struct {
		name    string
		orderer ordering.Orderer
		sizes   [][2]int // n, d
	}{
		{"eqvar", ordering.MethodEqVar, [][2]int{{100, 20}, {100, 50}, {2000, 1000}}},
		{"eqvar-bu", ordering.MethodEqVarBottomUp, [][2]int{{100, 20}, {100, 50}, {2000, 1000}}},
		{"npvar", ordering.MethodNPVar, [][2]int{{100, 20}, {100, 50}}},
		{"npvar-mgcv", ordering.NPVarOptions{Smoother: ordering.MGCV},
			[][2]int{{100, 20}, {100, 50}}},
		{"score", ordering.MethodSCORE, [][2]int{{100, 20}, {500, 20}, {1000, 20}}},
		{"variance", ordering.MethodVariance, [][2]int{{100, 20}, {2000, 1000}}},
	} {
		for _, size := range row.sizes {
			n, d := size[0], size[1]
			b.Run(fmt.Sprintf("method=%s/d=%d/n=%d", row.name, d, n), func(b *testing.B) {
				x := correlated(n, d)
				var truth *dag.Graph
				if d <= 50 {
					x, truth = linearTable(b, n, d)
				}
				var last *ordering.Result
				b.ReportAllocs()
				for b.Loop() {
					last = must.Get(row.orderer.Order(context.Background(), x, nil, 1))(b)
				}
				if truth != nil {
					b.ReportMetric(float64(metrics.ViolatedEdges(last.Order, truth)),
						"violated-edges")
				}
			})
		}
	}
}

// BenchmarkBootstrap times 20 resamples on all processors.
func BenchmarkBootstrap(b *testing.B) {
	x, _ := linearTable(b, 100, 20)
	workers := runtime.GOMAXPROCS(0)
	for _, method := range []ordering.Method{ordering.MethodEqVar, ordering.MethodNPVar,
		ordering.MethodSCORE} {
		b.Run("method="+method.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must.Get(ordering.Bootstrap(context.Background(), method, x, 20,
					ordering.BootstrapOptions{Workers: workers}))(b)
			}
			b.ReportMetric(float64(workers), "workers")
		})
	}
}
