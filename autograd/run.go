package autograd

import (
	"unsafe"

	"tobac/autograd/internal/exec"
)

// A Feed supplies one input of an evaluation. One of its fields is set; Seed only for
// an input made by [Builder.Uniform].
type Feed struct {
	// Data holds all values: the mapped axes lead, outermost first, then
	// follows the input's own shape, row-major. It may be nil for a shape without
	// elements.
	Data []float64

	// Fill writes the values for index i of the input's outermost mapped axis:
	// element-major, with the remaining mapped axes innermost (dst[e·S+s] for
	// one remaining axis of size S). It must be a pure function of i, is called
	// concurrently for different i, and must overwrite all of dst.
	Fill func(dst []float64, i int)

	// Seed is the stream of an input of uniform numbers at index i of its outermost
	// mapped axis: the values are those that [FillUniform] writes, in the layout of
	// Fill. It is called concurrently for different i.
	Seed func(i int) uint64
}

// An Evaluator computes the outputs of a graph. It is not safe for concurrent
// use; several evaluators of one graph are.
type Evaluator interface {
	// Eval computes all outputs. src has one feed per input, dst one slice per
	// output, each of full length: mapped axes lead, then the output's shape,
	// row-major. A [*FailedError] says which indices of the outermost axis have no
	// result; they hold NaN, and the others hold theirs. On another error dst holds
	// no meaningful values. dst and the data of feeds must not overlap.
	Eval(dst [][]float64, src []Feed) error
	// Close releases the evaluator's workers.
	Close()
}

// NonFiniteError reports the operation that first produced NaN or Inf.
type NonFiniteError struct {
	Op      string  // the operation or input, with its shape
	Element int     // row-major element of its value
	At      string  // the index of each of its mapped axes: "particle 2, sample 7"
	Value   float64 // NaN or ±Inf
}

// Error implements error.
func (e *NonFiniteError) Error() string { return (*exec.NonFiniteError)(e).Error() }

// A FailedError reports the indices of the loop axis, particles for example, at which an
// operation has no result: a matrix without Cholesky factor, or with
// [Options].CheckFinite a number that is not finite. Their results are NaN, those of the
// other indices hold.
type FailedError struct {
	Graph   string
	Axis    string  // the axis; empty if there is none
	Indices []int   // ascending
	Causes  []error // one for each
}

// Error implements error: the first index and its cause, and how many more there are.
func (e *FailedError) Error() string { return (*exec.FailedError)(e).Error() }

// Unwrap returns the causes.
func (e *FailedError) Unwrap() []error { return e.Causes }

// running is an evaluator of the executor.
type running struct{ exec.Evaluator }

func evaluatorOf(e exec.Evaluator, err error) (Evaluator, error) {
	if err != nil {
		return nil, err
	}
	return running{e}, nil
}

// Eval implements [Evaluator].
func (r running) Eval(dst [][]float64, src []Feed) error {
	if err := r.Evaluator.Eval(dst, lowerFeeds(src)); err != nil {
		return ownError(err)
	}
	return nil
}

// lowerFeeds are the feeds as the executor has them, a type of the same fields. To copy them would
// take half as long as a small density does.
func lowerFeeds(src []Feed) []exec.Feed {
	return unsafe.Slice((*exec.Feed)(unsafe.SliceData(src)), len(src))
}

// ownError is an error of the executor as one of this package.
func ownError(err error) error {
	switch e := err.(type) {
	case *exec.NonFiniteError:
		return (*NonFiniteError)(e)
	case *exec.FailedError:
		for i, cause := range e.Causes {
			e.Causes[i] = ownError(cause)
		}
		return (*FailedError)(e)
	}
	return err
}
