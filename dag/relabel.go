package dag

import "fmt"

// Relabel returns the graph whose vertex a is the vertex order[a] of g:
//
//	h[a][b] = g[order[a]][order[b]]
//
// If order is a topological order of g, every edge of the result points from a lower to a higher
// vertex. Relabelling by [Inverse](order) leads back. It panics if order is no permutation of the
// vertices.
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
