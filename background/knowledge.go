package background

import (
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// EdgeOdds is a soft statement about one edge: the prior odds of From → To, given all
// other edges, are Odds times what they are without it. Above 1 the edge is more
// probable than its family of priors says, below 1 less.
type EdgeOdds struct {
	From, To int
	Odds     float64 // from 1/1000 to 1000
}

// The range of [EdgeOdds]. Beyond it a statement is meant as certain, and
// Prior.Forbidden and Prior.Required say so exactly.
const (
	LeastOdds = 1.0 / 1000
	MostOdds  = 1000.0
)

// checkStatements finds a statement that means nothing for d variables.
func (p *Prior) checkStatements(d int) error {
	if p.Tiers != nil && len(p.Tiers) != d {
		return fmt.Errorf("got %d tiers, want one for each of the %d variables", len(p.Tiers), d)
	}
	edges := slices.Concat(p.Forbidden, p.Exclusive, p.Required)
	for _, o := range p.Odds {
		if !(o.Odds >= LeastOdds && o.Odds <= MostOdds) {
			return fmt.Errorf("the odds of the edge %d → %d are %v, want a number from %v to %v; "+
				"what is certain is a forbidden or a required edge", o.From, o.To, o.Odds,
				LeastOdds, MostOdds)
		}
		edges = append(edges, dag.Edge{From: o.From, To: o.To})
	}
	for _, e := range edges {
		if min(e.From, e.To) < 0 || max(e.From, e.To) >= d || e.From == e.To {
			return fmt.Errorf("the graph prior speaks of the edge %d → %d, want two different "+
				"variables from 0 to %d", e.From, e.To, d-1)
		}
	}
	for _, j := range slices.Concat(p.Sinks, p.Sources) {
		if j < 0 || j >= d {
			return fmt.Errorf("the graph prior speaks of the sink or source %d, want a variable "+
				"from 0 to %d", j, d-1)
		}
	}
	return nil
}

// addStatements adds what is known to a product over variables, and what follows from
// it: no edge closes a cycle with required ones, and none enters a variable that has all the
// parents it may have.
func (p *Prior) addStatements(m *score.Prior) {
	d := m.Vars()
	for _, e := range p.Forbidden {
		m.Forbid(e.From, e.To)
	}
	for _, e := range p.Exclusive {
		m.Forbid(e.From, e.To)
		m.Forbid(e.To, e.From)
	}
	for _, e := range p.Required {
		m.Require(e.From, e.To)
	}
	if p.Tiers != nil {
		m.Tiers(p.Tiers)
	}
	for j := range d {
		for _, s := range p.Sinks {
			m.Forbid(s, j)
		}
		for _, s := range p.Sources {
			m.Forbid(j, s)
		}
	}
	for _, o := range p.Odds {
		m.MultiplyOdds(o.From, o.To, o.Odds)
	}
	required := m.RequiredEdges()
	if p.MaxParents > 0 {
		m.MaxParents(p.MaxParents)
	}
	if required.Size() == 0 {
		return // from which nothing follows, as the closure would say at length
	}
	paths := required.Closure()
	for j := range d {
		full := p.MaxParents > 0 && len(required.Parents(j)) == p.MaxParents
		for i := range d {
			if !required.Has(i, j) && (full || paths.Has(j, i)) {
				m.Forbid(i, j)
			}
		}
	}
}

// certain is a prior with the same statements about certain edges, without the
// costly odds of a family.
func (p *Prior) certain(d int) (*score.Prior, error) {
	q := *p
	if q.Probabilities == nil {
		q.Kind, q.EdgesPerNode = Uniform, 0
	}
	return q.Product(d, 0)
}

// Fixed says which edges the statements leave no choice about, for d variables: entry (i, j) is 1
// where i → j is certain, 0 where it is impossible, the diagonal included, and NaN elsewhere.
// Beside what is stated it knows what follows from required edges: their reverse, edges that close
// a cycle with a path of them, and those to a variable that has as many required parents as it may
// have parents. A custom prior fixes nothing.
func (p *Prior) Fixed(d int) *mat.Dense {
	fixed := mat.NewDense(d, d, nil)
	fixed.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 0
		}
		return math.NaN()
	}, fixed)
	if p.Own != nil {
		return fixed
	}
	m, err := p.certain(d)
	if err != nil {
		return fixed // of faulty settings, which validate names
	}
	for i := range d {
		for j := range d {
			switch {
			case i == j:
			case m.Required(i, j):
				fixed.Set(i, j, 1)
			case m.Forbidden(i, j):
				fixed.Set(i, j, 0)
			}
		}
	}
	return fixed
}
