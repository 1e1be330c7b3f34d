package background

import (
	"fmt"
	"slices"

	"tobac/dag"
	"tobac/ordering"
)

// Precedence is what the statements say about causal orders of d variables: required edges point
// forwards; lower tiers come before higher ones; and where edges may lead, directly or through
// other variables, from one variable to another but not back, the first comes first, as sources do
// and sinks last, since any other sequence would only rule graphs out. Tiers of which some variable
// has none say nothing about a pair whose lower one is a sink or whose higher one is a source,
// between which there is no edge anyway. Nil: nothing. Statements that contradict each other are an
// error.
func (p *Prior) Precedence(d int) (*ordering.Precedence, error) {
	if p.silent() {
		return nil, nil
	}
	m, err := p.certain(d)
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

// Bind is a method bound to what is known of the order.
func (p *Prior) Bind(method ordering.Orderer, d int) (ordering.Orderer, error) {
	known, err := p.Precedence(d)
	if err != nil || known == nil {
		return method, err
	}
	if c, ok := method.(ordering.Constrainable); ok {
		return ordering.Within{Estimator: c, Precedence: known}, nil
	}
	return method, nil // one of the caller's own: againstOrder checks what it finds
}

// AgainstOrder names an edge that is certain against an order; nil if there is none.
func (p *Prior) AgainstOrder(order []int, names []string) error {
	if p.silent() {
		return nil
	}
	m, err := p.certain(len(names))
	if err != nil {
		return err
	}
	for a, j := range order {
		for _, i := range order[a+1:] {
			if m.Required(i, j) {
				return fmt.Errorf("the graph prior makes the edge %s → %s certain, but the causal order puts %s first; give an order that agrees", names[i], names[j], names[j])
			}
		}
	}
	return nil
}
