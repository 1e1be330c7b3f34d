package autograd

import (
	"fmt"
	"math"
	"unsafe"
)

// laneCode is the operation of a laneOp.
type laneCode uint8

// In the comments r is a register, m a number of the uniform arena.
const (
	laneCopy         laneCode = iota // r[dst] = r[a]
	laneGather                       // r[dst] = the selected lanes of kept register a
	laneFill                         // r[dst] = m[s]
	laneNeg                          // r[dst] = −r[a]
	laneAdd                          // r[dst] = r[a] + r[b]
	laneSub                          // r[dst] = r[a] − r[b]
	laneMul                          // r[dst] = r[a]·r[b]
	laneMulAdd                       // r[dst] += r[a]·r[b]
	laneScale                        // r[dst] = f·m[s]·r[a]
	laneAddS                         // r[dst] = r[a] + f·m[s]
	laneRSubS                        // r[dst] = m[s] − r[a]
	laneDot                          // r[dst] = Σ m[factor]·r[reg] over terms a..b
	laneDotPairs                     // r[dst] = Σ r[reg]·r[factor] over terms a..b
	laneRelu                         // r[dst] = max(r[a], 0)
	lanePositive                     // r[dst] = 1[r[a] > 0]
	laneSigmoidShift                 // r[dst] = r[a]/(r[a] + (1−r[a])·e^−m[s])
	laneLess                         // r[dst] = 1[r[a] < m[s]]
	laneExp                          // r[dst] = e^r[a]
	laneUnary                        // r[dst] = unary(r[a])
	laneBinary                       // r[dst] = binary(r[a], r[b])
	laneWhere                        // r[dst] = r[a] ≠ 0 ? r[b] : r[s]
	laneSum                          // m[dst] = Σ lanes of r[a]
	laneSumProduct                   // m[dst] = Σ lanes of r[a]·r[b]
	laneLogSumExp                    // m[dst] = ln Σ e^lanes of r[a]
	laneSumConst                     // m[dst] = f·m[s]
	laneShiftConst                   // m[dst] = m[s] + f
)

// A laneOp is one operation of a lane program.
type laneOp struct {
	code         laneCode
	dst, a, b, s int32
	f            float64
	unary        *unaryKernel
	binary       *binaryKernel
}

// A laneTerm is a product of a register and a uniform number.
type laneTerm struct{ reg, factor int32 }

// registers calls f for every register field, operands first.
func (op *laneOp) registers(terms []laneTerm, f func(*int32)) {
	switch op.code {
	case laneFill, laneSumConst, laneShiftConst:
	case laneGather: // its operand is a kept register of the full lanes
	case laneDot:
		for i := op.a; i < op.b; i++ {
			f(&terms[i].reg)
		}
	case laneDotPairs:
		for i := op.a; i < op.b; i++ {
			f(&terms[i].reg)
			f(&terms[i].factor)
		}
	case laneAdd, laneSub, laneMul, laneMulAdd, laneBinary, laneSumProduct:
		f(&op.a)
		f(&op.b)
	case laneWhere:
		f(&op.a)
		f(&op.b)
		f(&op.s)
	default:
		f(&op.a)
	}
	switch op.code {
	case laneSum, laneSumProduct, laneLogSumExp, laneSumConst, laneShiftConst:
	default:
		f(&op.dst)
	}
}

// run runs the levels of the lane program in a frame.
func (lp *laneProgram) run(f *frame, lanes int) error {
	for i := range lp.levels {
		lv := &lp.levels[i]
		for j := range lv.uniform {
			if err := lv.uniform[j].ins.run(f); err != nil {
				return fmt.Errorf("%v: %w", lv.uniform[j].v.n, err)
			}
		}
		for j := range lv.groups {
			g := &lv.groups[j]
			if g.mask == nil {
				g.run(f.m, f.full, nil, lp.width, lanes, nil)
				continue
			}
			x := f.full[int(g.mask.x)*lp.width:][:lanes]
			f.active = selectLanes(f.active[:0], x)
			g.run(f.m, f.packed, f.full, roundUp(len(f.active), vectorLen), lp.width, f.active)
		}
	}
	return nil
}

// selectLanes appends the lanes whose weight e^x is at least 2⁻⁵³ of the
// largest; all of them if the largest is no number.
func selectLanes(active []int32, x []float64) []int32 {
	floor := kernels.max(x) + negligible
	for l, v := range x {
		if !(v < floor) {
			active = append(active, int32(l))
		}
	}
	return active
}

// run executes the group. Without active, the registers r hold all lanes, w of
// them of which the first n count. With it, they hold the active lanes packed
// into w, and kept registers of n lanes are gathered from full.
func (g *laneGroup) run(m, r, full []float64, w, n int, active []int32) {
	stride := n
	if active != nil {
		n = len(active)
	}
	if len(g.code) == 0 {
		return
	}
	base := unsafe.Pointer(&r[0])
	size := uintptr(8 * w)
	// at points to a register. All numbers are below the counts that assign
	// returned, which frames have room for.
	at := func(reg int32) *float64 { return (*float64)(unsafe.Add(base, uintptr(reg)*size)) }
	k := &kernels
	for i := range g.code {
		op := &g.code[i]
		switch op.code {
		case laneCopy:
			copy(r[int(op.dst)*w:][:w], r[int(op.a)*w:][:w])
		case laneGather:
			src, dst := full[int(op.a)*stride:][:stride], r[int(op.dst)*w:][:w]
			for k, l := range active {
				dst[k] = src[l]
			}
			for k := n; k < w; k++ {
				dst[k] = dst[0]
			}
		case laneFill:
			fill(r[int(op.dst)*w:][:w], m[op.s])
		case laneNeg:
			k.scale(at(op.dst), at(op.a), w, -1)
		case laneAdd:
			k.add(at(op.dst), at(op.a), at(op.b), w)
		case laneSub:
			k.sub(at(op.dst), at(op.a), at(op.b), w)
		case laneMul:
			k.mul(at(op.dst), at(op.a), at(op.b), w)
		case laneMulAdd:
			k.mulAdd(at(op.dst), at(op.a), at(op.b), w)
		case laneScale:
			k.scale(at(op.dst), at(op.a), w, op.f*m[op.s])
		case laneAddS:
			k.affine(at(op.dst), at(op.a), w, 1, op.f*m[op.s])
		case laneRSubS:
			k.affine(at(op.dst), at(op.a), w, -1, m[op.s])
		case laneDot:
			k.dot(at(op.dst), &m[0], &r[0], w, &g.terms[op.a], int(op.b-op.a))
		case laneDotPairs:
			k.dotPairs(at(op.dst), &r[0], w, &g.terms[op.a], int(op.b-op.a))
		case laneRelu:
			k.relu(at(op.dst), at(op.a), w)
		case lanePositive:
			k.positive(at(op.dst), at(op.a), w)
		case laneSigmoidShift:
			p, q := shiftFactors(m[op.s])
			k.shift(at(op.dst), at(op.a), w, p, q)
		case laneLess:
			k.less(at(op.dst), at(op.a), w, m[op.s])
		case laneExp:
			k.exp(r[int(op.dst)*w:][:w], r[int(op.a)*w:][:w])
		case laneUnary:
			op.unary.vec(r[int(op.dst)*w:][:w], r[int(op.a)*w:][:w])
		case laneBinary:
			op.binary.vv(r[int(op.dst)*w:][:w], r[int(op.a)*w:][:w], r[int(op.b)*w:][:w])
		case laneWhere:
			c, a, b := r[int(op.a)*w:][:w], r[int(op.b)*w:][:w], r[int(op.s)*w:][:w]
			dst := r[int(op.dst)*w:][:w]
			for k := range dst {
				if c[k] != 0 {
					dst[k] = a[k]
				} else {
					dst[k] = b[k]
				}
			}
		case laneSum:
			m[op.dst] = sumStrided(r[int(op.a)*w:][:n], 1, n)
		case laneSumProduct:
			m[op.dst] = sumProduct(r[int(op.a)*w:][:n], r[int(op.b)*w:][:n])
		case laneLogSumExp:
			m[op.dst] = logSumExpLanes(r[int(op.a)*w:][:n])
		case laneSumConst:
			m[op.dst] = op.f * m[op.s]
		case laneShiftConst:
			m[op.dst] = m[op.s] + op.f
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
	top := kernels.max(x)
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	return top + math.Log(kernels.sumExp(x, top))
}
