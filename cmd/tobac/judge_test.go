package main

import (
	"math"
	"testing"

	"tobac/dag"
	"tobac/metrics"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// judge takes what every engine produces: probabilities alone, particles with
// densities, and draws, which are not weighted by their density again.
func TestJudgeKinds(t *testing.T) {
	edge, none := dag.New(2), dag.New(2)
	edge.Set(0, 1, true)
	draws := []posterior.Draw{{Graph: edge, LogLikelihood: -1},
		{Graph: none, LogLikelihood: -1 - math.Log(3)}}
	probabilities := posterior.Marginals{Probabilities: mat.NewDense(2, 2, []float64{0, 0.9, 0, 0})}
	for _, c := range []struct {
		name               string
		p                  posterior.Posterior
		empirical, mixture float64 // E-SHD; −1: null
	}{
		{"probabilities alone", posterior.Posterior{}, -1, -1},
		{"particles", posterior.Posterior{Draws: draws}, 0.5, 0.25},
		{"draws", posterior.Posterior{Draws: draws, Kind: posterior.Draws}, 0.5, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Names, c.p.Marginals = []string{"x", "y"}, probabilities
			var densities *metrics.HeldOut
			if c.p.Draws != nil {
				densities = metrics.NewHeldOut([]float64{-1, 0, 0}, []float64{-4, -6, -6})
			}
			e, err := judge(&c.p, edge, densities)
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(e.Metrics.Listed.ESHD); math.Abs(got-0.1) > 1e-15 {
				t.Errorf("listed: E-SHD %v, want 0.1", got)
			}
			for _, row := range []struct {
				name string
				got  *scores
				want float64
			}{{"empirical", e.Metrics.Empirical, c.empirical},
				{"mixture", e.Metrics.Mixture, c.mixture}} {
				if (row.got == nil) != (row.want < 0) || row.got != nil &&
					math.Abs(float64(row.got.ESHD)-row.want) > 1e-15 {
					t.Errorf("%s: got %+v, want an E-SHD of %v", row.name, row.got, row.want)
				}
			}
			if e.Metrics.Empirical != nil && e.Metrics.Empirical.NegLL != 5.5 {
				t.Errorf("Neg.LL %v, want (5 + 6)/2", e.Metrics.Empirical.NegLL)
			}
			if e.Metrics.Empty.ESHD != 1 {
				t.Errorf("E-SHD %v of the empty graph, want 1", e.Metrics.Empty.ESHD)
			}
		})
	}
}
