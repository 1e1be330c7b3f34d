package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
)

// blockSide is the number of rows and of columns of a block.
const blockSide = 4

// block writes Block. The buffer takes how far the registers are from the first one, in
// bytes: of the results, then of the factors of rows and columns, term by term. With
// AVX-512 all sixteen elements are computed at once, of a vector of lanes; with AVX2 four,
// of two vectors, so that a line of the cache is read as a whole.
func (s *set) block() {
	s.operation("Block")
	at := s.operands()
	offsets, end := s.registerOffsets(at)
	lanes, left := s.loaded(registers), s.loaded(stride)
	s.Label("lanes")
	if s.wide {
		s.blockPart(offsets, end, lanes, 0, 0, blockSide, 1)
	} else {
		const half = blockSide / 2
		s.blockPart(offsets, end, lanes, 0, 0, half, 2)
		s.unlessWider(at, "BlockWidth", half, "lower")
		s.blockPart(offsets, end, lanes, 0, half, half, 2)
		s.Label("lower")
		s.unlessWider(at, "BlockHeight", half, "next")
		s.blockPart(offsets, end, lanes, half, 0, half, 2)
		s.unlessWider(at, "BlockWidth", half, "next")
		s.blockPart(offsets, end, lanes, half, half, half, 2)
		s.Label("next")
	}
	s.bump(line, left, lanes)
	s.JNE(LabelRef("lanes"))
	s.next()
}

// unlessWider jumps to label unless a side of the block is longer than n.
func (s *set) unlessWider(at gp, side string, n int, label string) {
	s.CMPL(Mem{Symbol: Symbol{Name: "4*const_" + side}, Base: at}, U8(n))
	s.JLE(LabelRef(label))
}

// registerOffsets writes the buffer and returns where it starts and ends.
func (s *set) registerOffsets(at gp) (start, end gp) {
	from, left := s.GP64(), s.field("B")
	s.LEAQ(Mem{Symbol: Symbol{Name: "4*const_BlockDst"}, Base: at}, from)
	s.ADDQ(U8(2), left) // the results are as many as the factors of two terms
	start = s.loaded(s.state("buffer"))
	end = s.loaded(start)
	apart := s.vec()
	if s.wide {
		s.VPBROADCASTQ(stride, apart)
	} else {
		s.VMOVQ(stride, apart.AsX())
		s.VPBROADCASTQ(apart.AsX(), apart)
	}
	s.Label("offset")
	for off := 0; off < line; off += s.bytes {
		v := s.vec()
		s.VPMOVZXDQ(Mem{Base: from, Disp: off / 2}, v)
		s.VPMULUDQ(apart, v, v)
		s.VMOVUPD(v, Mem{Base: end, Disp: off})
	}
	s.ADDQ(U8(line/2), from)
	s.ADDQ(U8(line), end)
	s.DECQ(left)
	s.JNE(LabelRef("offset"))
	return start, end
}

// blockPart computes the elements of side rows and columns from row i and column j on, in
// so many vectors of lanes.
func (s *set) blockPart(offsets, end, lanes gp, i, j, side, vectors int) {
	sums := make([][][]vector, side)
	for r := range sums {
		sums[r] = make([][]vector, side)
		for c := range sums[r] {
			for range vectors {
				sums[r][c] = append(sums[r][c], s.zero())
			}
		}
	}
	const term = 8 * 2 * blockSide // bytes of the factors of a term
	at, loop := s.GP64(), fmt.Sprintf("term%d%d", i, j)
	s.LEAQ(Mem{Base: offsets, Disp: 2 * term}, at)
	s.Label(loop)
	factor := func(k int, ahead bool) (vs []vector) {
		off := s.loaded(Mem{Base: at, Disp: 8 * k})
		for v := range vectors {
			vs = append(vs, s.load(Mem{Base: lanes, Index: off, Scale: 1, Disp: v * s.bytes}))
		}
		if ahead {
			s.PREFETCHT0(Mem{Base: lanes, Index: off, Scale: 1, Disp: line})
		}
		return vs
	}
	var columns [][]vector
	for c := range side {
		// Those of the lanes that follow are fetched ahead where all are at work at once,
		// since blocks in a row of the product share factors of rows only.
		columns = append(columns, factor(blockSide+j+c, s.wide))
	}
	for r := range side {
		row := factor(i+r, false)
		for c := range side {
			for v := range vectors {
				s.VFMADD231PD(columns[c][v], row[v], sums[r][c][v])
			}
		}
	}
	s.ADDQ(U8(term), at)
	s.CMPQ(at, end)
	s.JNE(LabelRef(loop))
	for r := range side {
		for c := range side {
			off := s.loaded(Mem{Base: offsets, Disp: 8 * (blockSide*(i+r) + j + c)})
			for v := range vectors {
				s.VMOVUPD(sums[r][c][v], Mem{Base: lanes, Index: off, Scale: 1, Disp: v * s.bytes})
			}
		}
	}
}
