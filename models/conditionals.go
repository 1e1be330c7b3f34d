package models

import (
	"math"

	"tobac/dag"

	"gonum.org/v1/gonum/mat"
)

// Conditionals are, for each graph with its row of parameters (nil without any), the probabilities
// of the edges given all other edges, the parameters and the data,
//
//	P(i → j | rest) = σ(L_j(with i) + ln ρ_j(with i) − L_j(without) − ln ρ_j(without)),
//
// as d×d matrices in order coordinates, with ρ the graph prior; edges that the prior fixes have 0
// or 1. ok is false unless flips are evaluated by a [Flippable] likelihood and the prior is a
// [ModularPrior].
func (t *TOBAC) Conditionals(graphs []*dag.Graph, theta *mat.Dense) (all []*mat.Dense, ok bool) {
	prior, modular := t.cfg.Prior.(ModularPrior)
	if t.flips == nil || !modular {
		return nil, false
	}
	s := *t.flips
	s.prior = prior
	temper := t.temper[0]
	t.temper[0] = 1
	defer func() { t.temper[0] = temper }()
	w, d := s.workers[0], t.lik.Vars()
	for m, g := range graphs {
		if theta == nil {
			w.flipper.Set(nil)
		} else {
			w.flipper.Set(theta.RawRowView(m))
		}
		p := mat.NewDense(d, d, nil)
		for j := range d {
			for _, i := range s.certain[j] {
				p.Set(i, j, 1)
			}
			for i := range w.in {
				w.in[i] = g.Has(i, j)
			}
			flips := s.parent[s.first[j]:s.first[j+1]]
			w.flipper.Terms(w.terms[:1+len(flips)], j, w.in, flips)
			w.parents = parentsOf(w.parents[:0], w.in)
			base := s.term(j, w.parents, w.terms[0])
			for k, i := range flips {
				w.flipped = withFlip(w.flipped[:0], w.parents, i)
				difference := s.term(j, w.flipped, w.terms[1+k]) - base
				if w.in[i] {
					difference = -difference
				}
				p.Set(i, j, 1/(1+math.Exp(-difference)))
			}
		}
		all = append(all, p)
	}
	return all, true
}
