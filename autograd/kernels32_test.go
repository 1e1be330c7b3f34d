package autograd

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/vector"
)

// sampleSingle draws n numbers like sample, with the extremes of float32 for those
// of float64.
func sampleSingle(rng *rand.Rand, n int, specials bool) []float32 {
	x := make([]float32, n)
	for i, v := range sample(rng, n, specials) {
		switch {
		case math.Abs(v) == math.MaxFloat64:
			v = math.Copysign(math.MaxFloat32, v)
		case v != 0 && math.Abs(v) < 1e-300:
			v = math.Copysign(1e-40, v)
		}
		x[i] = float32(v)
	}
	return x
}

func widened(x []float32) []float64 {
	y := make([]float64, len(x))
	widen(y, x)
	return y
}

// TestSingleLaneKernels compares every operation in float32 of every kernel set
// with the one in Go, in the cases of TestLaneKernels.
func TestSingleLaneKernels(t *testing.T) {
	defer func(set vector.Set) { kernels = set }(kernels)
	for _, set := range vector.Available() {
		if set == vector.Portable {
			continue
		}
		kernels = set
		for _, c := range laneCases() {
			t.Run(set.String()+"/"+laneNames[c.code], func(t *testing.T) {
				rng := rand.New(rand.NewPCG(2, uint64(c.code)))
				for n := vectorLen32; n <= 10*vectorLen32; n += vectorLen32 {
					for round := range 12 {
						testSingleLaneOp(t, c, rng, n, round%3 == 1 && !c.unit)
					}
				}
			})
		}
	}
}

func testSingleLaneOp(t *testing.T, c laneCase, rng *rand.Rand, n int, specials bool) {
	t.Helper()
	op, args := c.make(rng)
	op.code = c.code
	count, width := n-rng.IntN(vectorLen32), n+vectorLen32*rng.IntN(3)
	regs, arena := sampleSingle(rng, testRegisters*n, specials), sampleSingle(rng, testArena, specials)
	if specials && !c.exact { // numbers that overflow in another order of summing
		for _, x := range [][]float32{regs, arena} {
			for i, v := range x {
				if math.Abs(float64(v)) == math.MaxFloat32 {
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
	full := sampleSingle(rng, testRegisters*width, specials)
	active := make([]int32, n)
	for i := range active {
		active[i] = int32(rng.IntN(width))
	}
	if c.unit {
		u := make([]float64, len(regs))
		FillUniform(u, rng.Uint64())
		round(regs, u)
		for i := range arena {
			arena[i] = float32(math.Exp(-math.Abs(3 * float64(arena[i]))))
		}
	}
	wide := widened(arena) // what lanes are added to has more digits
	for i := range wide {
		wide[i] += 1e-9 * rng.NormFloat64()
	}
	g := &laneGroup{code: []laneOp{{code: laneNeg, dst: testRegisters - 1, a: testRegisters - 1}, op, {code: laneEnd}}, args: args}
	frameOf := func() *frame {
		return &frame{
			m: slices.Clone(wide), buffer: make([]float64, 2*n+testBuffer),
			streams: []vector.Stream{vector.NewStream(1), vector.NewStream(2)},
			single:  &singleFrame{m: slices.Clone(arena), full: slices.Clone(full), buffer: make([]float32, 2*n)},
		}
	}
	got, want := frameOf(), frameOf()
	gotRegs, wantRegs := slices.Clone(regs), slices.Clone(regs)
	g.runSingle(got, gotRegs, width, count, active[:count:n])
	for i := range g.code[:2] {
		g.doSingle(&g.code[i], want, wantRegs, n, count, width, append(active[:count:count], slices.Repeat(active[:1], n-count)...))
	}
	// Sums are taken in another order, and products fused with them.
	scale := 3000.0 // of sums of products of numbers up to 15
	switch {
	case c.exact, c.unit:
		scale = 0
	case specials && c.code == laneTileSquares: // of sums of products up to 800²
		scale = 1e14
	case specials:
		scale = 1e7
	}
	compare := func(what string, got, want []float64, tol float64) {
		t.Helper()
		if c.exact {
			tol = 0
		}
		for i := range want {
			if !closeTo(got[i], want[i], tol, scale) {
				t.Fatalf("n=%d, %d count, %+v %v: %s %d: got %v, want %v", n, count, op, args, what, i, got[i], want[i])
			}
		}
	}
	clearSpare(gotRegs, op, n)
	clearSpare(wantRegs, op, n)
	compare("lane", widened(gotRegs), widened(wantRegs), 0x1p-21)
	compare("number", got.m, want.m, 1e-15)
	if !slices.Equal(got.streams, want.streams) {
		t.Fatalf("n=%d, %+v: streams are at %v, want %v", n, op, got.streams, want.streams)
	}
}

func TestSingleKernelSetsAgree(t *testing.T) {
	testSetsAgree(t, vectorLen32, func(c laneCase, g *laneGroup, rng *rand.Rand, n, count, width int, active []int32) func() []float64 {
		regs, wide, full := sampleSingle(rng, testRegisters*n, false), sample(rng, testArena, false), sampleSingle(rng, testRegisters*width, false)
		if c.unit {
			for i := range wide {
				wide[i] = math.Exp(-math.Abs(3 * wide[i]))
			}
		}
		return func() []float64 {
			f := &frame{
				m: slices.Clone(wide), buffer: make([]float64, 2*n+testBuffer),
				streams: []vector.Stream{vector.NewStream(1), vector.NewStream(2)},
				single:  &singleFrame{m: make([]float32, testArena), full: full, buffer: make([]float32, 2*n)},
			}
			round(f.single.m, f.m)
			r := slices.Clone(regs)
			g.runSingle(f, r, width, count, active)
			clearSpare(r, g.code[0], n)
			return append(widened(r), f.m...)
		}
	})
}

// Operations read no other numbers of the arena's copy than those that numbers and
// their panels say.
func TestSingleNumbers(t *testing.T) {
	for _, c := range laneCases() {
		rng := rand.New(rand.NewPCG(6, uint64(c.code)))
		for range 40 {
			const n = vectorLen32
			op, args := c.make(rng)
			op.code = c.code
			m := slices.Repeat([]float32{float32(math.NaN())}, testArena)
			op.numbers(args, func(off int32) { m[off] = 0.5 })
			if c.code >= laneTile && c.code <= laneTileSquares {
				copy(m[args[1+tilePanel]:], slices.Repeat([]float32{0.5}, maxTileRows*int(args[1+tileJoint])))
			}
			f := &frame{
				m: make([]float64, testArena), buffer: make([]float64, 2*n+testBuffer), streams: make([]vector.Stream, 2),
				single: &singleFrame{m: m, full: make([]float32, testRegisters*n), buffer: make([]float32, 2*n)},
			}
			g := &laneGroup{code: []laneOp{op, {code: laneEnd}}, args: args}
			r := slices.Repeat([]float32{0.25}, testRegisters*n)
			g.runSingle(f, r, n, n, make([]int32, n))
			clearSpare(r, op, n)
			if c.code == laneLess || c.code == laneDrawLess { // of NaN it is 0
				for i, v := range r[int(op.dst)*n:][:n] {
					r[int(op.dst)*n+i] = 1 / v
				}
			}
			if i := slices.IndexFunc(r, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }); i >= 0 {
				t.Fatalf("%s: %+v %v: lane %d: got %v", laneNames[c.code], op, args, i, r[i])
			}
		}
	}
}

// Drawn numbers are rounded and compared as by Go, in every kernel set: at bounds in
// all of [0, 1] and beyond, numbers on both sides of where rounding reaches the bound,
// and halfway to it.
func TestSingleDraws(t *testing.T) {
	defer func(set vector.Set) { kernels = set }(kernels)
	const n = vectorLen32
	infinity := float32(math.Inf(1))
	bounds := []float32{0, float32(math.Copysign(0, -1)), 1e-45, 1e-40, 0x1p-53, 0x1p-31, 1. / 3, 0.5, below1, 1, 2, -1, infinity, -infinity, float32(math.NaN())}
	for p, i := float32(0x1p-29), 0; i < 8; i++ { // halfway is a number that is drawn
		bounds = append(bounds, p)
		p = math.Nextafter32(p, 1)
	}
	for _, p := range bounds[2:12] {
		bounds = append(bounds, math.Nextafter32(p, 0), math.Nextafter32(p, 2))
	}
	for _, kernels = range vector.Available() {
		for _, p := range bounds {
			const most = 1<<52 - 1
			half := (float64(p) + float64(math.Nextafter32(p, -1))) / 2 * 0x1p52
			if !(half > 0) {
				half = 0
			}
			from := int(min(half, most)) - vectorLen/2
			stream, u := vector.NewStream(1), make([]float64, n)
			for i := range vectorLen { // outputs are rotl(s₀ + s₃, 23) + s₀
				k := min(max(from+i, 0), most)
				stream[i], stream[3*vectorLen+i] = 0, bits.RotateLeft64(uint64(k)<<12, -23)
			}
			f := &frame{m: []float64{0}, single: &singleFrame{m: []float32{p}}, buffer: make([]float64, 2*n), streams: []vector.Stream{stream, stream}}
			kernels.Draw(u, &stream)
			if want := float64(2*max(from, 0)+1) * 0x1p-53; u[0] != want {
				t.Fatalf("%s: %v is drawn, want %v", kernels, u[0], want)
			}
			drawn, less, want := make([]float32, n), make([]float32, n), make([]float32, n)
			for i, op := range []laneOp{{code: laneDraw}, {code: laneDrawLess, a: 1}} {
				g := &laneGroup{code: []laneOp{op, {code: laneEnd}}}
				g.runSingle(f, [][]float32{drawn, less}[i], n, n, nil)
				if f.streams[i] != stream {
					t.Errorf("%s: %s: the stream is at %v, want %v", kernels, laneNames[op.code], f.streams[i], stream)
				}
			}
			roundGo(want, u)
			for i, v := range want {
				if drawn[i] != v || (less[i] == 1) != (v < p) || (less[i] == 0) != !(v < p) {
					t.Errorf("%s: %v is drawn as %v, want %v; 1[%v < %v] is %v", kernels, u[i], drawn[i], v, v, p, less[i])
				}
			}
		}
	}
}

// TestRound: every kernel set rounds to the nearest float32, but no number below 1
// to 1, on all lengths and special values.
func TestRound(t *testing.T) {
	defer func(set vector.Set) { kernels = set }(kernels)
	below := math.Nextafter(1, 0)
	cases := append(slices.Clone(special), below, 1-0x1p-25, 1-0x1p-24, math.Nextafter(1-0x1p-24, 1), math.Nextafter(1-0x1p-24, 0), 0x1p-53, 1+0x1p-24, math.Pi)
	for _, set := range vector.Available() {
		kernels = set
		rng := rand.New(rand.NewPCG(3, 3))
		for n := range 40 {
			x, got := make([]float64, n), make([]float32, n+1)
			for i := range x {
				x[i] = cases[rng.IntN(len(cases))]
			}
			round(got[:n], x)
			for i, v := range x {
				want := float32(v)
				if v < 1 && want == 1 {
					want = below1
				}
				if got[i] != want && !(math.IsNaN(v) && got[i] != got[i]) {
					t.Fatalf("%v: %d of %d: %v becomes %v, want %v", set, i, n, v, got[i], want)
				}
			}
			if got[n] != 0 {
				t.Fatalf("%v: %d numbers, and one more was written", set, n)
			}
		}
	}
}
