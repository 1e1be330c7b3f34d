package posterior

import (
	"fmt"

	"tobac/dag"
)

// parentSets are the distinct sets of parents of each variable in the draws: of many variables most
// have few, and graphs as numbers of sets take a fraction of the space of their edges.
type parentSets struct {
	sets  [][][]int // of each variable, in the sequence of the draws; nil means none
	draws [][]int   // of each draw, the number of the set of each variable
}

// parentSets lists them.
func (p *Posterior) parentSets() parentSets {
	d := len(p.Names)
	out := parentSets{sets: make([][][]int, d), draws: make([][]int, len(p.Draws))}
	known := make([]map[string]int, d)
	for m, draw := range p.Draws {
		out.draws[m] = make([]int, d)
		for j := range d {
			// never nil, which JSON tells from empty
			parents := append([]int{}, draw.Graph.Parents(j)...)
			key := fmt.Sprint(parents)
			number, found := known[j][key]
			if !found {
				number = len(out.sets[j])
				if known[j] == nil {
					known[j] = map[string]int{}
				}
				known[j][key] = number
				out.sets[j] = append(out.sets[j], parents)
			}
			out.draws[m][j] = number
		}
	}
	return out
}

// numbers are those of a draw; nil where nothing is listed.
func (s parentSets) numbers(draw int) []int {
	if s.sets == nil {
		return nil
	}
	return s.draws[draw]
}

// edges are those of a stored draw over d variables, as its equations list them: by source and
// target.
func (s storedDraw) edges(d int, parents [][][]int) ([]dag.Edge, error) {
	if s.Sets == nil {
		edges := make([]dag.Edge, len(s.Edges))
		for k, e := range s.Edges {
			if len(e) != 2 {
				return nil, fmt.Errorf("edge %d has %d ends, want source and target", k, len(e))
			}
			edges[k] = dag.Edge{From: e[0], To: e[1]}
		}
		return edges, nil
	}
	if s.Edges != nil || len(s.Sets) != d || len(parents) != d {
		return nil, fmt.Errorf("%d sets of parents and %d edges, and sets of parents of %d "+
			"variables, want sets alone, of each of %d variables", len(s.Sets), len(s.Edges),
			len(parents), d)
	}
	children := make([][]int, d)
	for j, number := range s.Sets {
		if number < 0 || number >= len(parents[j]) {
			return nil, fmt.Errorf("set %d of parents of variable %d, which has %d", number, j+1,
				len(parents[j]))
		}
		for _, i := range parents[j][number] {
			if i < 0 || i >= d {
				return nil, fmt.Errorf("parent %d of variable %d, want 0 to %d", i, j+1, d-1)
			}
			children[i] = append(children[i], j)
		}
	}
	var edges []dag.Edge
	for i, list := range children {
		for _, j := range list {
			edges = append(edges, dag.Edge{From: i, To: j})
		}
	}
	return edges, nil
}
