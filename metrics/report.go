package metrics

import (
	"encoding/json"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// Report holds the metrics of weighted graphs. Those that need a true graph or
// held-out data are NaN where there is none. The package comment defines them.
type Report struct {
	ESHD                         Number `json:"eshd"`
	AUROC                        Number `json:"auroc"` // off the diagonal
	AUROCWithDiagonal            Number `json:"auroc_with_diagonal"`
	AveragePrecision             Number `json:"average_precision"` // off the diagonal
	AveragePrecisionWithDiagonal Number `json:"average_precision_with_diagonal"`
	AUPRC                        Number `json:"auprc_trapezoid"` // off the diagonal
	AUPRCWithDiagonal            Number `json:"auprc_trapezoid_with_diagonal"`
	Brier                        Number `json:"brier"` // off the diagonal
	// off the diagonal, in CalibrationBins bins
	CalibrationError Number `json:"calibration_error"`
	ExpectedEdges    Number `json:"expected_edges"`
	NegLL            Number `json:"neg_ll"`           // of log p(Θ|G) + log p(D|G,Θ)
	NegLLDataOnly    Number `json:"neg_ll_data_only"` // of log p(D|G,Θ)

	// Baselines: the graph without edges. Its E-SHD is the number of true edges.
	ESHDEmptyGraph          Number `json:"eshd_empty_graph"`
	NegLLEmptyGraph         Number `json:"neg_ll_empty_graph"`
	NegLLDataOnlyEmptyGraph Number `json:"neg_ll_data_only_empty_graph"`

	// The ensemble before particles with a cycle were dropped.
	Particles int    `json:"particles"`
	Cyclic    int    `json:"cyclic"`
	Cyclicity Number `json:"cyclicity"` // Σ_m w_m h(G_m)
	// 1/Σ_m w_m² of the particles judged; 0 if all have a cycle.
	EffectiveSampleSize Number `json:"effective_sample_size"`
}

// Evaluate computes all metrics of e. truth is nil if no true graph is known,
// heldOut is nil if there are no held-out data. Particles with a cycle are
// dropped and the weights renormalised first.
//
// If every particle has a cycle, the metrics take the values of knowing nothing: E-SHD d(d−1)/2;
// AUROC ½; average precision and AUPRC E*/(d(d−1)) in both conventions; Brier score, calibration
// error and Neg.LL those of the empty graph, once. Expected edges are then those of all particles.
// Metrics that rank edges stay NaN if truth has none.
//
// It fails if a weight, or a log density that it uses, is NaN or infinite, and
// panics if numbers of vertices or lengths differ.
func Evaluate(e *posterior.Ensemble, truth *dag.Graph, heldOut *HeldOut) (*Report, error) {
	d := size(e.Graphs)
	if len(e.LogWeights) != len(e.Graphs) {
		panic(fmt.Sprintf("metrics: %d log weights for %d graphs", len(e.LogWeights),
			len(e.Graphs)))
	}
	if truth != nil && truth.Len() != d {
		panic(fmt.Sprintf("metrics: graphs of %d vertices, the truth has %d", d, truth.Len()))
	}
	for m, w := range e.LogWeights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("metrics: log weight of particle %d is %g, want a finite number",
				m+1, w)
		}
	}
	kept, index := e.Acyclic()
	r := newReport()
	r.Particles = len(e.Graphs)
	r.Cyclic = len(e.Graphs) - len(index)
	r.Cyclicity = Number(cyclicity(e))
	if kept == nil {
		r.EffectiveSampleSize = 0
		r.ExpectedEdges = Number(e.ExpectedEdges())
	} else {
		r.EffectiveSampleSize = Number(kept.EffectiveSampleSize())
		r.ExpectedEdges = Number(kept.ExpectedEdges())
	}
	if truth != nil {
		r.compare(kept, truth)
	}
	if heldOut != nil {
		if err := r.predict(kept, index, heldOut); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// size returns the common number of vertices and panics if there is none.
func size(graphs []*dag.Graph) int {
	if len(graphs) == 0 {
		panic("metrics: no graphs")
	}
	for m, g := range graphs {
		if g.Len() != graphs[0].Len() {
			panic(fmt.Sprintf("metrics: graph %d has %d vertices, graph 0 has %d", m, g.Len(),
				graphs[0].Len()))
		}
	}
	return graphs[0].Len()
}

// newReport returns a report whose optional metrics are NaN.
func newReport() *Report {
	nan := Number(math.NaN())
	return &Report{
		ESHD: nan, AUROC: nan, AUROCWithDiagonal: nan, AveragePrecision: nan,
		AveragePrecisionWithDiagonal: nan,
		AUPRC:                        nan, AUPRCWithDiagonal: nan, Brier: nan,
		CalibrationError: nan, NegLL: nan,
		NegLLDataOnly:  nan,
		ESHDEmptyGraph: nan, NegLLEmptyGraph: nan, NegLLDataOnlyEmptyGraph: nan,
	}
}

// compare fills in the metrics against the true graph; kept is nil if no
// particle is acyclic.
func (r *Report) compare(kept *posterior.Ensemble, truth *dag.Graph) {
	d, edges := truth.Len(), truth.Size()
	r.ESHDEmptyGraph = Number(edges)
	if kept == nil {
		r.ESHD = Number(d * (d - 1) / 2)
		none := mat.NewDense(d, d, nil)
		r.Brier, r.CalibrationError = Number(Brier(none, truth)),
			Number(calibrationError(none, truth, CalibrationBins))
		if edges > 0 {
			r.AUROC, r.AUROCWithDiagonal = 0.5, 0.5
			fraction := Number(float64(edges) / float64(d*(d-1)))
			r.AveragePrecision, r.AveragePrecisionWithDiagonal = fraction, fraction
			r.AUPRC, r.AUPRCWithDiagonal = fraction, fraction
		}
		return
	}
	r.ESHD = Number(ESHD(kept, truth))
	p := kept.EdgeProbabilities()
	rank := func(metric func(mat.Matrix, *dag.Graph, Diagonal) float64) (off, with Number) {
		return Number(metric(p, truth, OffDiagonal)), Number(metric(p, truth, WithDiagonal))
	}
	r.AUROC, r.AUROCWithDiagonal = rank(AUROC)
	r.AveragePrecision, r.AveragePrecisionWithDiagonal = rank(averagePrecisionOf)
	r.AUPRC, r.AUPRCWithDiagonal = rank(auprc)
	r.Brier, r.CalibrationError = Number(Brier(p, truth)),
		Number(calibrationError(p, truth, CalibrationBins))
}

// predict fills in the metrics on held-out data; index lists the particles of
// the ensemble that are in kept.
func (r *Report) predict(kept *posterior.Ensemble, index []int, heldOut *HeldOut) error {
	if len(heldOut.Particles) != r.Particles {
		panic(fmt.Sprintf("metrics: held-out log densities of %d particles, the ensemble has %d",
			len(heldOut.Particles), r.Particles))
	}
	if empty := heldOut.Empty.joint(); math.IsNaN(empty) || math.IsInf(empty, 0) {
		return fmt.Errorf(
			"metrics: held-out log density of the empty graph is %g, want a finite number", empty)
	}
	r.NegLLEmptyGraph = Number(-heldOut.Empty.joint())
	r.NegLLDataOnlyEmptyGraph = Number(-heldOut.Empty.Data)
	if kept == nil {
		r.NegLL, r.NegLLDataOnly = r.NegLLEmptyGraph, r.NegLLDataOnlyEmptyGraph
		return nil
	}
	joint, data := make([]float64, len(index)), make([]float64, len(index))
	for k, m := range index {
		l := heldOut.Particles[m]
		joint[k], data[k] = l.joint(), l.Data
		if math.IsNaN(joint[k]) || math.IsInf(joint[k], 0) {
			return fmt.Errorf("metrics: held-out log density of particle %d is %g + %g, want "+
				"finite numbers", m+1, l.Prior, l.Data)
		}
	}
	r.NegLL = Number(negLL(kept, joint))
	r.NegLLDataOnly = Number(negLL(kept, data))
	return nil
}

// Number is a float64 that JSON can carry: NaN, for a metric that is not
// defined or was not computed, is null, and so are infinities; null reads back
// as NaN.
type Number float64

var (
	_ json.Marshaler   = Number(0)
	_ json.Unmarshaler = (*Number)(nil)
)

// MarshalJSON returns null for NaN and infinities.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads a number, or NaN from null.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
