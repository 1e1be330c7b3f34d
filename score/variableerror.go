package score

import "fmt"

// A VariableError says about which variable a fault of its log scores is.
type VariableError struct {
	Variable int   // index, from 0
	Parents  []int // of the set at fault; nil means not of one set
	Err      error
}

// Error names the columns by their numbers, counted from 1.
func (e *VariableError) Error() string {
	text := fmt.Sprintf("score: column %d", e.Variable+1)
	if e.Parents != nil {
		given := make([]int, len(e.Parents))
		for k, j := range e.Parents {
			given[k] = j + 1
		}
		text += fmt.Sprintf(" given %v", given)
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

// Unwrap returns the reason.
func (e *VariableError) Unwrap() error { return e.Err }

// notFinite is the error of a log score that is no finite number.
func notFinite(j int, parents []int, v float64, want string) error {
	return &VariableError{j, append([]int{}, parents...),
		fmt.Errorf("log score is %v, want %s", v, want)}
}
