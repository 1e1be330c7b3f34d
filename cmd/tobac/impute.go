package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/completions"
	"tobac/internal/delimited"
	"tobac/internal/impute"
	"tobac/internal/stream"
	"tobac/internal/table"
	"tobac/internal/words"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// splitGaps is [job.split] of a table with missing values: it transforms the values that are there,
// and holds rows out. The rows that stay are completed and scaled when the run begins. Held-out
// rows with a gap have no density, and are left out of it.
func (j *job) splitGaps(o fitOptions, t *dataset.Table) (err error) {
	how, allowed := imputing(o.table.want.Missing == table.MissingImpute, len(o.limits) > 0)
	if o.checkpoint != "" || o.resume != "" {
		return cli.Usagef("--checkpoint and --resume keep the state of a fit to one table, and "+
			"missing values are imputed several times; allowed: %s, or neither option", allowed)
	}
	if _, complete := j.fit.Engine.Engine().(engine.CompleteOnly); complete {
		return cli.Usagef("--engine %s contradicts %s: it takes complete tables; allowed: %s, or "+
			"another engine", j.fit.Engine.Engine().Name(), how, allowed)
	}
	if _, particles := j.fit.Engine.Engine().(engine.Swarm); o.imputationRounds > 0 && particles {
		return cli.Usagef("imputation.rounds contradicts an engine with particles: values are " +
			"drawn again given draws from the posterior; allowed: the engines exact and mcmc")
	}
	if err := impute.Check(t.X,
		impute.Settings{Intervened: t.Intervened, Names: t.Names, Together: o.imputedTogether,
			Limits: completions.Limits(o.limits, len(t.Names))}); err != nil {
		return cli.Located(j.input.Data, err)
	}
	limits, err := transformLimits(o.transform, o.limits)
	if err != nil {
		return err
	}
	if t, err = transformGaps(o.transform, t); err != nil {
		return cli.Located(j.input.Data, err)
	}
	g := &gapped{Table: t, limits: limits, count: o.imputations, rounds: o.imputationRounds,
		together: o.imputedTogether, center: o.center, standardize: o.standardize}
	if o.given("imputation.rounds") && o.imputationRounds == 0 {
		g.rounds = -1
	}
	if g.count == 0 {
		g.count = defaultImputations
	}
	switch {
	case o.given("holdout"):
		if err := j.holdOut(o, g); err != nil {
			return err
		}
	case o.heldout != "":
		if o.transform == table.NormalScores {
			return cli.Usagef("--heldout contradicts data.transform=normal-scores: ranks are " +
				"computed within one table")
		}
		heldout, err := j.readHeldout(&o, t.Names)
		if err != nil {
			return err
		}
		if heldout, err = g.complete(heldout, o.heldout); err != nil {
			return err
		}
		if j.heldout, err = o.transform.Apply(heldout); err != nil {
			return cli.Located(o.heldout, err)
		}
	}
	j.gapped, j.train = g, g.Table
	j.input.Transform, j.input.Center, j.input.Standardize,
		j.input.Imputations = o.transform.String(), o.center, o.standardize, g.count
	j.input.TrainingRows, _ = g.X.Dims()
	if j.heldout != nil {
		j.input.HeldoutRows, _ = j.heldout.X.Dims()
	}
	return nil
}

// holdOut takes the same rows out of the table as without gaps.
func (j *job) holdOut(o fitOptions, g *gapped) error {
	n, _ := g.X.Dims()
	numbers := &dataset.Table{Names: []string{"row"}, X: mat.NewDense(n, 1, nil)}
	for i := range n {
		numbers.X.Set(i, 0, float64(i))
	}
	train, heldout, err := numbers.Split(o.holdout, stream.New(o.seed, stream.HeldoutRows))
	if err != nil {
		return cli.WrongUse(cli.Located("--holdout", err))
	}
	all, rows := g.Table, rowNumbers(train)
	g.Table = all.Rows(rows)
	var limits []dataset.Limit
	for _, l := range g.limits {
		if k := slices.Index(rows, l.Row); k >= 0 {
			l.Row = k
			limits = append(limits, l)
		}
	}
	g.limits = limits
	j.heldout, err = g.complete(all.Rows(rowNumbers(heldout)), "--holdout")
	return err
}

// rowNumbers are those that a table of a single column holds.
func rowNumbers(t *dataset.Table) []int {
	n, _ := t.X.Dims()
	rows := make([]int, n)
	for i := range rows {
		rows[i] = int(t.X.At(i, 0))
	}
	return rows
}

// complete are the held-out rows without a gap; where says where they come from.
func (g *gapped) complete(heldout *dataset.Table, where string) (*dataset.Table, error) {
	n, _ := heldout.X.Dims()
	var rows []int
	for i := range n {
		if !slices.ContainsFunc(heldout.X.RawRowView(i), math.IsNaN) {
			rows = append(rows, i)
		}
	}
	switch {
	case len(rows) == n:
		return heldout, nil
	case len(rows) == 0:
		return nil, cli.Located(where,
			fmt.Errorf("all %s have missing values, which leaves none for the predictive density",
				words.Counted(n, "held-out row")))
	}
	g.warnings = append(g.warnings,
		fmt.Sprintf("%d of %d held-out rows have missing values, and are left out of the "+
			"predictive density", n-len(rows), n))
	return heldout.Rows(rows), nil
}

// transformGaps transforms the values that are there of a table in which each column has one.
func transformGaps(f table.Transform, t *dataset.Table) (*dataset.Table, error) {
	if f == table.None {
		return t, nil
	}
	if t.OfKinds() {
		return nil, fmt.Errorf("categories have no %s: data.transform is for tables of numbers", f)
	}
	n, d := t.X.Dims()
	x := mat.NewDense(n, d, nil)
	for j, name := range t.Names {
		var column []float64
		for i := range n {
			if v := t.X.At(i, j); !math.IsNaN(v) {
				column = append(column, v)
			}
		}
		part := &dataset.Table{Names: []string{name}, X: mat.NewDense(n, 1, nil)}
		if f == table.NormalScores { // ranks among the values that are there
			part.X = mat.NewDense(len(column), 1, column)
		} else { // in rows of their own, for messages
			for i := range n {
				if part.X.Set(i, 0, t.X.At(i, j)); math.IsNaN(t.X.At(i, j)) {
					part.X.Set(i, 0, column[0])
				}
			}
		}
		part, err := f.Apply(part)
		if err != nil {
			return nil, err
		}
		next := 0
		for i := range n {
			switch {
			case math.IsNaN(t.X.At(i, j)):
				x.Set(i, j, math.NaN())
				continue
			case f == table.NormalScores:
				x.Set(i, j, part.X.At(next, 0))
			default:
				x.Set(i, j, part.X.At(i, 0))
			}
			next++
		}
	}
	return &dataset.Table{Names: t.Names, X: x, Intervened: t.Intervened}, nil
}

// transformLimits are limits of values that are transformed.
func transformLimits(f table.Transform, limits []dataset.Limit) ([]dataset.Limit, error) {
	switch {
	case len(limits) == 0 || f == table.None:
		return limits, nil
	case f != table.Log:
		return nil, cli.Usagef("data.transform=%s contradicts data.censored=impute: limits have "+
			"no ranks; allowed: data.transform=log or none, or data.censored=limit", f)
	}
	limits = slices.Clone(limits)
	for k := range limits {
		l := &limits[k]
		if !(l.High > 0) {
			return nil, fmt.Errorf(
				"row %d has the limit %v, want one above 0, which has a logarithm", l.Row+1, l.High)
		}
		l.Low, l.High = math.Log(max(l.Low, 0)), math.Log(l.High)
	}
	return limits, nil
}

// scaledLimits are limits in the units of a scaled table; nil means as it is.
func scaledLimits(s *posterior.Standardization, limits []dataset.Limit) []dataset.Limit {
	if s == nil {
		return limits
	}
	limits = slices.Clone(limits)
	for k := range limits {
		l := &limits[k]
		l.Low, l.High = (l.Low-s.Mean[l.Column])/s.SD[l.Column],
			(l.High-s.Mean[l.Column])/s.SD[l.Column]
	}
	return limits
}

// runImputed completes the table, and fits all completed tables.
func (j *job) runImputed(ctx context.Context, p *cli.Progress) (*result, error) {
	g, c := j.gapped, j.fit
	var err error
	p.During(fmt.Sprintf("completing the table %d times", g.count))
	if g.completed, err =
		impute.Complete(ctx, g.X, impute.Settings{Count: g.count, Seed: c.Seed, Workers: c.Workers,
			Intervened: g.Intervened, Names: g.Names, Together: g.together,
			Methods: impute.Methods(len(g.Names), g.Named),
			Limits:  completions.Limits(g.limits, len(g.Names))}); err != nil {
		return nil, err
	}
	if g.center && !g.standardize {
		j.scaling = g.scaling()
		j.scaling.SD = ones(len(g.Names))
	}
	if g.standardize {
		j.scaling = g.scaling()
		for k, sd := range j.scaling.SD {
			if sd == 0 {
				return nil, fmt.Errorf("column %s is constant, want at least two different "+
					"values to standardise it", delimited.Excerpt(g.Names[k]))
			}
		}
	}
	data := tobac.Imputed{Count: g.count, Rounds: g.rounds, Places: g.completed.Places(),
		Kept:   g.completed.Matched(),
		Limits: scaledLimits(j.scaling, g.limits), Table: func(k int) *dataset.Table {
			t := &dataset.Table{Names: g.Names, X: j.scaling.Apply(g.completed.Table(k)),
				Intervened: g.Intervened}
			if j.scaling == nil {
				t.Variables = g.Variables
			}
			return t
		}}
	j.train = data.Table(0) // for what describes the data
	begun := false
	c.Progress = func(s engine.Progress) {
		if !begun && s.Steps > 0 {
			begun = true
			p.Begin(nil, 0, s.Steps)
		}
		p.Step(s)
	}
	done, err := tobac.FitImputed(ctx, data, c)
	if err != nil {
		return nil, err
	}
	done.Warnings = slices.Concat(done.Warnings, g.warnings, g.doubtfulColumns())
	done.Standardization = compose(j.scaling, done.Standardization)
	return &result{Result: done, imputed: g.completed}, nil
}

// scaling are the moments of the completed tables, put below each other.
func (g *gapped) scaling() *posterior.Standardization {
	d, count := len(g.Names), float64(g.count)
	s := &posterior.Standardization{Mean: make([]float64, d), SD: make([]float64, d)}
	squares := make([]float64, d)
	for k := range g.count {
		mean, sd := (&dataset.Table{Names: g.Names, X: g.completed.Table(k)}).Moments()
		for a := range d {
			s.Mean[a] += mean[a] / count
			squares[a] += (sd[a]*sd[a] + mean[a]*mean[a]) / count
		}
	}
	for a := range d {
		s.SD[a] = math.Sqrt(math.Max(0, squares[a]-s.Mean[a]*s.Mean[a]))
	}
	return s
}

// muchMissing is the fraction of missing information about a column's mean from which on a user is
// warned.
const muchMissing = 0.5

// doubtfulColumns says which imputed columns rest on the imputation model.
func (g *gapped) doubtfulColumns() []string {
	var out []string
	for k, column := range g.completed.Diagnostics.Columns {
		if column.Information > muchMissing {
			out = append(out, fmt.Sprintf("%.0f %% of the information about the mean of column "+
				"%s is missing: conclusions about it depend on the imputation model",
				100*column.Information, delimited.Excerpt(g.Names[k])))
		}
	}
	for _, m := range g.completed.Diagnostics.Models {
		if !m.Converged {
			out = append(out, fmt.Sprintf("the imputation model did not converge in %d "+
				"iterations: the table barely determines some correlations, because columns are "+
				"rarely observed together", m.EMIterations))
		}
	}
	return out
}
