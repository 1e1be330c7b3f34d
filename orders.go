package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/dataset"
	"tobac/exact"
	"tobac/internal/stream"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// found are the orders that a method found in the data.
type found struct {
	rows         *mat.Dense             // those looked at
	point        *ordering.Result       // of all of them
	distribution *ordering.Distribution // of resamples; nil: not asked for
}

// sampledOrders are the orders that SVGD samples under.
func (r *Run) sampledOrders(ctx context.Context) ([]weightedOrder, error) {
	o := &r.cfg.Order
	one := weightedOrder{seed: r.cfg.Seed, evidence: math.NaN()}
	switch {
	case r.cfg.Sampler.Method == DiBS:
		return []weightedOrder{one}, nil
	case o.Known != nil:
		one.order = o.Known
		return []weightedOrder{one}, nil
	case o.Method == nil:
		if err := r.weighByPrior(); err != nil {
			return nil, err
		}
		return r.inferred.drawnOrders(r.orderCount(), r.cfg.Seed), nil
	}
	f, err := findOrders(ctx, r.data, &r.cfg)
	if err != nil {
		return nil, err
	}
	r.found = f
	if f.distribution == nil {
		one.order = f.point.Order
		return []weightedOrder{one}, nil
	}
	return f.weighted(ctx, r.data, &r.cfg)
}

// findOrders finds the causal order, or those of resamples, from the rows in which no value was set by
// intervention, since an intervention cuts what an order is read from.
func findOrders(ctx context.Context, data *dataset.Table, cfg *Config) (*found, error) {
	rows := data.Observational()
	if rows == nil {
		return nil, errors.New("every row has an intervention, which leaves none to find an order from; give the order")
	}
	f := &found{rows: rows.X}
	var err error
	if cfg.Order.Count == 0 {
		var method ordering.Orderer
		if method, err = cfg.Prior.Bind(cfg.Order.Method, len(data.Names)); err == nil {
			f.point, err = method.Order(ctx, f.rows, cfg.Workers)
		}
	} else {
		f.distribution, err = BootstrapOrders(ctx, rows, &cfg.Prior, cfg.Order.Method, cfg.Order.Count, ordering.BootstrapOptions{Seed: cfg.Seed, Workers: cfg.Workers})
		if err == nil {
			f.point = f.distribution.Point
		}
	}
	if err != nil {
		return nil, ordering.WithNames(err, data.Names)
	}
	return f, nil
}

// weighted are the distinct orders of the resamples with their weights and seeds. Orders
// are numbered as they first appeared, so that a seed depends neither on the labels of
// the columns nor on the number of resamples.
func (f *found) weighted(ctx context.Context, data *dataset.Table, cfg *Config) ([]weightedOrder, error) {
	byAppearance := slices.Clone(f.distribution.Orders)
	slices.SortFunc(byAppearance, func(a, b ordering.WeightedOrder) int { return a.First - b.First })
	number := map[int]int{}
	for k, o := range byAppearance {
		number[o.First] = k
	}
	all := make([]weightedOrder, len(f.distribution.Orders))
	evidence := make([]float64, len(all))
	for k, o := range f.distribution.Orders {
		all[k] = weightedOrder{order: o.Order, count: o.Count, seed: orderSeed(cfg.Seed, number[o.First]), logWeight: math.Log(o.Weight), evidence: math.NaN()}
		if cfg.Order.Weights != EvidenceWeights {
			continue
		}
		e, err := orderEvidence(ctx, data, o.Order, cfg)
		if err != nil {
			return nil, err
		}
		all[k].evidence, evidence[k] = e, e
	}
	if cfg.Order.Weights == EvidenceWeights {
		most := floats.Max(evidence) // moved to 0 first, which keeps digits
		floats.AddConst(-most, evidence)
		total := floats.LogSumExp(evidence)
		for k := range all {
			all[k].logWeight = evidence[k] - total
		}
	}
	return all, nil
}

// ErrNoEvidence is wrapped by the error of a configuration whose orders cannot
// be weighted by evidence.
var ErrNoEvidence = errors.New("no weights by evidence")

// orderEvidence is log p(D|order) under the model, the sum over all graphs along
// the order.
func orderEvidence(ctx context.Context, data *dataset.Table, order []int, cfg *Config) (float64, error) {
	d := len(order)
	model := cfg.Model
	if model == nil {
		model = sem.Linear{}
	}
	scored, ok := model.(sem.Scored)
	switch {
	case !ok:
		return 0, fmt.Errorf("%w: the model %v has no node scores in closed form; allowed: a model that has, or weights by frequency", ErrNoEvidence, cfg.Model)
	case d > exact.MaxVariables:
		return 0, fmt.Errorf("%w: they sum over 2^d sets of parents, and there are %d variables; allowed: at most %d, or weights by frequency", ErrNoEvidence, d, exact.MaxVariables)
	}
	prior, err := cfg.Prior.AlongOrder(d, cfg.Prior.EdgesPerNodeFor(d))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrNoEvidence, err)
	}
	if m, ok := model.(sem.Estimated); ok {
		estimated, err := m.Estimate(ctx, data.Relabel(order), true)
		if err != nil {
			return 0, err
		}
		scored = estimated.(sem.Scored)
	}
	all, err := scored.Hypotheses(ctx, data, prior, cfg.Workers)
	if err != nil {
		return 0, err
	}
	var terms []float64
	for _, h := range all {
		g, err := exact.GivenOrder(ctx, h.Scores, prior, order, exact.Options{Workers: cfg.Workers})
		if err != nil {
			return 0, err
		}
		terms = append(terms, g.LogEvidence()+h.LogWeight)
	}
	none, err := exact.GivenOrder(ctx, noData(d), prior, order, exact.Options{Workers: cfg.Workers})
	if err != nil {
		return 0, err
	}
	return floats.LogSumExp(terms) - none.LogEvidence(), nil
}

// orderSeed is the seed of everything under order number k: for 0 that of the run.
func orderSeed(seed uint64, k int) uint64 { return stream.Seed(seed, stream.FitUnderOrder, k) }

// Warnings lists what is known so far of reasons to distrust the result, as sentences for a reader.
func (r *Run) Warnings() []string {
	var w []string
	if r.atOdds != "" {
		w = append(w, r.atOdds)
	}
	w = append(w, r.orderWarnings...)
	if r.found != nil {
		w = append(w, r.found.warnings(r.data.Names, r.cfg.Order.Count)...)
	}
	if r.inferred != nil && r.inferred.training != nil {
		w = append(w, r.inferred.training.warnings(r.Step())...)
	}
	if m, ok := r.cfg.Model.(sem.Cautious); ok {
		w = append(w, m.Warnings(onScale(r.data, r.networkScale))...)
	}
	if _, ok := r.cfg.Model.(sem.Marginal); ok && r.cfg.Sampler.Method == DiBS {
		w = append(w, "the gradients of the method dibs under the model bge are so noisy that its particles may agree on wrong edges; the engines exact and mcmc know the same posterior")
	}
	if n, d := r.data.X.Dims(); n < fewRows*d {
		few := fmt.Sprintf("%d rows of %d columns are few for ", n, d)
		if r.cfg.Sampler.Method == DiBS {
			w = append(w, few+"the method dibs: its particles may agree on what the data leave open")
		} else if r.countsNetworks() {
			w = append(w, few+"networks by svgd, whose particles give up edges that the data leave open: --engine tempering weighs them")
		}
	}
	s := r.countedSequence()
	return slices.Concat(w, s.Warnings(), r.tableWarnings())
}

// fewRows for each column are those below which particles of DiBS, and of networks, are certain of
// what data leave open.
const fewRows = 10

// countsNetworks reports whether edge probabilities are how often particles of networks have an edge.
func (r *Run) countsNetworks() bool {
	_, networks := r.cfg.Model.(sem.Network)
	s := &r.cfg.Sampler
	return networks && r.cfg.Engine == SVGD && s.Marginals != ReweightedMarginals && (s.Marginals == FrequencyMarginals || s.Gradient != models.Flips)
}

// warnings are reasons to distrust the order or the distribution over orders.
func (f *found) warnings(names []string, resamples int) []string {
	w := f.point.Sentences(names)
	rows, _ := f.rows.Dims()
	if near := f.point.NearTieSentence(rows, names); near != "" {
		w = append(w, near)
	}
	if f.distribution == nil {
		return w
	}
	if failed := f.distribution.Failures; len(failed) > 0 {
		w = append(w, fmt.Sprintf("%d of %d resamples of the rows could not be ordered and are left out, the first because of %v", len(failed), resamples, ordering.WithNames(failed[0], names)))
	}
	// The order is firm from half way between chance and agreement on.
	if s, chance := f.distribution.Stability(), f.distribution.ChanceStability(); s < (1+chance)/2 {
		w = append(w, fmt.Sprintf("the order is a guess: resamples of the rows agree on %.0f %% of the pairs of columns, where random orders would on %.0f %%", 100*s, 100*chance))
	}
	return w
}

// BootstrapOrders is [ordering.Bootstrap] of the rows of a table, by a method that is bound to what a
// prior says of the order.
func BootstrapOrders(ctx context.Context, data *dataset.Table, prior *background.Prior, method ordering.Orderer, replicates int, opt ordering.BootstrapOptions) (*ordering.Distribution, error) {
	bound, err := prior.Bind(method, len(data.Names))
	if err != nil {
		return nil, err
	}
	return ordering.Bootstrap(ctx, bound, data.X, replicates, opt)
}
