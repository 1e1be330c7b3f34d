package models

import (
	"errors"
	"fmt"
	"math"

	"tobac/autograd"
	"tobac/dag"
	"tobac/internal/stream"
	"tobac/schedule"

	"gonum.org/v1/gonum/mat"
)

// TOBACConfig are the settings of the target. The zero value of each field but
// Estimator is the published default.
type TOBACConfig struct {
	Particles int // particles M; defaults to 30
	Samples   int // Monte Carlo graphs S per gradient; defaults to 128
	// length k of the latent vectors; zero means their number, d−1 with an order, d without
	Rank int
	// inverse temperature α_t = AlphaRate·t; defaults to 0.05, or 1 for a likelihood without
	// parameters
	AlphaRate float64
	// of α_t, in place of AlphaRate; nil means schedule.Growth with it
	Alpha schedule.Schedule
	// temperature τ of the soft graphs, a factor: large is hard; defaults to 1
	Tau            float64
	Estimator      Estimator      // defaults to NodeWise
	Gradient       Gradient       // of Z; defaults to Reparameterised
	Embedding      Embedding      // defaults to OrderedPairs, which is TOBAC
	Latents        Latents        // what Z is; defaults to Factors
	EdgeParameters EdgeParameters // of flips; defaults to DensityOfEdges
	// defaults to PriorOutside. Inside, NodeWise and Flips need a ModularPrior
	PriorPlace PriorPlace
	Temper     schedule.Schedule // exponent of p(D|G,Θ) at a step; nil means 1
	Prior      GraphPrior        // nil means Erdős–Rényi with 2 edges per variable
	Penalty    Penalty           // of cycles; used by AllPairs only
	Seed       uint64            // of the initial particles and of every draw
	Noise      Noise             // nil means streams derived from Seed
	Options
}

// TOBAC is the posterior over latents Z and parameters Θ given a causal order,
//
//	log p(Z,Θ|D) = log p(Z) + log E_{p(G|Z)}[p(D,Θ|G)] + const,
//	log p(Z)     = Σ lnN(Z; 0, 1/k) + log p_graph(G_α(Z)),
//
// as a scorer for SVGD, in order coordinates. The gradient with respect to Θ is taken through hard
// graphs, that with respect to Z through other graphs, soft or hard as [Gradient] says. With the
// embedding AllPairs it is the posterior of DiBS, which knows no order: log p(Z) then has the
// further term −β_t E[h(G)] of [Penalty], and graphs may have cycles.
//
// Blocks are Z (M × rows·k·2, element (i,l,which) at (i·k+l)·2+which with which
// 0 for u and 1 for v) and Θ (M × ParamLen), which is missing if the likelihood
// has no parameters.
//
// A TOBAC may be used by one goroutine at a time.
type TOBAC struct {
	cfg     TOBACConfig
	lik     Likelihood
	emb     embedding
	scorer  *scorer
	penalty *penalty    // nil without one
	flips   *flipScorer // nil means expressions evaluate all gradients
	alpha   [1]float64
	temper  [1]float64 // exponent of the likelihood
	step    int
	noise   Noise
}

// NewTOBAC builds and compiles the target.
func NewTOBAC(lik Likelihood, cfg TOBACConfig) (*TOBAC, error) {
	d := lik.Vars()
	if d < 2 {
		return nil, fmt.Errorf("models: TOBAC needs at least 2 variables, got %d", d)
	}
	cfg, err := cfg.withDefaults(lik)
	if err != nil {
		return nil, err
	}
	t := &TOBAC{cfg: cfg, lik: lik, emb: embedding{d: d, k: cfg.Rank, kind: cfg.Embedding,
		latents: cfg.Latents}, temper: [1]float64{1}, noise: cfg.Noise}
	if t.emb.fixed, err = fixedEdges(cfg.Prior, d, cfg.Embedding); err != nil {
		return nil, fmt.Errorf("models: TOBAC: %w", err)
	}
	if t.noise == nil {
		t.noise = seeded(cfg.Seed)
	}
	t.flips = newFlipScorer(t)
	e := t.expressions()
	grads := e.b.Grad(e.objectiveZ, e.z)
	if e.objectiveTheta != nil {
		grads = append(grads, e.b.Grad(e.objectiveTheta, e.theta)...)
	}
	opt := cfg.evaluator()
	if t.scorer, err = newScorer(e.inputs(), grads, opt); err != nil {
		return nil, fmt.Errorf("models: TOBAC: %w", err)
	}
	copy(t.scorer.src[e.blocks:], t.feeds(e))
	if cfg.Embedding == AllPairs {
		if t.penalty, err = t.newPenalty(opt); err != nil {
			return nil, fmt.Errorf("models: TOBAC: %w", err)
		}
	}
	return t, nil
}

// feeds are those of the inputs after the blocks.
func (t *TOBAC) feeds(e *expressions) []autograd.Feed {
	fs := []autograd.Feed{{Data: t.alpha[:]}}
	if e.soft != nil {
		fs = append(fs, t.draws(SoftGraphs))
	}
	if e.hard != nil {
		fs = append(fs, t.draws(HardGraphs))
	}
	if e.flips != nil {
		fs = append(fs, autograd.Feed{Data: t.flips.flips.RawMatrix().Data})
	}
	if e.temper != nil {
		fs = append(fs, autograd.Feed{Data: t.temper[:]})
	}
	if e.rows != nil {
		d := t.lik.Vars()
		rows := make([]float64, d*d*d) // matrix i has ones in row i
		for i := range d * d {
			rows[i/d*d*d+i] = 1
		}
		fs = append(fs, autograd.Feed{Data: rows})
	}
	return fs
}

// uniform adds the input of a purpose's noise. Seeded noise is drawn by the engine.
func (t *TOBAC) uniform(b *autograd.Builder, name string, shape autograd.Shape,
	over ...*autograd.Axis) *autograd.Node {
	if _, ok := t.noise.(seeded); ok {
		return b.Uniform(name, shape, over...)
	}
	return b.Input(name, shape, over...)
}

// draws feeds the uniform noise of a purpose at the current step.
func (t *TOBAC) draws(purpose Purpose) autograd.Feed {
	if s, ok := t.noise.(seeded); ok {
		return autograd.Feed{Seed: func(i int) uint64 {
			return StreamSeed(uint64(s), purpose, t.step, i)
		}}
	}
	return autograd.Feed{Fill: func(dst []float64, i int) { t.noise.Fill(dst, purpose, t.step, i) }}
}

// blocks is the number of blocks of a particle.
func (t *TOBAC) blocks() int {
	if t.lik.ParamLen() == 0 {
		return 1
	}
	return 2
}

func (c TOBACConfig) withDefaults(lik Likelihood) (TOBACConfig, error) {
	d := lik.Vars()
	rows := embedding{d: d, kind: c.Embedding}.rows()
	for _, f := range []struct {
		name string
		v    *int
		zero int
	}{
		{"particles", &c.Particles, 30}, {"samples", &c.Samples, 128}, {"rank", &c.Rank, rows},
		{"workers", &c.Workers, 1}, {"penalty samples", &c.Penalty.Samples, 32},
	} {
		if *f.v == 0 {
			*f.v = f.zero
		}
		if *f.v < 1 {
			return c, fmt.Errorf("models: TOBAC: %s %d, want at least 1", f.name, *f.v)
		}
	}
	switch {
	case c.Estimator < 0 || c.Estimator > Joint:
		return c, fmt.Errorf("models: TOBAC: unknown estimator %d", c.Estimator)
	case c.Gradient < 0 || int(c.Gradient) >= len(gradientNames):
		return c, fmt.Errorf("models: TOBAC: unknown gradient %d", c.Gradient)
	case c.Gradient == ScoreFunctionLOO && c.Samples < 2:
		return c, fmt.Errorf(
			"models: TOBAC: the leave-one-out gradient needs at least 2 samples, got %d", c.Samples)
	case c.Latents < 0 || int(c.Latents) >= len(latentNames):
		return c, fmt.Errorf("models: TOBAC: unknown latents %d", c.Latents)
	case c.EdgeParameters < 0 || int(c.EdgeParameters) >= len(edgeParameterNames):
		return c, fmt.Errorf("models: TOBAC: unknown count of the parameters of edges %d",
			c.EdgeParameters)
	case c.PriorPlace < 0 || int(c.PriorPlace) >= len(priorPlaceNames):
		return c, fmt.Errorf("models: TOBAC: unknown place of the graph prior %d", c.PriorPlace)
	case c.Embedding < 0 || c.Embedding > AllPairs:
		return c, fmt.Errorf("models: TOBAC: unknown embedding %d", c.Embedding)
	}
	if c.Alpha != nil && c.AlphaRate != 0 {
		return c, fmt.Errorf("models: TOBAC: alpha rate %v beside a schedule of alpha, want one "+
			"of the two", c.AlphaRate)
	}
	if c.AlphaRate == 0 {
		c.AlphaRate = 0.05
		if lik.ParamLen() == 0 {
			c.AlphaRate = 1
		}
	}
	if c.Tau == 0 {
		c.Tau = 1
	}
	if c.Alpha == nil {
		c.Alpha = schedule.Growth(c.AlphaRate)
	}
	if c.Penalty.Beta != nil && c.Penalty.Rate != 0 {
		return c, fmt.Errorf("models: TOBAC: penalty rate %v beside a schedule of the penalty, "+
			"want one of the two", c.Penalty.Rate)
	}
	if c.Penalty.Rate == 0 {
		c.Penalty.Rate = 1
	}
	if c.Penalty.Beta == nil {
		c.Penalty.Beta = schedule.Growth(c.Penalty.Rate)
	}
	if !(c.AlphaRate > 0 && c.Tau > 0) || math.IsInf(c.AlphaRate+c.Tau, 0) {
		return c, fmt.Errorf(
			"models: TOBAC: alpha rate %v and tau %v, want finite positive numbers", c.AlphaRate,
			c.Tau)
	}
	if !(c.Penalty.Rate > 0) || math.IsInf(c.Penalty.Rate, 0) {
		return c, fmt.Errorf("models: TOBAC: penalty rate %v, want a finite positive number",
			c.Penalty.Rate)
	}
	if h, ok := lik.(HardOnly); ok && h.HardOnly() && c.Gradient == Reparameterised {
		return c, fmt.Errorf("models: TOBAC: the likelihood is defined for graphs without soft " +
			"edges only; use the score-function gradient")
	}
	if c.Prior == nil {
		p, err := EdgeProbability(d, 2)
		if err != nil {
			return c, fmt.Errorf("models: TOBAC: %w", err)
		}
		c.Prior = ErdosRenyi(p)
	}
	if _, ok := c.Prior.(ModularPrior); !ok && c.PriorPlace == PriorInside &&
		(c.Estimator == NodeWise || c.Gradient == Flips) {
		return c, fmt.Errorf("models: TOBAC: the graph prior %T inside the expectation of each "+
			"variable, want one that is a product over variables: a ModularPrior", c.Prior)
	}
	return c, nil
}

// expressions are the nodes of the target, written for one particle and one
// sample. Those of Θ are nil if there are no parameters.
type expressions struct {
	b               *autograd.Builder
	z, theta, alpha *autograd.Node // inputs
	soft, hard      *autograd.Node // inputs: uniform noise of the pairs
	// inputs, nil where they are not used: flip gradients, exponent of the likelihood, rows of ones
	flips, temper, rows *autograd.Node
	blocks              int // inputs that are blocks of a particle
	edgeProbs           *autograd.Node
	// graphs for Z (hard for the score function) and for Θ
	softGraph, hardGraph       *autograd.Node
	softTerms, hardTerms       *autograd.Node // L_j, j = 1..d
	logPrior, logLikelihood    *autograd.Node // of Z; the prior without penalty
	objectiveZ, objectiveTheta *autograd.Node
}

// inputs lists the inputs: blocks first.
func (e *expressions) inputs() (all []*autograd.Node) {
	for _, n := range []*autograd.Node{e.z, e.theta, e.alpha, e.soft, e.hard, e.flips, e.temper,
		e.rows} {
		if n != nil {
			all = append(all, n)
		}
	}
	return all
}

func (t *TOBAC) expressions() *expressions {
	cfg, emb := t.cfg, t.emb
	b := autograd.NewBuilder("tobac")
	particle := b.Axis("particle", cfg.Particles)
	sample := b.Axis("sample", cfg.Samples)
	noise := func(name string) *autograd.Node {
		return t.uniform(b, name, autograd.Shape{emb.pairs()}, particle, sample)
	}
	e := &expressions{
		b:      b,
		z:      b.Input("Z", autograd.Shape{emb.latentLen()}, particle),
		alpha:  b.Input("alpha", autograd.Shape{}),
		blocks: 1,
	}
	if t.flips == nil {
		e.soft = noise("uniform Z")
	}
	logits := emb.scores(e.z).Mul(e.alpha)
	e.edgeProbs = emb.graph(logits.Sigmoid())
	e.logPrior = cfg.Latents.logPrior(e.z, emb.k)
	if cfg.PriorPlace == PriorOutside {
		e.logPrior = e.logPrior.Add(cfg.Prior.LogProb(e.edgeProbs))
	}
	if t.flips != nil { // which evaluates everything that depends on the likelihood
		e.flips = b.Input("flips", autograd.Shape{emb.pairs()}, particle)
		e.objectiveZ = e.flips.Mul(logits).Sum().Add(e.logPrior)
		return e
	}
	if cfg.Temper != nil {
		e.temper = b.Input("temper", autograd.Shape{})
	}
	if n := t.lik.ParamLen(); n > 0 {
		e.blocks = 2
		e.theta = b.Input("theta", autograd.Shape{n}, particle)
		e.hard = noise("uniform theta")
		e.hardGraph = emb.graph(hardSample(logits, e.hard))
		e.hardTerms = t.terms(e, e.hardGraph)
		e.objectiveTheta = cfg.Estimator.combine(e.hardTerms, sample)
	}
	if cfg.Gradient == Reparameterised {
		e.softGraph = emb.graph(softSample(logits, e.soft, cfg.Tau))
		e.softTerms = t.terms(e, e.softGraph)
		e.logLikelihood = cfg.Estimator.combine(e.softTerms, sample)
	} else {
		pairs := hardSample(logits, e.soft)
		e.softGraph = emb.graph(pairs)
		e.softTerms = t.terms(e, e.softGraph)
		if cfg.Gradient == Flips {
			e.logLikelihood = t.flipExpression(e, logits, e.softGraph, e.softTerms, sample,
				b.Axis("parent", t.lik.Vars()))
		} else {
			// log q(G) = Σ g·logit − ln(1 + e^logit), one term per child.
			logq := emb.scatter(pairs.Mul(logits).Sub(logits.Softplus())).Sum(0)
			e.logLikelihood = cfg.Gradient.surrogate(cfg.Estimator, e.softTerms, logq, sample)
		}
	}
	e.objectiveZ = e.logLikelihood.Add(e.logPrior)
	return e
}

// terms are L_j = log p(Θ_j|G) + log p(D_j|G,Θ_j), the second tempered, with the prior of the graph
// if it is inside.
func (t *TOBAC) terms(e *expressions, g *autograd.Node) *autograd.Node {
	prior, data := t.lik.Terms(g, e.theta)
	if e.temper != nil {
		data = data.Mul(e.temper)
	}
	sum := prior.Add(data)
	if t.cfg.PriorPlace == PriorOutside {
		return sum
	}
	if p, ok := t.cfg.Prior.(ModularPrior); ok {
		return sum.Add(p.Terms(g))
	}
	// of which only the sum is used
	return sum.Add(t.cfg.Prior.LogProb(g).Scale(1 / float64(t.lik.Vars())))
}

// Score implements the scorer of package svgd: the gradient of the target at
// step t, counted from 0, for every particle.
func (t *TOBAC) Score(dst, x []*mat.Dense, step int) error {
	if len(x) != t.blocks() || len(dst) != t.blocks() {
		return fmt.Errorf("models: TOBAC: got %d blocks and %d results, want %d of each", len(x),
			len(dst), t.blocks())
	}
	for i, m := range x {
		if t.flips != nil && i == 1 {
			if _, err := contiguous(m, t.cfg.Particles, t.lik.ParamLen()); err != nil {
				return fmt.Errorf("models: block %d: %w", i, err)
			}
			continue
		}
		if err := t.scorer.bind(i, m); err != nil {
			return err
		}
	}
	t.at(step)
	evaluated := dst
	if t.flips != nil {
		var theta *mat.Dense
		if len(dst) == 2 {
			theta = dst[1]
		}
		if err := t.flips.score(theta, x); err != nil {
			return err
		}
		evaluated = dst[:1]
	}
	err := t.scorer.eval(evaluated)
	if t.penalty == nil || err != nil && !errors.As(err, new(*OutsideError)) {
		return err
	}
	if err := t.penalty.add(dst[0], x[0], step); err != nil {
		return err
	}
	return err
}

// at sets what depends on the step.
func (t *TOBAC) at(step int) {
	t.step, t.alpha[0] = step, t.alphaAt(step)
	if t.cfg.Temper != nil {
		t.temper[0] = t.cfg.Temper.At(step)
	}
}

// alphaAt is the inverse temperature at a step.
func (t *TOBAC) alphaAt(step int) float64 { return t.cfg.Alpha.At(step) }

// Init draws the initial particles: Z from its prior, N(0, 1/k) for [Factors], and Θ as the
// likelihood says.
func (t *TOBAC) Init() []*mat.Dense {
	m := t.cfg.Particles
	x := []*mat.Dense{mat.NewDense(m, t.emb.latentLen(), nil)}
	if n := t.lik.ParamLen(); n > 0 {
		x = append(x, mat.NewDense(m, n, nil))
	}
	for i := range m {
		rng := stream.New(t.cfg.Seed, stream.InitialParticles, 0, i)
		t.cfg.Latents.draw(x[0].RawRowView(i), t.emb.k, rng)
		if len(x) == 2 {
			t.lik.InitParams(x[1].RawRowView(i), rng)
		}
	}
	return x
}

// HardGraph is the graph of one particle in the limit of large α, in order
// coordinates: an edge wherever the score is positive. It has no cycle unless
// the embedding is AllPairs.
func (t *TOBAC) HardGraph(z []float64) *dag.Graph { return t.emb.limit(z) }

// Close releases the workers.
func (t *TOBAC) Close() {
	t.scorer.close()
	if t.penalty != nil {
		t.penalty.scorer.close()
	}
}
