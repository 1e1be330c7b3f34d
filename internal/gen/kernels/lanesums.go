package main

import (
	. "github.com/mmcloughlin/avo/operand"
)

// overLanes writes the sums over lanes. Eight partial sums, one for each lane of a line
// of the cache, are added as halves, in the same order with both sets.
func (s *set) overLanes() {
	s.operation("Sum")
	x := s.register("A")
	sums := s.partialSums([]gp{x}, func(off int, sum vector) {
		s.VADDPD(Mem{Base: x, Disp: off}, sum, sum)
	}, func(off int) vector { return s.load(Mem{Base: x, Disp: off}) })
	s.storeSum(sums)

	s.operation("SumProduct")
	x, y := s.register("A"), s.register("B")
	sums = s.partialSums([]gp{x, y}, func(off int, sum vector) {
		s.VFMADD231PD(Mem{Base: y, Disp: off}, s.load(Mem{Base: x, Disp: off}), sum)
	}, func(off int) vector {
		return s.apply(s.VMULPD, Mem{Base: y, Disp: off}, s.load(Mem{Base: x, Disp: off}))
	})
	s.storeSum(sums)
}

// partialSums adds lanes to sums, those of the last line of the cache, which last
// computes, as far as they count.
func (s *set) partialSums(move []gp, add func(off int, sum vector),
	last func(off int) vector) (sums []vector) {
	for range line / s.bytes {
		sums = append(sums, s.zero())
	}
	left := s.loaded(stride)
	s.Label("loop")
	s.SUBQ(imm(line), left)
	s.JEQ(LabelRef("last"))
	for i, sum := range sums {
		add(i*s.bytes, sum)
	}
	for _, r := range move {
		s.ADDQ(imm(line), r)
	}
	s.JMP(LabelRef("loop"))
	s.Label("last")
	tail := s.loaded(s.state("tail"))
	for i, sum := range sums {
		v, mask := last(i*s.bytes), Mem{Base: tail, Disp: i * s.bytes}
		if s.wide {
			t, k := s.vec(), s.K()
			s.VMOVDQU64(mask, t)
			s.VPMOVQ2M(t, k)
			s.VADDPD(v, sum, k, sum)
			continue
		}
		s.VANDPD(mask, v, v)
		s.VADDPD(v, sum, sum)
	}
	return sums
}

// storeSum adds the partial sums and stores the result at m[dst].
func (s *set) storeSum(sums []vector) {
	v := sums[0]
	other := s.vec()
	if s.wide {
		s.VEXTRACTF64X4(U8(1), v, other.AsY())
	} else {
		other = sums[1]
	}
	s.VADDPD(other.AsY(), v.AsY(), v.AsY())
	s.VEXTRACTF128(U8(1), v.AsY(), other.AsX())
	s.VADDPD(other.AsX(), v.AsX(), v.AsX())
	s.VHADDPD(v.AsX(), v.AsX(), v.AsX())
	s.VMOVSD(v.AsX(), s.number("Dst"))
	s.next()
}

// sums writes the sums of products over pairs of operands: Dot, of registers with numbers,
// and DotPairs, of registers.
func (s *set) sums() {
	sizes := []int{8, 2}
	if s.wide {
		sizes = []int{8, 4, 2, 1}
	}
	s.sumOfPairs("Dot", sizes, func(first, second, lanes gp, sums []vector) {
		factor := s.reg(Mem{Base: arena, Index: second, Scale: 8})
		s.IMULQ(stride, first)
		s.ADDQ(lanes, first)
		for i, sum := range sums {
			s.VFMADD231PD(Mem{Base: first, Disp: i * s.bytes}, factor, sum)
		}
	})
	sizes[0] = 4
	if s.wide {
		sizes = []int{4, 2, 1}
	}
	s.sumOfPairs("DotPairs", sizes, func(first, second, lanes gp, sums []vector) {
		for _, r := range []gp{first, second} {
			s.IMULQ(stride, r)
			s.ADDQ(lanes, r)
		}
		for i, sum := range sums {
			s.VFMADD231PD(Mem{Base: second, Disp: i * s.bytes},
				s.load(Mem{Base: first, Disp: i * s.bytes}), sum)
		}
	})
}

// sumOfPairs writes dst = Σ over b pairs at args[a], whose terms add adds to sums: lanes
// is where the lanes at work of register 0 are.
func (s *set) sumOfPairs(code string, sizes []int,
	add func(first, second, lanes gp, sums []vector)) {
	s.operation(code)
	dst, pairs, end, lanes := s.register("Dst"), s.operands(), s.field("B"), s.loaded(registers)
	s.LEAQ(Mem{Base: pairs, Index: end, Scale: 8}, end)
	s.passes(sizes, []gp{dst, lanes}, func(vectors int, label func(string) string) {
		var sums []vector
		for range vectors {
			sums = append(sums, s.zero())
		}
		at := s.loaded(pairs)
		s.Label(label("term"))
		first, second := s.pair(Mem{Base: at})
		s.ADDQ(U8(8), at)
		add(first, second, lanes, sums)
		s.CMPQ(at, end)
		s.JNE(LabelRef(label("term")))
		for i, sum := range sums {
			s.VMOVUPD(sum, Mem{Base: dst, Disp: i * s.bytes})
		}
	})
}
