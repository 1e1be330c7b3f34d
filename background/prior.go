package background

import (
	"errors"
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/words"
	"tobac/models"
	"tobac/score"
	"tobac/setting"

	"gonum.org/v1/gonum/mat"
)

// mostOfParents is the largest bound on the number of parents.
const mostOfParents = 10_000

// Kind is a family of graph priors.
type Kind int

const (
	// Sparse is the Erdős–Rényi prior with Prior.EdgesPerNode.
	Sparse Kind = iota
	// Fair gives every number of parents of a variable the same mass.
	Fair
	// ScaleFree favours few variables with many parents, [score.ScaleFree].
	ScaleFree
	// Uniform gives every graph the same probability.
	Uniform
)

var priorKinds = []Kind{Sparse, Fair, ScaleFree, Uniform}

// String is the name of the family.
func (k Kind) String() string { return words.Name(k, "er", "fair", "sf", "uniform") }

// A Prior is what is known about the graph before the data are seen, in the
// columns of the data. Its zero value is the Erdős–Rényi prior whose number of
// edges is inferred. Statements about single edges hold beside any family, and
// switch nothing else off.
type Prior struct {
	Kind Kind
	// EdgesPerNode is the expected number of edges divided by the number d of variables, of the
	// Sparse prior; it must lie below (d−1)/2. 0 means inferred by the engines that have evidences,
	// from ¼, ½, 1 and 2, as far as they do not exceed (d−1)/4, all equally probable before; 2, or
	// (d−1)/4 if that is less, for SVGD alone.
	EdgesPerNode float64
	// Probabilities of the single edges, d×d with entry (i, j) that of i → j, in place
	// of a family: nil, or numbers from 0 to 1, of which 0 and 1 hold for certain.
	Probabilities mat.Matrix
	// Forbidden and Required edges are impossible and certain.
	Forbidden, Required []dag.Edge
	// Exclusive are pairs without an edge in either direction because they code one variable, such
	// as the indicators of its levels. They do not count as knowledge about causes, and no warning
	// names them.
	Exclusive []dag.Edge
	// Tiers is nil, or a number for each variable: no edge leads from a variable to
	// one of a lower tier, and lower tiers come first in the causal orders that a method
	// finds. A negative number sets no restriction.
	Tiers []int
	// Sinks are variables that no edge leaves, Sources those that no edge enters.
	Sinks, Sources []int
	// Odds multiply the prior odds of single edges, beside any family.
	Odds []EdgeOdds
	// MaxParents bounds the number of parents of every variable; 0 means no bound. SVGD
	// takes none.
	MaxParents int
	// Own is a custom prior, in place of all the above; nil means none. SVGD
	// needs no more of it. For the other engines it implements [Modular]. One that
	// tells variables apart has a method Relabel(order []int) models.GraphPrior, as
	// models.NewEdgePrior has.
	Own models.GraphPrior
}

// Modular is implemented by custom priors that are products over
// variables, and so of use to every engine.
type Modular interface {
	// Modular is the prior in the columns of the data, for d variables.
	Modular(d int) (*score.Prior, error)
}

var ErrNotModular = errors.New("the graph prior is not a product over variables")

// Settings are those that have a text form of one line.
func (p *Prior) Settings() []*setting.Setting {
	return []*setting.Setting{
		setting.OneOf(&p.Kind, "prior", "graph prior", "er", priorKinds...),
		setting.Positive(&p.EdgesPerNode, "edges-per-node", "expected edges of the prior er "+
			"divided by the number d of variables; must be below (d-1)/2", "inferred"),
		setting.WholeNumber(&p.MaxParents, mostOfParents, "max-parents",
			"largest number of parents of a variable", "no bound"),
	}
}

// validate finds a statement that means nothing for d variables, or contradicts
// another.
func (p *Prior) validate(d int) error {
	switch {
	case p.Kind < Sparse || p.Kind > Uniform:
		return fmt.Errorf("unknown graph prior %d", int(p.Kind))
	case p.Own != nil && (p.Kind != Sparse || p.Probabilities != nil || p.Forbidden != nil ||
		p.Exclusive != nil || p.Required != nil || p.Tiers != nil || p.Sinks != nil ||
		p.Sources != nil || p.Odds != nil || p.MaxParents != 0 || p.EdgesPerNode != 0):
		return errors.New("a custom graph prior replaces all other settings of the prior")
	case p.Probabilities != nil && p.Kind != Sparse:
		return fmt.Errorf("the graph prior has edge probabilities, which take the place of the "+
			"family %v; want one of the two", p.Kind)
	case p.EdgesPerNode != 0 && (p.Kind != Sparse || p.Probabilities != nil):
		return fmt.Errorf("edges per node is %v, but the prior is another than Erdős–Rényi's",
			p.EdgesPerNode)
	case p.Tiers != nil && len(p.Tiers) != d:
		return fmt.Errorf("got %d tiers, want one for each of the %d variables", len(p.Tiers), d)
	}
	if err := setting.Check(p.Settings()[1:]); err != nil {
		return err
	}
	if p.EdgesPerNode != 0 {
		if _, err := models.EdgeProbability(d, p.EdgesPerNode); err != nil {
			return err
		}
	}
	if p.Probabilities != nil {
		if rows, cols := p.Probabilities.Dims(); rows != d || cols != d {
			return fmt.Errorf("the graph prior is %d×%d, want %d×%d: one row and one column for "+
				"each column of the data", rows, cols, d, d)
		}
	}
	if err := p.checkStatements(d); err != nil || p.Own != nil {
		return err
	}
	_, err := p.certain(d)
	return err
}

// IsModular reports whether the prior is a product over variables.
func (p *Prior) IsModular() bool {
	_, ok := p.Own.(Modular)
	return ok || p.Own == nil
}

// Product is the prior as a product over variables. Its Erdős–Rényi prior has
// the expected number of edges over acyclic graphs.
func (p *Prior) Product(d int, edgesPerNode float64) (m *score.Prior, err error) {
	switch own, ok := p.Own.(Modular); {
	case ok:
		return own.Modular(d)
	case p.Own != nil:
		return nil, fmt.Errorf("%w: %T; allowed: one that implements background.Modular, or the "+
			"engine svgd with --marginals frequency", ErrNotModular, p.Own)
	case p.Probabilities != nil:
		m, err = score.EdgeProbabilities(d, p.Probabilities.At)
	case p.Kind == Fair:
		m = score.Fair(d)
	case p.Kind == ScaleFree:
		m = score.ScaleFree(d)
	case p.Kind == Uniform:
		m = score.Uniform(d)
	default:
		m, err = score.Sparse(d, edgesPerNode)
	}
	if err != nil {
		return nil, err
	}
	p.addStatements(m)
	return m, nil
}

// String is the text form, under which a snapshot knows the prior.
func (p *Prior) String() string {
	if p.Own != nil {
		return fmt.Sprintf("%T%+v", p.Own, p.Own)
	}
	s := setting.Text(p.Kind.String(), "edges-per-node", p.EdgesPerNode, "max-parents",
		p.MaxParents)
	if p.Probabilities != nil {
		s = "probabilities " + dataset.Digest(nil, p.Probabilities)
	}
	if len(p.Forbidden)+len(p.Required)+len(p.Tiers) > 0 {
		s += fmt.Sprintf(" forbidden=%v required=%v tiers=%v", p.Forbidden, p.Required, p.Tiers)
	}
	if len(p.Exclusive) > 0 {
		s += fmt.Sprintf(" exclusive=%v", p.Exclusive)
	}
	if len(p.Sinks)+len(p.Sources)+len(p.Odds) > 0 {
		s += fmt.Sprintf(" sinks=%v sources=%v odds=%v", p.Sinks, p.Sources, p.Odds)
	}
	return s
}
