package dense

import "tobac/autograd/internal/native"

// emit writes sums in the order of Run.
func (in *reduceInstr) emit(e *emission) bool {
	if in.width != 1 || in.terms+len(in.zero) > 2*mostCoded {
		return false
	}
	for _, off := range in.zero {
		e.op(native.Copy, int32(off), ZeroOffset, 0)
	}
	for i := range in.runs {
		r := &in.runs[i]
		e.used = 0
		switch {
		case r.places != nil:
			e.result(int32(r.dst), 1, e.partial(r.n, 1, false, func(k, w int, to, sum int32) {
				e.ops = append(e.ops, native.Op{Code: native.Add, N: uint8(w), Dst: to, A: sum,
					B: r.places[k], AOne: sum == ZeroOffset})
			}))
		case r.step == 1 && r.cols >= shortRun && r.stride != 1:
			e.sumRows(r)
		default:
			for c := range r.cols {
				e.used = 0
				e.sumOne(r, c)
			}
		}
	}
	return true
}

// sumRows is [sumRun.rows].
func (e *emission) sumRows(r *sumRun) {
	dst, src := operand{off: r.dst, stride: 1}, operand{off: r.src, stride: 1}
	if r.accumulate {
		e.each(native.Add, r.cols, r.dst, dst, src)
	} else {
		e.each(native.Copy, r.cols, r.dst, src, src)
	}
	for range r.n - 1 {
		src.off += r.stride
		e.each(native.Add, r.cols, r.dst, dst, src)
	}
}

// sumOne is one result of a run, as [sumStrided] adds it.
func (e *emission) sumOne(r *sumRun, c int) {
	from, n := int32(r.src+c*r.step), r.n
	blocks := int32(-1)
	if r.stride == 1 && n >= sumBlocks {
		blocks = e.sumBlocks(from, n/sumBlocks)
		from, n = from+int32(n/sumBlocks*sumBlocks), n%sumBlocks
	}
	s := blocks
	if n > 0 || s < 0 {
		s = e.partial(n, 1, r.stride == 1, func(k, w int, to, sum int32) {
			e.ops = append(e.ops, native.Op{Code: native.Add, N: uint8(w), Dst: to, A: sum,
				B: from + int32(k*r.stride), AOne: sum == ZeroOffset})
		})
		if blocks >= 0 {
			e.op(native.Add, s, blocks, s)
		}
	}
	dst := int32(r.dst + c)
	if !r.accumulate {
		e.result(dst, 1, s)
		return
	}
	e.op(native.Add, dst, s, dst)
}

// sumBlocks is the number of neighbouring numbers that the kernel adds at a time: see
// [tobac/internal/vector.Set.Sum].
const sumBlocks = 32

// sumBlocks adds blocks of neighbouring numbers in the order of the kernel.
func (e *emission) sumBlocks(from int32, blocks int) int32 {
	sums := e.temporary(sumBlocks)
	add := func(n uint8, to, a, b int32) {
		e.ops = append(e.ops, native.Op{Code: native.Add, N: n, Dst: to, A: a, B: b})
	}
	for i := int32(0); i < sumBlocks; i += 4 {
		e.ops = append(e.ops, native.Op{Code: native.Add, N: 4, Dst: sums + i, A: ZeroOffset,
			B: from + i, AOne: true})
		for b := 1; b < blocks; b++ {
			add(4, sums+i, sums+i, from+int32(b)*sumBlocks+i)
		}
	}
	for step := int32(8); step < sumBlocks; step *= 2 {
		for b := int32(0); b < sumBlocks; b += 2 * step {
			add(4, sums+b, sums+b, sums+b+step)
			add(4, sums+b+4, sums+b+4, sums+b+4+step)
		}
	}
	add(4, sums, sums, sums+4)
	add(1, sums+4, sums, sums+2)
	add(1, sums+5, sums+1, sums+3)
	add(1, sums+6, sums+4, sums+5)
	return sums + 6
}

// partial adds n terms, each of width numbers, in four interleaved sums, what is behind the
// last four to the first of them, and returns where the sum of all is. term appends what adds
// term k to a number and stores the sum. If vectors, terms of one number are four neighbours
// from term k on, which are added together.
func (e *emission) partial(n, width int, vectors bool, term func(k, n int, dst, to int32)) int32 {
	w := int32(width)
	sums := e.temporary(4 * w)
	begun := [4]bool{}
	add := func(k, n int, sum int) {
		dst := sums + int32(sum)*w
		to := dst
		if !begun[sum] {
			to, begun[sum] = ZeroOffset, true
		}
		term(k, n, dst, to)
	}
	k := 0
	for ; vectors && k+4 <= n; k += 4 {
		add(k, 4, 0)
	}
	for ; k < n&^3; k++ {
		add(k, width, k%4)
	}
	for ; k < n; k++ {
		add(k, width, 0)
	}
	if n < 4 {
		return sums
	}
	t := e.temporary(2 * w)
	of := func(dst, a, b int32) {
		e.ops = append(e.ops, native.Op{Code: native.Add, N: uint8(width), Dst: dst, A: a, B: b})
	}
	of(sums, sums, sums+w)
	of(t, sums+2*w, sums+3*w)
	of(t+w, sums, t)
	return t + w
}

// result makes dst what the last operation computes at s.
func (e *emission) result(dst int32, n int, s int32) {
	if last := &e.ops[len(e.ops)-1]; last.Dst == s && int(last.N) == n {
		last.Dst = dst
		return
	}
	e.each(native.Copy, n, int(dst), operand{off: int(s), stride: 1}, operand{})
}
