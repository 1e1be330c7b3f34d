package autograd

import (
	"slices"

	"tobac/autograd/internal/lane/vm"
)

// Products of two matrices that both differ between lanes are computed in blocks of
// four rows by four columns whose elements are sums over the same terms: see
// [vm.BlockSide].

// pairsLeast is the number of elements that a block pays for.
const pairsLeast = 8

// A pairsBlock is a block of a product, by row and column.
type pairsBlock struct {
	rows, cols    [vm.BlockSide][]operandRef // factors, term by term
	keys          [vm.BlockSide][vm.BlockSide]elementKey
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
	args := make([]int32, vm.BlockHead)
	args[vm.BlockHeight], args[vm.BlockWidth] = int32(b.height), int32(b.width)
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
			args[vm.BlockDst+vm.BlockSide*r+c] = dst
		}
	}
	em.emit(vm.Op{Code: vm.Block, Dst: spare, A: em.pool(args...), B: int32(terms)})
	em.c.lp.buffer = max(em.c.lp.buffer, vm.BlockBuffer(terms))
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
	top, left := row-row%vm.BlockSide, col-col%vm.BlockSide
	own, across := factors(row, col)
	if len(own) < 2 {
		return b, false
	}
	var rows, cols [vm.BlockSide][]operandRef // with the terms of k
	for i := range vm.BlockSide {
		b.rows[i], b.cols[i] = own, across
		b.keys[i] = [vm.BlockSide]elementKey{none, none, none, none}
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
	for i := range vm.BlockSide {
		for j := range vm.BlockSide {
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
