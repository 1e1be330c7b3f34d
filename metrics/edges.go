package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/posterior"
)

// ESHDOfEdges returns the expected structural Hamming distance to the truth of a
// distribution over acyclic graphs, of which p, d×d, are the edge probabilities:
//
//	Σ_{i → j in G*} (1 − P_ij) + Σ_{i, j not joined in G*} min(1, P_ij + P_ji),
//
// the second sum over unordered pairs. An acyclic graph never has both i → j and
// j → i, so that a pair which G* joins by i → j is right with probability P_ij,
// and one that it does not join with 1 − P_ij − P_ji: the sum is exactly
// [ESHD] of any acyclic graphs with these edge probabilities, reversals counted
// once. A pair that truth joins in both directions counts 1. It panics like
// [Brier].
func ESHDOfEdges(p mat.Matrix, truth *dag.Graph) float64 {
	d := truth.Len()
	checkProbabilities(p, d)
	sum := 0.0
	for i := range d {
		for j := range i {
			switch forward, backward := truth.Has(i, j), truth.Has(j, i); {
			case forward && backward:
				sum++
			case forward:
				sum += 1 - p.At(i, j)
			case backward:
				sum += 1 - p.At(j, i)
			default:
				sum += math.Min(1, p.At(i, j)+p.At(j, i))
			}
		}
	}
	return sum
}

// EdgeReport holds the metrics of a matrix of edge probabilities. Those that need
// a true graph are NaN without one. The package comment defines them.
type EdgeReport struct {
	Variables int `json:"variables"` // d: d(d−1) entries can be edges

	ESHD                     Number `json:"eshd"`
	AUROC                    Number `json:"auroc"` // off the diagonal
	AUROCWithDiagonal        Number `json:"auroc_with_diagonal"`
	AveragePrecision         Number `json:"average_precision"` // off the diagonal
	AUPRC                    Number `json:"auprc_trapezoid"`   // off the diagonal
	Brier                    Number `json:"brier"`
	LogScore                 Number `json:"log_score"`         // clipped at posterior.Floor
	CalibrationError         Number `json:"calibration_error"` // in CalibrationBins bins
	ExpectedEdges            Number `json:"expected_edges"`
	SkeletonAUROC            Number `json:"skeleton_auroc"`
	SkeletonAveragePrecision Number `json:"skeleton_average_precision"`

	// The consensus graph of the matrix, see [posterior.Marginals.Consensus].
	ConsensusEdges Number `json:"consensus_edges"`
	ConsensusSHD   Number `json:"consensus_shd"`
	// between the equivalence classes of consensus and truth
	CPDAGSHD Number `json:"cpdag_shd"`

	// Baseline: the graph without edges. Its E-SHD is the number of true edges.
	ESHDEmptyGraph Number `json:"eshd_empty_graph"`
}

// EvaluateEdges computes all metrics of p, d×d edge probabilities; truth is nil if
// no true graph is known. It fails with a [*dag.CycleError] if truth has a cycle,
// and panics if p is not d×d or has an entry off the diagonal outside [0, 1].
func EvaluateEdges(p *mat.Dense, truth *dag.Graph) (*EdgeReport, error) {
	d, _ := p.Dims()
	checkProbabilities(p, d)
	consensus, _ := posterior.Marginals{Probabilities: p}.Consensus()
	nan := Number(math.NaN())
	r := &EdgeReport{
		Variables: d,
		ESHD:      nan, AUROC: nan, AUROCWithDiagonal: nan, AveragePrecision: nan, AUPRC: nan,
		Brier: nan, LogScore: nan, CalibrationError: nan,
		ExpectedEdges: Number(expectedEdges(p)), SkeletonAUROC: nan, SkeletonAveragePrecision: nan,
		ConsensusEdges: Number(consensus.Size()), ConsensusSHD: nan, CPDAGSHD: nan,
		ESHDEmptyGraph: nan,
	}
	if truth == nil {
		return r, nil
	}
	if truth.Len() != d {
		panic(fmt.Sprintf("metrics: probabilities of %d variables, the truth has %d", d,
			truth.Len()))
	}
	distance, err := cpdagSHD(consensus, truth)
	if err != nil {
		return nil, fmt.Errorf("metrics: truth: %w", err)
	}
	r.CPDAGSHD, r.ConsensusSHD = Number(distance), Number(SHD(consensus, truth))
	r.ESHD, r.ESHDEmptyGraph = Number(ESHDOfEdges(p, truth)), Number(truth.Size())
	r.AUROC, r.AUROCWithDiagonal = Number(AUROC(p, truth, OffDiagonal)),
		Number(AUROC(p, truth, WithDiagonal))
	r.AveragePrecision, r.AUPRC = Number(averagePrecisionOf(p, truth, OffDiagonal)),
		Number(auprc(p, truth, OffDiagonal))
	r.Brier, r.LogScore = Number(Brier(p, truth)), Number(logScore(p, truth, posterior.Floor))
	r.CalibrationError = Number(calibrationError(p, truth, CalibrationBins))
	r.SkeletonAUROC, r.SkeletonAveragePrecision = Number(SkeletonAUROC(p, truth)),
		Number(skeletonAveragePrecision(p, truth))
	return r, nil
}

// expectedEdges is Σ P_ij off the diagonal.
func expectedEdges(p mat.Matrix) float64 {
	d, _ := p.Dims()
	sum := 0.0
	for i := range d {
		for j := range d {
			if i != j {
				sum += p.At(i, j)
			}
		}
	}
	return sum
}
