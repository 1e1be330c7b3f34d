package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
)

// tileRows is the number of rows of a tile.
const tileRows = 4

// A tile is what an operation works on: the rows, each in a few vectors of lanes.
type tile struct {
	*set
	at    gp // of its operands
	lanes gp // the lanes at work of register 0
	rows  [tileRows][]vector
	label func(string) string
}

// tiles writes the operations on tiles, which differ in what is done with the rows.
func (s *set) tiles() {
	s.operation("Tile", "TileRelu", "TileSquares")
	t := tile{set: s, at: s.operands(), lanes: s.loaded(registers)}
	dst := s.register("Dst") // of squares
	sizes := []int{2}
	if s.wide {
		sizes = []int{4, 1}
	}
	s.passes(sizes, []gp{t.lanes, dst}, func(vectors int, label func(string) string) {
		t.label = label
		first := t.joint(vectors)
		for r := range t.rows {
			t.single(r, first)
		}
		s.compareCode("TileRelu")
		s.JLT(LabelRef(label("store")))
		s.JGT(LabelRef(label("squares")))
		zero := s.zero()
		for _, row := range t.rows {
			for i, x := range row {
				s.VMOVAPD(s.relu(x, zero), row[i])
			}
		}
		s.Label(label("store"))
		t.store()
		s.JMP(LabelRef(label("stored")))
		s.Label(label("squares"))
		t.squares(dst)
		s.Label(label("stored"))
	})
}

// compareCode compares the code of the operation with another.
func (s *set) compareCode(code string) {
	s.Instruction(&ir.Instruction{
		Opcode: "CMPL", Operands: []Op{s.fieldAt("Code"), LabelRef("$const_" + code)},
		Inputs: []Op{current},
	})
}

// head is a number of the layout, row r of those that start there.
func (t *tile) head(name string, r int) Mem {
	return Mem{Symbol: Symbol{Name: "4*const_" + name}, Disp: 4 * r, Base: t.at}
}

// joint starts the rows with their biases, in so many vectors, and adds the products that
// they have in common. It returns where the operands of single rows start.
func (t *tile) joint(vectors int) gp {
	for r := range t.rows {
		bias := t.reg(Mem{Base: arena, Index: t.int32(t.head("TileBias", r)), Scale: 8})
		t.rows[r] = []vector{bias}
		for range vectors - 1 {
			v := t.vec()
			t.VMOVAPD(bias, v)
			t.rows[r] = append(t.rows[r], v)
		}
	}
	factors, at, end := t.int32(t.head("TilePanel", 0)), t.GP64(), t.int32(t.head("TileJoint", 0))
	t.LEAQ(t.head("TileHead", 0), at)
	t.LEAQ(Mem{Base: arena, Index: factors, Scale: 8}, factors)
	t.LEAQ(Mem{Base: at, Index: end, Scale: 4}, end)
	t.CMPQ(at, end)
	t.JEQ(LabelRef(t.label("rows")))
	t.Label(t.label("joint"))
	x := t.int32(Mem{Base: at})
	t.IMULQ(stride, x)
	t.addProducts(vectors, Mem{Base: t.lanes, Index: x, Scale: 1}, factors)
	t.ADDQ(U8(4), at)
	t.ADDQ(U8(8*tileRows), factors)
	t.CMPQ(at, end)
	t.JNE(LabelRef(t.label("joint")))
	t.Label(t.label("rows"))
	return at
}

// addProducts adds the lanes at x times a factor to each row. A factor that is used once
// is read where it is used, if there is an instruction for that.
func (t *tile) addProducts(vectors int, x Mem, factors gp) {
	factor := func(r int) Mem { return Mem{Base: factors, Disp: 8 * r} }
	if t.wide && vectors == 1 {
		lanes := t.load(x)
		for r, row := range t.rows {
			t.VFMADD231PD_BCST(factor(r), lanes, row[0])
		}
		return
	}
	var broadcasts [tileRows]vector
	for r := range broadcasts {
		broadcasts[r] = t.reg(factor(r))
	}
	var lanes []vector
	for i := range vectors {
		lanes = append(lanes, t.load(x.Offset(i*t.bytes)))
	}
	for r, row := range t.rows {
		for i, sum := range row {
			t.VFMADD231PD(lanes[i], broadcasts[r], sum)
		}
	}
}

// single adds the products that only row r has, whose operands at points to, and moves it
// past them.
func (t *tile) single(r int, at gp) {
	loop, done := t.label(fmt.Sprint("row", r, "x")), t.label(fmt.Sprint("done", r, "x"))
	left := t.int32(t.head("TileExtra", r))
	t.TESTQ(left, left)
	t.JEQ(LabelRef(done))
	t.Label(loop)
	x, number := t.pair(Mem{Base: at})
	factor := t.reg(Mem{Base: arena, Index: number, Scale: 8})
	t.IMULQ(stride, x)
	t.ADDQ(U8(8), at)
	for i, sum := range t.rows[r] {
		t.VFMADD231PD(Mem{Base: t.lanes, Index: x, Scale: 1, Disp: i * t.bytes}, factor, sum)
	}
	t.DECQ(left)
	t.JNE(LabelRef(loop))
	t.Label(done)
}

// store stores the rows in their registers.
func (t *tile) store() {
	for r, row := range t.rows {
		to := t.int32(t.head("TileDst", r))
		t.IMULQ(stride, to)
		for i, v := range row {
			t.VMOVUPD(v, Mem{Base: t.lanes, Index: to, Scale: 1, Disp: i * t.bytes})
		}
	}
}

// squares stores the sum of the squares of the rows, added to what is there if b is not 0.
func (t *tile) squares(dst gp) {
	sums := t.rows[0]
	for i, sum := range sums {
		second := t.rows[1][i]
		t.VMULPD(sum, sum, sum)
		t.VMULPD(second, second, second)
		t.VFMADD231PD(t.rows[2][i], t.rows[2][i], sum)
		t.VFMADD231PD(t.rows[3][i], t.rows[3][i], second)
		t.VADDPD(second, sum, sum)
	}
	t.CMPL(t.fieldAt("B"), U8(0))
	t.JEQ(LabelRef(t.label("first")))
	for i, sum := range sums {
		t.VADDPD(Mem{Base: dst, Disp: i * t.bytes}, sum, sum)
	}
	t.Label(t.label("first"))
	for i, sum := range sums {
		t.VMOVUPD(sum, Mem{Base: dst, Disp: i * t.bytes})
	}
}

// scalePanels writes the function that multiplies constants of panels.
func (s *set) scalePanels() {
	s.start("scalePanels", "func(to, from, m *float64, offsets *int32, n int)")
	argument := func(name string) gp {
		r := s.GP64()
		s.Load(s.Param(name), r)
		return r
	}
	to, from, m, offsets, n := argument("to"), argument("from"), argument("m"), argument("offsets"),
		argument("n")
	s.Label("loop")
	x := s.reg(Mem{Base: m, Index: s.int32(Mem{Base: offsets}), Scale: 8})
	s.VMULPD(Mem{Base: from}, x, x)
	s.VMOVUPD(x, Mem{Base: to})
	s.ADDQ(U8(4), offsets)
	s.ADDQ(U8(8*tileRows), from)
	s.ADDQ(U8(8*tileRows), to)
	s.DECQ(n)
	s.JNE(LabelRef("loop"))
	s.VZEROUPPER()
	s.RET()
}
