package models

import (
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
	Particles int               // particles M; zero: 30
	Samples   int               // Monte Carlo graphs S per gradient; zero: 128
	Rank      int               // length k of the latent vectors; zero: their number, d−1 with an order, d without
	AlphaRate float64           // inverse temperature α_t = AlphaRate·t; zero: 0.05, or 1 for a likelihood without parameters
	Alpha     schedule.Schedule // of α_t, in place of AlphaRate; nil: schedule.Growth with it
	Tau       float64           // temperature τ of the soft graphs, a factor: large is hard; zero: 1
	Estimator Estimator         // zero: NodeWise
	Gradient  Gradient          // of Z; zero: Reparameterised
	Embedding Embedding         // zero: OrderedPairs, which is TOBAC
	Prior     GraphPrior        // nil: Erdős–Rényi with 2 edges per variable
	Penalty   Penalty           // of cycles; used by AllPairs only
	Seed      uint64            // of the initial particles and of every draw
	Noise     Noise             // nil: streams derived from Seed
	Options
}

// Purpose tells the random streams of one step and particle apart.
type Purpose uint64

const (
	SoftGraphs    = Purpose(stream.SoftGraphs)    // uniform noise of the soft graphs, for Z
	HardGraphs    = Purpose(stream.HardGraphs)    // uniform noise of the hard graphs, for Θ
	PenaltyGraphs = Purpose(stream.PenaltyGraphs) // uniform noise of the soft graphs of the acyclicity penalty
)

// Noise supplies the uniform numbers of the Monte Carlo graphs: dst[e·S+s] in
// (0, 1) for pair e of sample s, pairs being numbered child by child, parents
// ascending, without those that [FixedEdges] fixes. A hard sample has edge e where the number is below the
// edge's probability. Fill must depend on its arguments only and may
// be called concurrently.
type Noise interface {
	Fill(dst []float64, purpose Purpose, step, particle int)
}

// TOBAC is the posterior over latents Z and parameters Θ given a causal order,
//
//	log p(Z,Θ|D) = log p(Z) + log E_{p(G|Z)}[p(D,Θ|G)] + const,
//	log p(Z)     = Σ lnN(Z; 0, 1/k) + log p_graph(G_α(Z)),
//
// as a scorer for SVGD, in order coordinates. The gradient with respect to Θ is
// taken through hard graphs, that with respect to Z through graphs of its own,
// soft or hard as [Gradient] says. With the embedding AllPairs it is the
// posterior of DiBS, which knows no order: log p(Z) then has the further term
// −β_t E[h(G)] of [Penalty], and graphs may have cycles.
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
	penalty *penalty // nil without one
	alpha   [1]float64
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
	t := &TOBAC{cfg: cfg, lik: lik, emb: embedding{d: d, k: cfg.Rank, kind: cfg.Embedding}, noise: cfg.Noise}
	if t.emb.fixed, err = fixedEdges(cfg.Prior, d, cfg.Embedding); err != nil {
		return nil, fmt.Errorf("models: TOBAC: %w", err)
	}
	if t.noise == nil {
		t.noise = seeded(cfg.Seed)
	}
	e := t.expressions()
	grads := e.b.Grad(e.objectiveZ, e.z)
	if e.theta != nil {
		grads = append(grads, e.b.Grad(e.objectiveTheta, e.theta)...)
	}
	opt := cfg.evaluator()
	if t.scorer, err = newScorer(e.inputs(), grads, opt); err != nil {
		return nil, fmt.Errorf("models: TOBAC: %w", err)
	}
	copy(t.scorer.src[t.blocks():], t.feeds())
	if cfg.Embedding == AllPairs {
		if t.penalty, err = t.newPenalty(opt); err != nil {
			return nil, fmt.Errorf("models: TOBAC: %w", err)
		}
	}
	return t, nil
}

// feeds are those of the inputs after the blocks.
func (t *TOBAC) feeds() []autograd.Feed {
	fs := []autograd.Feed{{Data: t.alpha[:]}, t.draws(SoftGraphs)}
	if t.blocks() == 2 {
		fs = append(fs, t.draws(HardGraphs))
	}
	return fs
}

// uniform adds the input of a purpose's noise. Seeded noise is drawn by the engine.
func (t *TOBAC) uniform(b *autograd.Builder, name string, shape autograd.Shape, over ...*autograd.Axis) *autograd.Node {
	if _, ok := t.noise.(seeded); ok {
		return b.Uniform(name, shape, over...)
	}
	return b.Input(name, shape, over...)
}

// draws feeds the uniform noise of a purpose at the current step.
func (t *TOBAC) draws(purpose Purpose) autograd.Feed {
	if s, ok := t.noise.(seeded); ok {
		return autograd.Feed{Seed: func(i int) uint64 { return StreamSeed(uint64(s), purpose, t.step, i) }}
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
	case c.Gradient < 0 || c.Gradient > ScoreFunctionLOO:
		return c, fmt.Errorf("models: TOBAC: unknown gradient %d", c.Gradient)
	case c.Gradient == ScoreFunctionLOO && c.Samples < 2:
		return c, fmt.Errorf("models: TOBAC: the leave-one-out gradient needs at least 2 samples, got %d", c.Samples)
	case c.Embedding < 0 || c.Embedding > AllPairs:
		return c, fmt.Errorf("models: TOBAC: unknown embedding %d", c.Embedding)
	}
	if c.Alpha != nil && c.AlphaRate != 0 {
		return c, fmt.Errorf("models: TOBAC: alpha rate %v beside a schedule of alpha, want one of the two", c.AlphaRate)
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
		c.Alpha = schedule.Growth{Rate: c.AlphaRate}
	}
	if c.Penalty.Beta != nil && c.Penalty.Rate != 0 {
		return c, fmt.Errorf("models: TOBAC: penalty rate %v beside a schedule of the penalty, want one of the two", c.Penalty.Rate)
	}
	if c.Penalty.Rate == 0 {
		c.Penalty.Rate = 1
	}
	if c.Penalty.Beta == nil {
		c.Penalty.Beta = schedule.Growth{Rate: c.Penalty.Rate}
	}
	if !(c.AlphaRate > 0 && c.Tau > 0) || math.IsInf(c.AlphaRate+c.Tau, 0) {
		return c, fmt.Errorf("models: TOBAC: alpha rate %v and tau %v, want finite positive numbers", c.AlphaRate, c.Tau)
	}
	if !(c.Penalty.Rate > 0) || math.IsInf(c.Penalty.Rate, 0) {
		return c, fmt.Errorf("models: TOBAC: penalty rate %v, want a finite positive number", c.Penalty.Rate)
	}
	if h, ok := lik.(HardOnly); ok && h.HardOnly() && c.Gradient == Reparameterised {
		return c, fmt.Errorf("models: TOBAC: the likelihood is defined for graphs without soft edges only; use the score-function gradient")
	}
	if c.Prior == nil {
		p, err := NewErdosRenyi(d, 2)
		if err != nil {
			return c, fmt.Errorf("models: TOBAC: %w", err)
		}
		c.Prior = p
	}
	return c, nil
}

// expressions are the nodes of the target, written for one particle and one
// sample. Those of Θ are nil if there are no parameters.
type expressions struct {
	b                          *autograd.Builder
	z, theta, alpha            *autograd.Node // inputs
	soft, hard                 *autograd.Node // inputs: uniform noise of the pairs
	edgeProbs                  *autograd.Node
	softGraph, hardGraph       *autograd.Node // graphs for Z (hard for the score function) and for Θ
	softTerms, hardTerms       *autograd.Node // L_j, j = 1..d
	logPrior, logLikelihood    *autograd.Node // of Z; the prior without penalty
	objectiveZ, objectiveTheta *autograd.Node
}

// inputs lists the inputs: blocks first.
func (e *expressions) inputs() []*autograd.Node {
	if e.theta == nil {
		return []*autograd.Node{e.z, e.alpha, e.soft}
	}
	return []*autograd.Node{e.z, e.theta, e.alpha, e.soft, e.hard}
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
		b:     b,
		z:     b.Input("Z", autograd.Shape{emb.latentLen()}, particle),
		alpha: b.Input("alpha", autograd.Shape{}),
		soft:  noise("uniform Z"),
	}
	logits := emb.scores(e.z).Mul(e.alpha)
	e.edgeProbs = emb.graph(logits.Sigmoid())
	e.logPrior = lnNormal(e.z, 0, 1/float64(emb.k)).Sum().Add(cfg.Prior.LogProb(e.edgeProbs))
	if n := t.lik.ParamLen(); n > 0 {
		e.theta = b.Input("theta", autograd.Shape{n}, particle)
		e.hard = noise("uniform theta")
		e.hardGraph = emb.graph(hardSample(logits, e.hard))
		e.hardTerms = t.terms(e.hardGraph, e.theta)
		e.objectiveTheta = cfg.Estimator.combine(e.hardTerms, sample)
	}
	if cfg.Gradient == Reparameterised {
		e.softGraph = emb.graph(softSample(logits, e.soft, cfg.Tau))
		e.softTerms = t.terms(e.softGraph, e.theta)
		e.logLikelihood = cfg.Estimator.combine(e.softTerms, sample)
	} else {
		pairs := hardSample(logits, e.soft)
		e.softGraph = emb.graph(pairs)
		e.softTerms = t.terms(e.softGraph, e.theta)
		// log q(G) = Σ g·logit − ln(1 + e^logit), one term per child.
		logq := emb.scatter(pairs.Mul(logits).Sub(logits.Softplus())).Sum(0)
		e.logLikelihood = cfg.Gradient.surrogate(cfg.Estimator, e.softTerms, logq, sample)
	}
	e.objectiveZ = e.logLikelihood.Add(e.logPrior)
	return e
}

// terms are L_j = log p(Θ_j|G) + log p(D_j|G,Θ).
func (t *TOBAC) terms(g, theta *autograd.Node) *autograd.Node {
	prior, data := t.lik.Terms(g, theta)
	return prior.Add(data)
}

// Score implements the scorer of package svgd: the gradient of the target at
// step t, counted from 0, for every particle.
func (t *TOBAC) Score(dst, x []*mat.Dense, step int) error {
	if len(x) != t.blocks() || len(dst) != t.blocks() {
		return fmt.Errorf("models: TOBAC: got %d blocks and %d results, want %d of each", len(x), len(dst), t.blocks())
	}
	for i, m := range x {
		if err := t.scorer.bind(i, m); err != nil {
			return err
		}
	}
	t.at(step)
	if err := t.scorer.eval(dst); err != nil {
		return err
	}
	if t.penalty != nil {
		return t.penalty.add(dst[0], x[0], step)
	}
	return nil
}

// at sets what depends on the step.
func (t *TOBAC) at(step int) { t.step, t.alpha[0] = step, t.Alpha(step) }

// Alpha is the inverse temperature at a step.
func (t *TOBAC) Alpha(step int) float64 { return t.cfg.Alpha.At(step) }

// Init draws the initial particles: Z ~ N(0, 1/k), Θ as the likelihood says.
func (t *TOBAC) Init() []*mat.Dense {
	m := t.cfg.Particles
	x := []*mat.Dense{mat.NewDense(m, t.emb.latentLen(), nil)}
	if n := t.lik.ParamLen(); n > 0 {
		x = append(x, mat.NewDense(m, n, nil))
	}
	sd := 1 / math.Sqrt(float64(t.emb.k))
	for i := range m {
		rng := stream.New(t.cfg.Seed, stream.InitialParticles, 0, i)
		row := x[0].RawRowView(i)
		for l := range row {
			row[l] = sd * rng.NormFloat64()
		}
		if len(x) == 2 {
			t.lik.InitParams(x[1].RawRowView(i), rng)
		}
	}
	return x
}

// Graph is the graph of one particle in the limit of large α, in order
// coordinates: an edge wherever the score is positive. It has no cycle unless
// the embedding is AllPairs.
func (t *TOBAC) Graph(z []float64) *dag.Graph { return t.emb.limit(z) }

// Close releases the workers.
func (t *TOBAC) Close() {
	t.scorer.close()
	if t.penalty != nil {
		t.penalty.scorer.close()
	}
}
