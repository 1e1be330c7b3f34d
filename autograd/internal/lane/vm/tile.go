package vm

import "tobac/internal/vector"

// A tile is some sums of products of registers with uniform numbers, row by row.
// The registers that all rows have in common come first, with their factors in a
// panel of the arena, those of all rows beside each other; then those of single
// rows. At args[a] it is laid out as
//
//	joint, panel, extra₀ … extra₃, dst₀ … dst₃, rows, bias₀ … bias₃,
//	joint registers, pairs of register and factor of row 0, row 1, …
//
// where biases are offsets of numbers that the sums start with.
// The kernel set says how many rows a tile has ([RowsPerTile]). One with fewer sums
// repeats its last row; one whose squares are summed has rows without products instead,
// and no dst.
const (
	TileJoint = 0  // the number of joint registers
	TilePanel = 1  // the offset of their factors
	TileExtra = 2  // how many pairs each row has by itself
	TileDst   = 6  // registers of the sums
	TileRows  = 10 // the number of rows
	TileBias  = 11 // offsets of the biases
	TileHead  = 15 // where the registers start

	MaxTileRows = 4
)

// RowsPerTile is the number of rows of a tile: what fits into the processor's
// vector registers beside the lanes, or for Go into its other ones.
func RowsPerTile(set vector.Set) int {
	if set == vector.Portable {
		return 2
	}
	return MaxTileRows
}

// tilePool shows the joint registers, those of single rows, and then the results if
// there are any of rows.
func tilePool(results bool) *pool {
	return &pool{
		at: atA,
		size: func(_ *Op, t []int32) int {
			if len(t) < TileHead {
				return -1
			}
			size := TileHead + int(t[TileJoint])
			for _, k := range t[TileExtra:][:MaxTileRows] {
				size += 2 * int(k)
			}
			return size
		},
		visit: func(_ *Op, t []int32, f visitor) {
			joint, rows := t[TileJoint], t[TileRows]
			f(number, &t[TilePanel], int(joint*rows))
			at := TileHead + joint
			for i := TileHead; i < int(at); i++ {
				f(read, &t[i], 1)
			}
			for r := range rows {
				f(number, &t[TileBias+r], 1)
				for range t[TileExtra+r] {
					f(read, &t[at], 1)
					f(number, &t[at+1], 1)
					at += 2
				}
			}
			for r := range rows {
				if results {
					f(written, &t[TileDst+r], 1)
				}
			}
		},
	}
}

// tileCost is that of the products, of so many operations more on every row, and of
// the registers written, one for each row or, for squares, one that is read as well.
func tileCost(more, writes int) func(*Op, []int32, int) (int, int) {
	return func(op *Op, args []int32, n int) (flops, bytes int) {
		t := args[op.A:]
		rows, joint, single := int(t[TileRows]), int(t[TileJoint]), 0
		for _, k := range t[TileExtra:][:rows] {
			single += int(k)
		}
		results := writes * rows
		if writes == 0 {
			results = 2
		}
		return (2*(rows*joint+single) + more*rows) * n, 8 * (joint + single + results) * n
	}
}

// tile computes the rows of a tile.
func tile(x *Machine, op *Op) {
	rows := newTileReader(x, op)
	t := rows.t
	for r := 0; r < int(t[TileRows]); r += 2 {
		i, j := t[TileDst+r], t[TileDst+r+1]
		switch {
		case r > 0 && i == t[TileDst+r-1]: // both repeat the last row
			continue
		case i == j:
			rows.pair(x.r(i), x.buffer[:x.state.n], r)
		default:
			rows.pair(x.r(i), x.r(j), r)
		}
		if op.Code == TileRelu {
			relu(x.r(i), x.r(i))
			if i != j {
				relu(x.r(j), x.r(j))
			}
		}
	}
}

// tileSquares computes the sum of the squares of a tile.
func tileSquares(x *Machine, op *Op) {
	rows := newTileReader(x, op)
	n := x.state.n
	dst, y, z := x.r(op.Dst), x.buffer[:n], x.buffer[n:][:n]
	for r := 0; r < int(rows.t[TileRows]); r += 2 {
		rows.pair(y, z, r)
		if r == 0 && op.B == 0 {
			squares2(dst, y, z)
		} else {
			addSquares2(dst, y, z)
		}
	}
}

// A tileReader finds the numbers of a tile.
type tileReader struct {
	x     *Machine
	t     []int32
	extra [MaxTileRows]int // where the single terms of the rows start
}

func newTileReader(x *Machine, op *Op) tileReader {
	rd := tileReader{x: x, t: x.group.Args[op.A:]}
	at := TileHead + int(rd.t[TileJoint])
	for r := range rd.t[TileRows] {
		rd.extra[r] = at
		at += 2 * int(rd.t[TileExtra+r])
	}
	return rd
}

// pair computes rows r and r+1.
func (rd *tileReader) pair(x, y []float64, r int) {
	joint, rows := rd.t[TileHead:][:rd.t[TileJoint]], int(rd.t[TileRows])
	c := rd.x.Arena[int(rd.t[TilePanel])+r:]
	lane := func(i int) []float64 { return rd.x.r(joint[i]) }
	p, q := rd.x.Arena[rd.t[TileBias+r]], rd.x.Arena[rd.t[TileBias+r+1]]
	// The first few terms start with the biases, then they go four at a time.
	first := len(joint) & 3
	switch first {
	case 0:
		vector.Fill(x, p)
		vector.Fill(y, q)
	case 1:
		affine2(x, y, p, q, c, lane(0))
	case 2:
		affineTwo2(x, y, p, q, c, rows, lane(0), lane(1))
	case 3:
		affineThree2(x, y, p, q, c, rows, lane(0), lane(1), lane(2))
	}
	for i := first; i < len(joint); i += 4 {
		addFour2(x, y, c[rows*i:], rows, lane(i), lane(i+1), lane(i+2), lane(i+3))
	}
	rd.single(x, r)
	rd.single(y, r+1)
}

// single adds the terms that only row r has.
func (rd *tileReader) single(x []float64, r int) {
	for at := rd.extra[r]; at < rd.extra[r]+2*int(rd.t[TileExtra+r]); at += 2 {
		addScaled(x, rd.x.r(rd.t[at]), rd.x.Arena[rd.t[at+1]])
	}
}

// affine2, affineTwo2 and affineThree2 are x = p + Σ cₖ·aₖ and y = q + Σ c′ₖ·aₖ,
// whose factors are step apart in c, c′ₖ beside cₖ.

//go:noinline
func affine2(x, y []float64, p, q float64, c, a []float64) {
	n, p0, q0 := len(x), c[0], c[1]
	y, a = y[:n], a[:n]
	for i := range x {
		x[i], y[i] = p+p0*a[i], q+q0*a[i]
	}
}

//go:noinline
func affineTwo2(x, y []float64, p, q float64, c []float64, step int, a0, a1 []float64) {
	n := len(x)
	y, a0, a1 = y[:n], a0[:n], a1[:n]
	p0, q0, p1, q1 := c[0], c[1], c[step], c[step+1]
	for i := range x {
		b0, b1 := a0[i], a1[i]
		x[i] = p + (p0*b0 + p1*b1)
		y[i] = q + (q0*b0 + q1*b1)
	}
}

//go:noinline
func affineThree2(x, y []float64, p, q float64, c []float64, step int, a0, a1, a2 []float64) {
	n := len(x)
	y, a0, a1, a2 = y[:n], a0[:n], a1[:n], a2[:n]
	p0, q0, p1, q1, p2, q2 := c[0], c[1], c[step], c[step+1], c[2*step], c[2*step+1]
	for i := range x {
		b0, b1, b2 := a0[i], a1[i], a2[i]
		x[i] = (p + p0*b0) + (p1*b1 + p2*b2)
		y[i] = (q + q0*b0) + (q1*b1 + q2*b2)
	}
}

// addFour2 adds Σ cₖ·aₖ to x and Σ c′ₖ·aₖ to y over four terms.
//
//go:noinline
func addFour2(x, y, c []float64, step int, a0, a1, a2, a3 []float64) {
	n := len(x)
	y, a0, a1, a2, a3 = y[:n], a0[:n], a1[:n], a2[:n], a3[:n]
	p0, q0, p1, q1, p2, q2, p3, q3 := c[0], c[1], c[step], c[step+1], c[2*step], c[2*step+1],
		c[3*step], c[3*step+1]
	for i := range x {
		b0, b1, b2, b3 := a0[i], a1[i], a2[i], a3[i]
		x[i] += (p0*b0 + p1*b1) + (p2*b2 + p3*b3)
		y[i] += (q0*b0 + q1*b1) + (q2*b2 + q3*b3)
	}
}

// squares2 is dst = x² + y².
//
//go:noinline
func squares2(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i]*x[i] + y[i]*y[i]
	}
}

// addSquares2 is dst += x² + y².
//
//go:noinline
func addSquares2(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] += x[i]*x[i] + y[i]*y[i]
	}
}
