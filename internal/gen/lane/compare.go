package main

import (
	. "github.com/mmcloughlin/avo/operand"
)

// quotients writes quotients, the square root and the absolute value.
func (s *set) quotients() {
	s.begin("Div")
	s.each("A", "B", func(x, y, _ Mem) vec { return s.apply(s.VDIVPD, y, s.load(x)) })

	s.begin("DivS")
	m := s.broadcast(s.number("B"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VDIVPD, m, s.load(x)) })

	s.begin("RDivS")
	m = s.broadcast(s.number("B"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VDIVPD, x, m) })

	s.begin("Sqrt")
	s.each("A", "", func(x, _, _ Mem) vec {
		v := s.vector()
		s.VSQRTPD(x, v)
		return v
	})

	s.begin("Abs")
	magnitude := s.broadcast(s.constant("magnitude"))
	s.each("A", "", func(x, _, _ Mem) vec { return s.apply(s.VANDPD, x, magnitude) })
}

// extrema writes the larger and the smaller of two registers: NaN if either is, and then
// with an infinity that wins over NaN.
func (s *set) extrema() {
	for _, c := range []struct {
		code, unlessNaN, infinity string
		do, join                  func(...Op)
	}{
		{"Larger", "Maximum", "∞", s.VMAXPD, s.VANDPD},
		{"Smaller", "Minimum", "−∞", s.VMINPD, s.VORPD},
	} {
		s.begin(c.code)
		s.each("A", "B", func(x, y, _ Mem) vec { return s.extremum(c.do, c.join, s.load(x), s.load(y)) })

		s.begin(c.unlessNaN)
		infinity := s.broadcast(s.constant(c.infinity))
		s.each("A", "B", func(x, y, _ Mem) vec {
			a, b := s.load(x), s.load(y)
			v := s.extremum(c.do, c.join, a, b)
			s.replace(equal, a, infinity, v)
			s.replace(equal, b, infinity, v)
			return v
		})
	}
}

// finite writes Finite. A minimum, and a maximum, is its second operand if either is NaN.
func (s *set) finite() {
	s.begin("Finite")
	largest, least := s.broadcast(s.constant("largest")), s.broadcast(s.constant("least"))
	s.each("A", "", func(x, _, _ Mem) vec {
		v := s.apply(s.VMINPD, x, largest)
		s.VMAXPD(v, least, v)
		return v
	})
}

// extremum is do in both orders, joined, since of two zeros each order returns the
// second: 0 is larger than −0. It is NaN if x or y is.
func (s *set) extremum(do, join func(...Op), x, y vec) vec {
	v := s.apply(do, x, y)
	join(s.apply(do, y, x), v, v)
	return s.unlessNaN(v, x, y)
}

// replace sets v to y where the comparison of x with y holds.
func (s *set) replace(comparison U8, x, y, v vec) {
	if s.avx512() {
		k := s.K()
		s.VCMPPD(comparison, y, x, k)
		s.VMOVAPD(y, k, v)
		return
	}
	t := s.apply(func(operands ...Op) { s.VCMPPD(append([]Op{comparison}, operands...)...) }, y, x)
	s.VBLENDVPD(t, y, v, v)
}

// comparisons writes comparisons of registers, and the selection by a condition.
func (s *set) comparisons() {
	for _, c := range []struct {
		code       string
		comparison U8
	}{{"Greater", greater}, {"AtLeast", greaterEqual}, {"Equal", equal}} {
		s.begin(c.code)
		one := s.broadcast(s.constant("one"))
		s.each("A", "B", func(x, y, _ Mem) vec { return s.indicator(c.comparison, s.load(x), s.load(y), one) })
	}

	s.begin("Where")
	at := s.field("B")
	s.LEAQ(Mem{Base: pool, Index: at, Scale: 4}, at)
	var operands []gp
	for i := range 2 {
		r := s.int32(Mem{Base: at, Disp: 4 * i})
		s.IMULQ(stride, r)
		s.ADDQ(registers, r)
		operands = append(operands, r)
	}
	zero := s.zero()
	s.each("A", "", func(x, _, dst Mem) vec {
		yes, no := Mem{Base: operands[0], Disp: dst.Disp}, Mem{Base: operands[1], Disp: dst.Disp}
		if s.avx512() {
			k, v := s.K(), s.load(no)
			s.VCMPPD(notEqual, zero, s.load(x), k)
			s.VMOVUPD(yes, k, v)
			return v
		}
		t := s.vector()
		s.VCMPPD(notEqual, zero, s.load(x), t)
		v := s.load(no)
		s.VBLENDVPD(t, yes, v, v)
		return v
	}, operands...)
}
