package dag

// Closure returns the transitive closure: i → j for every two different vertices with a directed
// path from i to j in g. On a graph with cycles the vertices of a cycle become parents of each
// other.
func (g *Graph) Closure() *Graph {
	h := g.Clone()
	// Warshall: after round k, h knows the paths whose inner vertices are at most k.
	for k := range h.d {
		through := h.adj[k*h.d : (k+1)*h.d]
		for i := range h.d {
			if !h.adj[i*h.d+k] {
				continue
			}
			for j, reachable := range through {
				if reachable && i != j {
					h.adj[i*h.d+j] = true
				}
			}
		}
	}
	return h
}
