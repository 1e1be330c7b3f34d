package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tobac/internal/words"

	"gonum.org/v1/gonum/mat"
)

// A Kind is what the values of a column are.
type Kind int

const (
	Real        Kind = iota // any numbers
	Positive                // numbers above 0
	Proportion              // numbers from 0 to 1
	Count                   // whole numbers from 0, whose values repeat
	Binary                  // two values
	Ordered                 // a few values with an order
	Categorical             // a few values without one
)

// kindNames are the text forms.
var kindNames = [...]string{"real", "positive", "proportion", "count", "binary", "ordered",
	"categorical"}

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{Real, Positive, Proportion, Count, Binary, Ordered, Categorical}
}

// String is the text form, such as categorical.
func (k Kind) String() string {
	return words.Name(k, kindNames[:]...)
}

// ParseKind is the kind with a text form.
func ParseKind(text string) (Kind, error) {
	k := slices.Index(kindNames[:], text)
	if k < 0 {
		return 0, fmt.Errorf("dataset: unknown kind %q; allowed: %s", text,
			strings.Join(kindNames[:], ", "))
	}
	return Kind(k), nil
}

// Levelled reports whether columns of the kind have a few values, so that tables of probabilities
// can describe them.
func (k Kind) Levelled() bool { return k >= Binary }

// A Variable says what the values of a column are.
type Variable struct {
	Kind Kind
	// Levels are the names of the values 0, 1, …; nil means that the numbers are the values.
	Levels []string
}

// A Limit says between which numbers a value lies that is not known otherwise: below a limit of
// detection, above one, or between two numbers. ±Inf means no limit on that side.
type Limit struct {
	Row, Column int // from 0
	Low, High   float64
}

// Kind is that of column j: Real where nothing is known.
func (t *Table) Kind(j int) Kind {
	if t.Variables == nil {
		return Real
	}
	return t.Variables[j].Kind
}

// Named reports whether the values of column j are the numbers of levels with names.
func (t *Table) Named(j int) bool { return t.Variables != nil && t.Variables[j].Levels != nil }

// HasKind reports whether the kind of any column fulfils a condition.
func (t *Table) HasKind(of func(Kind) bool) bool {
	return slices.ContainsFunc(t.Variables, func(v Variable) bool { return of(v.Kind) })
}

// OfKinds reports whether the kinds ask for models of categories: every column has levels, or some
// have no order.
func (t *Table) OfKinds() bool {
	return t.Variables != nil && !t.HasKind(func(k Kind) bool { return !k.Levelled() }) ||
		t.HasKind(func(k Kind) bool { return k == Categorical })
}

// Codes are the values of column j as whole numbers from 0, and how many there are: as they are
// where they have names, else numbered by size.
func (t *Table) Codes(j int) (codes []float64, levels int) {
	codes = mat.Col(nil, j, t.X)
	if t.Named(j) {
		return codes, len(t.Variables[j].Levels)
	}
	values := t.Values(j)
	for i, v := range codes {
		at, _ := slices.BinarySearch(values, v)
		codes[i] = float64(at)
	}
	return codes, len(values)
}

// Values are the different values of column j, ascending.
func (t *Table) Values(j int) []float64 {
	values := mat.Col(nil, j, t.X)
	slices.Sort(values)
	return slices.Compact(values)
}

// checkVariables finds values that do not fit their kind.
func (t *Table) checkVariables() error {
	if t.Variables == nil {
		return nil
	}
	n, d := t.X.Dims()
	if len(t.Variables) != d {
		return fmt.Errorf("table has kinds of %d columns, want %d", len(t.Variables), d)
	}
	for j, v := range t.Variables {
		if v.Kind < 0 || int(v.Kind) >= len(kindNames) {
			return fmt.Errorf("column %q has the unknown kind %d", t.Names[j], int(v.Kind))
		}
		if v.Levels == nil {
			continue
		}
		for i := range n {
			if x := t.X.At(i, j); x != math.Trunc(x) || x < 0 || x >= float64(len(v.Levels)) {
				return fmt.Errorf("row %d, column %q is %v, want the number of one of %d levels, "+
					"from 0", i+1, t.Names[j], x, len(v.Levels))
			}
		}
	}
	return nil
}

// asNumbers is an error for a table with categories, which a transform of numbers cannot take.
func (t *Table) asNumbers(what string) error {
	for j, v := range t.Variables {
		if v.Kind == Categorical {
			return fmt.Errorf("dataset: column %q is a category, of which there are no %s",
				t.Names[j], what)
		}
	}
	return nil
}
