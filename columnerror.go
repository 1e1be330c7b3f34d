package tobac

import (
	"errors"
	"fmt"
	"strings"
	"tobac/score"
)

// A columnError says in the names of the data, and for a user, what an error says in numbers.
type columnError struct {
	text string
	err  error
}

func (e *columnError) Error() string { return e.text }
func (e *columnError) Unwrap() error { return e.err }

// withName names the columns that an error of the scores is about.
func withName(err error, names []string) error {
	if constant := new(score.ConstantColumnError); errors.As(err, &constant) {
		return &columnError{fmt.Sprintf("column %q is constant in the rows in which it was not set, want at least two different values; remove it", names[constant.Column]), err}
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
		return &columnError{text + ": " + at.Err.Error(), err}
	}
	return err
}
