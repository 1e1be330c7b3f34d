package handwritten

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"tobac/models"
)

// Config are the settings of a Target. All but EdgeMean must be given; none has a
// default.
type Config struct {
	NoiseVariance          float64 // σ²
	EdgeMean, EdgeVariance float64 // μ_e and σ_e² of the edge weights

	Particles, Samples, Rank int               // M, S, k
	AlphaRate, Tau           float64           // α_t = AlphaRate·t; τ of the soft graphs
	Estimator                models.Estimator  // how samples are combined
	Prior                    models.GraphPrior // ErdosRenyi, ScaleFree or UniformPrior
	Noise                    models.Noise      // of the graphs

	Workers int // goroutines that share the particles; results do not depend on it
}

// Target is the posterior that [models.TOBAC] describes, for the linear model, as a
// scorer for package svgd with the same blocks. It may be used by one goroutine at
// a time.
type Target struct {
	cfg    Config
	d      int
	factor [][]float64 // R for every variable, d×d row-major

	// Of the call of Score under way.
	dst, x []*mat.Dense
	step   int
	next   atomic.Int64 // particle to be taken up
	done   sync.WaitGroup

	workers []*worker
	wake    chan *worker
}

// New prepares the target for data x, n×d with columns in causal order, and
// intervened as in [models.NewLinear].
func New(x, intervened mat.Matrix, cfg Config) (*Target, error) {
	n, d := x.Dims()
	if n == 0 || d < 2 {
		return nil, fmt.Errorf("handwritten: got %d rows of %d variables, want at least 1 and 2", n, d)
	}
	if min(cfg.Particles, cfg.Samples, cfg.Rank, cfg.Workers) < 1 {
		return nil, fmt.Errorf("handwritten: %d particles, %d samples, rank %d, %d workers, want at least one of each",
			cfg.Particles, cfg.Samples, cfg.Rank, cfg.Workers)
	}
	if !(min(cfg.NoiseVariance, cfg.EdgeVariance, cfg.AlphaRate, cfg.Tau) > 0) {
		return nil, fmt.Errorf("handwritten: noise variance %v, edge variance %v, alpha rate %v, tau %v, want positive numbers",
			cfg.NoiseVariance, cfg.EdgeVariance, cfg.AlphaRate, cfg.Tau)
	}
	if cfg.Noise == nil {
		return nil, errors.New("handwritten: no noise")
	}
	switch cfg.Prior.(type) {
	case models.ErdosRenyi, models.ScaleFree, models.UniformPrior:
	default:
		return nil, fmt.Errorf("handwritten: unknown graph prior %T", cfg.Prior)
	}
	if cfg.Estimator != models.Joint && cfg.Estimator != models.NodeWise {
		return nil, fmt.Errorf("handwritten: unknown estimator %v", cfg.Estimator)
	}
	t := &Target{cfg: cfg, d: d, wake: make(chan *worker)}
	t.factorise(x, intervened)
	for range cfg.Workers {
		t.workers = append(t.workers, newWorker(t))
	}
	for range t.workers[1:] {
		go func() {
			for w := range t.wake {
				w.run()
				t.done.Done()
			}
		}()
	}
	return t, nil
}

// factorise computes R for every variable, from a QR decomposition of its rows.
// Without interventions all variables share one.
func (t *Target) factorise(x, intervened mat.Matrix) {
	n, d := x.Dims()
	for j := range d {
		if j > 0 && intervened == nil {
			t.factor = append(t.factor, t.factor[0])
			continue
		}
		rows := mat.NewDense(max(n, d), d, nil) // zero where j was set
		for r := range n {
			if intervened == nil || intervened.At(r, j) == 0 {
				rows.SetRow(r, mat.Row(nil, r, x))
			}
		}
		var qr mat.QR
		qr.Factorize(rows)
		var full mat.Dense
		qr.RTo(&full)
		var factor mat.Dense
		factor.Scale(1/math.Sqrt(2*t.cfg.NoiseVariance), full.Slice(0, d, 0, d))
		t.factor = append(t.factor, factor.RawMatrix().Data)
	}
}

// Score overwrites dst with the gradients for all particles at a step: blocks are
// Z, M × (d−1)·k·2, and Θ, M × d². It panics if the shapes differ. The error is
// always nil: a number that is not finite stands in dst, where the sampler looks
// for it.
func (t *Target) Score(dst, x []*mat.Dense, step int) error {
	for b, cols := range []int{(t.d - 1) * t.cfg.Rank * 2, t.d * t.d} {
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
