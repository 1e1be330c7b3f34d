package dense

import (
	"math/bits"
	"slices"
)

var (
	// ManyNumbers is how many numbers arrays have that no cache holds: some are computed in blocks
	// of rows, see blocks.go.
	ManyNumbers = 1 << 21
	// BlockNumbers is how many numbers a block of rows has, which a cache holds.
	BlockNumbers = 1 << 15
)

// A planner hands out ranges of the arena, first fit, and takes them back. Ranges of a line or
// more start with one; small ones share lines, which stay theirs.
type planner struct {
	size  int
	open  []gap             // free ranges by offset, never adjacent
	small [smallSizes][]int // free ranges of 1, 2 and 4 numbers
	large int               // size from which on a range is taken again in one piece only, 0: none
	whole map[int][]int     // free ranges of these sizes
}

// smallSizes is the number of sizes below that of a line, 1<<smallSizes numbers.
const smallSizes = 3

type gap struct{ off, n int }

// arenaAlign is the granularity of ranges in float64: a cache line, so that
// vectors do not straddle lines.
const arenaAlign = 8

func alignUp(n int) int { return (n + arenaAlign - 1) / arenaAlign * arenaAlign }

func newPlanner(reserved int) *planner { return &planner{size: alignUp(reserved)} }

func (p *planner) alloc(n int) int {
	if k := smallSize(n); k < smallSizes {
		return p.take(k)
	}
	n = alignUp(n)
	if free := p.whole[n]; len(free) > 0 {
		p.whole[n] = free[:len(free)-1]
		return free[len(free)-1]
	}
	if p.large > 0 && n >= p.large {
		p.size += n
		return p.size - n
	}
	for i, g := range p.open {
		if g.n >= n {
			if g.n == n {
				p.open = slices.Delete(p.open, i, i+1)
			} else {
				p.open[i] = gap{g.off + n, g.n - n}
			}
			return g.off
		}
	}
	off := p.size
	if k := len(p.open) - 1; k >= 0 && p.open[k].off+p.open[k].n == p.size {
		off = p.open[k].off // extend the last gap
		p.open = p.open[:k]
	}
	p.size = off + n
	return off
}

// smallSize is the least k of which n numbers fit into 1<<k.
func smallSize(n int) int { return bits.Len(uint(max(n, 1) - 1)) }

// take hands out 1<<k numbers of a line.
func (p *planner) take(k int) int {
	if k == smallSizes {
		return p.alloc(arenaAlign)
	}
	if n := len(p.small[k]); n > 0 {
		off := p.small[k][n-1]
		p.small[k] = p.small[k][:n-1]
		return off
	}
	off := p.take(k + 1)
	p.small[k] = append(p.small[k], off+1<<k)
	return off
}

func (p *planner) free(off, n int) {
	if k := smallSize(n); k < smallSizes {
		p.small[k] = append(p.small[k], off)
		return
	}
	g := gap{off, alignUp(n)}
	if p.large > 0 && g.n >= p.large {
		p.whole[g.n] = append(p.whole[g.n], off)
		return
	}
	i, _ := slices.BinarySearchFunc(p.open, off, func(x gap, off int) int { return x.off - off })
	p.open = slices.Insert(p.open, i, g)
	if i+1 < len(p.open) && g.off+g.n == p.open[i+1].off {
		p.open[i].n += p.open[i+1].n
		p.open = slices.Delete(p.open, i+1, i+2)
	}
	if i > 0 && p.open[i-1].off+p.open[i-1].n == p.open[i].off {
		p.open[i-1].n += p.open[i].n
		p.open = slices.Delete(p.open, i, i+1)
	}
}
