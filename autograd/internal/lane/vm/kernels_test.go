package vm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/vector"
)

// special are the numbers that kernels most easily get wrong.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 1e-310, math.MaxFloat64, -math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(), 709.5, -709.5, -745.2, 800, -800, 1e-17,
}

// sample draws n numbers, every fourth one special if asked for.
func sample(rng *rand.Rand, n int, specials bool) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 3 * rng.NormFloat64()
		if specials && rng.IntN(4) == 0 {
			x[i] = special[rng.IntN(len(special))]
		}
	}
	return x
}

// closeTo allows for fused multiplication and addition: a relative error of
// tol, or an absolute one of tol times scale.
func closeTo(got, want, tol, scale float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case got == want:
		return true
	}
	return math.Abs(got-want) <= tol*math.Max(math.Abs(want), scale)
}

// laneCase makes one operation on some of the registers 0 to 7, with results in
// those from 8 on, each written once but for a spare one, operands in args and factors
// in the arena.
type laneCase struct {
	code  Code
	exact bool // the same bits as in Go
	unit  bool // registers in (0, 1)
	make  func(rng *rand.Rand) (op Op, args []int32)
}

const (
	testSources   = 8
	testRegisters = testSources + BlockSide*BlockSide + 2
	testArena     = 64
	testBuffer    = 100
)

func laneCases() []laneCase {
	reg := func(rng *rand.Rand) int32 { return int32(rng.IntN(testSources)) }
	num := func(rng *rand.Rand) int32 { return int32(rng.IntN(testArena - 16)) }
	const dst = testSources
	registers := func(rng *rand.Rand) (Op, []int32) {
		return Op{Dst: dst, A: reg(rng), B: reg(rng)}, nil
	}
	scalar := func(rng *rand.Rand) (Op, []int32) {
		return Op{Dst: dst, A: reg(rng), B: num(rng)}, nil
	}
	pairs := func(second func(*rand.Rand) int32) func(rng *rand.Rand) (Op, []int32) {
		return func(rng *rand.Rand) (Op, []int32) {
			k := 1 + rng.IntN(9)
			args := []int32{77}
			for range k {
				args = append(args, reg(rng), second(rng))
			}
			return Op{Dst: dst, A: 1, B: int32(k)}, args
		}
	}
	tile := func(rng *rand.Rand) (Op, []int32) {
		joint := rng.IntN(7)
		args := append([]int32{77}, make([]int32, TileHead)...)
		args[1+TileJoint], args[1+TilePanel] = int32(joint), int32(rng.IntN(testArena-4*joint-4))
		for range joint {
			args = append(args, reg(rng))
		}
		rows := 3 + rng.IntN(2) // of three, the last is repeated
		var last []int32
		args[1+TileRows] = MaxTileRows
		for r := range MaxTileRows {
			args[1+TileDst+r] = dst + int32(min(r, rows-1))
			if r < rows {
				last = nil
				for range rng.IntN(4) {
					last = append(last, reg(rng), num(rng))
				}
			}
			args[1+TileBias+r] = num(rng)
			args[1+TileExtra+r] = int32(len(last) / 2)
			args = append(args, last...)
		}
		if rows == 3 {
			args[1+TileBias+3] = args[1+TileBias+2]
		}
		return Op{Dst: dst, A: 1, B: int32(rng.IntN(2))}, args
	}
	block := func(rng *rand.Rand) (Op, []int32) {
		op := Op{Dst: dst + BlockSide*BlockSide, A: 1, B: int32(1 + rng.IntN(9))}
		args := append([]int32{77}, make([]int32, BlockHead)...)
		height, width := 1+rng.IntN(BlockSide), 1+rng.IntN(BlockSide)
		args[1+BlockHeight], args[1+BlockWidth] = int32(height), int32(width)
		for i := range BlockSide * BlockSide {
			args[1+BlockDst+i] = op.Dst
			if i/BlockSide < height && i%BlockSide < width && rng.IntN(8) > 0 {
				args[1+BlockDst+i] = dst + int32(i)
			}
		}
		for range BlockTerm * op.B {
			args = append(args, reg(rng))
		}
		return op, args
	}
	// others are registers that an operation combines; the first of the pool is the
	// second result of LogSumExpParts.
	others := func(rng *rand.Rand) (Op, []int32) {
		args := []int32{77, dst + 1}
		k := 1 + rng.IntN(9)
		for range k {
			args = append(args, reg(rng))
		}
		return Op{Dst: dst, A: 2, B: int32(k)}, args
	}
	const second = testArena - 8 // where no operand and no other result is
	drawn := func(rng *rand.Rand) (Op, []int32) {
		return Op{Dst: dst, A: int32(rng.IntN(2)), B: num(rng)}, nil
	}
	return []laneCase{
		{code: Copy, exact: true, make: registers},
		{code: Gather, exact: true, make: registers},
		{code: Fill, exact: true, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: dst, A: num(rng)}, nil
		}},
		{code: Neg, exact: true, make: registers},
		{code: Add, exact: true, make: registers},
		{code: Sub, exact: true, make: registers},
		{code: Mul, exact: true, make: registers},
		{code: MulAdd, make: registers},
		{code: Scale, exact: true, make: scalar},
		{code: NegScale, exact: true, make: scalar},
		{code: AddS, exact: true, make: scalar},
		{code: SubS, exact: true, make: scalar},
		{code: RSubS, exact: true, make: scalar},
		{code: Div, exact: true, make: registers},
		{code: DivS, exact: true, make: scalar},
		{code: RDivS, exact: true, make: scalar},
		{code: Sqrt, exact: true, make: registers},
		{code: Abs, exact: true, make: registers},
		{code: Maximum, exact: true, make: registers},
		{code: Minimum, exact: true, make: registers},
		{code: Finite, exact: true, make: registers},
		{code: Larger, exact: true, make: registers},
		{code: Smaller, exact: true, make: registers},
		{code: Greater, exact: true, make: registers},
		{code: AtLeast, exact: true, make: registers},
		{code: Equal, exact: true, make: registers},
		{code: Where, exact: true, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: dst, A: reg(rng), B: 1}, []int32{77, reg(rng), reg(rng)}
		}},
		{code: Dot, make: pairs(num)},
		{code: DotPairs, make: pairs(reg)},
		{code: Tile, make: tile},
		{code: TileRelu, make: tile},
		{code: TileSquares, make: tile},
		{code: Block, make: block},
		{code: Relu, exact: true, make: registers},
		{code: Positive, exact: true, make: registers},
		{code: SigmoidShift, unit: true, make: scalar},
		{code: Less, exact: true, make: scalar},
		{code: Draw, exact: true, make: drawn},
		{code: DrawLess, exact: true, make: drawn},
		{code: DrawShift, unit: true, make: drawn},
		{code: Sum, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: num(rng), A: reg(rng)}, nil
		}},
		{code: SumProduct, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: num(rng), A: reg(rng), B: reg(rng)}, nil
		}},
		{code: Exp, make: registers},
		{code: Where, exact: true, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: dst, A: reg(rng), B: 1}, []int32{77, reg(rng), reg(rng)}
		}},
		{code: LogSumExp, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: num(rng), A: reg(rng), B: second}, nil
		}},
		{code: SumConst, exact: true, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: num(rng), A: num(rng)}, nil
		}},
		{code: ShiftConst, exact: true, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: num(rng), A: num(rng), B: second}, nil
		}},
		{code: LogSumExpOf, make: others},
		{code: MaxLanes, exact: true, make: func(rng *rand.Rand) (Op, []int32) {
			return Op{Dst: num(rng), A: reg(rng)}, nil
		}},
	}
}

// A trial is an operation with all that it works on.
type trial struct {
	c               laneCase
	op              Op
	args            []int32
	n, count, width int
	regs, full      []float64
	arena           []float64
	active          []int32 // n of them, of which count are selected
}

// newTrial makes one in registers of n lanes.
func newTrial(c laneCase, rng *rand.Rand, n int, specials bool) *trial {
	tr := &trial{c: c, n: n, count: n - rng.IntN(VectorLen), width: n + VectorLen*rng.IntN(3)}
	tr.op, tr.args = c.make(rng)
	tr.op.Code = c.code
	tr.regs, tr.arena = sample(rng, testRegisters*n, specials), sample(rng, testArena, specials)
	tr.full = sample(rng, testRegisters*tr.width, specials)
	if specials && !c.exact { // numbers that overflow in another order of summing
		for _, x := range [][]float64{tr.regs, tr.arena} {
			for i, v := range x {
				if math.Abs(v) == math.MaxFloat64 {
					x[i] = 1
				}
			}
		}
	}
	if c.code >= Tile && c.code <= TileSquares && tr.args[1+TileDst+3] == tr.args[1+TileDst+2] {
		for i := range tr.args[1+TileJoint] {
			f := tr.arena[tr.args[1+TilePanel]+MaxTileRows*i:]
			f[3] = f[2]
		}
	}
	for range n {
		tr.active = append(tr.active, int32(rng.IntN(tr.width)))
	}
	for i := range tr.active[tr.count:] {
		tr.active[tr.count+i] = tr.active[0]
	}
	if c.unit {
		vector.Portable.FillUniform(tr.regs, rng.Uint64())
		for i := range tr.arena {
			tr.arena[i] = math.Exp(-math.Abs(3 * tr.arena[i]))
		}
	}
	return tr
}

// run runs the operation after another one, which touches none of its operands, and
// returns the registers, the arena and the streams.
func (tr *trial) run(set vector.Set) (regs, arena []float64, streams []vector.Stream) {
	x := New(set, slices.Clone(tr.arena),
		Size{Width: tr.width, Full: testRegisters, Buffer: 2*tr.n + testBuffer, Streams: 2})
	copy(x.Full, tr.full)
	x.Streams[0], x.Streams[1] = vector.NewStream(1), vector.NewStream(2)
	regs = slices.Clone(tr.regs)
	other := int32(testRegisters - 1)
	g := &Group{Code: []Op{{Code: Neg, Dst: other, A: other}, tr.op, {Code: End}}, Args: tr.args}
	x.run(g, regs, tr.n, tr.count, tr.active)
	if tr.op.Code == Block { // which leaves this one in any state
		clear(regs[int(tr.op.Dst)*tr.n:][:tr.n])
	}
	return regs, x.Arena, x.Streams
}

// same reports whether the bits agree, those of NaN apart.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// Every operation of every kernel set in assembly computes what the one in Go does: on
// all lengths up to several vectors, counting lanes up to any number, on special values,
// and in a group of several operations.
func TestLaneKernels(t *testing.T) {
	for _, set := range vector.Available()[1:] {
		for _, c := range laneCases() {
			t.Run(set.String()+"/"+c.code.String(), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(c.code)))
				for n := VectorLen; n <= 12*VectorLen; n += VectorLen {
					for round := range 12 {
						specials := round%3 == 1 && !c.unit
						compareTrial(t, set, newTrial(c, rng, n, specials), specials)
					}
				}
			})
		}
	}
	known := map[Code]bool{}
	for _, c := range laneCases() {
		known[c.code] = true
	}
	for code := Copy; code < Codes; code++ {
		if code != Unary && code != Binary && !known[code] { // those two run functions of the group
			t.Errorf("operation %v is not tested", code)
		}
	}
}

func compareTrial(t *testing.T, set vector.Set, tr *trial, specials bool) {
	t.Helper()
	gotRegs, gotArena, gotStreams := tr.run(set)
	wantRegs, wantArena, wantStreams := tr.run(vector.Portable)
	// Sums are taken in another order, and products fused with them.
	scale := 3000.0 // of sums of products of numbers up to 15
	switch {
	case tr.c.unit:
		scale = 0
	case specials && tr.c.code == TileSquares: // of sums of products up to 800²
		scale = 1e14
	case specials:
		scale = 1e7
	}
	compare := func(what string, got, want []float64) {
		t.Helper()
		for i := range want {
			if tr.c.exact && !same(got[i], want[i]) || !tr.c.exact &&
				!closeTo(got[i], want[i], 1e-15, scale) {
				t.Fatalf("n=%d, %d count, %+v %v: %s %d: got %v, want %v", tr.n, tr.count, tr.op,
					tr.args, what, i, got[i], want[i])
			}
		}
	}
	compare("lane", gotRegs, wantRegs)
	compare("number", gotArena, wantArena)
	if !slices.Equal(gotStreams, wantStreams) {
		t.Fatalf("n=%d, %+v: streams are at %v, want %v", tr.n, tr.op, gotStreams, wantStreams)
	}
}

// The sets in assembly leave the same bits, sums over lanes included.
func TestKernelSetsAgree(t *testing.T) {
	if !slices.Contains(vector.Available(), vector.AVX512) {
		t.Skip("this processor has no AVX-512")
	}
	for _, c := range laneCases() {
		rng := rand.New(rand.NewPCG(2, uint64(c.code)))
		for n := VectorLen; n <= 12*VectorLen; n += VectorLen {
			for round := range 12 {
				tr := newTrial(c, rng, n, round%3 == 1 && !c.unit)
				regs, arena, _ := tr.run(vector.AVX2)
				got, gotArena, _ := tr.run(vector.AVX512)
				got, wants := append(got, gotArena...), append(regs, arena...)
				for i, want := range wants {
					if g := got[i]; !same(g, want) {
						t.Fatalf("%v: n=%d, %d count, %+v %v: number %d: got %v, want %v", c.code,
							n, tr.count, tr.op, tr.args, i, g, want)
					}
				}
			}
		}
	}
}

// Panels are scaled alike by every kernel set, special values included.
func TestScalePanels(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 0))
	for _, set := range vector.Available() {
		rows := RowsPerTile(set)
		for n := range 12 {
			const scaled = 8 // numbers that constants are multiplied with
			var offsets []int32
			for range n {
				offsets = append(offsets, int32(rng.IntN(scaled)))
			}
			m := sample(rng, scaled+2*rows*n, true)
			want := slices.Clone(m)
			for i := range rows * n {
				want[scaled+rows*n+i] = m[scaled+i] * m[offsets[i/rows]]
			}
			New(set, m, Size{Width: VectorLen}).ScalePanels(scaled+rows*n, scaled, offsets)
			if !slices.EqualFunc(m, want, same) {
				t.Fatalf("%v: %d terms scaled by %v: got %v, want %v", set, n, offsets, m, want)
			}
		}
	}
}
