package reference

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/estimated"
	"tobac/internal/exact"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/inspect"
	"tobac/internal/orders"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/trust"
	"tobac/models"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// A builder computes a reference.
type builder struct {
	problem *engine.Problem // of the run, with the data as the run was given them
	engine  engine.Settings // of the run
	result  *tobac.Result
	ref     *Posterior

	given *engine.Given
}

func (b *builder) build(ctx context.Context) error {
	components := b.orders()
	if len(components) == 0 {
		return fmt.Errorf("the posterior has no components, and so no order of those that the "+
			"method %v found", b.problem.Order.Method)
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	var parts []posterior.Marginals
	var weights []float64
	for k, c := range components {
		inf, networks, err := b.under(ctx, k, c)
		if err != nil {
			return err
		}
		order := c.Order
		if !b.conditional() {
			order = nil
		}
		b.ref.conditionals = append(b.ref.conditionals, conditional{order, c.Weight, inf, networks})
		parts, weights = append(parts, inf.Posterior.Marginals), append(weights, c.Weight)
	}
	b.ref.Marginals = parts[0]
	if len(parts) > 1 {
		b.ref.Marginals = posterior.MixMarginals(parts, weights)
	}
	return nil
}

// conditional reports whether the posterior follows orders that are no draws from a posterior of
// them.
func (b *builder) conditional() bool { return !b.problem.OverOrders() }

// orders are the components of the posterior, or one without an order.
func (b *builder) orders() []posterior.Component {
	all := b.result.Posterior.Components
	one := posterior.Component{Order: b.problem.Order.Known, Weight: 1}
	if len(all) == 1 && (one.Order != nil || len(all[0].Order) == 0) {
		one.NoiseVariance = all[0].NoiseVariance
	}
	switch {
	case !b.conditional():
		b.note("over all orders and graphs")
	case one.Order != nil:
		b.note("given the order of the run")
	case len(all) < 2:
		b.note("given the order of the run")
		return all
	default:
		b.note("given each of the %d orders of the run, with their weights", len(all))
		return all
	}
	return []posterior.Component{one}
}

// note adds a sentence, once where several orders have it in common.
func (b *builder) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.ref.Notes, text) {
		b.ref.Notes = append(b.ref.Notes, text)
	}
}

// settle finds what the run took as given: the model and its columns, the hypothesis and the number
// of edges.
func (b *builder) settle(ctx context.Context) (err error) {
	p := b.problem
	if p.Model == nil {
		if p.Model, err = sem.Parse(b.result.Posterior.Model); err != nil {
			return err
		}
	}
	p.Shared.Sequence = sync.OnceValue(func() inspect.Sequence {
		return inspect.Rows(p.Data, priors.IsSource(&p.Prior, len(p.Data.Names)))
	})
	b.given = &engine.Given{Model: p.Model, Data: p.Data}
	if s, ok := b.engine.Engine().(engine.Settling); ok {
		if b.given, err = s.Given(ctx, p, b.result.EdgesPerNode); err != nil {
			return err
		}
		for _, text := range b.given.Notes {
			b.note("%s", text)
		}
	}
	return nil
}

// under is the reference under order number k, or over all orders.
func (b *builder) under(ctx context.Context, k int, c posterior.Component) (*inference.Inference,
	*networkScores, error) {
	p := *b.problem
	p.Seed, p.Order, p.Data = seedUnder(p.Seed, k), engine.Order{}, b.given.Data
	if b.conditional() {
		p.Order.Known = c.Order
	}
	m := b.given.Model
	if n, ok := sem.As[sem.Noisy](m); ok && c.NoiseVariance > 0 && b.given.OwnNoise {
		m = n.WithNoise(c.NoiseVariance)
		b.note("the noise variance that the run took as given")
	}
	scored, ok := sem.As[sem.Scored](m)
	if !ok {
		if n, ok := sem.As[sem.Network](m); ok && n.Layers() == 1 {
			p.Data = b.problem.Data
			return b.tempered(ctx, n, &p)
		}
		inf, err := b.estimated(ctx, m, &p)
		return inf, nil, err
	}
	p.Model = scored
	chains, err := (&graphchains.Settings{Candidates: b.given.Chains.Candidates}).Filled()
	if err != nil {
		return nil, nil, err
	}
	most, e := exact.Affordable, (&sums.Exact{}).Engine()
	if p.Order.Known != nil {
		most = exact.MaxVariables
	}
	if p.Vars() > most {
		e = (*markov.MCMC)(chains).Engine()
	}
	if err := problems.CheckMemory(e, &p, problems.Size(&p), b.result.Config.Memory); err != nil {
		return nil, nil, err
	}
	if b.ref.Engine = e.Name(); p.Vars() <= most {
		inf, err := inference.Infer(ctx, p.Data, []sem.Scored{scored}, &p, inference.TrustOf(&p))
		return inf, nil, err
	}
	inf, err := b.chained(ctx, scored, &p, chains)
	return inf, nil, err
}

// chained runs long chains where sums are too long.
func (b *builder) chained(ctx context.Context, m sem.Scored, p *engine.Problem,
	e *graphchains.Settings) (*inference.Inference, error) {
	e.Iterations = factor * max(e.Iterations, b.given.Chains.Iterations)
	e.WarmUp = factor * max(e.WarmUp, b.given.Chains.WarmUp)
	e.ESS *= factor
	s, err := graphchains.Settle(ctx, p.Data, []sem.Scored{m}, p, e, inference.TrustOf(p))
	if err != nil {
		return nil, err
	}
	c, err := graphchains.New(ctx, p.Data, s, p, e)
	if err != nil {
		return nil, err
	}
	inf, err := b.sampled(ctx, c, e)
	if err != nil {
		return nil, err
	}
	inf.Parts = []inference.Part{{Hypothesis: s.Hypothesis, Prior: s.Prior}}
	return inf, nil
}

// sampled takes all steps of chains over graphs, and reads the posterior off them.
func (b *builder) sampled(ctx context.Context, c interface {
	engine.Stage
	Inference(context.Context) (*inference.Inference, error)
}, e *graphchains.Settings) (*inference.Inference, error) {
	_, steps := c.Steps()
	if err := c.Advance(ctx, steps); err != nil {
		return nil, err
	}
	inf, err := c.Inference(ctx)
	if err != nil {
		return nil, err
	}
	b.ref.Warnings =
		append(b.ref.Warnings, diagnostics.Warnings(graphchains.ChainChecks(inf.Diagnostics))...)
	b.ref.StandardError = math.Max(b.ref.StandardError, largestError(inf.Diagnostics))
	_, steps = c.Steps()
	b.note("Markov chains of %d iterations", steps-e.WarmUp)
	return inf, nil
}

// largestError is the largest standard error of the least certain edges; NaN means there are too
// few samples.
func largestError(d *diagnostics.GraphChains) float64 {
	largest := 0.0
	for _, e := range d.Uncertain {
		largest = math.Max(largest, e.StandardError)
	}
	return largest
}

// tempered is the posterior of networks: by long chains given an order, by estimated evidences over
// all.
func (b *builder) tempered(ctx context.Context, network sem.Network,
	p *engine.Problem) (inf *inference.Inference, _ *networkScores, err error) {
	p.Model = network.WithOutput(models.SampledOutput)
	long := neural.Tempering{Iterations: b.given.Tempered.Iterations, Rungs: b.given.Tempered.Rungs}
	long.Chains = markov.MCMC{Iterations: factor * max(graphchains.DefaultIterations,
		b.given.Chains.Iterations)}
	if long.Iterations *= factor; long.Iterations == 0 {
		long.Iterations = factor / 2 * estimated.DefaultIterations
	}
	prepared, err := long.Engine().Prepare(p)
	if err != nil {
		return nil, nil, err
	}
	e := prepared.(*neural.Tempering)
	b.ref.Engine, b.ref.StandardError = e.Engine().Name(), math.NaN()
	if p.OverOrders() {
		inf, err = b.temperedOverOrders(ctx, p, e)
	} else {
		b.note("tempered chains of %d iterations", e.Iterations)
		inf, err = estimated.Under(ctx, p,
			[]orders.Weighted{{Order: p.Order.Known, Seed: p.Seed, Evidence: math.NaN()}}, e.Rungs,
			e.Iterations)
	}
	if err != nil {
		return nil, nil, err
	}
	b.ref.Warnings = slices.Concat(b.ref.Warnings, inf.Posterior.Warnings,
		diagnostics.Warnings(inf.Checks))
	networks, err := withScores(p, inf)
	return inf, networks, err
}

func (b *builder) temperedOverOrders(ctx context.Context, p *engine.Problem,
	e *neural.Tempering) (*inference.Inference, error) {
	network, _ := sem.As[sem.Network](p.Model)
	graphs, err := estimated.Settle(ctx, p, network, (*graphchains.Settings)(&e.Chains), nil)
	if err != nil {
		return nil, err
	}
	if p.Model = graphs.Model; p.Vars() <= exact.Affordable {
		return estimated.Summed(ctx, p, graphs)
	}
	c, err := estimated.Chained(ctx, p, graphs, (*graphchains.Settings)(&e.Chains))
	if err != nil {
		return nil, err
	}
	b.ref.StandardError = 0
	return b.sampled(ctx, c, (*graphchains.Settings)(&e.Chains))
}

// Of references by estimated evidences of all sets of parents.
const (
	// of all variables: those of 12 of them given an order, and of 10 over all orders
	mostReferenceSets = 5120
	referencePoints   = 1024 // of an evidence
)

// estimated is the posterior of a model of which only the likelihood is known: sums over all sets
// of parents, whose evidences are estimated.
func (b *builder) estimated(ctx context.Context, m sem.Model,
	p *engine.Problem) (*inference.Inference, error) {
	d := p.Vars()
	prior, err := problems.ClosedPrior(p, d, priors.EdgesPerNodeFor(&p.Prior, d))
	if err != nil {
		return nil, err
	}
	if inference.CountSets(d, p.Order.Known != nil) > mostReferenceSets {
		return nil, fmt.Errorf("the model %v has neither node scores nor networks with one "+
			"hidden layer, and %d variables have %w; allowed: at most 12 variables given an "+
			"order, 10 without one", m, d, inference.ErrTooManySets)
	}
	sets := inference.AllSets(d, prior, p.Order.Known)
	pools, err := inference.Evidences(ctx, m, p.Data, sets, referencePoints, p)
	if err != nil {
		return nil, err
	}
	b.ref.Engine = "exact"
	n := 0
	for _, s := range sets {
		n += len(s)
	}
	b.note("evidences of all %d sets of parents, estimated with %d points each", n, referencePoints)
	var inf [3]*inference.Inference
	for k := range inf {
		settled := inference.Settled{Model: m, Hypothesis: sem.Hypothesis{Scores: pools[k]}}
		p.Model = settled
		if inf[k], err = inference.Infer(ctx, p.Data, []sem.Scored{settled}, p,
			trust.WholeTrust); err != nil {
			return nil, err
		}
	}
	var off mat.Dense
	off.Sub(inf[1].Posterior.Probabilities, inf[2].Posterior.Probabilities)
	if v := math.Max(mat.Max(&off), -mat.Min(&off)) / 2; v > b.ref.StandardError {
		if b.ref.StandardError = v; v > stein.LimitEvidence[0] {
			b.ref.Warnings = append(b.ref.Warnings, fmt.Sprintf("the estimated evidences leave "+
				"the probability of some edge a standard error of %.2f", v))
		}
	}
	return inf[0], nil
}
