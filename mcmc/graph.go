package mcmc

import "math/bits"

// A graph is a directed acyclic graph on the candidates: parents as masks, and
// children as sets of nodes for searching descendants.
type graph struct {
	*problem
	words    int
	parents  []uint32
	children []uint64 // words of them for each node
	reached  []uint64
	stack    []int
	depth    []int
	missing  []int
}

func newGraph(p *problem) graph {
	words := (p.d + 63) / 64
	return graph{
		problem: p, words: words,
		parents:  make([]uint32, p.d),
		children: make([]uint64, words*p.d), reached: make([]uint64, words),
		stack: make([]int, 0, p.d), depth: make([]int, p.d), missing: make([]int, p.d),
	}
}

// clear removes all edges.
func (g *graph) clear() {
	clear(g.parents)
	clear(g.children)
}

// set gives j other parents.
func (g *graph) set(j int, parents uint32) {
	list := g.tables[j].candidates
	for change := g.parents[j] ^ parents; change != 0; change &= change - 1 {
		i := list[bits.TrailingZeros32(change)]
		g.children[i*g.words+j/64] ^= 1 << (j % 64)
	}
	g.parents[j] = parents
}

// edges is the number of edges.
func (g *graph) edges() int {
	n := 0
	for _, set := range g.parents {
		n += bits.OnesCount32(set)
	}
	return n
}

// possible returns the candidates of j that are no descendants of it: those that
// may be its parents if it has none.
func (g *graph) possible(j int) uint32 {
	clear(g.reached)
	g.stack = append(g.stack[:0], j)
	g.reached[j/64] |= 1 << (j % 64)
	for len(g.stack) > 0 {
		i := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		for w, set := range g.children[i*g.words : (i+1)*g.words] {
			set &^= g.reached[w]
			g.reached[w] |= set
			for ; set != 0; set &= set - 1 {
				g.stack = append(g.stack, w*64+bits.TrailingZeros64(set))
			}
		}
	}
	free := uint32(0)
	for k, i := range g.tables[j].candidates {
		if g.reached[i/64]>>(i%64)&1 == 0 {
			free |= 1 << k
		}
	}
	return free
}

// layers writes to dst the number of edges of a longest path that ends at each
// node: the layers of the partition to which the graph belongs.
func (g *graph) layers(dst []int) {
	clear(dst)
	g.stack = g.stack[:0]
	for j, set := range g.parents {
		if g.missing[j] = bits.OnesCount32(set); set == 0 {
			g.stack = append(g.stack, j)
		}
	}
	for len(g.stack) > 0 {
		i := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		for w, set := range g.children[i*g.words : (i+1)*g.words] {
			for ; set != 0; set &= set - 1 {
				j := w*64 + bits.TrailingZeros64(set)
				dst[j] = max(dst[j], dst[i]+1)
				if g.missing[j]--; g.missing[j] == 0 {
					g.stack = append(g.stack, j)
				}
			}
		}
	}
}
