package autograd

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
	code  laneCode
	exact bool // the same bits as in Go
	unit  bool // registers in (0, 1)
	make  func(rng *rand.Rand) (op laneOp, args []int32)
}

const (
	testSources   = 8
	testRegisters = testSources + pairsSide*pairsSide + 2
	testArena     = 64
	testBuffer    = 100
)

func laneCases() []laneCase {
	reg := func(rng *rand.Rand) int32 { return int32(rng.IntN(testSources)) }
	num := func(rng *rand.Rand) int32 { return int32(rng.IntN(testArena - 16)) }
	const dst = testSources
	registers := func(rng *rand.Rand) (laneOp, []int32) { return laneOp{dst: dst, a: reg(rng), b: reg(rng)}, nil }
	scalar := func(rng *rand.Rand) (laneOp, []int32) { return laneOp{dst: dst, a: reg(rng), b: num(rng)}, nil }
	pairs := func(second func(*rand.Rand) int32) func(rng *rand.Rand) (laneOp, []int32) {
		return func(rng *rand.Rand) (laneOp, []int32) {
			k := 1 + rng.IntN(9)
			args := []int32{77}
			for range k {
				args = append(args, reg(rng), second(rng))
			}
			return laneOp{dst: dst, a: 1, b: int32(k)}, args
		}
	}
	tile := func(rng *rand.Rand) (laneOp, []int32) {
		joint := rng.IntN(7)
		args := append([]int32{77}, make([]int32, tileHead)...)
		args[1+tileJoint], args[1+tilePanel] = int32(joint), int32(rng.IntN(testArena-4*joint-4))
		for range joint {
			args = append(args, reg(rng))
		}
		rows := 3 + rng.IntN(2) // of three, the last is repeated
		var last []int32
		args[1+tileRows] = maxTileRows
		for r := range maxTileRows {
			args[1+tileDst+r] = dst + int32(min(r, rows-1))
			if r < rows {
				last = nil
				for range rng.IntN(4) {
					last = append(last, reg(rng), num(rng))
				}
			}
			args[1+tileBias+r] = num(rng)
			args[1+tileExtra+r] = int32(len(last) / 2)
			args = append(args, last...)
		}
		if rows == 3 {
			args[1+tileBias+3] = args[1+tileBias+2]
		}
		return laneOp{dst: dst, a: 1, b: int32(rng.IntN(2))}, args
	}
	block := func(rng *rand.Rand) (laneOp, []int32) {
		op := laneOp{dst: dst + pairsSide*pairsSide, a: 1, b: int32(1 + rng.IntN(9))}
		args := append([]int32{77}, make([]int32, pairsHead)...)
		height, width := 1+rng.IntN(pairsSide), 1+rng.IntN(pairsSide)
		args[1+pairsHeight], args[1+pairsWidth] = int32(height), int32(width)
		for i := range pairsSide * pairsSide {
			args[1+pairsDst+i] = op.dst
			if i/pairsSide < height && i%pairsSide < width && rng.IntN(8) > 0 {
				args[1+pairsDst+i] = dst + int32(i)
			}
		}
		for range pairsTerm * op.b {
			args = append(args, reg(rng))
		}
		return op, args
	}
	drawn := func(rng *rand.Rand) (laneOp, []int32) {
		return laneOp{dst: dst, a: int32(rng.IntN(2)), b: num(rng)}, nil
	}
	return []laneCase{
		{code: laneCopy, exact: true, make: registers},
		{code: laneGather, exact: true, make: registers},
		{code: laneFill, exact: true, make: func(rng *rand.Rand) (laneOp, []int32) { return laneOp{dst: dst, a: num(rng)}, nil }},
		{code: laneNeg, exact: true, make: registers},
		{code: laneAdd, exact: true, make: registers},
		{code: laneSub, exact: true, make: registers},
		{code: laneMul, exact: true, make: registers},
		{code: laneMulAdd, make: registers},
		{code: laneScale, exact: true, make: scalar},
		{code: laneNegScale, exact: true, make: scalar},
		{code: laneAddS, exact: true, make: scalar},
		{code: laneSubS, exact: true, make: scalar},
		{code: laneRSubS, exact: true, make: scalar},
		{code: laneDot, make: pairs(num)},
		{code: laneDotPairs, make: pairs(reg)},
		{code: laneTile, make: tile},
		{code: laneTileRelu, make: tile},
		{code: laneTileSquares, make: tile},
		{code: laneBlock, make: block},
		{code: laneRelu, exact: true, make: registers},
		{code: lanePositive, exact: true, make: registers},
		{code: laneSigmoidShift, unit: true, make: scalar},
		{code: laneLess, exact: true, make: scalar},
		{code: laneDraw, exact: true, make: drawn},
		{code: laneDrawLess, exact: true, make: drawn},
		{code: laneDrawShift, unit: true, make: drawn},
		{code: laneSum, make: func(rng *rand.Rand) (laneOp, []int32) { return laneOp{dst: num(rng), a: reg(rng)}, nil }},
		{code: laneSumProduct, make: func(rng *rand.Rand) (laneOp, []int32) { return laneOp{dst: num(rng), a: reg(rng), b: reg(rng)}, nil }},
	}
}

// clearSpare clears the register that a block leaves in any state.
func clearSpare(regs []float64, op laneOp, n int) {
	if op.code == laneBlock {
		clear(regs[int(op.dst)*n:][:n])
	}
}

// TestLaneKernels compares every operation of every kernel set with the one in
// Go: on all lengths up to several vectors, counting lanes up to any number,
// on special values, and in a group of several operations.
func TestLaneKernels(t *testing.T) {
	defer func(set vector.Set) { kernels = set }(kernels)
	for _, set := range vector.Available() {
		if set == vector.Portable {
			continue
		}
		kernels = set
		known := map[laneCode]bool{}
		for _, c := range laneCases() {
			known[c.code] = true
			t.Run(set.String()+"/"+laneNames[c.code], func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(c.code)))
				for n := vectorLen; n <= 12*vectorLen; n += vectorLen {
					for round := range 12 {
						testLaneOp(t, c, rng, n, round%3 == 1 && !c.unit)
					}
				}
			})
		}
		for code := laneCopy; code <= laneDrawShift; code++ {
			if !known[code] {
				t.Errorf("%s: operation %s is not tested", set, laneNames[code])
			}
		}
	}
}

func testLaneOp(t *testing.T, c laneCase, rng *rand.Rand, n int, specials bool) {
	t.Helper()
	op, args := c.make(rng)
	op.code = c.code
	count, width := n-rng.IntN(vectorLen), n+vectorLen*rng.IntN(3)
	regs, arena := sample(rng, testRegisters*n, specials), sample(rng, testArena, specials)
	if specials && !c.exact { // numbers that overflow in another order of summing
		for _, x := range [][]float64{regs, arena} {
			for i, v := range x {
				if math.Abs(v) == math.MaxFloat64 {
					x[i] = 1
				}
			}
		}
	}
	if c.code >= laneTile && c.code <= laneTileSquares && args[1+tileDst+3] == args[1+tileDst+2] {
		for i := range args[1+tileJoint] {
			f := arena[args[1+tilePanel]+maxTileRows*i:]
			f[3] = f[2]
		}
	}
	full := sample(rng, testRegisters*width, specials)
	active := make([]int32, n)
	for i := range active {
		active[i] = int32(rng.IntN(width))
	}
	if c.unit {
		FillUniform(regs, rng.Uint64())
		for i := range arena {
			arena[i] = math.Exp(-math.Abs(3 * arena[i]))
		}
	}
	g := &laneGroup{code: []laneOp{{code: laneNeg, dst: testRegisters - 1, a: testRegisters - 1}, op, {code: laneEnd}}, args: args}
	frameOf := func() *frame {
		return &frame{
			m: slices.Clone(arena), full: slices.Clone(full), buffer: make([]float64, 2*n+testBuffer),
			streams: []vector.Stream{vector.NewStream(1), vector.NewStream(2)},
		}
	}
	got, want := frameOf(), frameOf()
	gotRegs, wantRegs := slices.Clone(regs), slices.Clone(regs)
	g.run(got, gotRegs, width, count, active[:count:n])
	for i := range g.code[:2] {
		g.do(&g.code[i], want, wantRegs, n, count, width, append(active[:count:count], slices.Repeat(active[:1], n-count)...))
	}
	compare := func(what string, got, want []float64) {
		t.Helper()
		for i := range want {
			if c.exact {
				if got[i] != want[i] && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					t.Fatalf("n=%d, %d count, %+v %v: %s %d: got %v, want %v", n, count, op, args, what, i, got[i], want[i])
				}
				continue
			}
			// Sums are taken in another order, and products fused with them.
			scale := 3000.0 // of sums of products of numbers up to 15
			switch {
			case c.unit:
				scale = 0
			case specials && c.code == laneTileSquares: // of sums of products up to 800²
				scale = 1e14
			case specials:
				scale = 1e7
			}
			if !closeTo(got[i], want[i], 1e-15, scale) {
				t.Fatalf("n=%d, %d count, %+v %v: %s %d: got %v, want %v", n, count, op, args, what, i, got[i], want[i])
			}
		}
	}
	clearSpare(gotRegs, op, n)
	clearSpare(wantRegs, op, n)
	compare("lane", gotRegs, wantRegs)
	compare("number", got.m, want.m)
	if !slices.Equal(got.streams, want.streams) {
		t.Fatalf("n=%d, %+v: streams are at %v, want %v", n, op, got.streams, want.streams)
	}
}

// The sets in assembly leave the same bits, sums over lanes included.
func TestKernelSetsAgree(t *testing.T) {
	if !slices.Contains(vector.Available(), vector.AVX512) {
		t.Skip("this processor has no AVX-512")
	}
	defer func(set vector.Set) { kernels = set }(kernels)
	for _, c := range laneCases() {
		rng := rand.New(rand.NewPCG(2, uint64(c.code)))
		for n := vectorLen; n <= 12*vectorLen; n += vectorLen {
			for range 8 {
				testSetsAgree(t, c, rng, n)
			}
		}
	}
}

func testSetsAgree(t *testing.T, c laneCase, rng *rand.Rand, n int) {
	t.Helper()
	op, args := c.make(rng)
	op.code = c.code
	count, width := n-rng.IntN(vectorLen), n+vectorLen*rng.IntN(3)
	g := &laneGroup{code: []laneOp{op, {code: laneEnd}}, args: args}
	active := make([]int32, n)
	for i := range active {
		active[i] = int32(rng.IntN(width))
	}
	regs, arena, full := sample(rng, testRegisters*n, false), sample(rng, testArena, false), sample(rng, testRegisters*width, false)
	if c.unit {
		for i := range arena {
			arena[i] = math.Exp(-math.Abs(3 * arena[i]))
		}
	}
	results := map[vector.Set][]float64{}
	for _, set := range []vector.Set{vector.AVX2, vector.AVX512} {
		kernels = set
		f := &frame{
			m: slices.Clone(arena), full: full, buffer: make([]float64, 2*n+testBuffer),
			streams: []vector.Stream{vector.NewStream(1), vector.NewStream(2)},
		}
		r := slices.Clone(regs)
		g.run(f, r, width, count, active[:count:n])
		clearSpare(r, op, n)
		results[set] = append(r, f.m...)
	}
	for i, want := range results[vector.AVX2] {
		if got := results[vector.AVX512][i]; math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: n=%d, %d count, %+v %v: number %d: got %v, want %v", laneNames[c.code], n, count, op, args, i, got, want)
		}
	}
}

// Operations that draw compare and divide as if the numbers had been stored: bounds at
// a drawn number and beside it, and beyond the numbers that there are; every
// quotient rounded once, factors small enough to underflow included.
func TestFusedDraws(t *testing.T) {
	defer func(set vector.Set) { kernels = set }(kernels)
	const n = 3 * vectorLen
	run := func(code laneCode, arena ...float64) (got, u []float64) {
		f := &frame{m: arena, buffer: make([]float64, 2*n+testBuffer), streams: []vector.Stream{vector.NewStream(uint64(code))}}
		stream := f.streams[0]
		got, u = make([]float64, n), make([]float64, n)
		kernels.Draw(u, &stream)
		g := &laneGroup{code: []laneOp{{code: code}, {code: laneEnd}}}
		g.run(f, got, n, n, nil)
		if f.streams[0] != stream {
			t.Fatalf("%s: %s: the stream is at %v, want %v", kernels, laneNames[code], f.streams[0], stream)
		}
		return got, u
	}
	for _, kernels = range vector.Available() {
		_, u := run(laneDrawLess, 0)
		bounds := []float64{0, math.Copysign(0, -1), 0x1p-53, math.Nextafter(0x1p-53, 1), 0x1p-1074, 1, math.Nextafter(1, 0), 2, -1, math.NaN(), math.Inf(1), math.Inf(-1)}
		for _, v := range u {
			bounds = append(bounds, math.Nextafter(v, 0), v, math.Nextafter(v, 1))
		}
		for _, p := range bounds {
			got, u := run(laneDrawLess, p)
			for i, v := range u {
				want := 0.0
				if v < p {
					want = 1
				}
				if got[i] != want {
					t.Errorf("%s: 1[%v < %v] is %v", kernels, v, p, got[i])
				}
			}
		}
		rng := rand.New(rand.NewPCG(7, 0))
		for round := range 4000 {
			p, q := 1.0, math.Exp(-5*rng.ExpFloat64())
			if round%8 == 0 {
				q = math.Exp(-720 * rng.Float64())
			}
			if round%2 == 0 {
				p, q = q, p
			}
			got, u := run(laneDrawShift, p, q)
			for i, v := range u {
				a := p * v
				fused, apart := a/math.FMA(q, 1-v, a), a/(a+q*(1-v))
				if kernels != vector.Portable && got[i] != fused || math.Abs(got[i]-apart) > 1e-15 {
					t.Fatalf("%s: p=%v, q=%v, u=%v: got %v, want %v", kernels, p, q, v, got[i], fused)
				}
			}
		}
	}
}

// Panels are scaled alike by every kernel set, special values included.
func TestScalePanels(t *testing.T) {
	defer func(set vector.Set) { kernels = set }(kernels)
	rng := rand.New(rand.NewPCG(9, 0))
	for _, kernels = range vector.Available() {
		rows := rowsPerTile()
		for n := range 12 {
			const scaled = 8 // numbers that constants are multiplied with
			lv := &laneLevel{scaleFrom: scaled, scaleTo: scaled + rows*n}
			for range n {
				lv.scales = append(lv.scales, int32(rng.IntN(scaled)))
			}
			m := sample(rng, scaled+2*rows*n, true)
			want := slices.Clone(m)
			scalePanels(m, lv)
			scalePanelsGo(want, lv)
			if !slices.EqualFunc(m, want, func(x, y float64) bool { return x == y || x != x && y != y }) {
				t.Fatalf("%s: %d terms scaled by %v: got %v, want %v", kernels, n, lv.scales, m, want)
			}
		}
	}
}
