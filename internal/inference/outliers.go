package inference

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/inspect"
	"tobac/internal/problems"
	"tobac/internal/trust"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// farOut is the number of robust standard deviations from the median from which on a value may
	// be an error.
	farOut = 8
	// mostOutliers is the part of the rows that may have such values.
	mostOutliers = 0.1
	// worthOutliers is the evidence in nats from which on they are errors.
	worthOutliers = 10
)

// Outliers are the rows without those that have a value far out and follow no equation, and a
// warning that says so. An error of recording is seen in one column: its causes do not
// tell it, and its effects have nothing of it, so that it turns directions round. A far value of a
// variable of long tails is there in its effects. Which is the case, evidence tells:
//
//	ln p(X) − ln p_∅(X)
//
// of all rows and of those without such values, under sums of functions with noise of any shape;
// p_∅ knows no edges. Rows that add less than nothing to it are better described by
// columns that are independent. All rows stay, nil, where that is not so.
func Outliers(ctx context.Context, p *engine.Problem) (rest []int, warning string, err error) {
	data := p.Data
	if data.OfKinds() || inspect.CheckColumns(data) != nil {
		return nil, "", nil
	}
	if rest = withoutFar(data.X); rest == nil {
		return nil, "", nil
	}
	tables := [2]*dataset.Table{data, data.Rows(rest)}
	if inspect.CheckColumns(tables[1]) != nil {
		return nil, "", nil
	}
	nats := 0.0
	full, empty := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	// Of few parents first: these may miss a cause of a far value, but not find one.
	for _, model := range []sem.Model{sem.NonGaussian{MaxParents: 1},
		sem.NonGaussian{MaxParents: logParents}, sem.NonGaussian{}, sem.Additive{}} {
		m, _ := sem.As[sem.Scored](model)
		for k, t := range tables {
			if sem.Unsuited(m, t) != "" {
				return nil, "", nil
			}
			inf, err := under(ctx, t, m, p, trust.WholeTrust)
			if err != nil {
				return nil, "", problems.WithName(err, data.Names)
			}
			full[k] = math.Max(full[k], inf.logEvidence())
			empty[k] = math.Max(empty[k], inf.withoutEdges(len(data.Names)))
		}
		nats = (full[1] - empty[1]) - (full[0] - empty[0])
		if !(nats > worthOutliers) {
			return nil, "", nil
		}
	}
	n, _ := data.X.Dims()
	return rest, fmt.Sprintf("%d of %d rows have values far out that fit no relation, by %.0f "+
		"nats, as errors of recording do, and are left out", n-len(rest), n, nats), nil
}

// withoutEdges is the log evidence of the graph without edges under a model.
func (inf *Inference) withoutEdges(d int) float64 {
	var logs []float64
	for _, h := range inf.hypotheses {
		log := h.LogWeight
		for j := range d {
			log += h.Scores.LogScore(j, nil)
		}
		logs = append(logs, log)
	}
	return floats.LogSumExp(logs)
}

// withoutFar are the rows without a value that is far out; nil means all, or that there are too
// many others to be errors.
func withoutFar(x *mat.Dense) (rest []int) {
	n, d := x.Dims()
	far := make([]bool, n)
	for j := range d {
		v := mat.Col(nil, j, x)
		middle := median(v)
		off := make([]float64, n)
		for i := range v {
			off[i] = math.Abs(v[i] - middle)
		}
		const normal = 1.4826 // standard deviations of a normal distribution for this median
		limit := farOut * normal * median(off)
		for i := range off {
			far[i] = far[i] || limit > 0 && off[i] > limit
		}
	}
	for i := range far {
		if !far[i] {
			rest = append(rest, i)
		}
	}
	if len(rest) == n || float64(len(rest)) < (1-mostOutliers)*float64(n) {
		return nil
	}
	return rest
}

// median is the value in the middle.
func median(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[len(sorted)/2]
}
