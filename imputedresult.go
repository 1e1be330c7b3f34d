package tobac

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/engine/sums"
	"tobac/internal/inspect"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// result puts the results of all tables together.
func (f *imputedFit) result() *Result {
	first := f.results[0]
	out := *first
	parts := make([]*posterior.Posterior, len(f.results))
	out.EdgesPerNode, out.Seconds, out.Diagnostics, out.Checks = 0, engine.Seconds{}, nil, nil
	m := &Imputation{Tables: f.data.Count, Rows: f.rows, Rounds: f.rounds, Gaps: f.gaps(), Evidence: f.evidence}
	if f.kept {
		m.Rounds = 0
	}
	scores := make([]*engine.Functions, len(f.results))
	for k, r := range f.results {
		p := *r.Posterior
		scores[k] = r.Functional
		p.Warnings = nil // those of all tables are put together below
		parts[k] = &p
		m.Probabilities = append(m.Probabilities, r.Probabilities)
		out.EdgesPerNode += r.EdgesPerNode / float64(len(f.results))
		out.Seconds.Add(r.Seconds)
		out.Checks = worse(out.Checks, r.Checks)
		if d := r.Diagnostics; d != nil && (out.Diagnostics == nil || d.MaxRHat() > out.Diagnostics.MaxRHat()) {
			out.Diagnostics, out.Computation = d, r.Computation
		}
	}
	m.SD = between(m.Probabilities)
	mixed := *posterior.Mix(parts, make([]float64, len(parts)))
	out.Posterior, out.Imputation, out.Functional = &mixed, m, engine.Joined(scores)
	if f.averaged != nil {
		out.Evidence = f.averaged
		if !f.particles() || f.cfg.Model == nil {
			out.Reason = sums.Reason(f.averaged)
		}
	}
	out.Warnings = slices.Concat(m.warnings(f.names, f.shared.Model), f.warnings())
	if w := f.dependent(); w != "" && !slices.Contains(out.Warnings, w) {
		out.Warnings = append(out.Warnings, w)
	}
	if f.kept {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the model %s has no linear equations to draw imputed values from: they are those of the normal model", first.Model))
	}
	out.Config.Progress = f.cfg.Progress
	return &out
}

// gaps counts the completed values of the columns.
func (f *imputedFit) gaps() []int {
	if f.data.Places == nil {
		return nil
	}
	out := make([]int, len(f.names))
	for _, place := range f.data.Places {
		out[place%len(f.names)]++
	}
	return out
}

// between are the standard deviations of matrices, entry by entry, divisor one less than their number; 0 for one.
func between(all []*mat.Dense) *mat.Dense {
	d, _ := all[0].Dims()
	out := mat.NewDense(d, d, nil)
	if len(all) == 1 {
		return out
	}
	out.Apply(func(i, j int, _ float64) float64 {
		mean, squares := 0.0, 0.0
		for _, m := range all {
			mean += m.At(i, j) / float64(len(all))
		}
		for _, m := range all {
			squares += (m.At(i, j) - mean) * (m.At(i, j) - mean)
		}
		return math.Sqrt(squares / float64(len(all)-1))
	}, out)
	return out
}

// warnings say how much was imputed, and how much rests on it.
func (m *Imputation) warnings(names []string, model sem.Model) []string {
	var w []string
	if m.Gaps != nil {
		total, columns, worst := 0, 0, 0
		for j, n := range m.Gaps {
			total += n
			if n > 0 {
				columns++
			}
			if n > m.Gaps[worst] {
				worst = j
			}
		}
		if total > 0 {
			percent := func(part, whole int) string {
				return strconv.FormatFloat(100*float64(part)/float64(whole), 'g', 2, 64) + " %"
			}
			w = append(w, fmt.Sprintf("%d of %d values (%s) in %d of %d columns were missing and are imputed, most in %q (%s), on the assumption that a value's absence depends on observed values alone",
				total, m.Rows*len(names), percent(total, m.Rows*len(names)), columns, len(names), names[worst], percent(m.Gaps[worst], m.Rows)))
		}
	}
	if m.Tables == 1 {
		return append(w, "one completed table shows nothing of what the gaps leave unknown: use several")
	}
	i, j, sd := m.Largest()
	if sd > 0 {
		w = append(w, fmt.Sprintf("edge probabilities differ between the %d completed tables, most that of %q -> %q, with a standard deviation of %.2f", m.Tables, names[i], names[j], sd))
	}
	if model != nil {
		if n := m.Supporting(model.String()); n < m.Tables {
			w = append(w, fmt.Sprintf("%d of %d completed tables by themselves support another model than %s", m.Tables-n, m.Tables, model))
		}
	}
	return w
}

// warnings are those of the tables: such as all have, and the others of the table that has most of them.
func (f *imputedFit) warnings() []string {
	count := map[string]int{}
	for _, r := range f.results {
		for _, w := range r.Warnings {
			count[w]++
		}
	}
	var all, worst []string
	of, tables := 0, 0
	for _, w := range f.results[0].Warnings {
		if count[w] == len(f.results) {
			all = append(all, w)
		}
	}
	for k, r := range f.results {
		own := slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool { return count[w] == len(f.results) })
		if len(own) > 0 {
			tables++
		}
		if len(own) > len(worst) {
			worst, of = own, k
		}
	}
	if len(worst) > 0 {
		all = append(all, fmt.Sprintf("%d of %d completed tables have warnings of their own, number %d: %s", tables, len(f.results), of+1, strings.Join(worst, "; ")))
	}
	return all
}

// dependent is that of the rows without a completed value, since completed ones hide what determines what; "" if the places are unknown.
func (f *imputedFit) dependent() string {
	if f.data.Places == nil {
		return ""
	}
	all, d := f.data.Table(0), len(f.names)
	gaps := map[int]bool{}
	for _, place := range f.data.Places {
		gaps[place/d] = true
	}
	if f.rows-len(gaps) <= d+1 {
		return ""
	}
	x := mat.NewDense(f.rows-len(gaps), d, nil)
	k := 0
	for r := range f.rows {
		if !gaps[r] {
			x.SetRow(k, all.X.RawRowView(r))
			k++
		}
	}
	return inspect.Determined(&dataset.Table{Names: f.names, X: x})
}

// worse are the checks of two results of the same kind, of each name the one with the worse verdict.
func worse(a, b []diagnostics.Check) []diagnostics.Check {
	out := slices.Clone(a)
	for _, c := range b {
		k := slices.IndexFunc(out, func(o diagnostics.Check) bool { return o.Name == c.Name })
		switch {
		case k < 0:
			out = append(out, c)
		case c.Verdict > out[k].Verdict:
			out[k] = c
		}
	}
	return out
}
