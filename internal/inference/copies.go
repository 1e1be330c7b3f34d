package inference

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/generalised"
	"tobac/internal/stream"
	"tobac/score"
)

// Copies are groups of columns with levels of which each has one value for every value of the
// others, and functions: columns with one value for every value of another one, which is finer.
// No data can tell which of them is directly related to a third column.
type Copies struct {
	d         int
	groups    [][]int
	functions []function
}

// FindCopies finds the groups that a prior treats alike.
func FindCopies(data *dataset.Table, prior *score.Prior) Copies {
	c := Copies{d: len(data.Names)}
	for _, f := range functions(data) {
		switch {
		case !exchangeable(prior, f.of, f.column):
			continue
		case !f.both:
			c.functions = append(c.functions, f)
			continue
		}
		if k := slices.IndexFunc(c.groups, func(g []int) bool {
			return slices.Contains(g, f.of)
		}); k >= 0 {
			c.groups[k] = append(c.groups[k], f.column)
			continue
		}
		c.groups = append(c.groups, []int{f.of, f.column})
	}
	return c
}

// Any reports whether there are any.
func (c Copies) Any() bool { return len(c.groups)+len(c.functions) > 0 }

// exchangeable reports whether a prior is the same after two variables have changed places.
func exchangeable(p *score.Prior, a, b int) bool {
	same := func(i, j, k, l int) bool {
		return p.Odds(i, j) == p.Odds(k, l) && p.Required(i, j) == p.Required(k, l)
	}
	if !same(a, b, b, a) {
		return false
	}
	for i := range p.Vars() {
		if i != a && i != b && !(same(i, a, i, b) && same(a, i, b, i)) {
			return false
		}
	}
	return true
}

// Share shares the edges of functions, then those of copies.
func (c Copies) Share(graphs []*dag.Graph, edges *mat.Dense, weight []float64, seed uint64) {
	c.shareFunctions(graphs, edges, weight, seed)
	c.shareCopies(graphs, edges, weight, seed)
}

// shareFunctions lets the other relations of a function be those of the column that determines it,
// with probability ½ each: a child of the function gets the finer column as its parent, and the
// parents of the function become those of the finer column. What a table of probabilities gains by
// the fewer rows of the function is no evidence for it: rows of the finer table may be alike.
// A child of both keeps the finer one, given which the other tells nothing. Graphs that would have
// a cycle stay. The probabilities of edges change by as much as their frequencies in the graphs.
func (c Copies) shareFunctions(graphs []*dag.Graph, edges *mat.Dense, weight []float64,
	seed uint64) {
	if len(c.functions) == 0 {
		return
	}
	change, sum := mat.NewDense(c.d, c.d, nil), 0.0
	add := func(g *dag.Graph, w float64) {
		for _, e := range g.Edges() {
			change.Set(e.From, e.To, change.At(e.From, e.To)+w)
		}
	}
	for k, g := range graphs {
		w := weight[k]
		sum += w
		add(g, -w)
		g = g.Clone()
		for at, f := range c.functions {
			f.refine(g, c.groupOf(f.of), stream.New(seed, stream.SharedCopies, len(c.groups)+at, k))
		}
		graphs[k] = g
		add(g, w)
	}
	edges.Apply(func(i, j int, v float64) float64 {
		return min(1, max(0, v+change.At(i, j)/sum))
	}, edges)
}

// groupOf are a column and its copies.
func (c Copies) groupOf(j int) []int {
	for _, g := range c.groups {
		if slices.Contains(g, j) {
			return g
		}
	}
	return []int{j}
}

// refine gives some relations of a function in a graph to the column that determines it, which is
// one of several copies.
func (f function) refine(g *dag.Graph, copies []int, rng interface{ IntN(n int) int }) {
	fine, coarse := f.of, f.column
	for _, j := range g.Children(coarse) {
		both := slices.ContainsFunc(copies, func(a int) bool { return g.Has(a, j) })
		if slices.Contains(copies, j) || !both && rng.IntN(2) == 0 || reaches(g, j, fine) {
			continue
		}
		g.Set(coarse, j, false)
		g.Set(fine, j, g.Has(fine, j) || !both)
	}
	parents := slices.DeleteFunc(g.Parents(coarse), func(i int) bool {
		return slices.Contains(copies, i)
	})
	if len(parents) == 0 || rng.IntN(2) == 0 {
		return
	}
	turned := g.Has(coarse, fine)
	g.Set(coarse, fine, false)
	cyclic := reaches(g, coarse, fine)
	for _, i := range parents {
		g.Set(i, coarse, false)
		cyclic = cyclic || reaches(g, fine, i) || reaches(g, coarse, i)
	}
	for _, i := range parents {
		if cyclic {
			g.Set(i, coarse, true)
		} else {
			g.Set(i, fine, true)
		}
	}
	switch {
	case !cyclic:
		g.Set(fine, coarse, true)
	case turned:
		g.Set(coarse, fine, true)
	}
}

// reaches reports whether a path leads from one variable to another.
func reaches(g *dag.Graph, from, to int) bool {
	seen, stack := make([]bool, g.Len()), []int{from}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, j := range g.Children(i) {
			if j == to {
				return true
			}
			if !seen[j] {
				seen[j] = true
				stack = append(stack, j)
			}
		}
	}
	return false
}

// shareCopies replaces graphs by graphs that are as probable, and the probabilities of the edges of
// copies by those in them: a parent of any copy is one of the first of them in a random sequence,
// each of the others has one earlier copy as its only parent, and every child of any has one copy
// as parent, each with the same probability. So no second copy is a parent of a column, where it
// cannot tell anything: under a table of probabilities it only divides the pseudo-counts. A graph
// that has a path from one copy to another through other columns stays. weight has the weights of
// the graphs.
func (c Copies) shareCopies(graphs []*dag.Graph, edges *mat.Dense, weight []float64, seed uint64) {
	for at, group := range c.groups {
		counts, sum := mat.NewDense(c.d, c.d, nil), 0.0
		add := func(i, j int, w float64) { counts.Set(i, j, counts.At(i, j)+w) }
		for k, g := range graphs {
			w := weight[k]
			sum += w
			g = necessary(g, group)
			parents, children, ok := around(g, group)
			if graphs[k] = g; !ok {
				for _, e := range g.Edges() {
					if slices.Contains(group, e.From) || slices.Contains(group, e.To) {
						add(e.From, e.To, w)
					}
				}
				continue
			}
			w /= float64(len(group))
			for _, a := range group {
				for _, i := range parents {
					add(i, a, w)
				}
				for _, j := range children {
					add(a, j, w)
				}
				for _, b := range group {
					if a != b {
						add(a, b, w)
					}
				}
			}
			graphs[k] = shared(g, group, parents, children,
				stream.New(seed, stream.SharedCopies, at, k))
		}
		for i := range c.d {
			for j := range c.d {
				if slices.Contains(group, i) || slices.Contains(group, j) {
					edges.Set(i, j, counts.At(i, j)/sum)
				}
			}
		}
	}
}

// necessary is a graph without the other parents of copies that have a copy as parent, given which
// they tell nothing.
func necessary(g *dag.Graph, group []int) *dag.Graph {
	h := g
	for _, a := range group {
		if !slices.ContainsFunc(group, func(b int) bool { return h.Has(b, a) }) {
			continue
		}
		for _, i := range h.Parents(a) {
			if slices.Contains(group, i) {
				continue
			}
			if h == g {
				h = g.Clone()
			}
			h.Set(i, a, false)
		}
	}
	return h
}

// around are the other parents and the other children of the members of a group; not ok if a path
// leads from one member to another through others.
func around(g *dag.Graph, group []int) (parents, children []int, ok bool) {
	reached := g.Closure()
	for i := range g.Len() {
		if slices.Contains(group, i) {
			continue
		}
		above := slices.ContainsFunc(group, func(a int) bool { return reached.Has(i, a) })
		below := slices.ContainsFunc(group, func(a int) bool { return reached.Has(a, i) })
		if above && below {
			return nil, nil, false
		}
		if slices.ContainsFunc(group, func(a int) bool { return g.Has(i, a) }) {
			parents = append(parents, i)
		}
		if slices.ContainsFunc(group, func(a int) bool { return g.Has(a, i) }) {
			children = append(children, i)
		}
	}
	return parents, children, true
}

// shared is a graph in which a group has such parents and children at random.
func shared(g *dag.Graph, group, parents, children []int,
	rng interface{ IntN(n int) int }) *dag.Graph {
	g = g.Clone()
	for _, a := range group {
		for i := range g.Len() {
			if i != a {
				g.Set(i, a, false)
				g.Set(a, i, false)
			}
		}
	}
	sequence := slices.Clone(group)
	for k := range sequence {
		o := k + rng.IntN(len(sequence)-k)
		sequence[k], sequence[o] = sequence[o], sequence[k]
		if k > 0 {
			g.Set(sequence[rng.IntN(k)], sequence[k], true)
		}
	}
	for _, i := range parents {
		g.Set(i, sequence[0], true)
	}
	for _, j := range children {
		g.Set(group[rng.IntN(len(group))], j, true)
	}
	return g
}

// A function says that a column has only one value for each value of another one; both ways or not.
type function struct {
	column, of int
	both       bool
}

// functions are columns with levels that others determine. Of copies the later ones are named.
func functions(data *dataset.Table) []function {
	tables, which, err := generalised.Tables(data, dataset.Kind.Levelled)
	if err != nil || tables == nil {
		return nil // refused elsewhere
	}
	var all []function
	least := leastCertain(len(which))
	for a, j := range which {
		found := function{of: -1}
		for b, i := range which {
			if i == j || found.both || !isFunction(data, j, i) {
				continue
			}
			both := isFunction(data, i, j)
			if i > j && both || tables.LogScore(a, []int{b})-tables.LogScore(a, nil) < least {
				continue
			}
			if found.of < 0 || both {
				found = function{j, i, both}
			}
		}
		if found.of >= 0 {
			all = append(all, found)
		}
	}
	return all
}
