package tobac

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/mcmc"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"
	"tobac/setting"

	"gonum.org/v1/gonum/mat"
)

// Chains is how the engine mcmc samples, and tempering over all orders of more variables than are summed over. The zero value is the default.
type Chains struct {
	Chains     int // independent chains; 0: 4
	Iterations int // of each chain after its warm-up; 0: 3000
	WarmUp     int // iterations of each chain before it records; 0: 600
	Candidates int // candidate parents of every variable; 0: that of [mcmc.DefaultCandidates]
	Rungs      int // inverse temperatures of each chain; 0: 4
}

// mostChains is the largest number of chains, and of inverse temperatures of each.
const mostChains = 1000

// Settings are those that have a text form of one line.
func (c *Chains) Settings() []*setting.Setting {
	return []*setting.Setting{
		setting.WholeNumber(&c.Chains, mostChains, "chains", "independent Markov chains of the engine mcmc", "4"),
		setting.WholeNumber(&c.Iterations, mostSteps, "iterations", "iterations of each chain after its warm-up", "3000"),
		setting.WholeNumber(&c.WarmUp, mostSteps, "warm-up", "iterations of each chain before it records", "600"),
		setting.WholeNumber(&c.Candidates, score.MaxCandidates, "candidates", "candidate parents of every variable", "all others to 20 variables, 15 of 50, 14 of 100"),
		setting.WholeNumber(&c.Rungs, mostChains, "rungs", "inverse temperatures of each chain", "4"),
	}
}

func (c Chains) withDefaults() (Chains, error) {
	if err := setting.Check(c.Settings()); err != nil {
		return c, err
	}
	setting.Fill(&c.Chains, 4)
	setting.Fill(&c.Iterations, chainIterations)
	setting.Fill(&c.WarmUp, 600)
	return c, nil
}

// String is the text form.
func (c *Chains) String() string {
	return setting.Text("mcmc", "chains", c.Chains, "iterations", c.Iterations, "warm-up", c.WarmUp, "candidates", c.Candidates, "rungs", c.Rungs)
}

// settled is what short chains have settled where a posterior is to be sampled: the model with the
// hypothesis that it is sampled under, and its prior.
type settled struct {
	model      sem.Scored
	evidence   []sem.Evidence // of all models asked about
	hypothesis sem.Hypothesis
	chosen     int        // its number
	best       *dag.Graph // the most probable one of the short chains
	trust      sem.Trust  // part of its evidence that counts
	refuted    string     // why the form of the equations counts in part; "": it counts
	density    float64    // edges per node of the prior
	prior      *score.Prior
}

// chains is the sampling of a posterior by Markov chains.
type chains struct {
	*settled
	data        *dataset.Table
	cfg         *Config
	sampler     *mcmc.Sampler
	step, steps int
}

var _ stage = (*chains)(nil)

// chainIterations is the default of [Chains].Iterations.
const chainIterations = 3000

// pilot is the number of iterations of the short chains that compare models and
// estimate the number of edges, half of them warm-up.
const pilot = 400

// settle finds the model by short chains, if there is a choice, and estimates the number of edges.
func settle(ctx context.Context, data *dataset.Table, models []sem.Scored, cfg *Config, t sem.Trust) (*settled, error) {
	var best *settled
	var all []sem.Evidence
	highest := math.Inf(-1)
	for _, m := range models {
		if note := sem.LeftOut(m, models, data, all); note != "" {
			all = append(all, sem.Evidence{Model: m.String(), Log: math.NaN(), Note: note})
			continue
		}
		s, level, err := pilotChains(ctx, data, m, cfg, t)
		if err != nil {
			return nil, err
		}
		e := sem.Evidence{Model: m.String(), Log: level, Note: "mean of log p(D, graph) over short chains, no evidence"}
		all = append(all, e)
		if level > highest {
			best, highest = s, level
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no model can be computed: %s", all[0].Note)
	}
	var err error
	if len(models) > 1 {
		if lower, why := t.In(data, best.model, best.best, best.hypothesis.Scores, cfg.Seed); lower != t {
			if best, _, err = pilotChains(ctx, data, best.model, cfg, lower); err != nil {
				return nil, err
			}
			best.refuted = why
		}
	}
	best.evidence = all
	best.prior, err = cfg.sampledPrior(len(data.Names), best.density)
	return best, err
}

// sampledPrior is the prior of graphs that are sampled: no edge leads against a known order.
func (c *Config) sampledPrior(d int, density float64) (*score.Prior, error) {
	prior, err := c.closedPrior(d, density)
	if err != nil {
		return nil, err
	}
	for b, j := range c.Order.Known {
		for _, i := range c.Order.Known[:b] {
			prior.Forbid(j, i)
		}
	}
	return prior, nil
}

// newChains prepares the chains.
func newChains(ctx context.Context, data *dataset.Table, s *settled, cfg *Config) (*chains, error) {
	cfg.doing(MCMC, "scoring candidate parents, model "+s.model.String())
	sampler, err := mcmc.New(ctx, s.hypothesis.Scores, s.prior, cfg.chainOptions(cfg.Chains.WarmUp))
	return &chains{settled: s, data: data, cfg: cfg, sampler: sampler, steps: cfg.Chains.WarmUp + cfg.Chains.Iterations}, err
}

func (c *chains) at() (step, steps int) { return c.step, c.steps }

func (c *chains) close() {}

func (c *Config) chainOptions(warmUp int) mcmc.Options {
	return mcmc.Options{Candidates: c.Chains.Candidates, Chains: c.Chains.Chains, Rungs: c.Chains.Rungs, WarmUp: warmUp, Draws: posteriorDraws,
		Seed: c.Seed, Workers: c.Workers}
}

// pilotPrior is the prior of the short chains, and that under which hypotheses are found. More required parents than chains take are an error.
func (c *Config) pilotPrior(d int) (*score.Prior, error) {
	densities := c.Prior.Densities(d)
	density := densities[len(densities)-1]
	if len(densities) > 1 {
		density = nearest(densities, 1)
	}
	prior, err := c.sampledPrior(d, density)
	if err != nil {
		return nil, err
	}
	if n := prior.MostRequired(); n > score.MaxCandidates {
		return nil, fmt.Errorf("a variable has %d required parents, and the engine mcmc takes at most %d of each; allowed: fewer, or a known order", n, score.MaxCandidates)
	}
	return prior, nil
}

// pilotChains runs short chains under a model: their mean log density, the hypothesis that
// suits their best graph, and the number of
// edges per node of the prior that is nearest to that of the posterior.
func pilotChains(ctx context.Context, data *dataset.Table, m sem.Scored, cfg *Config, t sem.Trust) (*settled, float64, error) {
	d := len(data.Names)
	densities := cfg.Prior.Densities(d)
	prior, err := cfg.pilotPrior(d)
	if err != nil {
		return nil, 0, err
	}
	cfg.doing(MCMC, "short chains, model "+m.String())
	hypotheses, err := m.Hypotheses(ctx, data, prior, cfg.Workers)
	if err == nil {
		hypotheses, err = t.Of(data, hypotheses)
	}
	if err != nil {
		return nil, 0, err
	}
	c := &settled{model: m, trust: t}
	var res *mcmc.Result
	for chosen, round := len(hypotheses)/2, 0; round < 2; round++ {
		c.hypothesis, c.chosen = hypotheses[chosen], chosen
		s, err := mcmc.New(ctx, c.hypothesis.Scores, prior, cfg.chainOptions(pilot/2))
		if err != nil {
			return nil, 0, err
		}
		if err := s.Advance(ctx, pilot); err != nil {
			return nil, 0, err
		}
		if res, err = s.Result(); err != nil {
			return nil, 0, err
		}
		best := slices.MaxFunc(res.Draws, func(a, b mcmc.Draw) int { return cmp.Compare(a.LogScore, b.LogScore) })
		c.best = best.Graph
		better := sem.Suiting(hypotheses, best.Graph)
		if better == chosen {
			break
		}
		chosen = better
	}
	c.density = nearest(densities, math.Max(mat.Sum(res.Edges)/float64(d), 1e-3))
	return c, res.Diagnostics.LogP.Mean, nil
}

// advance makes the iterations up to number to.
func (c *chains) advance(ctx context.Context, to int, report func(Progress)) error {
	for c.step < to {
		n := min(100, to-c.step)
		err := c.sampler.Advance(ctx, n)
		c.step = c.sampler.Iterations()
		if err != nil {
			return err
		}
		trace := c.sampler.Trace()
		report(Progress{Stage: MCMC, Step: c.step, Chains: &trace})
	}
	return nil
}

// inference reads the posterior off the chains.
func (c *chains) inference(ctx context.Context, data *dataset.Table, cfg *Config) (*inference, error) {
	cfg.doing(MCMC, "summarising the chains")
	res, err := c.sampler.Result()
	if err != nil {
		return nil, err
	}
	graphs := make([]*dag.Graph, len(res.Draws))
	for k, d := range res.Draws {
		graphs[k] = d.Graph
	}
	inf, err := c.settled.inference(ctx, data, MCMC, graphs, res.Edges, cfg)
	if err == nil {
		inf.diagnostics = &res.Diagnostics
	}
	return inf, err
}

// inference is the posterior of graphs that were drawn; edges are their probabilities, nil: as often as they were drawn.
func (s *settled) inference(ctx context.Context, data *dataset.Table, engine Engine, graphs []*dag.Graph, edges *mat.Dense, cfg *Config) (*inference, error) {
	inf := &inference{model: s.model, evidence: s.evidence, reason: reason(s.evidence), density: s.density}
	inf.post = &posterior.Posterior{Names: slices.Clone(data.Names), Engine: engine.String(), Model: s.model.String(), Kind: posterior.Draws}
	if s.refuted != "" {
		inf.post.Warnings = append(inf.post.Warnings, s.refuted)
	}
	if s.hypothesis.InUnits {
		inf.post.Warnings = append(inf.post.Warnings, unitsWarning)
	}
	scorers := make([]score.Scorer, len(graphs))
	for k, g := range graphs {
		inf.post.Draws = append(inf.post.Draws, posterior.Draw{Graph: g, LogPrior: math.NaN(), LogLikelihood: math.NaN()})
		scorers[k] = s.hypothesis.Scores
	}
	inf.post.Components = []posterior.Component{{Order: slices.Clone(cfg.Order.Known), Draws: len(graphs), Weight: 1, LogEvidence: math.NaN()}}
	if edges == nil {
		edges = inf.post.Frequencies().Probabilities
	}
	edges.Apply(func(_, _ int, v float64) float64 { return math.Min(1, math.Max(0, v)) }, edges) // sums may round
	cfg.Prior.Settle(edges)
	inf.post.Probabilities = edges
	n, _ := data.X.Dims()
	inf.functional = newFunctional(scorers, n, cfg)
	return inf, addEquations(ctx, data, inf.post, scorers, cfg)
}

func (c *chains) snapshot() (json.RawMessage, error) {
	s, err := c.sampler.Snapshot()
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

func (c *chains) restore(state json.RawMessage) error {
	s := new(mcmc.Snapshot)
	if err := json.Unmarshal(state, s); err != nil {
		return fmt.Errorf("the state of the chains: %w", err)
	}
	if err := c.sampler.Restore(s); err != nil {
		return err
	}
	c.step = c.sampler.Iterations()
	return nil
}
