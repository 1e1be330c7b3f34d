package ordering

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A warningKind is the kind of a [Warning].
type warningKind int

// The kinds of warning, each with the fields of [Warning] that it fills.
const (
	// warningStandardised: all marginal variances lie within 5 % of each other,
	// so an order read from variances starts from sampling noise. Values holds
	// the smallest and the largest.
	warningStandardised warningKind = iota
	// warningTie: two candidates for one position had equal criteria, and the
	// lower index was taken. Columns holds both, Values the criterion.
	warningTie
	// warningConstant: a column is constant, so its place means nothing.
	warningConstant
	// warningUndecided: fewer rows than an order of all columns needs; Columns
	// were appended by what rounding had left of their variances.
	warningUndecided
	// warningClamped: a fit varies more than its target, and the difference of the
	// variances, in Values, was taken as 0.
	warningClamped
	// warningRidge: the normal equations were not positive definite with the usual
	// ridge. Values holds the ridge that was needed.
	warningRidge
	// warningLarge: the fit at the last position has many coefficients: Values
	// holds their number and the bytes of their factor.
	warningLarge
)

// A Warning is a reason to distrust an order.
type Warning struct {
	kind     warningKind
	Columns  []int     // the columns concerned; nil means all
	Position int       // the position in the order; −1: the order as a whole
	Values   []float64 // numbers of its sentence
}

// String is the sentence with columns as indices from 0.
func (w Warning) String() string { return w.sentence(nil) }

// sentence says what is wrong for a reader. Columns are named in quotes, or by
// index if names is nil or too short.
func (w Warning) sentence(names []string) string {
	who := nameColumns(w.Columns, names)
	value := func(i int) float64 {
		if i < len(w.Values) {
			return w.Values[i]
		}
		return 0
	}
	switch w.kind {
	case warningStandardised:
		return fmt.Sprintf("all marginal variances lie within 5 %% of each other (%.4g to %.4g): "+
			"the data look standardised, and the order then starts from sampling noise", value(0),
			value(1))
	case warningTie:
		return fmt.Sprintf("%s tie at position %d of the order (%.4g); the lower index was taken",
			who, w.Position+1, value(0))
	case warningConstant:
		return fmt.Sprintf("%s is constant; its place in the order means nothing", who)
	case warningUndecided:
		return fmt.Sprintf("the rows decide %d positions; %s come after them in a sequence that "+
			"means nothing", w.Position, who)
	case warningClamped:
		return fmt.Sprintf("the fit of %s at position %d varies more than the column, by %.4g; "+
			"its conditional variance was taken as 0", who, w.Position+1, -value(0))
	case warningRidge:
		return fmt.Sprintf("the additive fit at position %d needed a ridge of %.3g to be solvable",
			w.Position+1, value(0))
	case warningLarge:
		return fmt.Sprintf("the last additive fit has %.0f coefficients, %.0f MB in its factor",
			value(0), value(1)/1e6)
	}
	return fmt.Sprintf("warning of kind %d", int(w.kind))
}

// nameColumns returns "column 3", "columns 1 and 2" or "columns 1, 2 and 5", with
// quoted names in place of the numbers, which count from 1, where there are any.
func nameColumns(columns []int, names []string) string {
	if len(columns) == 0 {
		return "all columns"
	}
	words := make([]string, len(columns))
	for i, j := range columns {
		words[i] = strconv.Itoa(j + 1)
		if j < len(names) {
			words[i] = strconv.Quote(names[j])
		}
	}
	last := len(words) - 1
	if last == 0 {
		return "column " + words[0]
	}
	return "columns " + strings.Join(words[:last], ", ") + " and " + words[last]
}

// Sentences returns the sentence of every warning, with the names of the columns
// in place of their indices.
func (r *Result) Sentences(names []string) []string {
	out := make([]string, len(r.Warnings))
	for i, w := range r.Warnings {
		out[i] = w.sentence(names)
	}
	return out
}

// warn adds a warning to r.
func (r *Result) warn(w Warning) { r.Warnings = append(r.Warnings, w) }

// nearGap is the gap of [Result.Gaps] below which the choice between two
// candidates is a guess with the given number of rows: a tenth of 2/√n, the
// standard error of the ratio of the sample variances of two independent normal
// columns. A change of the data by a tenth of what sampling does to them would
// have altered the choice.
func nearGap(rows int) float64 { return 0.2 / math.Sqrt(float64(rows)) }

// nearTies lists the positions of the order at which the gap was above 0 and
// below nearGap; a gap of 0 has a warning of its own. Two candidates without an
// edge between them may well be as close as that, and then nothing hangs on
// their sequence: [Bootstrap] shows what else moves with it. The scale of the
// gap is that of estimators that compare variances of columns; for [MethodSCORE], whose
// criterion spreads more, more choices are guesses than are listed.
func (r *Result) nearTies(rows int) []int {
	var near []int
	for c, gap := range r.Gaps {
		if gap > 0 && gap < nearGap(rows) {
			near = append(near, c)
		}
	}
	return near
}

// NearTieSentence says for a reader where the order is a guess, and is empty
// where Result.nearTies is. Columns are named as by Warning.sentence.
func (r *Result) NearTieSentence(rows int, names []string) string {
	near := r.nearTies(rows)
	if len(near) == 0 {
		return ""
	}
	const most = 3
	var columns []int
	for _, c := range near[:min(most, len(near))] {
		columns = append(columns, r.Order[c])
	}
	who := nameColumns(columns, names)
	if len(near) > most {
		who = "among them " + who
	}
	return fmt.Sprintf("the order is a guess at %d of %d positions (%s): the next candidate was "+
		"less than %.2g %% behind", len(near), len(r.Order), who, 100*nearGap(rows))
}
