package vm

import (
	"fmt"
	"math"

	"tobac/internal/vector"
)

// A row is all there is to know of an operation, but for its assembly.
type row struct {
	name      string
	dst, a, b operand
	pool      *pool // of operands; nil means none
	// apart says that the result is no operand, since it is written before all is read.
	apart bool
	// cost is the number of floating-point operations and of bytes on n lanes.
	cost func(op *Op, args []int32, n int) (flops, bytes int)
	// assembly says that the kernel sets in assembly run it by themselves.
	assembly bool
	// run executes it in Go.
	run func(x *Machine, op *Op)
}

// What rows say of assembly and of apart.
const (
	asm     = true
	inGo    = false
	apart   = true
	inPlace = false
)

// table has the row of every operation.
var table = [Codes]row{
	// name, dst, a, b, pool, apart, cost, assembly, run
	End: {"end", plain, plain, plain, nil, inPlace, once(0, 0), asm,
		func(*Machine, *Op) {}},
	Copy: {"copy", written, read, plain, nil, inPlace, each(0, 16), asm,
		unary(func(dst, x []float64) { copy(dst, x) })},
	Gather: {"gather", written, kept, plain, nil, inPlace, each(0, 16), asm, gather},
	Fill: {"fill", written, number, plain, nil, inPlace, each(0, 8), asm,
		func(x *Machine, op *Op) { vector.Fill(x.r(op.Dst), x.Arena[op.A]) }},
	Neg: {"neg", written, read, plain, nil, inPlace, each(1, 16), asm,
		unary(vector.Neg)},
	Add: {"add", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Add)},
	Sub: {"sub", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Sub)},
	Mul: {"mul", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.MulEach)},
	MulAdd: {"mul-add", updated, read, read, nil, inPlace, each(2, 32), asm, binary(mulAdd)},
	Scale: {"scale", written, read, number, nil, inPlace, each(1, 16), asm,
		scalar(vector.Portable.Scale)},
	NegScale: {"neg-scale", written, read, number, nil, inPlace, each(1, 16), asm,
		scalar(func(dst, x []float64, s float64) { vector.Portable.Scale(dst, x, -s) })},
	AddS: {"add-scalar", written, read, number, nil, inPlace, each(1, 16), asm,
		scalar(vector.Portable.Shift)},
	SubS: {"sub-scalar", written, read, number, nil, inPlace, each(1, 16), asm,
		scalar(func(dst, x []float64, s float64) { vector.Portable.Shift(dst, x, -s) })},
	RSubS: {"scalar-sub", written, read, number, nil, inPlace, each(1, 16), asm,
		scalar(func(dst, x []float64, s float64) { vector.ScalarSub(dst, s, x) })},
	Div: {"div", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Div)},
	DivS: {"div-scalar", written, read, number, nil, inPlace, each(1, 16), asm,
		scalar(vector.Portable.DivScalar)},
	RDivS: {"scalar-div", written, read, number, nil, inPlace, each(1, 16), asm,
		scalar(func(dst, x []float64, s float64) { vector.Portable.ScalarDiv(dst, s, x) })},
	Sqrt: {"sqrt", written, read, plain, nil, inPlace, each(1, 16), asm,
		unary(vector.Portable.Sqrt)},
	Abs: {"abs", written, read, plain, nil, inPlace, each(1, 16), asm,
		unary(vector.Portable.Abs)},
	Maximum: {"maximum", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Maximum)},
	Minimum: {"minimum", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Minimum)},
	Finite: {"finite", written, read, plain, nil, inPlace, each(1, 16), asm, unary(finite)},
	Larger: {"larger", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Larger)},
	Smaller: {"smaller", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Smaller)},
	Greater: {"greater", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Greater)},
	AtLeast: {"at-least", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.AtLeast)},
	Equal: {"equal", written, read, read, nil, inPlace, each(1, 24), asm,
		binary(vector.Portable.Equal)},
	Dot: {"dot", written, plain, plain, pairs(number), apart, perTerm(1), asm, dot},
	DotPairs: {"dot-pairs", written, plain, plain, pairs(read), apart, perTerm(2), asm,
		dotPairs},
	Tile: {"tile", plain, plain, plain, tilePool(true), apart, tileCost(0, 1), asm, tile},
	TileRelu: {"tile-relu", plain, plain, plain, tilePool(true), apart, tileCost(1, 1), asm,
		tile},
	TileSquares: {"tile-squares", started, plain, plain, tilePool(false), apart, tileCost(2, 0),
		asm, tileSquares},
	Block: {"block", written, plain, plain, blockPool, apart, blockCost, asm, block},
	Relu:  {"relu", written, read, plain, nil, inPlace, each(1, 16), asm, unary(relu)},
	Positive: {"positive", written, read, plain, nil, inPlace, each(1, 16), asm,
		unary(positive)},
	SigmoidShift: {"sigmoid-shift", written, read, two, nil, inPlace, each(5, 16), asm,
		func(x *Machine, op *Op) { sigmoidShift(x.r(op.Dst), x.r(op.A), x.Arena[op.B:]) }},
	Less: {"less", written, read, number, nil, inPlace, each(1, 16), asm, scalar(less)},
	Sum: {"sum-lanes", result, read, plain, nil, inPlace, each(1, 8), asm,
		func(x *Machine, op *Op) { x.Arena[op.Dst] = vector.Portable.Sum(x.lanes(op.A)) }},
	SumProduct: {"dot-lanes", result, read, read, nil, inPlace, each(2, 16), asm,
		func(x *Machine, op *Op) { x.Arena[op.Dst] = vector.Dot(x.lanes(op.A), x.lanes(op.B)) }},
	Draw: {"draw", written, stream, plain, nil, inPlace, each(0, 8), asm,
		func(x *Machine, op *Op) { x.draw(op) }},
	DrawLess: {"draw-less", written, stream, number, nil, inPlace, each(1, 8), asm,
		func(x *Machine, op *Op) { u := x.draw(op); less(u, u, x.Arena[op.B]) }},
	DrawShift: {"draw-shift", written, stream, two, nil, inPlace, each(5, 8), asm,
		func(x *Machine, op *Op) { u := x.draw(op); sigmoidShift(u, u, x.Arena[op.B:]) }},
	Exp: {"exp", written, read, plain, nil, inPlace, each(1, 16), inGo,
		func(x *Machine, op *Op) { x.set.Exp(x.r(op.Dst), x.r(op.A)) }},
	Unary: {"unary", written, read, unaryFn, nil, inPlace, each(1, 16), inGo,
		func(x *Machine, op *Op) { x.group.Unary[op.B](x.r(op.Dst), x.r(op.A)) }},
	Binary: {"binary", written, read, plain, both(read, binaryFn), inPlace, each(1, 24), inGo,
		applyBinary},
	Where: {"where", written, read, plain, both(read, read), inPlace, each(1, 32), asm,
		where},
	LogSumExp: {"logsumexp-lanes", result, read, twoResults, nil, inPlace, each(3, 16), inGo,
		func(x *Machine, op *Op) { x.logSumExp(op) }},
	SumConst: {"sum-constant", result, number, plain, nil, inPlace, once(1, 16), inGo,
		func(x *Machine, op *Op) { x.Arena[op.Dst] = float64(x.count) * x.Arena[op.A] }},
	ShiftConst: {"shift-constant", result, number, twoResults, nil, inPlace, once(1, 16), inGo,
		func(x *Machine, op *Op) { x.setLogSumExp(op, x.Arena[op.A], math.Log(float64(x.count))) }},
	LogSumExpOf: {"logsumexp", written, plain, plain, registers, apart, perTerm(1), inGo,
		logSumExpOf},
	MaxLanes: {"max-lanes", result, read, plain, nil, inPlace, each(1, 8), inGo,
		func(x *Machine, op *Op) { x.Arena[op.Dst] = x.set.Max(x.lanes(op.A)) }},
}

// once is a cost whatever the number of lanes, each that for each of them.
func once(flops, bytes int) func(*Op, []int32, int) (int, int) {
	return func(*Op, []int32, int) (int, int) { return flops, bytes }
}

func each(flops, bytes int) func(*Op, []int32, int) (int, int) {
	return func(_ *Op, _ []int32, n int) (int, int) { return flops * n, bytes * n }
}

// perTerm is the cost of a sum of b products of that many registers.
func perTerm(registers int) func(*Op, []int32, int) (int, int) {
	return func(op *Op, _ []int32, n int) (int, int) {
		k := int(op.B)
		return 2 * k * n, 8 * (registers*k + 1) * n
	}
}

// String is the name of the operation in listings.
func (c Code) String() string {
	if c < 0 || c >= Codes {
		return fmt.Sprintf("Code(%d)", int32(c))
	}
	return table[c].name
}

// Registers calls f for every field of op, and of what it has in the pool args of its
// group, that is a register of the lanes that the group runs on: operands first. f may
// change it. The register that [Gather] reads is one of all lanes, and left out.
func (op *Op) Registers(args []int32, f func(*int32)) {
	op.operands(args, func(o operand, p *int32, _ int) {
		switch o {
		case read, written, updated:
			f(p)
		}
	})
}

// Cost is the work of op on n lanes: floating-point operations, a division or an
// elementary function counted as one, and bytes read and written.
func (op *Op) Cost(args []int32, n int) (flops, bytes int) {
	return table[op.Code].cost(op, args, n)
}

// operands shows f the operands of op: a and b, those in the pool, and the result.
func (op *Op) operands(args []int32, f visitor) {
	r := &table[op.Code]
	show := func(o operand, p *int32) {
		switch {
		case o == plain:
		case o == two:
			f(number, p, 2)
		case o == twoResults:
			f(result, p, 2)
		case o == started && op.B == 0:
			f(written, p, 1)
		case o == started:
			f(updated, p, 1)
		default:
			f(o, p, 1)
		}
	}
	show(r.a, &op.A)
	show(r.b, &op.B)
	if r.pool != nil {
		r.pool.visit(op, args[r.pool.at(op):], f)
	}
	show(r.dst, &op.Dst)
}
