package scoretest

import "tobac/dag"

// Graphs lists all graphs without a cycle on d ≤ 5 variables.
func Graphs(d int) (all []*dag.Graph) {
	var pairs []dag.Edge
	for j := range d {
		for i := range j {
			pairs = append(pairs, dag.Edge{From: i, To: j})
		}
	}
	var choose func(g *dag.Graph, left []dag.Edge)
	choose = func(g *dag.Graph, left []dag.Edge) {
		if len(left) == 0 {
			if g.Acyclic() {
				all = append(all, g.Clone())
			}
			return
		}
		e := left[0]
		choose(g, left[1:])
		g.Set(e.From, e.To, true)
		choose(g, left[1:])
		g.Set(e.From, e.To, false)
		g.Set(e.To, e.From, true)
		choose(g, left[1:])
		g.Set(e.To, e.From, false)
	}
	choose(dag.New(d), pairs)
	return all
}
