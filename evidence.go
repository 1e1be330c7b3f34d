package tobac

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"tobac/dag"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
)

// evidenceBlock is how many sets of parents are scored together: between blocks
// cancellation is looked at.
const evidenceBlock = 1 << 12

// logEvidence is log p(D|π) of a likelihood in the coordinates of order π: the
// sum over all graphs along the order, see [EvidenceWeights]. prior is log p(S)
// of the parents S of j, a set of bits. Results do not depend on the workers.
func logEvidence(ctx context.Context, lik models.Likelihood, prior func(j int, parents uint) float64, workers int) (float64, error) {
	score, total, err := parentScores(lik)
	if err != nil {
		return 0, err
	}
	for j := range lik.Vars() {
		sets := 1 << j
		terms := make([]float64, (sets+evidenceBlock-1)/evidenceBlock)
		failures := make([]error, len(terms))
		var next atomic.Int64
		var group sync.WaitGroup
		for range min(max(workers, 1), len(terms)) {
			group.Go(func() {
				for b := int(next.Add(1)) - 1; b < len(terms); b = int(next.Add(1)) - 1 {
					if ctx.Err() != nil {
						return
					}
					first := b * evidenceBlock
					logp := make([]float64, min(evidenceBlock, sets-first))
					if failures[b] = score(logp, j, uint(first)); failures[b] != nil {
						return
					}
					for k := range logp {
						logp[k] += prior(j, uint(first+k))
					}
					terms[b] = floats.LogSumExp(logp)
				}
			})
		}
		group.Wait()
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for _, err := range failures {
			if err != nil {
				return 0, err
			}
		}
		total += floats.LogSumExp(terms)
	}
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return 0, fmt.Errorf("tobac: the evidence of the order is %v, want a finite number", total)
	}
	return total, nil
}

// parentScores returns the function that writes log p(x_j|x_S), up to a constant
// for each j, of the sets S numbered from first on, and the sum of the constants.
func parentScores(lik models.Likelihood) (score func(dst []float64, j int, first uint) error, constant float64, err error) {
	if l, ok := lik.(*models.Linear); ok {
		return func(dst []float64, j int, first uint) error {
			for k := range dst {
				dst[k] = l.NodeScore(j, bitList(first+uint(k)))
			}
			return nil
		}, 0, nil
	}
	// A marginal likelihood is known for whole graphs: the graph whose only edges
	// are those from S to j differs from the empty one in the term of j alone.
	d := lik.Vars()
	_, empty, err := models.LogJoint(lik, []*dag.Graph{dag.New(d)}, nil)
	if err != nil {
		return nil, 0, err
	}
	return func(dst []float64, j int, first uint) error {
		graphs := make([]*dag.Graph, len(dst))
		for k := range graphs {
			graphs[k] = dag.New(d)
			for _, i := range bitList(first + uint(k)) {
				graphs[k].Set(i, j, true)
			}
		}
		_, logp, err := models.LogJoint(lik, graphs, nil)
		if err != nil {
			return err
		}
		for k := range dst {
			dst[k] = logp[k] - empty[0]
		}
		return nil
	}, empty[0], nil
}

// bitList lists the bits of a set in ascending sequence.
func bitList(set uint) []int {
	list := make([]int, 0, bits.OnesCount(set))
	for ; set != 0; set &= set - 1 {
		list = append(list, bits.TrailingZeros(set))
	}
	return list
}

// parentPrior is the logarithm of a graph prior of package models for the
// parents of variable j in order coordinates, normalised over the sets of its
// predecessors.
func parentPrior(prior models.GraphPrior) (func(j int, parents uint) float64, error) {
	switch p := prior.(type) {
	case models.ErdosRenyi:
		yes, no := math.Log(p.EdgeProbability), math.Log1p(-p.EdgeProbability)
		return func(j int, parents uint) float64 {
			k := bits.OnesCount(parents)
			return float64(k)*yes + float64(j-k)*no
		}, nil
	case models.UniformPrior:
		return func(j int, _ uint) float64 { return -float64(j) * math.Ln2 }, nil
	case models.ScaleFree:
		weight := func(k int) float64 { return -3 * math.Log1p(float64(k)) }
		return func(j int, parents uint) float64 {
			all := make([]float64, j+1) // over the numbers of parents
			for k, choose := 0, 1.0; k <= j; k++ {
				all[k] = math.Log(choose) + weight(k)
				choose = choose * float64(j-k) / float64(k+1)
			}
			return weight(bits.OnesCount(parents)) - floats.LogSumExp(all)
		}, nil
	case *models.EdgePrior:
		q := p.EdgeProbabilities()
		return func(j int, parents uint) float64 {
			sum := 0.0
			for i := range j {
				if parents>>i&1 == 1 {
					sum += math.Log(q.At(i, j))
				} else {
					sum += math.Log1p(-q.At(i, j))
				}
			}
			return sum
		}, nil
	}
	return nil, fmt.Errorf("tobac: %w: unknown prior %T", ErrNoEvidence, prior)
}
