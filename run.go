package tobac

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"tobac/autograd"
	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/effects"
	"tobac/engine"
	"tobac/engine/neural"
	"tobac/internal/bcd"
	"tobac/internal/drawn"
	"tobac/internal/engines"
	"tobac/internal/inference"
	"tobac/internal/inspect"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/tempering"
	"tobac/models"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"
	"tobac/svgd"
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

// A Run is a fit in progress, which can be advanced in parts, saved and resumed. The exact engine
// has no steps: its work is done when the run is made. One goroutine at a time may use a Run.
type Run struct {
	asked    Config          // as it was given
	settings []SettingText   // of it: see Snapshot
	engine   engine.Settings // with its defaults
	given    sem.Model       // before models were compared
	why      string          // it was chosen; "" means that it was asked for
	problem  *engine.Problem
	stage    engine.Stage
	unusable error // why it cannot be used; nil means that it can

	// found once: with and without those of normal noise
	normalWarnings, otherWarnings func() []string
	sequence                      func() inspect.Sequence // of the rows, found once
}

// NewRun checks data and settings, computes what is exact, and prepares the first step. Errors name
// the column or the setting at fault. It stops when ctx is done, and panics if ctx is nil. The data
// are not copied, and must not change while the run is in use.
func NewRun(ctx context.Context, data *dataset.Table, cfg Config) (*Run, error) {
	return newRun(ctx, data, cfg, engine.Shared{})
}

// newRun is NewRun of a problem that has something in common with others.
func newRun(ctx context.Context, data *dataset.Table, cfg Config, s engine.Shared) (*Run, error) {
	checkContext(ctx)
	if err := data.Validate(); err != nil {
		return nil, err
	}
	n, d := data.X.Dims()
	// before anything of the size of the pairs of variables
	if err := problems.CheckTable(n, d, cfg.Memory); err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	p, e, why, err := cfg.Problem(data)
	if err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	if n < 2 {
		return nil, fmt.Errorf("tobac: got %d row, want at least 2", n)
	}
	if err := cmp.Or(inspect.CheckColumns(data), inference.CheckModel(p.Model, data)); err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	if s.Sequence == nil {
		s.Sequence = sync.OnceValue(func() inspect.Sequence {
			return inspect.Rows(data, priors.IsSource(&p.Prior, len(data.Names)))
		})
	}
	p.Shared = s
	r := &Run{asked: cfg, given: p.Model, settings: settingsOf(p, e), engine: e, why: why,
		problem: p, sequence: s.Sequence}
	table := func(normal bool) func() []string {
		return sync.OnceValue(func() []string {
			if data.OfKinds() {
				// Tables of probabilities may be certain, and few rows only leave them open.
				return slices.DeleteFunc([]string{inference.FunctionsWarning(data)},
					func(w string) bool { return w == "" })
			}
			return inspect.Warnings(data, normal)
		})
	}
	r.normalWarnings, r.otherWarnings = table(true), table(false)
	if err := problems.CheckMemory(e.Engine(), p, problems.Size(p), cfg.Memory); err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	if r.stage, err = e.Engine().Begin(ctx, p); err != nil {
		return nil, fmt.Errorf("tobac: %w",
			r.noiseTooSmall(r.overflowed(problems.WithName(err, data.Names))))
	}
	if cfg.Model == nil {
		if r.problem, r.engine, r.stage,
			err = neural.Compare(ctx, p, e, r.stage, cfg.Memory); err != nil {
			return nil, fmt.Errorf("tobac: %w", problems.WithName(err, data.Names))
		}
	}
	return r, nil
}

// Advance takes the steps up to step number to, which is limited to [Run.Steps].
// Stopped early, it leaves the run at a step boundary. A panic of Config.Progress passes through
// it, and leaves the run only for [Run.Close]. It panics if ctx is nil.
func (r *Run) Advance(ctx context.Context, to int) error {
	end, err := r.begin(ctx)
	if err != nil {
		return err
	}
	if err = r.stage.Advance(ctx, min(to, r.Steps())); err != nil {
		err = r.overflowed(problems.WithName(err, r.problem.Data.Names))
		err = fmt.Errorf("tobac: stopped after %d of %d steps: %w", r.Step(), r.Steps(), err)
	}
	end()
	return err
}

// none is the error of a run that ends without a posterior.
func (r *Run) none(reason error) error {
	return fmt.Errorf("tobac: no posterior after %d of %d steps: %w", r.Step(), r.Steps(),
		r.overflowed(reason))
}

// Step is the number of steps taken.
func (r *Run) Step() int {
	done, _ := r.stage.Steps()
	return done
}

// Steps is the number of steps of the whole run; 0 for an engine without steps.
func (r *Run) Steps() int {
	_, all := r.stage.Steps()
	return all
}

// Config is the configuration with its defaults filled in, and with the engine and
// the model that were chosen.
func (r *Run) Config() Config { return r.asked.settled(r.problem, r.engine) }

// Close releases the workers. The run cannot be used after it; results stay.
func (r *Run) Close() {
	r.unusable = errClosed
	r.stage.Close()
}

// A Result is a finished fit. Results of one run share graphs and matrices, which must not
// be modified; none of them changes when the run goes on.
type Result struct {
	// Outcome is the posterior, edge probabilities with the moments of weights and graphs with
	// their parameters, and what the engine knows of it.
	engine.Outcome
	Config Config // with the engine and the model that were chosen
	// EngineReason says why the engine was chosen; "" if it was asked for.
	EngineReason string
	Notes        []string         // how [FitFile] read the table; nil for other fits
	Columns      []effects.Column // of the data that were given
	Sequence     inspect.Sequence // of their rows
	Imputation   *Imputation      // of [FitImputed]; nil for one table
	Seconds      engine.Seconds

	functions *posterior.Posterior // drawn from it; nil until then
}

// Result reads the posterior off the state as it is. A run whose chains or
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
	if err := r.problem.Data.Validate(); err != nil { // data are not copied
		return nil, fmt.Errorf("tobac: the data were changed after NewRun: %w", err)
	}
	o, err := r.stage.Outcome(ctx)
	if err != nil {
		return nil, r.none(err)
	}
	data := r.problem.Data
	out := &Result{Outcome: *o, Config: r.Config(), EngineReason: r.why,
		Columns: drawn.Columns(data), Sequence: r.sequence(), Seconds: *r.problem.Seconds}
	if err := out.Posterior.Validate(); err != nil { // a file of it could not be written
		return nil, r.none(r.outOfRange(err))
	}
	out.Sequence.Counted = r.problem.Counted
	listed := *out.Posterior // the warnings are those of this result
	out.Posterior = &listed
	out.Warnings = slices.Concat(listed.Warnings, r.warnings(out.Sequence, out.Evidence),
		diagnostics.Warnings(out.Checks))
	out.Seconds.Total = out.Seconds.Infer + out.Seconds.Order + out.Seconds.Compile +
		out.Seconds.Sample
	return out, nil
}

// Warnings are reasons, known so far, to distrust the result, as sentences.
func (r *Run) Warnings() []string {
	s := r.sequence()
	s.Counted = r.problem.Counted
	return r.warnings(s, nil)
}

func (r *Run) warnings(s inspect.Sequence, compared []sem.Evidence) []string {
	w := slices.Clone(r.stage.Warnings())
	type cautious interface{ Warnings(*dataset.Table) []string }
	if m, ok := sem.As[cautious](r.problem.Model); ok {
		w = append(w, m.Warnings(drawn.OnScale(r.problem.Data, r.problem.ModelScale))...)
	}
	of := r.otherWarnings
	if r.normal(compared) {
		of = r.normalWarnings
	}
	return slices.Concat(w, s.Warnings(), of())
}

// normal reports whether noise is taken for normal without a look at other shapes: by the model
// that was asked for, or among those that were compared. The noise of models without traits may
// have any shape.
func (r *Run) normal(compared []sem.Evidence) bool {
	if r.given != nil {
		_, known := sem.As[sem.Described](r.given)
		return known && !sem.TraitsOf(r.given).AnyNoise
	}
	return len(compared) > 0 && !slices.ContainsFunc(compared, func(e sem.Evidence) bool {
		m, err := sem.Parse(e.Model)
		return err == nil && sem.TraitsOf(m).AnyNoise && (!math.IsNaN(e.Log) || e.Pointless())
	})
}

// errClosed is the error of a run that is used after [Run.Close], and errUnfinished that of one in
// which a panic, of Config.Progress for example, cut a part of the work short, or whose work has
// not returned.
var (
	errClosed     = errors.New("tobac: the run is closed")
	errUnfinished = errors.New(
		"tobac: the run is in use, or a panic interrupted it; only Close is allowed now")
)

// checkContext panics for a nil context, which is a fault of the calling program.
func checkContext(ctx context.Context) {
	if ctx == nil {
		panic("tobac: nil context")
	}
}

// begin checks that the run can be used, and says that a part of its work has begun; the function
// that it returns says that it has ended.
func (r *Run) begin(ctx context.Context) (end func(), err error) {
	checkContext(ctx)
	if r.unusable != nil {
		return nil, r.unusable
	}
	r.unusable = errUnfinished
	return func() { r.unusable = nil }, nil
}

// overflowed says for a user why numbers of a run left the range of float64; any other error stays.
func (r *Run) overflowed(err error) error {
	if !errors.Is(err, models.ErrNotFinite) && !errors.Is(err, svgd.ErrNonFinite) &&
		!errors.Is(err, bcd.ErrNotFinite) &&
		!errors.As(err, new(*autograd.FailedError)) {
		return err
	}
	return r.outOfRange(err)
}

func (r *Run) outOfRange(err error) error {
	return &problems.ColumnError{Err: err,
		Text: "numbers left the range of float64; " + r.whyLarge()}
}

// noiseTooSmall adds to an error about scores that the noise variance that was given is what makes
// them large.
func (r *Run) noiseTooSmall(err error) error {
	if scores := new(score.VariableError); (errors.As(err, &scores) ||
		errors.Is(err, tempering.ErrOverflow)) && r.smallNoise() {
		return &problems.ColumnError{Text: fmt.Sprintf("%v; %s", err, r.whyLarge()), Err: err}
	}
	return err
}

// tinyNoise is the ratio of a noise variance to the variance of a column from which on scores are
// large.
const tinyNoise = 1e-5

func (r *Run) smallNoise() bool {
	noisy, ok := sem.As[sem.Noisy](r.problem.Model)
	_, wide := r.widest()
	return ok && noisy.Noise() > 0 && noisy.Noise() < tinyNoise*wide*wide
}

// whyLarge names the settings or columns that make numbers large.
func (r *Run) whyLarge() string {
	j, wide := r.widest()
	if r.smallNoise() {
		noisy, _ := sem.As[sem.Noisy](r.problem.Model)
		return fmt.Sprintf("the noise variance %.3g is too small for column %q, whose variance "+
			"is %.3g", noisy.Noise(), r.problem.Data.Names[j], wide*wide)
	}
	if likelihoodOnly(r.problem.Model) {
		return fmt.Sprintf("the likelihood of the model %v must be finite, with its slope, for "+
			"these data and any parameters", r.problem.Model)
	}
	var given []string
	byDefault := map[string]string{}
	if e, err := engines.ByName(r.engine.Engine().Name()); err == nil {
		q := *r.problem
		if filled, err := e.Engine().Prepare(&q); err == nil {
			for _, s := range filled.Engine().Settings() {
				byDefault[s.Name] = s.String()
			}
		}
	}
	if e, ok := r.engine.Engine().(sized); ok {
		names, others := e.SizeSettings(r.problem)
		for _, s := range r.engine.Engine().Settings() {
			if text := s.String(); slices.Contains(names, s.Name) && text != "" &&
				text != byDefault[s.Name] {
				given = append(given, s.Name+" "+text)
			}
		}
		given = append(given, others...)
	}
	if len(given) > 0 {
		return "settings that sizes of numbers depend on are " + strings.Join(given, ", ") +
			"; the defaults are safe"
	}
	return fmt.Sprintf("column %q has the greatest standard deviation, %.3g: bring the columns "+
		"to a common scale", r.problem.Data.Names[j], wide)
}

// A sized engine has settings on which the sizes of its numbers depend.
type sized interface {
	// SizeSettings are the names of these settings, and those of the problem with their values.
	SizeSettings(p *engine.Problem) (names, given []string)
}

// widest is the column of the greatest standard deviation.
func (r *Run) widest() (column int, sd float64) {
	_, all := r.problem.Data.Moments()
	for j, v := range all {
		if v > sd {
			column, sd = j, v
		}
	}
	return column, sd
}
