package tempering_test

import (
	"context"
	"math"
	"testing"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/tempering"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/mat"
)

// Half of the difference between two populations, or two chains, is as large as the error of their
// mean, over 200 seeds: of evidences of a set, of the evidence of all sets, and of the probability
// of an edge; all are known where a network has one unit and no bias, by an integral over its
// weight.
func TestDifferencesOverSeeds(t *testing.T) {
	const n, s2, p, seeds = 8, 0.3, 0.4, 200
	x := curve(n).Slice(0, n, 0, 2).(*mat.Dense)
	known := func(edge bool) float64 {
		grid, values := floats.Span(make([]float64, 2001), -8, 8), make([]float64, 2001)
		for k, w := range grid {
			square, product, total := 0.0, 0.0, 0.0
			for r := range n {
				y, phi := x.At(r, 0), 0.0
				if edge {
					phi = math.Tanh(w * x.At(r, 1))
				}
				square, product, total = square+y*y, product+y*phi, total+phi*phi
			}
			log := -0.5 * (n*math.Log(2*math.Pi*s2) + math.Log1p(total/s2) +
				(square-product*product/(s2+total))/s2)
			values[k] = math.Exp(log-w*w/2) / math.Sqrt(2*math.Pi)
		}
		return math.Log(integrate.Simpsons(grid, values))
	}
	with, without := known(true), known(false)
	joint := floats.LogSumExp([]float64{with + math.Log(p), without + math.Log(1-p)})
	cfg := tempering.Config{Hidden: 1, NoBias: true, NoiseVariance: s2, Activation: models.Tanh,
		Iterations: 150, Temperatures: 3}
	prior := erdosRenyi(t, 2, p)
	names := []string{"evidence of a set", "evidence of all sets", "probability"}
	var errors, stated [3]float64
	for seed := range uint64(seeds) {
		cfg.Seed = seed
		sets := must.Get(tempering.NewSets(x, nil, cfg))(t)
		all :=
			must.Get(sets.Estimate(context.Background(), []nodescore.Family{{Of: 0, Set: []int{1}}},
				80))(t)
		chains := must.Get(tempering.Run(context.Background(), x, nil, []int{1, 0}, prior, cfg))(t)
		off := [3]float64{all[0].LogEvidence - with, chains.LogEvidence[0] - joint,
			chains.Probabilities.At(1, 0) - math.Exp(with+math.Log(p)-joint)}
		apart := [3]float64{all[0].Halves[0] - all[0].Halves[1], chains.EvidenceDifference[0],
			chains.Difference.At(1, 0)}
		for k := range names {
			errors[k] += off[k] * off[k]
			stated[k] += apart[k] * apart[k] / 4
		}
	}
	for k, name := range names {
		// three standard errors of such a ratio
		if r := math.Sqrt(errors[k] / stated[k]); r < 0.8 || r > 1.25 {
			t.Errorf("%s: errors are %.2f times half the differences", name, r)
		}
	}
}
