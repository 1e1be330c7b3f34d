package tobac

import (
	"context"
	"fmt"
	"slices"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/completions"
	"tobac/internal/impute"
	"tobac/internal/inference"
	"tobac/internal/priors"
	"tobac/internal/table"
	"tobac/sem"
)

// copies is how many times FitFile completes a table with gaps.
const copies = 10

// FitFile infers a posterior over causal graphs from a table in a file: text with any separator, a
// workbook, Parquet (import tobac/parquet) or NumPy, also compressed. Columns of two levels become
// 0 and 1, a category is one variable with its levels ([dataset.Variable]); identifiers and an
// index are left out, and so are copies of rows and, where the data support that, errors of
// recording (see [Outliers]); missing values, and those of which only limits are known such as
// <0.5, are imputed ten times, as [FitImputed] takes them; and all
// columns become logarithms where the data support these by their evidence (see [Logarithms]).
// Result.Notes say what was done. The prior and the order of cfg are about the columns of the
// result in their sequence. A table that is ambiguous is an error with everything that is wrong.
func FitFile(ctx context.Context, path string, cfg Config) (*Result, error) {
	checkContext(ctx)
	file, err := table.ReadFile(path, table.Layout{})
	if err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	p, err := table.Prepare(file,
		table.Options{Missing: table.MissingImpute, Censored: table.CensoredImpute})
	if err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	if cfg.Engine == nil && cfg.Order.Known == nil {
		priors.AddColumns(&cfg.Prior, p.Given(), p.Years())
	}
	data, notes := p.Numbers(), slices.Clone(p.Notes)
	var r *Result
	if p.Incomplete == nil {
		logs, note, err := Logarithms(ctx, data, cfg)
		if err != nil {
			return nil, err
		}
		if logs != nil {
			data, notes = logs, append(notes, note)
		}
		rest, warning, err := Outliers(ctx, data, cfg)
		if err != nil {
			return nil, err
		}
		if rest != nil {
			data = data.Rows(rest)
			p.Warnings = append(p.Warnings, warning)
		}
		if r, err = Fit(ctx, data, cfg); err != nil {
			return nil, err
		}
	} else {
		matched := data.Named
		if likelihoodOnly(cfg.Model) { // which may have no density between the observed values
			matched = func(int) bool { return true }
		}
		completed, err := impute.Complete(ctx, data.X,
			impute.Settings{Count: copies, Seed: cfg.Seed, Workers: max(1, cfg.Workers),
				Names: data.Names, Methods: impute.Methods(len(data.Names), matched),
				Limits: completions.Limits(p.Limits, len(data.Names))})
		if err != nil {
			return nil, fmt.Errorf("tobac: %w", err)
		}
		if r, err = FitImputed(ctx, completedBy(data, completed, p.Limits), cfg); err != nil {
			return nil, err
		}
	}
	r.Notes = notes
	r.Warnings = slices.Concat(p.Warnings, r.Warnings)
	return r, nil
}

// likelihoodOnly reports whether a model is a likelihood without node scores, and no network.
func likelihoodOnly(m sem.Model) bool {
	_, scored := sem.As[sem.Scored](m)
	_, network := sem.As[sem.Network](m)
	return m != nil && !scored && !network
}

// Logarithms are the logarithms of all columns, with a note that says why, where the data support
// them by their evidence ([inference.LogSupport]); nil where they do not, and where cfg asks for a
// model, an order or another engine than exact sums.
func Logarithms(ctx context.Context, data *dataset.Table, cfg Config) (logs *dataset.Table,
	note string, err error) {
	p, err := toldNothing(data, cfg)
	if p == nil || err != nil {
		return nil, "", err
	}
	nats, err := inference.LogSupport(ctx, p)
	if note = inference.LogNote(nats); err == nil && note != "" {
		logs, err = data.Log()
	}
	if err != nil {
		return nil, "", fmt.Errorf("tobac: %w", err)
	}
	return logs, note, nil
}

// Outliers are the rows but those with values far out that follow no equation, with a warning that
// says so ([inference.Outliers]); nil means all, as where [Logarithms] are not looked at.
func Outliers(ctx context.Context, data *dataset.Table, cfg Config) (rest []int, warning string,
	err error) {
	p, err := toldNothing(data, cfg)
	if p == nil || err != nil {
		return nil, "", err
	}
	if rest, warning, err = inference.Outliers(ctx, p); err != nil {
		err = fmt.Errorf("tobac: %w", err)
	}
	return rest, warning, err
}

// toldNothing is the problem of a configuration without a model, an order, or another engine than
// exact sums; of others nil.
func toldNothing(data *dataset.Table, cfg Config) (*engine.Problem, error) {
	p, e, _, err := cfg.Problem(data)
	if err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	if _, direct := e.Engine().(engine.Direct); cfg.Model != nil || !direct ||
		cfg.Order.Known != nil {
		return nil, nil
	}
	return p, nil
}

// completedBy are the completed tables of a table with gaps.
func completedBy(data *dataset.Table, c *impute.Completed, limits []dataset.Limit) Imputed {
	return Imputed{Count: c.Count(), Places: c.Places(), Kept: c.Matched(), Limits: limits,
		Table: func(k int) *dataset.Table {
			return &dataset.Table{Names: data.Names, X: c.Table(k), Intervened: data.Intervened,
				Variables: data.Variables}
		}}
}
