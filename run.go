package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	lik     *models.Linear
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
	r := &Run{cfg: cfg, data: data}
	start := time.Now()
	orderer := cfg.Order
	if orderer == nil {
		orderer = ordering.MethodEqVar
	}
	if r.order, err = orderer.Order(data.X); err != nil {
		return nil, ordering.WithNames(err, data.Names)
	}
	r.seconds.Order = time.Since(start).Seconds()
	start = time.Now()
	if err := r.compile(); err != nil {
		return nil, err
	}
	r.seconds.Compile = time.Since(start).Seconds()
	return r, nil
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
	x := r.data.Relabel(r.order.Order).X
	_, d := x.Dims()
	prior, err := models.NewErdosRenyi(d, cfg.EdgesPerNode)
	if err != nil {
		return err
	}
	if cfg.NoiseVariance == 0 {
		if cfg.NoiseVariance, err = models.EstimateNoiseVariance(x); err != nil {
			return err
		}
		r.cfg.NoiseVariance = cfg.NoiseVariance
	}
	if r.lik, err = models.NewLinear(x, nil, models.LinearOptions{NoiseVariance: cfg.NoiseVariance, Start: cfg.Start.models()}); err != nil {
		return err
	}
	r.target, err = models.NewTOBAC(r.lik, models.TOBACConfig{
		Particles: cfg.Particles, Samples: cfg.Samples, Rank: cfg.Rank, AlphaRate: cfg.AlphaRate,
		Estimator: cfg.Estimator, Prior: prior, Seed: cfg.Seed, Options: models.Options{Workers: cfg.Workers},
	})
	if err != nil {
		return err
	}
	r.x = r.target.Init()
	r.sampler = &svgd.Sampler{
		Target:    r.target,
		Kernel:    svgd.Additive{Bandwidths: []float64{cfg.BandwidthZ, cfg.BandwidthTheta}},
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

// Order is the causal order that the run uses.
func (r *Run) Order() *ordering.Result { return r.order }

// Warnings lists reasons to distrust the result, as sentences for a reader: those
// of the order, and columns that the model does not suit.
func (r *Run) Warnings() []string {
	w := r.order.Sentences(r.data.Names)
	if m := meanWarning(r.data); m != "" {
		w = append(w, m)
	}
	return w
}

// Close releases the workers.
func (r *Run) Close() { r.target.Close() }

// A Snapshot is the state of a run at a step boundary. Its JSON form keeps
// every bit: a run resumed from it continues as if it had never stopped.
type Snapshot struct {
	Step      int         `json:"step"`
	Order     []int       `json:"order"` // column indices, sources first
	Z         [][]float64 `json:"z"`     // one row per particle
	Theta     [][]float64 `json:"theta"` // one row per particle
	Optimizer svgd.State  `json:"optimizer"`
}

// Snapshot copies the state of the run.
func (r *Run) Snapshot() *Snapshot {
	return &Snapshot{
		Step: r.step, Order: append([]int(nil), r.order.Order...),
		Z: rows(r.x[0]), Theta: rows(r.x[1]), Optimizer: r.sampler.State.Clone(),
	}
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
	for i, v := range r.order.Order {
		if len(s.Order) != len(r.order.Order) || s.Order[i] != v {
			return fmt.Errorf("tobac: snapshot has the order %v, the run has %v", s.Order, r.order.Order)
		}
	}
	for b, block := range [][][]float64{s.Z, s.Theta} {
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
	for b, block := range [][][]float64{s.Z, s.Theta} {
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
	perWorker := 12 * pairs * float64(cfg.Samples) * 8
	products := 36 * float64(d) * float64(d) * float64(d)
	latents := 8 * float64(cfg.Particles) * (2*float64(d-1)*float64(cfg.Rank) + float64(d)*float64(d)) * 8
	need := perWorker*float64(cfg.Workers) + products + latents + 2*float64(n)*float64(d)*8
	if need > maxMemory {
		return fmt.Errorf("tobac: %d variables with %d particles and %d samples on %d workers need about %.0f GB of memory, more than %d GB; use fewer variables, samples, particles or workers, or a smaller rank",
			d, cfg.Particles, cfg.Samples, cfg.Workers, need/(1<<30), maxMemory>>30)
	}
	return nil
}
