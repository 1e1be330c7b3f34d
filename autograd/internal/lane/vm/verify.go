package vm

import (
	"fmt"
	"slices"

	"tobac/internal/vector"
)

// Bounds are what a group may refer to.
type Bounds struct {
	Set     vector.Set // which says how many rows a tile has
	Size    Size
	Numbers int // of the arena
}

// Verify reports the first operation of a group that does not keep to the bounds, on
// all lanes or on selected ones: a register or a number of the arena beyond those there are,
// operands outside the pool, a result in a register that is still to be read, an operation
// that there is not, or a list that does not end with End. What is read before it is written
// shows in tests, where it is NaN.
func (g *Group) Verify(b Bounds, packed bool) error {
	v := verifier{b: b, g: g, registers: b.Size.Full}
	if packed {
		v.registers = b.Size.Packed
	}
	for i := range g.Code {
		op := &g.Code[i]
		if op.Code < 0 || op.Code >= Codes {
			return fmt.Errorf("vm: operation %d: got code %d, want one below %d", i, op.Code, Codes)
		}
		if last := i == len(g.Code)-1; last != (op.Code == End) {
			return fmt.Errorf("vm: operation %d of %d: got %v, want end as the last one and "+
				"nowhere else", i, len(g.Code), op.Code)
		}
		if err := v.op(op); err != nil {
			return fmt.Errorf("vm: operation %d, %v %d %d %d: %w", i, op.Code, op.Dst, op.A, op.B,
				err)
		}
	}
	if len(g.Code) == 0 {
		return fmt.Errorf("vm: no operations, want end as the last one")
	}
	return nil
}

// A verifier knows how many registers there are.
type verifier struct {
	b         Bounds
	g         *Group
	registers int
	err       error // of the operation
}

// fail notes the first error of an operation.
func (v *verifier) fail(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, args...)
	}
}

func (v *verifier) op(op *Op) error {
	v.err = nil
	row := &table[op.Code]
	if row.pool != nil {
		at, ok := int(row.pool.at(op)), false
		if ok = at >= 0 && at <= len(v.g.Args); ok {
			size := row.pool.size(op, v.g.Args[at:])
			ok = size >= 0 && at+size <= len(v.g.Args)
		}
		if !ok {
			return fmt.Errorf("operands at %d lie outside the pool of %d", at, len(v.g.Args))
		}
	}
	v.counts(op)
	if v.err != nil {
		return v.err
	}
	var reads, writes []int32
	op.operands(v.g.Args, func(o operand, p *int32, n int) {
		switch o {
		case read:
			reads = append(reads, *p)
		case written:
			writes = append(writes, *p)
		case updated:
			writes = append(writes, *p)
		default:
			v.place(o, *p, n)
		}
	})
	for _, r := range slices.Concat(reads, writes) {
		if r < 0 || int(r) >= v.registers {
			v.fail("register %d, of which there are %d", r, v.registers)
		}
	}
	for _, w := range writes {
		if row.apart && slices.Contains(reads, w) {
			v.fail("register %d is written before all operands are read, of which it is one", w)
		}
	}
	return v.err
}

// place checks an operand that is no register of the group.
func (v *verifier) place(o operand, at int32, n int) {
	within := func(what string, length int) {
		if at < 0 || n < 0 || int(at)+n > length {
			v.fail("%s %d to %d, of which there are %d", what, at, int(at)+n, length)
		}
	}
	switch o {
	case number, result:
		within("numbers", v.b.Numbers)
	case stream:
		within("streams", v.b.Size.Streams)
	case unaryFn:
		within("unary functions", len(v.g.Unary))
	case binaryFn:
		within("binary functions", len(v.g.Binary))
	case kept:
		within("registers of all lanes", v.b.Size.Full)
	}
}

// counts checks the numbers in an operation and its pool that are no operands.
func (v *verifier) counts(op *Op) {
	switch op.Code {
	case Dot, DotPairs:
		if op.B < 1 {
			v.fail("%d terms, want at least one", op.B)
		}
	case Tile, TileRelu, TileSquares:
		t := v.g.Args[op.A:]
		if want := RowsPerTile(v.b.Set); int(t[TileRows]) != want {
			v.fail("a tile of %d rows, want %d for kernels %v", t[TileRows], want, v.b.Set)
		}
		for i, k := range append([]int32{t[TileJoint]}, t[TileExtra:][:MaxTileRows]...) {
			if k < 0 || i > RowsPerTile(v.b.Set) && k > 0 {
				v.fail("a tile of %d joint registers and %v of single rows", t[TileJoint],
					t[TileExtra:][:MaxTileRows])
			}
		}
	case Block:
		t := v.g.Args[op.A:]
		for _, side := range []int32{t[BlockHeight], t[BlockWidth]} {
			if side < 1 || side > BlockSide {
				v.fail("a block of %d rows by %d columns, want 1 to %d", t[BlockHeight],
					t[BlockWidth], BlockSide)
			}
		}
		if need := BlockBuffer(int(op.B)); op.B < 1 ||
			need > max(v.b.Size.Buffer, 2*v.b.Size.Width) {
			v.fail("%d terms take a buffer of %d, of which there are %d", op.B, need,
				v.b.Size.Buffer)
		}
	}
}
