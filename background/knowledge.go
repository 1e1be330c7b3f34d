package background

import (
	"fmt"
	"math"
	"slices"

	"tobac/autograd"
	"tobac/dag"
	"tobac/models"
	"tobac/ordering"
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

// AddSources makes variables sources that nothing was said about: where edges into them are
// required or have odds, where there are tiers, and under a prior of its own probabilities they
// stay as they are.
func (p *Prior) AddSources(variables []int) {
	if p.Tiers != nil || p.Probabilities != nil || p.Own != nil {
		return
	}
	for _, j := range variables {
		into := func(to int) bool { return to == j }
		if !slices.ContainsFunc(p.Required, func(e dag.Edge) bool { return into(e.To) }) &&
			!slices.ContainsFunc(p.Odds, func(o EdgeOdds) bool { return into(o.To) }) &&
			!slices.Contains(p.Sources, j) {
			p.Sources = append(slices.Clip(p.Sources), j)
		}
	}
}

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

// silent reports whether nothing is known for certain.
func (p *Prior) silent() bool {
	return p.Own != nil || p.Probabilities == nil && p.Statements()+len(p.Exclusive) == 0
}

// Statements is the number of what the user states for certain; exclusive pairs follow from the
// coding of columns.
func (p *Prior) Statements() int {
	return len(p.Forbidden) + len(p.Required) + len(p.Tiers) + len(p.Sinks) + len(p.Sources)
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

// IsSource reports, for one of d variables, whether no edge may lead to it.
func (p *Prior) IsSource(d int) func(j int) bool {
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
func (p *Prior) Settle(probabilities *mat.Dense) {
	if p.silent() && p.MaxParents == 0 {
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

// inOrder adds the statements to a prior in order coordinates.
func (p *Prior) inOrder(base models.GraphPrior, order []int) (models.GraphPrior, error) {
	d := len(order)
	out := informed{ModularPrior: base.(models.ModularPrior)} // all families are
	if !p.silent() {
		known := p.Fixed(d)
		out.fixed = mat.NewDense(d, d, nil)
		for a, i := range order {
			for b, j := range order {
				v := known.At(i, j)
				if math.IsNaN(v) || i == j {
					v = 0.5
				}
				out.fixed.Set(a, b, v)
			}
		}
	}
	if len(p.Odds) > 0 {
		position := dag.Inverse(order)
		out.logOdds = make([]float64, d*d)
		for _, o := range p.Odds {
			out.logOdds[position[o.From]*d+position[o.To]] += math.Log(o.Odds)
		}
	}
	switch {
	case out.fixed != nil:
		return fixing{out}, nil
	case out.logOdds != nil:
		return out, nil
	}
	return base, nil
}

// informed is a prior beside which some edges have other odds, or are impossible or certain.
type informed struct {
	models.ModularPrior
	fixed   *mat.Dense // 0: impossible, 1: certain; nil means none is
	logOdds []float64  // d×d; nil means all 0
}

// fixing is an informed prior that leaves no choice about some edges.
type fixing struct{ informed }

var (
	_ models.GraphPrior = informed{}
	_ models.GraphPrior = fixing{}
	_ models.FixedEdges = fixing{}

	_ models.ModularPrior = fixing{}
)

// EdgeProbabilities implements [models.FixedEdges].
func (f fixing) EdgeProbabilities() mat.Matrix { return f.fixed }

// LogProb implements [models.GraphPrior].
func (f informed) LogProb(g *autograd.Node) *autograd.Node {
	sum := f.ModularPrior.LogProb(g)
	if f.logOdds == nil {
		return sum
	}
	return sum.Add(g.Mul(g.Builder().Constant(f.logOdds, g.Shape())).Sum())
}

// Terms implements [models.ModularPrior].
func (f informed) Terms(g *autograd.Node) *autograd.Node {
	sum := f.ModularPrior.Terms(g)
	if f.logOdds == nil {
		return sum
	}
	return sum.Add(g.Mul(g.Builder().Constant(f.logOdds, g.Shape())).Sum(0))
}

// Term implements [models.ModularPrior].
func (f informed) Term(d, j int, parents []int) float64 {
	sum := f.ModularPrior.Term(d, j, parents)
	for _, i := range parents {
		if f.logOdds != nil {
			sum += f.logOdds[i*d+j]
		}
	}
	return sum
}

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
				return fmt.Errorf("the graph prior makes the edge %s → %s certain, but the "+
					"causal order puts %s first; give an order that agrees", names[i], names[j],
					names[j])
			}
		}
	}
	return nil
}
