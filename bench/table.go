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
// for each posterior of each method with mean and standard deviation over the
// problems. Methods appear in the sequence of their first outcomes.
func WriteTable(w io.Writer, outcomes []Outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	header := "method\tproblems"
	for _, c := range columns {
		header += "\t" + c.title
	}
	fmt.Fprintln(t, header+"\tseconds") // a tabwriter keeps its error until Flush
	var methods []string
	of := map[string][]Outcome{}
	for _, o := range outcomes {
		if of[o.Method] == nil {
			methods = append(methods, o.Method)
		}
		of[o.Method] = append(of[o.Method], o)
	}
	for _, name := range methods {
		for _, row := range []struct {
			name string
			part func(Outcome) *metrics.Report
		}{
			{name, func(o Outcome) *metrics.Report { return o.Empirical }},
			{name + "+", func(o Outcome) *metrics.Report { return o.Mixture }},
		} {
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
