package study

import (
	"math"

	"tobac/dag"
	"tobac/metrics"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// SVIDAGScores judge a posterior as that comparison does. Nonlinear cases are judged on directed
// graphs: ESHD is the mean over draws of the number of ordered pairs that differ from the truth, F1
// the mean F1 of their edges, Brier and AUROC are those of all ordered pairs. Linear cases are
// judged on equivalence classes: ESHD counts unordered pairs whose state in the CPDAG differs, F1
// is that of the skeleton, Brier and AUROC are those of unordered pairs, each with the larger of
// its two probabilities.
type SVIDAGScores struct {
	ESHD  metrics.Number `json:"eshd"`
	AUROC metrics.Number `json:"auroc"`
	Brier metrics.Number `json:"brier"`
	F1    metrics.Number `json:"f1"`
}

// judgeSVIDAG computes the scores of a posterior.
func judgeSVIDAG(p *posterior.Posterior, truth *dag.Graph, classes bool) (*SVIDAGScores, error) {
	var s SVIDAGScores
	e := p.Empirical()
	weights := e.Weights()
	target := truth
	var err error
	if classes {
		if target, err = truth.CPDAG(); err != nil {
			return nil, err
		}
	}
	for k, g := range e.Graphs {
		if weights[k] == 0 {
			continue
		}
		if classes {
			if g, err = g.CPDAG(); err != nil {
				return nil, err
			}
		}
		distance, f1 := graphDistance(g, target, classes)
		s.ESHD += metrics.Number(weights[k] * float64(distance))
		s.F1 += metrics.Number(weights[k] * f1)
	}
	edges := p.Probabilities
	if edges == nil {
		edges = e.EdgeProbabilities()
	}
	if !classes {
		s.AUROC, s.Brier = metrics.Number(metrics.AUROC(edges, truth, metrics.OffDiagonal)),
			metrics.Number(metrics.Brier(edges, truth))
		return &s, nil
	}
	d := truth.Len()
	larger := mat.NewDense(d, d, nil) // of a pair, in the lower triangle
	for i := range d {
		for j := range i {
			v := math.Max(edges.At(i, j), edges.At(j, i))
			larger.Set(i, j, v)
			if truth.Has(i, j) || truth.Has(j, i) {
				v = 1 - v
			}
			s.Brier += metrics.Number(v * v / float64(d*(d-1)/2))
		}
	}
	s.AUROC = metrics.Number(metrics.SkeletonAUROC(larger, truth))
	return &s, nil
}

// graphDistance counts what differs between two graphs, ordered pairs or, of CPDAGs, states of
// unordered ones, and is the F1 of the edges of the first, or of its adjacencies.
func graphDistance(g, truth *dag.Graph, classes bool) (distance int, f1 float64) {
	both, one := 0, 0 // edges that both have, and that one has, those of both counted twice
	for i := range truth.Len() {
		for j := range truth.Len() {
			a, b := g.Has(i, j), truth.Has(i, j)
			if classes { // adjacencies, in the lower triangle
				a, b = i > j && (a || g.Has(j, i)), i > j && (b || truth.Has(j, i))
			}
			for _, has := range []bool{a, b} {
				if has {
					one++
				}
			}
			if a && b {
				both++
			}
		}
	}
	if distance = one - 2*both; classes {
		distance = metrics.SHD(g, truth)
	}
	if one > 0 {
		f1 = 2 * float64(both) / float64(one)
	}
	return distance, f1
}
