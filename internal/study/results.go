package study

import (
	"encoding/json"
	"fmt"
	"math"

	"tobac/metrics"

	"gonum.org/v1/gonum/floats"
)

// A Result is what is known of a cell.
type Result struct {
	Cell    Cell
	ID      string   // of its job
	Outcome *Outcome // nil means it failed, or was not done
	Failure string   // why it failed; "" means it did not
	Seconds float64  // that it took; NaN means unknown
}

// Results are those of studies.
type Results struct {
	Studies []Study
	All     []*Result // in the sequence of [Cells]
	byID    map[string]*Result
}

// Collect puts the outputs of the jobs of [Cells] together. An output that is nil stands for a cell
// that failed, for the reason in failures, or was not done; seconds may be NaN.
func Collect(studies []Study, outputs [][]byte, failures []string, seconds []float64) (*Results,
	error) {
	r := &Results{Studies: studies, byID: map[string]*Result{}}
	for i, c := range Cells(studies) {
		res := &Result{Cell: c, ID: c.Job().ID(), Failure: failures[i], Seconds: seconds[i]}
		if outputs[i] != nil {
			res.Outcome = new(Outcome)
			if err := json.Unmarshal(outputs[i], res.Outcome); err != nil {
				return nil, fmt.Errorf("study: outcome of %s: %w", c.Name(), err)
			}
		}
		r.All = append(r.All, res)
		r.byID[res.ID] = res
	}
	return r, nil
}

// section finds a section of a study; nil means there is none.
func (r *Results) section(study, name string) (*Study, *Section) {
	for i := range r.Studies {
		for k := range r.Studies[i].Sections {
			if s := &r.Studies[i]; s.Name == study && s.Sections[k].Name == name {
				return s, &s.Sections[k]
			}
		}
	}
	return nil, nil
}

// A Line is one line of a table: a method, or its mixture, over the data sets of a section.
type Line struct {
	Row
	Plus    bool // the mixture, "+"
	Results []*Result
}

// Lines are those of a section: every method, followed by its mixture if it has one. The results of
// all lines belong to the same data sets and seeds, one by one; a cell that was not asked for has
// one without an outcome.
func (r *Results) Lines(s Study, section Section) (lines []Line) {
	section.skip = nil
	results := map[string][]*Result{}
	for _, c := range s.cells(section) {
		res := r.byID[c.Job().ID()]
		if res == nil {
			res = &Result{Cell: c, Seconds: math.NaN()}
		}
		results[c.Method.Name] = append(results[c.Method.Name], res)
	}
	for _, row := range section.Rows {
		all := results[row.Name]
		lines = append(lines, Line{Row: row, Results: all})
		for _, res := range all {
			if res.Outcome != nil && res.Outcome.Mixture != nil {
				lines = append(lines, Line{Row: row, Plus: true, Results: all})
				break
			}
		}
	}
	for _, p := range section.published {
		l := Line{Row: Row{Method: p.Method}}
		for k, d := range section.Data {
			res := &Result{Cell: Cell{Data: d, Method: p.Method}, Outcome: p.outcomes[k],
				Seconds: math.NaN()}
			if res.Outcome != nil {
				res.Seconds = p.seconds[k]
			}
			l.Results = append(l.Results, res)
		}
		lines = append(lines, l)
	}
	return lines
}

// Key is the name of the method, with "+" for its mixture.
func (l Line) Key() string {
	if l.Plus {
		return l.Name + "+"
	}
	return l.Name
}

// name is the title of the method, with "+" for its mixture.
func (l Line) name() string {
	if l.Plus {
		return plus(l.Title)
	}
	return l.Title
}

// Label is the title of the method, with "+" for its mixture, and the preset of its settings.
func (l Line) Label() string {
	title := l.name()
	if l.Preset != "" {
		title += " (" + l.Preset + ")"
	}
	return title
}

// plus adds the mark of a mixture to the first word of a title: "TOBAC+, EqVar".
func plus(title string) string {
	for i, c := range title {
		if c == ',' {
			return title[:i] + "+" + title[i:]
		}
	}
	return title + "+"
}

// View is how the line reads an outcome: of particles, the draws, as the paper does; of any other
// posterior, what it lists.
func (l Line) View(o *Outcome) *View {
	switch {
	case l.Plus:
		return o.Mixture
	case o.Mixture != nil || o.Listed == nil:
		return o.Empirical
	}
	return o.Listed
}

// A Measure is a number that judges an outcome.
type Measure struct {
	Name  string // in files
	Title string // in tables
	of    func(v *View, o *Outcome) metrics.Number
	whole bool // of an outcome, however it is read
}

// edge is a number of the edge probabilities, draws one of the draws.
func edge(name, title string, of func(r *metrics.EdgeReport) metrics.Number) Measure {
	return Measure{Name: name, Title: title, of: func(v *View, _ *Outcome) metrics.Number {
		return of(v.Edges)
	}}
}

func draws(name, title string, of func(r *metrics.Report, o *Outcome) metrics.Number) Measure {
	return Measure{Name: name, Title: title, of: func(v *View, o *Outcome) metrics.Number {
		if v.Draws == nil {
			return nan
		}
		return of(v.Draws, o)
	}}
}

// measured is a number of the comparison with a reference.
func measured(name, title string, of func(e *Exactness) metrics.Number) Measure {
	return Measure{Name: name, Title: title, of: func(_ *View, o *Outcome) metrics.Number {
		if o.Exact == nil {
			return nan
		}
		return of(o.Exact)
	}}
}

// The measures that claims are about.
var (
	eshd  = edge("eshd", "E-SHD", func(r *metrics.EdgeReport) metrics.Number { return r.ESHD })
	auroc = edge("auroc_with_diagonal", "AUROC with diagonal",
		func(r *metrics.EdgeReport) metrics.Number { return r.AUROCWithDiagonal })
	negLL = draws("neg_ll", "Neg.LL", func(r *metrics.Report, _ *Outcome) metrics.Number {
		return r.NegLL
	})
	cyclic = draws("cyclic", "cyclic", func(r *metrics.Report, _ *Outcome) metrics.Number {
		return metrics.Number(r.Cyclic)
	})
	negLLOfRow = draws("neg_ll_per_row", "Neg.LL per row",
		func(r *metrics.Report, o *Outcome) metrics.Number {
			return r.NegLLDataOnly / metrics.Number(o.HeldOutRows)
		})
	meanAbsError = measured("exact_mean_abs_error", "mean absolute error",
		func(e *Exactness) metrics.Number { return e.MeanAbsError })
	logProbDifference = measured("exact_log_prob_difference", "log-probability difference",
		func(e *Exactness) metrics.Number { return e.LogProbDifference })
	violated = Measure{Name: "violated_edges", Title: "violated edges",
		of: func(_ *View, o *Outcome) metrics.Number { return o.Violated }}
)

// Measures are all that results.csv has. AUROC with the diagonal is the published convention;
// Neg.LL is, as published, the sum over the held-out rows of −log p(Θ|G) − log p(D|G,Θ), Neg.LL per
// row the mean of −log p(D|G,Θ).
func Measures() []Measure {
	all := []Measure{
		eshd, auroc,
		edge("auroc", "AUROC", func(r *metrics.EdgeReport) metrics.Number { return r.AUROC }),
		edge("average_precision", "AP", func(r *metrics.EdgeReport) metrics.Number {
			return r.AveragePrecision
		}),
		negLL, negLLOfRow,
		draws("neg_ll_empty_graph", "Neg.LL of the empty graph",
			func(r *metrics.Report, _ *Outcome) metrics.Number { return r.NegLLEmptyGraph }),
		cyclic,
		draws("cyclicity", "cyclicity", func(r *metrics.Report, _ *Outcome) metrics.Number {
			return r.Cyclicity
		}),
		draws("draws", "draws", func(r *metrics.Report, _ *Outcome) metrics.Number {
			return metrics.Number(r.Particles)
		}),
		draws("effective_sample_size", "effective sample size",
			func(r *metrics.Report, _ *Outcome) metrics.Number { return r.EffectiveSampleSize }),
		edge("edges", "edges", func(r *metrics.EdgeReport) metrics.Number {
			return r.ExpectedEdges
		}),
		edge("brier", "Brier score", func(r *metrics.EdgeReport) metrics.Number { return r.Brier }),
		edge("log_score", "log score", func(r *metrics.EdgeReport) metrics.Number {
			return r.LogScore
		}),
		edge("calibration_error", "calibration error", func(r *metrics.EdgeReport) metrics.Number {
			return r.CalibrationError
		}),
		edge("skeleton_auroc", "skeleton AUROC", func(r *metrics.EdgeReport) metrics.Number {
			return r.SkeletonAUROC
		}),
		edge("skeleton_average_precision", "skeleton AP",
			func(r *metrics.EdgeReport) metrics.Number { return r.SkeletonAveragePrecision }),
		edge("consensus_shd", "SHD of the median graph",
			func(r *metrics.EdgeReport) metrics.Number { return r.ConsensusSHD }),
		edge("cpdag_shd", "CPDAG SHD", func(r *metrics.EdgeReport) metrics.Number {
			return r.CPDAGSHD
		}),
		violated, meanAbsError, logProbDifference,
	}
	return append(all, svidagMeasures...)
}

// beside is a measure of an outcome as a whole.
func beside(name, title string, of func(s *SVIDAGScores) metrics.Number) Measure {
	return Measure{Name: name, Title: title, whole: true,
		of: func(_ *View, o *Outcome) metrics.Number {
			if o.SVIDAG == nil {
				return nan
			}
			return of(o.SVIDAG)
		}}
}

// svidagMeasures are those of the comparison; of the first and the last but one less is better.
var svidagMeasures = []Measure{
	beside("svidag_eshd", "E-SHD as of SVI-DAG", func(s *SVIDAGScores) metrics.Number {
		return s.ESHD
	}),
	beside("svidag_auroc", "AUROC as of SVI-DAG", func(s *SVIDAGScores) metrics.Number {
		return s.AUROC
	}),
	beside("svidag_brier", "Brier score as of SVI-DAG", func(s *SVIDAGScores) metrics.Number {
		return s.Brier
	}),
	beside("svidag_f1", "F1 as of SVI-DAG", func(s *SVIDAGScores) metrics.Number { return s.F1 }),
}

// lessIsBetter of a measure of the comparison.
func lessIsBetter(m Measure) bool { return m.Name == "svidag_eshd" || m.Name == "svidag_brier" }

// Values of a measure, one for each cell of the line, NaN where a cell has none.
func (l Line) Values(m Measure) []float64 {
	values := make([]float64, len(l.Results))
	for i, res := range l.Results {
		values[i] = math.NaN()
		if res.Outcome != nil {
			if v := l.View(res.Outcome); v != nil || m.whole {
				values[i] = float64(m.of(v, res.Outcome))
			}
		}
	}
	return values
}

// Seconds of the cells, NaN where they are not known.
func (l Line) Seconds() []float64 {
	values := make([]float64, len(l.Results))
	for i, res := range l.Results {
		values[i] = res.Seconds
	}
	return values
}

// Known are the values that are numbers.
func Known(values []float64) (all []float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, v)
		}
	}
	return all
}

// Paired are the differences a − b where both are numbers.
func Paired(a, b []float64) []float64 {
	a, b = both(a, b)
	return floats.SubTo(make([]float64, len(a)), a, b)
}

// both are the entries of a and b where both are numbers.
func both(a, b []float64) (x, y []float64) {
	for i := range min(len(a), len(b)) {
		if len(Known([]float64{a[i], b[i]})) == 2 {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}
