package handwritten

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"tobac/models"
)

// Config are the settings of a Target. All but EdgeMean must be given; none has a
// default.
type Config struct {
	NoiseVariance          float64 // σ²
	EdgeMean, EdgeVariance float64 // μ_e and σ_e² of the edge weights, or of all parameters of networks

	Particles, Samples, Rank int               // M, S, k
	AlphaRate, Tau           float64           // α_t = AlphaRate·t; τ of the soft graphs
	Estimator                models.Estimator  // how samples are combined
	Prior                    models.GraphPrior // ErdosRenyi, ScaleFree or UniformPrior
	Noise                    models.Noise      // of the graphs

	Workers int // goroutines that share the particles; results do not depend on it
}

// Target is the posterior that [models.TOBAC] describes, for one of the two models,
// as a scorer for package svgd with the same blocks. It may be used by one goroutine
// at a time.
type Target struct {
	cfg    Config
	d      int
	params int // length of Θ

	// Of the call of Score under way.
	dst, x []*mat.Dense
	step   int
	next   atomic.Int64 // particle to be taken up
	done   sync.WaitGroup

	workers []*worker
	wake    chan *worker
}

// A model is the distribution of one variable after the other given its possible
// parents, those before it. It has memory of its own and belongs to one worker.
type model interface {
	// prepare turns to variable j of a particle with these parameters.
	prepare(theta []float64, j int)
	// addTerms adds L_j of all S samples to terms; graph is j×S, parent by parent,
	// and holds nothing but 0 and 1 for hard graphs.
	addTerms(terms, graph []float64, purpose models.Purpose)
	// edgeGradient writes ∂L_j/∂G_ij, i < j, of the sample g.
	edgeGradient(dst, g []float64)
	// addParamGradient adds p·∂L_j/∂Θ of the sample g, without the part that no
	// graph changes.
	addParamGradient(dtheta, g []float64, p float64)
	// addFixedGradient adds that part.
	addFixedGradient(dtheta []float64)
}

// New prepares the target with the linear model for data x, n×d with columns in
// causal order, and intervened as in [models.NewLinear].
func New(x, intervened mat.Matrix, cfg Config) (*Target, error) {
	if err := cfg.check(x); err != nil {
		return nil, err
	}
	_, d := x.Dims()
	factor := factorise(x, intervened, cfg.NoiseVariance)
	return newTarget(cfg, d, d*d, func() model { return newLinear(factor, cfg) }), nil
}

// NewNetwork prepares the target with one hidden layer of so many units, as in
// [models.NewFeedForward], for data x, n×d with columns in causal order. Edge mean
// must be zero.
func NewNetwork(x mat.Matrix, hidden int, cfg Config) (*Target, error) {
	if err := cfg.check(x); err != nil {
		return nil, err
	}
	if hidden < 1 || cfg.EdgeMean != 0 {
		return nil, fmt.Errorf("handwritten: network: %d hidden units, edge mean %v, want at least 1 and 0", hidden, cfg.EdgeMean)
	}
	n, d := x.Dims()
	columns := make([]float64, 0, d*n)
	for j := range d {
		columns = append(columns, mat.Col(nil, j, x)...)
	}
	return newTarget(cfg, d, d*(d*hidden+2*hidden+1), func() model { return newNetwork(columns, n, hidden, d, cfg) }), nil
}

// check refuses settings and data of which no target can be made.
func (cfg Config) check(x mat.Matrix) error {
	n, d := x.Dims()
	if n == 0 || d < 2 {
		return fmt.Errorf("handwritten: got %d rows of %d variables, want at least 1 and 2", n, d)
	}
	if min(cfg.Particles, cfg.Samples, cfg.Rank, cfg.Workers) < 1 {
		return fmt.Errorf("handwritten: %d particles, %d samples, rank %d, %d workers, want at least one of each",
			cfg.Particles, cfg.Samples, cfg.Rank, cfg.Workers)
	}
	if !(min(cfg.NoiseVariance, cfg.EdgeVariance, cfg.AlphaRate, cfg.Tau) > 0) {
		return fmt.Errorf("handwritten: noise variance %v, edge variance %v, alpha rate %v, tau %v, want positive numbers",
			cfg.NoiseVariance, cfg.EdgeVariance, cfg.AlphaRate, cfg.Tau)
	}
	if cfg.Noise == nil {
		return errors.New("handwritten: no noise")
	}
	switch cfg.Prior.(type) {
	case models.ErdosRenyi, models.ScaleFree, models.UniformPrior:
	default:
		return fmt.Errorf("handwritten: unknown graph prior %T", cfg.Prior)
	}
	if cfg.Estimator != models.Joint && cfg.Estimator != models.NodeWise {
		return fmt.Errorf("handwritten: unknown estimator %v", cfg.Estimator)
	}
	return nil
}

// newTarget starts the workers, each with a model of its own.
func newTarget(cfg Config, d, params int, newModel func() model) *Target {
	t := &Target{cfg: cfg, d: d, params: params, wake: make(chan *worker)}
	for range cfg.Workers {
		t.workers = append(t.workers, newWorker(t, newModel()))
	}
	for range t.workers[1:] {
		go func() {
			for w := range t.wake {
				w.run()
				t.done.Done()
			}
		}()
	}
	return t
}

// Score overwrites dst with the gradients for all particles at a step: blocks are
// Z, M × (d−1)·k·2, and Θ, M × its length. It panics if the shapes differ. The error is
// always nil: a number that is not finite stands in dst, where the sampler looks
// for it.
func (t *Target) Score(dst, x []*mat.Dense, step int) error {
	for b, cols := range []int{(t.d - 1) * t.cfg.Rank * 2, t.params} {
		for _, m := range []*mat.Dense{dst[b], x[b]} {
			if r, c := m.Dims(); r != t.cfg.Particles || c != cols {
				panic(fmt.Sprintf("handwritten: block %d is %d×%d, want %d×%d", b, r, c, t.cfg.Particles, cols))
			}
		}
	}
	t.dst, t.x, t.step = dst, x, step
	t.next.Store(0)
	t.done.Add(len(t.workers) - 1)
	for _, w := range t.workers[1:] {
		t.wake <- w
	}
	t.workers[0].run()
	t.done.Wait()
	return nil
}

// Close ends the workers.
func (t *Target) Close() { close(t.wake) }
