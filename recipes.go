package tobac

import (
	"tobac/background"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/stein"
	"tobac/internal/bcd"
	"tobac/internal/gflownet"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"
)

// Calibrated is the recipe of SVGD whose particles agree with the exact posterior, for a model, by
// [stein.Calibrated]. The order is EqVar's; nil stands for [sem.Linear] with one noise variance.
func Calibrated(m sem.Model) Config {
	model, e := stein.Calibrated(m)
	return Config{Model: sem.Given(model), Order: engine.Order{Method: ordering.MethodEqVar},
		Engine: e}
}

// reweighted is the recipe for a model of which only the likelihood is known, shortened: what
// particles have to find are sets of parents near those that matter, which the reweighting then
// goes to. bench/notes/svgd.md has what it was measured on.
func reweighted(m sem.Model) *stein.SVGD {
	_, e := stein.Calibrated(m)
	e.Particles, e.Steps, e.FitSteps = 10, 100, 50
	return e
}

// Paper is the published recipe to the letter: SVGD under EqVar's order, joint estimator, noise
// variance 0.1, no intercept, initial weights from the prior, two edges per node, 30 particles,
// 1000 steps, 128 samples, probabilities by frequency. With another differentiable Model it is the
// one of the nonlinear model (Raw and with the same noise variance), with the engine [PaperDiBS]
// that of DiBS.
func Paper() Config {
	return Config{
		Model:  sem.Linear{NoiseVariance: 0.1, NoIntercept: true, PriorStart: true},
		Prior:  background.Prior{EdgesPerNode: 2},
		Order:  engine.Order{Method: ordering.MethodEqVar},
		Engine: &stein.SVGD{Estimator: models.Joint, Marginals: stein.FrequencyMarginals},
	}
}

// PaperMarginal is the published recipe for the marginal model: BGe, gradient by
// the score function, temperature falling twenty times as fast.
func PaperMarginal() Config {
	c := Paper()
	c.Model = sem.BGe{Raw: true}
	c.Engine = &stein.SVGD{Estimator: models.Joint, Marginals: stein.FrequencyMarginals,
		Gradient: models.ScoreFunction, AlphaRate: 1}
	return c
}

// PaperDiBS is the published recipe of TOBAC's predecessor, with the same model and prior.
func PaperDiBS() Config {
	c := Paper()
	c.Order, c.Engine = engine.Order{},
		&stein.DiBS{SVGD: stein.SVGD{Estimator: models.Joint, Marginals: stein.FrequencyMarginals}}
	return c
}

// PaperBCD is BCD Nets as its authors released it: 30,000 steps of 256 samples, and what they
// compute otherwise than the paper says (see [bcd.Paper]).
func PaperBCD() Config { return Config{Engine: &bcdnets.BCDNets{Training: bcd.Paper()}} }

// PaperGFlowNet is DAG-GFlowNet with the network and the settings of its paper, the BGe score of
// columns as they are, and the fair prior, with which TOBAC's paper compares.
func PaperGFlowNet() Config {
	return Config{Model: sem.BGe{Raw: true}, Prior: background.Prior{Kind: background.Fair},
		Engine: &flownets.GFlowNet{Training: gflownet.Settings{Policy: gflownet.Paper}}}
}
