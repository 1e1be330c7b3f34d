package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"tobac/background"
	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/internal/drawn"
	"tobac/internal/inspect"
	"tobac/ordering"
	"tobac/posterior"
	"tobac/sem"
	"tobac/setting"
)

// Settings choose an engine: a pointer to a struct whose zero fields stand for defaults, such as
// &stein.SVGD{Particles: 50}.
type Settings interface {
	// Engine is the engine with these settings.
	Engine() Engine
}

// An Engine infers a posterior over graphs.
type Engine interface {
	// Name is the name on the command line and in results, such as svgd.
	Name() string
	// About says what the engine does, as help for its users. Lists show only the first line.
	About() string
	// Settings are those with a text form. Setting one of them changes the [Settings] that the
	// engine has.
	Settings() []*setting.Setting
	// Prepare returns the settings with all defaults filled in, or an error that says in one
	// sentence what the engine does not take: a model, a prior, an order, a setting. It may settle
	// p.Model. Of p.Data it reads only the names.
	Prepare(p *Problem) (Settings, error)
	// Demands are the parts of the memory that a prepared engine takes at its peak.
	Demands(p *Problem, size Size) []Demand
	// Begin computes what has no steps, and prepares the first step. It settles p.Model if that
	// is nil.
	Begin(ctx context.Context, p *Problem) (Stage, error)
}

// A Stage is an engine at work on a problem.
type Stage interface {
	// Steps are the number of steps taken and the total. Both are 0 for an engine without steps.
	Steps() (done, all int)
	// Advance takes the steps up to number to, and reports them to Problem.Report. When ctx is
	// done it stops between two steps.
	Advance(ctx context.Context, to int) error
	// Outcome reads the posterior off the present state. It fails before an engine has one.
	Outcome(ctx context.Context) (*Outcome, error)
	// Warnings are the reasons known so far to distrust the outcome, as sentences.
	Warnings() []string
	// Save is the present state with every bit, and Restore continues from one, in a stage that
	// has just begun. Save of an engine without steps is nil.
	Save() (json.RawMessage, error)
	Restore(ctx context.Context, state json.RawMessage) error
	// Close releases the workers.
	Close()
}

// Infer runs an engine from its beginning to its end: the outcome of a problem whose settings have
// not been prepared. Report and Seconds of the problem may be nil here.
func Infer(ctx context.Context, s Settings, p *Problem) (*Outcome, error) {
	if p.Report == nil {
		p.Report = func(Progress) {}
	}
	if p.Seconds == nil {
		p.Seconds = new(Seconds)
	}
	s, err := s.Engine().Prepare(p)
	if err != nil {
		return nil, err
	}
	stage, err := s.Engine().Begin(ctx, p)
	if err != nil {
		return nil, err
	}
	defer stage.Close()
	_, steps := stage.Steps()
	if err := stage.Advance(ctx, steps); err != nil {
		return nil, err
	}
	return stage.Outcome(ctx)
}

// A Resumable engine lets some of its settings change when a run resumes, or has settings without a
// text form.
type Resumable interface {
	// StateKey is the text form, of a prepared engine, of the settings that decide its state. Of
	// other engines that is [SettingsText].
	StateKey(p *Problem) string
}

// A Settling engine takes as given what a reference of its posterior must take as given too.
type Settling interface {
	// Given is what a result with so many edges per node of the prior had taken as given. It
	// settles p.Prior.
	Given(ctx context.Context, p *Problem, edgesPerNode float64) (*Given, error)
}

// Given is what a posterior took as given.
type Given struct {
	Model sem.Model      // with the hypothesis that was settled
	Data  *dataset.Table // as the model took them
	// Notes say what else was taken as given, a sentence each.
	Notes []string
	// OwnNoise says that each order had a separate noise variance, which its component has.
	OwnNoise bool
	// Chains are the numbers of chains over graphs that those of a reference exceed, and Tempered
	// those of chains over networks; zero where there were none.
	Chains, Tempered ChainNumbers
}

// ChainNumbers are the numbers of Markov chains.
type ChainNumbers struct{ Iterations, WarmUp, Candidates, Rungs int }

// A Problem is the inference problem that an engine solves.
type Problem struct {
	Data    *dataset.Table
	Model   sem.Model // nil means that the engine chooses one by its evidence
	Prior   background.Prior
	Order   Order
	Seed    uint64
	Workers int
	// Report receives the progress. It is never nil.
	Report func(Progress)
	// Shared is what the problem has in common with others.
	Shared Shared

	// ModelScale is the scale on which Model takes the columns, set by [Engine.Begin]; nil means
	// the units of the data.
	ModelScale *posterior.Standardization
	// Evidence of the models compared, set by [Engine.Begin]; nil if none were.
	Evidence []sem.Evidence
	// Counted says that dependent rows count as so many independent ones, see [inspect.Sequence],
	// set by [Engine.Begin].
	Counted bool
	// Seconds is where the time went. Engines add to it. It is never nil.
	Seconds *Seconds
}

// Shared is what a problem has in common with others: completed tables of one table with gaps,
// or the comparison of particles with a finished result. Its zero value stands for nothing.
type Shared struct {
	// Tables is the number of completed tables, whose models are compared and whose posteriors are
	// mixed; 0 means that there is this one only.
	Tables int
	Model  sem.Scored // the only model to compare; nil means those of the problem
	// of columns that an engine scales; nil means the scale of the data
	Scale *posterior.Standardization
	// orders of SVGD are drawn from it; nil means that an engine computes it
	Drawn *Outcome
	// Sequence examines the rows. Nil means that their evidence counts in full.
	Sequence func() inspect.Sequence
}

// An Outcome is a posterior with what an engine knows of it.
type Outcome struct {
	*posterior.Posterior
	// Method says in a few words what computed the posterior, for example
	// "mcmc, 4 chains of 3000 iterations".
	Method string
	// Reason says why the model was taken.
	Reason string
	// Doubted says that the form of the equations is refuted, or that its evidence counts in part.
	Doubted bool
	// Sum says what was summed over; "" for engines without sums.
	Sum string
	// Computation says in a sentence how far the probabilities can be trusted as a computation.
	Computation string
	// Basis ends a sentence that begins "directions follow from", and may go on; "" means as the
	// model says.
	Basis    string
	Evidence []sem.Evidence // of the models compared; nil if none were
	// EdgesPerNode is the posterior mean of the prior's expected edges per variable, or the
	// setting.
	EdgesPerNode float64
	Diagnostics  *diagnostics.GraphChains // of Markov chains; nil if there are none
	Training     *Training                // of engines that train a distribution; nil for others
	Orders       *ordering.Distribution   // of resamples of the rows; nil if none were asked for
	Checks       []diagnostics.Check      // how far to trust the computation

	Best       sem.Scored      // with the greatest evidence; nil without node scores
	Hypothesis *sem.Hypothesis // the most probable one of it; nil where none is known
	Functional *drawn.Functions
}

// Progress says where a run is.
type Progress struct {
	Engine        string // the name of the engine at work
	Step, Steps   int    // of the whole run, over all orders and engines
	Order, Orders int    // the order that SVGD samples under, counted from 1, and their number
	// the completed table of [tobac.FitImputed], counted from 1, and their number
	Table, Tables int
	// Doing says what is being computed between steps, in a few words; "" means that a step has
	// been taken.
	Doing string
	// Chains is where Markov chains are; nil for other engines.
	Chains *diagnostics.GraphTrace
	// Training is where a training is; nil for other engines.
	Training *TrainingPoint
	// Driving and Repulsive are the norms of the two forces of SVGD on the latents, Neighbours
	// the kernel's effective number of neighbours.
	Driving, Repulsive, Neighbours float64
}

// A TrainingPoint says how far a training is.
type TrainingPoint struct {
	Step int // steps taken
	// what Value is: ELBO, a lower bound on the log evidence in nats, or loss, whose bound is 0; ""
	// means nothing is known yet
	Quantity string
	Value    float64 // mean over the samples of a step or over several steps
}

// A Training says how a distribution over graphs was trained. That all steps were taken does not
// say that it has converged.
type Training struct {
	Trace   []TrainingPoint // ascending
	Skipped int             // steps that changed nothing, because a gradient was not finite
	// ELBO at the ends of the starts of BCD Nets, of which the highest was kept; nil means a single
	// start
	Starts []float64
	Exact  bool // nothing had to be trained: the distribution is the posterior
	// Distance is the total variation ½ Σ_G |q(G) − p(G|D)| of what was trained from the exact
	// posterior under the same scores and prior, which DAG-GFlowNet knows of at most five
	// variables; NaN means unknown.
	Distance float64
	// Imbalance of the draws of DAG-GFlowNet under linear node scores: the mean difference between
	// how often an edge is drawn and its probability given the other edges of the draws, less what
	// independent draws would have; NaN means unknown.
	Imbalance float64
}

// Seconds is where the time of a run went.
type Seconds struct {
	Infer   float64 `json:"infer"`   // node scores, exact posteriors, chains and training
	Order   float64 `json:"order"`   // causal orders found by a method, and their weights
	Compile float64 `json:"compile"` // building and compiling the models of SVGD
	Sample  float64 `json:"sample"`  // SVGD steps
	Total   float64 `json:"total"`
}

// Timed adds the time that do takes to a number of seconds.
func Timed(seconds *float64, do func() error) error {
	start := time.Now()
	defer func() { *seconds += time.Since(start).Seconds() }()
	return do()
}

// Doing reports what the engine of a name computes between steps.
func (p *Problem) Doing(engine, what string) {
	p.Report(Progress{Engine: engine, Doing: what})
}

// Scored reports whether the model of the problem has node scores, or is to be chosen among some
// that have.
func (p *Problem) Scored() bool {
	_, ok := sem.As[sem.Scored](p.Model)
	return ok || p.Model == nil
}

// Vars is the number of variables.
func (p *Problem) Vars() int { return len(p.Data.Names) }

// OverOrders reports whether the causal order is to be inferred.
func (p *Problem) OverOrders() bool { return p.Order.Known == nil && p.Order.Method == nil }

// A Size is the size of a problem. With its settings it decides the memory of an engine.
type Size struct {
	Rows, Vars int
	Models     int // with node scores that are compared
	// ScoreBytes is the memory of models whose node scores keep what they computed.
	ScoreBytes float64
	// Functions says that the draws of the model have functions in place of weights.
	Functions bool
}

// A Demand is memory that a part of a run takes.
type Demand struct {
	What  string
	Bytes float64
}

// Needs is a Demand with formatted words.
func Needs(bytes float64, format string, args ...any) Demand {
	return Demand{fmt.Sprintf(format, args...), bytes}
}

// SettingsText is the text form of settings: the name of the engine, and the settings with the
// values that differ from zero, but those left out.
func SettingsText(of Settings, leftOut ...string) string {
	e := of.Engine()
	var words []any
	for _, s := range e.Settings() {
		if !slices.Contains(leftOut, s.Name) {
			words = append(words, s.Name, s.String())
		}
	}
	return setting.Text(e.Name(), words...)
}

// Finished is the stage of an engine that has its outcome without any step.
func Finished(o *Outcome, warnings []string) Stage { return &finished{o, warnings} }

type finished struct {
	outcome  *Outcome
	warnings []string
}

func (f *finished) Steps() (done, all int)                         { return 0, 0 }
func (f *finished) Advance(context.Context, int) error             { return nil }
func (f *finished) Outcome(context.Context) (*Outcome, error)      { return f.outcome, nil }
func (f *finished) Warnings() []string                             { return f.warnings }
func (f *finished) Save() (json.RawMessage, error)                 { return nil, nil }
func (f *finished) Restore(context.Context, json.RawMessage) error { return nil }
func (f *finished) Close()                                         {}

// MostSteps is the largest number of steps of an engine. Sums and products of such numbers fit in
// 64 bits.
const MostSteps = 1_000_000_000

// Add adds the times of another run.
func (s *Seconds) Add(t Seconds) {
	s.Infer += t.Infer
	s.Order += t.Order
	s.Compile += t.Compile
	s.Sample += t.Sample
	s.Total += t.Total
}
