//go:build !amd64 || !linux || purego

package native

// A Func is a function on an arena.
type Func struct{}

// Run is never called: there are no functions.
func (*Func) Run([]float64) {}

// Size is the length of the code in bytes.
func (*Func) Size() int { return 0 }

func executable([]byte) (*Func, error) { return nil, ErrUnavailable }

// Available reports whether the system lets machine code be run.
func Available() bool { return false }
