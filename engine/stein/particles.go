package stein

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/orders"
	"tobac/internal/stream"
	"tobac/models"
	"tobac/posterior"
	"tobac/sem"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// particleFit is the sampling of one model by SVGD under one causal order. It
// knows nothing of other orders.
type particleFit struct {
	asked   sem.Model          // as it was asked for
	model   sem.Differentiable // with what was estimated
	sampler *SVGD
	penalty models.Penalty // of cycles, without an order
	prior   background.Prior
	density float64 // edges per node of the prior
	order   orders.Weighted
	engine  string // its name
	workers int
	doing   func(what string) // reports what is computed beside steps; nil: to nobody

	names []string                   // of the columns
	scale *posterior.Standardization // of the data; nil: their own

	data *dataset.Table // in order coordinates
	// Set by compile, dropped by release.
	lik    models.Likelihood
	target *models.TOBAC
	sets   setEstimator // nil: the marginals need none
	svgd   *svgd.Sampler
	x      []*mat.Dense
	step   int

	seen     particleChecks // when the posterior was read off last
	seenSets setChecks
}

// compile builds the program and draws the initial particles.
func (f *particleFit) compile(ctx context.Context, data *dataset.Table) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.data = data
	ordered := f.ordered()
	if ordered {
		f.data = data.Relabel(f.order.Order)
	}
	var err error
	if f.model, err = f.differentiable(ctx, ordered); err != nil {
		return err
	}
	d := len(data.Names)
	prior, err := f.prior.Expression(f.order.Order, d, f.density)
	if err != nil {
		return err
	}
	if f.lik, err = f.model.Likelihood(f.data); err != nil {
		return err
	}
	s, embedding := f.sampler, models.AllPairs
	if ordered {
		embedding = models.OrderedPairs
	}
	f.target, err = models.NewTOBAC(f.lik, models.TOBACConfig{
		Particles: s.Particles, Samples: s.Samples, Rank: s.Rank, AlphaRate: s.AlphaRate, Alpha: s.Alpha,
		Estimator: s.Estimator, Gradient: f.gradient(), Embedding: embedding, Prior: prior, Penalty: f.penalty,
		Latents: s.Latents, EdgeParameters: s.EdgeParameters, PriorPlace: s.PriorPlace, Temper: s.Temper,
		Seed: f.order.Seed, Options: models.Options{Workers: f.workers},
	})
	if err != nil {
		return err
	}
	kernel, err := s.kernel(f.target)
	if err != nil {
		return fmt.Errorf("the model %v: %w", f.asked, err)
	}
	if err := f.prepareSets(ctx); err != nil {
		return err
	}
	f.x, f.step = f.target.Init(), 0
	if err := f.fitParameters(ctx); err != nil {
		return err
	}
	f.svgd = &svgd.Sampler{Target: f.target, Kernel: kernel, Optimizer: s.optimizer()}
	return nil
}

// ordered reports whether the particles follow a causal order.
func (f *particleFit) ordered() bool { return len(f.order.Order) > 0 }

// gradient is that of the settings, or the score function where the likelihood has
// no soft form.
func (f *particleFit) gradient() models.Gradient {
	if h, ok := f.lik.(models.HardOnly); ok && h.HardOnly() && f.sampler.Gradient == models.Reparameterised {
		return models.ScoreFunction
	}
	return f.sampler.Gradient
}

// advance takes the steps up to number to.
func (f *particleFit) advance(ctx context.Context, to int, report func(engine.Progress)) error {
	f.svgd.Recorder = func(s svgd.Stats) {
		report(engine.Progress{Step: s.Step + 1, Driving: s.Driving[0], Repulsive: s.Repulsive[0], Neighbours: s.Neighbours})
	}
	err := f.svgd.Run(ctx, f.x, f.step, to)
	var early *svgd.StepError
	if errors.As(err, &early) {
		f.step = early.Step
		return early.Err
	}
	f.step = max(f.step, to)
	return err
}

// release ends the workers of the program, and drops it.
func (f *particleFit) release() {
	if f.target != nil {
		f.target.Close()
	}
	if f.sets != nil {
		f.sets.close()
	}
	f.target, f.sets, f.svgd, f.lik = nil, nil, nil, nil
}

// posterior reads the posterior given the order off the particles as they are:
// each particle's graph in the limit of large α, with its parameters.
func (f *particleFit) posterior(ctx context.Context) (*posterior.Posterior, error) {
	if _, ok := f.model.(integratedModel); ok || f.sampler.Marginals == ReweightedMarginals {
		return f.drawn(ctx)
	}
	graphs := f.graphs()
	p := f.unread(posterior.Particles, graphs)
	var theta *mat.Dense
	if len(f.x) == 2 {
		theta = f.x[1]
	}
	if err := f.withParameters(p, graphs, theta); err != nil {
		return nil, err
	}
	f.intoColumns(p)
	marginals, err := f.conditionals(ctx, graphs, f.columns())
	if err != nil {
		return nil, err
	}
	if err := f.examine(ctx, p, marginals); err != nil {
		return nil, err
	}
	if marginals == nil || f.sampler.Marginals != ConditionalMarginals {
		m := p.Frequencies()
		if p.WeightMean != nil {
			m.WeightMean, m.WeightSD = p.WeightMean, p.WeightSD
		}
		marginals = &m
	}
	if p.Cyclic() < len(p.Draws) {
		f.prior.Settle(marginals.Probabilities)
	}
	p.Marginals, p.Components[0].Marginals = *marginals, marginals
	return p, nil
}

// unread is a posterior of graphs in order coordinates, of which nothing else is known yet.
func (f *particleFit) unread(kind posterior.Kind, graphs []*dag.Graph) *posterior.Posterior {
	p := &posterior.Posterior{Names: slices.Clone(f.data.Names), Engine: f.engine, Model: f.asked.String(), Kind: kind, Draws: make([]posterior.Draw, len(graphs))}
	for k, g := range graphs {
		p.Draws[k].Graph = g
	}
	p.Components = []posterior.Component{{Draws: len(graphs), Weight: 1, Count: f.order.Count, NoiseVariance: f.noiseVariance(), LogEvidence: f.order.Evidence}}
	return p
}

// withParameters gives draws of graphs in order coordinates, each with a row of parameters, their equations or parameters with the log densities, and the component the
// equations of the graph without edges; weights that are in no equations get their moments.
func (f *particleFit) withParameters(p *posterior.Posterior, graphs []*dag.Graph, theta *mat.Dense) error {
	noise, parameters, prior, likelihood, err := f.read(graphs, theta)
	if err != nil {
		return err
	}
	equational, _ := f.model.(sem.Equational)
	weighted, _ := f.lik.(models.Weighted)
	equations := func(weights *mat.Dense, m int) *posterior.Equations {
		e := equational.Equations(f.data, weights)
		if noise != nil {
			copy(e.NoiseVariances, noise.RawRowView(m))
		}
		return e
	}
	for m, g := range graphs {
		draw := &p.Draws[m]
		draw.LogPrior, draw.LogLikelihood = prior[m], likelihood[m]
		switch {
		case equational != nil && weighted != nil:
			draw.Equations = equations(edgeWeights(g, weighted, theta.RawRowView(m)), m)
		case parameters != nil:
			draw.Parameters = slices.Clone(parameters.RawRowView(m))
		}
	}
	switch d := len(f.names); {
	case equational != nil:
		p.Components[0].Empty = equations(mat.NewDense(d, d, nil), len(graphs))
	case weighted != nil:
		p.WeightMean, p.WeightSD = meanWeights(p, theta, weighted)
	}
	return nil
}

// read computes what belongs to graphs with their rows of parameters: inferred noise variances, nil without any, the parameters of the predictive likelihood,
// and log densities.
func (f *particleFit) read(graphs []*dag.Graph, theta *mat.Dense) (noise, parameters *mat.Dense, prior, likelihood []float64, err error) {
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
	if m, ok := f.lik.(sem.Completed); ok {
		parameters, err = m.Complete(graphs, theta, func(m int) *rand.Rand { return stream.New(f.order.Seed, stream.OutputLayer, m) })
	}
	return noise, parameters, prior, likelihood, err
}

// inferredNoise are the noise variances of all particles, one row for each, and of
// the graph without edges; nil: the model has none of its own.
func (f *particleFit) inferredNoise(graphs []*dag.Graph, theta *mat.Dense) (*mat.Dense, error) {
	lik, ok := f.lik.(models.Gaussian)
	if m, noisy := f.model.(sem.Noisy); !ok || !noisy || m.Noise() != 0 {
		return nil, nil
	}
	rows, n := theta.Dims()
	all := mat.NewDense(rows+1, n, nil) // the last stays 0
	all.Slice(0, rows, 0, n).(*mat.Dense).Copy(theta)
	return models.InferredNoise(lik, append(slices.Clone(graphs), dag.New(len(f.names))), all)
}

// predictive is the likelihood of rows that were not used to infer the particles, and
// their parameters: with the logarithms of inferred noise variances, if it has those.
func (f *particleFit) predictive(theta, noise *mat.Dense) (models.Likelihood, *mat.Dense, error) {
	model, ok := f.model.(sem.Predictive)
	if !ok || noise == nil {
		return f.lik, theta, nil
	}
	lik, err := model.Predictive(f.data)
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

// graphs are those of the particles, in order coordinates.
func (f *particleFit) graphs() []*dag.Graph {
	var all []*dag.Graph
	for m := range f.sampler.Particles {
		all = append(all, f.target.Graph(f.x[0].RawRowView(m)))
	}
	return all
}

// noiseVariance is the one that all equations share; 0: there is none.
func (f *particleFit) noiseVariance() float64 {
	if m, ok := f.model.(sem.Noisy); ok {
		return m.Noise()
	}
	return 0
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
func meanWeights(p *posterior.Posterior, theta *mat.Dense, lik models.Weighted) (mean, sd *mat.Dense) {
	d := len(p.Names)
	mean, sd = unknown(d), unknown(d)
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

// unknown is a d×d matrix of NaN.
func unknown(d int) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	m.Apply(func(int, int, float64) float64 { return math.NaN() }, m)
	return m
}
