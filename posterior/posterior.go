package posterior

import (
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/internal/words"

	"gonum.org/v1/gonum/mat"
)

// Kind says what draws are.
type Kind int

const (
	// Particles were moved towards the posterior together. Their graphs stand for
	// it, but the spread of their parameters says nothing. It is the zero value.
	Particles Kind = iota
	// Draws are graphs and parameters drawn from the posterior, independently or
	// by a Markov chain.
	Draws
)

// String is the name of the kind in a file.
func (k Kind) String() string {
	return words.Name(k, "particles", "draws")
}

// A Posterior over directed acyclic graphs on the variables Names. The package
// comment says how its parts belong together.
type Posterior struct {
	Names []string // of the d variables; different and not empty

	Engine   string   // what computed it, for a reader
	Model    string   // structural equation model and score, for a reader
	Settings string   // of the run, as the caller writes them
	Warnings []string // reasons to distrust the result, a sentence each
	Run      string   // id of the run that its files are of; "" means none

	// Standardization is the scale on which the parameters and the equations of
	// draws and their densities are; nil means that of the data. The weights of the
	// marginals are on the scale of the equations; for draws without equations
	// they are those of the data that were given.
	Standardization *Standardization

	Marginals // Probabilities d×d; Weight… d×d or nil

	Kind       Kind
	Draws      []Draw      // those of the components one after the other; may be empty
	Components []Component // none: one component of all draws, without an order
}

// A Draw is a graph with the parameters that it was drawn with.
type Draw struct {
	Graph     *dag.Graph // acyclic, but see [Posterior.Cyclic]
	LogWeight float64    // within the component, up to a constant

	Equations  *Equations // of a linear model; nil means none
	Parameters []float64  // of any other model, as it lays them out; nil means none

	// log p(Θ|G); 0 for a model whose parameters are integrated out; NaN means unknown
	LogPrior      float64
	LogLikelihood float64 // log p(D|G,Θ), or log p(D|G), of the data of the fit; NaN means unknown
}

// A Component is the part of a posterior that follows one causal order, or none.
type Component struct {
	Order     []int   // variables, sources first; nil means none
	Draws     int     // number of consecutive draws that belong to it
	Weight    float64 // in the posterior; they sum to 1
	LogWeight float64 // its logarithm, finite even where the weight underflows to 0

	Count         int     // resamples of the data that gave the order; 0 means it was not found so
	NoiseVariance float64 // of the equations, given or estimated; 0 means integrated out, or none
	LogEvidence   float64 // log p(D|order); NaN means unknown

	// Empty are the equations of the graph without edges, the baseline of held-out
	// densities; nil means none.
	Empty *Equations

	// Marginals are those given the order; nil means that [Posterior.Under] reads them off
	// the draws.
	Marginals *Marginals
}

// Equations of a linear Gaussian model in d variables: given its parents, x_j is
// normal with the mean b_j + Σ_i w_ij x_i and the variance v_j.
type Equations struct {
	Weights mat.Matrix // d×d; 0 without an edge. a sparse matrix takes the least memory
	// d×d standard deviations of the weights given the graph; nil means unknown, or none because
	// the weights are drawn
	WeightSD       mat.Matrix
	Intercepts     []float64 // b; nil means 0
	NoiseVariances []float64 // v, above 0; nil means unknown, or none of this form
}

// Standardization is the scale of columns with the means Mean and the standard
// deviations SD: x_j becomes (x_j − Mean[j]) / SD[j].
type Standardization struct {
	Mean, SD []float64
}

// Apply returns the n×d data on this scale, as a copy. A nil Standardization
// changes no value. It panics if the number of columns is not that of Mean.
func (s *Standardization) Apply(x mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(x)
	if s == nil {
		return out
	}
	if _, d := x.Dims(); d != len(s.Mean) {
		panic(fmt.Sprintf("posterior: %d columns, standardization of %d", d, len(s.Mean)))
	}
	out.Apply(func(_, j int, v float64) float64 { return (v - s.Mean[j]) / s.SD[j] }, out)
	return out
}

// components are those of the posterior, or the single one that nil stands for.
func (p *Posterior) components() []Component {
	if len(p.Components) == 0 {
		return []Component{{Draws: len(p.Draws), Weight: 1, LogEvidence: math.NaN()}}
	}
	return p.Components
}

// Graphs are the graphs of the draws, in their sequence.
func (p *Posterior) Graphs() []*dag.Graph {
	graphs := make([]*dag.Graph, len(p.Draws))
	for m, draw := range p.Draws {
		graphs[m] = draw.Graph
	}
	return graphs
}

// Cyclic is the number of draws whose graph has a cycle.
func (p *Posterior) Cyclic() int {
	cyclic := 0
	for _, draw := range p.Draws {
		if !draw.Graph.Acyclic() {
			cyclic++
		}
	}
	return cyclic
}

// Order is the causal order that all draws follow; nil if there is none, or if
// there are several.
func (p *Posterior) Order() []int {
	for _, c := range p.Components {
		if !slices.Equal(c.Order, p.Components[0].Order) {
			return nil
		}
	}
	if len(p.Components) == 0 {
		return nil
	}
	return p.Components[0].Order
}

// Precedes is the d×d matrix of the probabilities that i comes before j: entry
// (i,j) is the weight of the orders with i before j. It is 0 on the diagonal, and
// for components without an order.
func (p *Posterior) Precedes() *mat.Dense {
	d := len(p.Names)
	out := mat.NewDense(d, d, nil)
	for _, c := range p.Components {
		for at, i := range c.Order {
			for _, j := range c.Order[at+1:] {
				out.Set(i, j, min(1, out.At(i, j)+c.Weight)) // a rounded sum may exceed 1
			}
		}
	}
	return out
}

// Under is the posterior given component k alone, which shares draws and
// matrices with p. A posterior with one component is its own Under(0). It panics
// if there is no component k.
func (p *Posterior) Under(k int) *Posterior {
	all := p.components()
	if k < 0 || k >= len(all) {
		panic(fmt.Sprintf("posterior: component %d of %d", k, len(all)))
	}
	if len(all) == 1 {
		return p
	}
	from := 0
	for _, c := range all[:k] {
		from += c.Draws
	}
	c := all[k]
	to := from + c.Draws
	c.Weight, c.LogWeight = 1, 0
	q := *p
	q.Draws, q.Components = p.Draws[from:to:to], []Component{c}
	if c.Marginals != nil {
		q.Marginals = *c.Marginals
	} else {
		q.Marginals = q.Frequencies()
	}
	return &q
}

// Mix puts posteriors on the same variables and the same scale together, part k
// with a weight in proportion to exp(logWeights[k]). Components, draws and
// matrices are shared with the parts. Edge probabilities are the weighted means
// of those of the parts; means and standard deviations of weights follow the
// package comment, and are NaN where a part that has the edge does not know
// them. Texts on which parts differ are joined by " + ", different settings are
// left out. A single part comes back as it is.
//
// It panics if there is no part, if names, standardizations, lengths or sizes
// differ, or if a log weight is NaN or infinite.
func Mix(parts []*Posterior, logWeights []float64) *Posterior {
	if len(parts) == 0 || len(parts) != len(logWeights) {
		panic(fmt.Sprintf("posterior: %d log weights for %d posteriors", len(logWeights),
			len(parts)))
	}
	checkFiniteWeights(logWeights)
	if len(parts) == 1 {
		return parts[0]
	}
	first := parts[0]
	out := &Posterior{Names: first.Names, Engine: first.Engine, Model: first.Model,
		Settings: first.Settings, Standardization: first.Standardization, Kind: Draws}
	logW := normalise(logWeights)
	weights := make([]float64, len(parts))
	marginals := make([]Marginals, len(parts))
	var engines, models []string
	for k, p := range parts {
		if !slices.Equal(p.Names, first.Names) {
			panic(fmt.Sprintf("posterior: part %d has the names %q, part 0 has %q", k, p.Names,
				first.Names))
		}
		if !p.Standardization.equal(first.Standardization) {
			panic(fmt.Sprintf("posterior: parts 0 and %d have different standardizations", k))
		}
		if p.Settings != first.Settings {
			out.Settings = ""
		}
		if p.Kind == Particles {
			out.Kind = Particles
		}
		engines, models = appendNew(engines, p.Engine), appendNew(models, p.Model)
		for _, w := range p.Warnings {
			out.Warnings = appendNew(out.Warnings, w)
		}
		weights[k], marginals[k] = math.Exp(logW[k]), p.Marginals
		out.Draws = append(out.Draws, p.Draws...)
		for _, c := range p.components() {
			if len(p.components()) == 1 && c.Marginals == nil {
				c.Marginals = &p.Marginals
			}
			c.LogWeight += logW[k]
			c.Weight = math.Exp(c.LogWeight)
			out.Components = append(out.Components, c)
		}
	}
	out.Engine, out.Model = joined(engines), joined(models)
	out.Marginals = MixMarginals(marginals, weights)
	return out
}

func (s *Standardization) equal(t *Standardization) bool {
	if s == nil || t == nil {
		return s == t
	}
	return slices.Equal(s.Mean, t.Mean) && slices.Equal(s.SD, t.SD)
}

// appendNew appends a text that the list does not have.
func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

func joined(texts []string) string {
	out := ""
	for _, text := range texts {
		if text != "" && out != "" {
			out += " + "
		}
		out += text
	}
	return out
}
