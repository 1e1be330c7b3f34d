package graphchains

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/background"
	"tobac/diagnostics"
	"tobac/internal/priors"
)

// temper pulls probabilities beside edges on which chains disagree toward one half. Chains that
// have not mixed have found some of the modes, and that all of them agree on an edge of a variable
// of whose other edges they do not tells less than so many samples would. For one edge on which
// they differ by up to r, with R̂ as of n independent samples,
//
//	n = chains / (1 − 1/R̂²),   p → p − (p − ½)·r/(n + 1):
//
// for r = 1 the mean under a Beta(½, ½) prior after n samples. Among the edges of the two variables
// of a pair the one counts that pulls most. It holds for the probability that the pair is adjacent,
// where that is above ½, and for its direction, unless knowledge fixes them.
func temper(p *mat.Dense, d diagnostics.GraphChains, chains int, known *background.Prior) {
	vars, _ := p.Dims()
	pull := make([]float64, vars)
	for _, e := range d.Apart() {
		n := float64(chains) / (1 - 1/(e.RHat*e.RHat))
		for _, v := range [2]int{e.From, e.To} {
			pull[v] = math.Max(pull[v], e.Range/(n+1))
		}
	}
	fixed := known.Fixed(vars)
	for i := range vars {
		for j := range i {
			w, forth, back := math.Max(pull[i], pull[j]), p.At(i, j), p.At(j, i)
			adjacent := forth + back
			if w == 0 || !(adjacent > 0.5) {
				continue
			}
			direction := forth / adjacent
			if math.IsNaN(fixed.At(i, j)) && math.IsNaN(fixed.At(j, i)) {
				direction -= (direction - 0.5) * w
			}
			adjacent -= (adjacent - 0.5) * w
			p.Set(i, j, adjacent*direction)
			p.Set(j, i, adjacent*(1-direction))
		}
	}
	priors.Settle(known, p)
}
