package drawn

import (
	"math"
	"math/rand/v2"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/stream"
	"tobac/models"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Parameters says what rows of parameters of a likelihood mean, under an order or none.
type Parameters struct {
	Model      sem.Differentiable
	Likelihood models.Likelihood
	Data       *dataset.Table // in order coordinates
	Order      []int          // nil means none
	Seed       uint64
}

type (
	// An equational model is a differentiable one with linear Gaussian equations, whose likelihood
	// is a [models.Weighted].
	equational interface {
		// Equations are those with the given weights, d×d with 0 where there is no edge. Data and
		// weights are in order coordinates, and so is the result.
		Equations(data *dataset.Table, weights *mat.Dense) *posterior.Equations
	}

	// A predictive model has another likelihood for rows that were not used to infer its draws,
	// because it integrates some of its parameters out. The draws have them as their last
	// parameters: those that [models.Gaussian] infers.
	predictive interface {
		Predictive(data *dataset.Table) (models.Likelihood, error)
	}

	// A completed likelihood integrates some parameters out that the draws of the posterior have:
	// those of predictive's likelihood, drawn given the others after the particles have moved.
	completed interface {
		Complete(graphs []*dag.Graph, theta *mat.Dense, rng func(m int) *rand.Rand) (*mat.Dense,
			error)
	}

	// An explicit likelihood writes the equations of a particle as [sem.Structural] reads them.
	explicit interface {
		// Functions are those of a graph with a row of parameters, both in order coordinates, of
		// the variables in the sequence of their numbers; variables has the number of each place in
		// the order.
		Functions(g *dag.Graph, theta []float64, variables []int) []float64
	}
)

// Give gives draws of graphs, each with a row of parameters, their equations or parameters with the
// log densities, and the component the equations of the graph without edges; weights that are in
// no equations get their moments. All are in order coordinates.
func (f *Parameters) Give(p *posterior.Posterior, graphs []*dag.Graph,
	theta *mat.Dense) error {
	noise, parameters, prior, likelihood, err := f.read(graphs, theta)
	if err != nil {
		return err
	}
	linear, _ := sem.As[equational](f.Model)
	weighted, _ := f.Likelihood.(models.Weighted)
	written, _ := f.Likelihood.(explicit)
	equations := func(weights *mat.Dense, m int) *posterior.Equations {
		e := linear.Equations(f.Data, weights)
		if noise != nil {
			copy(e.NoiseVariances, noise.RawRowView(m))
		}
		return e
	}
	for m, g := range graphs {
		draw := &p.Draws[m]
		draw.LogPrior, draw.LogLikelihood = prior[m], likelihood[m]
		switch {
		case linear != nil && weighted != nil:
			draw.Equations = equations(edgeWeights(g, weighted, theta.RawRowView(m)), m)
		case written != nil:
			variables := f.Order
			if len(f.Order) == 0 {
				variables = dag.Identity(len(f.Data.Names))
			}
			draw.Parameters = written.Functions(g, parameters.RawRowView(m), variables)
		case parameters != nil:
			draw.Parameters = slices.Clone(parameters.RawRowView(m))
		}
	}
	switch d := len(f.Data.Names); {
	case linear != nil:
		p.Components[0].Empty = equations(mat.NewDense(d, d, nil), len(graphs))
	case weighted != nil:
		p.WeightMean, p.WeightSD = meanWeights(p, theta, weighted)
	}
	return nil
}

// read computes what belongs to graphs with their rows of parameters: inferred noise variances, nil
// without any, the parameters of the predictive likelihood, and log densities.
func (f *Parameters) read(graphs []*dag.Graph, theta *mat.Dense) (noise, parameters *mat.Dense,
	prior, likelihood []float64, err error) {
	if noise, err = f.inferredNoise(graphs, theta); err != nil {
		return nil, nil, nil, nil, err
	}
	lik, parameters, err := f.predictive(theta, noise)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	if prior, likelihood, err = models.LogJoint(lik, graphs, parameters); err != nil {
		return nil, nil, nil, nil, err
	}
	if m, ok := f.Likelihood.(completed); ok {
		parameters, err = m.Complete(graphs, theta, func(m int) *rand.Rand {
			return stream.New(f.Seed, stream.OutputLayer, m)
		})
	}
	return noise, parameters, prior, likelihood, err
}

// inferredNoise are the noise variances of all particles, one row for each, and of
// the graph without edges; nil means the model has none of its own.
func (f *Parameters) inferredNoise(graphs []*dag.Graph, theta *mat.Dense) (*mat.Dense, error) {
	lik, ok := f.Likelihood.(models.Gaussian)
	if m, noisy := sem.As[sem.Noisy](f.Model); !ok || !noisy || m.Noise() != 0 {
		return nil, nil
	}
	rows, n := theta.Dims()
	all := mat.NewDense(rows+1, n, nil) // the last stays 0
	all.Slice(0, rows, 0, n).(*mat.Dense).Copy(theta)
	return models.InferredNoise(lik, append(slices.Clone(graphs), dag.New(len(f.Data.Names))), all)
}

// predictive is the likelihood of rows that were not used to infer the particles, and
// their parameters: with the logarithms of inferred noise variances, if it has those.
func (f *Parameters) predictive(theta, noise *mat.Dense) (models.Likelihood, *mat.Dense, error) {
	model, ok := sem.As[predictive](f.Model)
	if !ok || noise == nil {
		return f.Likelihood, theta, nil
	}
	lik, err := model.Predictive(f.Data)
	if err != nil {
		return nil, nil, err
	}
	particles, n := theta.Dims()
	_, d := noise.Dims()
	parameters := mat.NewDense(particles, n+d, nil)
	for m := range particles {
		row := parameters.RawRowView(m)
		copy(row, theta.RawRowView(m))
		for j, v := range noise.RawRowView(m) {
			row[n+j] = math.Log(v)
		}
	}
	return lik, parameters, nil
}

// edgeWeights are the weights of the edges of a graph, 0 elsewhere.
func edgeWeights(g *dag.Graph, lik models.Weighted, theta []float64) *mat.Dense {
	w := mat.NewDense(g.Len(), g.Len(), nil)
	for _, e := range g.Edges() {
		w.Set(e.From, e.To, theta[lik.EdgeWeight(e.From, e.To)])
	}
	return w
}

// meanWeights are the means of the weights over the acyclic graphs, in order coordinates, that have
// the edge, NaN where none has. Their standard deviation over particles is none
// of the posterior, which stays unknown; that over draws is one.
func meanWeights(p *posterior.Posterior, theta *mat.Dense,
	lik models.Weighted) (mean, sd *mat.Dense) {
	d := len(p.Names)
	mean, sd = Unknown(d), Unknown(d)
	acyclic := make([]bool, len(p.Draws))
	for m, draw := range p.Draws {
		acyclic[m] = draw.Graph.Acyclic()
	}
	for i := range d {
		for j := range d {
			var w []float64
			for m, draw := range p.Draws {
				if acyclic[m] && draw.Graph.Has(i, j) {
					w = append(w, theta.At(m, lik.EdgeWeight(i, j)))
				}
			}
			if len(w) == 0 {
				continue
			}
			sum := 0.0
			for _, v := range w {
				sum += v
			}
			mean.Set(i, j, sum/float64(len(w)))
			if p.Kind == posterior.Draws && len(w) > 1 {
				sd.Set(i, j, stat.PopStdDev(w, nil))
			}
		}
	}
	return mean, sd
}

// Unknown is a d×d matrix of NaN.
func Unknown(d int) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	m.Apply(func(int, int, float64) float64 { return math.NaN() }, m)
	return m
}
