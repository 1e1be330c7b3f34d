package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
)

// A Feed is one that autograd.Feed documents.
type Feed struct {
	Data []float64
	Fill func(dst []float64, i int)
	Seed func(i int) uint64
}

// write writes the values of a feed that is no Data.
func (f *Feed) write(dst []float64, i int) {
	if f.Seed != nil {
		dense.Kernels.FillUniform(dst, f.Seed(i))
		return
	}
	f.Fill(dst, i)
}

// An Evaluator is one that autograd.Evaluator documents.
type Evaluator interface {
	Eval(dst [][]float64, src []Feed) error
	Close()
}

// A NonFiniteError is one that autograd.NonFiniteError documents.
type NonFiniteError struct {
	Op      string
	Element int
	At      string
	Value   float64
}

func (e *NonFiniteError) Error() string {
	at := ""
	if e.At != "" {
		at = " of " + e.At
	}
	return fmt.Sprintf("autograd: %s is %v at element %d%s", e.Op, e.Value, e.Element, at)
}

// indexOf names the index of each mapped axis of a value, of which that of the first axis is known,
// and of the others the flat one.
func indexOf(f *ir.Func, v *ir.Value, first *ir.Axis, index, rest int) string {
	axes := (v.Axes | v.Flat).Of(f.Axes)
	at := make([]string, len(axes))
	for i, a := range slices.Backward(axes) {
		k := index
		if a != first {
			k, rest = rest%a.Size(), rest/a.Size()
		}
		at[i] = fmt.Sprintf("%s %d", a.Name(), k)
	}
	return strings.Join(at, ", ")
}

// A FailedError is one that autograd.FailedError documents.
type FailedError struct {
	Graph, Axis string
	Indices     []int
	Causes      []error
}

func (e *FailedError) Error() string {
	cause := strings.TrimPrefix(e.Causes[0].Error(), "autograd: ")
	if e.Axis == "" {
		return fmt.Sprintf("autograd: graph %q: %s", e.Graph, cause)
	}
	more := ""
	if n := len(e.Indices) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more of them", n)
	}
	return fmt.Sprintf("autograd: graph %q: %s %d%s: %s", e.Graph, e.Axis, e.Indices[0], more,
		cause)
}

// Unwrap returns the causes.
func (e *FailedError) Unwrap() []error { return e.Causes }

// add notes that an index has failed, if it has not before.
func (e *FailedError) add(index int, cause error) {
	at, found := slices.BinarySearch(e.Indices, index)
	if !found {
		e.Indices = slices.Insert(e.Indices, at, index)
		e.Causes = slices.Insert(e.Causes, at, cause)
	}
}

// CheckCall validates the arguments of Eval for a function.
func CheckCall(f *ir.Func, dst [][]float64, src []Feed) error {
	if len(src) != len(f.Inputs) || len(dst) != len(f.Outputs) {
		return fmt.Errorf("autograd: graph %q: got %d feeds and %d results, want %d and %d", f.Name,
			len(src), len(dst), len(f.Inputs), len(f.Outputs))
	}
	for i, v := range f.Inputs {
		if err := checkFeed(f, v, &src[i]); err != nil {
			return fmt.Errorf("autograd: graph %q: feed of %s: %w", f.Name, f.Describe(v), err)
		}
	}
	for i, v := range f.Outputs {
		if want := v.Axes.Lanes(f.Axes) * v.Len(); len(dst[i]) != want {
			return fmt.Errorf("autograd: graph %q: result %s: got room for %d values, want %d",
				f.Name, f.Describe(v), len(dst[i]), want)
		}
	}
	return nil
}

func checkFeed(f *ir.Func, v *ir.Value, feed *Feed) error {
	want := v.Axes.Lanes(f.Axes) * v.Len()
	switch {
	// nothing to feed
	case want == 0 && len(feed.Data) == 0 && feed.Fill == nil && feed.Seed == nil:
	case !v.Uniform && feed.Seed != nil:
		return errors.New("field Seed is for inputs of uniform numbers")
	case feed.Seed != nil && (feed.Data != nil || feed.Fill != nil), feed.Seed == nil &&
		(feed.Data == nil) == (feed.Fill == nil):
		if v.Uniform {
			return errors.New("set exactly one of Data, Fill and Seed")
		}
		return errors.New("set exactly one of Data and Fill")
	case feed.Fill != nil && v.Axes == 0:
		return errors.New("field Fill needs a mapped axis")
	case feed.Data != nil && len(feed.Data) != want:
		return fmt.Errorf("got %d values, want %d", len(feed.Data), want)
	}
	return nil
}

// Materialise returns the values of a feed in the layout of Feed.Data, in dst if it
// has to write them, by way of the scratch memory. Either is allocated if it is too short.
func Materialise(f *ir.Func, v *ir.Value, feed Feed, dst, scratch []float64) []float64 {
	size := v.Len()
	if feed.Data != nil || size == 0 || v.Axes == 0 {
		return feed.Data
	}
	first := v.Axes.Of(f.Axes)[0]
	rest := v.Axes.Without(first).Lanes(f.Axes)
	if n := first.Size() * rest * size; len(dst) < n {
		dst = make([]float64, n)
	}
	if len(scratch) < rest*size {
		scratch = make([]float64, rest*size)
	}
	buf := scratch[:rest*size]
	for i := range first.Size() {
		feed.write(buf, i)
		for e := range size {
			for l := range rest {
				dst[(i*rest+l)*size+e] = buf[e*rest+l]
			}
		}
	}
	return dst
}
