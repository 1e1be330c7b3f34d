package dag

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
