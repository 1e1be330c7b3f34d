package main

import (
	"fmt"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/drawn"
	"tobac/metrics"
	"tobac/posterior"
	"tobac/sem"
)

// An evaluation holds the metrics of a posterior; package metrics defines them.
type evaluation struct {
	Metrics *figures `json:"metrics"`                 // null: they could not be computed
	Failed  string   `json:"metrics_error,omitempty"` // why a metric is null that should not be
	Cyclic  int      `json:"cyclic"`                  // draws with a cycle
}

// figures judge a posterior in three ways, and the graph without edges. Listed
// are those of the edge probabilities that are printed and saved. Empirical and
// Mixture are those of the graphs behind them: with the weights that they have,
// and particles weighted by their density; where they follow several orders, both
// are mixtures over the orders. Empirical is null without graphs. Mixture is null
// without their densities, and for draws from the posterior, whose frequencies
// already follow it.
type figures struct {
	Listed    *metrics.EdgeReport `json:"listed"`
	Empirical *scores             `json:"empirical"`
	Mixture   *scores             `json:"mixture"`
	Empty     scores              `json:"empty"`
}

// scores of weighted graphs. Those that need a truth or held-out rows are null
// without.
type scores struct {
	ESHD              metrics.Number `json:"eshd"`
	AUROC             metrics.Number `json:"auroc"`
	AUROCWithDiagonal metrics.Number `json:"auroc_with_diagonal"`
	AveragePrecision  metrics.Number `json:"average_precision"`
	ExpectedEdges     metrics.Number `json:"expected_edges"`
	NegLL             metrics.Number `json:"neg_ll"`           // of log p(Θ|G) + log p(D|G,Θ)
	NegLLDataOnly     metrics.Number `json:"neg_ll_data_only"` // of log p(D|G,Θ)
}

// judge evaluates a posterior against an acyclic graph and by the densities of
// held-out rows, one for each draw; either may be nil.
func judge(p *posterior.Posterior, truth *dag.Graph, heldOut *metrics.HeldOut) (e evaluation,
	err error) {
	e.Metrics = new(figures)
	if e.Metrics.Listed, err = metrics.EvaluateEdges(p.Probabilities, truth); err != nil {
		return e, err
	}
	e.Cyclic = p.Cyclic()
	var baseline *metrics.HeldOut
	if heldOut != nil {
		baseline = &metrics.HeldOut{Particles: []metrics.LogDensity{heldOut.Empty},
			Empty: heldOut.Empty}
	}
	empty, err := scoresOf(posterior.Uniform([]*dag.Graph{dag.New(len(p.Names))}), truth, baseline)
	if err != nil {
		return e, err
	}
	e.Metrics.Empty = *empty
	if len(p.Draws) == 0 {
		return e, nil
	}
	if e.Metrics.Empirical, err = scoresOf(p.Empirical(), truth, heldOut); err != nil {
		return e, err
	}
	if math.IsNaN(p.Draws[0].LogPrior) {
		e.Metrics.Empirical.NegLL = metrics.Number(math.NaN())
	}
	if !weighable(p) {
		return e, nil
	}
	byDensity, err := p.ByDensity()
	if err != nil {
		return e, err
	}
	e.Metrics.Mixture, err = scoresOf(byDensity, truth, heldOut)
	return e, err
}

// weighable reports whether there are particles whose densities are all known.
func weighable(p *posterior.Posterior) bool {
	if p.Kind != posterior.Particles {
		return false
	}
	for _, draw := range p.Draws {
		if math.IsNaN(draw.LogPrior) || math.IsNaN(draw.LogLikelihood) {
			return false
		}
	}
	return true
}

func scoresOf(e *posterior.Ensemble, truth *dag.Graph, heldOut *metrics.HeldOut) (*scores, error) {
	r, err := metrics.Evaluate(e, truth, heldOut)
	if err != nil {
		return nil, err
	}
	return &scores{r.ESHD, r.AUROC, r.AUROCWithDiagonal, r.AveragePrecision, r.ExpectedEdges,
		r.NegLL, r.NegLLDataOnly}, nil
}

// Names of the files that a posterior can be judged from: the one that is reported,
// and the particles that it is compared with.
const (
	particlesFile = "particles.json"
	comparedFile  = "particles-svgd.json"
	// draws with their functions, where those of particles.json are graphs alone
	functionsFile = "functions.json"
)

// heldOut returns the log densities of held-out rows, in the units of the data, under the draws and
// under the graph without edges. nil means there are no rows or draws, or, with a
// warning, the model has no density of other rows.
func heldOut(p *posterior.Posterior, model sem.Model, t *dataset.Table) (_ *metrics.HeldOut,
	warning string, err error) {
	if t == nil || len(p.Draws) == 0 {
		return nil, "", nil
	}
	if _, ok := sem.As[sem.Differentiable](model); (!ok || sem.TraitsOf(model).Categories) &&
		p.Draws[0].Equations == nil {
		return nil, fmt.Sprintf("no density of held-out rows: the model %s has none for graphs "+
			"without parameters", sem.Describe(p.Model)), nil
	}
	prior, data, err := drawn.LogDensity(p, model, t)
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
