package autograd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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

// laneCase makes one operation on some of the registers 0 to 11, which it
// does not write twice, with operands in args and factors in the arena.
type laneCase struct {
	code  laneCode
	exact bool // the same bits as in Go
	unit  bool // registers in (0, 1)
	make  func(rng *rand.Rand) (op laneOp, args []int32)
}

const (
	testRegisters = 12
	testArena     = 64
)

func laneCases() []laneCase {
	reg := func(rng *rand.Rand) int32 { return int32(rng.IntN(testRegisters - 4)) }
	num := func(rng *rand.Rand) int32 { return int32(rng.IntN(testArena - 16)) }
	const dst = testRegisters - 4
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
		joint := 1 + rng.IntN(6)
		args := append([]int32{77}, make([]int32, tileHead)...)
		args[1+tileJoint], args[1+tilePanel] = int32(joint), int32(rng.IntN(testArena-4*joint))
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
			args[1+tileExtra+r] = int32(len(last) / 2)
			args = append(args, last...)
		}
		return laneOp{dst: dst, a: 1, b: int32(rng.IntN(2))}, args
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
		{code: laneRelu, exact: true, make: registers},
		{code: lanePositive, exact: true, make: registers},
		{code: laneSigmoidShift, unit: true, make: scalar},
		{code: laneLess, exact: true, make: scalar},
		{code: laneSum, make: func(rng *rand.Rand) (laneOp, []int32) { return laneOp{dst: num(rng), a: reg(rng)}, nil }},
		{code: laneSumProduct, make: func(rng *rand.Rand) (laneOp, []int32) { return laneOp{dst: num(rng), a: reg(rng), b: reg(rng)}, nil }},
	}
}

// TestLaneKernels compares every operation of every kernel set with the one in
// Go: on all lengths up to several vectors, counting lanes up to any number,
// on special values, and in a group of several operations.
func TestLaneKernels(t *testing.T) {
	defer func(k kernelSet) { kernels = k }(kernels)
	for _, set := range available {
		if set.lanes == nil {
			continue
		}
		kernels = set
		known := map[laneCode]bool{}
		for _, c := range laneCases() {
			known[c.code] = true
			t.Run(set.name+"/"+laneNames[c.code], func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(c.code)))
				for n := vectorLen; n <= 12*vectorLen; n += vectorLen {
					for round := range 12 {
						testLaneOp(t, &set, c, rng, n, round%3 == 1 && !c.unit)
					}
				}
			})
		}
		for code := laneCopy; code < laneExp; code++ {
			if !known[code] {
				t.Errorf("%s: operation %s is not tested", set.name, laneNames[code])
			}
		}
	}
}

func testLaneOp(t *testing.T, set *kernelSet, c laneCase, rng *rand.Rand, n int, specials bool) {
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
	if len(args) > tileHead && args[1+tileDst+3] == args[1+tileDst+2] {
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
		return &frame{m: slices.Clone(arena), full: slices.Clone(full), buffer: make([]float64, 2*n)}
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
	compare("lane", gotRegs, wantRegs)
	compare("number", got.m, want.m)
}

// TestReductionKernels compares sums of exponentials and maxima of any length.
func TestReductionKernels(t *testing.T) {
	for i := range available {
		set := &available[i]
		rng := rand.New(rand.NewPCG(5, 6))
		for n := 1; n < 70; n++ {
			x := sample(rng, n, false)
			for i := range x {
				x[i] *= 100
			}
			top := slices.Max(x)
			if got := set.max(x); got != top {
				t.Errorf("%s: maximum of %d numbers: got %v, want %v", set.name, n, got, top)
			}
			want := 0.0
			for _, v := range x {
				want += math.Exp(v - top)
			}
			if got := set.sumExp(x, top); !closeTo(got, want, 1e-14, 0) {
				t.Errorf("%s: sum of %d exponentials: got %v, want %v", set.name, n, got, want)
			}
			x[rng.IntN(n)] = math.NaN()
			if got := set.max(x); !math.IsNaN(got) {
				t.Errorf("%s: maximum of %d numbers with a NaN: got %v", set.name, n, got)
			}
		}
		if got := set.max([]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1)}); !math.IsInf(got, -1) {
			t.Errorf("%s: maximum of −Inf: got %v", set.name, got)
		}
	}
}

// TestExpAccuracy bounds the error of the vector exponential by 2 units in the
// last place over the whole range in which the result is a normal number.
func TestExpAccuracy(t *testing.T) {
	for i := range available {
		set := &available[i]
		x, y := make([]float64, 1<<16), make([]float64, 1<<16)
		for i := range x {
			x[i] = -708 + 1416*(float64(i)+0.5)/float64(len(x))
		}
		set.exp(y, x)
		worst := 0.0
		for i, v := range x {
			want := math.Exp(v)
			worst = math.Max(worst, math.Abs(y[i]-want)/(math.Nextafter(want, math.Inf(1))-want))
		}
		if worst > 2 {
			t.Errorf("%s: error of %v units in the last place, want at most 2", set.name, worst)
		}
	}
}

// TestUniformKernels: the same numbers from every kernel set, for every length.
func TestUniformKernels(t *testing.T) {
	defer func(k kernelSet) { kernels = k }(kernels)
	want := make([]float64, 200)
	kernels = portable
	FillUniform(want, 42)
	for _, set := range available {
		kernels = set
		for n := range want {
			got := make([]float64, n)
			FillUniform(got, 42)
			// A tail shorter than a vector is the start of the next vector.
			if !slices.Equal(got, want[:n]) {
				t.Fatalf("%s: %d numbers differ from the portable ones", set.name, n)
			}
		}
	}
	if got := fmt.Sprintf("%.17g %.17g %.17g", want[0], want[1], want[8]); got != uniformGolden {
		t.Errorf("stream of seed 42 starts %s, want %s", got, uniformGolden)
	}
}

// TestUniformStatistics: moments, Kolmogorov–Smirnov distance, and correlations
// between neighbours, lanes and streams, all within five standard errors.
func TestUniformStatistics(t *testing.T) {
	const n = 1 << 17
	x, y := make([]float64, n), make([]float64, n)
	FillUniform(x, 7)
	FillUniform(y, 8)
	var mean, square float64
	for _, v := range x {
		if !(v > 0 && v < 1) {
			t.Fatalf("drew %v, want a number strictly inside (0, 1)", v)
		}
		mean += v / n
		square += (v - 0.5) * (v - 0.5) / n
	}
	if se := math.Sqrt(1.0 / 12 / n); math.Abs(mean-0.5) > 5*se {
		t.Errorf("mean %v, want 0.5 ± 5·%v", mean, se)
	}
	if se := math.Sqrt(1.0 / 180 / n); math.Abs(square-1.0/12) > 5*se {
		t.Errorf("variance %v, want 1/12 ± 5·%v", square, se)
	}
	correlation := func(what string, pair func(i int) (a, b float64), count int) {
		c := 0.0
		for i := range count {
			a, b := pair(i)
			c += (a - 0.5) * (b - 0.5) * 12 / float64(count)
		}
		if se := 1 / math.Sqrt(float64(count)); math.Abs(c) > 5*se {
			t.Errorf("correlation of %s is %v, want 0 ± 5·%v", what, c, se)
		}
	}
	for lag := 1; lag <= 16; lag++ {
		correlation(fmt.Sprintf("numbers %d apart", lag), func(i int) (a, b float64) { return x[i], x[i+lag] }, n-lag)
	}
	correlation("neighbouring seeds", func(i int) (a, b float64) { return x[i], y[i] }, n)
	slices.Sort(x)
	ks := 0.0
	for i, v := range x {
		ks = math.Max(ks, math.Max(math.Abs(v-float64(i)/n), math.Abs(v-float64(i+1)/n)))
	}
	if limit := 1.95 / math.Sqrt(n); ks > limit { // probability 0.001
		t.Errorf("Kolmogorov–Smirnov distance %v, want below %v", ks, limit)
	}
}

// uniformGolden are numbers 0, 1 and 8 of the stream of seed 42; they must not
// change, because seeded results depend on them.
const uniformGolden = "0.78912375730835949 0.7051677179375665 0.16134850919301169"

func TestChooseKernels(t *testing.T) {
	if k, err := chooseKernels(""); err != nil || k.name != available[len(available)-1].name {
		t.Errorf("default: got %s, %v, want the last available", k.name, err)
	}
	if k, err := chooseKernels("portable"); err != nil || k.name != "portable" {
		t.Errorf("portable: got %s, %v", k.name, err)
	}
	if _, err := chooseKernels("mmx"); err == nil {
		t.Error("unknown name: got no error")
	}
}
