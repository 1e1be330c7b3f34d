package study

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Table is what is shown: texts, for Markdown and for a page alike.
type Table struct {
	Head []string
	Rows [][]string
	Note string // below it; "" means none
}

// shown are the measures of the table of a section.
func shown(study string) []Measure {
	all := map[string]Measure{}
	for _, m := range Measures() {
		all[m.Name] = m
	}
	names := []string{"eshd", "auroc_with_diagonal", "auroc", "average_precision", "neg_ll",
		"neg_ll_per_row", "cyclic", "edges", "skeleton_auroc", "cpdag_shd", "calibration_error"}
	switch study {
	case Orders:
		names = append(names, "violated_edges")
	case SVIDAG:
		names = []string{"svidag_eshd", "svidag_auroc", "svidag_brier", "svidag_f1", "eshd",
			"auroc", "brier", "calibration_error"}
	case Networks:
		names = []string{"eshd", "auroc_with_diagonal", "auroc", meanAbsError.Name,
			logProbDifference.Name, "neg_ll_per_row", "edges", "calibration_error"}
	}
	var out []Measure
	for _, n := range names {
		out = append(out, all[n])
	}
	return out
}

// Means is the table of a section: mean ± standard error over its data sets.
func (r *Results) Means(s Study, section Section) Table {
	t := Table{Head: []string{"method", "cells"}}
	measures := shown(s.Name)
	for _, m := range measures {
		t.Head = append(t.Head, m.Title)
	}
	t.Head = append(t.Head, "seconds")
	for _, l := range r.Lines(s, section) {
		row := []string{l.Label(), l.cells()}
		for _, m := range measures {
			row = append(row, MeanSDOf(Known(l.Values(m))).WithSE())
		}
		t.Rows = append(t.Rows, append(row, seconds(l)))
	}
	return t
}

// cells says how many of the line's cells have an outcome, or why none is run.
func (l Line) cells() string {
	if l.Skipped != "" {
		return "not run: " + l.Skipped
	}
	done, failed := 0, ""
	for _, res := range l.Results {
		if res.Outcome != nil {
			done++
		} else if res.Failure != "" && failed == "" {
			failed = "; failed: " + res.Failure
		}
	}
	if done == len(l.Results) {
		return fmt.Sprint(done)
	}
	return fmt.Sprintf("%d of %d%s", done, len(l.Results), failed)
}

func seconds(l Line) string {
	all := Known(l.Seconds())
	if l.Plus || len(all) == 0 {
		return ""
	}
	mean := stat.Mean(all, nil)
	if mean < 10 {
		return fmt.Sprintf("%.2g", mean)
	}
	return fmt.Sprintf("%.0f", mean)
}

// Baseline is the line that others are compared with, TOBAC under EqVar's order.
const Baseline = "tobac-eqvar"

// Differences is the table of paired differences of a section, method minus [Baseline]; false if
// the reference is not there.
func (r *Results) Differences(s Study, section Section) (Table, bool) {
	lines := r.Lines(s, section)
	measures := []Measure{eshd, auroc, negLL, negLLOfRow}
	t := Table{Head: []string{"method − TOBAC, EqVar", "pairs"}, Note: "Mean difference ± " +
		"standard error over the data sets, in brackets Student's t with the number of pairs " +
		"less one as degrees of freedom."}
	for _, m := range measures {
		t.Head = append(t.Head, m.Title)
	}
	var reference *Line
	for i := range lines {
		if lines[i].Key() == Baseline {
			reference = &lines[i]
		}
	}
	if reference == nil {
		return Table{}, false
	}
	for _, l := range lines {
		if l.Key() == Baseline || l.Skipped != "" {
			continue
		}
		row := []string{l.Label(), fmt.Sprint(len(Paired(l.Values(eshd), reference.Values(eshd))))}
		for _, m := range measures {
			d := MeanSDOf(Paired(l.Values(m), reference.Values(m)))
			text := d.WithSE()
			if t := d.Mean / d.SE(); math.Abs(t) < 1e6 { // more is rounding
				text += fmt.Sprintf(" (%.1f)", t)
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, len(t.Rows) > 0
}

// BesidePublished is Table I beside the published one: mean ± standard deviation, as the paper has
// it, and whether the means agree within two standard errors of their difference.
func (r *Results) BesidePublished() (Table, bool) {
	s, section := r.section(TableOne, "sachs")
	if s == nil {
		return Table{}, false
	}
	t := Table{
		Head: []string{"method", "E-SHD published", "independent check", "here", "within 2 SE",
			"AUROC published", "independent check", "here", "within 2 SE"},
		Note: "Mean ± standard deviation over the splits; AUROC with the diagonal. The published " +
			"figures are over ten splits, and so is the independent check, another float64 " +
			"implementation of the published recipe.",
	}
	lines := map[string]Line{}
	for _, l := range r.Lines(*s, *section) {
		lines[l.Key()] = l
	}
	for _, p := range TableI() {
		l, ok := lines[p.Row]
		row, differs := []string{p.Method}, false
		for _, c := range []struct {
			published, check MeanSD
			m                Measure
		}{{p.ESHD, p.CheckESHD, eshd}, {p.AUROC, p.CheckAUROC, auroc}} {
			here, verdict := MeanSDOf(nil), ""
			if ok {
				here = MeanSDOf(Known(l.Values(c.m)))
				verdict = agrees(here, c.published)
				differs = differs || strings.HasPrefix(verdict, "no")
			}
			row = append(row, c.published.String(), c.check.String(), here.String(), verdict)
		}
		t.Rows = append(t.Rows, row)
		if differs && p.Reason != "" {
			t.Note += " " + p.Method + ": " + p.Reason
		}
	}
	return t, true
}

// agrees says how many standard errors of the difference lie between two means.
func agrees(a, b MeanSD) string {
	variance := 0.0
	for _, s := range []MeanSD{a, b} {
		if se := s.SE(); !math.IsNaN(se) {
			variance += se * se
		}
	}
	if math.IsNaN(a.Mean) || math.IsNaN(b.Mean) {
		return ""
	}
	distance := math.Abs(a.Mean - b.Mean)
	switch {
	case distance == 0:
		return "yes (0)"
	case variance == 0 || a.N < 5:
		return "too few runs"
	case distance <= 2*math.Sqrt(variance):
		return fmt.Sprintf("yes (%.1f)", distance/math.Sqrt(variance))
	}
	return fmt.Sprintf("no (%.1f)", distance/math.Sqrt(variance))
}

// BesideAuthors is the recipe on the data sets of the authors' program, over several inference
// seeds each, beside what that program found with one.
func (r *Results) BesideAuthors() (Table, bool) {
	s, section := r.section(Authors, "linear-d20-e40")
	if s == nil {
		return Table{}, false
	}
	t := Table{
		Head: []string{"data", "line", "authors, one seed: E-SHD / AUROC / Neg.LL",
			"independent check, one seed: E-SHD / AUROC", "E-SHD here", "within 2 SE", "AUROC here",
			"Neg.LL here"},
		Note: fmt.Sprintf("Here mean ± standard deviation over %d inference seeds, AUROC with "+
			"the diagonal. The authors' figure is that of a single seed, whose standard "+
			"deviation is taken to be the one measured here: the standard error of the "+
			"difference is that times √(1 + 1/%[1]d). The independent check is another float64 "+
			"implementation of the published recipe.", max(1, section.Seeds)),
	}
	for _, l := range r.Lines(*s, *section) {
		var reference *Reference
		for i, ref := range LinearReference() {
			if ref.Row == l.Key() {
				reference = &LinearReference()[i]
			}
		}
		seeds := max(1, section.Seeds)
		for run, data := range section.Data {
			at := func(m Measure) MeanSD {
				return MeanSDOf(Known(l.Values(m)[run*seeds : (run+1)*seeds]))
			}
			here := at(eshd)
			row := []string{data.Name, l.Label(), "", independent[l.Key()+" "+data.Name],
				here.String(), "", at(auroc).String(), at(negLL).String()}
			if reference != nil && run < len(reference.Runs) {
				theirs := reference.Runs[run]
				row[2] = fmt.Sprintf("%.1f / %.3f / %.0f", theirs.ESHD, theirs.AUROC, theirs.NegLL)
				row[5] = agrees(here, MeanSD{theirs.ESHD, here.SD, 1})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t, true
}

// independent is what another float64 implementation of the published recipe found with one seed.
var independent = map[string]string{
	"tobac-eqvar linear-d20-e40-run0":  "50.0 / 0.948",
	"tobac-eqvar linear-d20-e40-run1":  "34.8 / 0.977",
	"tobac-eqvar+ linear-d20-e40-run0": "39.0 / 0.796",
	"tobac-eqvar+ linear-d20-e40-run1": "24.0 / 0.847",
	"dibs linear-d20-e40-run0":         "61.2 / 0.889",
	"dibs linear-d20-e40-run1":         "44.8 / 0.947",
}

// A MeanSD is a mean over N repetitions with their sample standard deviation
// (divisor n−1), NaN for a single one.
type MeanSD struct {
	Mean, SD float64
	N        int // 0: not stated
}

// MeanSDOf is that of values; of none, NaN.
func MeanSDOf(values []float64) MeanSD {
	if len(values) == 0 {
		return MeanSD{math.NaN(), math.NaN(), 0}
	}
	mean, sd := stat.MeanStdDev(values, nil)
	return MeanSD{mean, sd, len(values)}
}

// SE is the standard error of the mean, SD/√N; NaN if N is not stated.
func (s MeanSD) SE() float64 {
	if s.N == 0 {
		return math.NaN()
	}
	return s.SD / math.Sqrt(float64(s.N))
}

// Interval is half the width of the interval of Student's t around the mean that holds the true one
// with a probability of 95 %; NaN for fewer than two values.
func (s MeanSD) Interval() float64 {
	if s.N < 2 {
		return math.NaN()
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(s.N - 1)}.Quantile(0.975) * s.SE()
}

// String formats it as mean ± standard deviation, with digits that fit the size of the
// mean; an unknown standard deviation is left out, an unknown mean is a dash.
func (s MeanSD) String() string { return plusMinus(s.Mean, s.SD) }

// WithSE formats it as mean ± standard error.
func (s MeanSD) WithSE() string { return plusMinus(s.Mean, s.SE()) }

func plusMinus(mean, deviation float64) string {
	digits, after := 0, 0 // digits after the point
	switch a := math.Abs(mean); {
	case a < 2:
		digits, after = 3, 3
	case a < 200:
		digits, after = 1, 2
	}
	switch {
	case math.IsNaN(mean):
		return "–"
	case math.IsNaN(deviation):
		return fmt.Sprintf("%.*f", digits, mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", digits, mean, after, deviation)
}
