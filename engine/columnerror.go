package engine

import (
	"errors"
	"fmt"
	"strings"

	"tobac/score"
)

// A ColumnError says in the names of the data, and for a user, what an error says in numbers.
type ColumnError struct {
	Text string
	Err  error
}

// Error implements error.
func (e *ColumnError) Error() string { return e.Text }

// Unwrap is the error in numbers.
func (e *ColumnError) Unwrap() error { return e.Err }

// WithName names the columns that an error of the scores is about.
func WithName(err error, names []string) error {
	if constant := new(score.ConstantColumnError); errors.As(err, &constant) {
		return &ColumnError{fmt.Sprintf("column %q is constant in the rows in which it was not set, want at least two different values; remove it", names[constant.Column]), err}
	}
	if at := new(score.VariableError); errors.As(err, &at) {
		text := fmt.Sprintf("column %q", names[at.Variable])
		if len(at.Parents) > 0 {
			parents := make([]string, len(at.Parents))
			for k, j := range at.Parents {
				parents[k] = fmt.Sprintf("%q", names[j])
			}
			text += " given " + strings.Join(parents, ", ")
		}
		return &ColumnError{text + ": " + at.Err.Error(), err}
	}
	return err
}
