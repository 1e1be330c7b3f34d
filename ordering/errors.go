package ordering

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tobac/internal/words"
)

var (
	// ErrTooFewRows: the estimator needs more samples than there are.
	ErrTooFewRows = errors.New("too few rows")
	// errNotFinite: a value is NaN or infinite.
	errNotFinite = errors.New("not finite")
	// errConstant: all values of a column are equal.
	errConstant = errors.New("constant column")
	// errDependent: a column is a linear combination of other columns, so that
	// the sample covariance is singular.
	errDependent = errors.New("linearly dependent column")
	// errScale: the variance of a column overflows or underflows float64.
	errScale = errors.New("variance out of range")
	// errTooLarge: the estimator would need more memory than its options allow.
	errTooLarge = errors.New("too large")
	// errSingular: a linear system is not positive definite.
	errSingular = errors.New("not positive definite")
	// errDuplicateRows: half of all pairs of rows, each with itself included, are
	// equal, so that their median distance is 0.
	errDuplicateRows = errors.New("too many duplicate rows")
)

// tooFewRows says how many rows a method needs.
func tooFewRows(method string, n, d, want int) error {
	unit := "rows"
	if n == 1 {
		unit = "row"
	}
	return fmt.Errorf("ordering: %w: %d %s of %d columns, %s needs at least %d", ErrTooFewRows, n,
		unit, d, method, want)
}

// ColumnError says which column of the data cannot be ordered, and why.
type ColumnError struct {
	Column int    // index of the column, from 0
	Name   string // its name; empty until [WithNames] fills it in
	Row    int    // index of the row at fault, from 0; −1 if the whole column is
	Err    error  // what is wrong
	Detail string // the value found, or what it was compared with
	Given  []int  // indices of the columns that it was compared with; nil means none

	given []string // their names, as Name
}

// Error names the column, by name too if it has one, and the row if one is at
// fault. The text counts both from 1.
func (e *ColumnError) Error() string {
	s := fmt.Sprintf("ordering: column %d", e.Column+1)
	if e.Name != "" {
		s += fmt.Sprintf(" (%s)", e.Name)
	}
	if e.Row >= 0 {
		s += fmt.Sprintf(", row %d", e.Row+1)
	}
	return fmt.Sprintf("%s: %v: %s%s", s, e.Err, e.among(), e.Detail)
}

// among says which columns it was compared with, at most ten of them.
func (e *ColumnError) among() string {
	const most = 10
	if len(e.Given) == 0 {
		return ""
	}
	list := slices.Clone(e.given)
	if list == nil {
		for _, j := range e.Given {
			list = append(list, strconv.Itoa(j+1))
		}
		list[0] = "columns " + list[0]
	}
	return "given " + words.Some(list, most) + ": "
}

// Unwrap returns the reason, for errors.Is.
func (e *ColumnError) Unwrap() error { return e.Err }

// WithNames returns err with the name of its column filled in, if err is or
// wraps a [ColumnError] whose column has a name, and err itself otherwise. The
// original is not modified.
func WithNames(err error, names []string) error {
	var fault *ColumnError
	if !errors.As(err, &fault) || fault.Column < 0 || fault.Column >= len(names) {
		return err
	}
	named := *fault
	named.Name, named.given = names[fault.Column], nil
	for _, j := range fault.Given {
		named.given = append(named.given, names[j])
	}
	return &named
}

// ByNames translates an order written as column names, sources first, into
// column indices, given the names of the columns. Names are compared exactly.
// The error lists every name that is unknown, repeated or missing, with
// positions counted from 1, and suggests the column meant where a name differs
// only in case or surrounding space. Repeated column names are an error too,
// since an order could not tell them apart.
func ByNames(order, names []string) ([]int, error) {
	column := make(map[string]int, len(names))
	for i, name := range names {
		if first, dup := column[name]; dup {
			return nil, fmt.Errorf("ordering: columns %d and %d are both named %q", first+1, i+1,
				name)
		}
		column[name] = i
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("ordering: an order of 0 columns, want at least 1")
	}

	var faults []string
	indices := make([]int, 0, len(names))
	position := make(map[int]int, len(names))
	for c, name := range order {
		i, known := column[name]
		if !known {
			faults = append(faults,
				fmt.Sprintf("unknown %q at position %d%s", name, c+1, suggestion(name, names)))
			continue
		}
		if first, dup := position[i]; dup {
			faults = append(faults,
				fmt.Sprintf("repeated %q at positions %d and %d", name, first+1, c+1))
			continue
		}
		position[i] = c
		indices = append(indices, i)
	}
	var missing []string
	for i, name := range names {
		if _, placed := position[i]; !placed {
			missing = append(missing, fmt.Sprintf("%q", name))
		}
	}
	if len(missing) > 0 {
		faults = append(faults, "missing "+strings.Join(missing, ", "))
	}
	const most = 20
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most], fmt.Sprintf("and %d more", more))
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("ordering: %s", strings.Join(faults, "; "))
	}
	return indices, nil
}

// suggestion returns a hint for an unknown name, or "".
func suggestion(name string, names []string) string {
	for _, candidate := range names {
		if strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(candidate)) {
			return fmt.Sprintf(" (did you mean %q?)", candidate)
		}
	}
	return ""
}
