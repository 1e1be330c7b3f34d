package vm

import (
	"math"

	"tobac/internal/vector"
)

// The operations in Go, beyond those that are a kernel of kernels.go.

// unary, binary and scalar run a kernel on register a, on registers a and b, and on
// register a and number b.
func unary(f func(dst, x []float64)) func(*Machine, *Op) {
	return func(x *Machine, op *Op) { f(x.r(op.Dst), x.r(op.A)) }
}

func binary(f func(dst, a, b []float64)) func(*Machine, *Op) {
	return func(x *Machine, op *Op) { f(x.r(op.Dst), x.r(op.A), x.r(op.B)) }
}

func scalar(f func(dst, a []float64, s float64)) func(*Machine, *Op) {
	return func(x *Machine, op *Op) { f(x.r(op.Dst), x.r(op.A), x.Arena[op.B]) }
}

func gather(x *Machine, op *Op) {
	src, dst := x.Full[int(op.A)*x.width:][:x.width], x.r(op.Dst)
	for k, l := range x.active[:x.state.n] {
		dst[k] = src[l]
	}
}

// dot starts with the first one to four terms and adds the others, four at a time.
func dot(x *Machine, op *Op) {
	terms, dst := x.group.Args[op.A:][:2*op.B], x.r(op.Dst)
	reg := func(i int) []float64 { return x.r(terms[2*i]) }
	factor := func(i int) float64 { return x.Arena[terms[2*i+1]] }
	k := len(terms) / 2
	first := (k-1)&3 + 1
	switch first {
	case 1:
		vector.Portable.Scale(dst, reg(0), factor(0))
	case 2:
		mul2(dst, factor(0), reg(0), factor(1), reg(1))
	case 3:
		mul3(dst, factor(0), reg(0), factor(1), reg(1), factor(2), reg(2))
	case 4:
		mul4(dst, factor(0), reg(0), factor(1), reg(1), factor(2), reg(2), factor(3), reg(3))
	}
	for i := first; i < k; i += 4 {
		mulAdd4(dst, factor(i), reg(i), factor(i+1), reg(i+1), factor(i+2), reg(i+2), factor(i+3),
			reg(i+3))
	}
}

func dotPairs(x *Machine, op *Op) {
	terms, dst := x.group.Args[op.A:][:2*op.B], x.r(op.Dst)
	vector.Portable.MulEach(dst, x.r(terms[0]), x.r(terms[1]))
	for i := 2; i < len(terms); i += 2 {
		mulAdd(dst, x.r(terms[i]), x.r(terms[i+1]))
	}
}

// draw writes the next numbers of stream a to register dst and returns it.
func (x *Machine) draw(op *Op) []float64 {
	u := x.r(op.Dst)
	x.set.Draw(u, &x.Streams[op.A])
	return u
}

func applyBinary(x *Machine, op *Op) {
	args := x.group.Args[op.B:]
	x.group.Binary[args[1]](x.r(op.Dst), x.r(op.A), x.r(args[0]))
}

func where(x *Machine, op *Op) {
	args := x.group.Args[op.B:]
	vector.Portable.Where(x.r(op.Dst), x.r(op.A), x.r(args[0]), x.r(args[1]))
}

// logSumExp is ln Σ eˣ over the lanes of a register, the largest plus the rest.
func (x *Machine) logSumExp(op *Op) {
	lanes := x.lanes(op.A)
	top := x.set.Max(lanes)
	if math.IsInf(top, 0) || math.IsNaN(top) {
		x.setLogSumExp(op, top, 0)
		return
	}
	x.setLogSumExp(op, top, math.Log(x.set.SumExp(lanes, top)))
}

func (x *Machine) setLogSumExp(op *Op, top, log float64) {
	x.Arena[op.Dst], x.Arena[op.B], x.Arena[op.B+1] = top+log, top, log
}

// logSumExpOf is ln Σ eˣ over registers, lane by lane.
func logSumExpOf(x *Machine, op *Op) {
	x.set.LogSumExpRows(x.r(op.Dst), x.list(x.group.Args[op.A:][:op.B]))
}

// list lists registers. It is valid until the next call.
func (x *Machine) list(args []int32) [][]float64 {
	x.rows = x.rows[:0]
	for _, a := range args {
		x.rows = append(x.rows, x.r(a))
	}
	return x.rows
}
