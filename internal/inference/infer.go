package inference

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/exact"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/refinement"
	"tobac/internal/stream"
	"tobac/internal/trust"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An Inference is a posterior that was computed from node scores in closed form: that
// of the model which the data support among those compared.
type Inference struct {
	engine.Outcome
	hypotheses []sem.Hypothesis
	trust      trust.Trust // part of their evidence that counts
	doubt      trust.Doubt // why the form of the equations counts in part
	Parts      []Part
}

// A candidate is a model that is compared.
type candidate struct {
	model    sem.Scored
	evidence float64
	inf      *Inference // nil means given up to save memory
	again    *level     // of which it is computed again
}

// A comparison is one of models by their evidence.
type comparison struct {
	data    *dataset.Table
	problem *engine.Problem
	trust   trust.Trust

	models   []sem.Scored
	compared []candidate    // those that can be computed
	all      []sem.Evidence // of all models, in their sequence
}

// Infer computes the exact posterior: over all orders, or given a known
// one.
func Infer(ctx context.Context, data *dataset.Table, models []sem.Scored, problem *engine.Problem,
	t trust.Trust) (*Inference, error) {
	c := &comparison{data: data, problem: problem, trust: t, models: models}
	compute := c.each
	if len(data.Names) > refinement.MixedVariables && problem.Order.Known == nil &&
		len(models) > 1 {
		compute = c.byLevels
	}
	if err := compute(ctx); err != nil {
		return nil, err
	}
	if len(c.compared) == 0 {
		return nil, fmt.Errorf("no model can be computed: %s", c.all[0].Note)
	}
	slices.SortStableFunc(c.compared, func(a, b candidate) int {
		return cmp.Compare(b.evidence, a.evidence)
	})
	most := c.compared[0]
	at := slices.IndexFunc(c.compared, func(other candidate) bool {
		return t.Prefers(other.model, most.model, most.evidence-other.evidence, data)
	})
	if at > 0 {
		preferred := c.compared[at]
		c.compared = slices.Insert(slices.Delete(c.compared, at, at+1), 0, preferred)
	}
	best, first, finding, err := c.examine(ctx)
	if err != nil {
		return nil, err
	}
	best.Doubted = best.doubt.Refuted != "" || best.doubt.Basis != ""
	best.Evidence = c.all
	best.Reason = Reason(c.all)
	if at > 0 {
		best.Reason = fmt.Sprintf(Although+"%v by %.1f nats more, of which %.1f count for "+
			"measurements, because it has noise of any shape",
			most.model, most.evidence-c.compared[0].evidence,
			(most.evidence-c.compared[0].evidence)*best.trust.Form)
	}
	passed := first != nil && best != first
	if passed {
		best.Reason = fmt.Sprintf(Although+"%v by %.1f nats more, but refute its form",
			c.compared[0].model, c.compared[0].evidence-best.logEvidence())
	}
	if err := best.finish(ctx, data, problem); err != nil {
		return nil, err
	}
	if passed {
		best.Posterior.Warnings = append(best.Posterior.Warnings, fmt.Sprintf(
			"%v has %.1f nats more evidence than %v, but there %s; directions that %[3]v tells "+
				"may be wrong, as it fits worse",
			c.compared[0].model, c.compared[0].evidence-best.logEvidence(), best.Best, finding))
	}
	return best, nil
}

// each computes one model after the other.
func (c *comparison) each(ctx context.Context) error {
	for _, m := range c.models {
		if note := LeftOut(m, c.models, c.data, c.all, c.trust); note != "" {
			c.all = append(c.all, sem.Evidence{Model: m.String(), Log: math.NaN(), Note: note})
			continue
		}
		inf, err := under(ctx, c.data, m, c.problem, c.trust)
		if err != nil {
			return err
		}
		c.keep(m, inf, nil)
		c.all = append(c.all, sem.Evidence{Model: m.String(), Log: inf.logEvidence()})
	}
	return nil
}

// byLevels computes the models that one probable graph does not leave far behind.
func (c *comparison) byLevels(ctx context.Context) error {
	found, listed, err := levels(ctx, c.data, c.models, c.problem, c.trust)
	if err != nil {
		return err
	}
	c.all = listed
	for k, l := range found {
		if k > 0 && l.value < found[0].value-behind {
			c.all[l.at] = sem.Evidence{Model: l.model.String(), Note: ByGraph,
				Log: c.compared[0].evidence - (found[0].value - l.value)}
			continue
		}
		inf, err := l.infer(ctx, c.data, c.problem, c.trust)
		if err != nil {
			return err
		}
		c.keep(l.model, inf, &found[k])
		c.all[l.at] = sem.Evidence{Model: l.model.String(), Log: inf.logEvidence()}
	}
	return nil
}

// keep adds a candidate. Where posteriors are large, only that of the greatest evidence stays in
// memory.
func (c *comparison) keep(m sem.Scored, inf *Inference, again *level) {
	next := candidate{m, inf.logEvidence(), inf, again}
	if len(c.data.Names) > Kept && c.problem.Order.Known == nil {
		for k := range c.compared {
			if c.compared[k].evidence >= next.evidence {
				next.inf = nil
			} else {
				c.compared[k].inf = nil
			}
		}
	}
	c.compared = append(c.compared, next)
}

// examine finds the greatest evidence among the models whose form is not refuted. Where all that
// read directions off their form and have more evidence than the others are refuted, it is that of
// another model with noise of any kind or, without one, the first of them, which counts in part.
// first is the first one that is refuted, nil means none, and finding says why.
func (c *comparison) examine(ctx context.Context) (best, first *Inference, finding string,
	err error) {
	formed := true // all models so far read directions off their form
	for _, other := range c.compared {
		traits := sem.TraitsOf(other.model)
		formed = formed && traits.Formed
		if first != nil && !formed && (traits.Formed || !traits.AnyNoise) {
			continue
		}
		inf := other.inf
		if inf == nil { // the same again, to the bit
			if inf, err = other.again.infer(ctx, c.data, c.problem, c.trust); err != nil {
				return nil, nil, "", err
			}
		}
		lower, why := c.trust, trust.Doubt{}
		if len(c.models) > 1 || c.problem.Model == nil {
			if lower, why, err = inf.trustIn(ctx, c.data, c.problem); err != nil {
				return nil, nil, "", err
			}
		}
		if why.Refuted == "" && lower.SameEvidence(c.trust) {
			inf.doubt, inf.trust = why, lower
			return inf, first, finding, nil
		}
		if why.Refuted != "" && first != nil {
			continue
		}
		if inf, err = inf.coarse(ctx, c.data, c.problem, lower, why); err != nil {
			return nil, nil, "", err
		}
		if why.Refuted == "" {
			return inf, first, finding, nil
		}
		first, finding = inf, why.Finding
	}
	return first, first, finding, nil
}

// Reason says why a model was taken.
func Reason(all []sem.Evidence) string {
	if len(all) == 1 {
		return "as asked for"
	}
	best, next := BestTwo(all)
	if math.IsInf(next.Log, -1) {
		return "the others are left out of the comparison"
	}
	return fmt.Sprintf("the data support it by %.1f nats over %s", best.Log-next.Log, next.Model)
}

// under computes the evidences of a model's hypotheses, of which a part counts.
func under(ctx context.Context, data *dataset.Table, m sem.Scored, problem *engine.Problem,
	t trust.Trust) (*Inference, error) {
	d := len(data.Names)
	prior, err := problems.ClosedPrior(problem, d, FirstDensity(problem, d))
	if err != nil {
		return nil, err
	}
	problem.Doing(name, "scoring sets of parents, model "+m.String())
	hypotheses, err := m.Hypotheses(ctx, data, prior, problem.Workers)
	if err == nil && d > refinement.MixedVariables {
		hypotheses, _, err = chosen(ctx, hypotheses, prior, problem)
	}
	if err != nil {
		return nil, err
	}
	return (&level{model: m, hypotheses: hypotheses, prior: prior}).infer(ctx, data, problem, t)
}

// FirstDensity is the number of edges per node of the prior that evidences are computed under
// first.
func FirstDensity(p *engine.Problem, d int) float64 {
	densities := priors.Densities(&p.Prior, d)
	if d > refinement.MixedVariables && len(densities) > 1 {
		return 1
	}
	return densities[len(densities)-1]
}

// exactOver computes the evidences of given hypotheses, of which a part counts.
func exactOver(ctx context.Context, data *dataset.Table, m sem.Scored, hypotheses []sem.Hypothesis,
	problem *engine.Problem, t trust.Trust) (*Inference, error) {
	d := len(data.Names)
	inf := &Inference{Outcome: engine.Outcome{Best: m}, hypotheses: hypotheses, trust: t}
	hypotheses, err := t.Of(ctx, data, hypotheses, problem.Workers)
	if err != nil {
		return nil, err
	}
	densities, first := priors.Densities(&problem.Prior, d), FirstDensity(problem, d)
	for k, h := range hypotheses {
		problem.Doing(name, fmt.Sprintf("summing over orders and graphs, part %d of %d, model %s",
			k+1, len(hypotheses), m))
		p, err := newPart(ctx, h, first, d, problem)
		if err != nil {
			return nil, err
		}
		inf.Parts = append(inf.Parts, p)
	}
	inf.settleUnits()
	inf.drop()
	switch {
	case len(densities) == 1:
	case d <= refinement.MixedVariables:
		for _, p := range slices.Clone(inf.Parts) {
			for _, e := range densities[:len(densities)-1] {
				q, err := newPart(ctx, p.Hypothesis, e, d, problem)
				if err != nil {
					return nil, err
				}
				inf.Parts = append(inf.Parts, q)
			}
		}
		inf.drop()
	default:
		// The evidence is greatest where prior and posterior expect as many edges.
		p := inf.Parts[0]
		if err := p.prepare(ctx); err != nil {
			return nil, err
		}
		if e := Nearest(densities, p.expectedEdges(d)/float64(d)); e != first {
			var err error
			if inf.Parts[0], err = newPart(ctx, p.Hypothesis, e, d, problem); err != nil {
				return nil, err
			}
		}
	}
	for k := range inf.Parts {
		inf.Parts[k].evidence -= math.Log(float64(len(densities)))
	}
	return inf, nil
}

// Nearest is the entry of an ascending list that is nearest to x on the
// logarithmic scale.
func Nearest(list []float64, x float64) float64 {
	best := list[0]
	for _, v := range list {
		if math.Abs(math.Log(v/x)) < math.Abs(math.Log(best/x)) {
			best = v
		}
	}
	return best
}

// settleUnits leaves out the hypotheses in the units of the data, where there are others,
// unless they have the greater evidence together.
func (inf *Inference) settleUnits() {
	var in, free []float64
	for _, p := range inf.Parts {
		if p.Hypothesis.InUnits {
			in = append(in, p.evidence)
		} else {
			free = append(free, p.evidence)
		}
	}
	if len(in) > 0 && len(free) > 0 && floats.LogSumExp(in) <= floats.LogSumExp(free) {
		inf.Parts = slices.DeleteFunc(inf.Parts, func(p Part) bool { return p.Hypothesis.InUnits })
	}
}

// WithUnits adds to what directions follow from under a model that hypotheses in the units of the
// data fit best.
func WithUnits(basis string, m sem.Model) string {
	return cmp.Or(basis, sem.TraitsOf(m).DirectionsFrom) + ". Equal noise variances in the units " +
		"of the data identify them as well: other units of a column (g for kg) could reverse them"
}

// inUnits reports whether hypotheses in the units of the data were chosen.
func (inf *Inference) inUnits() bool {
	return slices.ContainsFunc(inf.Parts, func(p Part) bool { return p.Hypothesis.InUnits })
}

// drop leaves out the parts that are far behind the best.
func (inf *Inference) drop() {
	best := math.Inf(-1)
	for _, p := range inf.Parts {
		best = math.Max(best, p.evidence)
	}
	inf.Parts = slices.DeleteFunc(inf.Parts, func(p Part) bool {
		return p.evidence < best-negligible
	})
}

// logEvidence is log p(D) under the model.
func (inf *Inference) logEvidence() float64 {
	all := make([]float64, len(inf.Parts))
	for k, p := range inf.Parts {
		all[k] = p.evidence
	}
	return floats.LogSumExp(all)
}

// equalMean shifts the log weights of draws so that their weights have the mean 1: the draws of a
// part count by their number, whatever the number of linear extensions of its graphs.
func equalMean(draws []exact.Draw) []exact.Draw {
	if len(draws) == 0 {
		return draws
	}
	all := logWeights(draws)
	shift := floats.LogSumExp(all) - math.Log(float64(len(all)))
	for k := range draws {
		draws[k].LogWeight -= shift
	}
	return draws
}

// shareCopies shares the edges of copies of columns, as [Copies.Share] does.
func (inf *Inference) shareCopies(data *dataset.Table, draws []exact.Draw, probabilities *mat.Dense,
	problem *engine.Problem) error {
	prior, err := problems.ClosedPrior(problem, len(data.Names), inf.Parts[0].density)
	if err != nil || problem.Order.Known != nil {
		return err
	}
	c := FindCopies(data, prior)
	if !c.Any() {
		return nil
	}
	graphs, weight := graphsOf(draws)
	c.Share(graphs, probabilities, weight, problem.Seed)
	for k := range draws {
		draws[k].Graph = graphs[k]
	}
	return nil
}

// turn draws the directions of graphs, each of a part, anew, as [Turning.Turn] does.
func (inf *Inference) turn(ctx context.Context, draws []exact.Draw, of []int,
	probabilities *mat.Dense, problem *engine.Problem) error {
	d, _ := probabilities.Dims()
	prior, err := problems.ClosedPrior(problem, d, inf.likeliest().density)
	if err != nil {
		return err
	}
	graphs, weight := graphsOf(draws)
	t := Turning{Part: inf.trust.Directions, Prior: prior, Of: of,
		Workers: problem.Workers}
	for _, p := range inf.Parts {
		t.Scores = append(t.Scores, inf.trust.Directing(p.Hypothesis.Scores))
	}
	if err := t.Turn(ctx, graphs, probabilities, weight, problem.Seed); err != nil {
		return err
	}
	for k := range draws {
		draws[k].Graph = graphs[k]
	}
	return nil
}

// graphsOf are drawn graphs and their weights.
func graphsOf(draws []exact.Draw) (graphs []*dag.Graph, weight []float64) {
	for _, d := range draws {
		graphs, weight = append(graphs, d.Graph), append(weight, math.Exp(d.LogWeight))
	}
	return graphs, weight
}

// finish puts the parts together: probabilities, draws and the moments of
// weights.
func (inf *Inference) finish(ctx context.Context, data *dataset.Table,
	problem *engine.Problem) (err error) {
	problem.Doing(name, "computing edge probabilities and drawing graphs")
	if p := &inf.Parts[0]; p.orders != nil && p.graphs == nil {
		terms, err := p.orders.GraphsCost(ctx)
		if err == nil && terms <= graphTerms {
			p.graphs, err = p.orders.Graphs(ctx)
		}
		if err != nil {
			return err
		}
	}
	total := inf.logEvidence()
	var draws []exact.Draw
	var of []int // part of each draw
	d := len(data.Names)
	probabilities := mat.NewDense(d, d, nil)
	likeliest := inf.likeliest()
	inf.Hypothesis = &likeliest.Hypothesis
	for k := range inf.Parts {
		p := &inf.Parts[k]
		if err := p.prepare(ctx); err != nil {
			return err
		}
		p.weight = math.Exp(p.evidence - total)
		inf.EdgesPerNode += p.weight * p.density
		var scaled mat.Dense
		scaled.Scale(p.weight, p.edges())
		probabilities.Add(probabilities, &scaled)
	}
	probabilities.Apply(func(_, _ int, v float64) float64 { return math.Min(1, math.Max(0, v)) },
		probabilities)
	priors.Settle(&problem.Prior, probabilities)
	for k, n := range allot(DrawsOf(problem), inf.Parts) {
		some, err := inf.Parts[k].weightedDraws(ctx, n,
			stream.Seed(problem.Seed, stream.PosteriorPart, k), problem)
		if err != nil {
			return err
		}
		draws = append(draws, equalMean(some)...)
		for range some {
			of = append(of, k)
		}
	}
	if err := inf.shareCopies(data, draws, probabilities, problem); err != nil {
		return err
	}
	if inf.trust.Directions < 1 && problem.Order.Known == nil {
		if err := inf.turn(ctx, draws, of, probabilities, problem); err != nil {
			return err
		}
	}
	switch {
	case problem.Order.Known != nil:
		inf.Sum = "over all graphs along the given order"
	case inf.Parts[0].graphs != nil:
		inf.Sum = "over all graphs"
	default:
		inf.Sum = "over all orders: a graph counts once for each of its orders"
	}
	inf.Posterior = &posterior.Posterior{Names: slices.Clone(data.Names), Engine: name,
		Model: inf.Best.String(), Kind: posterior.Draws,
		Marginals: posterior.Marginals{Probabilities: probabilities},
		Draws:     make([]posterior.Draw, len(draws))}
	inf.Basis = inf.doubt.Basis
	if inf.doubt.Refuted != "" {
		inf.Posterior.Warnings = append(inf.Posterior.Warnings, inf.doubt.Refuted)
	}
	if inf.doubt.Beside != "" {
		inf.Posterior.Warnings = append(inf.Posterior.Warnings, inf.doubt.Beside)
	}
	if err := inf.formWarnings(ctx, data, problem, likeliest, probabilities); err != nil {
		return err
	}
	if inf.inUnits() {
		inf.Basis = WithUnits(inf.Basis, inf.Best)
	}
	for k, draw := range draws {
		inf.Posterior.Draws[k] = posterior.Draw{Graph: draw.Graph, LogWeight: draw.LogWeight,
			LogPrior: math.NaN(), LogLikelihood: math.NaN()}
	}
	inf.Posterior.Components = []posterior.Component{{Order: slices.Clone(problem.Order.Known),
		Draws: len(draws), Weight: 1, LogEvidence: total}}
	scorers := make([]score.Scorer, len(draws))
	for k := range scorers {
		scorers[k] = inf.Parts[of[k]].Hypothesis.Scores
	}
	n, _ := data.X.Dims()
	inf.Functional = drawn.NewFunctional(scorers, n, problem.Seed, problem.Workers)
	if err := AddEquations(ctx, data, inf.Posterior, scorers, problem); err != nil {
		return err
	}
	inf.Posterior.WeightMean, inf.Posterior.WeightSD, err = inf.weights(ctx, d, problem)
	return err
}

// formWarnings says what else there is to be said of the form of equations under a hypothesis, and
// which directions hidden common causes explain better, or as well.
func (inf *Inference) formWarnings(ctx context.Context, data *dataset.Table,
	problem *engine.Problem, likeliest Part, probabilities *mat.Dense) error {
	reserved, ok := sem.As[trust.Reserved](inf.Best)
	if traits := sem.TraitsOf(inf.Best); !ok && !traits.Formed && !traits.Equivalent {
		return nil
	}
	g, err := likeliest.probable(ctx, problem)
	if err != nil {
		return err
	}
	say := func(text string) {
		if text != "" {
			inf.Posterior.Warnings = append(inf.Posterior.Warnings, text)
		}
	}
	if ok {
		say(reserved.FormNote(data, g, trust.FormOf(likeliest.Hypothesis.Scores)))
	}
	basis, warnings, err := HiddenCauses(ctx, data, inf.Best, inf.trust, g, likeliest.scores(),
		probabilities, problem)
	if inf.Basis == "" {
		inf.Basis = basis
	}
	inf.Posterior.Warnings = append(inf.Posterior.Warnings, warnings...)
	return err
}

// HiddenCauses is [trust.Trust.Hidden] of the edges of a graph that are probable enough to be said.
func HiddenCauses(ctx context.Context, data *dataset.Table, m sem.Model, t trust.Trust,
	g *dag.Graph, s score.Scorer, probabilities *mat.Dense, problem *engine.Problem) (basis string,
	warnings []string, err error) {
	fixed := problem.Prior.Fixed(len(data.Names))
	said := trust.Said{Graph: g,
		Known: func(e dag.Edge) bool { return fixed.At(e.To, e.From) == 0 }}
	for _, e := range g.Edges() {
		p := probabilities.At(e.From, e.To)
		if p >= posterior.Directed {
			said.Directed = append(said.Directed, e)
		}
		if p+probabilities.At(e.To, e.From) >= posterior.Directed {
			said.Adjacent = append(said.Adjacent, e)
		}
	}
	return t.Hidden(ctx, data, m, s, said, problem.Workers)
}

// TrustOf is the part of the evidence that counts where rows depend on each other. It sets
// p.Counted where that is not all.
func TrustOf(p *engine.Problem) trust.Trust {
	if p.Shared.Sequence != nil {
		if s := p.Shared.Sequence(); s.Dependent() {
			p.Counted = true
			t := trust.WholeTrust
			t.Rows = s.Effective / float64(s.Rows)
			return t
		}
	}
	return trust.WholeTrust
}
