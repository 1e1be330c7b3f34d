package main

import (
	. "github.com/mmcloughlin/avo/operand"
)

// A generator is the state of the eight generators of a stream (package vector), four
// words each: the parts of its words are vectors of lanes.
type generator struct {
	*set
	at    gp
	words [4][]vector
}

// generator loads stream a.
func (s *set) generator() *generator {
	g := &generator{set: s, at: s.field("A")}
	s.SHLQ(U8(8), g.at) // the bytes of a stream
	s.ADDQ(s.state("streams"), g.at)
	for w := range g.words {
		for off := 0; off < line; off += s.bytes {
			g.words[w] = append(g.words[w], s.load(Mem{Base: g.at, Disp: line*w + off}))
		}
	}
	return g
}

// store stores the state.
func (g *generator) store() {
	for w, parts := range g.words {
		for i, v := range parts {
			g.VMOVUPD(v, Mem{Base: g.at, Disp: line*w + i*g.bytes})
		}
	}
}

// step advances the generators and returns their outputs, one vector after the other.
func (g *generator) step() (outputs []vector) {
	for i := range g.words[0] {
		a, b, c, d := g.words[0][i], g.words[1][i], g.words[2][i], g.words[3][i]
		if g.wide {
			outputs = append(outputs, g.step512(a, b, c, d))
		} else {
			outputs = append(outputs, g.step256(a, b, c, d))
		}
	}
	return outputs
}

func (g *generator) step256(a, b, c, d vector) vector {
	o := g.apply(g.VPADDQ, a, d)
	g.rotate(o, 23)
	g.VPADDQ(a, o, o)
	t := g.vec()
	g.VPSLLQ(U8(17), b, t)
	g.VPXOR(a, c, c)
	g.VPXOR(b, d, d)
	g.VPXOR(c, b, b)
	g.VPXOR(d, a, a)
	g.VPXOR(t, c, c)
	g.rotate(d, 45)
	return o
}

// rotate rotates x left by k bits.
func (g *generator) rotate(x vector, k int) {
	t := g.vec()
	g.VPSLLQ(U8(k), x, t)
	g.VPSRLQ(U8(64-k), x, x)
	g.VPOR(t, x, x)
}

// step512 joins the exclusive disjunctions of three words.
func (g *generator) step512(a, b, c, d vector) vector {
	const three = U8(0x96)
	o, t := g.apply(g.VPADDQ, a, d), g.vec()
	g.VPSLLQ(U8(17), b, t)
	g.VPXORQ(b, d, d)
	g.VPROLQ(U8(23), o, o)
	g.VPTERNLOGQ(three, a, c, b)
	g.VPADDQ(a, o, o)
	g.VPTERNLOGQ(three, a, t, c)
	g.VPXORQ(d, a, a)
	g.VPROLQ(U8(45), d, d)
	return o
}

// A uniform turns outputs x of generators into (2k+1)·2⁻⁵³ with k = x>>12: those bits
// after the ones of 1, less 1 − 2⁻⁵³.
type uniform struct{ one, belowOne vector }

func (s *set) uniform() uniform {
	return uniform{s.reg(1), s.reg(1 - 0x1p-53)}
}

func (u uniform) of(s *set, x vector) {
	s.VPSRLQ(U8(12), x, x)
	if s.wide {
		s.VPORQ(u.one, x, x)
	} else {
		s.VPOR(u.one, x, x)
	}
	s.VSUBPD(u.belowOne, x, x)
}

// draws writes the operations that draw.
func (s *set) draws() {
	s.operation("Draw")
	g, u := s.generator(), s.uniform()
	s.eachDraw(g, func(x vector) vector { u.of(s, x); return x })
	s.finishDraws(g)

	s.drawLess()
	s.drawShift()
}

// eachDraw stores what body makes of the outputs of generators in register dst.
func (s *set) eachDraw(g *generator, body func(x vector) vector) {
	dst, left := s.register("Dst"), s.loaded(stride)
	s.Label("loop")
	for i, x := range g.step() {
		s.VMOVUPD(body(x), Mem{Base: dst, Disp: i * s.bytes})
	}
	s.bump(line, left, dst)
	s.JNE(LabelRef("loop"))
}

func (s *set) finishDraws(g *generator) {
	g.store()
	s.next()
}

// drawLess writes DrawLess: dst = 1[u < m[b]]. With u of output x this is 1[x ≤ 2¹²·t − 1]
// where t of the 2⁵² numbers are below m[b].
func (s *set) drawLess() {
	s.operation("DrawLess")
	g, at := s.generator(), s.number("B")
	t := s.bound(at)
	one := s.reg(1)
	s.TESTQ(t, t)
	s.JNE(LabelRef("some"))
	// All outputs are at most 2⁶⁴ − 1: 1 becomes 0, or NaN where m[b] is.
	m := s.reg(at)
	if s.wide {
		k := s.K()
		s.VCMPPD(U8(unordered), m, m, k)
		s.VMOVAPD_Z(m, k, one)
	} else {
		s.VCMPPD(U8(unordered), m, m, one)
	}
	s.Label("some")
	s.SHLQ(U8(12), t)
	s.DECQ(t)
	if s.wide {
		most := s.vec()
		s.VPBROADCASTQ(t, most)
		s.eachDraw(g, func(x vector) vector {
			const lessEqual = U8(2)
			k := s.K()
			s.VPCMPUQ(lessEqual, most, x, k)
			s.VMOVAPD_Z(one, k, x)
			return x
		})
	} else {
		// Signed comparison wants the top bits the other way.
		s.BTCQ(U8(63), t)
		most, top := s.vec(), s.reg(bits(sign))
		s.VMOVQ(t, most.AsX())
		s.VPBROADCASTQ(most.AsX(), most)
		s.eachDraw(g, func(x vector) vector {
			s.VPXOR(top, x, x)
			s.VPCMPGTQ(most, x, x)
			s.VPANDN(one, x, x)
			return x
		})
	}
	s.finishDraws(g)
}

// bound is how many k in 0, 1, …, 2⁵²−1 satisfy (2k+1)·2⁻⁵³ < m, the number at a place:
// ⌈2⁵²·m − 1/2⌉ within these bounds, 0 for NaN. The sum is exact from 2⁻⁵³ on and in
// (−1, 0) below.
func (s *set) bound(at Mem) gp {
	m, zero, scale, t := s.XMM(), s.XMM(), s.XMM(), s.GP64()
	s.VMOVSD(at, m)
	s.VXORPD(zero, zero, zero)
	s.VMAXSD(zero, m, m)
	s.VMINSD(s.number64(1), m, m)
	s.VMOVSD(s.number64(0x1p52), scale)
	s.VFMADD213SD(s.number64(-0.5), scale, m)
	s.VROUNDSD(U8(2), m, m, m)
	s.VCVTTSD2SIQ(m, t)
	return t
}

// drawShift writes DrawShift: dst = p·u/(p·u + q·(1−u)). With AVX-512 the divider takes
// every other vector, arithmetic the others at the same time, if p and q allow for it.
func (s *set) drawShift() {
	s.operation("DrawShift")
	g, u := s.generator(), s.uniform()
	if !s.wide {
		p, q := s.factors()
		s.eachDraw(g, func(x vector) vector {
			u.of(s, x)
			a, b := s.shifted(x, p, q, u.one)
			s.VDIVPD(b, a, a)
			return a
		})
		s.finishDraws(g)
		return
	}
	at := s.number("B")
	p, q := s.reg(at), s.reg(at.Offset(8))
	dst, left := s.register("Dst"), s.loaded(stride)
	next := func() (a, b vector) {
		x := g.step()[0]
		u.of(s, x)
		return s.shifted(x, p, q, u.one)
	}
	s.unlessLarge(at, "single")
	s.unlessLarge(at.Offset(8), "single")
	s.SUBQ(imm(2*line), left)
	s.JLT(LabelRef("rest"))
	s.Label("pair")
	a, b := next()
	s.VDIVPD(b, a, a)
	c, d := next()
	s.divide(c, d, u.one)
	s.VMOVUPD(a, Mem{Base: dst})
	s.VMOVUPD(c, Mem{Base: dst, Disp: line})
	s.bump(2*line, left, dst)
	s.JGE(LabelRef("pair"))
	s.Label("rest")
	s.ADDQ(imm(2*line), left)
	s.JEQ(LabelRef("done"))
	s.Label("single")
	a, b = next()
	s.VDIVPD(b, a, a)
	s.VMOVUPD(a, Mem{Base: dst})
	s.bump(line, left, dst)
	s.JNE(LabelRef("single"))
	s.Label("done")
	s.finishDraws(g)
}

// unlessLarge jumps to label unless the number at a place is in [2⁻⁵⁰⁰, 1].
func (s *set) unlessLarge(at Mem, label string) {
	x, from := s.loaded(at), s.GP64()
	s.MOVQ(U64(0x20B0000000000000), from)
	s.SUBQ(from, x)
	s.MOVQ(U64(0x1F40000000000000), from)
	s.CMPQ(x, from)
	s.JHI(LabelRef(label))
}

// divide replaces a by a/b as division rounds it, without the divider: the third
// refinement rounds 1/b correctly, and then the residual of a·(1/b) corrects the
// quotient to the last bit (Markstein 1990). The exception, b with a mantissa of
// ones and a a power of two, takes a u of which p·u and p·u + q·(1−u) are
// neighbours. Nothing here underflows: a is 0 or, like b, at least 2⁻⁵⁵³.
func (s *set) divide(a, b, one vector) {
	y, e := s.vec(), s.vec()
	s.VRCP14PD(b, y)
	for range 3 { // y is about 1/b: y + y·(1 − b·y) is closer
		s.VMOVAPD(one, e)
		s.VFNMADD231PD(y, b, e)
		s.VFMADD231PD(e, y, y)
	}
	s.VMULPD(y, a, e)
	s.VFNMADD231PD(e, b, a)
	s.VFMADD213PD(e, y, a)
}
