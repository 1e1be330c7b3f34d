package dense

import (
	"slices"

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
	if m*k*n < wholeProducts || k == 1 || m == 1 && n == 1 { // few, or of vectors
		return false
	}
	pairs, all := p.countPairs(v), 0
	for g := range len(v.Live) / (m * n) {
		x := p.extent(v, g)
		all += (x.toRow - x.row) * (x.toTerm - x.term) * n
	}
	return all > 0 && (pairs == all || n > 1 && 4*pairs >= all)
}

// An extent is the rows of the result of a product of matrices that something reads, and the
// terms of its sums that may differ from zero, as far as they are at the ends.
type extent struct{ row, toRow, term, toTerm int }

// extent of matrix g of a stack of products.
func (p *Plan) extent(v *ir.Value, g int) extent {
	_, m, k, n := v.Product()
	a, b := p.places[v.Args[0].ID].Slot[g*m*k:][:m*k], p.places[v.Args[1].ID].Slot[g*k*n:][:k*n]
	anyStored := func(slots []int32) bool {
		return slices.ContainsFunc(slots, func(s int32) bool { return s >= 0 })
	}
	x := extent{0, m, 0, k}
	read := func(i int) bool { return slices.Contains(v.Live[(g*m+i)*n:][:n], true) }
	for x.row < x.toRow && !read(x.row) {
		x.row++
	}
	for x.row < x.toRow && !read(x.toRow-1) {
		x.toRow--
	}
	counts := func(l int) bool {
		for i := x.row; i < x.toRow; i++ {
			if a[i*k+l] >= 0 {
				return anyStored(b[l*n:][:n])
			}
		}
		return false
	}
	for x.term < x.toTerm && !counts(x.term) {
		x.term++
	}
	for x.term < x.toTerm && !counts(x.toTerm-1) {
		x.toTerm--
	}
	return x
}

// countPairs is the number of products of which neither factor is known to be zero.
func (p *Plan) countPairs(v *ir.Value) int {
	batch, m, k, n := v.Product()
	a, b := p.places[v.Args[0].ID].Slot, p.places[v.Args[1].ID].Slot
	pairs := 0
	for g := range batch {
		stored := func(slots []int32) bool { return !slices.Contains(slots, -1) }
		if wanted := v.Live[g*m*n:][:m*n]; !slices.Contains(wanted, false) &&
			stored(a[g*m*k:][:m*k]) && stored(b[g*k*n:][:k*n]) {
			pairs += m * k * n
			continue
		}
		live, right := ir.PackRows(m, n, v.Live[g*m*n:]), ir.NewRows(k, n)
		for at, s := range b[g*k*n:][:k*n] {
			if s >= 0 {
				right.Set(at/n, at%n)
			}
		}
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
		return p.lowerWhole(v)
	}
	batch, rows, k, n := v.Product()
	if p.width(v) == 1 && (k == 1 && (batch == 1 || v.Len() > 2*mostCoded) || batch == 1 &&
		rows == 1 && n == 1) && p.Offsets(a) == nil && p.Offsets(b) == nil && p.Offsets(v) == nil &&
		rows*k*n > shortRun {
		return &vectorProduct{batch: batch, rows: rows, k: k, n: n, a: p.Offset(a, 0),
			b: p.Offset(b, 0), dst: p.Offset(v, 0)}
	}
	m := &pairsInstr{width: p.width(v)}
	sa, sb := p.places[a.ID], p.places[b.ID]
	p.order(v, 0, v.Len(), func(e int) {
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
// numbers that lie one behind the other; or a stack of the former.
type vectorProduct struct{ batch, rows, k, n, a, b, dst int }

// Run implements [Instruction].
func (in *vectorProduct) Run(f *Frame) {
	if in.k > 1 {
		f.M[in.dst] = vector.Dot(f.M[in.a:][:in.k], f.M[in.b:][:in.k])
		return
	}
	for g := range in.batch {
		a, b, dst := f.M[in.a+g*in.rows:][:in.rows], f.M[in.b+g*in.n:][:in.n],
			f.M[in.dst+g*in.rows*in.n:]
		if in.n == 1 {
			Kernels.Scale(dst[:in.rows], a, b[0])
			continue
		}
		for i, x := range a {
			Kernels.Scale(dst[i*in.n:][:in.n], b, x)
		}
	}
}

// Cost implements [Instruction].
func (in *vectorProduct) Cost() (flops, bytes int) {
	n := in.rows * in.k * in.n
	return 2 * n * in.batch, 8 * (in.rows*in.k + in.k*in.n + in.rows*in.n) * in.batch
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

// factor describes the part of a matrix whose element (0, 0) is element first of v, in rows of
// pitch elements. Its rows are contiguous, or gathered, if they have to be. full says that every
// element is stored.
func (p *Plan) factor(v *ir.Value, first, pitch, rows, cols int, contiguous bool) (f factor,
	full bool) {
	f = factor{rows: rows, cols: cols, row: cols, col: 1}
	if rows*cols == 0 {
		return f, true
	}
	slot := p.places[v.ID].Slot
	f.at = p.Offset(v, first)
	if cols > 1 {
		f.col = p.Offset(v, first+1) - f.at
	}
	if rows > 1 {
		f.row = p.Offset(v, first+pitch) - f.at
	}
	full = true
	regular := f.row > 0 && f.col > 0 && (!contiguous || f.col == 1 && f.row >= cols)
	for i := range rows {
		for j := range cols {
			e := first + i*pitch + j
			full = full && slot[e] >= 0
			regular = regular && slot[e] >= 0 && p.Offset(v, e) == f.at+i*f.row+j*f.col
		}
	}
	if regular {
		return f, full
	}
	f.row, f.col, f.index = cols, 1, make([]int32, 0, rows*cols)
	for i := range rows {
		for j := range cols {
			f.index = append(f.index, int32(p.Offset(v, first+i*pitch+j)))
		}
	}
	return f, full
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
// elements of the rows that something reads, whether they are live or not.
type wholeProduct struct {
	a, b []factor // one for each matrix of the stack
	at   []int    // of the results
	// computes it product by product; nil if no element of an operand is known to be zero
	exact func(m []float64)
}

// lowerWhole makes the product as a whole.
func (p *Plan) lowerWhole(v *ir.Value) Instruction {
	batch, m, k, n := v.Product()
	d := &wholeProduct{}
	for g := range batch {
		x := p.extent(v, g)
		a, fullA := p.factor(v.Args[0], (g*m+x.row)*k+x.term, k, x.toRow-x.row, x.toTerm-x.term,
			false)
		b, fullB := p.factor(v.Args[1], (g*k+x.term)*n, n, x.toTerm-x.term, n, true)
		d.a, d.b = append(d.a, a), append(d.b, b)
		d.at = append(d.at, p.places[v.ID].Store.Off+(g*m+x.row)*n)
		p.Scratch = max(p.Scratch, len(a.index)+len(b.index))
		if !fullA || !fullB {
			d.exact = func(m []float64) { p.multiply(m, v) }
		}
	}
	return d
}

// Run implements [Instruction].
func (in *wholeProduct) Run(f *Frame) {
	for g := range in.a {
		a, rest := in.a[g].gather(f.M, f.Scratch)
		b, _ := in.b[g].gather(f.M, rest)
		c := f.M[in.at[g]:][:a.Rows*b.Cols]
		multiplyInto(c, a, b)
		if in.exact != nil && !Kernels.Finite(c) {
			// A structural zero may have met an infinity, a product that counts as
			// zero.
			in.exact(f.M)
			return
		}
	}
}

// multiplyInto computes a product of matrices, of which b has contiguous rows.
func multiplyInto(c []float64, a, b vector.Strided) {
	if b.Cols == 1 && (b.Row == 1 || b.Rows <= 1) {
		Kernels.MulVec(c, a, b.Data[:b.Rows])
		return
	}
	Kernels.MulStrided(general(a.Rows, b.Cols, b.Cols, c), a,
		general(b.Rows, b.Cols, b.Row, b.Data))
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
	for g := range in.a {
		f, b := in.a[g].cost(&in.b[g])
		flops, bytes = flops+f, bytes+b
	}
	return flops, bytes
}

// cost of the product with another factor.
func (g *factor) cost(b *factor) (flops, bytes int) {
	m, k, n := g.rows, b.rows, b.cols
	return 2 * m * k * n, 8 * (m*k + k*n + m*n)
}
