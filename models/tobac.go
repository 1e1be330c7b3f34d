package models

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/dag"

	"gonum.org/v1/gonum/mat"
)

// Estimator says how the Monte Carlo samples of graphs are combined into an
// estimate of log E[p(D,Θ|G)].
type Estimator int

const (
	// NodeWise averages each variable's term on its own:
	// Σ_j log (1/S) Σ_s exp L_j(G_s). Given an order the columns of a graph are
	// independent, so this estimates the same quantity, at the same cost and
	// with far less variance.
	NodeWise Estimator = iota
	// Joint averages whole graphs: log (1/S) Σ_s exp Σ_j L_j(G_s), as
	// published.
	Joint
)

// String is the estimator's name on the command line.
func (e Estimator) String() string {
	switch e {
	case NodeWise:
		return "nodewise"
	case Joint:
		return "joint"
	}
	return fmt.Sprintf("Estimator(%d)", int(e))
}

// combine lifts a vector of per-variable terms to the scalar estimate.
func (e Estimator) combine(terms *autograd.Node, sample *autograd.Axis) *autograd.Node {
	if e == NodeWise {
		return terms.LogMeanExpOver(sample).Sum()
	}
	return terms.Sum().LogMeanExpOver(sample)
}

// TOBACConfig are the settings of the target. The zero value of each field but
// Estimator is the published default.
type TOBACConfig struct {
	Particles int        // particles M; zero: 30
	Samples   int        // Monte Carlo graphs S per gradient; zero: 128
	Rank      int        // length k of the latent vectors; zero: d−1
	AlphaRate float64    // inverse temperature α_t = AlphaRate·t; zero: 0.05
	Tau       float64    // temperature τ of the soft graphs; zero: 1
	Estimator Estimator  // zero: NodeWise
	Prior     GraphPrior // nil: Erdős–Rényi with 2 edges per variable
	Seed      uint64     // of the initial particles and of every draw
	Noise     Noise      // nil: streams derived from Seed
	Options
}

// Purpose tells the random streams of one step and particle apart.
type Purpose uint64

const (
	SoftGraphs Purpose = 1 + iota // uniform noise of the soft graphs, for Z
	HardGraphs                    // uniform noise of the hard graphs, for Θ
	initial                       // initial particles
)

// Noise supplies the uniform numbers of the Monte Carlo graphs: dst[e·S+s] in
// (0, 1) for pair e of sample s. A hard sample has edge e where the number is
// below the edge's probability. Fill must depend on its arguments only and may
// be called concurrently.
type Noise interface {
	Fill(dst []float64, purpose Purpose, step, particle int)
}

// TOBAC is the posterior over latents Z and parameters Θ given a causal order,
//
//	log p(Z,Θ|D) = log p(Z) + log E_{p(G|Z)}[p(D,Θ|G)] + const,
//	log p(Z)     = Σ lnN(Z; 0, 1/k) + log p_graph(G_α(Z)),
//
// as a scorer for SVGD, in order coordinates. The gradient with respect to Z is
// taken through soft graphs, that with respect to Θ through hard ones, each with
// S samples of its own. Blocks are Z (M × (d−1)·k·2, element (i,l,which) at
// (i·k+l)·2+which with which 0 for u and 1 for v) and Θ (M × ParamLen).
//
// A TOBAC may be used by one goroutine at a time.
type TOBAC struct {
	cfg    TOBACConfig
	lik    Likelihood
	emb    embedding
	scorer *scorer
	alpha  [1]float64
	step   int
	noise  Noise
}

// NewTOBAC builds and compiles the target.
func NewTOBAC(lik Likelihood, cfg TOBACConfig) (*TOBAC, error) {
	d := lik.Vars()
	if d < 2 {
		return nil, fmt.Errorf("models: TOBAC needs at least 2 variables, got %d", d)
	}
	cfg, err := cfg.withDefaults(d)
	if err != nil {
		return nil, err
	}
	t := &TOBAC{cfg: cfg, lik: lik, emb: embedding{d: d, k: cfg.Rank}, noise: cfg.Noise}
	if t.noise == nil {
		t.noise = seeded(cfg.Seed)
	}
	e := t.expressions()
	inputs := []*autograd.Node{e.z, e.theta, e.alpha, e.soft, e.hard}
	grads := append(e.b.Grad(e.objectiveZ, e.z), e.b.Grad(e.objectiveTheta, e.theta)...)
	t.scorer, err = newScorer(inputs, grads, autograd.Options{Engine: cfg.Engine, Workers: cfg.Workers})
	if err != nil {
		return nil, fmt.Errorf("models: TOBAC: %w", err)
	}
	t.scorer.src[2] = autograd.Feed{Data: t.alpha[:]}
	t.scorer.src[3] = autograd.Feed{Fill: func(dst []float64, i int) { t.noise.Fill(dst, SoftGraphs, t.step, i) }}
	t.scorer.src[4] = autograd.Feed{Fill: func(dst []float64, i int) { t.noise.Fill(dst, HardGraphs, t.step, i) }}
	return t, nil
}

func (c TOBACConfig) withDefaults(d int) (TOBACConfig, error) {
	for _, f := range []struct {
		name string
		v    *int
		zero int
	}{{"particles", &c.Particles, 30}, {"samples", &c.Samples, 128}, {"rank", &c.Rank, d - 1}, {"workers", &c.Workers, 1}} {
		if *f.v == 0 {
			*f.v = f.zero
		}
		if *f.v < 1 {
			return c, fmt.Errorf("models: TOBAC: %s %d, want at least 1", f.name, *f.v)
		}
	}
	if c.Estimator != NodeWise && c.Estimator != Joint {
		return c, fmt.Errorf("models: TOBAC: unknown estimator %d", c.Estimator)
	}
	if c.AlphaRate == 0 {
		c.AlphaRate = 0.05
	}
	if c.Tau == 0 {
		c.Tau = 1
	}
	if !(c.AlphaRate > 0 && c.Tau > 0) || math.IsInf(c.AlphaRate+c.Tau, 0) {
		return c, fmt.Errorf("models: TOBAC: alpha rate %v and tau %v, want finite positive numbers", c.AlphaRate, c.Tau)
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
// sample.
type expressions struct {
	b                          *autograd.Builder
	z, theta, alpha            *autograd.Node // inputs
	soft, hard                 *autograd.Node // inputs: uniform noise of the pairs
	edgeProbs                  *autograd.Node
	softGraph, hardGraph       *autograd.Node
	softTerms, hardTerms       *autograd.Node // L_j, j = 1..d
	logPrior, logLikelihood    *autograd.Node // of Z
	objectiveZ, objectiveTheta *autograd.Node
}

func (t *TOBAC) expressions() *expressions {
	cfg, emb := t.cfg, t.emb
	b := autograd.NewBuilder("tobac")
	particle := b.Axis("particle", cfg.Particles)
	sample := b.Axis("sample", cfg.Samples)
	e := &expressions{
		b:     b,
		z:     b.Input("Z", autograd.Shape{emb.latentLen()}, particle),
		theta: b.Input("theta", autograd.Shape{t.lik.ParamLen()}, particle),
		alpha: b.Input("alpha", autograd.Shape{}),
		soft:  b.Input("uniform soft", autograd.Shape{emb.pairs()}, particle, sample),
		hard:  b.Input("uniform hard", autograd.Shape{emb.pairs()}, particle, sample),
	}
	logits := emb.scores(e.z).Mul(e.alpha)
	e.edgeProbs = emb.graph(logits.Sigmoid())
	e.softGraph = emb.graph(softSample(logits, e.soft, cfg.Tau))
	e.hardGraph = emb.graph(hardSample(logits, e.hard))

	terms := func(g *autograd.Node) *autograd.Node {
		prior, data := t.lik.Terms(g, e.theta)
		return prior.Add(data)
	}
	e.softTerms, e.hardTerms = terms(e.softGraph), terms(e.hardGraph)
	e.logLikelihood = cfg.Estimator.combine(e.softTerms, sample)
	e.logPrior = lnNormal(e.z, 0, 1/float64(emb.k)).Sum().Add(cfg.Prior.LogProb(e.edgeProbs))
	e.objectiveZ = e.logLikelihood.Add(e.logPrior)
	e.objectiveTheta = cfg.Estimator.combine(e.hardTerms, sample)
	return e
}

// Score implements the scorer of package svgd: the gradient of the target at
// step t, counted from 0, for every particle.
func (t *TOBAC) Score(dst, x []*mat.Dense, step int) error {
	if len(x) != 2 {
		return fmt.Errorf("models: TOBAC: got %d blocks, want Z and Θ", len(x))
	}
	for i, m := range x {
		if err := t.scorer.bind(i, m); err != nil {
			return err
		}
	}
	t.step = step
	t.alpha[0] = t.Alpha(step)
	return t.scorer.eval(dst)
}

// Alpha is the inverse temperature at a step.
func (t *TOBAC) Alpha(step int) float64 { return t.cfg.AlphaRate * float64(step) }

// Init draws the initial particles: Z ~ N(0, 1/k), Θ as the likelihood says.
func (t *TOBAC) Init() []*mat.Dense {
	m := t.cfg.Particles
	z := mat.NewDense(m, t.emb.latentLen(), nil)
	theta := mat.NewDense(m, t.lik.ParamLen(), nil)
	sd := 1 / math.Sqrt(float64(t.emb.k))
	for i := range m {
		src := stream(t.cfg.Seed, initial, 0, i)
		rng := rand.New(&src)
		row := z.RawRowView(i)
		for l := range row {
			row[l] = sd * rng.NormFloat64()
		}
		t.lik.InitParams(theta.RawRowView(i), rng)
	}
	return []*mat.Dense{z, theta}
}

// Graph is the graph of one particle in the limit of large α, in order
// coordinates: an edge wherever the score is positive. It has no cycle.
func (t *TOBAC) Graph(z []float64) *dag.Graph { return t.emb.limit(z) }

// Close releases the workers.
func (t *TOBAC) Close() { t.scorer.close() }
