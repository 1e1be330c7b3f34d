// Package priors is what engines read off a prior: fixed edges, orders that agree with it, and
// its forms as a product over variables and as an expression.
package priors

import (
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/dag"
	"tobac/ordering"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// AddColumns adds what columns say of edges, where nothing that was said contradicts it, and there
// are neither tiers nor a prior of probabilities: the given ones are sources, and no edge leads
// into an earlier year, which are those of variables or −1; nil means no years.
func AddColumns(p *background.Prior, given, years []int) {
	if p.Tiers != nil || p.Probabilities != nil || p.Own != nil {
		return
	}
	said := func(f func(from, to int) bool) bool {
		return slices.ContainsFunc(p.Required, func(e dag.Edge) bool { return f(e.From, e.To) }) ||
			slices.ContainsFunc(p.Odds, func(o background.EdgeOdds) bool { return f(o.From, o.To) })
	}
	for _, j := range given {
		if !said(func(_, to int) bool { return to == j }) && !slices.Contains(p.Sources, j) {
			p.Sources = append(slices.Clip(p.Sources), j)
		}
	}
	if years != nil && !said(func(from, to int) bool {
		return years[to] >= 0 && years[from] > years[to]
	}) {
		p.Tiers = slices.Clone(years)
	}
}

// Statements is the number of what the user states for certain; exclusive pairs follow from the
// coding of columns.
func Statements(p *background.Prior) int {
	return len(p.Forbidden) + len(p.Required) + len(p.Tiers) + len(p.Sinks) + len(p.Sources)
}

// silent reports whether nothing is known for certain.
func silent(p *background.Prior) bool {
	return p.Own != nil || p.Probabilities == nil && Statements(p)+len(p.Exclusive) == 0
}

// certain is a prior with the same statements about certain edges, without the costly odds of a
// family.
func certain(p *background.Prior, d int) (*score.Prior, error) {
	q := *p
	if q.Probabilities == nil {
		q.Kind, q.EdgesPerNode = background.Uniform, 0
	}
	return q.Product(d, 0)
}

// IsSource reports, for one of d variables, whether no edge may lead to it.
func IsSource(p *background.Prior, d int) func(j int) bool {
	return func(j int) bool {
		fixed := p.Fixed(d)
		for i := range d {
			if fixed.At(i, j) != 0 {
				return false
			}
		}
		return true
	}
}

// Settle sets probabilities of edges that are fixed to exactly 0 or 1, from which sums
// over many graphs differ by rounding.
func Settle(p *background.Prior, probabilities *mat.Dense) {
	if silent(p) && p.MaxParents == 0 {
		return
	}
	d, _ := probabilities.Dims()
	fixed := p.Fixed(d)
	probabilities.Apply(func(i, j int, v float64) float64 {
		if f := fixed.At(i, j); !math.IsNaN(f) {
			return f
		}
		return v
	}, probabilities)
}

// Precedence is what the statements say about causal orders of d variables: required edges point
// forwards; lower tiers come before higher ones; and where edges may lead, directly or through
// other variables, from one variable to another but not back, the first comes first, as sources do
// and sinks last, since any other sequence would only rule graphs out. Tiers of which some variable
// has none say nothing about a pair whose lower one is a sink or whose higher one is a source,
// between which there is no edge anyway. Nil: nothing. Statements that contradict each other are an
// error.
func Precedence(p *background.Prior, d int) (*ordering.Precedence, error) {
	if silent(p) {
		return nil, nil
	}
	m, err := certain(p, d)
	if err != nil {
		return nil, err
	}
	possible := func(i, j int) bool { return i != j && !m.Forbidden(i, j) }
	sink, source := make([]bool, d), make([]bool, d)
	for i := range d {
		sink[i], source[i] = true, true
		for j := range d {
			sink[i] = sink[i] && !possible(i, j)
			source[i] = source[i] && !possible(j, i)
		}
	}
	first, apart := m.RequiredEdges(), dag.New(d)
	for i, a := range p.Tiers {
		for j, b := range p.Tiers {
			switch {
			case a < 0 || a >= b:
			case sink[i] || source[j]:
				apart.Set(i, j, true)
			default:
				first.Set(i, j, true)
			}
		}
	}
	first = first.Closure()
	reach := first.Clone()
	for i := range d {
		for j := range d {
			if possible(i, j) && !first.Has(j, i) {
				reach.Set(i, j, true)
			}
		}
	}
	reach = reach.Closure()
	complete := !slices.ContainsFunc(p.Tiers, func(tier int) bool { return tier < 0 })
	return ordering.NewPrecedence(d, func(i, j int) bool {
		return first.Has(i, j) || reach.Has(i, j) && !reach.Has(j, i) || complete && apart.Has(i, j)
	})
}

// AgainstOrder names an edge that is certain against an order; nil if there is none.
func AgainstOrder(p *background.Prior, order []int, names []string) error {
	if silent(p) {
		return nil
	}
	m, err := certain(p, len(names))
	if err != nil {
		return err
	}
	for a, j := range order {
		for _, i := range order[a+1:] {
			if m.Required(i, j) {
				return fmt.Errorf("the graph prior makes the edge %s → %s certain, but the "+
					"causal order puts %s first; give an order that agrees", names[i], names[j],
					names[j])
			}
		}
	}
	return nil
}
