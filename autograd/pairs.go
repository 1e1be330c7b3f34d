package autograd

import "slices"

// Products of two matrices that both differ between lanes are computed in blocks of
// four rows by four columns whose elements are sums over the same terms, so that a
// register that is loaded serves four of them. At args a block is laid out as
//
//	height, width, dst₀₀, dst₀₁ … dst₃₃, registers a₀ … a₃, b₀ … b₃ of term 0, term 1, …
//
// where dstᵢⱼ = Σ aᵢ·bⱼ. Elements that nothing wants, those beyond height and width
// among them, go to the dst of the operation, a register that nothing reads; rows and
// columns of nothing else repeat others.
const (
	pairsHeight = 0
	pairsWidth  = 1
	pairsDst    = 2
	pairsHead   = 18

	pairsSide  = 4             // rows and columns
	pairsTerm  = 2 * pairsSide // registers of a term
	pairsLeast = 8             // elements that a block pays for
)

// A pairsBlock is a block of a product, by row and column.
type pairsBlock struct {
	rows, cols    [pairsSide][]operandRef // factors, term by term
	keys          [pairsSide][pairsSide]elementKey
	height, width int
}

// ofLanes reports whether v is a product of two matrices that both differ between
// lanes.
func (v *value) ofLanes() bool {
	return v.n.op != nil && v.n.op.kernel == kernelMatMul && v.args[0].varying && v.args[1].varying
}

// block computes k together with others of its block, if there are enough.
func (em *emitter) block(k elementKey) bool {
	if !em.c.value(k).ofLanes() || !em.c.p.runs(Fusion) {
		return false
	}
	b, ok := em.findBlock(k)
	if !ok {
		return false
	}
	for _, factors := range [][]operandRef{b.rows[0], b.cols[0]} {
		for _, f := range factors {
			em.whole(f)
		}
	}
	args := make([]int32, pairsHead)
	args[pairsHeight], args[pairsWidth] = int32(b.height), int32(b.width)
	terms := len(b.rows[0])
	for i := range terms {
		for _, factors := range b.rows {
			args = append(args, em.register(factors[i]))
		}
		for _, factors := range b.cols {
			args = append(args, em.register(factors[i]))
		}
	}
	spare := em.virtual()
	for r, keys := range b.keys {
		for c, key := range keys {
			dst := spare
			if key != none {
				dst = em.virtual()
				em.reg[key] = dst
			}
			args[pairsDst+pairsSide*r+c] = dst
		}
	}
	em.emit(laneOp{code: laneBlock, dst: spare, a: em.pool(args...), b: int32(terms)})
	em.c.lp.buffer = max(em.c.lp.buffer, pairsHead-pairsDst+pairsTerm*terms)
	return true
}

// whole computes all elements of the product that r is one of, if they are no more than
// those of either factor, which are then needed no longer.
func (em *emitter) whole(r operandRef) {
	if r.kind != refLane {
		return
	}
	v := em.c.value(r.key)
	if _, done := em.reg[r.key]; done || !v.ofLanes() || max(v.n.shape[0], v.n.shape[1]) > v.args[0].n.shape[1] {
		return
	}
	for e := range v.live {
		if key := (elementKey{r.key.v, int32(e)}); em.uses[key] > 0 {
			em.lane(key)
		}
	}
}

// findBlock finds the elements of the block of k that are sums over the same terms
// as k, that something reads, and that nothing has computed.
func (em *emitter) findBlock(k elementKey) (b pairsBlock, ok bool) {
	v := em.c.value(k)
	m, n := v.n.shape[0], v.n.shape[1]
	factors := func(i, j int) (row, col []operandRef) {
		for _, pair := range v.products(i*n+j, nil) {
			row, col = append(row, pair[0]), append(col, pair[1])
		}
		return row, col
	}
	row, col := int(k.e)/n, int(k.e)%n
	top, left := row-row%pairsSide, col-col%pairsSide
	own, across := factors(row, col)
	if len(own) < 2 {
		return b, false
	}
	var rows, cols [pairsSide][]operandRef // with the terms of k
	for i := range pairsSide {
		b.rows[i], b.cols[i] = own, across
		b.keys[i] = [pairsSide]elementKey{none, none, none, none}
		if top+i < m {
			if r, c := factors(top+i, col); slices.Equal(c, across) {
				rows[i] = r
			}
		}
		if left+i < n {
			if r, c := factors(row, left+i); slices.Equal(r, own) {
				cols[i] = c
			}
		}
	}
	count := 0
	for i := range pairsSide {
		for j := range pairsSide {
			key := elementKey{k.v, int32((top+i)*n + left + j)}
			if rows[i] == nil || cols[j] == nil || em.uses[key] == 0 || em.kept(key) {
				continue
			}
			if _, done := em.reg[key]; done {
				continue
			}
			if r, c := factors(top+i, left+j); !slices.Equal(r, rows[i]) || !slices.Equal(c, cols[j]) {
				continue
			}
			b.keys[i][j], b.rows[i], b.cols[j] = key, rows[i], cols[j]
			b.height, b.width = max(b.height, i+1), max(b.width, j+1)
			count++
		}
	}
	return b, count >= pairsLeast
}

// blockOf computes a block of a product in portable Go, two rows by two columns at a
// time.
func blockOf(op *laneOp, args []int32, regs []float64, n int) {
	t := args[op.a:]
	r := func(reg int32) []float64 { return regs[int(reg)*n:][:n] }
	for i := 0; i < int(t[pairsHeight]); i += 2 {
		for j := 0; j < int(t[pairsWidth]); j += 2 {
			dst := t[pairsDst+pairsSide*i+j:]
			d0, d1, d2, d3 := r(dst[0]), r(dst[1]), r(dst[pairsSide]), r(dst[pairsSide+1])
			a, b := t[pairsHead+i:], t[pairsHead+pairsSide+j:]
			k := int(op.b)
			if k%2 == 1 {
				mulVV(d0, r(a[0]), r(b[0]))
				mulVV(d1, r(a[0]), r(b[1]))
				mulVV(d2, r(a[1]), r(b[0]))
				mulVV(d3, r(a[1]), r(b[1]))
			} else {
				for _, d := range [][]float64{d0, d1, d2, d3} {
					fill(d, 0)
				}
			}
			for at := k % 2 * pairsTerm; at < k*pairsTerm; at += 2 * pairsTerm {
				a, b, c, d := a[at:], b[at:], a[at+pairsTerm:], b[at+pairsTerm:]
				mulAddFour(d0, d1, d2, d3, r(a[0]), r(a[1]), r(b[0]), r(b[1]), r(c[0]), r(c[1]), r(d[0]), r(d[1]))
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
