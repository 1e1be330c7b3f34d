package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/internal/inspect"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Imputed is a table with gaps, completed several times at random, for example by package impute. The completed tables have the same columns, rows
// and interventions.
type Imputed struct {
	Count int // completed tables, at least 1
	// Table is completed table k, 0 ≤ k < Count. It is called for one table after the other, for each perhaps twice, and must return equal tables then.
	Table func(k int) *dataset.Table
	// Places are those of the completed values, row·d + column, ascending; nil: unknown.
	Places []int
	// Rounds is how often completed values are drawn again, each time given a graph with its equations from the posterior of their table, which is then
	// fitted again: data augmentation under the causal model itself. 0: three times where Places are known and the engine exact takes at most twelve
	// columns, otherwise not; negative: not.
	Rounds int
	// Kept are the columns whose values are not drawn again, because no linear equation yields them, such as codes of categories; nil: none.
	Kept []bool
}

// Imputation says how a posterior from several completed tables came about.
type Imputation struct {
	Tables, Rows int
	Rounds       int   // in which completed values were drawn again
	Gaps         []int // completed values of each column; nil: unknown
	// Probabilities are the d×d edge probabilities of each completed table, of which those of the result are the mean.
	Probabilities []*mat.Dense
	// SD has the standard deviations of the edge probabilities between the completed tables, divisor Tables − 1, d×d; 0 for one table.
	SD *mat.Dense
	// Evidence has, for each completed table, the evidences of the models compared; nil: none were.
	Evidence [][]sem.Evidence
}

// Largest is the edge whose probability differs most between the completed tables, by its standard deviation; the first of equal ones, by source and
// target.
func (m *Imputation) Largest() (source, target int, sd float64) {
	d, _ := m.SD.Dims()
	source, target = 0, 1
	for i := range d {
		for j := range d {
			if v := m.SD.At(i, j); v > sd {
				source, target, sd = i, j, v
			}
		}
	}
	return source, target, sd
}

// Supporting is the number of completed tables whose evidence is greatest for a model. A model is known by its text form.
func (m *Imputation) Supporting(model string) int {
	count := 0
	for _, all := range m.Evidence {
		if greatest(all).Model == model {
			count++
		}
	}
	return count
}

// FitImputed infers a posterior from a table with gaps,
//
//	p(G, Θ | x_obs) = ∫ p(G, Θ | x_obs, x_mis) p(x_mis | x_obs) dx_mis ≈ Σ_k p(G, Θ | x⁽ᵏ⁾) / Count:
//
// every completed table has the same weight, whatever its evidence. Edge probabilities are means over the tables, standard deviations of weights
// have a part between the tables, and about a thousand draws come from all of them in turn. Each table is one
// component, or several, of the posterior. If Config leaves the model open, all tables have the one with the greatest mean of the log evidences that they give
// it, so that a model which could not be computed for one of them is left out. Result.Orders, Computation and the
// Diagnostics of chains (there the worst) are those of a single table.
//
// Completed values come from an imputation model that knows no graph. With Rounds they are drawn again given a draw (G, Θ) from the posterior of their table, and the table is
// fitted again: steps of a Markov chain whose stationary distribution is that of all values and graphs given x_obs under the causal model. Values set by intervention do not
// tell of their causes there. The model is taken before the first round. A model without linear equations keeps the values, with a warning.
//
// Table 0 has the seed of the configuration: with Count = 1 this is [Fit]. When ctx is cancelled, or a table cannot be fitted, the error
// names the table, counted from 1. It panics if Count is below 1 or Table or ctx is nil.
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
		if done := f.results[k]; done != nil && (f.shared.Model == nil || done.Model == f.shared.Model.String()) {
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
	engine   engine.Engine // that of all tables, with its defaults
	names    []string
	rows     int
	shared   engine.Shared
	evidence [][]sem.Evidence // of each table; nil: models are not compared
	averaged []sem.Evidence
	results  []*Result              // of each table, thinned; nil: to be fitted
	rounds   int                    // in which values are drawn again
	round    int                    // of redrawn values; 0: those handed over
	values   [][]float64            // of each table, at f.places; nil: those handed over
	places   []int                  // that are drawn again
	kept     bool                   // no round took place, for lack of equations
	drawn    []*posterior.Equations // of each table, drawn from its posterior; nil: there are none
	steps    int                    // that a table counts for in the progress; 0: unknown yet
	reported int                    // of the steps of all tables
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
			return f.located(k, fmt.Errorf("got %d rows of the columns %q, want %d rows of %q like the first", n, t.Names, f.rows, f.names))
		}
		mean, sd := t.ObservedMoments()
		moments = append(moments, posterior.Standardization{Mean: mean, SD: sd})
	}
	p, e, err := f.problem()
	if err != nil {
		return fmt.Errorf("tobac: %w", err)
	}
	f.engine, f.cfg.Model = e, p.Model
	f.shared.Scale = commonScale(moments)
	f.shared.Sequence = sync.OnceValue(func() inspect.Sequence {
		return inspect.Rows(f.data.Table(0), f.cfg.Prior.IsSource(len(f.names)))
	})
	return f.prepareRounds()
}

// problem is that of all tables, with its engine, which takes completed tables: where the engine is left open, networks have particles.
func (f *imputedFit) problem() (*engine.Problem, engine.Engine, error) {
	names := &dataset.Table{Names: f.names}
	p, e, _, err := f.cfg.problem(names)
	if _, tempering := e.(*neural.Tempering); err != nil || !tempering {
		return p, e, err
	}
	if f.cfg.Engine != nil {
		return nil, nil, errors.New("the engine tempering takes complete tables; allowed: the engine svgd, or a table without its incomplete rows")
	}
	f.cfg.Engine = &stein.SVGD{}
	p, e, _, err = f.cfg.problem(names)
	return p, e, err
}

// commonScale is the scale of the completed tables put below each other.
func commonScale(all []posterior.Standardization) *posterior.Standardization {
	k := float64(len(all))
	out := &posterior.Standardization{Mean: make([]float64, len(all[0].Mean)), SD: make([]float64, len(all[0].Mean))}
	for j := range out.Mean {
		for _, m := range all {
			out.Mean[j] += m.Mean[j] / k
		}
		variance := 0.0
		for _, m := range all {
			variance += (m.SD[j]*m.SD[j] + (m.Mean[j]-out.Mean[j])*(m.Mean[j]-out.Mean[j])) / k
		}
		out.SD[j] = math.Sqrt(variance)
	}
	return out
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
	f.draw(k, out.Posterior)
	kept := []int(nil)
	out.Posterior, kept = thinned(out.Posterior, f.data.Count)
	out.Functional = out.Functional.Of(kept)
	f.report(engine.Progress{Engine: f.engine.Name(), Step: steps, Steps: steps}, k, steps)
	return out, nil
}

// report says where the fit to all tables is. A table counts for as many steps as the first has, and for one if that has none.
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
		f.reported = max(f.reported, (f.round*f.data.Count+k)*f.steps+done) // a table may be fitted again, under another model
		p.Step, p.Steps = f.reported, (f.rounds+1)*f.data.Count*f.steps
	}
	f.cfg.Progress(p)
}

// thinned keeps one of count draws of a posterior whose draws are no particles, by systematic resampling: those at the middles of equal parts of their summed weights, with a
// weight in proportion to how often they are met. Unequal weights become more equal, and uniform ones stay so. Its marginals rest on all draws.
// kept says which draws it has; nil: all.
func thinned(p *posterior.Posterior, count int) (_ *posterior.Posterior, kept []int) {
	if p.Kind != posterior.Draws || len(p.Components) != 1 || count == 1 || len(p.Draws) < 2*count {
		return p, nil
	}
	out := *p
	out.Draws = nil
	weights, n := p.Empirical().Weights(), len(p.Draws)/count
	at, before, sum := 0, -1, weights[0]
	for k := range n {
		for v := (float64(k) + 0.5) / float64(n); sum < v && at < len(weights)-1; sum += weights[at] {
			at++
		}
		if at != before {
			out.Draws = append(out.Draws, p.Draws[at])
			out.Draws[len(out.Draws)-1].LogWeight, before = 0, at
			kept = append(kept, at)
			continue
		}
		met := &out.Draws[len(out.Draws)-1]
		met.LogWeight = math.Log(math.Exp(met.LogWeight) + 1)
	}
	out.Components = slices.Clone(p.Components)
	out.Components[0].Draws = len(out.Draws)
	return &out, kept
}

// located says which table an error is about.
func (f *imputedFit) located(k int, err error) error {
	if f.data.Count == 1 {
		return err
	}
	return &tableError{k + 1, f.data.Count, err}
}

// A tableError is one of several completed tables.
type tableError struct {
	table, tables int
	err           error
}

func (e *tableError) Error() string {
	return fmt.Sprintf("tobac: completed table %d of %d: %s", e.table, e.tables, strings.TrimPrefix(e.err.Error(), "tobac: "))
}

func (e *tableError) Unwrap() error { return e.err }
