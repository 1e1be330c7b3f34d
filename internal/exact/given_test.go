package exact_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"
)

// Given an order, the posterior is the sum over the graphs along it.
func TestGivenOrderEnumerated(t *testing.T) {
	for d := 1; d <= 5; d++ {
		order := rand.New(rand.NewPCG(uint64(d), 2)).Perm(d)
		for name, prior := range priors(t, d) {
			for n, r := range ranges {
				t.Run(fmt.Sprintf("d=%d/%s/deviation=%v", d, name, r.deviation),
					func(t *testing.T) {
						s := randomTable(d, r.offset, r.deviation, uint64(d+100*n))
						g, err := exact.GivenOrder(context.Background(), s, prior, order,
							exact.Options{})
						want, possible := alongOrder(s, prior, order)
						if !possible {
							if err == nil {
								t.Fatal("no error where the prior rules the order out")
							}
							return
						}
						if err != nil {
							t.Fatal(err)
						}
						tol := tolerance(r.offset, r.deviation)
						nearNumber(t, "log evidence", g.LogEvidence(), want.logEvidence, 1e-12+tol)
						near(t, "edge", g.Edges(), want.edges, tol)
						best, logProb := g.Best()
						if !best.Equal(want.best.graph()) {
							t.Errorf("best graph is %v, want %v", best.Edges(),
								want.best.graph().Edges())
						}
						nearNumber(t, "log probability of the best graph", logProb, want.bestLog,
							1e-12+tol)
					})
			}
		}
	}
}

// alongOrder sums over the graphs along an order.
func alongOrder(s score.Scorer, prior *score.Prior, order []int) (reference, bool) {
	d := len(order)
	r := reference{edges: mat.NewDense(d, d, nil), best: make(parentMasks, d)}
	for c, j := range order {
		top, best := math.Inf(-1), 0
		subsets := []int{}
		for m := range 1 << d {
			if m&^mask(order[:c]) == 0 {
				subsets = append(subsets, m)
			}
		}
		q := make([]float64, len(subsets))
		for k, m := range subsets {
			q[k] = s.LogScore(j, members(m)) + prior.LogPrior(j, members(m))
			if q[k] > top {
				top, best = q[k], m
			}
		}
		if math.IsInf(top, -1) {
			return r, false
		}
		sum := 0.0
		for _, v := range q {
			sum += math.Exp(v - top)
		}
		r.best[j] = best
		r.bestLog -= math.Log(sum)
		r.logEvidence += top + math.Log(sum)
		for k, m := range subsets {
			for _, i := range members(m) {
				r.edges.Set(i, j, r.edges.At(i, j)+math.Exp(q[k]-top)/sum)
			}
		}
	}
	return r, true
}

// 40,000 draws: .0125 is five standard deviations of a frequency of one half.
func TestGivenDraws(t *testing.T) {
	for _, d := range []int{1, 2, 7} {
		order := rand.New(rand.NewPCG(uint64(d), 2)).Perm(d)
		g := must.Get(exact.GivenOrder(context.Background(), randomTable(d, -500, 1.5, 4),
			score.Fair(d), order, exact.Options{}))(t)
		draws := must.Get(g.Draws(context.Background(), 40000, 9))(t)
		edges, _ := frequencies(draws, d)
		near(t, "frequency of the edge", edges, g.Edges(), 0.0125)
		for _, draw := range draws {
			if !along(draw.Graph, order) {
				t.Fatalf("%v is not along %v", draw.Graph.Edges(), order)
			}
		}
	}
}

func TestGivenOrderRefuses(t *testing.T) {
	s, prior := randomTable(3, 0, 1, 1), score.Uniform(3)
	for _, order := range [][]int{nil, {0, 1}, {0, 1, 1}, {0, 1, 3}, {0, 1, -1}, {0, 1, 2, 2}} {
		if _, err := exact.GivenOrder(context.Background(), s, prior, order,
			exact.Options{}); err == nil {
			t.Errorf("order %v: no error", order)
		}
	}
}
