package posterior

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Undirected lists the pairs of variables that are joined with a probability
// above one half although the consensus graph has no edge between them: mostly
// pairs whose direction the data do not tell. Each pair is its more probable
// edge, the one from the smaller index if both are equal; the most probably
// joined pairs come first, then by source and target.
func (m Marginals) Undirected() []Edge {
	consensus, _ := m.Consensus()
	pairs := []Edge{}
	for i := range m.size() {
		for j := range m.size() {
			e := m.edge(i, j)
			q := m.Probabilities.At(j, i)
			likelier := e.Probability > q || e.Probability == q && i < j
			if likelier && e.Adjacent > 0.5 && !consensus.Has(i, j) && !consensus.Has(j, i) {
				pairs = append(pairs, e)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b Edge) int { return cmp.Compare(b.Adjacent, a.Adjacent) })
	return pairs
}

// ParameterMatrix has one row for each draw: its Parameters. It is nil if draws
// have none, and panics if their numbers differ.
func (p *Posterior) ParameterMatrix() *mat.Dense {
	if len(p.Draws) == 0 || len(p.Draws[0].Parameters) == 0 {
		return nil
	}
	n := len(p.Draws[0].Parameters)
	out := mat.NewDense(len(p.Draws), n, nil)
	for m, draw := range p.Draws {
		if len(draw.Parameters) != n {
			panic(fmt.Sprintf("posterior: draw %d has %d parameters, draw 0 has %d", m,
				len(draw.Parameters), n))
		}
		out.SetRow(m, draw.Parameters)
	}
	return out
}
