package vm

import (
	"fmt"
	"slices"

	"tobac/internal/vector"
)

// Bounds are what a group may refer to.
type Bounds struct {
	Set  vector.Set // which says how many rows a tile has
	Size Size
	// Defined says which registers of all lanes have been written, by the groups that
	// run before and by loading inputs, and Written which numbers of the arena. Verify
	// marks those that the group writes.
	Defined, Written []bool
}

// Verify reports the first operation of a group that does not keep to the bounds, on
// all lanes or on selected ones: a register or a number of the arena beyond those there are
// or read before it is written, operands outside the pool, a result in a register
// that is still to be read, an operation that there is not, or a list that does not
// end with End.
func (g *Group) Verify(b Bounds, packed bool) error {
	v := verifier{b: b, g: g, defined: b.Defined}
	if packed {
		v.defined = make([]bool, b.Size.Packed)
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

// A verifier has the state between operations.
type verifier struct {
	b       Bounds
	g       *Group
	defined []bool
	results [][]bool // of the arena, of the operation
	err     error    // of it
}

// fail notes the first error of an operation.
func (v *verifier) fail(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, args...)
	}
}

func (v *verifier) op(op *Op) error {
	v.err, v.results = nil, nil
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
			v.register(*p, true)
			writes = append(writes, *p)
		default:
			v.place(o, *p, n)
		}
	})
	for _, r := range reads {
		v.register(r, true)
	}
	for _, w := range writes {
		v.register(w, false)
		for _, r := range reads {
			if r == w && row.apart {
				v.fail("register %d is written before all operands are read, of which it is one", w)
			}
		}
	}
	if v.err == nil {
		for _, w := range writes {
			v.defined[w] = true
		}
		for _, r := range v.results {
			for i := range r {
				r[i] = true
			}
		}
	}
	return v.err
}

// register checks one that is read or written.
func (v *verifier) register(r int32, isRead bool) {
	switch {
	case r < 0 || int(r) >= len(v.defined):
		v.fail("register %d, of which there are %d", r, len(v.defined))
	case isRead && !v.defined[r]:
		v.fail("register %d is read before it is written", r)
	}
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
		within("numbers", len(v.b.Written))
		if v.err != nil {
			return
		}
		if numbers := v.b.Written[at:][:n]; o == result {
			v.results = append(v.results, numbers)
		} else if i := slices.Index(numbers, false); i >= 0 {
			v.fail("number %d is read before it is written", int(at)+i)
		}
	case stream:
		within("streams", v.b.Size.Streams)
	case unaryFn:
		within("unary functions", len(v.g.Unary))
	case binaryFn:
		within("binary functions", len(v.g.Binary))
	case kept:
		within("registers of all lanes", len(v.b.Defined))
		if v.err == nil && !v.b.Defined[at] {
			v.fail("register %d of all lanes is read before it is written", at)
		}
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
