package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/models"
	"tobac/ordering"

	"gonum.org/v1/gonum/floats"
)

// OrderWeights says how the causal orders of a mixture are weighed.
type OrderWeights int

const (
	// FrequencyWeights gives every order its share of the resamples.
	FrequencyWeights OrderWeights = iota
	// EvidenceWeights gives order π a weight in proportion to p(D|π): the posterior
	// over the distinct orders that the resamples gave, all equally probable
	// beforehand. The marginal likelihood is the exact sum over all graphs that
	// follow the order,
	//
	//	p(D|π) = Π_j Σ_S p(S) p(x_j|x_S),   S ⊆ predecessors of j,
	//
	// with p(S) the prior of the parents S of j, normalised over its sets of
	// predecessors. For the linear model p(x_j|x_S) has the weights integrated out
	// ([models.Linear.NodeScore]) at a fixed noise variance, Config.NoiseVariance,
	// or, if that is estimated, the estimate under the order in question, taken as
	// known. For a marginal model it is the model's own, nothing else being
	// estimated. The sum has 2^d terms, so that d is at most
	// [MaxEvidenceVariables] with the linear model and
	// [MaxMarginalEvidenceVariables] with a marginal one; other models have no
	// closed form. The prior must be one of package models.
	EvidenceWeights
)

// The largest numbers of variables that [EvidenceWeights] takes.
const (
	MaxEvidenceVariables         = 20 // with the linear model
	MaxMarginalEvidenceVariables = 12 // with a marginal model
)

// ErrNoEvidence is wrapped by the error of a configuration whose orders cannot
// be weighed by evidence.
var ErrNoEvidence = errors.New("no weights by evidence")

// String is the name of the choice on the command line.
func (w OrderWeights) String() string {
	if w == EvidenceWeights {
		return "evidence"
	}
	return "frequency"
}

// An OrderShare is the part of a posterior that follows one of several causal
// orders.
type OrderShare struct {
	Order     []int   // column indices, sources first
	Count     int     // resamples that gave the order
	Weight    float64 // of the order in the posterior; they sum to 1
	LogWeight float64 // its logarithm, finite even where the weight underflows to 0
	Particles int     // consecutive particles that follow it, equally weighted
	// NoiseVariance is that of the order's equations, given or estimated; 0 for a
	// marginal model.
	NoiseVariance float64
	// LogEvidence is log p(D|order) as [EvidenceWeights] says, 0 with other weights.
	LogEvidence float64
}

// checkOrders finds settings of a mixture over orders that contradict others.
func (c Config) checkOrders(d int) error {
	_, fixed := c.Order.(ordering.Fixed)
	switch {
	case c.Orders < 0:
		return fmt.Errorf("orders is %d, want at least 1 resample, or 0 for the one order of all rows", c.Orders)
	case c.OrderWeights < FrequencyWeights || c.OrderWeights > EvidenceWeights:
		return fmt.Errorf("unknown weights %d of the orders", c.OrderWeights)
	case c.Orders == 0 && c.OrderWeights != FrequencyWeights:
		return fmt.Errorf("orders are weighed by %v, but there is only one: set the number of resamples", c.OrderWeights)
	case c.Orders > 0 && c.Method == DiBS:
		return errors.New("the method dibs takes no causal orders")
	case c.Orders > 0 && fixed:
		return errors.New("the causal order is given, which leaves no distribution over orders")
	case c.OrderWeights == EvidenceWeights:
		return c.checkEvidence(d)
	}
	return nil
}

// checkEvidence finds a model, a prior or a number of variables without a
// marginal likelihood given an order.
func (c Config) checkEvidence(d int) error {
	_, linear := c.model().(Linear)
	most, kind := MaxMarginalEvidenceVariables, "a marginal model"
	if linear {
		most, kind = MaxEvidenceVariables, "the linear model"
	}
	switch {
	case !linear && !c.model().Marginal():
		return fmt.Errorf("%w: the model %T has no marginal likelihood in closed form; allowed: the linear model, marginal models, or weights by frequency", ErrNoEvidence, c.model())
	case d > most:
		return fmt.Errorf("%w: they sum over 2^d sets of parents, and there are %d variables; allowed: at most %d with %s, or weights by frequency", ErrNoEvidence, d, most, kind)
	}
	switch c.Prior.(type) {
	case nil, models.ErdosRenyi, models.ScaleFree, models.UniformPrior, *models.EdgePrior:
		return nil
	}
	return fmt.Errorf("%w: the prior %T is not one of package models; allowed: those, or weights by frequency", ErrNoEvidence, c.Prior)
}

// chains are the orders to sample under, in the sequence of the distribution, or
// the one order of the data.
func (r *Run) newChains() []*chain {
	if r.spread == nil {
		return []*chain{{order: r.order.Order, seed: r.cfg.Seed}}
	}
	// Orders are numbered as they first appeared, so that a seed depends neither
	// on the labels of the columns nor on the number of resamples.
	byAppearance := slices.Clone(r.spread.Orders)
	slices.SortFunc(byAppearance, func(a, b ordering.WeightedOrder) int { return a.First - b.First })
	number := map[int]int{}
	for k, o := range byAppearance {
		number[o.First] = k
	}
	var all []*chain
	for _, o := range r.spread.Orders {
		all = append(all, &chain{order: o.Order, count: o.Count, seed: orderSeed(r.cfg.Seed, number[o.First])})
	}
	return all
}

// orderSeed is the seed under order number k: for 0 that of the run, for others
// a bijective mix of it (the finaliser of SplitMix64), so that no two orders
// share one.
func orderSeed(seed uint64, k int) uint64 {
	if k == 0 {
		return seed
	}
	z := seed + uint64(k)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// bootstrap finds the orders of resamples of the rows from which the order of
// the data was found.
func (r *Run) bootstrap(orderer ordering.Orderer) (err error) {
	r.spread, err = ordering.Bootstrap(context.Background(), orderer, r.orderedRows, r.cfg.Orders,
		ordering.BootstrapOptions{Seed: r.cfg.Seed, Workers: r.cfg.Workers})
	if err != nil {
		return ordering.WithNames(err, r.data.Names)
	}
	r.order = r.spread.Point
	if only := r.spread.Orders[0].Order; len(r.spread.Orders) == 1 && !slices.Equal(only, r.order.Order) {
		point := *r.order
		point.Order, point.Criterion, point.Gaps, point.Layers = only, nil, nil, nil
		r.order = &point
	}
	return nil
}

// shares are the orders with their weights: shares of the resamples, or
// normalised evidence. Every chain must have its evidence in the second case.
func (r *Run) shares() []OrderShare {
	all := make([]OrderShare, len(r.chains))
	evidence := make([]float64, len(r.chains))
	for k, c := range r.chains {
		all[k] = OrderShare{Order: slices.Clone(c.order), Count: c.count, Particles: r.cfg.Particles, NoiseVariance: c.noiseVariance, LogEvidence: c.evidence}
		evidence[k] = c.evidence
	}
	most := floats.Max(evidence) // moved to 0 first, which keeps digits
	floats.AddConst(-most, evidence)
	total := floats.LogSumExp(evidence)
	for k := range all {
		if r.cfg.OrderWeights == EvidenceWeights {
			all[k].LogWeight = evidence[k] - total
			all[k].Weight = math.Exp(all[k].LogWeight)
			continue
		}
		all[k].Weight = r.spread.Orders[k].Weight
		all[k].LogWeight = math.Log(all[k].Weight)
	}
	return all
}

// orderWarnings are reasons to distrust the order or the distribution over
// orders.
func (r *Run) orderWarnings() []string {
	w := r.order.Sentences(r.data.Names)
	if r.orderedRows != nil {
		rows, _ := r.orderedRows.Dims()
		if near := r.order.NearTieSentence(rows, r.data.Names); near != "" {
			w = append(w, near)
		}
	}
	if r.spread == nil {
		return w
	}
	if f := r.spread.Failures; len(f) > 0 {
		w = append(w, fmt.Sprintf("%d of %d resamples of the rows could not be ordered and are left out, the first because of %v", len(f), r.cfg.Orders, ordering.WithNames(f[0], r.data.Names)))
	}
	// The order is firm from half way between chance and agreement on.
	if s, chance := r.spread.Stability(), r.spread.ChanceStability(); s < (1+chance)/2 {
		w = append(w, fmt.Sprintf("the order is a guess: resamples of the rows agree on %.0f %% of the pairs of columns, where random orders would on %.0f %%", 100*s, 100*chance))
	}
	return w
}
