package orders

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/exact"
	"tobac/internal/inference"
	"tobac/internal/priors"
	"tobac/internal/stream"
	"tobac/ordering"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Weighted is a causal order to sample under.
type Weighted struct {
	Order     []int // of the columns, sources first; empty: none
	Seed      uint64
	Count     int     // resamples that gave it; 0 means it was not found so
	LogWeight float64 // in the mixture
	Evidence  float64 // log p(D|order); NaN means unknown
}

// Found are the orders that a method found in the data.
type Found struct {
	rows         *mat.Dense             // those looked at
	point        *ordering.Result       // of all of them
	Distribution *ordering.Distribution // of resamples; nil means not asked for
}

// GivenOrders are the known order, or those that a method finds, with what it found.
func GivenOrders(ctx context.Context, p *engine.Problem) ([]Weighted, *Found, error) {
	one := Weighted{Order: p.Order.Known, Seed: p.Seed, Evidence: math.NaN()}
	if one.Order != nil {
		return []Weighted{one}, nil, nil
	}
	f, err := findOrders(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if f.Distribution == nil {
		one.Order = f.point.Order
		return []Weighted{one}, f, nil
	}
	all, err := f.weighted(ctx, p)
	return all, f, err
}

// findOrders finds the causal order, or those of resamples, from the rows in which no value was set
// by intervention, since an intervention cuts what an order is read from.
func findOrders(ctx context.Context, p *engine.Problem) (*Found, error) {
	rows := p.Data.Observational()
	if rows == nil {
		return nil, errors.New("every row has an intervention, which leaves none to find an " +
			"order from; give the order")
	}
	f := &Found{rows: rows.X}
	var err error
	if p.Order.Count == 0 {
		var known *ordering.Precedence
		if known, err = priors.Precedence(&p.Prior, len(p.Data.Names)); err == nil {
			f.point, err = p.Order.Method.Order(ctx, f.rows, known, p.Workers)
		}
	} else {
		f.Distribution, err = BootstrapOrders(ctx, rows, &p.Prior, p.Order.Method, p.Order.Count,
			ordering.BootstrapOptions{Seed: p.Seed, Workers: p.Workers})
		if err == nil {
			f.point = f.Distribution.Point
		}
	}
	if err != nil {
		return nil, ordering.WithNames(err, p.Data.Names)
	}
	return f, nil
}

// weighted are the distinct orders of the resamples with their weights and seeds. Orders
// are numbered as they first appeared, so that a seed depends neither on the labels of
// the columns nor on the number of resamples.
func (f *Found) weighted(ctx context.Context, p *engine.Problem) ([]Weighted, error) {
	byAppearance := slices.Clone(f.Distribution.Orders)
	slices.SortFunc(byAppearance, func(a, b ordering.WeightedOrder) int {
		return a.First - b.First
	})
	number := map[int]int{}
	for k, o := range byAppearance {
		number[o.First] = k
	}
	all := make([]Weighted, len(f.Distribution.Orders))
	evidence := make([]float64, len(all))
	for k, o := range f.Distribution.Orders {
		all[k] = Weighted{Order: o.Order, Count: o.Count, Seed: orderSeed(p.Seed, number[o.First]),
			LogWeight: math.Log(o.Weight), Evidence: math.NaN()}
		if p.Order.Weights != engine.EvidenceWeights {
			continue
		}
		e, err := orderEvidence(ctx, p, o.Order)
		if err != nil {
			return nil, err
		}
		all[k].Evidence, evidence[k] = e, e
	}
	if p.Order.Weights == engine.EvidenceWeights {
		most := floats.Max(evidence) // moved to 0 first, which keeps digits
		floats.AddConst(-most, evidence)
		total := floats.LogSumExp(evidence)
		for k := range all {
			all[k].LogWeight = evidence[k] - total
		}
	}
	return all, nil
}

// ErrNoEvidence is wrapped by the error of a configuration whose orders cannot
// be weighted by evidence.
var ErrNoEvidence = errors.New("no weights by evidence")

// orderEvidence is log p(D|order) under the model, the sum over all graphs along
// the order.
func orderEvidence(ctx context.Context, p *engine.Problem, order []int) (float64, error) {
	d := len(order)
	model := p.Model
	if model == nil {
		model = sem.Linear{}
	}
	_, ok := sem.As[sem.Scored](model)
	switch {
	case !ok:
		return 0, fmt.Errorf("%w: the model %v has no node scores in closed form; allowed: a "+
			"model that has, or weights by frequency", ErrNoEvidence, p.Model)
	case d > exact.MaxVariables:
		return 0, fmt.Errorf("%w: they sum over 2^d sets of parents, and there are %d variables; "+
			"allowed: at most %d, or weights by frequency", ErrNoEvidence, d, exact.MaxVariables)
	}
	prior, err := priors.AlongOrder(&p.Prior, d, priors.EdgesPerNodeFor(&p.Prior, d))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrNoEvidence, err)
	}
	estimated, err := sem.Estimate(ctx, model, p.Data.Relabel(order), true)
	if err != nil {
		return 0, err
	}
	scored, _ := sem.As[sem.Scored](estimated)
	all, err := scored.Hypotheses(ctx, p.Data, prior, p.Workers)
	if err != nil {
		return 0, err
	}
	var terms []float64
	for _, h := range all {
		g, err := exact.GivenOrder(ctx, h.Scores, prior, order, exact.Options{Workers: p.Workers})
		if err != nil {
			return 0, err
		}
		terms = append(terms, g.LogEvidence()+h.LogWeight)
	}
	none, err := exact.GivenOrder(ctx, inference.NoData(d), prior, order,
		exact.Options{Workers: p.Workers})
	if err != nil {
		return 0, err
	}
	return floats.LogSumExp(terms) - none.LogEvidence(), nil
}

// orderSeed is the seed of everything under order number k: for 0 that of the run.
func orderSeed(seed uint64, k int) uint64 { return stream.Seed(seed, stream.FitUnderOrder, k) }

// Warnings are reasons to distrust the order or the distribution over orders.
func (f *Found) Warnings(names []string, resamples int) []string {
	w := f.point.Sentences(names)
	rows, _ := f.rows.Dims()
	if near := f.point.NearTieSentence(rows, names); near != "" {
		w = append(w, near)
	}
	if f.Distribution == nil {
		return w
	}
	if failed := f.Distribution.Failures; len(failed) > 0 {
		w = append(w, fmt.Sprintf("%d of %d resamples of the rows could not be ordered and are "+
			"left out, the first because of %v", len(failed), resamples,
			ordering.WithNames(failed[0], names)))
	}
	// The order is firm from half way between chance and agreement on.
	if s, chance := f.Distribution.Stability(), f.Distribution.ChanceStability(); s < (1+chance)/2 {
		w = append(w, fmt.Sprintf("the order is a guess: resamples of the rows agree on %.0f %% "+
			"of the pairs of columns, where random orders would on %.0f %%", 100*s, 100*chance))
	}
	return w
}

// BootstrapOrders is [ordering.Bootstrap] of the rows of a table, under what a prior says of
// the order.
func BootstrapOrders(ctx context.Context, data *dataset.Table, prior *background.Prior,
	method ordering.Orderer, replicates int, opt ordering.BootstrapOptions) (*ordering.Distribution,
	error) {
	var err error
	if opt.Known, err = priors.Precedence(prior, len(data.Names)); err != nil {
		return nil, err
	}
	return ordering.Bootstrap(ctx, method, data.X, replicates, opt)
}

// DrawnFrom are n orders, each a linear extension of a graph drawn from a posterior, for
// SVGD to sample under.
func DrawnFrom(p *posterior.Posterior, n int, seed uint64) []Weighted {
	rng := stream.New(seed, stream.PosteriorOrders)
	weights := p.Empirical().Weights()
	all := make([]Weighted, n)
	for k := range all {
		order := RandomExtension(p.Draws[stream.Choose(rng, weights)].Graph, rng.IntN)
		all[k] = Weighted{Order: order, Seed: orderSeed(seed, k), LogWeight: -math.Log(float64(n)),
			Evidence: math.NaN()}
	}
	return all
}

// mostSwaps bounds the exchanges behind a random order of many variables.
const mostSwaps = 1e7

// RandomExtension is an order that agrees with an acyclic graph, each as likely as the others:
// some such order after d³ log d exchanges of neighbours that the graph leaves free, a Markov
// chain that mixes within as many (Karzanov and Khachiyan 1991, Bubley and Dyer 1999).
func RandomExtension(g *dag.Graph, intN func(int) int) []int {
	order, err := g.TopologicalOrder()
	if err != nil {
		panic("tobac: " + err.Error()) // the graphs of a posterior in closed form are acyclic
	}
	d := len(order)
	for range int(math.Min(mostSwaps, math.Pow(float64(d), 3)*math.Log2(float64(2*d)))) {
		k := intN(2 * d) // half of the time nothing, lest the chain alternate
		if k < d-1 && !g.Has(order[k], order[k+1]) {
			order[k], order[k+1] = order[k+1], order[k]
		}
	}
	return order
}
