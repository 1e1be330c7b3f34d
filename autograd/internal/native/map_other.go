//go:build !amd64 || !linux || purego

package native

// A Func is a function on an arena.
type Func struct{}

type mapped struct{}

// Run is never called: there are no functions.
func (*Func) Run([]float64) {}

// RunOn is never called, either.
func (*Func) RunOn([]float64, []*float64) {}

func (*Func) place(*mapped, int, []int64) {}

func executable([]byte) (*mapped, error) { return nil, ErrUnavailable }

// Available reports whether the system lets machine code be run.
func Available() bool { return false }
