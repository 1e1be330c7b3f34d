package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
)

// tileRows is the number of rows of a tile.
const tileRows = 4

// A tile is what an operation works on: the rows, each in a few vectors of lanes.
type tile struct {
	*set
	at    gp // of its operands
	lanes gp // the lanes at work of register 0
	rows  [tileRows][]vec
	label func(string) string
}

// tiles writes the operations on tiles.
func (s *set) tiles() {
	s.tile("Tile", nil, func(t *tile, _ gp) { t.store() })
	s.tile("TileRelu", nil, func(t *tile, _ gp) {
		zero := s.zero()
		for _, row := range t.rows {
			for i, x := range row {
				row[i] = s.relu(x, zero)
			}
		}
		t.store()
	})
	s.tile("TileSquares", []string{"Dst"}, func(t *tile, dst gp) { t.squares(dst) })
}

// tile writes one of them: finish does what is to be done with the rows. The register
// that result names, if any, moves along and is handed to it.
func (s *set) tile(code string, result []string, finish func(t *tile, dst gp)) {
	s.begin(code)
	t := tile{set: s, at: s.operands(), lanes: s.loaded(registers)}
	move := []gp{t.lanes}
	var dst gp
	for _, field := range result {
		dst = s.register(field)
		move = append(move, dst)
	}
	sizes := []int{2}
	if s.avx512() {
		sizes = []int{4, 1}
	}
	s.passes(sizes, move, func(vectors int, label func(string) string) {
		t.label = label
		first := t.joint(vectors)
		for r := range t.rows {
			t.single(r, first)
		}
		finish(&t, dst)
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
		bias := t.broadcast(Mem{Base: arena, Index: t.int32(t.head("TileBias", r)), Scale: 8})
		t.rows[r] = []vec{bias}
		for range vectors - 1 {
			v := t.vector()
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
	if t.avx512() && vectors == 1 {
		lanes := t.load(x)
		for r, row := range t.rows {
			t.VFMADD231PD_BCST(factor(r), lanes, row[0])
		}
		return
	}
	var broadcasts [tileRows]vec
	for r := range broadcasts {
		broadcasts[r] = t.broadcast(factor(r))
	}
	var lanes []vec
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
	factor := t.broadcast(Mem{Base: arena, Index: number, Scale: 8})
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
	to, from, m, offsets, n := argument("to"), argument("from"), argument("m"), argument("offsets"), argument("n")
	s.Label("loop")
	x := s.broadcast(Mem{Base: m, Index: s.int32(Mem{Base: offsets}), Scale: 8})
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
