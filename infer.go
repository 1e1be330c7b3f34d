package tobac

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/exact"
	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Evidence says what the data say about a model.
type Evidence struct {
	Model string
	// Log is the log marginal likelihood of the data, in nats, everything else averaged out: over graphs or
	// orders, numbers of edges and noise variances. NaN: unknown.
	Log float64
	// Note says why it is unknown, or what it leaves out; "" if there is nothing to say.
	Note string
}

// inference is a posterior that was computed from node scores in closed form: that
// of the model which the data support among those asked about.
type inference struct {
	model    Scored
	evidence []Evidence // of all models asked about
	reason   string     // why this model
	note     string     // what the listed probabilities are
	density  float64    // posterior mean of the edges per node of the prior
	parts    []part
	post     *posterior.Posterior
	orders   [][]int // of the draws; an entry may be nil
}

// A part is the exact posterior under one hypothesis and one number of edges.
type part struct {
	hypothesis Hypothesis
	density    float64
	prior      *score.Prior
	orders     *exact.Orders // all orders; nil: given one
	graphs     *exact.Graphs // all graphs; nil: too many to sum over
	given      *exact.Given  // given an order
	evidence   float64       // log p(D), with the prior of the hypothesis and of the number of edges
	weight     float64       // among the parts
}

// Limits of what is averaged over rather than estimated.
const (
	mixedVariables = 12   // variables up to which noise variances and numbers of edges are averaged over
	negligible     = 12.0 // nats behind the best from which on a part is left out
	posteriorDraws = 1000 // draws of a posterior in closed form
	allGraphs      = 15   // variables up to which evidences are sums over all graphs
	graphTerms     = 4e8  // terms of a sum over all graphs that is tried with more variables
)

// inferExact computes the exact posterior: over all orders, or given a known
// one.
func inferExact(ctx context.Context, data *dataset.Table, models []Scored, cfg *Config) (*inference, error) {
	var best *inference
	var all []Evidence
	for _, m := range models {
		if note := tooDear(m, models, data); note != "" {
			all = append(all, Evidence{Model: m.String(), Log: math.NaN(), Note: note})
			continue
		}
		inf, err := exactUnder(ctx, data, m, cfg)
		if err != nil {
			return nil, err
		}
		all = append(all, Evidence{Model: m.String(), Log: inf.logEvidence()})
		if best == nil || inf.logEvidence() > best.logEvidence() {
			best = inf
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no model can be computed: %s", all[0].Note)
	}
	best.evidence = all
	best.reason = reason(all, best.model)
	return best, best.finish(ctx, data, cfg)
}

// tooDear says why a model is left out of a comparison.
func tooDear(m Scored, models []Scored, data *dataset.Table) string {
	if v, ok := m.(Demanding); ok && len(models) > 1 {
		n, d := data.X.Dims()
		return v.TooDear(n, d)
	}
	return ""
}

// exactUnder computes the evidences of a model's hypotheses.
func exactUnder(ctx context.Context, data *dataset.Table, m Scored, cfg *Config) (*inference, error) {
	d := len(data.Names)
	inf := &inference{model: m}
	densities := cfg.Prior.densities(d)
	first := densities[len(densities)-1]
	if d > mixedVariables && len(densities) > 1 {
		first = 1
	}
	prior, err := cfg.closedPrior(d, first)
	if err != nil {
		return nil, err
	}
	hypotheses, err := m.Hypotheses(ctx, data, prior, cfg.Workers)
	if err == nil && d > mixedVariables {
		hypotheses, err = estimated(ctx, hypotheses, prior, cfg)
	}
	if err != nil {
		return nil, err
	}
	for _, h := range hypotheses {
		p, err := newPart(ctx, h, first, d, cfg)
		if err != nil {
			return nil, err
		}
		inf.parts = append(inf.parts, p)
	}
	inf.drop()
	switch {
	case len(densities) == 1:
	case d <= mixedVariables:
		for _, p := range slices.Clone(inf.parts) {
			for _, e := range densities[:len(densities)-1] {
				q, err := newPart(ctx, p.hypothesis, e, d, cfg)
				if err != nil {
					return nil, err
				}
				inf.parts = append(inf.parts, q)
			}
		}
		inf.drop()
	default:
		// The evidence is greatest where prior and posterior expect as many edges.
		p := inf.parts[0]
		if e := nearest(densities, p.expectedEdges(d)/float64(d)); e != first {
			if inf.parts[0], err = newPart(ctx, p.hypothesis, e, d, cfg); err != nil {
				return nil, err
			}
		}
	}
	for k := range inf.parts {
		inf.parts[k].evidence -= math.Log(float64(len(densities)))
	}
	return inf, nil
}

// closedPrior is the prior of the engine exact.
func (c *Config) closedPrior(d int, density float64) (*score.Prior, error) {
	if c.Order.Known != nil {
		return c.Prior.alongOrder(d, density)
	}
	return c.Prior.modular(d, density)
}

// estimated is the hypothesis that suits the best graph, of several: first that under
// the middle one, then that under the estimate.
func estimated(ctx context.Context, all []Hypothesis, prior *score.Prior, cfg *Config) ([]Hypothesis, error) {
	chosen := len(all) / 2
	for round := 0; round < 2 && len(all) > 1; round++ {
		g, err := bestGraph(ctx, all[chosen].Scores, prior, cfg)
		if err != nil {
			return nil, err
		}
		better := suiting(all, g)
		if better == chosen {
			break
		}
		chosen = better
	}
	return all[chosen : chosen+1], nil
}

// suiting is the hypothesis under which a graph has the greatest density.
func suiting(all []Hypothesis, g *dag.Graph) int {
	best, highest := 0, math.Inf(-1)
	for k, h := range all {
		if v := logScore(h.Scores, g) + h.LogWeight; v > highest {
			best, highest = k, v
		}
	}
	return best
}

// bestGraph is the most probable graph, along the known order if there is one.
func bestGraph(ctx context.Context, s score.Scorer, prior *score.Prior, cfg *Config) (*dag.Graph, error) {
	opt := exact.Options{Workers: cfg.Workers}
	if cfg.Order.Known != nil {
		p, err := exact.GivenOrder(ctx, s, prior, cfg.Order.Known, opt)
		if err != nil {
			return nil, err
		}
		g, _ := p.Best()
		return g, nil
	}
	p, err := exact.New(ctx, s, prior, opt)
	if err != nil {
		return nil, err
	}
	g, _, err := p.Best(ctx)
	return g, err
}

// logScore is that of a graph.
func logScore(s score.Scorer, g *dag.Graph) float64 {
	sum := 0.0
	for j := range g.Len() {
		sum += s.LogScore(j, g.Parents(j))
	}
	return sum
}

// nearest is the entry of an ascending list that is nearest to x on the
// logarithmic scale.
func nearest(list []float64, x float64) float64 {
	best := list[0]
	for _, v := range list {
		if math.Abs(math.Log(v/x)) < math.Abs(math.Log(best/x)) {
			best = v
		}
	}
	return best
}

// newPart computes the posterior under one hypothesis.
func newPart(ctx context.Context, h Hypothesis, density float64, d int, cfg *Config) (part, error) {
	p := part{hypothesis: h, density: density}
	var err error
	if p.prior, err = cfg.closedPrior(d, density); err != nil {
		return p, err
	}
	opt := exact.Options{Workers: cfg.Workers}
	if cfg.Order.Known != nil {
		if p.given, err = exact.GivenOrder(ctx, h.Scores, p.prior, cfg.Order.Known, opt); err != nil {
			return p, err
		}
		normaliser, err := exact.GivenOrder(ctx, noData(d), p.prior, cfg.Order.Known, opt)
		if err != nil {
			return p, err
		}
		p.evidence = p.given.LogEvidence() - normaliser.LogEvidence() + h.LogWeight
		return p, nil
	}
	all, err := exact.New(ctx, h.Scores, p.prior, opt)
	if err != nil {
		return p, err
	}
	if p.orders, err = all.Orders(ctx); err != nil {
		return p, err
	}
	p.evidence = p.orders.LogEvidence() + h.LogWeight
	if d > allGraphs {
		normaliser, err := exact.LogPriorOrders(ctx, p.prior, opt)
		p.evidence -= normaliser
		return p, err
	}
	if p.graphs, err = p.orders.Graphs(ctx); err != nil {
		return p, err
	}
	normaliser, err := exact.LogPriorGraphs(ctx, p.prior, opt)
	p.evidence = p.graphs.LogEvidence() + h.LogWeight - normaliser
	return p, err
}

// draws are n independent draws of an order and a graph.
func (p *part) draws(ctx context.Context, n int, seed uint64) ([]exact.Draw, error) {
	if p.given != nil {
		return p.given.Draws(ctx, n, seed)
	}
	return p.orders.Draws(ctx, n, seed)
}

// noData is the score of no rows.
func noData(d int) score.Scorer {
	return score.NewFunc(d, func(int, []int) float64 { return 0 })
}

// expectedEdges is the posterior mean of the number of edges.
func (p *part) expectedEdges(int) float64 { return mat.Sum(p.edges()) }

// edges are the edge probabilities.
func (p *part) edges() *mat.Dense {
	switch {
	case p.given != nil:
		return p.given.Edges()
	case p.graphs != nil:
		return p.graphs.Edges()
	}
	return p.orders.Edges()
}

// drop leaves out the parts that are far behind the best.
func (inf *inference) drop() {
	best := math.Inf(-1)
	for _, p := range inf.parts {
		best = math.Max(best, p.evidence)
	}
	inf.parts = slices.DeleteFunc(inf.parts, func(p part) bool { return p.evidence < best-negligible })
}

// logEvidence is log p(D) under the model.
func (inf *inference) logEvidence() float64 {
	all := make([]float64, len(inf.parts))
	for k, p := range inf.parts {
		all[k] = p.evidence
	}
	return floats.LogSumExp(all)
}

// reason says why a model was taken.
func reason(all []Evidence, m Model) string {
	if len(all) == 1 {
		return "as asked for"
	}
	own, next := math.Inf(-1), Evidence{Log: math.Inf(-1)}
	for _, e := range all {
		switch {
		case e.Model == m.String():
			own = e.Log
		case e.Log > next.Log:
			next = e
		}
	}
	if math.IsInf(next.Log, -1) {
		return "the only one that could be computed"
	}
	return fmt.Sprintf("the data support it by %.1f nats against %s", own-next.Log, next.Model)
}

// finish puts the parts together: probabilities, draws and the moments of
// weights.
func (inf *inference) finish(ctx context.Context, data *dataset.Table, cfg *Config) error {
	if p := &inf.parts[0]; p.orders != nil && p.graphs == nil {
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
	for k := range inf.parts {
		p := &inf.parts[k]
		p.weight = math.Exp(p.evidence - total)
		inf.density += p.weight * p.density
		var scaled mat.Dense
		scaled.Scale(p.weight, p.edges())
		probabilities.Add(probabilities, &scaled)
	}
	probabilities.Apply(func(_, _ int, v float64) float64 { return math.Min(1, math.Max(0, v)) }, probabilities)
	for k, n := range allot(posteriorDraws, inf.parts) {
		some, err := inf.parts[k].draws(ctx, n, stream.Seed(cfg.Seed, stream.PosteriorPart, k))
		if err != nil {
			return err
		}
		draws = append(draws, some...)
		for range some {
			of = append(of, k)
		}
	}
	switch {
	case cfg.Order.Known != nil:
		inf.note = "over all graphs along the given order"
	case inf.parts[0].graphs != nil:
		inf.note = "over all graphs"
	default:
		inf.note = "over all orders: a graph counts once for each of its orders"
	}
	inf.post = &posterior.Posterior{Names: slices.Clone(data.Names), Engine: Exact.String(), Model: inf.model.String(), Kind: posterior.Draws,
		Marginals: posterior.Marginals{Probabilities: probabilities}, Draws: make([]posterior.Draw, len(draws))}
	inf.orders = make([][]int, len(draws))
	for k, draw := range draws {
		inf.orders[k] = draw.Order
		inf.post.Draws[k] = posterior.Draw{Graph: draw.Graph, LogWeight: draw.LogWeight, LogPrior: math.NaN(), LogLikelihood: math.NaN()}
	}
	inf.post.Components = []posterior.Component{{Order: slices.Clone(cfg.Order.Known), Draws: len(draws), Weight: 1, LogEvidence: total}}
	scorers := make([]score.Scorer, len(draws))
	for k := range scorers {
		scorers[k] = inf.parts[of[k]].hypothesis.Scores
	}
	return addEquations(ctx, data, inf.post, scorers, cfg)
}

// allot divides n draws among parts by their weights: the largest remainders round
// up.
func allot(n int, parts []part) []int {
	counts, left := make([]int, len(parts)), n
	order := make([]int, len(parts))
	for k, p := range parts {
		counts[k], order[k] = int(p.weight*float64(n)), k
		left -= counts[k]
	}
	rest := func(k int) float64 { return parts[k].weight*float64(n) - float64(counts[k]) }
	remainders := make([]float64, len(parts))
	for k := range parts {
		remainders[k] = rest(k)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case remainders[a] > remainders[b]:
			return -1
		case remainders[a] < remainders[b]:
			return 1
		}
		return 0
	})
	for i := range max(left, 0) {
		counts[order[i%len(order)]]++
	}
	return counts
}

// emptyEquations are those of the graph without edges, under the score of the first
// draw.
func emptyEquations(s score.Weighted) *posterior.Equations {
	d := s.Vars()
	e := &posterior.Equations{Weights: mat.NewDense(d, d, nil), Intercepts: make([]float64, d), NoiseVariances: make([]float64, d)}
	for j := range d {
		q := s.Equation(j, nil)
		e.Intercepts[j], e.NoiseVariances[j] = q.Intercept, q.NoiseVariance
	}
	return e
}

// addEquations draws the parameters of every graph, with the scores of its
// hypothesis, and sets the moments of the weights: those of the mixture, over the
// draws that have the edge, of the weight's posterior given the graph.
func addEquations(ctx context.Context, data *dataset.Table, p *posterior.Posterior, scorers []score.Scorer, cfg *Config) error {
	if _, ok := scorers[0].(score.Weighted); !ok {
		return nil
	}
	for k := range p.Components {
		p.Components[k].Empty = emptyEquations(scorers[0].(score.Weighted))
	}
	d := len(p.Names)
	mean, _ := data.Moments()
	given := make([]*posterior.Equations, len(p.Draws)) // posterior moments given the graph
	err := parallel.For(ctx, len(p.Draws), cfg.Workers, func(k int) error {
		rng := stream.New(cfg.Seed, stream.Equations, k)
		g, w := p.Draws[k].Graph, scorers[k].(score.Weighted)
		e := &posterior.Equations{Weights: mat.NewDense(d, d, nil), Intercepts: make([]float64, d), NoiseVariances: make([]float64, d)}
		moments := &posterior.Equations{Weights: mat.NewDense(d, d, nil), WeightSD: mat.NewDense(d, d, nil), NoiseVariances: make([]float64, d)}
		for j := range d {
			parents := g.Parents(j)
			q := w.Equation(j, parents)
			drawn := q.Sample(nil, rng)
			e.Intercepts[j] = q.Intercept // through the means of the columns
			for a, i := range parents {
				e.Intercepts[j] += (q.Mean[a] - drawn[a]) * mean[i]
				moments.Weights.Set(i, j, q.Mean[a])
				moments.WeightSD.Set(i, j, math.Sqrt(q.Cov.At(a, a)))
				e.Weights.Set(i, j, drawn[a])
			}
			e.NoiseVariances[j], moments.NoiseVariances[j] = q.NoiseVariance, q.NoiseVariance
		}
		p.Draws[k].Equations, given[k] = e, moments
		return nil
	})
	if err != nil {
		return err
	}
	known := *p
	known.Draws = slices.Clone(p.Draws)
	for k := range known.Draws {
		known.Draws[k].Equations = given[k]
	}
	m := known.Frequencies()
	p.WeightMean, p.WeightSD = m.WeightMean, m.WeightSD
	return nil
}

// consistentOrders are n orders drawn from the posterior, each a linear extension of a drawn
// graph, for SVGD to sample under.
func (inf *inference) drawnOrders(n int, seed uint64) []weightedOrder {
	rng := stream.New(seed, stream.PosteriorOrders)
	weights := inf.post.Empirical().Weights()
	all := make([]weightedOrder, n)
	for k := range all {
		u, at := rng.Float64(), 0
		for u -= weights[0]; u > 0 && at < len(weights)-1; u -= weights[at] {
			at++
		}
		order := inf.orders[at]
		if order == nil {
			order = randomExtension(inf.post.Draws[at].Graph, rng.IntN)
		}
		all[k] = weightedOrder{order: order, seed: orderSeed(seed, k), logWeight: -math.Log(float64(n)), evidence: math.NaN()}
	}
	return all
}

// randomExtension is an order that agrees with an acyclic graph: at each position
// one of the variables whose parents all came before, each as likely as the others.
func randomExtension(g *dag.Graph, intN func(int) int) []int {
	d := g.Len()
	missing := make([]int, d)
	for _, e := range g.Edges() {
		missing[e.To]++
	}
	var order, free []int
	for j, n := range missing {
		if n == 0 {
			free = append(free, j)
		}
	}
	for len(free) > 0 {
		k := intN(len(free))
		j := free[k]
		free = slices.Delete(free, k, k+1)
		order = append(order, j)
		for c := range d {
			if g.Has(j, c) {
				if missing[c]--; missing[c] == 0 {
					free = append(free, c)
				}
			}
		}
	}
	return order
}
