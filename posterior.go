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
	Config Config
	Names  []string
	Order  []int        // causal order: column indices, sources first; empty with DiBS
	Graphs []*dag.Graph // one per particle; acyclic, but see Cyclic

	// Weights are d×d per particle: entry (i,j) is the weight of edge i → j, 0
	// without an edge. They exist for models with one weight per edge, whose
	// likelihood is a models.Weighted: the linear one. Otherwise nil.
	Weights []*mat.Dense

	// Parameters has one row per particle: all parameters as the model's
	// likelihood lays them out, with variables in causal order where there is
	// one. Nil for a marginal model.
	Parameters *mat.Dense

	// LogPrior and LogLikelihood are log p(Θ_m|G_m) and log p(D|G_m,Θ_m) of
	// every particle on the data of the fit.
	LogPrior, LogLikelihood []float64

	Warnings []string // see [Run.Warnings]
	Seconds  Seconds

	conditional []Edge // of the conditional read-out; nil: the shares
}

// Posterior reads the posterior off the particles as they are: each particle's
// graph in the limit of large α, with its parameters.
func (r *Run) Posterior() (*Posterior, error) {
	d := len(r.data.Names)
	order := r.order.Order
	p := &Posterior{Config: r.cfg, Names: slices.Clone(r.data.Names), Order: slices.Clone(order), Warnings: r.Warnings()}
	if len(order) == 0 {
		order = identity(d)
	}
	weighted, hasWeights := r.lik.(models.Weighted)
	if len(r.x) == 2 {
		p.Parameters = mat.DenseCopyOf(r.x[1])
	}
	var canonical []*dag.Graph
	for m := range r.cfg.Particles {
		g := r.target.Graph(r.x[0].RawRowView(m))
		canonical = append(canonical, g)
		graph := dag.New(d)
		for _, e := range g.Edges() {
			graph.Set(order[e.From], order[e.To], true)
		}
		p.Graphs = append(p.Graphs, graph)
		if !hasWeights {
			continue
		}
		weights := mat.NewDense(d, d, nil)
		for _, e := range g.Edges() {
			weights.Set(order[e.From], order[e.To], p.Parameters.At(m, weighted.EdgeWeight(e.From, e.To)))
		}
		p.Weights = append(p.Weights, weights)
	}
	var err error
	if p.LogPrior, p.LogLikelihood, err = models.LogJoint(r.lik, canonical, p.Parameters); err != nil {
		return nil, err
	}
	if lik, ok := r.lik.(*models.Linear); ok && r.cfg.Readout == ConditionalReadout {
		p.conditional = r.conditionals(lik, canonical)
	}
	p.Seconds = r.seconds
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
// comes the empty graph with parameters 0.
func (p *Posterior) LogDensity(data *dataset.Table) (prior, likelihood []float64, err error) {
	return p.LogDensityIntervened(data, nil)
}

// LogDensityIntervened is [Posterior.LogDensity] on data with interventions, as
// in [Config].
func (p *Posterior) LogDensityIntervened(data *dataset.Table, interventions mat.Matrix) (prior, likelihood []float64, err error) {
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
// probability of at least 0.005. All particles without a cycle count alike;
// without any the list is empty.
func (p *Posterior) Edges() []Edge {
	if p.conditional != nil {
		return slices.Clone(p.conditional)
	}
	return p.shares()
}

// shares reads the edges off the acyclic particles as they are.
func (p *Posterior) shares() []Edge {
	particles := p.acyclic()
	return p.collect(len(particles), func(i, j int) (w, mean, variance []float64) {
		for _, m := range particles {
			if p.Graphs[m].Has(i, j) {
				weight := 0.0
				if p.Weights != nil {
					weight = p.Weights[m].At(i, j)
				}
				w, mean, variance = append(w, 1), append(mean, weight), append(variance, 0)
			}
		}
		return w, mean, variance
	}, 0)
}

// conditionals averages the conditional distributions of the edges over the
// particles' graphs, given in order coordinates.
func (r *Run) conditionals(lik *models.Linear, graphs []*dag.Graph) []Edge {
	order := r.order.Order
	d := len(order)
	prior := 2 * r.cfg.EdgesPerNode / float64(d-1)
	var all [][]models.EdgeConditional
	for _, g := range graphs {
		all = append(all, lik.Conditionals(g, math.Log(prior)-math.Log1p(-prior)))
	}
	position := dag.Inverse(order)
	p := &Posterior{Names: r.data.Names}
	return p.collect(len(graphs), func(i, j int) (w, mean, variance []float64) {
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
// variances variance by their probabilities w, one for each of n particles that
// can have the edge, and sorts the edges of at least the given probability.
func (p *Posterior) collect(n int, pair func(i, j int) (w, mean, variance []float64), least float64) []Edge {
	out := []Edge{}
	for i := range p.Names {
		for j := range p.Names {
			w, mean, variance := pair(i, j)
			total := floats.Sum(w)
			if total == 0 || total/float64(n) < least {
				continue
			}
			m := floats.Dot(w, mean) / total
			v := 0.0
			for k := range w {
				v += w[k] / total * (variance[k] + (mean[k]-m)*(mean[k]-m))
			}
			out = append(out, Edge{i, j, math.Min(1, total/float64(n)), m, math.Sqrt(v)})
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
// above one half, with its mean weight; nil weights for a model without.
// Particles that share one causal order cannot make a cycle of such edges. With
// DiBS they can, though none of them has it: edges are then taken in the sequence
// of [Posterior.Edges], and one that would close a cycle is left out.
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
