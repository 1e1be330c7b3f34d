// Package recipes has what the authors of published methods set, beside [tobac.Paper].
package recipes

import (
	"tobac"
	"tobac/background"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/stein"
	"tobac/internal/bcd"
	"tobac/internal/gflownet"
	"tobac/models"
	"tobac/sem"
)

// PaperMarginal is the published recipe for the marginal model: BGe, gradient by the score
// function, temperature falling twenty times as fast.
func PaperMarginal() tobac.Config {
	c := tobac.Paper()
	c.Model = sem.BGe{Raw: true}
	c.Engine = &stein.SVGD{Estimator: models.Joint, Marginals: stein.FrequencyMarginals,
		Gradient: models.ScoreFunction, AlphaRate: 1}
	return c
}

// PaperDiBS is the published recipe of TOBAC's predecessor, with the same model and prior.
func PaperDiBS() tobac.Config {
	c := tobac.Paper()
	c.Order, c.Engine = engine.Order{},
		&stein.DiBS{SVGD: stein.SVGD{Estimator: models.Joint}}
	return c
}

// PaperBCD is BCD Nets as its authors released it: 30,000 steps of 256 samples, and what they
// compute otherwise than the paper says (see [bcd.Paper]).
func PaperBCD() tobac.Config {
	return tobac.Config{Engine: &bcdnets.BCDNets{Training: bcd.Paper()}}
}

// PaperGFlowNet is DAG-GFlowNet with the network and the settings of its paper, the BGe score of
// columns as they are, and the fair prior, with which TOBAC's paper compares.
func PaperGFlowNet() tobac.Config {
	return tobac.Config{Model: sem.BGe{Raw: true},
		Prior:  background.Prior{Kind: background.Fair},
		Engine: &flownets.GFlowNet{Training: gflownet.Settings{Policy: gflownet.Paper}}}
}
