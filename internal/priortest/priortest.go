// Package priortest draws priors of graphs for tests, and says by their definition what they mean.
package priortest

import (
	"math"
	"math/rand/v2"
	"slices"

	"tobac/background"
	"tobac/dag"

	"gonum.org/v1/gonum/mat"
)

// Draw draws statements of every kind about d variables that some graph fulfils: those
// that a hidden graph does.
func Draw(rng *rand.Rand, d int) background.Prior {
	hidden, order := dag.New(d), rng.Perm(d)
	for a, i := range order {
		for _, j := range order[a+1:] {
			hidden.Set(i, j, rng.IntN(2) == 0)
		}
	}
	p := background.Prior{Kind: []background.Kind{background.Uniform, background.Fair,
		background.ScaleFree}[rng.IntN(3)]}
	if rng.IntN(3) == 0 {
		p.Tiers = make([]int, d)
		cut := rng.IntN(d)
		for c, j := range order {
			switch {
			case rng.IntN(4) == 0:
				p.Tiers[j] = -1
			case c > cut:
				p.Tiers[j] = 1
			}
		}
	}
	for j := range d {
		if len(hidden.Children(j)) == 0 && rng.IntN(3) == 0 {
			p.Sinks = append(p.Sinks, j)
		}
		if len(hidden.Parents(j)) == 0 && rng.IntN(3) == 0 {
			p.Sources = append(p.Sources, j)
		}
	}
	most := 0
	for i := range d {
		most = max(most, len(hidden.Parents(i)))
		for j := range d {
			if i == j {
				continue
			}
			e, chance := dag.Edge{From: i, To: j}, rng.Float64()
			switch {
			case hidden.Has(i, j) && chance < 0.3:
				p.Required = append(p.Required, e)
			case !hidden.Has(i, j) && chance < 0.3:
				p.Forbidden = append(p.Forbidden, e)
			case chance < 0.6 && Allows(&p, e):
				p.Odds = append(p.Odds, background.EdgeOdds{From: i, To: j,
					Odds: min(max(math.Exp(2*rng.NormFloat64()), 0.001), 1000)})
			}
		}
	}
	if rng.IntN(4) == 0 && most > 0 {
		p.MaxParents = most
	}
	if rng.IntN(3) == 0 {
		p.Kind, p.Probabilities = background.Sparse, mat.NewDense(d, d, nil)
		p.Probabilities.(*mat.Dense).Apply(func(i, j int, _ float64) float64 {
			if hidden.Has(i, j) == (rng.IntN(2) == 0) &&
				!slices.ContainsFunc(p.Odds, func(o background.EdgeOdds) bool {
					return o.From == i && o.To == j
				}) && rng.IntN(4) == 0 {
				return map[bool]float64{false: 0, true: 1}[hidden.Has(i, j)]
			}
			return 0.1 + 0.8*rng.Float64()
		}, p.Probabilities)
	}
	return p
}

// Allows reports whether the statements leave an edge open, by their definition.
func Allows(p *background.Prior, e dag.Edge) bool {
	tiers := p.Tiers != nil && p.Tiers[e.From] >= 0 && p.Tiers[e.To] >= 0 &&
		p.Tiers[e.From] > p.Tiers[e.To]
	return !tiers && !slices.Contains(p.Forbidden, e) && !slices.Contains(p.Sinks, e.From) &&
		!slices.Contains(p.Sources, e.To)
}

// LogProb is ln p(G) up to a constant, by the definition of every statement; −Inf where
// the graph contradicts one.
func LogProb(p *background.Prior, g *dag.Graph) float64 {
	d, sum := g.Len(), 0.0
	for _, e := range p.Required {
		if !g.Has(e.From, e.To) {
			return math.Inf(-1)
		}
	}
	for _, e := range g.Edges() {
		if !Allows(p, e) {
			return math.Inf(-1)
		}
		for _, o := range p.Odds {
			if o.From == e.From && o.To == e.To {
				sum += math.Log(o.Odds)
			}
		}
	}
	for j := range d {
		k := len(g.Parents(j))
		if p.MaxParents > 0 && k > p.MaxParents {
			return math.Inf(-1)
		}
		for i := range d {
			if p.Probabilities != nil && i != j {
				v := p.Probabilities.At(i, j)
				if !g.Has(i, j) {
					v = 1 - v
				}
				sum += math.Log(v)
			}
		}
		switch p.Kind {
		case background.Fair:
			for c := range k { // 1/C(d−1, k)
				sum -= math.Log(float64(d-1-c) / float64(c+1))
			}
		case background.ScaleFree:
			sum -= 3 * math.Log(float64(1+k))
		}
	}
	return sum
}

// At are the statements about the variables at their new positions.
func At(p background.Prior, position []int) background.Prior {
	q := p
	edges := func(all []dag.Edge) (out []dag.Edge) {
		for _, e := range all {
			out = append(out, dag.Edge{From: position[e.From], To: position[e.To]})
		}
		return out
	}
	variables := func(all []int) (out []int) {
		for _, j := range all {
			out = append(out, position[j])
		}
		return out
	}
	q.Required, q.Forbidden, q.Sinks, q.Sources, q.Odds = edges(p.Required), edges(p.Forbidden),
		variables(p.Sinks), variables(p.Sources), nil
	for _, o := range p.Odds {
		q.Odds = append(q.Odds,
			background.EdgeOdds{From: position[o.From], To: position[o.To], Odds: o.Odds})
	}
	if p.Tiers != nil {
		q.Tiers = make([]int, len(p.Tiers))
		for j, tier := range p.Tiers {
			q.Tiers[position[j]] = tier
		}
	}
	if p.Probabilities != nil {
		d := len(position)
		table := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				table.Set(position[i], position[j], p.Probabilities.At(i, j))
			}
		}
		q.Probabilities = table
	}
	return q
}
