package main

import (
	. "github.com/mmcloughlin/avo/operand"
)

// Comparisons of x with y, as VCMPPD names them.
const (
	less         = U8(0x11) // x < y, false for NaN
	greater      = U8(0x1E) // x > y, false for NaN
	notLessEqual = U8(0x16) // x > y, true for NaN
	unordered    = U8(0x03) // either is NaN
	equal        = U8(0x00) // x = y, false for NaN
	notEqual     = U8(0x04) // x ≠ y, true for NaN
	greaterEqual = U8(0x1D) // x ≥ y, false for NaN
)

// elementwise writes the operations that compute each lane from the same lane of their
// operands.
func (s *set) elementwise() {
	s.begin("Copy")
	s.each("A", "", func(x, _, _ Mem) vec { return s.load(x) })

	s.fill()
	s.gather()

	s.begin("Neg")
	sign := s.broadcast(s.constant("sign"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VXORPD, x, sign) })

	for _, c := range []struct {
		code string
		do   func(...Op)
	}{{"Add", s.VADDPD}, {"Sub", s.VSUBPD}, {"Mul", s.VMULPD}} {
		s.begin(c.code)
		s.each("A", "B", func(x, y, _ Mem) vec { return s.apply(c.do, y, s.load(x)) })
	}

	s.begin("MulAdd")
	s.each("A", "B", func(x, y, dst Mem) vec {
		sum := s.load(dst)
		s.VFMADD231PD(y, s.load(x), sum)
		return sum
	})

	s.begin("Scale")
	m := s.broadcast(s.number("B"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VMULPD, x, m) })

	s.begin("NegScale")
	m = s.broadcast(s.number("B"))
	s.VXORPD(s.broadcast(s.constant("sign")), m, m)
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VMULPD, x, m) })

	s.begin("AddS")
	m = s.broadcast(s.number("B"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VADDPD, x, m) })

	s.begin("SubS")
	m = s.broadcast(s.number("B"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VSUBPD, m, s.load(x)) })

	s.begin("RSubS")
	m = s.broadcast(s.number("B"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VSUBPD, x, m) })

	s.begin("Relu")
	zero := s.zero()
	s.each("A", "", func(x, _, _ Mem) vec { return s.relu(s.load(x), zero) })

	s.begin("Positive")
	one, zero := s.broadcast(s.constant("one")), s.zero()
	s.each("A", "", func(x, _, _ Mem) vec { return s.indicator(greater, s.load(x), zero, one) })

	s.begin("Less")
	one = s.broadcast(s.constant("one"))
	m = s.broadcast(s.number("B"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.indicator(less, s.load(x), m, one) })

	s.begin("SigmoidShift")
	one = s.broadcast(s.constant("one"))
	p, q := s.factors()
	s.each("A", "", func(x, _, _ Mem) vec {
		a, b := s.shifted(s.load(x), p, q, one)
		s.VDIVPD(b, a, a)
		return a
	})
}

// apply is do with a new register as its result.
func (s *set) apply(do func(...Op), x Op, y vec) vec {
	v := s.vector()
	do(x, y, v)
	return v
}

// factors are the two numbers at m[b], in all lanes.
func (s *set) factors() (p, q vec) {
	at := s.number("B")
	return s.broadcast(at), s.broadcast(at.Offset(8))
}

// shifted replaces u by p·u and returns it with p·u + q·(1−u).
func (s *set) shifted(u, p, q, one vec) (a, b vec) {
	b = s.apply(s.VSUBPD, u, one)
	s.VMULPD(p, u, u)
	s.VFMADD213PD(u, q, b)
	return u, b
}

// relu replaces x by x where it is above 0 or NaN, by +0 elsewhere. With masks that takes
// longer than a maximum, which is its second operand, x, if that is NaN or both are zero:
// then −0 + 0 is +0.
func (s *set) relu(x, zero vec) vec {
	if !s.avx512() {
		return s.where(notLessEqual, x, zero, x)
	}
	s.VMAXPD(x, zero, x)
	s.VADDPD(zero, x, x)
	return x
}

// where is v where the comparison of x with y holds, else +0.
func (s *set) where(comparison U8, x, y, v vec) vec {
	if s.avx512() {
		k, t := s.K(), s.vector()
		s.VCMPPD(comparison, y, x, k)
		s.VMOVAPD_Z(v, k, t)
		return t
	}
	t := s.vector()
	s.VCMPPD(comparison, y, x, t)
	s.VANDPD(v, t, t)
	return t
}

// indicator is 1 where the comparison of x with y holds, else 0, NaN where either is.
func (s *set) indicator(comparison U8, x, y, one vec) vec {
	return s.unlessNaN(s.where(comparison, x, y, one), x, y)
}

// unlessNaN replaces v by NaN where x or y is.
func (s *set) unlessNaN(v, x, y vec) vec {
	if s.avx512() {
		k := s.K()
		s.VCMPPD(unordered, y, x, k)
		s.VADDPD(y, x, k, v)
		return v
	}
	nan := s.vector()
	s.VCMPPD(unordered, y, x, nan)
	s.VORPD(nan, v, v)
	return v
}

// each runs body on all vectors of register dst and of those that the fields a and b of
// the operation name (b may be empty), stores what it returns in dst, and goes on with
// the next operation. Two vectors go together; with AVX-512 a first one alone, if their
// number is odd. more are addresses of registers that move along.
func (s *set) each(a, b string, body func(x, y, dst Mem) vec, more ...gp) {
	dst, x := s.register("Dst"), s.register(a)
	move := append([]gp{dst, x}, more...)
	var y gp
	if b != "" {
		y = s.register(b)
		move = append(move, y)
	}
	left := s.loaded(stride)
	some := func(n int) {
		var results []vec
		for i := range n {
			off := i * s.bytes
			results = append(results, body(Mem{Base: x, Disp: off}, Mem{Base: y, Disp: off}, Mem{Base: dst, Disp: off}))
		}
		for i, v := range results {
			s.VMOVUPD(v, Mem{Base: dst, Disp: i * s.bytes})
		}
		s.bump(n*s.bytes, left, move...)
	}
	if s.avx512() {
		s.TESTQ(U32(line), left)
		s.JEQ(LabelRef("two"))
		some(1)
		s.JEQ(LabelRef("done"))
	}
	s.Label("two")
	some(2)
	s.JNE(LabelRef("two"))
	s.Label("done")
	s.next()
}

// fill writes Fill: dst = m[a].
func (s *set) fill() {
	s.begin("Fill")
	v := s.broadcast(s.number("A"))
	dst, left := s.register("Dst"), s.loaded(stride)
	s.Label("loop")
	for off := 0; off < line; off += s.bytes {
		s.VMOVUPD(v, Mem{Base: dst, Disp: off})
	}
	s.bump(line, left, dst)
	s.JNE(LabelRef("loop"))
	s.next()
}

// gather writes Gather, lane by lane: the gather instructions are slow where microcode
// runs them.
func (s *set) gather() {
	s.begin("Gather")
	dst, from := s.register("Dst"), s.field("A")
	s.IMULQ(s.state("fullStride"), from)
	s.ADDQ(s.state("full"), from)
	active, left := s.loaded(s.state("active")), s.loaded(stride)
	// two are two lanes of the selection.
	two := func(at int) vec {
		i, j, v := s.int32(Mem{Base: active, Disp: 4 * at}), s.int32(Mem{Base: active, Disp: 4*at + 4}), s.vector()
		s.VMOVSD(Mem{Base: from, Index: i, Scale: 8}, v.AsX())
		s.VMOVHPD(Mem{Base: from, Index: j, Scale: 8}, v.AsX(), v.AsX())
		return v
	}
	s.Label("loop")
	var quads []vec
	for at := 0; at < line/8; at += 4 {
		low, high := two(at), two(at+2)
		s.VINSERTF128(U8(1), high.AsX(), low.AsY(), low.AsY())
		quads = append(quads, low)
	}
	if s.avx512() {
		s.VINSERTF64X4(U8(1), quads[1].AsY(), quads[0], quads[0])
		quads = quads[:1]
	}
	for i, v := range quads {
		s.VMOVUPD(v, Mem{Base: dst, Disp: i * s.bytes})
	}
	s.ADDQ(U8(4*line/8), active)
	s.bump(line, left, dst)
	s.JNE(LabelRef("loop"))
	s.next()
}
