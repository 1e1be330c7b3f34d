package tobac

import (
	"cmp"
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
	Config  Config
	Names   []string
	Order   []int        // causal order: column indices, sources first
	Graphs  []*dag.Graph // one per particle; each is acyclic
	Weights []*mat.Dense // d×d per particle: entry (i,j) is the weight of edge i → j, 0 without an edge

	// LogPrior and LogLikelihood are log p(Θ_m|G_m) and log p(D|G_m,Θ_m) of
	// every particle on the data of the fit.
	LogPrior, LogLikelihood []float64

	Warnings []string // see [Run.Warnings]
	Seconds  Seconds

	edges []Edge // as Config.Readout says
}

// Posterior reads the posterior off the particles as they are: each particle's
// graph in the limit of large α, with its parameters.
func (r *Run) Posterior() (*Posterior, error) {
	order := r.order.Order
	d := len(order)
	p := &Posterior{Config: r.cfg, Names: slices.Clone(r.data.Names), Order: slices.Clone(order), Warnings: r.Warnings()}
	var canonical []*dag.Graph
	for m := range r.cfg.Particles {
		g := r.target.Graph(r.x[0].RawRowView(m))
		canonical = append(canonical, g)
		graph, weights := dag.New(d), mat.NewDense(d, d, nil)
		theta := r.x[1].RawRowView(m)
		for _, e := range g.Edges() {
			graph.Set(order[e.From], order[e.To], true)
			weights.Set(order[e.From], order[e.To], theta[e.From*d+e.To])
		}
		p.Graphs, p.Weights = append(p.Graphs, graph), append(p.Weights, weights)
	}
	var err error
	if p.LogPrior, p.LogLikelihood, err = models.LogJoint(r.lik, canonical, r.x[1]); err != nil {
		return nil, err
	}
	p.edges = p.shares()
	if r.cfg.Readout == ConditionalReadout {
		p.edges = r.conditionals(canonical)
	}
	p.Seconds = r.seconds
	p.Seconds.Total = p.Seconds.Order + p.Seconds.Compile + p.Seconds.Sample
	return p, nil
}

// LogDensity evaluates log p(Θ_m|G_m) and log p(D|G_m,Θ_m) of every particle
// on other data with the same columns, for example held-out rows. Last comes
// the empty graph.
func (p *Posterior) LogDensity(data *dataset.Table) (prior, likelihood []float64, err error) {
	return LogDensity(data, p.Order, p.Config.NoiseVariance, p.Graphs, p.Weights)
}

// LogDensity evaluates log p(Θ_m|G_m) and log p(D|G_m,Θ_m) of linear models,
// given in the labels of the data and consistent with the order, and, as a last
// entry, of the empty graph.
func LogDensity(data *dataset.Table, order []int, noiseVariance float64, graphs []*dag.Graph, weights []*mat.Dense) (prior, likelihood []float64, err error) {
	if _, cols := data.X.Dims(); cols != len(order) {
		return nil, nil, fmt.Errorf("tobac: got data with %d columns, want %d", cols, len(order))
	}
	if len(graphs) != len(weights) {
		return nil, nil, fmt.Errorf("tobac: got %d graphs and %d weight matrices", len(graphs), len(weights))
	}
	d := len(order)
	lik, err := models.NewLinear(data.Relabel(order).X, nil, models.LinearOptions{NoiseVariance: noiseVariance})
	if err != nil {
		return nil, nil, err
	}
	theta := mat.NewDense(len(graphs)+1, d*d, nil)
	canonical := make([]*dag.Graph, len(graphs)+1)
	for m, g := range graphs {
		canonical[m] = dag.New(d)
		for a, i := range order {
			for b, j := range order {
				if g.Has(i, j) {
					if a >= b {
						return nil, nil, fmt.Errorf("tobac: graph %d has the edge %s → %s against the order", m, data.Names[i], data.Names[j])
					}
					canonical[m].Set(a, b, true)
				}
				theta.Set(m, a*d+b, weights[m].At(i, j))
			}
		}
	}
	canonical[len(graphs)] = dag.New(d)
	return models.LogJoint(lik, canonical, theta)
}

// An Edge summarises one directed edge over the particles.
type Edge struct {
	Source, Target int
	Probability    float64
	// WeightMean and WeightSD are the mean and the standard deviation of the
	// edge's weight where the edge is there.
	WeightMean, WeightSD float64
}

// minProbability is the probability below which the conditional read-out leaves
// an edge out.
const minProbability = 0.005

// Edges lists the edges, most probable first, then by source and target, as
// Config.Readout says: those that some particle has, or those with a
// probability of at least 0.005. All particles count alike.
func (p *Posterior) Edges() []Edge { return slices.Clone(p.edges) }

// shares reads the edges off the particles as they are.
func (p *Posterior) shares() []Edge {
	return p.collect(func(i, j int) (w, mean, variance []float64) {
		for m, g := range p.Graphs {
			if g.Has(i, j) {
				w, mean, variance = append(w, 1), append(mean, p.Weights[m].At(i, j)), append(variance, 0)
			}
		}
		return w, mean, variance
	}, 0)
}

// conditionals averages the conditional distributions of the edges over the
// particles' graphs, given in order coordinates.
func (r *Run) conditionals(graphs []*dag.Graph) []Edge {
	order := r.order.Order
	d := len(order)
	prior := 2 * r.cfg.EdgesPerNode / float64(d-1)
	var all [][]models.EdgeConditional
	for _, g := range graphs {
		all = append(all, r.lik.Conditionals(g, math.Log(prior)-math.Log1p(-prior)))
	}
	position := dag.Inverse(order)
	p := &Posterior{Graphs: graphs, Names: r.data.Names}
	return p.collect(func(i, j int) (w, mean, variance []float64) {
		a, b := position[i], position[j]
		if a >= b {
			return nil, nil, nil
		}
		for _, c := range all {
			e := c[a*d+b]
			w, mean, variance = append(w, e.Probability), append(mean, e.Mean), append(variance, e.SD*e.SD)
		}
		return w, mean, variance
	}, minProbability)
}

// collect mixes, for every pair, the weights' distributions with means mean and
// variances variance by their probabilities w, one for each particle that can
// have the edge, and sorts the edges of at least the given probability.
func (p *Posterior) collect(pair func(i, j int) (w, mean, variance []float64), least float64) []Edge {
	var out []Edge
	for i := range p.Names {
		for j := range p.Names {
			w, mean, variance := pair(i, j)
			total := floats.Sum(w)
			if total == 0 || total/float64(len(p.Graphs)) < least {
				continue
			}
			m := floats.Dot(w, mean) / total
			v := 0.0
			for k := range w {
				v += w[k] / total * (variance[k] + (mean[k]-m)*(mean[k]-m))
			}
			out = append(out, Edge{i, j, math.Min(1, total/float64(len(p.Graphs))), m, math.Sqrt(v)})
		}
	}
	slices.SortStableFunc(out, func(a, b Edge) int { return cmp.Compare(b.Probability, a.Probability) })
	return out
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
// above one half, with its mean weight. All particles share one causal order, so
// it cannot have a cycle.
func (p *Posterior) Consensus() (*dag.Graph, *mat.Dense) {
	d := len(p.Names)
	g, w := dag.New(d), mat.NewDense(d, d, nil)
	for _, e := range p.Edges() {
		if e.Probability > 0.5 {
			g.Set(e.Source, e.Target, true)
			w.Set(e.Source, e.Target, e.WeightMean)
		}
	}
	return g, w
}
