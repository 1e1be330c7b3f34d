package graphchecks

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/posterior"
)

// Variety counts the distinct graphs of a list, and their Markov equivalence classes; a graph with
// a cycle is a class of its own.
func Variety(graphs []*dag.Graph) (distinct, classes int) {
	seen, class := map[string]bool{}, map[string]bool{}
	for _, g := range graphs {
		key := fmt.Sprint(g.Edges())
		if seen[key] {
			continue
		}
		seen[key] = true
		if c, err := g.CPDAG(); err == nil {
			key = fmt.Sprint(c.Edges())
		} else {
			key = "cycle " + key
		}
		class[key] = true
	}
	return len(seen), len(class)
}

// Crowding is the part of the pairs of graphs that are equal, less the part that would be if edges
// were drawn independently with the probabilities p, Π_ij (p_ij² + (1 − p_ij)²), at least 0: near 1
// where all graphs are the same although the data leave edges open. 0 of fewer than two graphs.
func Crowding(graphs []*dag.Graph, p mat.Matrix) float64 {
	count := map[string]int{}
	for _, g := range graphs {
		count[fmt.Sprint(g.Edges())]++
	}
	equal, n := 0, len(graphs)
	for _, k := range count {
		equal += k * (k - 1)
	}
	chance := 1.0
	d, _ := p.Dims()
	for i := range d {
		for j := range d {
			if v := p.At(i, j); i != j {
				chance *= v*v + (1-v)*(1-v)
			}
		}
	}
	return math.Max(0, float64(equal)/math.Max(1, float64(n*(n-1)))-chance)
}

// Imbalance says how far graphs are from a stationary distribution of single edges: the mean over
// the pairs that among takes of
//
//	|f_ij − c_ij|,   f_ij = Σ_m w_m 1[i → j in G_m],   c_ij = Σ_m w_m P(i → j | the other edges of G_m, data),
//
// less what n independent draws from the posterior would have, Σ √(2 c_ij (1 − c_ij) / (π n)) /
// pairs, at least 0. Draws from the posterior have f = c in expectation. It is the discrete
// counterpart of a Stein discrepancy: graphs that crowd around the mode lack edges that their own
// neighbours call open, and graphs that lost edges lack those that are nearly certain given the
// rest.
func Imbalance(frequencies, conditionals mat.Matrix, n float64, among func(i, j int) bool) float64 {
	d, _ := frequencies.Dims()
	if r, c := conditionals.Dims(); r != d || c != d {
		panic(fmt.Sprintf("diagnostics: conditionals are %d×%d, want %d×%d", r, c, d, d))
	}
	sum, pairs := 0.0, 0
	for i := range d {
		for j := range d {
			if i == j || among != nil && !among(i, j) {
				continue
			}
			c := conditionals.At(i, j)
			sum += math.Abs(frequencies.At(i, j)-c) - math.Sqrt(2*c*(1-c)/(math.Pi*n))
			pairs++
		}
	}
	return math.Max(0, sum/float64(max(pairs, 1)))
}

// A Difference compares the edge probabilities of two posteriors.
type Difference struct {
	Mean, Greatest float64 // absolute, over all ordered pairs
	Source, Target int     // of the greatest
	// Explained is the mean absolute difference that Monte Carlo error alone would make; 0 where
	// neither has any.
	Explained float64
}

// Compare compares two posteriors of the same variables. errors are the Monte Carlo standard errors
// of their edge probabilities, d×d; nil means none. It panics if sizes differ.
func Compare(p, q posterior.Marginals, errors [2]*mat.Dense) Difference {
	d, _ := p.Probabilities.Dims()
	out := Difference{Mean: p.Distance(q, nil), Target: min(1, d-1)}
	for i := range d {
		for j := range d {
			if i == j {
				continue
			}
			if v := math.Abs(p.Probabilities.At(i, j) - q.Probabilities.At(i,
				j)); v > out.Greatest {
				out.Greatest, out.Source, out.Target = v, i, j
			}
			variance := 0.0
			for _, e := range errors {
				if e != nil {
					variance += e.At(i, j) * e.At(i, j)
				}
			}
			out.Explained += math.Sqrt(2*variance/math.Pi) / float64(d*(d-1))
		}
	}
	return out
}

// SamplingErrors are the standard errors of edge frequencies in n independent graphs, of which p
// are the probabilities. Those at 0 and 1, which n graphs do not tell from nearly that, are taken
// to be 1/(n+2) away.
func SamplingErrors(p mat.Matrix, n float64) *mat.Dense {
	d, _ := p.Dims()
	out := mat.NewDense(d, d, nil)
	out.Apply(func(i, j int, v float64) float64 {
		if i == j {
			return 0
		}
		q := math.Min(math.Max(p.At(i, j), 1/(n+2)), 1-1/(n+2))
		return math.Sqrt(q * (1 - q) / n)
	}, out)
	return out
}

// ComponentErrors are the standard errors of the edge probabilities of a posterior that averages
// over a few causal orders, from how much its components differ: √(Σ_k w_k² (P_k − P)² · K/(K−1)),
// d×d. nil means there are fewer than two components.
func ComponentErrors(p *posterior.Posterior) *mat.Dense {
	n := len(p.Components)
	if n < 2 {
		return nil
	}
	d := len(p.Names)
	out := mat.NewDense(d, d, nil)
	for k, c := range p.Components {
		u := p.Under(k).Probabilities
		for i := range d {
			for j := range d {
				v := c.Weight * (u.At(i, j) - p.Probabilities.At(i, j))
				out.Set(i, j, out.At(i, j)+v*v)
			}
		}
	}
	out.Apply(func(_, _ int, v float64) float64 { return math.Sqrt(v * float64(n) / float64(n-1)) },
		out)
	return out
}
