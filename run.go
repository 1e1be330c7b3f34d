package tobac

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/effects"
	"tobac/internal/inspect"
	"tobac/mcmc"
	"tobac/ordering"
	"tobac/posterior"
	"tobac/sem"
)

// Fit infers a posterior over causal graphs from a table of measurements. When
// ctx is cancelled it stops at the next step boundary and returns an error that
// wraps the context's. Use a [Run] to keep such a run's state.
func Fit(ctx context.Context, data *dataset.Table, cfg Config) (*Result, error) {
	r, err := NewRun(ctx, data, cfg)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.Advance(ctx, r.Steps()); err != nil {
		return nil, err
	}
	return r.Result(ctx)
}

// A Run is a fit in progress, which can be advanced in parts, saved and
// resumed. The exact engine has no steps: its work is done when the run is made. SVGD has the stage of an engine that
// its orders are drawn by before its own steps. A Run may be used by one goroutine at a time.
type Run struct {
	cfg      Config
	settings []SettingText // as they were given: see Snapshot
	data     *dataset.Table

	inferred      *inference                 // nil: SVGD alone, or the stage has not ended
	stage         stage                      // with steps, of an engine other than SVGD; nil: none
	compared      []sem.Evidence             // of the models compared; nil: none were
	particles     *particles                 // nil: no SVGD, or not begun
	found         *found                     // orders that a method found; nil: none
	shared        shared                     // with other fits
	unusable      error                      // why it cannot be used; nil: it can
	expected      problem                    // before anything was computed
	tableWarnings func() []string            // found once, when the model is known
	sequence      func() inspect.Sequence    // of the rows, found once
	networkScale  *posterior.Standardization // of the columns that networks over all orders are given; nil: as they are
	orderWarnings []string                   // of what the orders of SVGD rest on
	atOdds        string                     // the warning that the data speak against what is known; "": they do not

	seconds Seconds
}

// Seconds is where the time of a run went.
type Seconds struct {
	Infer   float64 `json:"infer"`   // node scores, exact posteriors and chains
	Order   float64 `json:"order"`   // causal orders found by a method, and their weights
	Compile float64 `json:"compile"` // building and compiling the models of SVGD
	Sample  float64 `json:"sample"`  // SVGD steps
	Total   float64 `json:"total"`
}

// NewRun checks data and settings, computes what is exact, finds orders, and
// prepares the first stage that has steps. Errors name the column or the setting at
// fault. It stops when ctx is done, and panics if ctx is nil. The data are not copied, and must not change while the run is in use.
func NewRun(ctx context.Context, data *dataset.Table, cfg Config) (*Run, error) {
	return newRun(ctx, data, cfg, shared{})
}

// newRun is NewRun of one of several completed tables.
func newRun(ctx context.Context, data *dataset.Table, cfg Config, s shared) (*Run, error) {
	checkContext(ctx)
	if err := data.Validate(); err != nil {
		return nil, err
	}
	n, d := data.X.Dims()
	early := problem{n: n, d: d} // before anything of the size of the pairs of variables
	if err := early.checkMemory(cfg.room()); err != nil {
		return nil, err
	}
	cfg, err := cfg.withDefaults(data.Names)
	if err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	if n < 2 {
		return nil, fmt.Errorf("tobac: got %d row, want at least 2", n)
	}
	if err := inspect.CheckColumns(data); err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	r := &Run{cfg: cfg, settings: settingsOf(cfg, data), data: data, shared: s, sequence: s.sequence}
	r.tableWarnings = sync.OnceValue(func() []string { return inspect.Warnings(data, sem.NormalNoise(r.cfg.Model)) })
	if r.sequence == nil {
		r.sequence = sync.OnceValue(func() inspect.Sequence { return inspect.Rows(data, cfg.Prior.IsSource(d)) })
	}
	r.cfg.Engine = r.cfg.engine(d)
	r.expected = r.problem()
	if err := r.expected.checkMemory(cfg.room()); err != nil {
		return nil, err
	}
	if err := r.infer(ctx); err != nil {
		return nil, fmt.Errorf("tobac: %w", r.noiseTooSmall(withName(err, data.Names)))
	}
	if r.stage == nil && r.cfg.Engine == SVGD {
		if err := r.beginParticles(ctx); err != nil {
			return nil, fmt.Errorf("tobac: %w", r.overflowed(err))
		}
	}
	return r, nil
}

// Advance takes the steps up to step number to, which is limited to [Run.Steps].
// Stopped early, it leaves the run at a step boundary. A panic of Config.Progress passes through it, and leaves the run for [Run.Close]
// alone. It panics if ctx is nil.
func (r *Run) Advance(ctx context.Context, to int) error {
	end, err := r.begin(ctx)
	if err != nil {
		return err
	}
	err = r.advance(ctx, to)
	end()
	return err
}

func (r *Run) advance(ctx context.Context, to int) error {
	to = min(to, r.Steps())
	if err := r.advanceStage(ctx, to); err != nil {
		return r.stopped(err)
	}
	if r.particles == nil {
		return nil
	}
	_, before := r.stageSteps()
	err := timed(&r.seconds.Sample, func() error {
		report := func(p Progress) {
			p.Step, p.Steps = p.Step+before, r.Steps()
			r.report(p)
		}
		return r.particles.advance(ctx, to-before, report)
	})
	if err != nil {
		return r.stopped(err)
	}
	return nil
}

// timed adds the time that do takes to a number of seconds.
func timed(seconds *float64, do func() error) error {
	start := time.Now()
	defer func() { *seconds += time.Since(start).Seconds() }()
	return do()
}

func (r *Run) report(p Progress) {
	if r.cfg.Progress != nil {
		r.cfg.Progress(p)
	}
}

// stopped says where a run was stopped, and why.
func (r *Run) stopped(reason error) error {
	return fmt.Errorf("tobac: stopped after %d of %d steps: %w", r.Step(), r.Steps(), r.overflowed(withName(reason, r.data.Names)))
}

// none says why there is no posterior.
func (r *Run) none(reason error) error {
	return fmt.Errorf("tobac: no posterior after %d of %d steps: %w", r.Step(), r.Steps(), r.overflowed(reason))
}

// Step is the number of steps taken.
func (r *Run) Step() int {
	n, _ := r.stageSteps()
	if r.particles != nil {
		n += r.particles.steps()
	}
	return n
}

// Steps is the number of steps of the whole run: of the chains or of the training, and Sampler.Steps
// for each order of SVGD; 0 for the engine exact alone.
func (r *Run) Steps() int {
	_, n := r.stageSteps()
	switch {
	case r.particles != nil:
		n += r.cfg.Sampler.Steps * len(r.particles.fits)
	case r.cfg.Engine == SVGD:
		n += r.cfg.Sampler.Steps * r.orderCount()
	}
	return n
}

// Config is the configuration with its defaults filled in, and with the engine and
// the model that were chosen.
func (r *Run) Config() Config { return r.cfg }

// Orders is the distribution over the orders of resamples of the rows, nil unless Config.Order
// asks for it. It must not be modified.
func (r *Run) Orders() *ordering.Distribution {
	if r.found == nil {
		return nil
	}
	return r.found.distribution
}

// Close releases the workers. The run cannot be used after it; results stay.
func (r *Run) Close() {
	r.unusable = errClosed
	if r.stage != nil {
		r.stage.close()
	}
	if r.particles != nil {
		r.particles.release()
	}
}

// A Result is a finished fit. Results of one run share graphs and matrices, which must not
// be modified; none of them changes when the run goes on.
type Result struct {
	// Posterior is what is reported: edge probabilities with the moments of weights, and
	// graphs with their parameters.
	*posterior.Posterior
	Config   Config         // with the engine and the model that were chosen
	Evidence []sem.Evidence // of the models compared; nil: none were
	Reason   string         // why this model
	Sum      string         // what the engine exact summed over, or how the engine tempering went over all orders; "" for others
	// EdgesPerNode is the posterior mean of the prior's expected edges per variable, or the setting.
	EdgesPerNode float64
	Diagnostics  *mcmc.Diagnostics      // of the chains; nil: none
	Training     *Training              // of the methods bcd and gflownet; nil: none
	Orders       *ordering.Distribution // of resamples; nil: none
	Columns      []effects.Column       // of the data that were given
	Sequence     inspect.Sequence       // of their rows
	Imputation   *Imputation            // of [FitImputed]; nil: one table
	Checks       []diagnostics.Check    // how far to trust the computation
	Seconds      Seconds

	functional *functional
	functions  *posterior.Posterior // drawn from it; nil: not yet
}

// Result reads the posterior off the stages as they are. A run whose chains or
// training have not ended, or whose last order has not begun, has none. It panics if ctx is nil.
func (r *Run) Result(ctx context.Context) (*Result, error) {
	end, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	out, err := r.result(ctx)
	end()
	return out, err
}

func (r *Run) result(ctx context.Context) (*Result, error) {
	if err := r.checkUnchanged(); err != nil {
		return nil, err
	}
	if _, end := r.stageSteps(); r.stage != nil && r.inferred == nil {
		err := fmt.Errorf("it is read off after step %d", end)
		if step, _ := r.stageSteps(); step == end {
			err = r.endStage(ctx)
		}
		if err != nil {
			return nil, r.none(err)
		}
	}
	out := &Result{Config: r.cfg, Orders: r.Orders(), Columns: effects.Describe(r.data.Names, r.data.X), Sequence: r.countedSequence(), Seconds: r.seconds, EdgesPerNode: r.cfg.Prior.EdgesPerNodeFor(len(r.data.Names))}
	if r.inferred != nil {
		out.Evidence, out.Reason, out.EdgesPerNode = r.inferred.evidence, r.inferred.reason, r.inferred.density
		out.Posterior, out.Sum = r.inferred.post, r.inferred.note
		out.Diagnostics, out.Training = r.inferred.diagnostics, r.inferred.training
		out.functional = r.inferred.functional
	}
	if r.particles != nil {
		r.cfg.doing(SVGD, "summarising the particles")
		p, err := r.particles.posterior(ctx)
		if err != nil {
			return nil, r.none(err)
		}
		out.Posterior, out.functional = inDataUnits(p, r.data), nil
		if r.cfg.Model != nil {
			out.Reason = "as asked for" // evidence decided on the orders alone
		}
	}
	if err := out.Posterior.Validate(); err != nil { // a file of it could not be written
		return nil, r.none(r.outOfRange(err))
	}
	listed := *out.Posterior // the warnings are those of this result
	out.Posterior = &listed
	out.Checks = r.checks(out)
	out.Warnings = slices.Concat(listed.Warnings, r.Warnings(), checkWarnings(out.Checks))
	out.Seconds.Total = out.Seconds.Infer + out.Seconds.Order + out.Seconds.Compile + out.Seconds.Sample
	return out, nil
}
