package table

import (
	"slices"

	"tobac/dag"
	"tobac/dataset"
)

// Numbers are the numbers of a prepared table, NaN where a value is missing.
func (p *Prepared) Numbers() *dataset.Table {
	if p.Data != nil {
		return p.Data
	}
	return &dataset.Table{Names: p.Incomplete.Names, X: p.Incomplete.X, Variables: p.Incomplete.Variables}
}

// Together are the columns that are indicators of one variable, which are
// missing together.
func (p *Prepared) Together() (all [][]int) {
	of := map[string]int{} // place in all of each variable
	for _, pair := range p.Exclusive {
		for _, j := range pair {
			source := p.Columns[j].Source
			k, known := of[source]
			if !known {
				k = len(all)
				of[source] = k
				all = append(all, nil)
			}
			if !slices.Contains(all[k], j) {
				all[k] = append(all[k], j)
			}
		}
	}
	return all
}

// ExclusivePairs are the pairs of indicators of one variable, which are no causes of each
// other.
func (p *Prepared) ExclusivePairs() (pairs []dag.Edge) {
	for _, pair := range p.Exclusive {
		pairs = append(pairs, dag.Edge{From: pair[0], To: pair[1]})
	}
	return pairs
}
