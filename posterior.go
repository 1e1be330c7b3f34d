package tobac

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Posterior is a set of weighted graphs with their parameters, in the labels
// of the data.
type Posterior struct {
	Config Config
	Names  []string
	Order  []int        // causal order: column indices, sources first; empty with DiBS and with several orders
	Graphs []*dag.Graph // one per particle; acyclic, but see Cyclic

	// Orders are the orders that the particles follow, in the sequence of the
	// particles, where Config.Orders asks for a distribution; else nil.
	Orders []OrderShare

	// Weights are d×d per particle: entry (i,j) is the weight of edge i → j, 0
	// without an edge. They exist for models with one weight per edge, whose
	// likelihood is a models.Weighted: the linear one. Otherwise nil.
	Weights []*mat.Dense

	// Parameters has one row per particle: all parameters as the model's
	// likelihood lays them out, with variables in the causal order that the
	// particle follows, if any. Nil for a marginal model.
	Parameters *mat.Dense

	// LogPrior and LogLikelihood are log p(Θ_m|G_m) and log p(D|G_m,Θ_m) of
	// every particle on the data of the fit.
	LogPrior, LogLikelihood []float64

	Warnings []string // see [Run.Warnings]
	Seconds  Seconds

	// All edges along each order by the conditional read-out; nil: the shares.
	conditional [][]Edge
}

// Posterior reads the posterior off the particles as they are: each particle's
// graph in the limit of large α, with its parameters. A run over several orders
// has a posterior once the last of them has begun; all its posteriors share the
// graphs and weights of the orders before, which must not be modified.
func (r *Run) Posterior() (*Posterior, error) {
	if last := len(r.chains) - 1; r.at < last {
		return nil, fmt.Errorf("tobac: no posterior after %d of %d steps: there are no particles yet under %d of %d orders", r.Step(), r.Steps(), last-r.at, len(r.chains))
	}
	if err := r.weigh(context.Background()); err != nil {
		return nil, err
	}
	var parts []*Posterior
	for _, c := range r.chains {
		part, err := r.under(c)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	p := parts[0]
	if r.spread != nil {
		for k, share := range r.shares() {
			parts[k].Orders = []OrderShare{share}
		}
		p = mix(parts)
		p.Config = r.cfg
	}
	p.Warnings, p.Seconds = r.Warnings(), r.seconds
	p.Seconds.Total = p.Seconds.Order + p.Seconds.Compile + p.Seconds.Sample
	return p, nil
}

func identity(d int) []int {
	order := make([]int, d)
	for j := range order {
		order[j] = j
	}
	return order
}

// Cyclic is the number of particles whose graph has a cycle: none with TOBAC.
// They are no draws from a posterior over acyclic graphs, so that edges, their
// probabilities and the consensus are those of the other particles, as are the
// metrics of package bench.
func (p *Posterior) Cyclic() int { return len(p.Graphs) - len(p.acyclic()) }

// acyclic lists the particles without a cycle.
func (p *Posterior) acyclic() []int {
	var kept []int
	for m, g := range p.Graphs {
		if g.Acyclic() {
			kept = append(kept, m)
		}
	}
	return kept
}

// LogDensity evaluates log p(Θ_m|G_m) and log p(D|G_m,Θ_m) of every particle
// on other data with the same columns, for example held-out rows; for a marginal
// model 0 and log p(D|G_m), which does not condition on the data of the fit. Last
// comes the empty graph with parameters 0; where several orders have noise
// variances of their own, the mean of its log densities by their weights.
func (p *Posterior) LogDensity(data *dataset.Table) (prior, likelihood []float64, err error) {
	return p.LogDensityIntervened(data, nil)
}

// LogDensityIntervened is [Posterior.LogDensity] on data with interventions, as
// in [Config].
func (p *Posterior) LogDensityIntervened(data *dataset.Table, interventions mat.Matrix) (prior, likelihood []float64, err error) {
	if len(p.Orders) > 1 {
		return p.mixedLogDensity(data, interventions)
	}
	theta := p.Parameters
	if theta == nil && p.Weights != nil {
		theta = weightsInOrder(p.Weights, p.Order)
	}
	return logDensity(data, interventions, p.Config, p.Order, p.Graphs, theta)
}

// LogDensity evaluates log p(Θ_m|G_m) and log p(D|G_m,Θ_m) of linear models,
// given in the labels of the data and consistent with the order, unless that is
// empty, and, as a last entry, of the empty graph.
func LogDensity(data *dataset.Table, order []int, noiseVariance float64, graphs []*dag.Graph, weights []*mat.Dense) (prior, likelihood []float64, err error) {
	if len(graphs) != len(weights) {
		return nil, nil, fmt.Errorf("tobac: got %d graphs and %d weight matrices", len(graphs), len(weights))
	}
	return logDensity(data, nil, Config{NoiseVariance: noiseVariance}, order, graphs, weightsInOrder(weights, order))
}

// weightsInOrder are the parameters of the linear model, one row per matrix of
// weights.
func weightsInOrder(weights []*mat.Dense, order []int) *mat.Dense {
	if len(weights) == 0 {
		return nil
	}
	d, _ := weights[0].Dims()
	if len(order) == 0 {
		order = identity(d)
	}
	theta := mat.NewDense(len(weights), d*d, nil)
	for m, w := range weights {
		for a, i := range order {
			for b, j := range order {
				theta.Set(m, a*d+b, w.At(i, j))
			}
		}
	}
	return theta
}

// logDensity takes graphs in the labels of the data and one row of parameters,
// in order coordinates, for each of them; nil for none.
func logDensity(data *dataset.Table, interventions mat.Matrix, cfg Config, order []int, graphs []*dag.Graph, theta *mat.Dense) (prior, likelihood []float64, err error) {
	_, d := data.X.Dims()
	ordered, want := len(order) > 0, len(order)
	if !ordered {
		order, want = identity(d), d
		if len(graphs) > 0 {
			want = graphs[0].Len()
		}
	}
	if d != want {
		return nil, nil, fmt.Errorf("tobac: got data with %d columns, want %d", d, want)
	}
	lik, err := cfg.model().Likelihood(inOrder(data.X, order), inOrder(interventions, order), cfg)
	if err != nil {
		return nil, nil, err
	}
	canonical := make([]*dag.Graph, len(graphs)+1)
	for m, g := range graphs {
		canonical[m] = g.Relabel(order)
		for _, e := range canonical[m].Edges() {
			if ordered && e.From > e.To {
				i, j := order[e.From], order[e.To]
				return nil, nil, fmt.Errorf("tobac: graph %d has the edge %s → %s against the order", m, data.Names[i], data.Names[j])
			}
		}
	}
	canonical[len(graphs)] = dag.New(d)
	n := lik.ParamLen()
	if n == 0 {
		return models.LogJoint(lik, canonical, nil)
	}
	all := mat.NewDense(len(graphs)+1, n, nil) // the last row stays 0
	if len(graphs) > 0 {
		rows, cols := 0, 0
		if theta != nil {
			rows, cols = theta.Dims()
		}
		if rows != len(graphs) || cols != n {
			return nil, nil, fmt.Errorf("tobac: got %d×%d parameters, want %d×%d", rows, cols, len(graphs), n)
		}
		all.Slice(0, rows, 0, n).(*mat.Dense).Copy(theta)
	}
	return models.LogJoint(lik, canonical, all)
}

// An Edge summarises one directed edge over the particles.
type Edge struct {
	Source, Target int
	Probability    float64
	// WeightMean and WeightSD are the mean and the standard deviation of the
	// edge's weight where the edge is there; 0 for a model without weights.
	WeightMean, WeightSD float64
}

// minProbability is the probability below which the conditional read-out leaves
// an edge out.
const minProbability = 0.005

// Edges lists the edges, most probable first, then by source and target, as
// Config.Readout says: those that some particle has, or those with a
// probability of at least 0.005. All particles without a cycle count alike,
// unless they follow several orders: then probabilities, means and variances are
// those of the mixture, each order with its weight. Without any such particle the
// list is empty.
func (p *Posterior) Edges() []Edge {
	if p.conditional == nil {
		return p.shares()
	}
	edges := p.conditional[0]
	if len(p.conditional) > 1 {
		edges = p.mixedConditionals()
	}
	kept := []Edge{}
	for _, e := range edges {
		if e.Probability >= minProbability {
			kept = append(kept, e)
		}
	}
	return sorted(kept)
}

// shares reads the edges off the acyclic particles as they are.
func (p *Posterior) shares() []Edge {
	particles := p.acyclic()
	share, total := p.ParticleWeights(), 1.0
	if len(p.Orders) < 2 { // counts, so that equal counts give equal probabilities
		total = float64(len(particles))
		for m := range share {
			share[m] = 1
		}
	}
	return sorted(collect(len(p.Names), total, func(i, j int) (w, mean, variance []float64) {
		for _, m := range particles {
			if p.Graphs[m].Has(i, j) {
				weight := 0.0
				if p.Weights != nil {
					weight = p.Weights[m].At(i, j)
				}
				w, mean, variance = append(w, share[m]), append(mean, weight), append(variance, 0)
			}
		}
		return w, mean, variance
	}))
}

// collect mixes, for every pair of d variables, the weights' distributions with
// means mean and variances variance by their probabilities w, whose sum would be
// total if the edge were certain. Edges come by source, then target.
func collect(d int, total float64, pair func(i, j int) (w, mean, variance []float64)) []Edge {
	out := []Edge{}
	for i := range d {
		for j := range d {
			w, mean, variance := pair(i, j)
			sum := floats.Sum(w)
			if sum == 0 {
				continue
			}
			m := floats.Dot(w, mean) / sum
			v := 0.0
			for k := range w {
				v += w[k] / sum * (variance[k] + (mean[k]-m)*(mean[k]-m))
			}
			out = append(out, Edge{i, j, math.Min(1, sum/total), m, math.Sqrt(v)})
		}
	}
	return out
}

// sorted puts the most probable edges first, in place.
func sorted(edges []Edge) []Edge {
	slices.SortStableFunc(edges, func(a, b Edge) int { return cmp.Compare(b.Probability, a.Probability) })
	return edges
}

// EdgeProbabilities is the d×d matrix of the probabilities that Edges lists, 0
// elsewhere.
func (p *Posterior) EdgeProbabilities() *mat.Dense {
	d := len(p.Names)
	out := mat.NewDense(d, d, nil)
	for _, e := range p.Edges() {
		out.Set(e.Source, e.Target, e.Probability)
	}
	return out
}

// Consensus is the median probability graph: every edge with a probability
// above one half, with its mean weight; nil weights for a model without.
// Particles that share one causal order cannot make a cycle of such edges. With
// DiBS and with several orders they can, though none of them has it: edges are
// then taken in the sequence of [Posterior.Edges], and one that would close a
// cycle is left out.
func (p *Posterior) Consensus() (*dag.Graph, *mat.Dense) {
	d := len(p.Names)
	g := dag.New(d)
	var w *mat.Dense
	if p.Weights != nil {
		w = mat.NewDense(d, d, nil)
	}
	for _, e := range p.Edges() {
		if e.Probability <= 0.5 {
			break // they are sorted
		}
		g.Set(e.Source, e.Target, true)
		if len(p.Order) == 0 && !g.Acyclic() {
			g.Set(e.Source, e.Target, false)
			continue
		}
		if w != nil {
			w.Set(e.Source, e.Target, e.WeightMean)
		}
	}
	return g, w
}
