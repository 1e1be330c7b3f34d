package posterior

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tobac/dag"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Floor is the probability below which [Marginals.Edges] leaves an edge out.
const Floor = 0.005

// Marginals are the distributions of single edges.
type Marginals struct {
	// Probabilities is d×d: entry (i,j) is the probability of i → j, from 0 to 1; 0
	// on the diagonal.
	Probabilities *mat.Dense
	// WeightMean and WeightSD are d×d: mean and standard deviation of the weight of
	// i → j given that the edge is there; NaN where unknown, such as where it never
	// is. Both are nil for a model without weights.
	WeightMean, WeightSD *mat.Dense
}

// An Edge is one row of the table of edges: i → j with i the Source.
type Edge struct {
	Source, Target int
	Probability    float64
	Adjacent       float64 // probability of an edge in either direction, at most 1
	// WeightMean and WeightSD are mean and standard deviation of the weight given
	// that the edge is there; NaN means unknown.
	WeightMean, WeightSD float64
}

// Edges lists the edges with a probability of at least [Floor], the most probable
// first, then by source and target.
func (m Marginals) Edges() []Edge { return m.EdgesFrom(Floor) }

// EdgesFrom lists the edges whose probability is above 0 and at least least, in
// the sequence of [Marginals.Edges].
func (m Marginals) EdgesFrom(least float64) []Edge {
	edges := []Edge{}
	d := m.size()
	for i := range d {
		for j := range d {
			p := m.Probabilities.At(i, j)
			if i == j || p <= 0 || p < least {
				continue
			}
			edges = append(edges, m.edge(i, j))
		}
	}
	slices.SortStableFunc(edges, func(a, b Edge) int {
		return cmp.Compare(b.Probability, a.Probability)
	})
	return edges
}

func (m Marginals) edge(i, j int) Edge {
	p := m.Probabilities.At(i, j)
	e := Edge{Source: i, Target: j, Probability: p,
		Adjacent: math.Min(1, p+m.Probabilities.At(j, i)), WeightMean: math.NaN(),
		WeightSD: math.NaN()}
	if m.WeightMean != nil {
		e.WeightMean = m.WeightMean.At(i, j)
	}
	if m.WeightSD != nil {
		e.WeightSD = m.WeightSD.At(i, j)
	}
	return e
}

// size is d.
func (m Marginals) size() int {
	if m.Probabilities == nil {
		return 0
	}
	d, _ := m.Probabilities.Dims()
	return d
}

// Consensus is the median probability graph: every edge with a probability above
// one half, with its mean weight; nil weights for a model without. Such edges can
// make a cycle where they follow no common order: edges are therefore taken in
// the sequence of [Marginals.Edges], and one that would close a cycle is left
// out. See Marginals.undirected for pairs that are joined with an unknown
// direction.
func (m Marginals) Consensus() (*dag.Graph, *mat.Dense) {
	d := m.size()
	g := dag.New(d)
	var w *mat.Dense
	if m.WeightMean != nil {
		w = mat.NewDense(d, d, nil)
	}
	for _, e := range m.EdgesFrom(0.5) {
		if e.Probability == 0.5 {
			break // they are sorted
		}
		g.Set(e.Source, e.Target, true)
		if !g.Acyclic() {
			g.Set(e.Source, e.Target, false)
			continue
		}
		if w != nil {
			w.Set(e.Source, e.Target, e.WeightMean)
		}
	}
	return g, w
}

// MixMarginals is the mixture of marginals with the given weights, which are
// positive or 0 and need not sum to 1. Sums run in the sequence of the parts. It
// panics if there is no part, or if lengths or sizes differ.
func MixMarginals(parts []Marginals, weights []float64) Marginals {
	if len(parts) == 0 || len(parts) != len(weights) {
		panic(fmt.Sprintf("posterior: %d weights for %d marginals", len(weights), len(parts)))
	}
	d, total, weighted := parts[0].size(), 0.0, false
	for k, p := range parts {
		if p.size() != d {
			panic(fmt.Sprintf("posterior: marginals %d are of %d variables, marginals 0 of %d", k,
				p.size(), d))
		}
		weighted = weighted || p.WeightMean != nil
		total += weights[k]
	}
	return mixture(d, weighted, total, func(i, j int, add func(w, mean, sd float64)) {
		for k, p := range parts {
			e := p.edge(i, j)
			add(weights[k]*e.Probability, e.WeightMean, e.WeightSD)
		}
	})
}

// mixture computes marginals of d variables. For every pair, terms adds the
// weights' distributions: the probability of the edge in proportion to total,
// the mean and the standard deviation of the weight.
func mixture(d int, weighted bool, total float64,
	terms func(i, j int, add func(w, mean, sd float64))) Marginals {
	out := Marginals{Probabilities: matrix(d, 0)}
	if weighted {
		out.WeightMean, out.WeightSD = matrix(d, math.NaN()), matrix(d, math.NaN())
	}
	var ws, means, sds []float64
	for i := range d {
		for j := range d {
			if i == j {
				continue
			}
			ws, means, sds = ws[:0], means[:0], sds[:0]
			terms(i, j, func(w, mean, sd float64) {
				if w > 0 {
					ws, means, sds = append(ws, w), append(means, mean), append(sds, sd)
				}
			})
			sum := floats.Sum(ws)
			if sum == 0 {
				continue
			}
			out.Probabilities.Set(i, j, math.Min(1, sum/total)) // a rounded sum may exceed 1
			if !weighted {
				continue
			}
			mean, variance := floats.Dot(ws, means)/sum, 0.0
			for k, w := range ws {
				variance += w / sum * (sds[k]*sds[k] + (means[k]-mean)*(means[k]-mean))
			}
			out.WeightMean.Set(i, j, mean)
			out.WeightSD.Set(i, j, math.Sqrt(variance))
		}
	}
	return out
}

// matrix is d×d, all entries v; empty if d is 0.
func matrix(d int, v float64) *mat.Dense {
	if d == 0 {
		return &mat.Dense{}
	}
	m := mat.NewDense(d, d, nil)
	if v != 0 {
		m.Apply(func(_, _ int, _ float64) float64 { return v }, m)
	}
	return m
}

// Frequencies are the marginals of the draws: edge probabilities are the weights
// of the draws that have the edge, counts divided by their number where all
// weigh the same. Means and standard deviations of weights follow the package
// comment. Draws with a cycle are left out; if there is no other, all
// probabilities are 0.
func (p *Posterior) Frequencies() Marginals {
	if !slices.ContainsFunc(p.Draws, func(draw Draw) bool { return draw.Equations != nil }) {
		return p.FrequenciesGiven(nil)
	}
	return p.FrequenciesGiven(func(k, i, j int) (mean, sd float64) {
		return p.Draws[k].Equations.weight(i, j, p.Kind)
	})
}

// FrequenciesGiven are [Posterior.Frequencies] with the means and standard deviations of the
// weights of i → j given the graph of draw k from elsewhere, asked for edges that the draw has; nil
// means there are no weights.
func (p *Posterior) FrequenciesGiven(weight func(k, i, j int) (mean, sd float64)) Marginals {
	d := len(p.Names)
	kept, index := p.Empirical().Acyclic()
	if kept == nil {
		return Marginals{Probabilities: matrix(d, 0)}
	}
	w, total := kept.Weights(), 1.0
	if kept.uniform() {
		total = float64(len(w))
		for k := range w {
			w[k] = 1
		}
	}
	having := make([][]int, d*d) // for every edge, the draws that have it
	for k, g := range kept.Graphs {
		for _, e := range g.Edges() {
			having[e.From*d+e.To] = append(having[e.From*d+e.To], k)
		}
	}
	return mixture(d, weight != nil, total, func(i, j int, add func(w, mean, sd float64)) {
		for _, k := range having[i*d+j] {
			mean, sd := math.NaN(), math.NaN()
			if weight != nil {
				mean, sd = weight(index[k], i, j)
			}
			add(w[k], mean, sd)
		}
	})
}

// weight is the mean and the standard deviation of the weight of i → j given the graph; NaN if
// unknown. A drawn weight has the standard deviation 0.
func (e *Equations) weight(i, j int, kind Kind) (mean, sd float64) {
	switch {
	case e == nil:
		return math.NaN(), math.NaN()
	case e.WeightSD != nil:
		return e.Weights.At(i, j), e.WeightSD.At(i, j)
	case kind == Draws:
		return e.Weights.At(i, j), 0
	}
	return e.Weights.At(i, j), math.NaN()
}

// Distance is the mean absolute difference of the edge probabilities of two posteriors of the same
// variables, over the ordered pairs i ≠ j that among takes, nil for all; 0 if it takes none. It
// panics if they are of different sizes.
func (m Marginals) Distance(n Marginals, among func(i, j int) bool) float64 {
	d := m.size()
	if n.size() != d {
		panic(fmt.Sprintf("posterior: distance of probabilities of %d and %d variables", d,
			n.size()))
	}
	sum, pairs := 0.0, 0
	for i := range d {
		for j := range d {
			if i != j && (among == nil || among(i, j)) {
				sum += math.Abs(m.Probabilities.At(i, j) - n.Probabilities.At(i, j))
				pairs++
			}
		}
	}
	return sum / float64(max(pairs, 1))
}
