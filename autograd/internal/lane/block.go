package lane

import (
	"slices"

	"tobac/autograd/internal/lane/vm"
)

// A blockOf is a block of a product, by row and column.
type blockOf struct {
	rows, cols    [vm.BlockSide][]ref // factors, term by term
	keys          [vm.BlockSide][vm.BlockSide]int32
	height, width int
}

// blockLeast is the number of elements that a block pays for.
const blockLeast = 8

// block computes k together with others of its block, if there are enough.
func (em *emitter) block(k int32) bool {
	if v, _ := em.c.of(k); !em.c.ofLanes(v) || !em.fuses() {
		return false
	}
	b, ok := em.findBlock(k)
	if !ok {
		return false
	}
	for _, factors := range [][]ref{b.rows[0], b.cols[0]} {
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
				em.setRegister(key, dst)
			}
			args[vm.BlockDst+vm.BlockSide*r+c] = dst
		}
	}
	em.emit(vm.Op{Code: vm.Block, Dst: spare, A: em.pool(args...), B: int32(terms)})
	em.c.prog.buffer = max(em.c.prog.buffer, vm.BlockBuffer(terms))
	return true
}

// whole computes all elements of the product that r is one of, if they are no more than
// those of either factor, which are then needed no longer.
func (em *emitter) whole(r ref) {
	if r.kind != refLane {
		return
	}
	v, _ := em.c.of(r.at)
	if _, done := em.done(r.at); done || !em.c.ofLanes(v) {
		return
	}
	if _, m, k, n := v.Product(); max(m, n) > k {
		return
	}
	for e := range v.Live {
		if key := em.c.element(v, e); em.uses(key) > 0 {
			em.lane(key)
		}
	}
}

// findBlock finds the elements of the block of k that are sums over the same terms
// as k, that something reads, and that nothing has computed.
func (em *emitter) findBlock(k int32) (b blockOf, ok bool) {
	v, e := em.c.of(k)
	_, m, _, n := v.Product()
	base := e / (m * n) * m * n // of the matrix in the stack
	factors := func(i, j int) (row, col []ref) {
		for _, t := range em.c.terms(v, base+i*n+j) {
			row, col = append(row, t[0]), append(col, t[1])
		}
		return row, col
	}
	row, col := (e-base)/n, (e-base)%n
	top, left := row-row%vm.BlockSide, col-col%vm.BlockSide
	own, across := factors(row, col)
	if len(own) < 2 {
		return b, false
	}
	var rows, cols [vm.BlockSide][]ref // with the terms of k
	for i := range vm.BlockSide {
		b.rows[i], b.cols[i] = own, across
		b.keys[i] = [vm.BlockSide]int32{none, none, none, none}
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
			if rows[i] == nil || cols[j] == nil {
				continue
			}
			key := em.c.element(v, base+(top+i)*n+left+j)
			if _, done := em.done(key); done || em.uses(key) == 0 || em.kept(key) {
				continue
			}
			if r, c := factors(top+i, left+j); !slices.Equal(r, rows[i]) ||
				!slices.Equal(c, cols[j]) {
				continue
			}
			b.keys[i][j], b.rows[i], b.cols[j] = key, rows[i], cols[j]
			b.height, b.width = max(b.height, i+1), max(b.width, j+1)
			count++
		}
	}
	return b, count >= blockLeast
}
