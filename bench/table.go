package bench

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"tobac/metrics"
)

// Spread is a mean over repetitions with their sample standard deviation
// (divisor n−1), NaN for a single one.
type Spread struct{ Mean, SD float64 }

// String formats the spread as mean ± sd, with digits that fit the size of the
// mean; an unknown standard deviation is left out, an unknown mean is a dash.
func (s Spread) String() string {
	mean, sd := 0, 0 // digits after the point
	switch a := math.Abs(s.Mean); {
	case a < 2:
		mean, sd = 3, 3
	case a < 200:
		mean, sd = 1, 2
	}
	switch {
	case math.IsNaN(s.Mean):
		return "–"
	case math.IsNaN(s.SD):
		return fmt.Sprintf("%.*f", mean, s.Mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", mean, s.Mean, sd, s.SD)
}

// Summarise is the spread of one number over outcomes. It panics if there are
// none.
func Summarise(outcomes []Outcome, number func(Outcome) metrics.Number) Spread {
	if len(outcomes) == 0 {
		panic("bench: no outcomes")
	}
	v := make([]float64, len(outcomes))
	for i, o := range outcomes {
		v[i] = float64(number(o))
	}
	mean, sd := stat.MeanStdDev(v, nil)
	return Spread{mean, sd}
}

// columns of a table of outcomes.
var columns = []struct {
	title  string
	number func(*metrics.Report) metrics.Number
}{
	{"E-SHD", func(r *metrics.Report) metrics.Number { return r.ESHD }},
	{"AUROC with diagonal", func(r *metrics.Report) metrics.Number { return r.AUROCWithDiagonal }},
	{"AUROC", func(r *metrics.Report) metrics.Number { return r.AUROC }},
	{"AP", func(r *metrics.Report) metrics.Number { return r.AveragePrecision }},
	{"edges", func(r *metrics.Report) metrics.Number { return r.ExpectedEdges }},
	{"Neg.LL", func(r *metrics.Report) metrics.Number { return r.NegLL }},
}

// WriteTable writes the outcomes of one method, or of several, as text: a line
// for the draws of each method, and one for their mixture where there is one, with mean
// and standard deviation over the problems. Methods appear in the sequence of their
// first outcomes.
func WriteTable(w io.Writer, outcomes []Outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	header := "method\tproblems"
	for _, c := range columns {
		header += "\t" + c.title
	}
	fmt.Fprintln(t, header+"\tseconds") // a tabwriter keeps its error until Flush
	methods, of := byMethod(outcomes)
	for _, name := range methods {
		for _, row := range []struct {
			name string
			part func(Outcome) *metrics.Report
		}{
			{name, func(o Outcome) *metrics.Report { return o.Empirical }},
			{name + "+", func(o Outcome) *metrics.Report { return o.Mixture }},
		} {
			if row.part(of[name][0]) == nil {
				continue
			}
			line := fmt.Sprintf("%s\t%d", row.name, len(of[name]))
			for _, c := range columns {
				line += "\t" + Summarise(of[name], func(o Outcome) metrics.Number { return c.number(row.part(o)) }).String()
			}
			line += "\t" + Summarise(of[name], func(o Outcome) metrics.Number { return metrics.Number(o.Seconds) }).String()
			fmt.Fprintln(t, line)
		}
	}
	return t.Flush()
}

// byMethod sorts outcomes by method, in the sequence of their first outcomes.
func byMethod(outcomes []Outcome) (methods []string, of map[string][]Outcome) {
	of = map[string][]Outcome{}
	for _, o := range outcomes {
		if of[o.Method] == nil {
			methods = append(methods, o.Method)
		}
		of[o.Method] = append(of[o.Method], o)
	}
	return methods, of
}

// Section is the outcomes on problems of one kind.
type Section struct {
	Problems string
	Outcomes []Outcome
}

// markdownColumns of a table of edge probabilities.
var markdownColumns = []struct {
	title  string
	number func(Outcome) metrics.Number
}{
	{"E-SHD", func(o Outcome) metrics.Number { return o.Listed.ESHD }},
	{"AUROC", func(o Outcome) metrics.Number { return o.Listed.AUROC }},
	{"skeleton AUROC", func(o Outcome) metrics.Number { return o.Listed.SkeletonAUROC }},
	{"log score", func(o Outcome) metrics.Number { return o.Listed.LogScore }},
	{"seconds", func(o Outcome) metrics.Number { return metrics.Number(o.Seconds) }},
}

// WriteMarkdown writes how good the listed edge probabilities are as a table in
// Markdown: a row for each method in each section, with mean and standard deviation over
// the section's problems. It panics if a method lists no probabilities.
func WriteMarkdown(w io.Writer, sections []Section) error {
	head, rule := "| data | method |", "| --- | --- |"
	for _, c := range markdownColumns {
		head += " " + c.title + " |"
		rule += " --- |"
	}
	text := head + "\n" + rule + "\n"
	for _, s := range sections {
		methods, of := byMethod(s.Outcomes)
		for _, name := range methods {
			text += fmt.Sprintf("| %s | %s |", s.Problems, name)
			for _, c := range markdownColumns {
				text += fmt.Sprintf(" %v |", Summarise(of[name], c.number))
			}
			text += "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
