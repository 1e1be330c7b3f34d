package ordering

import (
	"fmt"
	"strconv"
	"strings"
)

// A DoubtKind is the kind of a [Doubt].
type DoubtKind int

// The kinds of doubt, each with the fields of [Doubt] that it fills.
const (
	// DoubtStandardised: all marginal variances lie within 5 % of each other,
	// so an order read from variances starts from sampling noise. Values holds
	// the smallest and the largest.
	DoubtStandardised DoubtKind = iota
	// DoubtTie: two candidates for one position had equal criteria, and the
	// lower index was taken. Columns holds both, Values the criterion.
	DoubtTie
	// DoubtConstant: a column is constant, so its place means nothing.
	DoubtConstant
	// DoubtUndecided: fewer rows than an order of all columns needs; Columns
	// were appended by what rounding had left of their variances.
	DoubtUndecided
	// DoubtClamped: a fit varies more than its target, and the difference of the
	// variances, in Values, was taken as 0.
	DoubtClamped
	// DoubtRidge: the normal equations were not positive definite with the usual
	// ridge. Values holds the ridge that was needed.
	DoubtRidge
	// DoubtLarge: the fit at the last position has many coefficients: Values
	// holds their number and the bytes of their factor.
	DoubtLarge
	// DoubtReleased: the estimator does not look at the data after its first
	// choice; see [NPVarAsReleased].
	DoubtReleased
)

// A Doubt is a reason to distrust an order.
type Doubt struct {
	Kind     DoubtKind
	Columns  []int     // the columns concerned; nil: all
	Position int       // the position in the order; −1: the order as a whole
	Values   []float64 // see the kind
}

// String is the sentence with columns as indices from 0.
func (d Doubt) String() string { return d.Sentence(nil) }

// Sentence says what is wrong for a reader. Columns are named in quotes, or by
// index if names is nil or too short.
func (d Doubt) Sentence(names []string) string {
	who := nameColumns(d.Columns, names)
	value := func(i int) float64 {
		if i < len(d.Values) {
			return d.Values[i]
		}
		return 0
	}
	switch d.Kind {
	case DoubtStandardised:
		return fmt.Sprintf("all marginal variances lie within 5 %% of each other (%.4g to %.4g): "+
			"the data look standardised, and the order then starts from sampling noise", value(0), value(1))
	case DoubtTie:
		return fmt.Sprintf("%s tie at position %d of the order (%.4g); the lower index was taken", who, d.Position+1, value(0))
	case DoubtConstant:
		return fmt.Sprintf("%s is constant; its place in the order means nothing", who)
	case DoubtUndecided:
		return fmt.Sprintf("the rows decide %d positions; %s come after them in a sequence that means nothing", d.Position, who)
	case DoubtClamped:
		return fmt.Sprintf("the fit of %s at position %d varies more than the column, by %.4g; its conditional variance was taken as 0", who, d.Position+1, -value(0))
	case DoubtRidge:
		return fmt.Sprintf("the additive fit at position %d needed a ridge of %.3g to be solvable", d.Position+1, value(0))
	case DoubtLarge:
		return fmt.Sprintf("the last additive fit has %.0f coefficients, %.0f MB in its factor", value(0), value(1)/1e6)
	case DoubtReleased:
		return "the released program has a defect: after the first position its order is the sequence of the columns, whatever the data say"
	}
	return fmt.Sprintf("doubt of kind %d", int(d.Kind))
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

// Sentences returns the sentence of every doubt, with the names of the columns
// in place of their indices.
func (r *Result) Sentences(names []string) []string {
	out := make([]string, len(r.Doubts))
	for i, d := range r.Doubts {
		out[i] = d.Sentence(names)
	}
	return out
}

// doubt adds d, and its sentence, to r.
func (r *Result) doubt(d Doubt) {
	r.Doubts = append(r.Doubts, d)
	r.Warnings = append(r.Warnings, d.String())
}
