package main

import (
	"fmt"
	"math"

	"tobac/dataset"
	"tobac/metrics"
	"tobac/posterior"
	"tobac/sem"
)

// Names of the files that a posterior can be judged from: the one that is reported,
// and the particles that it is compared with.
const (
	particlesFile = "particles.json"
	comparedFile  = "particles-svgd.json"
	functionsFile = "functions.json" // draws with their functions, where those of particles.json are graphs alone
)

// heldOut returns the log densities of held-out rows, in the units of the data, under the draws and
// under the graph without edges. nil means there are no rows or draws, or, with a
// warning, the model has no density of other rows.
func heldOut(p *posterior.Posterior, model sem.Model, t *dataset.Table) (_ *metrics.HeldOut, warning string, err error) {
	if t == nil || len(p.Draws) == 0 {
		return nil, "", nil
	}
	if _, ok := model.(sem.Differentiable); !ok && p.Draws[0].Equations == nil {
		return nil, fmt.Sprintf("no density of held-out rows: the model %s has none for graphs without parameters", sem.Describe(p.Model)), nil
	}
	prior, data, err := sem.LogDensity(p, model, t)
	if err != nil {
		return nil, "", err
	}
	for m, v := range prior {
		if math.IsNaN(v) { // judge leaves out what it takes part in
			prior[m] = 0
		}
	}
	return metrics.NewHeldOut(prior, data), "", nil
}

// storedModel is the model of a posterior that tobac fit wrote; nil if its draws
// have equations.
func storedModel(p *posterior.Posterior) (sem.Model, error) {
	if len(p.Draws) == 0 || p.Draws[0].Equations != nil {
		return nil, nil
	}
	return sem.Parse(p.Model)
}
