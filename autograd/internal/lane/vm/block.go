package vm

import "tobac/internal/vector"

// A block is part of a product of two matrices that both differ between lanes: up to
// four rows by four columns whose elements are sums over the same terms, so that a
// register that is loaded serves four of them. At args[a] it is laid out as
//
//	height, width, dst₀₀, dst₀₁ … dst₃₃, registers a₀ … a₃, b₀ … b₃ of term 0, term 1, …
//
// where dstᵢⱼ = Σ aᵢ·bⱼ. Elements that nothing wants, those beyond height and width
// among them, go to the dst of the operation, a register that nothing reads; rows and
// columns of nothing else repeat others.
const (
	BlockHeight = 0
	BlockWidth  = 1
	BlockDst    = 2
	BlockHead   = 18 // where the terms start

	BlockSide = 4             // rows and columns
	BlockTerm = 2 * BlockSide // registers of a term
)

// BlockBuffer is the length of the buffer that a block of so many terms needs.
func BlockBuffer(terms int) int { return BlockHead - BlockDst + BlockTerm*terms }

var blockPool = &pool{
	at:   atA,
	size: func(op *Op, _ []int32) int { return BlockHead + BlockTerm*int(op.B) },
	visit: func(op *Op, t []int32, f visitor) {
		for i := range BlockTerm * op.B {
			f(read, &t[BlockHead+i], 1)
		}
		for i := BlockDst; i < BlockHead; i++ {
			f(written, &t[i], 1)
		}
	},
}

func blockCost(op *Op, args []int32, n int) (flops, bytes int) {
	k, rows, cols := int(op.B), int(args[op.A+BlockHeight]), int(args[op.A+BlockWidth])
	return 2 * k * rows * cols * n, 8 * (k*(rows+cols) + rows*cols) * n
}

// block computes a block of a product, two rows by two columns at a time.
func block(x *Machine, op *Op) {
	t, r := x.group.Args[op.A:], x.r
	for i := 0; i < int(t[BlockHeight]); i += 2 {
		for j := 0; j < int(t[BlockWidth]); j += 2 {
			dst := t[BlockDst+BlockSide*i+j:]
			d0, d1, d2, d3 := r(dst[0]), r(dst[1]), r(dst[BlockSide]), r(dst[BlockSide+1])
			a, b := t[BlockHead+i:], t[BlockHead+BlockSide+j:]
			k := int(op.B)
			if k%2 == 1 {
				vector.Portable.MulEach(d0, r(a[0]), r(b[0]))
				vector.Portable.MulEach(d1, r(a[0]), r(b[1]))
				vector.Portable.MulEach(d2, r(a[1]), r(b[0]))
				vector.Portable.MulEach(d3, r(a[1]), r(b[1]))
			} else {
				for _, d := range [][]float64{d0, d1, d2, d3} {
					vector.Fill(d, 0)
				}
			}
			for at := k % 2 * BlockTerm; at < k*BlockTerm; at += 2 * BlockTerm {
				a, b, c, d := a[at:], b[at:], a[at+BlockTerm:], b[at+BlockTerm:]
				mulAddFour(d0, d1, d2, d3, r(a[0]), r(a[1]), r(b[0]), r(b[1]), r(c[0]), r(c[1]),
					r(d[0]), r(d[1]))
			}
		}
	}
}

// mulAddFour adds aᵢ∘bⱼ + cᵢ∘dⱼ to xᵢⱼ.
//
//go:noinline
func mulAddFour(x00, x01, x10, x11, a0, a1, b0, b1, c0, c1, d0, d1 []float64) {
	n := len(x00)
	x01, x10, x11 = x01[:n], x10[:n], x11[:n]
	a0, a1, b0, b1 = a0[:n], a1[:n], b0[:n], b1[:n]
	c0, c1, d0, d1 = c0[:n], c1[:n], d0[:n], d1[:n]
	for i := range n {
		a, b, c, d := a0[i], b0[i], c0[i], d0[i]
		e, f, g, h := a1[i], b1[i], c1[i], d1[i]
		x00[i] = x00[i] + a*b + c*d
		x01[i] = x01[i] + a*f + c*h
		x10[i] = x10[i] + e*b + g*d
		x11[i] = x11[i] + e*f + g*h
	}
}
