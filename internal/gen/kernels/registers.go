package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
)

// elementwise writes the operations that compute each lane from the same lane of their
// operands.
func (s *set) elementwise() {
	s.operation("Copy")
	s.each("A", "", func(x, _, _ Mem) vector { return s.load(x) })

	s.fill()
	s.gather()

	s.operation("Neg")
	negative := s.reg(bits(sign))
	s.each("A", "", func(x, _, _ Mem) vector { return s.apply(s.VXORPD, x, negative) })

	for _, c := range []struct {
		code string
		do   func(...Op)
	}{{"Add", s.VADDPD}, {"Sub", s.VSUBPD}, {"Mul", s.VMULPD}} {
		s.operation(c.code)
		s.each("A", "B", func(x, y, _ Mem) vector { return s.apply(c.do, y, s.load(x)) })
	}

	s.operation("MulAdd")
	s.each("A", "B", func(x, y, dst Mem) vector {
		sum := s.load(dst)
		s.VFMADD231PD(y, s.load(x), sum)
		return sum
	})

	// scalar writes an operation on the lanes of x and the number m[b].
	scalar := func(code string, body func(x Mem, m vector) vector) {
		s.operation(code)
		m := s.reg(s.number("B"))
		s.each("A", "", func(x, _, _ Mem) vector { return body(x, m) })
	}
	scalar("Scale", func(x Mem, m vector) vector { return s.apply(s.VMULPD, x, m) })

	s.operation("NegScale")
	m := s.reg(s.number("B"))
	s.VXORPD(s.reg(bits(sign)), m, m)
	s.each("A", "", func(x, _, _ Mem) vector { return s.apply(s.VMULPD, x, m) })

	scalar("AddS", func(x Mem, m vector) vector { return s.apply(s.VADDPD, x, m) })
	scalar("SubS", func(x Mem, m vector) vector { return s.apply(s.VSUBPD, m, s.load(x)) })
	scalar("RSubS", func(x Mem, m vector) vector { return s.apply(s.VSUBPD, x, m) })

	s.operation("Relu")
	zero := s.zero()
	s.each("A", "", func(x, _, _ Mem) vector { return s.relu(s.load(x), zero) })

	scalar("Less", func(x Mem, m vector) vector { return s.indicator(s.load(x), lt, m) })
	scalar("DivS", func(x Mem, m vector) vector { return s.div(s.load(x), m) })
	scalar("RDivS", func(x Mem, m vector) vector { return s.apply(s.VDIVPD, x, m) })

	// A minimum, and a maximum, is its second operand if either is NaN.
	s.operation("Finite")
	largest, least := s.reg(math.MaxFloat64), s.reg(-math.MaxFloat64)
	s.each("A", "", func(x, _, _ Mem) vector { return s.max(least, s.apply(s.VMINPD, x, largest)) })

	s.operation("SigmoidShift")
	one := s.reg(1)
	p, q := s.factors()
	s.each("A", "", func(x, _, _ Mem) vector {
		a, b := s.shifted(s.load(x), p, q, one)
		s.VDIVPD(b, a, a)
		return a
	})
}

// pointwise writes the operation of a kernel. Of its three operands the last two are
// listed in the pool.
func (s *set) pointwise(k kernel) {
	s.operation(k.code)
	var b string
	var rest []gp
	switch k.vectors {
	case 2:
		b = "B"
	case 3:
		at := s.field("B")
		s.LEAQ(Mem{Base: pool, Index: at, Scale: 4}, at)
		for i := range 2 {
			r := s.int32(Mem{Base: at, Disp: 4 * i})
			s.IMULQ(stride, r)
			s.ADDQ(registers, r)
			rest = append(rest, r)
		}
	}
	s.each("A", b, func(x, y, dst Mem) vector {
		in := []vector{s.load(x)}
		if b != "" {
			in = append(in, s.load(y))
		}
		for _, r := range rest {
			in = append(in, s.load(Mem{Base: r, Disp: dst.Disp}))
		}
		return k.body(s.machine, in)
	}, rest...)
}

// apply is do with a new register as its result.
func (s *set) apply(do func(...Op), x Op, y vector) vector {
	v := s.vec()
	do(x, y, v)
	return v
}

// factors are the two numbers at m[b], in all lanes.
func (s *set) factors() (p, q vector) {
	at := s.number("B")
	return s.reg(at), s.reg(at.Offset(8))
}

// shifted replaces u by p·u and returns it with p·u + q·(1−u).
func (s *set) shifted(u, p, q, one vector) (a, b vector) {
	b = s.apply(s.VSUBPD, u, one)
	s.VMULPD(p, u, u)
	s.VFMADD213PD(u, q, b)
	return u, b
}

// relu replaces x by x where it is above 0 or NaN, by +0 elsewhere. With masks that takes
// longer than a maximum, which is its second operand, x, if that is NaN or both are zero:
// then −0 + 0 is +0.
func (s *set) relu(x, zero vector) vector {
	if !s.wide {
		return s.keep(s.cmp(x, nle, zero), x)
	}
	s.VMAXPD(x, zero, x)
	s.VADDPD(zero, x, x)
	return x
}

// each runs body on all vectors of register dst and of those that the fields a and b of
// the operation name (b may be empty), stores what it returns in dst, and goes on with
// the next operation. Two vectors go together; with AVX-512 a first one alone, if their
// number is odd. more are addresses of registers that move along.
func (s *set) each(a, b string, body func(x, y, dst Mem) vector, more ...gp) {
	dst, x := s.register("Dst"), s.register(a)
	move := append([]gp{dst, x}, more...)
	var y gp
	if b != "" {
		y = s.register(b)
		move = append(move, y)
	}
	left := s.loaded(stride)
	some := func(n int) {
		var results []vector
		for i := range n {
			off := i * s.bytes
			results = append(results,
				body(Mem{Base: x, Disp: off}, Mem{Base: y, Disp: off}, Mem{Base: dst, Disp: off}))
		}
		for i, v := range results {
			s.VMOVUPD(v, Mem{Base: dst, Disp: i * s.bytes})
		}
		s.bump(n*s.bytes, left, move...)
	}
	if s.wide {
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
	s.operation("Fill")
	v := s.reg(s.number("A"))
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
	s.operation("Gather")
	dst, from := s.register("Dst"), s.field("A")
	s.IMULQ(s.state("fullStride"), from)
	s.ADDQ(s.state("full"), from)
	active, left := s.loaded(s.state("active")), s.loaded(stride)
	// two are two lanes of the selection.
	two := func(at int) vector {
		i, j, v := s.int32(Mem{Base: active, Disp: 4 * at}),
			s.int32(Mem{Base: active, Disp: 4*at + 4}), s.vec()
		s.VMOVSD(Mem{Base: from, Index: i, Scale: 8}, v.AsX())
		s.VMOVHPD(Mem{Base: from, Index: j, Scale: 8}, v.AsX(), v.AsX())
		return v
	}
	s.Label("loop")
	var quads []vector
	for at := 0; at < line/8; at += 4 {
		low, high := two(at), two(at+2)
		s.VINSERTF128(U8(1), high.AsX(), low.AsY(), low.AsY())
		quads = append(quads, low)
	}
	if s.wide {
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
