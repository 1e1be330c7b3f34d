package autograd

import "fmt"

// A Precision says what the compiled engine computes with. Inputs and results are
// float64 in any case.
type Precision int

const (
	// Float64 computes everything in float64.
	Float64 Precision = iota
	// Float32 computes what differs between the lanes of a program (the Monte Carlo
	// samples of one particle) in float32, and what is the same in all of them in
	// float64: values without that axis, sums and log-sum-exps over it, and the
	// choice of the samples that count. An operation of both rounds the number that
	// is the same in all lanes to float32 first, but adds it and subtracts it in
	// float64: a softmax weight exp(x − logsumexp x) is that of x as rounded.
	//
	// An input below 1 stays below 1, so uniform numbers stay inside (0, 1).
	// Beyond 3.4e38 numbers are infinite, below 1e-45 zero. Programs that run
	// value by value compute in float64: [Program.String] says which one does.
	Float32
)

// String is float64 or float32.
func (p Precision) String() string {
	switch p {
	case Float64:
		return "float64"
	case Float32:
		return "float32"
	}
	return fmt.Sprintf("Precision(%d)", int(p))
}

// A CompileOption changes what [Compile] does: a [Pass] to leave out, or a
// [Precision].
type CompileOption interface {
	set(p *Program) error
}

var (
	_ CompileOption = Pass(0)
	_ CompileOption = Precision(0)
)

// set leaves the pass out.
func (pass Pass) set(p *Program) error {
	p.without |= pass
	return nil
}

func (precision Precision) set(p *Program) error {
	if precision != Float64 && precision != Float32 {
		return fmt.Errorf("autograd: unknown precision %v, want float64 or float32", precision)
	}
	p.precision = precision
	return nil
}

// bytes is the memory of what takes n bytes in float64.
func (p Precision) bytes(n int) int {
	if p == Float32 {
		return n / 2
	}
	return n
}

// vectorLen is the number of lanes that registers are rounded up to.
func (p Precision) vectorLen() int {
	if p == Float32 {
		return vectorLen32
	}
	return vectorLen
}
