package bench_test

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dataset"
	"tobac/engine/stein"
	"tobac/internal/must"
	"tobac/internal/study"
)

// certainty is the mean entropy in bits of the probabilities of edges, and the fraction of them
// within margin of 0 or 1.
func certainty(p mat.Matrix, margin float64) (entropy, decided float64) {
	d, _ := p.Dims()
	for i := range d {
		for j := range d {
			q := p.At(i, j)
			if i == j {
				continue
			}
			for _, v := range []float64{q, 1 - q} {
				if v > 0 {
					entropy -= v * math.Log2(v)
				}
			}
			if q <= margin || q >= 1-margin {
				decided++
			}
		}
	}
	pairs := float64(d * (d - 1))
	return entropy / pairs, decided / pairs
}

// standardisedProblem scales the columns of a problem, which takes away what the
// variances say about the order.
func standardisedProblem(t *testing.T, p *study.Problem) *study.Problem {
	t.Helper()
	table := must.Get(p.Train.Standardize())(t)
	return &study.Problem{Name: p.Name + "-standardised", Train: table, Truth: p.Truth}
}

// Simulated data, standardised: equal variances mean nothing, and the program says so. The mixture
// over the orders of resamples says that its order is a guess, and is less sure of its edges than
// the single order: more entropy, fewer probabilities near 0 and 1.
func TestOrdersWhereEqualVarianceMeansNothing(t *testing.T) {
	g := graph(t, 5, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 4}, [2]int{0, 3})
	s := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Rows: 60, Seed: 3}))(t)
	p := standardisedProblem(t, &study.Problem{Name: "chain", Train: s.Train, Truth: g})
	cfg := underEqVar()
	cfg.Seed, cfg.Workers = 7, runtime.GOMAXPROCS(0)
	cfg.Engine = &stein.SVGD{Particles: 6, Samples: 16, Steps: 60, AlphaRate: 0.5, StepSize: 0.03}
	var entropy, decided [2]float64
	for k, orders := range []int{0, 20} {
		cfg.Order.Count = orders
		res := must.Get(tobac.Fit(context.Background(), p.Train, cfg))(t)
		want := []string{"the data look standardised", "the order is a guess: resamples"}
		for _, part := range want[:1+k] {
			if !strings.Contains(strings.Join(res.Warnings, "\n"), part) {
				t.Errorf("%d orders: warnings %q lack %q", orders, res.Warnings, part)
			}
		}
		if k == 1 && len(res.Components) < 5 {
			t.Errorf("%d orders of standardised data, want at least 5", len(res.Components))
		}
		entropy[k], decided[k] = certainty(res.Posterior.Probabilities, 0.05)
	}
	if !(entropy[1] > entropy[0]) || !(decided[1] < decided[0]) {
		t.Errorf("entropy %.3f and %.3f decided of the mixture, want more than %.3f and less "+
			"than %.3f", entropy[1], decided[1], entropy[0], decided[0])
	}
}
