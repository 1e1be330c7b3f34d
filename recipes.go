package tobac

import (
	"tobac/background"
	"tobac/engine"
	"tobac/engine/stein"
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
// one of the nonlinear model (Raw and with the same noise variance), with the engine [stein.DiBS]
// and no order that of DiBS.
func Paper() Config {
	return Config{
		Model:  sem.Linear{NoiseVariance: 0.1, NoIntercept: true, PriorStart: true},
		Prior:  background.Prior{EdgesPerNode: 2},
		Order:  engine.Order{Method: ordering.MethodEqVar},
		Engine: &stein.SVGD{Estimator: models.Joint, Marginals: stein.FrequencyMarginals},
	}
}
