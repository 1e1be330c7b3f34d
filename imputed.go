package tobac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tobac/background"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/completions"
	"tobac/internal/drawn"
	"tobac/internal/inference"
	"tobac/internal/inspect"
	"tobac/internal/priors"
	"tobac/internal/refinement"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Imputed is a table with gaps, completed several times at random, for example by package impute.
// The completed tables have the same columns, rows and interventions.
type Imputed struct {
	Count int // completed tables, at least 1
	// Table is completed table k, 0 ≤ k < Count. It is called for one table after the other, for
	// each perhaps twice, and must return equal tables then.
	Table func(k int) *dataset.Table
	// Places are those of the completed values, row·d + column, ascending; nil means unknown.
	Places []int
	// Rounds is how often completed values are drawn again, each time given a graph with its
	// equations from the posterior of their table, which is then fitted again: data augmentation
	// under the causal model itself. Defaults to three times where Places are known and the engine
	// exact takes at most twelve columns, once where these are numbers and categories, otherwise
	// not; negative: not.
	Rounds int
	// Limits say between which numbers some of the completed values lie, and are drawn again.
	Limits []dataset.Limit
	// Kept are the columns whose values are not drawn again, because no linear equation yields
	// them, such as whole numbers; nil means none. In tables with categories they are drawn again,
	// among the values that they have.
	Kept []bool
}

// Imputation says how a posterior from several completed tables came about.
type Imputation struct {
	Tables, Rows int
	Rounds       int   // in which completed values were drawn again
	Gaps         []int // completed values of each column; nil means unknown
	// Table is completed table k as it was fitted last, with the values of the last round.
	Table   func(k int) *dataset.Table
	Limited int // completed values of which limits are known
	// Probabilities are the d×d edge probabilities of each completed table, of which those of the
	// result are the mean.
	Probabilities []*mat.Dense
	// SD has the standard deviations of the edge probabilities between the completed tables,
	// divisor Tables − 1, d×d; 0 for one table.
	SD *mat.Dense
	// Evidence has, for each completed table, the evidences of the models compared; nil means none.
	Evidence [][]sem.Evidence
}

// Largest is the edge whose probability differs most between the completed tables, by its standard
// deviation; the first of equal ones, by source and target.
func (m *Imputation) Largest() (source, target int, sd float64) { return completions.Largest(m.SD) }

// Supporting is the number of completed tables whose evidence is greatest for a model. A model is
// known by its text form.
func (m *Imputation) Supporting(model string) int {
	count := 0
	for _, all := range m.Evidence {
		if best, _ := inference.BestTwo(all); best.Model == model {
			count++
		}
	}
	return count
}

// FitImputed infers a posterior from a table with gaps,
//
//	p(G, Θ | x_obs) = ∫ p(G, Θ | x_obs, x_mis) p(x_mis | x_obs) dx_mis ≈ Σ_k p(G, Θ | x⁽ᵏ⁾) / Count:
//
// every completed table has the same weight, whatever its evidence. Edge probabilities are means
// over the tables, standard deviations of weights have a part between the tables, and about a
// thousand draws come from all of them in turn. Each table is one component, or several, of the
// posterior. If Config leaves the model open, all tables have the one with the greatest mean of the
// log evidences that they give it, so that a model which could not be computed for one of them is
// left out. Result.Orders, Computation and the Diagnostics of chains (there the worst) are those of
// a single table.
//
// Completed values come from an imputation model that knows no graph. With Rounds they are drawn
// again given a draw (G, Θ) from the posterior of their table, and the table is fitted again: steps
// of a Markov chain whose stationary distribution is that of all values and graphs given x_obs
// under the causal model. Values set by intervention do not tell of their causes there. The model
// is taken before the first round. A model without linear equations keeps the values, with a
// warning.
//
// Table 0 has the seed of the configuration: with Count = 1 this is [Fit]. When ctx is cancelled,
// or a table cannot be fitted, the error names the table, counted from 1. It panics if Count is
// below 1 or Table or ctx is nil.
func FitImputed(ctx context.Context, data Imputed, cfg Config) (*Result, error) {
	if data.Count < 1 || data.Table == nil {
		panic(fmt.Sprintf("tobac: %d completed tables", data.Count))
	}
	checkContext(ctx)
	f := &imputedFit{data: data, cfg: cfg, results: make([]*Result, data.Count)}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	if err := f.compare(ctx); err != nil {
		return nil, err
	}
	for k := range f.results {
		if done := f.results[k]; done != nil &&
			(f.shared.Model == nil || done.Model == f.shared.Model.String()) {
			continue
		}
		r, err := f.run(ctx, k, f.config(k))
		if err != nil {
			return nil, f.located(k, err)
		}
		f.results[k] = r
	}
	if err := f.redraw(ctx); err != nil {
		return nil, err
	}
	return f.result(), nil
}

// An imputedFit is a fit to several completed tables in progress.
type imputedFit struct {
	data     Imputed
	cfg      Config
	engine   engine.Settings // that of all tables, with its defaults
	names    []string
	rows     int
	shared   engine.Shared
	evidence [][]sem.Evidence // of each table; nil means that models are not compared
	averaged []sem.Evidence
	results  []*Result   // of each table, thinned; nil until fitted
	rounds   int         // in which values are drawn again
	round    int         // of redrawn values; 0 means those handed over
	values   [][]float64 // of each table, at f.places; nil means those handed over
	places   []int       // that are drawn again
	kept     bool        // no round took place, for lack of equations
	// of each table: equations drawn from its posterior; nil if there are none
	drawn    []completions.Redrawer
	steps    int // that a table counts for in the progress; 0 means unknown yet
	reported int // of the steps of all tables
}

// prepare checks the tables and settles the engine.
func (f *imputedFit) prepare() error {
	var moments []posterior.Standardization
	for k := range f.data.Count {
		t := f.data.Table(k)
		if err := t.Validate(); err != nil {
			return f.located(k, err)
		}
		n, _ := t.X.Dims()
		switch {
		case k == 0:
			f.names, f.rows = t.Names, n
		case !slices.Equal(t.Names, f.names) || n != f.rows:
			return f.located(k,
				fmt.Errorf("got %d rows of the columns %q, want %d rows of %q like the first", n,
					t.Names, f.rows, f.names))
		}
		mean, sd := t.ObservedMoments()
		moments = append(moments, posterior.Standardization{Mean: mean, SD: sd})
	}
	p, e, err := f.problem()
	if err != nil {
		return fmt.Errorf("tobac: %w", err)
	}
	f.engine, f.cfg.Model = e, p.Model
	f.shared.Scale, f.shared.Tables = completions.Scale(moments), f.data.Count
	f.shared.Sequence = sync.OnceValue(func() inspect.Sequence {
		return inspect.Rows(f.data.Table(0), priors.IsSource(&f.cfg.Prior, len(f.names)))
	})
	return f.prepareRounds()
}

// problem is that of all tables, with its engine, which takes completed tables: where the engine is
// left open, networks have particles, because their scale and noise differ between the tables.
func (f *imputedFit) problem() (*engine.Problem, engine.Settings, error) {
	names := &dataset.Table{Names: f.names, Variables: f.data.Table(0).Variables}
	p, e, _, err := f.cfg.Problem(names)
	if err != nil {
		return nil, nil, err
	}
	_, complete := e.Engine().(engine.CompleteOnly)
	if !complete || likelihoodOnly(f.cfg.Model) {
		return p, e, nil
	}
	if f.cfg.Engine != nil {
		return nil, nil, fmt.Errorf("the engine %s takes complete tables; allowed: the engine "+
			"svgd, or a table without its incomplete rows", e.Engine().Name())
	}
	f.cfg.Engine = &stein.SVGD{}
	p, e, _, err = f.cfg.Problem(names)
	return p, e, err
}

// config is the configuration for table k.
func (f *imputedFit) config(k int) Config {
	c := f.cfg
	if k > 0 {
		c.Seed = stream.Seed(f.cfg.Seed, stream.ImputedTable, k)
	}
	return c
}

// run fits table k, and keeps its part of the draws.
func (f *imputedFit) run(ctx context.Context, k int, cfg Config) (*Result, error) {
	steps := 0
	cfg.Progress = func(p engine.Progress) { f.report(p, k, steps) }
	r, err := newRun(ctx, f.table(k), cfg, f.shared)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if steps = r.Steps(); f.steps == 0 {
		f.steps = max(1, steps)
	}
	if err := r.Advance(ctx, steps); err != nil {
		return nil, err
	}
	out, err := r.Result(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.draw(k, out); err != nil {
		return nil, err
	}
	kept := []int(nil)
	if n := f.data.Count; n > 1 {
		out.Posterior, kept = completions.Thinned(out.Posterior, max(1, inference.Draws/n))
	}
	out.Functional = out.Functional.Of(kept)
	f.report(engine.Progress{Engine: f.engine.Engine().Name(), Step: steps, Steps: steps}, k, steps)
	return out, nil
}

// report says where the fit to all tables is. A table counts for as many steps as the first has,
// and for one if that has none.
func (f *imputedFit) report(p engine.Progress, k, steps int) {
	if f.cfg.Progress == nil {
		return
	}
	p.Table, p.Tables = k+1, f.data.Count
	if f.steps > 0 {
		done := f.steps // a table without steps is reported when it is done
		if steps > 0 {
			done = p.Step * f.steps / steps
		}
		// a table may be fitted again, under another model
		f.reported = max(f.reported, (f.round*f.data.Count+k)*f.steps+done)
		p.Step, p.Steps = f.reported, (f.rounds+1)*f.data.Count*f.steps
	}
	f.cfg.Progress(p)
}

// located says which table an error is about.
func (f *imputedFit) located(k int, err error) error {
	if f.data.Count == 1 {
		return err
	}
	return &completions.TableError{Table: k + 1, Tables: f.data.Count, Err: err}
}

// compare settles the model, if there is a choice: the one whose log evidences have the greatest
// mean. Tables whose fit ends with that are then fitted already, unless another model is taken.
func (f *imputedFit) compare(ctx context.Context) error {
	if f.data.Count == 1 {
		f.shared.Scale = nil // that of the table, to the bit
		return nil
	}
	cfg := f.cfg
	// whether what is computed for the evidences is the fit
	_, fits := f.engine.Engine().(engine.Direct)
	if particles, ok := f.engine.Engine().(engine.Swarm); ok {
		orders, drawn := particles.Orders(&engine.Problem{Order: cfg.Order})
		if !drawn {
			return nil
		}
		cfg.Model, cfg.Engine = nil, orders
		if !cfg.Prior.IsModular() {
			cfg.Prior = background.Prior{} // as for the orders of a single table
		}
	} else if cfg.Model != nil {
		return nil
	}
	for k := range f.data.Count {
		c := cfg
		c.Seed, c.Order = f.config(k).Seed, engine.Order{Known: cfg.Order.Known}
		if fits {
			r, err := f.run(ctx, k, c)
			if err != nil {
				return f.located(k, err)
			}
			f.results[k] = r
			f.evidence = append(f.evidence, r.Evidence)
			continue
		}
		r, err := newRun(ctx, f.data.Table(k), c, engine.Shared{})
		if err != nil {
			return f.located(k, err)
		}
		f.evidence = append(f.evidence, r.problem.Evidence)
		r.Close()
	}
	return f.average()
}

// average averages the evidences, and takes the model.
func (f *imputedFit) average() error {
	f.averaged = inference.Averaged(f.evidence)
	best, _ := inference.BestTwo(f.averaged)
	for _, m := range sem.Compared(f.data.Table(0)) {
		if m.String() == best.Model {
			f.shared.Model = m
		}
	}
	if f.shared.Model == nil {
		return errors.New("tobac: no model can be computed for all completed tables")
	}
	return nil
}

// defaultRounds is how often completed values are drawn again where a fit takes little time. With a
// fifth of the values missing, six bring edge probabilities nearer to those of the complete data by
// another seventh.
const defaultRounds = 3

// particles reports whether the engine has particles, and no draws.
func (f *imputedFit) particles() bool {
	_, particles := f.engine.Engine().(engine.Swarm)
	return particles
}

// prepareRounds settles the number of rounds, and finds the places whose values are to be drawn
// again.
func (f *imputedFit) prepareRounds() error {
	d := len(f.names)
	if err := completions.Check(f.data.Places, f.data.Limits, f.data.Kept, f.rows, d); err != nil {
		return fmt.Errorf("tobac: %w", err)
	}
	f.values, f.drawn = make([][]float64, f.data.Count), make([]completions.Redrawer, f.data.Count)
	_, direct := f.engine.Engine().(engine.Direct)
	kinds := f.data.Table(0).OfKinds()
	if f.rounds = max(0, f.data.Rounds); f.data.Rounds == 0 && direct &&
		d <= refinement.MixedVariables && f.data.Places != nil {
		if f.rounds = defaultRounds; kinds && f.data.Table(0).HasKind(func(k dataset.Kind) bool {
			return !k.Levelled()
		}) {
			f.rounds = 1 // whose scores take long
		}
	}
	switch {
	case f.rounds == 0:
		return nil
	case f.data.Places == nil:
		return errors.New(
			"tobac: completed values are to be drawn again, but their places are unknown")
	case f.particles():
		return errors.New("tobac: completed values can be drawn again given draws from the " +
			"posterior, and the engine has particles; allowed: the engines exact and mcmc, or no " +
			"rounds")
	}
	kept := f.data.Kept
	if kinds {
		kept = nil
	}
	if f.places = completions.Open(f.data.Table(0), f.data.Places, kept); f.places == nil {
		f.rounds = 0
	}
	return nil
}

// table is completed table k with its values of this round.
func (f *imputedFit) table(k int) *dataset.Table {
	t := f.data.Table(k)
	if f.values[k] == nil {
		return t
	}
	return completions.With(t, f.places, f.values[k])
}

// draw keeps the equations of one draw from the posterior of table k, each with the probability of
// its weight.
func (f *imputedFit) draw(k int, r *Result) error {
	p := r.Posterior
	if f.round == f.rounds {
		return nil
	}
	f.drawn[k] = nil // another model may have been fitted before
	if len(p.Draws) == 0 {
		return nil
	}
	rng := stream.New(f.cfg.Seed, stream.RedrawnValues, k, f.round)
	of, err := completions.Drawn(p, r.Functional, f.data.Table(0), f.data.Kept, f.data.Limits, rng)
	f.drawn[k] = of
	return err
}

// redraw runs the rounds.
func (f *imputedFit) redraw(ctx context.Context) error {
	for f.round < f.rounds {
		if slices.Contains(f.drawn, nil) {
			f.kept = true
			return nil
		}
		f.round++
		for k := range f.results {
			r, err := f.refit(ctx, k)
			if err != nil {
				return f.located(k, err)
			}
			f.results[k] = r
		}
	}
	return nil
}

// refit draws the values of table k again, and fits it.
func (f *imputedFit) refit(ctx context.Context, k int) (*Result, error) {
	t := f.table(k)
	x := mat.DenseCopyOf(t.X)
	// A stream of its own for each table and round, beside that of the draw.
	rng := stream.New(stream.Seed(f.cfg.Seed, stream.ImputedTable, k), stream.RedrawnValues, k,
		f.round)
	if err := f.drawn[k].Redraw(x, f.places, t.Intervened, rng); err != nil {
		return nil, err
	}
	f.values[k] = make([]float64, len(f.places))
	for p, place := range f.places {
		f.values[k][p] = x.At(place/len(f.names), place%len(f.names))
	}
	return f.run(ctx, k, f.config(k))
}

// result puts the results of all tables together.
func (f *imputedFit) result() *Result {
	first := f.results[0]
	out := *first
	parts := make([]*posterior.Posterior, len(f.results))
	out.EdgesPerNode, out.Seconds, out.Diagnostics, out.Checks = 0, engine.Seconds{}, nil, nil
	m := &Imputation{Tables: f.data.Count, Rows: f.rows, Rounds: f.rounds,
		Limited: len(f.data.Limits), Gaps: completions.Gaps(f.data.Places, len(f.names)),
		Evidence: f.evidence, Table: f.table}
	if f.kept {
		m.Rounds = 0
	}
	scores := make([]*drawn.Functions, len(f.results))
	var warnings [][]string
	for k, r := range f.results {
		p := *r.Posterior
		scores[k] = r.Functional
		p.Warnings = nil // those of all tables are put together below
		parts[k] = &p
		m.Probabilities = append(m.Probabilities, r.Probabilities)
		out.EdgesPerNode += r.EdgesPerNode / float64(len(f.results))
		out.Seconds.Add(r.Seconds)
		out.Checks = completions.Worse(out.Checks, r.Checks)
		warnings = append(warnings, r.Warnings)
		if d := r.Diagnostics; d != nil &&
			(out.Diagnostics == nil || d.MaxRHat() > out.Diagnostics.MaxRHat()) {
			out.Diagnostics, out.Computation = d, r.Computation
		}
	}
	m.SD = completions.Between(m.Probabilities)
	mixed := *posterior.Mix(parts, make([]float64, len(parts)))
	out.Posterior, out.Imputation, out.Functional = &mixed, m, drawn.Joined(scores)
	if f.averaged != nil {
		out.Evidence = f.averaged
		if !f.particles() || f.cfg.Model == nil {
			out.Reason = inference.Reason(f.averaged)
		}
	}
	out.Warnings = slices.Concat(m.warnings(f.names, f.shared.Model),
		completions.Warnings(warnings))
	if w := completions.Determined(f.data.Table(0), f.data.Places); f.data.Places != nil &&
		w != "" && !slices.Contains(out.Warnings, w) {
		out.Warnings = append(out.Warnings, w)
	}
	if f.kept {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the model %s has no equations to draw "+
			"imputed values from: they are those of the normal model", first.Model))
	}
	out.Config.Progress = f.cfg.Progress
	return &out
}

// warnings say how much was imputed, and how much rests on it.
func (m *Imputation) warnings(names []string, model sem.Model) []string {
	var w []string
	if text := completions.Imputed(names, m.Gaps, m.Limited, m.Rows); text != "" {
		w = append(w, text)
	}
	if m.Tables == 1 {
		return append(w,
			"one completed table shows nothing of what the gaps leave unknown: use several")
	}
	i, j, sd := m.Largest()
	if sd > 0 {
		w = append(w, fmt.Sprintf("edge probabilities differ between the %d completed tables, "+
			"most that of %q -> %q, with a standard deviation of %.2f", m.Tables, names[i],
			names[j], sd))
	}
	if model != nil {
		if n := m.Supporting(model.String()); n < m.Tables {
			w = append(w,
				fmt.Sprintf("%d of %d completed tables by themselves support another model than %s",
					m.Tables-n, m.Tables, model))
		}
	}
	return w
}
