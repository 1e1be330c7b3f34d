package ordering

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// A ParentFinder judges which candidates are parents of a variable. Given an
// order, the candidates of a variable are the columns before it, and the
// parents of different variables can be judged one by one; every graph so
// made is acyclic. Point estimates ([StepwiseBIC], [LargeCoefficients]) and
// posteriors over parent sets alike are ParentFinders.
//
// FindParents does not keep or modify its arguments and is safe for concurrent
// use. It panics if child or a candidate is not a column of g.
type ParentFinder interface {
	FindParents(g *Gram, child int, candidates []int) (Parents, error)
}

// Parents are judgements on the candidates for one variable.
type Parents struct {
	// Chosen says for each candidate whether it is a parent in the one set that
	// the finder would choose.
	Chosen []bool
	// Probability is that of each candidate to be a parent, from 0 to 1. Where the
	// finder has no probabilities, it still ranks the candidates.
	Probability []float64
}

// EdgeEstimate is a graph with a confidence for every entry.
type EdgeEstimate struct {
	Adjacency   *mat.Dense // d×d, entry (i,j) is 1 for an edge i → j, else 0
	Probability *mat.Dense // d×d, entry (i,j) is that of i → j; 0 against the order
}

// Edges finds the parents of every variable among those before it in order. The
// error of a finder is returned with the variable it failed at.
func Edges(order []int, g *Gram, finder ParentFinder) (*EdgeEstimate, error) {
	_, d := g.Dims()
	if err := Validate(order, d); err != nil {
		return nil, err
	}
	out := &EdgeEstimate{Adjacency: mat.NewDense(d, d, nil), Probability: mat.NewDense(d, d, nil)}
	for c, child := range order {
		parents, err := finder.FindParents(g, child, order[:c])
		if err != nil {
			return nil, fmt.Errorf("ordering: parents of column %d: %w", child, err)
		}
		for k, i := range order[:c] {
			if parents.Chosen[k] {
				out.Adjacency.Set(i, child, 1)
			}
			out.Probability.Set(i, child, parents.Probability[k])
		}
	}
	return out, nil
}
