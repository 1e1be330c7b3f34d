package score

import (
	"fmt"
	"math"
)

// MultiplyOdds multiplies p(G) by factor for graphs with the edge i → j: the prior odds of the
// edge, given all other edges, become factor times what they were. An edge that is forbidden or
// required stays so. It panics if i is j or factor is not a finite number above 0.
func (p *Prior) MultiplyOdds(i, j int, factor float64) {
	if i == j || !(factor > 0) || math.IsInf(factor, 1) {
		panic(fmt.Sprintf("score: odds of the edge %d → %d times %v, want two variables and a "+
			"finite factor above 0", i, j, factor))
	}
	p.odds[j][i] += math.Log(factor)
}

// AddOdds adds c to odds(i, j) of every pair: it multiplies p(G) by e^c for
// each edge of G.
func (p *Prior) AddOdds(c float64) {
	for k := range p.size {
		p.size[k] += c * float64(k)
	}
}
