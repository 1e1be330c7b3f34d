package ordering

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Method selects an estimator that needs only data. The zero value is
// [MethodEqVar]. It reads and writes its name as text, so it can be a flag
// (flag.TextVar) or a field of a JSON file; unknown names are errors.
type Method int

// The estimators that can be selected by name.
const (
	MethodEqVar         Method = iota // "eqvar": [EqVarOptions]
	MethodVariance                    // "variance": by ascending sample variance, the baseline
	MethodEqVarBottomUp               // "eqvar-bu": pivots on the inverse covariance, sinks first
	MethodNPVar                       // "npvar": [NPVarOptions]
	MethodSCORE                       // "score": curvature of the log density, sinks first
)

// methods is indexed by Method.
var methods = [...]struct {
	name  string
	order func(w *work, x mat.Matrix, p *Precedence) (*Result, error)
}{
	MethodEqVar:         {"eqvar", EqVarOptions{}.order},
	MethodVariance:      {"variance", variance},
	MethodEqVarBottomUp: {"eqvar-bu", eqVarBottomUp},
	MethodNPVar:         {"npvar", NPVarOptions{}.order},
	MethodSCORE:         {"score", scoreOrder},
}

var (
	_ Orderer = Method(0)
	_ Orderer = EqVarOptions{}
	_ Orderer = NPVarOptions{}
	_ Orderer = Fixed(nil)
)

// Methods lists every Method.
func Methods() []Method {
	all := make([]Method, len(methods))
	for i := range all {
		all[i] = Method(i)
	}
	return all
}

// Order runs the estimator on x (n×d).
func (m Method) Order(ctx context.Context, x mat.Matrix, known *Precedence, workers int) (*Result,
	error) {
	if !m.valid() {
		return nil, fmt.Errorf("ordering: unknown method %d, want one of %s", int(m), methodNames())
	}
	return ordered(ctx, workers, func(w *work) (*Result, error) {
		return methods[m].order(w, x, known)
	})
}

// String returns the name that [Method.UnmarshalText] reads.
func (m Method) String() string {
	if !m.valid() {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return methods[m].name
}

// MarshalText returns the name of m, or an error if m is not in [Methods].
func (m Method) MarshalText() ([]byte, error) {
	if !m.valid() {
		return nil, fmt.Errorf("ordering: unknown method %d, want one of %s", int(m), methodNames())
	}
	return []byte(methods[m].name), nil
}

// UnmarshalText sets m from a name, in any case. It leaves m alone and returns
// an error that lists the names if there is no such method.
func (m *Method) UnmarshalText(text []byte) error {
	for i, row := range methods {
		if strings.EqualFold(row.name, string(text)) {
			*m = Method(i)
			return nil
		}
	}
	return fmt.Errorf("ordering: unknown method %q, want one of %s", text, methodNames())
}

func (m Method) valid() bool { return m >= 0 && int(m) < len(methods) }

func methodNames() string {
	names := make([]string, len(methods))
	for i, row := range methods {
		names[i] = row.name
	}
	return strings.Join(names, ", ")
}

// variance orders the columns of x (n×d) by ascending sample variance, ties by
// ascending index. Criterion holds the variances. It is a baseline: it reads
// nothing but the scale of each column, and needs O(nd) operations.
//
// The order means nothing where the units of the columns are arbitrary, and on
// standardised columns, where the result has a warning. A common
// factor changes nothing, a factor on one column moves that column.
//
// It fails if d = 0, if a value is NaN or infinite, if n < 2
// and d > 1 ([ErrTooFewRows]), or if a variance leaves the range of float64
// . One column has the order [0] whatever its values. Constant
// columns come first, with a warning each; copies of a column follow
// each other, with a warning.
func variance(w *work, x mat.Matrix, p *Precedence) (*Result, error) {
	const method = "variance"
	columns, single, err := columnsForOrder(w, x, method, rowsAtLeast(2))
	if err != nil || single != nil {
		return single, err
	}
	v := variances(w, x, columns)
	if w.err != nil {
		return nil, w.err
	}
	if err := checkScales(v, columns); err != nil {
		return nil, err
	}
	result := newResult(method, len(v))
	result.warnOfScale(v, columns)
	p.check(len(v))
	for _, c := range arranged(indices(len(v)), v, p.front(sourcesFirst)) {
		result.record(c)
	}
	return result, nil
}
