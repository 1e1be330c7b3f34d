package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tobac/dataset"
	"tobac/models"
	"tobac/ordering"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// Fit infers a posterior over causal graphs from a table of measurements: it
// finds a causal order, builds the model, and takes all SVGD steps. When ctx is
// cancelled it stops at the next step boundary and returns an error that wraps
// the context's. Use a [Run] to keep such a run's state.
func Fit(ctx context.Context, data *dataset.Table, cfg Config) (*Posterior, error) {
	r, err := NewRun(data, cfg)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.Advance(ctx, r.cfg.Steps); err != nil {
		return nil, err
	}
	return r.Posterior()
}

// A Run is a fit in progress, which can be advanced in parts, saved and
// resumed. It may be used by one goroutine at a time.
type Run struct {
	cfg     Config
	data    *dataset.Table
	order   *ordering.Result
	lik     models.Likelihood
	target  *models.TOBAC
	sampler *svgd.Sampler
	x       []*mat.Dense
	step    int
	seconds Seconds
}

// Seconds is where the time of a run went.
type Seconds struct {
	Order   float64 `json:"order"`   // finding the causal order
	Compile float64 `json:"compile"` // building and compiling the model
	Sample  float64 `json:"sample"`  // SVGD steps
	Total   float64 `json:"total"`
}

// NewRun finds the order, compiles the model and draws the initial particles.
// Errors name the column or the setting at fault.
func NewRun(data *dataset.Table, cfg Config) (*Run, error) {
	if err := data.Validate(); err != nil {
		return nil, err
	}
	n, d := data.X.Dims()
	cfg, err := cfg.WithDefaults(d)
	if err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	if n < 2 {
		return nil, fmt.Errorf("tobac: got %d row, want at least 2", n)
	}
	if err := checkMemory(n, d, cfg); err != nil {
		return nil, err
	}
	if err := checkInterventions(cfg.Interventions, data); err != nil {
		return nil, err
	}
	r := &Run{cfg: cfg, data: data, order: new(ordering.Result)}
	start := time.Now()
	if cfg.Method == TOBAC {
		if err := r.findOrder(); err != nil {
			return nil, err
		}
	}
	r.seconds.Order = time.Since(start).Seconds()
	start = time.Now()
	if err := r.compile(); err != nil {
		return nil, err
	}
	r.seconds.Compile = time.Since(start).Seconds()
	return r, nil
}

// findOrder finds the causal order from the rows in which no value was set by
// intervention, since an intervention cuts what an order is read from.
func (r *Run) findOrder() (err error) {
	orderer := r.cfg.Order
	if orderer == nil {
		orderer = ordering.MethodEqVar
	}
	x := r.data.X
	if _, known := orderer.(ordering.Fixed); !known && r.cfg.Interventions != nil {
		if x = untouched(x, r.cfg.Interventions); x == nil {
			return errors.New("tobac: every row has an intervention, which leaves none to find an order from; give the order")
		}
	}
	if r.order, err = orderer.Order(x); err != nil {
		return ordering.WithNames(err, r.data.Names)
	}
	return nil
}

// untouched are the rows of x without an intervention; nil: none.
func untouched(x *mat.Dense, intervened mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	var kept []float64
	for i := range n {
		whole := true
		for j := range d {
			whole = whole && intervened.At(i, j) == 0
		}
		if whole {
			kept = append(kept, x.RawRowView(i)...)
		}
	}
	if kept == nil {
		return nil
	}
	return mat.NewDense(len(kept)/d, d, kept)
}

// checkInterventions names the place of an entry that is neither 0 nor 1.
func checkInterventions(m mat.Matrix, data *dataset.Table) error {
	if m == nil {
		return nil
	}
	n, d := data.X.Dims()
	if rows, cols := m.Dims(); rows != n || cols != d {
		return fmt.Errorf("tobac: interventions are %d×%d, want %d×%d like the data", rows, cols, n, d)
	}
	for i := range n {
		for j := range d {
			if v := m.At(i, j); v != 0 && v != 1 {
				return fmt.Errorf("tobac: interventions of row %d, column %q are %v, want 0 or 1", i, data.Names[j], v)
			}
		}
	}
	return nil
}

// inOrder returns the columns of a matrix in causal order, m itself without one.
func inOrder(m mat.Matrix, order []int) mat.Matrix {
	if m == nil || len(order) == 0 {
		return m
	}
	n, d := m.Dims()
	out := mat.NewDense(n, d, nil)
	for a, j := range order {
		out.SetCol(a, mat.Col(nil, j, m))
	}
	return out
}

// graphPrior is the prior in order coordinates.
func (r *Run) graphPrior() (models.GraphPrior, error) {
	prior, d := r.cfg.Prior, len(r.data.Names)
	if prior == nil {
		return models.NewErdosRenyi(d, r.cfg.EdgesPerNode)
	}
	if err := r.checkFixedEdges(prior); err != nil {
		return nil, err
	}
	if p, ok := prior.(interface {
		Relabel(order []int) models.GraphPrior
	}); ok && r.cfg.Method == TOBAC {
		return p.Relabel(r.order.Order), nil
	}
	return prior, nil
}

// checkFixedEdges finds a prior of another size, and edges that it makes certain
// against the order; with the names of the columns.
func (r *Run) checkFixedEdges(prior models.GraphPrior) error {
	f, ok := prior.(models.FixedEdges)
	if !ok {
		return nil
	}
	p, names := f.EdgeProbabilities(), r.data.Names
	if rows, cols := p.Dims(); rows != len(names) || cols != len(names) {
		return fmt.Errorf("tobac: the graph prior is %d×%d, want %d×%d: one row and one column for each column of the data", rows, cols, len(names), len(names))
	}
	for a, j := range r.order.Order {
		for _, i := range r.order.Order[a+1:] {
			if p.At(i, j) == 1 {
				return fmt.Errorf("tobac: the graph prior makes the edge %s → %s certain, but the causal order puts %s first; give an order that agrees", names[i], names[j], names[j])
			}
		}
	}
	return nil
}

// meanWarning names the columns whose mean is more than five standard errors
// from zero: the model has no intercept.
func meanWarning(data *dataset.Table) string {
	mean, sd := data.Moments()
	n, _ := data.X.Dims()
	var names []string
	for j, m := range mean {
		if math.Abs(m) > 5*sd[j]/math.Sqrt(float64(n)) {
			names = append(names, strconv.Quote(data.Names[j]))
		}
	}
	if len(names) == 0 {
		return ""
	}
	const most = 5
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return fmt.Sprintf("the means of %s are far from zero, and the model has no intercept: centre or standardise the columns", strings.Join(names, ", "))
}

func (r *Run) compile() error {
	cfg := r.cfg
	x, intervened := inOrder(r.data.X, r.order.Order), inOrder(cfg.Interventions, r.order.Order)
	prior, err := r.graphPrior()
	if err != nil {
		return err
	}
	if cfg.NoiseVariance == 0 && !cfg.model().Marginal() {
		if cfg.NoiseVariance, err = models.EstimateNoiseVarianceIntervened(x, intervened); err != nil {
			return err
		}
		r.cfg.NoiseVariance = cfg.NoiseVariance
	}
	if r.lik, err = cfg.model().Likelihood(x, intervened, cfg); err != nil {
		return err
	}
	r.target, err = models.NewTOBAC(r.lik, models.TOBACConfig{
		Particles: cfg.Particles, Samples: cfg.Samples, Rank: cfg.Rank, AlphaRate: cfg.AlphaRate,
		Estimator: cfg.Estimator, Gradient: cfg.Gradient, Embedding: cfg.Method.embedding(), Prior: prior, Penalty: cfg.Penalty,
		Seed: cfg.Seed, Options: models.Options{Workers: cfg.Workers},
	})
	if err != nil {
		return err
	}
	r.x = r.target.Init()
	bandwidths := []float64{cfg.BandwidthZ, cfg.BandwidthTheta}
	r.sampler = &svgd.Sampler{
		Target:    r.target,
		Kernel:    svgd.Additive{Bandwidths: bandwidths[:len(r.x)]},
		Optimizer: svgd.RMSProp{StepSize: cfg.StepSize},
	}
	if cfg.Progress != nil {
		r.sampler.Recorder = func(s svgd.Stats) {
			cfg.Progress(Progress{Step: s.Step + 1, Steps: cfg.Steps, Driving: s.Driving[0], Repulsive: s.Repulsive[0], Neighbours: s.Neighbours})
		}
	}
	return nil
}

// Advance takes the steps up to step number to, which is limited to
// Config.Steps. Stopped early, it leaves the run at the step boundary before
// the step that was not taken.
func (r *Run) Advance(ctx context.Context, to int) error {
	start := time.Now()
	defer func() { r.seconds.Sample += time.Since(start).Seconds() }()
	to = min(to, r.cfg.Steps)
	err := r.sampler.Run(ctx, r.x, r.step, to)
	var stopped *svgd.StepError
	if errors.As(err, &stopped) {
		r.step = stopped.Step
		return fmt.Errorf("tobac: stopped after %d of %d steps: %w", r.step, r.cfg.Steps, stopped.Err)
	}
	r.step = max(r.step, to)
	return err
}

// Step is the number of steps taken.
func (r *Run) Step() int { return r.step }

// Config is the configuration with all defaults filled in, the estimated noise
// variance among them.
func (r *Run) Config() Config { return r.cfg }

// Order is the causal order that the run uses; with DiBS its list is empty.
func (r *Run) Order() *ordering.Result { return r.order }

// Warnings lists reasons to distrust the result, as sentences for a reader: those
// of the order, and columns that the model does not suit.
func (r *Run) Warnings() []string {
	w := r.order.Sentences(r.data.Names)
	if _, linear := r.cfg.model().(Linear); linear {
		if m := meanWarning(r.data); m != "" {
			w = append(w, m)
		}
	}
	return w
}

// Close releases the workers.
func (r *Run) Close() { r.target.Close() }

// A Snapshot is the state of a run at a step boundary. Its JSON form keeps
// every bit: a run resumed from it continues as if it had never stopped.
type Snapshot struct {
	Step      int         `json:"step"`
	Order     []int       `json:"order"`           // column indices, sources first; empty with DiBS
	Z         [][]float64 `json:"z"`               // one row per particle
	Theta     [][]float64 `json:"theta,omitempty"` // one row per particle; none for a marginal model
	Optimizer svgd.State  `json:"optimizer"`
}

// Snapshot copies the state of the run.
func (r *Run) Snapshot() *Snapshot {
	s := &Snapshot{Step: r.step, Order: append([]int(nil), r.order.Order...), Z: rows(r.x[0]), Optimizer: r.sampler.State.Clone()}
	if len(r.x) == 2 {
		s.Theta = rows(r.x[1])
	}
	return s
}

func rows(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = append([]float64(nil), m.RawRowView(i)...)
	}
	return out
}

// Restore continues from a snapshot of a run with the same data and settings.
func (r *Run) Restore(s *Snapshot) error {
	if s.Step < 0 || s.Step > r.cfg.Steps {
		return fmt.Errorf("tobac: snapshot at step %d, want 0 to %d", s.Step, r.cfg.Steps)
	}
	if !slices.Equal(s.Order, r.order.Order) {
		return fmt.Errorf("tobac: snapshot has the order %v, the run has %v", s.Order, r.order.Order)
	}
	if len(r.x) == 1 && len(s.Theta) > 0 {
		return fmt.Errorf("tobac: snapshot has parameters, the run's model has none")
	}
	blocks := [][][]float64{s.Z, s.Theta}[:len(r.x)]
	for b, block := range blocks {
		n, p := r.x[b].Dims()
		if len(block) != n {
			return fmt.Errorf("tobac: snapshot has %d particles, want %d", len(block), n)
		}
		for i, row := range block {
			if len(row) != p {
				return fmt.Errorf("tobac: snapshot block %d, particle %d has %d values, want %d", b, i, len(row), p)
			}
		}
	}
	for b, block := range blocks {
		for i, row := range block {
			r.x[b].SetRow(i, row)
		}
	}
	r.sampler.State = s.Optimizer.Clone()
	r.step = s.Step
	return nil
}

// maxMemory is the arena size in bytes above which a fit is refused.
const maxMemory = 16 << 30

// checkMemory refuses a problem whose working memory would not fit, saying
// what it needs. The estimate counts the vectors of S samples per pair of
// variables that one worker keeps, the compiled products of the triangular
// matrices, and the latents. Measured peaks with two particles, two samples and
// one worker: 0.34 GB for 200 variables, 1.2 GB for 300, 2.2 GB for 400.
func checkMemory(n, d int, cfg Config) error {
	pairs := float64(d) * float64(d-1) / 2
	if cfg.Method == DiBS {
		pairs *= 2
	}
	perWorker := 12 * pairs * float64(cfg.Samples) * 8
	products := 36 * float64(d) * float64(d) * float64(d)
	if m, ok := cfg.model().(interface{ products(n, d int) float64 }); ok {
		const bytesPerProduct = 160 // measured: 50 variables of 400 rows need 0.4 GB
		products += bytesPerProduct * m.products(n, d) * pairs / float64(d*d)
	}
	latents := 8 * float64(cfg.Particles) * (2*float64(d-1)*float64(cfg.Rank) + float64(d)*float64(d)) * 8
	need := perWorker*float64(cfg.Workers) + products + latents + 2*float64(n)*float64(d)*8
	if need > maxMemory {
		return fmt.Errorf("tobac: %d variables with %d particles and %d samples on %d workers need about %.0f GB of memory, more than %d GB; use fewer variables, samples, particles or workers, or a smaller rank",
			d, cfg.Particles, cfg.Samples, cfg.Workers, need/(1<<30), maxMemory>>30)
	}
	return nil
}
