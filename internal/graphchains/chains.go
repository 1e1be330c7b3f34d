package graphchains

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"tobac/dag"
	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/inference"
	"tobac/internal/jobs"
	"tobac/internal/mcmc"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/scoring"
	"tobac/internal/trust"
	"tobac/internal/words"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"
	"tobac/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Settings are those of chains over partitions of the variables, as markov.MCMC documents them.
type Settings struct {
	Chains, Iterations, WarmUp, ESS, Candidates, Rungs int
	Jobs                                               string
	Open                                               bool
}

// name of the engine in the progress and in posteriors.
const name = "mcmc"

// List is those with a text form.
func (e *Settings) List() []*setting.Setting {
	return []*setting.Setting{
		setting.WholeNumber(&e.Chains, MostChains, "chains", "independent Markov chains", "4"),
		setting.WholeNumber(&e.Iterations, engine.MostSteps, "iterations",
			"iterations of each chain after its warm-up, at most",
			"3000, up to 20 variables 6000"),
		setting.WholeNumber(&e.WarmUp, engine.MostSteps, "warm-up",
			"iterations of each chain before it records", "200"),
		setting.WholeNumber(&e.ESS, engine.MostSteps, "ess",
			"effective samples of the least certain edges at which agreeing chains end",
			"400, up to 20 variables 1600"),
		setting.WholeNumber(&e.Candidates, scoring.MostCandidates, "candidates",
			"candidate parents of a variable, at most",
			"15, up to 24 variables 19, with more than 100 fewer"),
		setting.WholeNumber(&e.Rungs, MostChains, "rungs", "inverse temperatures of each chain",
			"8, above 24 variables 6, above 40 4, above 60 1"),
		setting.Parsed(&e.Jobs, "jobs",
			"folder that keeps each round of each chain as a job, from which the same command "+
				"goes on; with remote: tobac-beam does the jobs", "none", "[remote:]DIR",
			"texts without blanks", func(dir string) string { return dir },
			func(text string) (string, error) {
				if text == "" || strings.ContainsFunc(text, unicode.IsSpace) {
					return "", errors.New("blank")
				}
				return text, nil
			}),
	}
}

// Filled is a copy with the defaults.
func (e *Settings) Filled() (*Settings, error) {
	out := *e
	if err := setting.Check(out.List()); err != nil {
		return nil, err
	}
	setting.Fill(&out.Chains, 4)
	setting.Fill(&out.Iterations, DefaultIterations)
	setting.Fill(&out.WarmUp, defaultWarmUp)
	setting.Fill(&out.ESS, defaultESS)
	return &out, nil
}

// FilledFor is [Settings.Filled] for so many variables. Four times as many effective samples halve
// the error of the probabilities; of more than a few variables that takes too long.
func (e *Settings) FilledFor(d int) (*Settings, error) {
	out := *e
	if d <= 20 {
		setting.Fill(&out.Iterations, 2*DefaultIterations)
		setting.Fill(&out.ESS, 4*defaultESS)
	}
	return out.Filled()
}

// ChainDemands are those of the chains and their node scores.
func (e *Settings) ChainDemands(size engine.Size) []engine.Demand {
	k, d := e.Candidates, float64(size.Vars)
	setting.Fill(&k, mcmc.DefaultCandidates(size.Vars))
	k = min(k, size.Vars-1)
	all := []engine.Demand{engine.Needs(2*float64(mcmc.Bytes(size.Vars, e.Candidates)),
		"node scores of 2^%d sets of %d candidate parents of each variable", k, k)}
	if size.ScoreBytes > 0 {
		all = append(all, engine.Needs(size.ScoreBytes, "scores of sets of parents"))
	}
	rungs := e.Rungs
	setting.Fill(&rungs, mcmc.DefaultRungs(size.Vars))
	// Sums and last values of every edge from a candidate, and twice as many graphs as are drawn.
	bytes := float64(e.Chains) * (2*inference.Draws*d*40 + 100*d*float64(k)*8 + 4*d*d*8 +
		float64(rungs)*d*500)
	return append(all, engine.Needs(bytes, "%d Markov chains of %d rungs", e.Chains, rungs))
}

// Pilot has the settings of the short chains of other engines.
var Pilot = &Settings{Chains: 4, Iterations: DefaultIterations, WarmUp: defaultWarmUp,
	ESS: defaultESS}

// MostChains is the largest number of chains, and of the inverse temperatures of each.
const MostChains = 1000

// Settled is what short chains have settled where a posterior is to be sampled: the model with the
// hypothesis that it is sampled under, and its prior.
type Settled struct {
	Model      sem.Scored
	Evidence   []sem.Evidence // of all models asked about
	Hypothesis sem.Hypothesis
	hypotheses []sem.Hypothesis // all of the model, as if all of the evidence counted
	found      []find           // of each of these
	chosen     int              // its number
	wider      []sem.Hypothesis // those before it that a search for its graphs goes through
	best       *dag.Graph       // the most probable one of the short chains
	starts     []*dag.Graph     // the most probable one of each of them
	trust      trust.Trust      // part of its evidence that counts
	doubt      trust.Doubt      // why the form of the equations counts in part
	density    float64          // edges per node of the prior
	Prior      *score.Prior
}

// Chains are Markov chains at work.
type Chains struct {
	*Settled
	engine      *Settings
	data        *dataset.Table
	problem     *engine.Problem
	sampler     *mcmc.Sampler
	step, steps int
	done        *engine.Outcome // nil until the last step has been taken

	// Where rounds are jobs; see round.
	described []byte
	folder    *jobs.Folder
	functions jobs.Functions
	recorded  bool
}

var _ engine.Stage = (*Chains)(nil)

// The defaults of [Settings].Iterations, WarmUp and ESS.
const (
	DefaultIterations = 3000
	defaultWarmUp     = 200
	defaultESS        = 400
)

// pilot is the number of iterations of the short chains that compare models and
// estimate the number of edges, half of them warm-up. There are at most mostPilots of them.
const (
	pilot           = 100
	mostPilots      = 2
	pilotCandidates = 12 // of a variable: tables of more take longer than the short chains
)

// Chains end at a multiple of lookEvery iterations if their R̂ is agreed at most and they have
// recorded leastSamples together.
const (
	lookEvery    = 100
	agreed       = 1.05
	leastSamples = inference.Draws
)

// Settle finds the model by short chains, if there is a choice, and estimates the number of edges.
func Settle(ctx context.Context, data *dataset.Table, models []sem.Scored, problem *engine.Problem,
	e *Settings, t trust.Trust) (*Settled, error) {
	var best *Settled
	var compared []sem.Evidence
	all := make([]sem.Evidence, len(models))
	highest := math.Inf(-1)
	for _, at := range inTurn(models) {
		m := models[at]
		say := func(log float64, note string) {
			all[at] = sem.Evidence{Model: m.String(), Log: log, Note: note}
			compared = append(compared, all[at])
		}
		note := inference.LeftOut(m, models, data, compared, t)
		if note == "" && best != nil && t.SameEvidence(trust.WholeTrust) {
			var err error
			if note, err = noGraph(data, m, problem, best.best, highest); err != nil {
				return nil, err
			}
		}
		if note != "" {
			say(math.NaN(), note)
			continue
		}
		hypotheses, found, err := hypotheses(ctx, data, m, problem, e)
		if err != nil {
			return nil, err
		}
		if best != nil {
			level, err := glimpse(ctx, data, m, hypotheses, problem, t, best.best)
			if err != nil {
				return nil, err
			}
			if level < highest-farBehind*float64(len(data.Names)) {
				say(level, inference.ByGraph)
				continue
			}
		}
		s, level, err := pilotChains(ctx, data, m, hypotheses, found, problem, e, t)
		if err != nil {
			return nil, err
		}
		say(level, "mean of log p(D, graph) over short chains, no evidence")
		if level > highest {
			best, highest = s, level
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no model can be computed: %s", all[0].Note)
	}
	var err error
	if len(models) > 1 || problem.Model == nil {
		lower, why := t.In(data, best.Model, best.best, best.Hypothesis.Scores, problem.Seed)
		if !lower.SameEvidence(t) {
			best, _, err = pilotChains(ctx, data, best.Model, best.hypotheses, best.found,
				problem, e, lower)
			if err != nil {
				return nil, err
			}
		}
		best.doubt, best.trust = why, lower
	}
	if m, ok := sem.As[trust.Reserved](best.Model); ok {
		best.doubt.Refuted = m.FormNote(data, best.best, trust.FormOf(best.Hypothesis.Scores))
	}
	best.Evidence = all
	best.Prior, err = sampledPrior(problem, len(data.Names), best.density)
	return best, err
}

// Best is the most probable graph of the short chains.
func (s *Settled) Best() *dag.Graph { return s.best }

// Scores are the node scores of the settled model for other rows of its table, under the hypothesis
// that suits the most probable graph of the short chains. Before them are those of the hypotheses
// that a search goes through, see [search.Through].
func (s *Settled) Scores(ctx context.Context, rows *dataset.Table) ([]score.Scorer, error) {
	all, err := s.Model.Hypotheses(ctx, rows, s.Prior, 1)
	if err == nil {
		all, err = s.trust.Of(ctx, rows, all, 1)
	}
	if err != nil {
		return nil, err
	}
	suiting := inference.Suiting(all, s.best)
	return append(scoresOf(all[:min(len(s.wider), suiting)]), all[suiting].Scores), nil
}

// Wider are the node scores that a search for graphs of the settled ones goes through.
func (s *Settled) Wider() []score.Scorer { return scoresOf(s.wider) }

func scoresOf(all []sem.Hypothesis) []score.Scorer {
	list := make([]score.Scorer, len(all))
	for k, h := range all {
		list[k] = h.Scores
	}
	return list
}

// First is the outcome of what short chains settled, before the first round.
func (s *Settled) First() *engine.Outcome {
	return &engine.Outcome{Best: s.Model, Hypothesis: &s.Hypothesis, Evidence: s.Evidence,
		Reason:  inference.Reason(s.Evidence),
		Doubted: s.doubt.Refuted != "" || s.doubt.Basis != "", Basis: s.doubt.Basis,
		EdgesPerNode: s.density}
}

// sampledPrior is the prior of graphs that are sampled: no edge leads against a known order.
func sampledPrior(p *engine.Problem, d int, density float64) (*score.Prior, error) {
	prior, err := problems.ClosedPrior(p, d, density)
	if err != nil {
		return nil, err
	}
	for b, j := range p.Order.Known {
		for _, i := range p.Order.Known[:b] {
			prior.Forbid(j, i)
		}
	}
	return prior, nil
}

// New prepares the chains.
func New(ctx context.Context, data *dataset.Table, s *Settled, problem *engine.Problem,
	e *Settings) (*Chains, error) {
	problem.Doing(name, "scoring candidate parents, model "+s.Model.String())
	options := e.Options(problem, e.WarmUp)
	options.Starts, options.Wider = s.starts, s.Wider()
	if found := s.found[s.chosen]; found.scattered() {
		options.Starts, options.Apart = found.graphs, true
	}
	sampler, err := mcmc.New(ctx, s.Hypothesis.Scores, s.Prior, options)
	return &Chains{Settled: s, engine: e, data: data, problem: problem, sampler: sampler,
		steps: e.WarmUp + e.Iterations}, err
}

// Steps implements [engine.Stage].
func (c *Chains) Steps() (done, all int) { return c.step, c.steps }

// Warnings implements [engine.Stage].
func (c *Chains) Warnings() []string { return nil }

// Close implements [engine.Stage].
func (c *Chains) Close() {}

// Options are those of package mcmc for a problem.
func (e *Settings) Options(p *engine.Problem, warmUp int) mcmc.Options {
	return mcmc.Options{Candidates: e.Candidates, Chains: e.Chains, Rungs: e.Rungs, WarmUp: warmUp,
		Draws: inference.DrawsOf(p), Seed: p.Seed, Workers: p.Workers}
}

// PilotPrior is the prior of the short chains, and that under which hypotheses are found. More
// required parents than chains take are an error.
func PilotPrior(p *engine.Problem, d int) (*score.Prior, error) {
	densities := priors.Densities(&p.Prior, d)
	density := densities[len(densities)-1]
	if len(densities) > 1 {
		density = inference.Nearest(densities, 1)
	}
	prior, err := sampledPrior(p, d, density)
	if err != nil {
		return nil, err
	}
	if n := prior.MostRequired(); n > scoring.MostCandidates {
		return nil, fmt.Errorf("a variable has %d required parents, and the engine mcmc takes at "+
			"most %d of each; allowed: fewer, or a known order", n, scoring.MostCandidates)
	}
	return prior, nil
}

// hypotheses are those of a model, with the equations fitted that carry the posterior, and what was
// found on the way.
func hypotheses(
	ctx context.Context, data *dataset.Table, m sem.Scored, problem *engine.Problem, e *Settings,
) (all []sem.Hypothesis, found []find, err error) {
	prior, err := PilotPrior(problem, len(data.Names))
	if err != nil {
		return nil, nil, err
	}
	problem.Doing(name, "short chains, model "+m.String())
	if all, err = m.Hypotheses(ctx, data, prior, problem.Workers); err != nil {
		return nil, nil, err
	}
	found, err = refine(ctx, all, prior, e.Options(problem, pilot/2))
	return all, found, err
}

// pilotChains runs short chains under the hypotheses of a model: their mean log density, the
// hypothesis that suits their best graph, and the number of edges per node of the prior that is
// nearest to that of the posterior. They begin at the graphs that were found: another search could
// end elsewhere, among equations that were not fitted.
func pilotChains(
	ctx context.Context, data *dataset.Table, m sem.Scored, all []sem.Hypothesis,
	found []find, problem *engine.Problem, e *Settings, t trust.Trust,
) (*Settled, float64, error) {
	d := len(data.Names)
	densities := priors.Densities(&problem.Prior, d)
	prior, err := PilotPrior(problem, d)
	if err != nil {
		return nil, 0, err
	}
	problem.Doing(name, "short chains, model "+m.String())
	hypotheses, err := t.Of(ctx, data, all, problem.Workers)
	if err != nil {
		return nil, 0, err
	}
	c := &Settled{Model: m, hypotheses: all, found: found, trust: t}
	var res *mcmc.Result
	chosen := len(hypotheses) / 2
	starts := found[chosen].graphs
	if steps(hypotheses, d) {
		chosen, starts, err = descend(ctx, hypotheses, prior, problem)
		if err != nil {
			return nil, 0, err
		}
		c.wider = hypotheses[:chosen]
	}
	for range 2 {
		c.Hypothesis, c.chosen = hypotheses[chosen], chosen
		options := e.Options(problem, pilot/2)
		options.Chains, options.Rungs = min(options.Chains, mostPilots), 1
		options.Starts = starts
		if most := min(pilotCandidates, mcmc.DefaultCandidates(d)); options.Candidates == 0 {
			options.Candidates = most
		}
		s, err := mcmc.New(ctx, c.Hypothesis.Scores, prior, options)
		if err != nil {
			return nil, 0, err
		}
		if err := s.Advance(ctx, pilot); err != nil {
			return nil, 0, err
		}
		if res, err = s.Result(); err != nil {
			return nil, 0, err
		}
		c.starts = res.Best()
		c.best = c.starts[0]
		better := inference.Suiting(hypotheses, c.best)
		if better == chosen {
			break
		}
		if chosen = better; starts != nil {
			starts, c.wider = c.starts, hypotheses[:chosen]
		}
	}
	c.density = inference.Nearest(densities, math.Max(mat.Sum(res.Edges)/float64(d), 1e-3))
	return c, res.Diagnostics.LogP.Mean, nil
}

// Advance implements [engine.Stage].
func (c *Chains) Advance(ctx context.Context, to int) error {
	return engine.Timed(&c.problem.Seconds.Infer, func() error {
		for c.step < min(to, c.steps) {
			err := c.advance(ctx, min(c.step+nextLook(c.step), to))
			c.step = c.sampler.Iterations()
			if err != nil {
				return err
			}
			if c.engine.agree(c.sampler) {
				c.steps = c.step
			}
			trace := c.sampler.Trace()
			c.problem.Report(engine.Progress{Engine: name, Step: c.step, Steps: c.steps,
				Chains: &trace})
		}
		return nil
	})
}

// advance brings all chains to iteration number to.
func (c *Chains) advance(ctx context.Context, to int) error {
	if c.engine.Jobs != "" {
		return c.round(ctx, to)
	}
	return c.sampler.Advance(ctx, to-c.step)
}

// agree reports whether chains may end: where they agree, or stay apart because they began so.
func (e *Settings) agree(s *mcmc.Sampler) bool {
	step := s.Iterations()
	if step%lookEvery != 0 || (step-e.WarmUp)*e.Chains < leastSamples {
		return false
	}
	d, err := s.Diagnostics()
	if err == nil && s.Apart() && d.MaxRHat() > LimitRHat[1] {
		return true
	}
	return err == nil && d.MaxRHat() <= agreed && d.LogP.RHat <= agreed &&
		d.MinESS() >= float64(e.ESS)
}

// Outcome implements [engine.Stage].
func (c *Chains) Outcome(ctx context.Context) (*engine.Outcome, error) {
	if c.done != nil {
		return c.done, nil
	}
	inf, err := c.Inference(ctx)
	if err != nil {
		return nil, err
	}
	o := inf.Outcome
	o.Method = fmt.Sprintf("mcmc, %d chains of %d iterations", c.engine.Chains,
		c.steps-c.engine.WarmUp)
	o.Computation = Convergence(o.Diagnostics, o.Posterior.Names)
	checks := ChainChecks(o.Diagnostics)
	if found := c.found[c.chosen]; found.graphs != nil {
		checks = found.explain(checks)
		if found.scattered() && checks[0].Verdict != diagnostics.OK {
			o.Computation = checks[0].Text + "."
		}
	}
	o.Checks = append(checks, inference.DrawChecks(o.Posterior)...)
	c.done = &o
	return c.done, nil
}

// Inference reads the posterior off the chains after their last step.
func (c *Chains) Inference(ctx context.Context) (*inference.Inference, error) {
	if c.step < c.steps {
		return nil, problems.BeforeEnd(c.steps)
	}
	c.problem.Doing(name, "summarising the chains")
	res, err := c.sampler.Result()
	if err != nil {
		return nil, err
	}
	graphs := make([]*dag.Graph, len(res.Draws))
	for k, d := range res.Draws {
		graphs[k] = d.Graph
	}
	inf, err := c.Settled.Inference(ctx, c.data, name, posterior.Uniform(graphs), res.Edges,
		c.problem)
	if err == nil {
		inf.Diagnostics = &res.Diagnostics
		temper(inf.Posterior.Probabilities, res.Diagnostics, c.engine.Chains, &c.problem.Prior)
	}
	return inf, err
}

// Inference is the posterior of drawn graphs with weights: [posterior.Uniform] of independent draws
// and of chains, [posterior.Weighted] of draws from another distribution. edges are their
// probabilities; nil means as often as they were drawn, counted with the weights.
func (s *Settled) Inference(ctx context.Context, data *dataset.Table, by string,
	sample *posterior.Ensemble, edges *mat.Dense,
	problem *engine.Problem) (*inference.Inference, error) {
	if edges == nil {
		edges = sample.EdgeProbabilities()
	}
	graphs, logs := slices.Clone(sample.Graphs), slices.Clone(sample.LogWeights)
	floats.AddConst(-floats.Max(logs), logs)
	weights := sample.Weights()
	if c := inference.FindCopies(data, s.Prior); c.Any() {
		c.Share(graphs, edges, weights, problem.Seed)
	}
	if s.trust.Directions < 1 && problem.Order.Known == nil {
		t := inference.Turning{Part: s.trust.Directions, Prior: s.Prior,
			Scores: []score.Scorer{s.Hypothesis.Scores}, Workers: problem.Workers}
		if err := t.Turn(ctx, graphs, edges, weights, problem.Seed); err != nil {
			return nil, err
		}
	}
	inf := &inference.Inference{Outcome: *s.First()}
	inf.Posterior = &posterior.Posterior{Names: slices.Clone(data.Names), Engine: by,
		Model: s.Model.String(), Kind: posterior.Draws}
	if s.doubt.Refuted != "" {
		inf.Posterior.Warnings = append(inf.Posterior.Warnings, s.doubt.Refuted)
	}
	if s.doubt.Beside != "" {
		inf.Posterior.Warnings = append(inf.Posterior.Warnings, s.doubt.Beside)
	}
	basis, warnings, err := inference.HiddenCauses(ctx, data, s.Model, s.trust,
		central(graphs, edges), s.Hypothesis.Scores, edges, problem)
	if err != nil {
		return nil, err
	}
	inf.Basis = cmp.Or(inf.Basis, basis)
	inf.Posterior.Warnings = append(inf.Posterior.Warnings, warnings...)
	if s.Hypothesis.InUnits {
		inf.Basis = inference.WithUnits(inf.Basis, s.Model)
	}
	scorers := make([]score.Scorer, len(graphs))
	for k, g := range graphs {
		inf.Posterior.Draws = append(inf.Posterior.Draws,
			posterior.Draw{Graph: g, LogWeight: logs[k], LogPrior: math.NaN(),
				LogLikelihood: math.NaN()})
		scorers[k] = s.Hypothesis.Scores
	}
	inf.Posterior.Components = []posterior.Component{{Order: slices.Clone(problem.Order.Known),
		Draws: len(graphs), Weight: 1, LogEvidence: math.NaN()}}
	// sums may round
	edges.Apply(func(_, _ int, v float64) float64 { return math.Min(1, math.Max(0, v)) }, edges)
	priors.Settle(&problem.Prior, edges)
	inf.Posterior.Probabilities = edges
	n, _ := data.X.Dims()
	inf.Functional = drawn.NewFunctional(scorers, n, problem.Seed, problem.Workers)
	return inf, inference.AddEquations(ctx, data, inf.Posterior, scorers, problem)
}

// central is the graph with the greatest sum over its edges of what their probability has beyond
// one half.
func central(graphs []*dag.Graph, edges *mat.Dense) *dag.Graph {
	best, at := math.Inf(-1), graphs[0]
	for _, g := range graphs {
		sum := 0.0
		for _, e := range g.Edges() {
			sum += edges.At(e.From, e.To) - 0.5
		}
		if sum > best {
			best, at = sum, g
		}
	}
	return at
}

// Save implements [engine.Stage].
func (c *Chains) Save() (json.RawMessage, error) {
	s, err := c.sampler.Snapshot()
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// Restore implements [engine.Stage].
func (c *Chains) Restore(_ context.Context, state json.RawMessage) error {
	s := new(mcmc.Snapshot)
	if err := json.Unmarshal(state, s); err != nil {
		return fmt.Errorf("the state of the chains: %w", err)
	}
	if err := c.sampler.Restore(s); err != nil {
		return err
	}
	if c.step = c.sampler.Iterations(); c.engine.agree(c.sampler) {
		c.steps = c.step
	}
	return nil
}

// Convergence says whether Markov chains agree, and else what to do.
func Convergence(d *diagnostics.GraphChains, names []string) string {
	switch rhat := d.MaxRHat(); {
	case math.IsNaN(rhat):
		return "The Markov chains are too short to tell whether they have converged."
	case rhat > 1.1 || d.LogP.RHat > 1.1:
		text := fmt.Sprintf("The Markov chains have not converged (R̂ up to %.2f, want at most "+
			"1.1)", math.Max(rhat, d.LogP.RHat))
		if apart := d.Apart(); len(apart) > 0 {
			e := apart[0]
			text += fmt.Sprintf(": two of them differ by %.2f in the probability of %s → %s",
				e.Range, names[e.From], names[e.To])
			if more := len(apart) - 1; more > 0 {
				text += fmt.Sprintf(", and by less in %s", words.Counted(more, "other one"))
			}
			text += ". Do not rely on these probabilities; those of other edges of the same " +
				"columns are moved toward one half"
		} else {
			text += ": they have found graphs of different probability. Do not rely on single " +
				"probabilities"
		}
		return text + ". " + longer
	case math.IsNaN(d.MinESS()):
		return fmt.Sprintf("The Markov chains agree (R̂ up to %.2f).", rhat)
	default:
		return fmt.Sprintf("The Markov chains agree (R̂ up to %.2f); the effective sample size "+
			"of the least certain edges is %.0f.", math.Max(rhat, d.LogP.RHat), d.MinESS())
	}
}

// longer is what to do where chains disagree.
const longer = "More iterations (mcmc.iterations) or inverse temperatures (mcmc.rungs) help, or " +
	"leaving out columns that almost repeat others."

// Given is what a result of chains had taken as given ([engine.Settling]): the hypothesis that
// short chains settle.
func (e *Settings) Given(ctx context.Context, p *engine.Problem,
	edgesPerNode float64) (*engine.Given, error) {
	m, ok := sem.As[sem.Scored](p.Model)
	if !ok {
		return nil, fmt.Errorf("the model %v has no node scores", p.Model)
	}
	s, err := Settle(ctx, p.Data, []sem.Scored{m}, p, e, inference.TrustOf(p))
	if err != nil {
		return nil, err
	}
	h := s.Hypothesis
	h.Scores = trust.FormOf(h.Scores) // all of the evidence, of which a part will count
	g := &engine.Given{Model: inference.Settled{Model: m, Hypothesis: h}, Data: p.Data,
		Chains: engine.ChainNumbers{Iterations: e.Iterations, WarmUp: e.WarmUp,
			Candidates: e.Candidates}}
	if h.NoiseVariance != 0 {
		g.Notes = append(g.Notes,
			fmt.Sprintf("the noise variance that the run settled on, %.4g", h.NoiseVariance))
	}
	g.Notes = problems.TakeDensity(p, edgesPerNode, g.Notes)
	return g, nil
}

// Thresholds of the checks: doubtful, then bad. bench/notes/diagnostics.md has the runs that they
// were measured on.
var (
	LimitRHat     = [2]float64{1.1, 1.3}
	limitESS      = [2]float64{100, 25}
	LimitExchange = [2]float64{0.05, 0.005}
)

// ChainChecks are about Markov chains over graphs.
func ChainChecks(d *diagnostics.GraphChains) []diagnostics.Check {
	if math.IsNaN(d.MaxRHat()) {
		return []diagnostics.Check{diagnostics.Above("r_hat", d.MaxRHat(), LimitRHat[0],
			LimitRHat[1],
			fmt.Sprintf("%d samples are too few to tell whether the chains agree", d.Samples))}
	}
	worst, on := math.Max(d.MaxRHat(), d.LogP.RHat), "log p(D, G)"
	if apart := d.Apart(); len(apart) > 0 {
		on = fmt.Sprintf("%s, by up to %.2f of probability", words.Counted(len(apart), "edge"),
			apart[0].Range)
	}
	all := []diagnostics.Check{
		diagnostics.Above("r_hat", worst, LimitRHat[0], LimitRHat[1],
			fmt.Sprintf("the chains disagree on %s (R̂ up to %.2f): run longer, with more "+
				"mcmc.iterations, or with more mcmc.rungs", on, worst)),
		diagnostics.Below("ess", d.MinESS(), limitESS[0], limitESS[1],
			fmt.Sprintf("the effective sample size of the least certain edges is %.0f: run "+
				"longer, with more mcmc.iterations", d.MinESS())),
	}
	least := math.Inf(1)
	for _, rung := range d.Rungs[:max(len(d.Rungs)-1, 0)] {
		least = math.Min(least, rung.Exchange)
	}
	if !math.IsInf(least, 1) {
		all = append(all, diagnostics.Below("exchange", least, LimitExchange[0], LimitExchange[1],
			fmt.Sprintf("only %.1f %% of the exchanges between two inverse temperatures succeed: "+
				"use more of them", 100*least)))
	}
	return all
}
