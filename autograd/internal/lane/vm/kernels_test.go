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
	registers := func(rng *rand.Rand) (Op, []int32) { return Op{Dst: dst, A: reg(rng), B: reg(rng)}, nil }
	scalar := func(rng *rand.Rand) (Op, []int32) { return Op{Dst: dst, A: reg(rng), B: num(rng)}, nil }
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
	drawn := func(rng *rand.Rand) (Op, []int32) {
		return Op{Dst: dst, A: int32(rng.IntN(2)), B: num(rng)}, nil
	}
	return []laneCase{
		{code: Copy, exact: true, make: registers},
		{code: Gather, exact: true, make: registers},
		{code: Fill, exact: true, make: func(rng *rand.Rand) (Op, []int32) { return Op{Dst: dst, A: num(rng)}, nil }},
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
		{code: Sum, make: func(rng *rand.Rand) (Op, []int32) { return Op{Dst: num(rng), A: reg(rng)}, nil }},
		{code: SumProduct, make: func(rng *rand.Rand) (Op, []int32) { return Op{Dst: num(rng), A: reg(rng), B: reg(rng)}, nil }},
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
	x := New(set, slices.Clone(tr.arena), Size{Width: tr.width, Full: testRegisters, Buffer: 2*tr.n + testBuffer, Streams: 2})
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
		if table[code].assembly && !known[code] {
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
			if tr.c.exact && !same(got[i], want[i]) || !tr.c.exact && !closeTo(got[i], want[i], 1e-15, scale) {
				t.Fatalf("n=%d, %d count, %+v %v: %s %d: got %v, want %v", tr.n, tr.count, tr.op, tr.args, what, i, got[i], want[i])
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
						t.Fatalf("%v: n=%d, %d count, %+v %v: number %d: got %v, want %v", c.code, n, tr.count, tr.op, tr.args, i, g, want)
					}
				}
			}
		}
	}
}

// Element-wise operations compute on all special numbers what Go's own arithmetic does,
// with every kernel set: the sign of zero, infinities, subnormal numbers and NaN.
func TestSpecialValues(t *testing.T) {
	nan := math.NaN()
	indicator := func(holds, unordered bool) float64 {
		switch {
		case unordered:
			return nan
		case holds:
			return 1
		}
		return 0
	}
	for _, c := range []struct {
		code Code
		want func(a, b float64) float64
	}{
		{Copy, func(a, _ float64) float64 { return a }},
		{Neg, func(a, _ float64) float64 { return math.Copysign(a, -math.Copysign(1, a)) }},
		{Add, func(a, b float64) float64 { return a + b }},
		{Sub, func(a, b float64) float64 { return a - b }},
		{Mul, func(a, b float64) float64 { return a * b }},
		{Scale, func(a, b float64) float64 { return b * a }},
		{NegScale, func(a, b float64) float64 { return -b * a }},
		{AddS, func(a, b float64) float64 { return a + b }},
		{SubS, func(a, b float64) float64 { return a - b }},
		{RSubS, func(a, b float64) float64 { return b - a }},
		{Relu, func(a, _ float64) float64 { return math.Max(a, 0) }},
		{Positive, func(a, _ float64) float64 { return indicator(a > 0, a != a) }},
		{Less, func(a, b float64) float64 { return indicator(a < b, a != a || b != b) }},
	} {
		for _, set := range vector.Available() {
			for _, b := range special {
				n := (len(special) + VectorLen - 1) / VectorLen * VectorLen
				x := New(set, []float64{b}, Size{Width: n, Full: 3})
				copy(x.Full, special)
				for i := range n {
					x.Full[n+i] = b
				}
				op := Op{Code: c.code, Dst: 2, A: 0, B: 1}
				if table[c.code].b == number {
					op.B = 0
				}
				x.Run(&Group{Code: []Op{op, {Code: End}}}, n)
				for i, a := range special {
					if got, want := x.Full[2*n+i], c.want(a, b); !same(got, want) {
						t.Errorf("%v: %v of %v and %v: got %v, want %v", set, c.code, a, b, got, want)
					}
				}
			}
		}
	}
}

// A tile's relu is that of the operation: of a sum −0 it is +0, of NaN it is NaN.
func TestTileRelu(t *testing.T) {
	const n = 5 * VectorLen
	negative := math.Copysign(0, -1)
	for _, set := range vector.Available() {
		rows := RowsPerTile(set)
		args := make([]int32, TileHead, TileHead+1)
		args[TileJoint], args[TileRows], args[TilePanel] = 1, int32(rows), 1
		args = append(args, 0)
		for r := range rows {
			args[TileDst+r] = int32(1 + r)
		}
		arena := append([]float64{negative}, slices.Repeat([]float64{1}, rows)...) // biases and factors
		x := New(set, arena, Size{Width: n, Full: 1 + rows})
		values := []float64{negative, 0, math.NaN(), -1, 2, math.Inf(1), math.Inf(-1), 5e-324, -5e-324}
		for i := range n {
			x.Full[i] = values[i%len(values)]
		}
		x.Run(&Group{Code: []Op{{Code: TileRelu}, {Code: End}}, Args: args}, n)
		for i := range rows * n {
			if got, want := x.Full[n+i], math.Max(x.Full[i%n], 0); !same(got, want) {
				t.Errorf("%v: row %d, lane %d: relu of %v is %v, want %v", set, i/n, i%n, x.Full[i%n], got, want)
			}
		}
	}
}

// Operations that draw compare and divide as if the numbers had been stored: bounds at
// a drawn number and beside it, and beyond the numbers that there are; every
// quotient rounded once, factors small enough to underflow included.
func TestFusedDraws(t *testing.T) {
	for _, set := range vector.Available() {
		t.Run(set.String()+"/less", func(t *testing.T) { testDrawLess(t, set) })
		t.Run(set.String()+"/shift", func(t *testing.T) { testDrawShift(t, set) })
	}
}

// drawn runs a drawing operation, and returns the numbers that it draws beside its
// results.
func drawn(t *testing.T, set vector.Set, code Code, arena ...float64) (got, u []float64) {
	t.Helper()
	const n = 3 * VectorLen
	x := New(set, arena, Size{Width: n, Full: 1, Streams: 1})
	stream := vector.NewStream(uint64(code))
	x.Streams[0] = stream
	u = make([]float64, n)
	set.Draw(u, &stream)
	x.Run(&Group{Code: []Op{{Code: code}, {Code: End}}}, n)
	if x.Streams[0] != stream {
		t.Fatalf("%v: the stream is at %v, want %v", code, x.Streams[0], stream)
	}
	return x.Full, u
}

func testDrawLess(t *testing.T, set vector.Set) {
	_, u := drawn(t, set, DrawLess, 0)
	bounds := []float64{0, math.Copysign(0, -1), 0x1p-53, math.Nextafter(0x1p-53, 1), 0x1p-1074, 1, math.Nextafter(1, 0), 2, -1, math.NaN(), math.Inf(1), math.Inf(-1)}
	for _, v := range u {
		bounds = append(bounds, math.Nextafter(v, 0), v, math.Nextafter(v, 1))
	}
	for _, p := range bounds {
		got, u := drawn(t, set, DrawLess, p)
		for i, v := range u {
			want := 0.0
			switch {
			case v < p:
				want = 1
			case p != p:
				want = p
			}
			if !same(got[i], want) {
				t.Errorf("1[%v < %v] is %v", v, p, got[i])
			}
		}
	}
}

func testDrawShift(t *testing.T, set vector.Set) {
	rng := rand.New(rand.NewPCG(7, 0))
	for round := range 4000 {
		p, q := 1.0, math.Exp(-5*rng.ExpFloat64())
		if round%8 == 0 {
			q = math.Exp(-720 * rng.Float64())
		}
		if round%2 == 0 {
			p, q = q, p
		}
		got, u := drawn(t, set, DrawShift, p, q)
		for i, v := range u {
			a := p * v
			fused, apart := a/math.FMA(q, 1-v, a), a/(a+q*(1-v))
			if set != vector.Portable && got[i] != fused || math.Abs(got[i]-apart) > 1e-15 {
				t.Fatalf("p=%v, q=%v, u=%v: got %v, want %v", p, q, v, got[i], fused)
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
