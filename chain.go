package tobac

import (
	"context"
	"math"
	"slices"
	"time"

	"tobac/dag"
	"tobac/models"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// A chain is the sampling under one causal order. Only one at a time has a
// compiled program.
type chain struct {
	order []int // column indices, sources first; empty with DiBS
	count int   // resamples that gave it; 0: it is the order of the data
	seed  uint64

	step          int
	x             []*mat.Dense // particles; nil: not begun
	noiseVariance float64
	evidence      float64 // log p(D|order), if weighed
	weighed       bool
	finished      *Posterior // under this order, once the next one has begun

	lik     models.Likelihood
	target  *models.TOBAC // nil: no program
	sampler *svgd.Sampler
}

// compile builds the program of the current chain and draws its initial
// particles.
func (r *Run) compile() error {
	start := time.Now()
	defer func() { r.seconds.Compile += time.Since(start).Seconds() }()
	cfg, c := r.cfg, r.chains[r.at]
	x, intervened := inOrder(r.data.X, c.order), inOrder(cfg.Interventions, c.order)
	prior, err := r.graphPrior(c.order)
	if err != nil {
		return err
	}
	if cfg.NoiseVariance == 0 && !cfg.model().Marginal() {
		if cfg.NoiseVariance, err = models.EstimateNoiseVarianceIntervened(x, intervened); err != nil {
			return err
		}
	}
	c.noiseVariance = cfg.NoiseVariance
	if c.lik, err = cfg.model().Likelihood(x, intervened, cfg); err != nil {
		return err
	}
	c.target, err = models.NewTOBAC(c.lik, models.TOBACConfig{
		Particles: cfg.Particles, Samples: cfg.Samples, Rank: cfg.Rank, AlphaRate: cfg.AlphaRate,
		Estimator: cfg.Estimator, Gradient: cfg.Gradient, Embedding: cfg.Method.embedding(), Prior: prior, Penalty: cfg.Penalty,
		Seed: c.seed, Options: models.Options{Workers: cfg.Workers, Precision: cfg.Precision},
	})
	if err != nil {
		return err
	}
	c.x = c.target.Init()
	bandwidths := []float64{cfg.BandwidthZ, cfg.BandwidthTheta}
	c.sampler = &svgd.Sampler{
		Target:    c.target,
		Kernel:    svgd.Additive{Bandwidths: bandwidths[:len(c.x)]},
		Optimizer: svgd.RMSProp{StepSize: cfg.StepSize},
	}
	if cfg.Progress != nil {
		at, before := r.at+1, r.at*cfg.Steps
		c.sampler.Recorder = func(s svgd.Stats) {
			cfg.Progress(Progress{Step: before + s.Step + 1, Steps: r.Steps(), Order: at, Orders: len(r.chains),
				Driving: s.Driving[0], Repulsive: s.Repulsive[0], Neighbours: s.Neighbours})
		}
	}
	return nil
}

// weigh computes the evidence of the current chain's order where it decides the
// weights.
func (r *Run) weigh(ctx context.Context) error {
	c := r.chains[r.at]
	if r.cfg.OrderWeights != EvidenceWeights || c.weighed {
		return nil
	}
	start := time.Now()
	defer func() { r.seconds.Order += time.Since(start).Seconds() }()
	prior, err := r.graphPrior(c.order)
	if err != nil {
		return err
	}
	logp, err := parentPrior(prior)
	if err != nil {
		return err
	}
	if c.evidence, err = logEvidence(ctx, c.lik, logp, r.cfg.Workers); err != nil {
		return err
	}
	c.weighed = true
	return nil
}

// next reads the finished chain's posterior, drops its program, and begins the
// next chain.
func (r *Run) next() error {
	if err := r.finish(r.chains[r.at]); err != nil {
		return err
	}
	r.at++
	return r.compile()
}

// finish keeps of a chain what a posterior and a snapshot need.
func (r *Run) finish(c *chain) (err error) {
	if c.finished, err = r.under(c); err != nil {
		return err
	}
	c.release()
	c.lik, c.target, c.sampler = nil, nil, nil
	return nil
}

// release ends the workers of a chain's program.
func (c *chain) release() {
	if c.target != nil {
		c.target.Close()
	}
}

// under reads the posterior given a chain's order off its particles.
func (r *Run) under(c *chain) (*Posterior, error) {
	if c.finished != nil {
		return c.finished, nil
	}
	d := len(r.data.Names)
	order := c.order
	p := &Posterior{Config: r.cfg, Names: slices.Clone(r.data.Names), Order: slices.Clone(order)}
	p.Config.NoiseVariance = c.noiseVariance
	if len(order) == 0 {
		order = identity(d)
	}
	weighted, hasWeights := c.lik.(models.Weighted)
	if len(c.x) == 2 {
		p.Parameters = mat.DenseCopyOf(c.x[1])
	}
	var canonical []*dag.Graph
	for m := range r.cfg.Particles {
		g := c.target.Graph(c.x[0].RawRowView(m))
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
	if p.LogPrior, p.LogLikelihood, err = models.LogJoint(c.lik, canonical, p.Parameters); err != nil {
		return nil, err
	}
	if lik, ok := c.lik.(*models.Linear); ok && r.cfg.Readout == ConditionalReadout {
		p.conditional = [][]Edge{r.conditionals(c.order, lik, canonical)}
	}
	return p, nil
}

// conditionals averages the conditional distributions of all edges along an
// order over graphs given in its coordinates.
func (r *Run) conditionals(order []int, lik *models.Linear, graphs []*dag.Graph) []Edge {
	d := len(order)
	prior := 2 * r.cfg.EdgesPerNode / float64(d-1)
	var all [][]models.EdgeConditional
	for _, g := range graphs {
		all = append(all, lik.Conditionals(g, math.Log(prior)-math.Log1p(-prior)))
	}
	position := dag.Inverse(order)
	return collect(d, float64(len(graphs)), func(i, j int) (w, mean, variance []float64) {
		a, b := position[i], position[j]
		if a >= b {
			return nil, nil, nil
		}
		for _, c := range all {
			e := c[a*d+b]
			w, mean, variance = append(w, e.Probability), append(mean, e.Mean), append(variance, e.SD*e.SD)
		}
		return w, mean, variance
	})
}
