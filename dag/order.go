package dag

import (
	"fmt"
	"slices"
	"strings"
)

// CycleError says that a graph has a cycle, and names one.
type CycleError struct {
	// Vertices[c] → Vertices[c+1], and the last → the first, which has the lowest index
	Vertices []int
	Names    []string // Names[c] belongs to Vertices[c]; nil when the vertices have no names
}

// Error writes the cycle as a path back to its beginning.
func (e *CycleError) Error() string {
	label := func(c int) string { return fmt.Sprint(e.Vertices[c]) }
	if e.Names != nil {
		label = func(c int) string { return fmt.Sprintf("%q", e.Names[c]) }
	}
	var b strings.Builder
	b.WriteString("graph has a cycle: ")
	for c := range e.Vertices {
		b.WriteString(label(c))
		b.WriteString(" -> ")
	}
	b.WriteString(label(0))
	return b.String()
}

// TopologicalOrder returns the vertices so that every edge points from an earlier to a later one,
// or a [*CycleError].
//
// Among the possible orders it is that of Kahn's algorithm with a first-in, first-out queue: the
// queue starts with the vertices without parents by index; a vertex taken from it visits its
// children by index, and each child whose parents have then all been taken joins.
func (g *Graph) TopologicalOrder() ([]int, error) {
	order, waiting := g.kahn()
	if len(order) < g.d {
		return nil, g.cycleAmong(waiting)
	}
	return order, nil
}

// kahn returns the vertices in topological order as far as it goes, and for each vertex the number
// of parents that are not among them.
func (g *Graph) kahn() (queue, waiting []int) {
	queue = make([]int, 0, g.d)
	waiting = make([]int, g.d)
	for _, e := range g.Edges() {
		waiting[e.To]++
	}
	for j, parents := range waiting {
		if parents == 0 {
			queue = append(queue, j)
		}
	}
	for taken := 0; taken < len(queue); taken++ {
		i := queue[taken]
		for _, j := range g.Children(i) {
			if waiting[j]--; waiting[j] == 0 {
				queue = append(queue, j)
			}
		}
	}
	return queue, waiting
}

// cycleAmong finds a cycle among the vertices that still wait for a parent. Each of them has a
// parent among them, so a walk from child to parent stays inside and must come back to a vertex it
// has seen.
func (g *Graph) cycleAmong(waiting []int) *CycleError {
	waits := func(v int) bool { return waiting[v] > 0 }
	v := slices.IndexFunc(waiting, func(parents int) bool { return parents > 0 })
	var walk []int
	for !slices.Contains(walk, v) {
		walk = append(walk, v)
		parents := g.Parents(v)
		v = parents[slices.IndexFunc(parents, waits)]
	}
	cycle := walk[slices.Index(walk, v):]
	slices.Reverse(cycle)
	first := slices.Index(cycle, slices.Min(cycle))
	return &CycleError{Vertices: slices.Concat(cycle[first:], cycle[:first])}
}

// Acyclic reports whether the graph has no cycle. The test is exact.
func (g *Graph) Acyclic() bool {
	order, _ := g.kahn()
	return len(order) == g.d
}

// CheckAcyclic returns nil for a graph without a cycle and otherwise a [*CycleError] that names a
// cycle by the vertices' names. names may be nil; it panics if there are names but not d of them.
func (g *Graph) CheckAcyclic(names []string) error {
	if names != nil && len(names) != g.d {
		panic(fmt.Sprintf("dag: %d names for %d vertices", len(names), g.d))
	}
	order, waiting := g.kahn()
	if len(order) == g.d {
		return nil
	}
	err := g.cycleAmong(waiting)
	if names != nil {
		for _, v := range err.Vertices {
			err.Names = append(err.Names, names[v])
		}
	}
	return err
}
