package mcmc

import (
	"math/bits"
	"slices"
)

// A graph is a directed acyclic graph: parents as masks, children as sets of nodes.
type graph struct {
	d, words  int
	tables    []*table // say what the masks stand for
	parents   []uint32
	degree    []int    // number of parents
	children  []uint64 // words of them for each node
	reached   []uint64
	stack     []int
	missing   []int
	parentsOf []int
}

func newGraph(d int) graph {
	words := (d + 63) / 64
	return graph{
		d: d, words: words,
		parents: make([]uint32, d), degree: make([]int, d),
		children: make([]uint64, words*d), reached: make([]uint64, words),
		stack: make([]int, 0, d), missing: make([]int, d),
	}
}

// clear removes all edges. From here on masks are those of the tables.
func (g *graph) clear(tables []*table) {
	g.tables = tables
	clear(g.parents)
	clear(g.degree)
	clear(g.children)
}

// set gives j other parents.
func (g *graph) set(j int, parents uint32) {
	t := g.tables[j]
	change := g.parents[j] ^ parents
	if change&t.given != 0 {
		for _, i := range t.extras {
			g.children[i*g.words+j/64] ^= 1 << (j % 64)
		}
		change &^= t.given
	}
	for ; change != 0; change &= change - 1 {
		i := t.parents[bits.TrailingZeros32(change)]
		g.children[i*g.words+j/64] ^= 1 << (j % 64)
	}
	g.degree[j] += t.size(parents) - t.size(g.parents[j])
	g.parents[j] = parents
}

// list returns the parents of j, ascending. The result is valid until the next call.
func (g *graph) list(j int) []int {
	g.parentsOf = g.parentsOf[:0]
	t := g.tables[j]
	for set := g.parents[j] &^ t.given; set != 0; set &= set - 1 {
		g.parentsOf = append(g.parentsOf, t.parents[bits.TrailingZeros32(set)])
	}
	if g.parents[j]&t.given != 0 {
		g.parentsOf = append(g.parentsOf, t.extras...)
		slices.Sort(g.parentsOf)
	}
	return g.parentsOf
}

// retable makes j one of the children whose parents are masks of the table t. Its parents
// are the same but for the extra ones, which are those of t.
func (g *graph) retable(j int, t *table) {
	low := g.parents[j] & t.low
	g.set(j, low)
	g.tables[j] = t
	g.set(j, low|t.given)
}

// has reports whether the edge i → j is there.
func (g *graph) has(i, j int) bool { return g.children[i*g.words+j/64]>>(j%64)&1 != 0 }

// edges is the number of edges from candidates.
func (g *graph) edges() int {
	n := 0
	for j, set := range g.parents {
		n += bits.OnesCount32(set & g.tables[j].low)
	}
	return n
}

// search marks the node j and its descendants as reached.
func (g *graph) search(j int) {
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
}

// isReached reports whether the last search has reached node i.
func (g *graph) isReached(i int) bool { return g.reached[i/64]>>(i%64)&1 != 0 }

// possible returns the possible parents of j that are no descendants of it.
func (g *graph) possible(j int) uint32 {
	g.search(j)
	t := g.tables[j]
	free := t.given
	for k, i := range t.parents {
		if !g.isReached(i) {
			free |= 1 << k
		}
	}
	if slices.ContainsFunc(t.extras, g.isReached) {
		free &^= t.given
	}
	return free
}

// layers writes to dst the number of edges of a longest path that ends at each
// node: the layers of the partition to which the graph belongs.
func (g *graph) layers(dst []int) {
	clear(dst)
	g.stack = g.stack[:0]
	for j, k := range g.degree {
		if g.missing[j] = k; k == 0 {
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

// edge returns the n-th edge i → j from a candidate i of j.
func (g *graph) edge(n int) (i, j int) {
	for j, set := range g.parents {
		set &= g.tables[j].low
		if k := bits.OnesCount32(set); n >= k {
			n -= k
			continue
		}
		for ; n > 0; n-- {
			set &= set - 1
		}
		return g.tables[j].parents[bits.TrailingZeros32(set)], j
	}
	panic("mcmc: fewer edges than counted")
}

// lists returns the parents of every node, ascending.
func (g *graph) lists() [][]int {
	all := make([][]int, g.d)
	for j := range all {
		all[j] = append([]int{}, g.list(j)...) // never nil, as JSON tells nil from empty
	}
	return all
}
