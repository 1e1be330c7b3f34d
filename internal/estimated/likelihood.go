package estimated

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/evidence"
	"tobac/internal/graphchains"
	"tobac/internal/nodescore"
	"tobac/internal/problems"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Of custom likelihoods.
const (
	firstGuessed = 500 // sets of each variable, about, whose evidence is guessed at the beginning
	massPoints   = 512
)

// OfLikelihood estimates the evidences that matter under the likelihood of a model without node
// scores, given no order. Nothing stands for the model in the choice of what matters: evidences are
// guessed by Laplace's method under the likelihood itself.
func OfLikelihood(ctx context.Context, p *engine.Problem, m sem.Model,
	chains *graphchains.Settings) (*Graphs, error) {
	asked, data, scale, err := problems.SampledModel(p, m, false)
	if err != nil {
		return nil, err
	}
	if asked, err = sem.Estimate(ctx, asked, data, false); err != nil {
		return nil, err
	}
	model, ok := sem.As[sem.Differentiable](asked)
	if !ok {
		return nil, fmt.Errorf("the model %v has neither node scores nor a likelihood", m)
	}
	prior, err := tablePrior(p, len(data.Names))
	if err != nil {
		return nil, err
	}
	e, err := newLikelihoodEstimates(model, data, p)
	if err != nil {
		return nil, err
	}
	g := &Graphs{Model: m, unit: 1, Scale: scale}
	p.Doing(name, "guessing evidences of sets of parents")
	if g.checks, err = e.checkPriors(ctx); err == nil {
		g.table, err = newTable(ctx, len(data.Names), e.guess, prior, chains.Options(p, 0),
			firstGuessed)
	}
	if err == nil {
		g.table.estimates, g.table.constant = e, make([]float64, len(data.Names))
		err = g.table.settle(ctx, func(text string) { p.Doing(name, text) })
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return g, nil
}

// likelihoodEstimates are evidences under a custom likelihood.
type likelihoodEstimates struct {
	drawn.Parameters
	sets  *evidence.Sets
	known map[string]known // by [nodescore.FamilyKey]
}

// A known estimate has a number of points.
type known struct {
	*evidence.Estimate
	points int
}

var _ estimator = (*likelihoodEstimates)(nil)

func newLikelihoodEstimates(m sem.Differentiable, data *dataset.Table,
	p *engine.Problem) (*likelihoodEstimates, error) {
	lik, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	sets, err := evidence.New(lik, evidence.Config{
		Seed: stream.Seed(p.Seed, stream.ReweightedEvidence, 0), Workers: p.Workers})
	return &likelihoodEstimates{Parameters: drawn.Parameters{Model: m, Likelihood: lik, Data: data,
		Seed: p.Seed}, sets: sets, known: map[string]known{}}, err
}

func (e *likelihoodEstimates) guess(ctx context.Context, list []nodescore.Family) ([]float64,
	error) {
	logs, err := e.sets.Guess(ctx, list)
	return logs, problems.WithName(err, e.Data.Names)
}

func (e *likelihoodEstimates) of(j int, set []int) (v estimated, ok bool) {
	k, ok := e.known[nodescore.FamilyKey(j, set)]
	if !ok {
		return v, false
	}
	return estimated{k.LogEvidence, k.Halves, k.points}, true
}

func (e *likelihoodEstimates) estimate(ctx context.Context, list []nodescore.Family, points,
	work int) error {
	all, err := e.sets.Estimate(ctx, list, work*points)
	if err != nil {
		return problems.WithName(err, e.Data.Names)
	}
	for k, v := range all {
		e.known[nodescore.FamilyKey(list[k].Of, list[k].Set)] = known{v, points}
	}
	return nil
}

func (e *likelihoodEstimates) count() int { return len(e.known) }

func (e *likelihoodEstimates) precisions() []precision {
	return []precision{{64, 0}, {128, 0.002}, {256, 0.02}}
}

func (e *likelihoodEstimates) about() words {
	return words{"evidences of the likelihood", "points", "Laplace's approximations"}
}

func (e *likelihoodEstimates) close() { e.sets.Close() }

// equip gives draws parameters from the posterior of each variable given its parents.
func (e *likelihoodEstimates) equip(p *posterior.Posterior) error {
	graphs := make([]*dag.Graph, len(p.Draws))
	var theta *mat.Dense
	if n := e.Likelihood.ParamLen(); n > 0 {
		theta = mat.NewDense(len(graphs), n, nil)
	}
	for k := range p.Draws {
		graphs[k] = p.Draws[k].Graph
		parents := make([]*evidence.Estimate, len(p.Names))
		for j := range parents {
			parents[j] = e.known[nodescore.FamilyKey(j, graphs[k].Parents(j))].Estimate
		}
		_, row := e.sets.Draw(parents, k)
		if theta != nil {
			theta.SetRow(k, row)
		}
	}
	return e.Give(p, graphs, theta)
}

// checkPriors checks that the priors of parameters are densities, of every variable with all others
// as its parents.
func (e *likelihoodEstimates) checkPriors(ctx context.Context) ([]diagnostics.Check, error) {
	d := len(e.Data.Names)
	widest := make([]nodescore.Family, d)
	for j := range widest {
		widest[j] = nodescore.Family{Of: j, Set: dag.AllBut(d, j)}
	}
	mass, of, err := PriorMass(ctx, e.sets, widest, e.Data.Names)
	return []diagnostics.Check{PriorCheck(mass, of)}, err
}

// PriorMass is ln ∫ p(θ_j|S) dθ_j of the variable whose sets of parents make it largest beyond four
// standard errors, 0 for densities, with its name.
func PriorMass(ctx context.Context, sets *evidence.Sets, widest []nodescore.Family,
	names []string) (mass float64, of string, err error) {
	all, sd, err := sets.LogPriorMasses(ctx, widest, massPoints)
	if err != nil {
		return 0, "", problems.WithName(err, names)
	}
	for k, v := range all {
		if math.Abs(v)-4*sd[k] > math.Abs(mass) {
			mass, of = v, names[widest[k].Of]
		}
	}
	return mass, of, nil
}

// limitPrior has the thresholds of PriorCheck: doubtful, then bad.
var limitPrior = [2]float64{0.1, 1}

// PriorCheck is about the integral of the prior of a variable's parameters, as [PriorMass] has it.
func PriorCheck(mass float64, of string) diagnostics.Check {
	return diagnostics.Above("prior", math.Abs(mass), limitPrior[0], limitPrior[1],
		fmt.Sprintf("the prior of the parameters of %q integrates to exp(%.2f), not to 1: sets "+
			"of more parents get too much or too little weight", of, mass))
}
