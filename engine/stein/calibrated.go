package stein

import (
	"tobac/models"
	"tobac/schedule"
	"tobac/sem"
)

// Calibrated are the settings whose particles agree with the exact posterior under a model, and the
// form of the model that they need; nil stands for [sem.Linear] with one noise variance. They have
// one latent logit per edge, the graph prior inside the expectation, flip gradients, a separate
// kernel for every edge and none for parameters, an inverse temperature that grows geometrically
// from 0.01 to 100, 300 steps of 0.02 that shrink to 0 over the second half, and
// [ReweightedMarginals]. Node scores take the place of parameters where the model has them;
// parameters of a custom model are fitted for 200 steps to all possible parents first; networks
// have their output layer integrated out, and their first layers fitted to all possible parents
// first.
func Calibrated(m sem.Model) (sem.Model, *SVGD) {
	e := &SVGD{
		Latents: models.NormalScores, PriorPlace: models.PriorInside, Gradient: models.Flips,
		Steps: 300, Samples: 16, StepSize: 0.02, Marginals: ReweightedMarginals,
		Alpha:        schedule.OfRun{Shape: schedule.Geometric, From: 0.01, To: 100},
		StepSchedule: schedule.OfRun{Shape: schedule.Linear, From: 1, Start: 0.5, End: 1},
		Coupling: Coupling{Function: SquaredExponential, Latents: PerCoordinate,
			Parameters: Uncoupled},
	}
	if m == nil {
		m = sem.Linear{}
	}
	const fitSteps = 200
	network, isNetwork := sem.As[sem.Network](m)
	_, scored := sem.As[sem.Scored](m)
	switch {
	case isNetwork:
		m = network.WithOutput(models.IntegratedOutput)
		e.FitSteps, e.EdgeParameters, e.Samples, e.Particles = fitSteps, models.LaplaceEdges, 8, 20
	case scored:
		e.Parameters, e.Coupling.Parameters = IntegratedParameters, ""
	default:
		e.FitSteps = fitSteps
	}
	return m, e
}
