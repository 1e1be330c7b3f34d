package autograd

import (
	"fmt"
	"math"
	"unsafe"

	"tobac/internal/vector"
)

// laneCode is the operation of a laneOp.
type laneCode int32

// In the comments r is a register, m a number of the uniform arena, and args the
// pool of operands of the group. The operations up to laneDrawShift are those
// that a kernel set may run by itself; laneEnd and the others return to Go.
const (
	laneEnd          laneCode = iota // ends every group
	laneCopy                         // r[dst] = r[a]
	laneGather                       // r[dst] = the selected lanes of kept register a
	laneFill                         // r[dst] = m[a]
	laneNeg                          // r[dst] = −r[a]
	laneAdd                          // r[dst] = r[a] + r[b]
	laneSub                          // r[dst] = r[a] − r[b]
	laneMul                          // r[dst] = r[a]·r[b]
	laneMulAdd                       // r[dst] += r[a]·r[b]
	laneScale                        // r[dst] = m[b]·r[a]
	laneNegScale                     // r[dst] = −m[b]·r[a]
	laneAddS                         // r[dst] = r[a] + m[b]
	laneSubS                         // r[dst] = r[a] − m[b]
	laneRSubS                        // r[dst] = m[b] − r[a]
	laneDot                          // r[dst] = Σ r·m over b pairs at args[a]
	laneDotPairs                     // r[dst] = Σ r·r over b pairs at args[a]
	laneTile                         // sums of products: the tile at args[a]
	laneTileRelu                     // the same, max(·, 0)
	laneTileSquares                  // r[dst] = Σ squares of the sums, added to r[dst] if b is not 0
	laneBlock                        // sums of products of registers over b terms: the block at args[a]
	laneRelu                         // r[dst] = max(r[a], 0)
	lanePositive                     // r[dst] = 1[r[a] > 0]
	laneSigmoidShift                 // r[dst] = p·r[a]/(p·r[a] + q·(1−r[a])), p = m[b], q = m[b+1]
	laneLess                         // r[dst] = 1[r[a] < m[b]]
	laneSum                          // m[dst] = Σ lanes of r[a]
	laneSumProduct                   // m[dst] = Σ lanes of r[a]·r[b]
	laneDraw                         // r[dst] = the next uniform numbers of stream a
	laneDrawLess                     // r[dst] = 1[u < m[b]] for the next uniform numbers u of stream a
	laneDrawShift                    // r[dst] = p·u/(p·u + q·(1−u)) for them, p = m[b], q = m[b+1]
	laneExp                          // r[dst] = e^r[a]
	laneUnary                        // r[dst] = unary kernel b of r[a]
	laneBinary                       // r[dst] = binary kernel args[b+1] of r[a] and r[args[b]]
	laneWhere                        // r[dst] = r[a] ≠ 0 ? r[args[b]] : r[args[b+1]]
	laneLogSumExp                    // m[dst] = ln Σ e^lanes of r[a]
	laneSumConst                     // m[dst] = m[a] times the number of lanes
	laneShiftConst                   // m[dst] = m[a] + ln of the number of lanes
	laneCodes                        // their number
)

// A laneOp is one operation of a lane program.
type laneOp struct {
	code      laneCode
	dst, a, b int32
}

// A tile is some sums of products of registers with uniform numbers, row by row.
// The registers that all rows have in common come first, with their factors in a
// panel of the arena, those of all rows beside each other; then those of single
// rows. At args it is laid out as
//
//	joint, panel, extra₀ … extra₃, dst₀ … dst₃, rows, bias₀ … bias₃,
//	joint registers, pairs of register and factor of row 0, row 1, …
//
// where biases are offsets of numbers that the sums start with.
// The kernel set says how many rows a tile has. One with fewer sums repeats its
// last row; one whose squares are summed has rows without products instead, and no
// dst.
const (
	tileJoint = 0
	tilePanel = 1
	tileExtra = 2
	tileDst   = 6
	tileRows  = 10
	tileBias  = 11
	tileHead  = 15

	maxTileRows = 4
)

// registers calls f for every register field, operands first.
func (op *laneOp) registers(args []int32, f func(*int32)) {
	switch op.code {
	case laneEnd, laneFill, laneDraw, laneDrawLess, laneDrawShift, laneSumConst, laneShiftConst:
	case laneGather: // its operand is a kept register of the full lanes
	case laneDot:
		for i := range op.b {
			f(&args[op.a+2*i])
		}
	case laneDotPairs:
		for i := range 2 * op.b {
			f(&args[op.a+i])
		}
	case laneBlock:
		t := args[op.a:]
		for i := range pairsTerm * op.b {
			f(&t[pairsHead+i])
		}
		for i := pairsDst; i < pairsHead; i++ {
			f(&t[i])
		}
	case laneTile, laneTileRelu, laneTileSquares:
		t := args[op.a:]
		at := tileHead + t[tileJoint]
		for i := tileHead; i < int(at); i++ {
			f(&t[i])
		}
		for r := range t[tileRows] {
			for range t[tileExtra+r] {
				f(&t[at])
				at += 2
			}
		}
		if op.code != laneTileSquares {
			for r := range t[tileRows] {
				f(&t[tileDst+r])
			}
		}
	case laneAdd, laneSub, laneMul, laneMulAdd, laneSumProduct:
		f(&op.a)
		f(&op.b)
	case laneBinary:
		f(&op.a)
		f(&args[op.b])
	case laneWhere:
		f(&op.a)
		f(&args[op.b])
		f(&args[op.b+1])
	default:
		f(&op.a)
	}
	switch op.code {
	case laneEnd, laneTile, laneTileRelu:
	case laneSum, laneSumProduct, laneLogSumExp, laneSumConst, laneShiftConst:
	default:
		f(&op.dst)
	}
}

// A laneMachine is the state that the operations of a group run in. Kernels in
// assembly read it by offset.
type laneMachine struct {
	code       *laneOp  // operations, the last one laneEnd
	args       *int32   // pool of operands
	m          *float64 // uniform arena
	r          *float64 // registers
	full       *float64 // registers of all lanes, which laneGather reads
	active     *int32   // selected lanes, n of them
	tail       *uint64  // masks of the last vectorLen lanes: all ones where they count
	n          int      // lanes of a register, a multiple of vectorLen
	stride     int      // bytes between registers
	fullStride int      // bytes between registers of full
	streams    *vector.Stream
	buffer     *float64 // for operations that need one
}

// tailMasks has, from index vectorLen−c on, masks of vectorLen lanes of which
// the first c count.
var tailMasks = [2 * vectorLen]uint64{0: ^uint64(0), 1: ^uint64(0), 2: ^uint64(0), 3: ^uint64(0), 4: ^uint64(0), 5: ^uint64(0), 6: ^uint64(0), 7: ^uint64(0)}

// run runs the levels of the lane program in a frame.
func (lp *laneProgram) run(f *frame, lanes int) error {
	for i := range lp.levels {
		lv := &lp.levels[i]
		for j := range lv.uniform {
			if err := lv.uniform[j].ins.run(f); err != nil {
				return fmt.Errorf("%v: %w", lv.uniform[j].v.n, err)
			}
		}
		lv.prepare(f)
		for j := range lv.groups {
			g := &lv.groups[j]
			if g.mask == nil {
				g.run(f, f.full, lp.width, lanes, nil)
				continue
			}
			f.active = selectLanes(f.active[:0], f.register(g.mask.x, lp.width, lanes))
			g.run(f, f.packed, lp.width, len(f.active), f.active)
		}
	}
	return nil
}

// register is a register of all lanes, the first ones of width.
func (f *frame) register(reg int32, width, lanes int) []float64 {
	return f.full[int(reg)*width:][:lanes]
}

// prepare computes the numbers that operations of the level take in another
// form: factors of sigmoid shifts, products, and panels.
func (lv *laneLevel) prepare(f *frame) {
	if n := len(lv.shifts); n > 0 {
		x := f.buffer[:n]
		for i, s := range lv.shifts {
			x[i] = f.m[s]
		}
		shiftFactorsVec(f.m[lv.shiftsAt:][:2*n], x)
	}
	for _, p := range lv.products {
		x := f.m[p.a] * f.m[p.b]
		if p.neg {
			x = -x
		}
		f.m[p.at] = x
	}
	scalePanels(f.m, lv)
	gather(f.m, lv.panels)
}

// scalePanelsGo multiplies the constants of panels with the numbers of their terms.
func scalePanelsGo(m []float64, lv *laneLevel) {
	rows := rowsPerTile()
	n := rows * len(lv.scales)
	to, from := m[lv.scaleTo:][:n], m[lv.scaleFrom:][:n]
	for i, s := range lv.scales {
		x := m[s]
		for r := range rows {
			to[rows*i+r] = from[rows*i+r] * x
		}
	}
}

// gather copies the factors of panels to where tiles read them.
func gather(m []float64, panels []*panel) {
	for _, p := range panels {
		to := m[p.off:][:len(p.factors)]
		for i, s := range p.factors {
			to[i] = m[s]
		}
	}
}

// selectLanes appends the lanes whose weight e^x is at least 2⁻⁵³ of the
// largest; all of them if the largest is no number.
func selectLanes(active []int32, x []float64) []int32 {
	floor := kernels.Max(x) + negligible
	for l, v := range x {
		if !(v < floor) {
			active = append(active, int32(l))
		}
	}
	return active
}

// run executes the group on count lanes. Without active, the registers r hold
// all lanes, width of them. With it, they hold the active lanes packed, and kept
// registers of width lanes are gathered from the frame's full ones.
func (g *laneGroup) run(f *frame, r []float64, width, count int, active []int32) {
	n := width
	if active != nil {
		n = roundUp(count, vectorLen)
		for len(active) < n { // there is room: the width is a multiple of vectorLen
			active = append(active, active[0])
		}
	}
	if len(r) == 0 { // nothing but constants
		r = f.buffer
	}
	x := &f.machine
	*x = laneMachine{
		code: &g.code[0], m: &f.m[0], r: &r[0], buffer: &f.buffer[0],
		tail: &tailMasks[n-count], n: n, stride: 8 * n, fullStride: 8 * width,
	}
	if len(g.args) > 0 {
		x.args = &g.args[0]
	}
	if len(f.streams) > 0 {
		x.streams = &f.streams[0]
	}
	if active != nil {
		x.full, x.active = &f.full[0], &active[0]
	}
	for pc := 0; ; pc++ {
		pc = runLanes(x, pc)
		if g.code[pc].code == laneEnd {
			return
		}
		g.do(&g.code[pc], f, r, n, count, width, active)
	}
}

// do executes one operation in portable Go.
func (g *laneGroup) do(op *laneOp, f *frame, regs []float64, n, count, width int, active []int32) {
	m := f.m
	// r is a register. All numbers are below the counts that assign returned,
	// which frames have room for.
	base := unsafe.Pointer(unsafe.SliceData(regs))
	r := func(reg int32) []float64 {
		return unsafe.Slice((*float64)(unsafe.Add(base, uintptr(reg)*uintptr(8*n))), n)
	}
	switch op.code {
	case laneCopy:
		copy(r(op.dst), r(op.a))
	case laneGather:
		src, dst := f.full[int(op.a)*width:][:width], r(op.dst)
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
		addVS(r(op.dst), r(op.a), m[op.b])
	case laneSubS:
		subVS(r(op.dst), r(op.a), m[op.b])
	case laneRSubS:
		subSV(r(op.dst), m[op.b], r(op.a))
	case laneDot:
		dotLanes(r(op.dst), m, regs, n, g.args[op.a:][:2*op.b])
	case laneDotPairs:
		pairs := g.args[op.a:][:2*op.b]
		mulVV(r(op.dst), r(pairs[0]), r(pairs[1]))
		for i := 2; i < len(pairs); i += 2 {
			mulAddVV(r(op.dst), r(pairs[i]), r(pairs[i+1]))
		}
	case laneTile, laneTileRelu:
		tileRowsOf(op, g.args, m, regs, f.buffer, n)
	case laneTileSquares:
		tileSquares(op, g.args, m, regs, f.buffer, n)
	case laneBlock:
		blockOf(op, g.args, regs, n)
	case laneRelu:
		reluVec(r(op.dst), r(op.a))
	case lanePositive:
		positiveVec(r(op.dst), r(op.a))
	case laneSigmoidShift:
		shiftVS(r(op.dst), r(op.a), m[op.b], m[op.b+1])
	case laneLess:
		lessVS(r(op.dst), r(op.a), m[op.b])
	case laneDraw:
		kernels.Draw(r(op.dst), &f.streams[op.a])
	case laneDrawLess:
		u := r(op.dst)
		kernels.Draw(u, &f.streams[op.a])
		lessVS(u, u, m[op.b])
	case laneDrawShift:
		u := r(op.dst)
		kernels.Draw(u, &f.streams[op.a])
		shiftVS(u, u, m[op.b], m[op.b+1])
	case laneExp:
		kernels.Exp(r(op.dst), r(op.a))
	case laneUnary:
		g.unary[op.b].vec(r(op.dst), r(op.a))
	case laneBinary:
		g.binary[g.args[op.b+1]].vv(r(op.dst), r(op.a), r(g.args[op.b]))
	case laneWhere:
		whereVec(r(op.dst), r(op.a), r(g.args[op.b]), r(g.args[op.b+1]))
	case laneSum:
		m[op.dst] = sumStrided(r(op.a)[:count], 1, count)
	case laneSumProduct:
		m[op.dst] = sumProduct(r(op.a)[:count], r(op.b)[:count])
	case laneLogSumExp:
		m[op.dst] = logSumExpLanes(r(op.a)[:count])
	case laneSumConst:
		m[op.dst] = float64(count) * m[op.a]
	case laneShiftConst:
		m[op.dst] = m[op.a] + math.Log(float64(count))
	default:
		panic(fmt.Sprintf("autograd: unknown lane operation %d", op.code))
	}
}

func whereVec(dst, c, a, b []float64) {
	a, b, c = a[:len(dst)], b[:len(dst)], c[:len(dst)]
	for i := range dst {
		if c[i] != 0 {
			dst[i] = a[i]
		} else {
			dst[i] = b[i]
		}
	}
}

func sumProduct(a, b []float64) float64 {
	b = b[:len(a)]
	var s [4]float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s[0] += a[i] * b[i]
		s[1] += a[i+1] * b[i+1]
		s[2] += a[i+2] * b[i+2]
		s[3] += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s[0] += a[i] * b[i]
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

func logSumExpLanes(x []float64) float64 {
	top := kernels.Max(x)
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	return top + math.Log(kernels.SumExp(x, top))
}
