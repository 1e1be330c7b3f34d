package autograd

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"tobac/internal/vector"
)

// A lane program in float32 is the one in float64 with registers of float32: the
// operations, their order and the levels are the same. Numbers of the uniform
// arena are float64 there, where reductions over lanes write and additions read
// them, and have a copy in float32, which other operations read.

// vectorLen32 is the number of lanes that registers of float32 are rounded up to.
const vectorLen32 = 16

// below1 is the largest float32 below 1.
const below1 = 1 - 0x1p-24

// A singleFrame is the part of a frame that is float32.
type singleFrame struct {
	m       []float32 // copy of the arena
	full    []float32 // registers of all lanes
	packed  []float32 // registers of selected lanes
	buffer  []float32 // of operations that need one
	input   []float64 // an input before rounding
	machine singleMachine
}

// newSingleFrame makes one for an arena that holds the constants.
func newSingleFrame(p *Program, m []float64) *singleFrame {
	lp := p.lane
	s := &singleFrame{
		m:      make([]float32, len(m)),
		full:   make([]float32, max(lp.full, lp.stored)*lp.width),
		packed: make([]float32, lp.packed*lp.width),
		buffer: make([]float32, 2*lp.width),
	}
	input := 0
	for _, in := range lp.inputs {
		input = max(input, len(in.v.slot)*lp.width)
	}
	s.input = make([]float64, input)
	round(s.m, m)
	return s
}

// lane is number i of the registers of all lanes.
func (f *frame) lane(i int) float64 {
	if f.single != nil {
		return float64(f.single.full[i])
	}
	return f.full[i]
}

// roundInput brings input i, which has been loaded, into its registers.
func (c *compiled) roundInput(f *frame, v *value, i int) {
	x, _ := c.place(f, v, i)
	for _, in := range c.lane.inputs {
		if in.index == i {
			round(f.single.full[in.first*c.lane.width:][:len(x)], x)
		}
	}
}

// roundGo is round in portable Go.
func roundGo(dst []float32, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		if v > below1 && v < 1 {
			v = below1
		}
		dst[i] = float32(v)
	}
}

func widen(dst []float64, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float64(v)
	}
}

// prepare brings the copy of the arena up to date for the groups of a level.
func (s *singleFrame) prepare(lv *laneLevel, m []float64) {
	for _, r := range lv.rounded {
		round(s.m[r.from:r.to], m[r.from:r.to])
	}
	scalePanelsGo(s.m, lv)
	gather(s.m, lv.panels)
}

// A span is a range of the arena.
type span struct{ from, to int }

// findRounded finds the spans of the arena that groups of the level read from the
// copy: whole vectors if there is room before the panels, constants left out.
func (lv *laneLevel) findRounded(constants, panelsAt int) {
	var read []int
	note := func(off int32) {
		if int(off) >= constants {
			read = append(read, int(off))
		}
	}
	for _, off := range lv.scales {
		note(off)
	}
	for _, p := range lv.panels {
		for _, off := range p.factors {
			note(off)
		}
	}
	for _, g := range lv.groups {
		for _, op := range g.code {
			op.numbers(g.args, note)
		}
	}
	slices.Sort(read)
	for _, off := range read {
		from, to := off&^(vectorLen-1), min(roundUp(off+1, vectorLen), panelsAt)
		if k := len(lv.rounded) - 1; k >= 0 && from <= lv.rounded[k].to+vectorLen32 {
			lv.rounded[k].to = to
		} else {
			lv.rounded = append(lv.rounded, span{from, to})
		}
	}
}

// numbers calls f for every number of the uniform arena, but for those in panels,
// that the operation reads in the precision of registers.
func (op *laneOp) numbers(args []int32, f func(int32)) {
	switch op.code {
	case laneFill:
		f(op.a)
	case laneScale, laneNegScale, laneLess, laneDrawLess:
		f(op.b)
	case laneSigmoidShift, laneDrawShift:
		f(op.b)
		f(op.b + 1)
	case laneDot:
		for i := range op.b {
			f(args[op.a+2*i+1])
		}
	case laneTile, laneTileRelu, laneTileSquares:
		t := args[op.a:]
		at := tileHead + t[tileJoint]
		for r := range t[tileRows] {
			f(t[tileBias+r])
			for range t[tileExtra+r] {
				f(t[at+1])
				at += 2
			}
		}
	}
}

// register is a register of all lanes, the first ones of width, in either precision.
func (f *frame) register(reg int32, width, lanes int) []float64 {
	if f.single == nil {
		return f.full[int(reg)*width:][:lanes]
	}
	x := f.buffer[:lanes]
	widen(x, f.single.full[int(reg)*width:])
	return x
}

// runIn executes the group in the frame's registers of either precision: those of
// all lanes, or those of the active ones.
func (g *laneGroup) runIn(f *frame, width, count int, active []int32) {
	switch s := f.single; {
	case s != nil && active != nil:
		g.runSingle(f, s.packed, width, count, active)
	case s != nil:
		g.runSingle(f, s.full, width, count, nil)
	case active != nil:
		g.run(f, f.packed, width, count, active)
	default:
		g.run(f, f.full, width, count, nil)
	}
}

// A singleMachine is a [laneMachine] of float32. Kernels in assembly read it by
// offset.
type singleMachine struct {
	code       *laneOp  // operations, the last one laneEnd
	args       *int32   // pool of operands
	m          *float32 // copy of the uniform arena
	r          *float32 // registers
	full       *float32 // registers of all lanes, which laneGather reads
	active     *int32   // selected lanes, n of them
	tail       *uint32  // masks of the last vectorLen32 lanes: all ones where they count
	n          int      // lanes of a register, a multiple of vectorLen32
	stride     int      // bytes between registers
	fullStride int      // bytes between registers of full
	streams    *vector.Stream
	buffer     *float64 // for operations that need one
	wide       *float64 // uniform arena
}

// tailMasks32 has, from index vectorLen32−c on, masks of vectorLen32 lanes of
// which the first c count.
var tailMasks32 = func() (masks [2 * vectorLen32]uint32) {
	for i := range vectorLen32 {
		masks[i] = ^uint32(0)
	}
	return masks
}()

// runSingle executes the group on count lanes, in registers r of float32, as
// [laneGroup.run] does.
func (g *laneGroup) runSingle(f *frame, r []float32, width, count int, active []int32) {
	n := width
	if active != nil {
		n = roundUp(count, vectorLen32)
		for len(active) < n { // there is room: the width is a multiple of vectorLen32
			active = append(active, active[0])
		}
	}
	s := f.single
	if len(r) == 0 { // nothing but constants
		r = s.buffer
	}
	x := &s.machine
	*x = singleMachine{
		code: &g.code[0], m: &s.m[0], r: &r[0], buffer: &f.buffer[0], wide: &f.m[0],
		tail: &tailMasks32[n-count], n: n, stride: 4 * n, fullStride: 4 * width,
	}
	if len(g.args) > 0 {
		x.args = &g.args[0]
	}
	if len(f.streams) > 0 {
		x.streams = &f.streams[0]
	}
	if active != nil {
		x.full, x.active = &s.full[0], &active[0]
	}
	for pc := 0; ; pc++ {
		pc = runSingleLanes(x, pc)
		if g.code[pc].code == laneEnd {
			return
		}
		g.doSingle(&g.code[pc], f, r, n, count, width, active)
	}
}

// doSingle executes one operation in portable Go.
func (g *laneGroup) doSingle(op *laneOp, f *frame, regs []float32, n, count, width int, active []int32) {
	s := f.single
	m := s.m
	base := unsafe.Pointer(unsafe.SliceData(regs)) // see [laneGroup.do]
	r := func(reg int32) []float32 {
		return unsafe.Slice((*float32)(unsafe.Add(base, uintptr(reg)*uintptr(4*n))), n)
	}
	switch op.code {
	case laneCopy:
		copy(r(op.dst), r(op.a))
	case laneGather:
		src, dst := s.full[int(op.a)*width:][:width], r(op.dst)
		for k, l := range active[:n] {
			dst[k] = src[l]
		}
	case laneFill:
		fill(r(op.dst), m[op.a])
	case laneNeg:
		negVec(r(op.dst), r(op.a))
	case laneAdd:
		addVV(r(op.dst), r(op.a), r(op.b))
	case laneSub:
		subVV(r(op.dst), r(op.a), r(op.b))
	case laneMul:
		mulVV(r(op.dst), r(op.a), r(op.b))
	case laneMulAdd:
		mulAddVV(r(op.dst), r(op.a), r(op.b))
	case laneScale:
		mulVS(r(op.dst), r(op.a), m[op.b])
	case laneNegScale:
		mulVS(r(op.dst), r(op.a), -m[op.b])
	case laneAddS:
		addWide(r(op.dst), r(op.a), f.m[op.b])
	case laneSubS:
		addWide(r(op.dst), r(op.a), -f.m[op.b])
	case laneRSubS:
		rsubWide(r(op.dst), f.m[op.b], r(op.a))
	case laneDot:
		dotLanes(r(op.dst), m, regs, n, g.args[op.a:][:2*op.b])
	case laneDotPairs:
		pairs := g.args[op.a:][:2*op.b]
		mulVV(r(op.dst), r(pairs[0]), r(pairs[1]))
		for i := 2; i < len(pairs); i += 2 {
			mulAddVV(r(op.dst), r(pairs[i]), r(pairs[i+1]))
		}
	case laneTile, laneTileRelu:
		tileRowsOf(op, g.args, m, regs, s.buffer, n)
	case laneTileSquares:
		tileSquares(op, g.args, m, regs, s.buffer, n)
	case laneBlock:
		blockOf(op, g.args, regs, n)
	case laneRelu:
		reluVec(r(op.dst), r(op.a))
	case lanePositive:
		positiveSingle(r(op.dst), r(op.a))
	case laneSigmoidShift:
		shiftVS(r(op.dst), r(op.a), m[op.b], m[op.b+1])
	case laneLess:
		lessSingle(r(op.dst), r(op.a), m[op.b])
	case laneExp:
		throughFloat64(r(op.dst), r(op.a), f.buffer, kernels.Exp)
	case laneUnary:
		throughFloat64(r(op.dst), r(op.a), f.buffer, g.unary[op.b].vec)
	case laneBinary:
		x, y := f.buffer[:n], f.buffer[n:][:n]
		widen(x, r(op.a))
		widen(y, r(g.args[op.b]))
		g.binary[g.args[op.b+1]].vv(x, x, y)
		round(r(op.dst), x)
	case laneWhere:
		whereVec(r(op.dst), r(op.a), r(g.args[op.b]), r(g.args[op.b+1]))
	case laneDraw, laneDrawLess, laneDrawShift:
		x, u := f.buffer[:n], r(op.dst)
		kernels.Draw(x, &f.streams[op.a])
		round(u, x)
		switch op.code {
		case laneDrawLess:
			lessSingle(u, u, m[op.b])
		case laneDrawShift:
			shiftVS(u, u, m[op.b], m[op.b+1])
		}
	case laneSum:
		x := f.buffer[:count]
		widen(x, r(op.a))
		f.m[op.dst] = sumStrided(x, 1, count)
	case laneSumProduct:
		x, y := f.buffer[:count], f.buffer[n:][:count]
		widen(x, r(op.a))
		widen(y, r(op.b))
		f.m[op.dst] = sumProduct(x, y)
	case laneLogSumExp:
		x := f.buffer[:count]
		widen(x, r(op.a))
		f.m[op.dst] = logSumExpLanes(x)
	case laneSumConst:
		f.m[op.dst] = float64(count) * f.m[op.a]
	case laneShiftConst:
		f.m[op.dst] = f.m[op.a] + math.Log(float64(count))
	default:
		panic(fmt.Sprintf("autograd: unknown lane operation %d in float32", op.code))
	}
}

// throughFloat64 is dst = kernel of x, computed in float64 in the two halves of a
// buffer.
func throughFloat64(dst, x []float32, buffer []float64, kernel func(dst, x []float64)) {
	n := len(x)
	from, to := buffer[:n], buffer[n:][:n]
	widen(from, x)
	kernel(to, from)
	round(dst, to)
}

// addWide is dst = a + b, rounded once.
//
//go:noinline
func addWide(dst, a []float32, b float64) {
	a = a[:len(dst)]
	for i, v := range a {
		dst[i] = float32(float64(v) + b)
	}
}

// rsubWide is dst = a − b, rounded once.
//
//go:noinline
func rsubWide(dst []float32, a float64, b []float32) {
	b = b[:len(dst)]
	for i, v := range b {
		dst[i] = float32(a - float64(v))
	}
}

//go:noinline
func positiveSingle(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(positive(float64(v)))
	}
}

// lessSingle is lessVS in float32.
//
//go:noinline
func lessSingle(dst, u []float32, p float32) {
	u = u[:len(dst)]
	const one = 0x3f800000
	for i := range dst {
		d := u[i] - p + 0 // not −0
		if d != d {       // NaN, or equal infinities
			d = 0
		}
		dst[i] = math.Float32frombits(math.Float32bits(d) >> 31 * one)
	}
}
