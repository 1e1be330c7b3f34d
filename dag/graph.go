package dag

import (
	"fmt"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Edge is the edge From → To.
type Edge struct{ From, To int }

// Graph is a directed graph on the vertices 0, …, d−1 without edges from a vertex to itself. It may
// hold cycles. The zero value has no vertices. Copy a graph with [Graph.Clone], compare with
// [Graph.Equal].
type Graph struct {
	d, words int
	adj      []uint64 // words of the children of each vertex, a bit for each
}

// New returns the graph with d vertices and no edge. It panics if d is negative.
func New(d int) *Graph {
	if d < 0 {
		panic(fmt.Sprintf("dag: %d vertices", d))
	}
	words := (d + 63) / 64
	return &Graph{d: d, words: words, adj: make([]uint64, d*words)}
}

// FromEdges returns the graph with d vertices and the given edges; repeated edges count once. A
// vertex outside 0, …, d−1 and an edge from a vertex to itself are errors. It panics if d is
// negative.
func FromEdges(d int, edges []Edge) (*Graph, error) {
	g := New(d)
	for n, e := range edges {
		switch {
		case min(e.From, e.To) < 0 || max(e.From, e.To) >= d:
			return nil, fmt.Errorf("dag: edge %d is %d -> %d, want vertices from 0 to %d", n,
				e.From, e.To, d-1)
		case e.From == e.To:
			return nil, fmt.Errorf("dag: edge %d is %d -> %d, want two different vertices", n,
				e.From, e.To)
		}
		g.Set(e.From, e.To, true)
	}
	return g, nil
}

// FromMatrix returns the graph with an edge i → j for each non-zero entry a[i][j] off the diagonal.
// It panics if a, d×d, is not square.
func FromMatrix(a mat.Matrix) *Graph {
	d, cols := a.Dims()
	if d != cols {
		panic(fmt.Sprintf("dag: matrix is %d×%d, want square", d, cols))
	}
	g := New(d)
	for i := range d {
		for j := range d {
			if i != j && a.At(i, j) != 0 {
				g.Set(i, j, true)
			}
		}
	}
	return g
}

// Len returns the number of vertices.
func (g *Graph) Len() int { return g.d }

// Size returns the number of edges.
func (g *Graph) Size() int {
	edges := 0
	for _, word := range g.adj {
		edges += bits.OnesCount64(word)
	}
	return edges
}

// Has reports whether the edge i → j is present. It panics unless i and j are vertices.
func (g *Graph) Has(i, j int) bool { return g.adj[g.index(i, j)]>>(j%64)&1 != 0 }

// Set adds or removes the edge i → j. It panics unless i and j are vertices, and if it should add
// an edge from a vertex to itself.
func (g *Graph) Set(i, j int, present bool) {
	if i == j && present {
		panic(fmt.Sprintf("dag: edge %d -> %d from a vertex to itself", i, j))
	}
	if word := &g.adj[g.index(i, j)]; present {
		*word |= 1 << (j % 64)
	} else {
		*word &^= 1 << (j % 64)
	}
}

// index is that of the word of the edge i → j.
func (g *Graph) index(i, j int) int {
	if uint(i) >= uint(g.d) || uint(j) >= uint(g.d) {
		panic(fmt.Sprintf("dag: edge %d -> %d in a graph with %d vertices", i, j, g.d))
	}
	return i*g.words + j/64
}

// row are the words of the children of i.
func (g *Graph) row(i int) []uint64 { return g.adj[i*g.words : (i+1)*g.words] }

// Edges returns the edges sorted by From, then To.
func (g *Graph) Edges() []Edge {
	var edges []Edge
	for i := range g.d {
		for w, word := range g.row(i) {
			for ; word != 0; word &= word - 1 {
				edges = append(edges, Edge{From: i, To: w*64 + bits.TrailingZeros64(word)})
			}
		}
	}
	return edges
}

// Parents returns the vertices i with i → j in ascending order. It panics unless j is a vertex.
func (g *Graph) Parents(j int) []int {
	g.index(j, j)
	var parents []int
	for i := range g.d {
		if g.adj[i*g.words+j/64]>>(j%64)&1 != 0 {
			parents = append(parents, i)
		}
	}
	return parents
}

// Children returns the vertices j with i → j in ascending order. It panics unless i is a vertex.
func (g *Graph) Children(i int) []int {
	g.index(i, i)
	var children []int
	for w, word := range g.row(i) {
		for ; word != 0; word &= word - 1 {
			children = append(children, w*64+bits.TrailingZeros64(word))
		}
	}
	return children
}

// Clone returns a copy that shares nothing with g.
func (g *Graph) Clone() *Graph { return &Graph{d: g.d, words: g.words, adj: slices.Clone(g.adj)} }

// Equal reports whether g and h have the same number of vertices and the same edges.
func (g *Graph) Equal(h *Graph) bool { return g.d == h.d && slices.Equal(g.adj, h.adj) }

// Matrix returns the d×d adjacency matrix with entries 0 and 1, an empty matrix if d is 0.
func (g *Graph) Matrix() *mat.Dense {
	if g.d == 0 {
		return &mat.Dense{}
	}
	a := mat.NewDense(g.d, g.d, nil)
	for _, e := range g.Edges() {
		a.Set(e.From, e.To, 1)
	}
	return a
}

// Closure returns the transitive closure: i → j for every two different vertices with a directed
// path from i to j in g. On a graph with cycles the vertices of a cycle become parents of each
// other.
func (g *Graph) Closure() *Graph {
	h := g.Clone()
	// Warshall: after round k, h knows the paths whose inner vertices are at most k.
	for k := range h.d {
		through := h.row(k)
		for i := range h.d {
			if !h.Has(i, k) {
				continue
			}
			row := h.row(i)
			for w, reachable := range through {
				row[w] |= reachable
			}
			row[i/64] &^= 1 << (i % 64)
		}
	}
	return h
}

// Identity is the order 0, …, d−1.
func Identity(d int) []int {
	order := make([]int, d)
	for j := range order {
		order[j] = j
	}
	return order
}

// AllBut are the variables other than j.
func AllBut(d, j int) []int { return slices.Delete(Identity(d), j, j+1) }

// Relabel returns the graph whose vertex a is the vertex order[a] of g:
//
//	h[a][b] = g[order[a]][order[b]]
//
// If order is a topological order of g, every edge of the result points from a lower to a higher
// vertex. Relabelling by [Inverse](order) leads back. It panics if order is not a permutation of
// the vertices.
func (g *Graph) Relabel(order []int) *Graph {
	if len(order) != g.d {
		panic(fmt.Sprintf("dag: order of %d vertices for a graph with %d", len(order), g.d))
	}
	position := Inverse(order)
	h := New(g.d)
	for _, e := range g.Edges() {
		h.Set(position[e.From], position[e.To], true)
	}
	return h
}

// Inverse returns the inverse permutation: position[order[a]] = a. It panics if order is no
// permutation of 0, …, d−1.
func Inverse(order []int) (position []int) {
	position = make([]int, len(order))
	for a := range position {
		position[a] = -1
	}
	for a, v := range order {
		if uint(v) >= uint(len(order)) || position[v] >= 0 {
			panic(fmt.Sprintf("dag: order %v is not a permutation of 0 to %d", order, len(order)-1))
		}
		position[v] = a
	}
	return position
}
