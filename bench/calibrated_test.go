package bench_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/exact"
	"tobac/internal/study"
	"tobac/internal/tempering"
	"tobac/ordering"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// The recipe tobac.Calibrated against exact posteriors given an order: linear models with Θ
// integrated out under EqVar's order, and networks under the true one, of which package tempering
// has the posterior. It takes about an hour of one processor:
//
//	go test ./bench -run TestCalibratedRecipe -long -v -timeout 3h
func TestCalibratedRecipe(t *testing.T) {
	full(t)
	for _, c := range []struct {
		data         string
		runs         int
		edgesPerNode float64
		networks     bool
		marginals    stein.MarginalEstimator
		most         float64 // mean absolute error, of every run; of networks their mean
	}{
		{"linear-d20-e40", 5, 2, false, stein.ConditionalMarginals, 0.015},
		{"linear-d20-e40", 5, 2, false, stein.ReweightedMarginals, 0.002},
		{"linear-d20-e80", 3, 4, false, stein.ConditionalMarginals, 0.025},
		{"linear-d20-e80", 3, 4, false, stein.ReweightedMarginals, 0.01},
		{"nonlinear-d10-e20", 5, 2, true, stein.ConditionalMarginals, 0.08},
		{"nonlinear-d10-e20", 5, 2, true, stein.ReweightedMarginals, 0.02},
	} {
		sum := 0.0
		for _, p := range synthetic(t, c.data, c.runs) {
			cfg := tobac.Calibrated(sem.Linear{NoiseVariance: 0.1, NoIntercept: true})
			var order []int
			if c.networks {
				cfg = tobac.Calibrated(sem.FeedForward{NoiseVariance: 0.1, Raw: true})
				order = trueOrder(t, p)
			} else {
				found, err := ordering.MethodEqVar.Order(t.Context(), p.Train.X, nil, 1)
				if err != nil {
					t.Fatal(err)
				}
				order = found.Order
			}
			cfg.Order, cfg.Prior.EdgesPerNode, cfg.Engine.(*stein.SVGD).Marginals, cfg.Workers,
				cfg.Seed = engine.Order{Known: order}, c.edgesPerNode, c.marginals, 2, 1
			res, err := tobac.Fit(context.Background(), p.Train, cfg)
			if err != nil {
				t.Fatal(err)
			}
			reference, joint := referenceOf(t, p, order, c.edgesPerNode, c.networks)
			mae := pairError(order, res.Probabilities, reference)
			sum += mae / float64(c.runs)
			difference := ""
			if joint != nil {
				difference = fmt.Sprintf(", log p(D,G) %+.2f", joint(res))
			}
			t.Logf("%s, %v: mean absolute error %.4f (frequencies of %d draws %.4f)%s; %.1f s",
				p.Name, c.marginals, mae, len(res.Draws),
				pairError(order, res.Frequencies().Probabilities, reference), difference,
				res.Seconds.Total)
			if !c.networks && !(mae <= c.most) {
				t.Errorf("%s, %v: mean absolute error %.4f, want at most %v", p.Name, c.marginals,
					mae, c.most)
			}
			if joint != nil && !(math.Abs(joint(res)) <= 2) {
				t.Errorf("%s: the mean log joint density of draws is %.2f from the exact one, "+
					"want at most 2", p.Name, joint(res))
			}
		}
		if !(sum <= c.most) {
			t.Errorf("%s, %v: mean absolute error %.4f over the sets, want at most %v", c.data,
				c.marginals, sum, c.most)
		}
	}
}

func trueOrder(t *testing.T, p *study.Problem) []int {
	t.Helper()
	order, err := p.Truth.TopologicalOrder()
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// referenceOf is the exact posterior, or for networks a long run of tempering: edge probabilities
// given an order, and for linear models by how much the mean log joint density of draws differs
// from the exact one.
func referenceOf(t *testing.T, p *study.Problem, order []int, edgesPerNode float64,
	networks bool) (*mat.Dense, func(*tobac.Result) float64) {
	t.Helper()
	ctx, d := context.Background(), len(order)
	prior, err := score.ErdosRenyi(d, 2*edgesPerNode/float64(d-1))
	if err != nil {
		t.Fatal(err)
	}
	if networks {
		r, err := tempering.Run(ctx, p.Train.X, nil, order, prior,
			tempering.Config{NoiseVariance: 0.1, Iterations: 4000, Workers: 2, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		return r.Probabilities, nil
	}
	scores, err := score.NewLinear(p.Train.X, nil,
		score.LinearOptions{NoiseVariance: 0.1, EdgeVariance: 1, NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	given, err := exact.GivenOrder(ctx, scores, prior, order, exact.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	draws, err := given.Draws(ctx, 4000, 1)
	if err != nil {
		t.Fatal(err)
	}
	joint := func(g *dag.Graph) (sum float64) {
		for j := range d {
			sum += scores.LogScore(j, g.Parents(j)) + prior.LogPrior(j, g.Parents(j))
		}
		return sum
	}
	expected := 0.0
	for _, v := range draws {
		expected += joint(v.Graph) / float64(len(draws))
	}
	return given.Edges(), func(r *tobac.Result) float64 {
		mean := 0.0
		for _, v := range r.Draws {
			mean += joint(v.Graph) / float64(len(r.Draws))
		}
		return mean - expected
	}
}

// pairError is the mean absolute difference over the pairs along an order.
func pairError(order []int, a, b *mat.Dense) (sum float64) {
	for at, j := range order {
		for _, i := range order[:at] {
			sum += math.Abs(a.At(i, j) - b.At(i, j))
		}
	}
	return sum / float64(len(order)*(len(order)-1)/2)
}
