package completions

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/internal/inspect"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// Scale is the scale of the completed tables put below each other.
func Scale(all []posterior.Standardization) *posterior.Standardization {
	k := float64(len(all))
	out := &posterior.Standardization{Mean: make([]float64, len(all[0].Mean)),
		SD: make([]float64, len(all[0].Mean))}
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

// Thinned keeps n draws of a posterior by systematic resampling, if it has more: those at the
// middles of equal parts of their summed weights, with weights in proportion to how often they are
// met. Its marginals rest on all draws, and particles stay as they are. kept are the numbers of its
// draws; nil means all.
func Thinned(p *posterior.Posterior, n int) (_ *posterior.Posterior, kept []int) {
	if p.Kind != posterior.Draws || len(p.Components) != 1 || len(p.Draws) <= n {
		return p, nil
	}
	out := *p
	out.Draws = nil
	weights := p.Empirical().Weights()
	at, before, sum := 0, -1, weights[0]
	for k := range n {
		for v := (float64(k) + 0.5) / float64(n); sum < v &&
			at < len(weights)-1; sum += weights[at] {
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

// Between are the standard deviations of matrices, entry by entry, with the divisor one less than
// their number; 0 for a single matrix.
func Between(all []*mat.Dense) *mat.Dense {
	n, d := all[0].Dims()
	out := mat.NewDense(n, d, nil)
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

// Largest is the entry with the greatest value of a square matrix without negative ones; the first
// of equal ones, by row and column.
func Largest(m *mat.Dense) (i, j int, v float64) {
	d, _ := m.Dims()
	i, j = 0, 1
	for r := range d {
		for c := range d {
			if x := m.At(r, c); x > v {
				i, j, v = r, c, x
			}
		}
	}
	return i, j, v
}

// Worse are the checks of two results of the same kind, of each name the one with the worse
// verdict.
func Worse(a, b []diagnostics.Check) []diagnostics.Check {
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

// Warnings are those of the results for all tables: such as all have, and the others of the table
// that has most of them.
func Warnings(tables [][]string) []string {
	count := map[string]int{}
	for _, list := range tables {
		for _, w := range list {
			count[w]++
		}
	}
	var all, worst []string
	of, with := 0, 0
	for _, w := range tables[0] {
		if count[w] == len(tables) {
			all = append(all, w)
		}
	}
	for k, list := range tables {
		own := slices.DeleteFunc(slices.Clone(list), func(w string) bool {
			return count[w] == len(tables)
		})
		if len(own) > 0 {
			with++
		}
		if len(own) > len(worst) {
			worst, of = own, k
		}
	}
	if len(worst) > 0 {
		all = append(all,
			fmt.Sprintf("%d of %d completed tables have separate warnings, such as number %d: %s",
				with, len(tables), of+1, strings.Join(worst, "; ")))
	}
	return all
}

// Determined is [inspect.Determined] of the rows without a completed value, since completed values
// hide which columns determine others; "" if too few rows are left. Places are row·d + column.
func Determined(t *dataset.Table, places []int) string {
	n, d := t.X.Dims()
	gaps := map[int]bool{}
	for _, place := range places {
		gaps[place/d] = true
	}
	if n-len(gaps) <= d+1 {
		return ""
	}
	x := mat.NewDense(n-len(gaps), d, nil)
	k := 0
	for r := range n {
		if !gaps[r] {
			x.SetRow(k, t.X.RawRowView(r))
			k++
		}
	}
	return inspect.Determined(&dataset.Table{Names: t.Names, X: x})
}

// Imputed says how many values of which columns were missing, by their numbers in each column, and
// of how many limits are known; "" if none were, or if that is unknown.
func Imputed(names []string, gaps []int, limited, rows int) string {
	total, columns, worst := 0, 0, 0
	for j, n := range gaps {
		total += n
		if n > 0 {
			columns++
		}
		if n > gaps[worst] {
			worst = j
		}
	}
	if total == 0 {
		return ""
	}
	percent := func(part, whole int) string {
		return strconv.FormatFloat(100*float64(part)/float64(whole), 'g', 2, 64) + " %"
	}
	what, assumption := "were missing and are imputed",
		"on the assumption that values are missing at random"
	if limited == total {
		what, assumption = "are known by limits alone and are imputed", "between these"
	} else if limited > 0 {
		assumption = fmt.Sprintf("%d of them between known limits, the others %s", limited,
			assumption)
	}
	return fmt.Sprintf("%d of %d values (%s) in %d of %d columns %s, most in %q (%s), %s",
		total, rows*len(names), percent(total, rows*len(names)), columns, len(names), what,
		names[worst], percent(gaps[worst], rows), assumption)
}

// Gaps counts the completed values of d columns, by their places row·d + column; nil if these are
// unknown.
func Gaps(places []int, d int) []int {
	if places == nil {
		return nil
	}
	out := make([]int, d)
	for _, place := range places {
		out[place%d]++
	}
	return out
}

// A TableError is about one of several completed tables, counted from 1.
type TableError struct {
	Table, Tables int
	Err           error
}

func (e *TableError) Error() string {
	return fmt.Sprintf("tobac: completed table %d of %d: %s", e.Table, e.Tables,
		strings.TrimPrefix(e.Err.Error(), "tobac: "))
}

func (e *TableError) Unwrap() error { return e.Err }
