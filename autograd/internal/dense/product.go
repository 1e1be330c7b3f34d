package dense

import (
	"gonum.org/v1/gonum/blas/blas64"

	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// wholeProducts is the number of products from which a matrix product of single
// numbers is computed as a whole, if at least a quarter of its products count, or all
// if the result is one column.
const wholeProducts = 200

// countsWhole reports whether a value of single numbers is such a product. Its operands
// are placed.
func (p *Plan) countsWhole(v *ir.Value) bool {
	if !v.Computed() || v.Op.Class != ir.MatMul {
		return false
	}
	_, m, k, n := v.Product()
	if all := m * k * n; all < wholeProducts {
		return false
	}
	if _, rows, k, n := v.Product(); k == 1 || rows == 1 && n == 1 {
		return false // of vectors
	}
	pairs, all := p.countPairs(v), len(v.Live)*k
	return pairs == all || n > 1 && 4*pairs >= all
}

// countPairs is the number of products of which neither factor is known to be zero.
func (p *Plan) countPairs(v *ir.Value) int {
	batch, m, k, n := v.Product()
	a, b := p.places[v.Args[0].ID].Slot, p.places[v.Args[1].ID].Slot
	pairs := 0
	for g := range batch {
		live := ir.PackRows(m, n, func(i, j int) bool { return v.Live[(g*m+i)*n+j] })
		right := ir.PackRows(k, n, func(l, j int) bool { return b[(g*k+l)*n+j] >= 0 })
		for i := range m {
			for l, s := range a[(g*m+i)*k:][:k] {
				if s >= 0 {
					pairs += ir.CountAnd(live.Row(i), right.Row(l))
				}
			}
		}
	}
	return pairs
}

func (p *Plan) lowerMatMul(v *ir.Value) Instruction {
	a, b := v.Args[0], v.Args[1]
	if p.places[v.ID].whole {
		return p.lowerWhole(v, p.Full(a) && p.Full(b))
	}
	batch, rows, k, n := v.Product()
	if batch == 1 && p.width(v) == 1 && (k == 1 || rows == 1 && n == 1) && p.Offsets(a) == nil && p.Offsets(b) == nil && p.Offsets(v) == nil && rows*k*n > shortRun {
		return &vectorProduct{rows: rows, k: k, n: n, a: p.Offset(a, 0), b: p.Offset(b, 0), dst: p.Offset(v, 0)}
	}
	m := &pairsInstr{width: p.width(v)}
	sa, sb := p.places[a.ID], p.places[b.ID]
	p.order(v, func(e int) {
		if !v.Live[e] {
			return
		}
		g, i, j := e/(rows*n), e/n%rows, e%n
		for l := range k {
			if x, y := (g*rows+i)*k+l, (g*k+l)*n+j; sa.Slot[x] >= 0 && sb.Slot[y] >= 0 {
				m.pairs = append(m.pairs, pair{int32(p.Offset(a, x)), int32(p.Offset(b, y))})
			}
		}
		m.dst = append(m.dst, p.Offset(v, e))
		m.end = append(m.end, len(m.pairs))
	})
	if sa.Store != nil && sb.Store != nil {
		m.aw, m.bw = sa.Store.Width, sb.Store.Width
	}
	return m
}

// vectorProduct is the product of a column and a row, or of a row and a column, of single
// numbers that lie one behind the other.
type vectorProduct struct{ rows, k, n, a, b, dst int }

// Run implements [Instruction].
func (in *vectorProduct) Run(f *Frame) {
	a, b := f.M[in.a:][:in.rows*in.k], f.M[in.b:][:in.k*in.n]
	switch {
	case in.k > 1:
		f.M[in.dst] = dot(a, b)
	case in.n == 1:
		Kernels.Scale(f.M[in.dst:][:in.rows], a, b[0])
	default:
		for i, x := range a {
			Kernels.Scale(f.M[in.dst+i*in.n:][:in.n], b, x)
		}
	}
}

// Cost implements [Instruction].
func (in *vectorProduct) Cost() (flops, bytes int) {
	n := in.rows * in.k * in.n
	return 2 * n, 8 * (in.rows*in.k + in.k*in.n + in.rows*in.n)
}

// dot is Σ aᵢ·bᵢ in four interleaved partial sums.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// pairsInstr is a matrix product as a list of products per result element:
// only those whose factors may both differ from zero.
type pairsInstr struct {
	width, aw, bw int
	dst, end      []int
	pairs         []pair
}

type pair struct{ a, b int32 }

// Run implements [Instruction].
func (in *pairsInstr) Run(f *Frame) {
	at := 0
	for i, off := range in.dst {
		pairs := in.pairs[at:in.end[i]]
		at = in.end[i]
		if in.width == 1 {
			f.M[off] = dotPairs(f.M, pairs)
			continue
		}
		dst := f.M[off : off+in.width]
		clear(dst)
		for _, p := range pairs {
			switch {
			case in.aw == 1 && in.bw == 1:
				Kernels.Shift(dst, dst, f.M[p.a]*f.M[p.b])
			case in.aw == 1:
				axpy(dst, f.M[p.b:][:len(dst)], f.M[p.a])
			case in.bw == 1:
				axpy(dst, f.M[p.a:][:len(dst)], f.M[p.b])
			default:
				addProducts(dst, f.M[p.a:][:len(dst)], f.M[p.b:][:len(dst)])
			}
		}
	}
}

func axpy(dst, x []float64, c float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += c * x[i]
	}
}

func addProducts(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] += a[i] * b[i]
	}
}

// dotPairs is Σ m[a]·m[b] in four interleaved partial sums.
func dotPairs(m []float64, pairs []pair) float64 {
	var s0, s1, s2, s3 float64
	for len(pairs) >= 4 {
		p := pairs[:4]
		pairs = pairs[4:]
		s0 += m[p[0].a] * m[p[0].b]
		s1 += m[p[1].a] * m[p[1].b]
		s2 += m[p[2].a] * m[p[2].b]
		s3 += m[p[3].a] * m[p[3].b]
	}
	for _, p := range pairs {
		s0 += m[p.a] * m[p.b]
	}
	return (s0 + s1) + (s2 + s3)
}

// Cost implements [Instruction].
func (in *pairsInstr) Cost() (flops, bytes int) {
	return 2 * len(in.pairs) * in.width, 8 * (len(in.pairs)*(in.aw+in.bw) + len(in.dst)*in.width)
}

// A factor is an operand of a matrix product of single numbers as a whole.
type factor struct {
	rows, cols int
	at         int     // of element (0, 0), if elements lie regularly
	row, col   int     // and how far apart rows and columns are
	index      []int32 // else the offsets of all elements
}

// factor describes matrix g of a stack. Its rows are contiguous, or gathered, if they
// have to be.
func (p *Plan) factor(v *ir.Value, g, rows, cols int, contiguous bool) factor {
	first := g * rows * cols
	slot := p.places[v.ID].Slot[first:][:rows*cols]
	f := factor{rows: rows, cols: cols, at: p.Offset(v, first), row: cols, col: 1}
	if cols > 1 {
		f.col = p.Offset(v, first+1) - f.at
	}
	if rows > 1 {
		f.row = p.Offset(v, first+cols) - f.at
	}
	regular := f.row > 0 && f.col > 0 && (!contiguous || f.col == 1 && f.row >= cols)
	for e, s := range slot {
		regular = regular && s >= 0 && p.Offset(v, first+e) == f.at+e/cols*f.row+e%cols*f.col
	}
	if regular {
		return f
	}
	f.row, f.col, f.index = cols, 1, make([]int32, rows*cols)
	for e := range f.index {
		f.index[e] = int32(p.Offset(v, first+e))
	}
	return f
}

// gather returns the elements in rows and columns and what is left of the scratch
// memory, of which it needs one number for each index.
func (g *factor) gather(m, scratch []float64) (x vector.Strided, rest []float64) {
	x = vector.Strided{Rows: g.rows, Cols: g.cols, Row: g.row, Col: g.col}
	if g.index == nil {
		x.Data = m[g.at:]
		return x, scratch
	}
	x.Data = scratch[:len(g.index)]
	Kernels.Gather(x.Data, m, g.index)
	return x, scratch[len(g.index):]
}

// wholeProduct is a matrix product of single numbers as a whole. Its result has all
// elements, whether they are live or not.
type wholeProduct struct {
	a, b  []factor          // one for each matrix of the stack
	at    int               // of the result
	exact func(m []float64) // computes it product by product; nil if no element of an operand is known to be zero
}

// lowerWhole makes the product as a whole.
func (p *Plan) lowerWhole(v *ir.Value, full bool) Instruction {
	batch, m, k, n := v.Product()
	d := &wholeProduct{at: p.places[v.ID].Store.Off}
	if !full {
		d.exact = func(m []float64) { p.multiply(m, v) }
	}
	for g := range batch {
		d.a = append(d.a, p.factor(v.Args[0], g, m, k, false))
		d.b = append(d.b, p.factor(v.Args[1], g, k, n, true))
		p.Scratch = max(p.Scratch, len(d.a[g].index)+len(d.b[g].index))
	}
	return d
}

// Run implements [Instruction].
func (in *wholeProduct) Run(f *Frame) {
	at := in.at
	for g := range in.a {
		a, rest := in.a[g].gather(f.M, f.Scratch)
		b, _ := in.b[g].gather(f.M, rest)
		c := f.M[at:][:a.Rows*b.Cols]
		at += len(c)
		if b.Cols == 1 && (b.Row == 1 || b.Rows == 1) {
			Kernels.MulVec(c, a, b.Data[:b.Rows])
		} else {
			Kernels.MulStrided(general(a.Rows, b.Cols, b.Cols, c), a, general(b.Rows, b.Cols, b.Row, b.Data))
		}
		if in.exact != nil && !Kernels.Finite(c) {
			// A structural zero may have met an infinity, a product that counts as
			// zero.
			in.exact(f.M)
			return
		}
	}
}

// multiply computes v leaving out the products with elements known to be zero.
func (p *Plan) multiply(x []float64, v *ir.Value) {
	batch, m, k, n := v.Product()
	a, b := v.Args[0], v.Args[1]
	sa, sb := p.places[a.ID].Slot, p.places[b.ID].Slot
	for e := range batch * m * n {
		g, i, j := e/(m*n), e/n%m, e%n
		sum := 0.0
		for l := range k {
			if s, t := (g*m+i)*k+l, (g*k+l)*n+j; sa[s] >= 0 && sb[t] >= 0 {
				sum += x[p.Offset(a, s)] * x[p.Offset(b, t)]
			}
		}
		x[p.places[v.ID].Store.Off+e] = sum
	}
}

func general(rows, cols, stride int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}
}

// Cost implements [Instruction].
func (in *wholeProduct) Cost() (flops, bytes int) {
	m, k, n := in.a[0].rows, in.b[0].rows, in.b[0].cols
	return 2 * m * k * n * len(in.a), 8 * (m*k + k*n + m*n) * len(in.a)
}
