package study

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/metrics"
	"tobac/posterior"
)

// Fitted is a posterior as it is judged.
type Fitted struct {
	Posterior *posterior.Posterior
	HeldOut   *metrics.HeldOut // of the problem's held-out rows, for each draw; nil means none
	Curve     []Point          // of particles on their way; nil means none
}

// A Point says how good particles were after a number of steps.
type Point struct {
	Step  int            `json:"step"`
	ESHD  metrics.Number `json:"eshd"`
	AUROC metrics.Number `json:"auroc_with_diagonal"`
}

// A View is one way to read a posterior, judged.
type View struct {
	// Edges judges the edge probabilities.
	Edges *metrics.EdgeReport `json:"edges"`
	// Draws judges the draws with their weights; nil means there are none.
	Draws *metrics.Report `json:"draws,omitempty"`
	// Probabilities are d×d, row-major, entry (i, j) that of i → j. Of draws some of which have
	// a cycle they are those of the others; of draws that all have one, of all.
	Probabilities []float64 `json:"probabilities"`
	// Calibration has metrics.CalibrationBins bins of equal width.
	Calibration []Bin `json:"calibration"`
}

// A Bin counts the d(d−1) entries whose probability lies in a tenth of [0, 1].
type Bin struct {
	Entries int     `json:"entries"`
	Edges   int     `json:"edges"` // entries that are edges of the truth
	Sum     float64 `json:"sum"`   // of the probabilities
}

// Views are how a posterior can be read.
type Views struct {
	// Listed are the edge probabilities that the method reports, beside its draws with their
	// weights; nil if it reports none.
	Listed *View `json:"listed,omitempty"`
	// Empirical are the draws with their weights; nil without draws. Mixture,
	// written "+" in tables, weighs them by log p(Θ|G) + log p(D|G,Θ) on the training
	// rows; nil unless the draws are particles ([posterior.Particles]): independent
	// draws need no other weights.
	Empirical *View `json:"empirical,omitempty"`
	Mixture   *View `json:"mixture,omitempty"`
}

// Judge evaluates a posterior against the truth and the held-out rows. Errors are
// those of [posterior.Posterior.ByDensity], [metrics.Evaluate] and
// [metrics.EvaluateEdges].
func (f *Fitted) Judge(truth *dag.Graph) (v Views, err error) {
	if len(f.Posterior.Draws) > 0 {
		if v.Empirical, err = judgeDraws(f.Posterior.Empirical(), truth, f.HeldOut); err != nil {
			return Views{}, err
		}
		if math.IsNaN(f.Posterior.Draws[0].LogPrior) {
			v.Empirical.Draws.NegLL, v.Empirical.Draws.NegLLEmptyGraph = nan, nan
		}
	}
	if f.Posterior.Probabilities != nil {
		if v.Listed, err = judgeEdges(f.Posterior.Probabilities, truth); err != nil {
			return Views{}, err
		}
		if v.Empirical != nil {
			v.Listed.Draws = v.Empirical.Draws
		}
	}
	if v.Empirical == nil || f.Posterior.Kind != posterior.Particles ||
		math.IsNaN(f.Posterior.Draws[0].LogPrior+f.Posterior.Draws[0].LogLikelihood) {
		return v, nil
	}
	byDensity, err := f.Posterior.ByDensity()
	if err != nil {
		return Views{}, err
	}
	v.Mixture, err = judgeDraws(byDensity, truth, f.HeldOut)
	return v, err
}

func judgeEdges(p *mat.Dense, truth *dag.Graph) (*View, error) {
	r, err := metrics.EvaluateEdges(p, truth)
	if err != nil {
		return nil, err
	}
	v := &View{Edges: r, Calibration: make([]Bin, metrics.CalibrationBins)}
	d := truth.Len()
	for i := range d {
		v.Probabilities = append(v.Probabilities, p.RawRowView(i)...)
		for j := range d {
			if i == j {
				continue
			}
			b := &v.Calibration[min(int(p.At(i, j)*metrics.CalibrationBins),
				metrics.CalibrationBins-1)]
			b.Entries++
			b.Sum += p.At(i, j)
			if truth.Has(i, j) {
				b.Edges++
			}
		}
	}
	return v, nil
}

// judgeDraws judges draws; in the report of the edge probabilities, what [metrics.Evaluate]
// computes too is its value, which differs where all draws have a cycle.
func judgeDraws(e *posterior.Ensemble, truth *dag.Graph, heldOut *metrics.HeldOut) (*View, error) {
	r, err := metrics.Evaluate(e, truth, heldOut)
	if err != nil {
		return nil, err
	}
	if kept, _ := e.Acyclic(); kept != nil && len(kept.Graphs) > 0 {
		e = kept
	}
	v, err := judgeEdges(e.EdgeProbabilities(), truth)
	if err != nil {
		return nil, err
	}
	v.Draws = r
	v.Edges.ESHD, v.Edges.AUROC, v.Edges.AUROCWithDiagonal, v.Edges.AveragePrecision = r.ESHD,
		r.AUROC, r.AUROCWithDiagonal, r.AveragePrecision
	v.Edges.Brier, v.Edges.CalibrationError, v.Edges.ExpectedEdges = r.Brier, r.CalibrationError,
		r.ExpectedEdges
	return v, nil
}

// nan is the value of a metric that was not computed.
var nan = metrics.Number(math.NaN())
