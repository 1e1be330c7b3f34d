package inference

import (
	"context"
	"fmt"
	"math"

	"tobac/background"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/inspect"
	"tobac/internal/problems"
	"tobac/internal/trust"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// worthLogs is the evidence in nats, by the likelihood of a normal distribution, from which
// logarithms may take the place of the numbers.
const worthLogs = 10

// logParents is the number of parents up to which equations are fitted for that.
const logParents = 2

// LogSupport says how much more evidence, in nats, sums of functions of the logarithms of all
// columns have than those of the numbers themselves ([sem.NonGaussian] and [sem.Additive], of few
// parents), the change of variables included; curves count where they may change which has more.
// Multiplied causes with positive noise are such sums. Where a number is not positive, and where
// already the normal distribution fits the logarithms no better, or the models are not suited, it
// is −Inf.
func LogSupport(ctx context.Context, p *engine.Problem) (float64, error) {
	data := p.Data
	if data.OfKinds() || mat.Min(data.X) <= 0 || inspect.CheckColumns(data) != nil {
		return math.Inf(-1), nil
	}
	logs, err := data.Log()
	if err != nil {
		return math.Inf(-1), nil
	}
	if nats, ok := recordedSupport[dataset.Digest(nil, data.X)]; ok && data.Intervened == nil &&
		p.Prior.String() == new(background.Prior).String() {
		return nats, nil
	}
	return logSupport(ctx, p, logs)
}

// recordedSupport has what [LogSupport] finds, by the digest of the numbers, in the table that is
// built in: computed once, since it takes more than twice as long as all else of its analysis.
// TestRecordedSupport computes it again.
var recordedSupport = map[string]float64{
	"99eabf6cf6948bdfca0dce81f7a24692157f8511975e0590140b4ad2c163001f": 38.70907,
}

// logSupport computes it, given the logarithms.
func logSupport(ctx context.Context, p *engine.Problem, logs *dataset.Table) (float64, error) {
	data := p.Data
	jacobian := -mat.Sum(logs.X)
	if !(normalLogDensity(logs)+jacobian > normalLogDensity(data)+worthLogs) {
		return math.Inf(-1), nil
	}
	evidence := func(t *dataset.Table, chosen sem.Model) (float64, error) {
		m, _ := sem.As[sem.Scored](chosen)
		if sem.Unsuited(m, t) != "" {
			return math.Inf(-1), nil
		}
		inf, err := under(ctx, t, m, p, trust.WholeTrust)
		if err != nil {
			return 0, problems.WithName(err, data.Names)
		}
		return inf.logEvidence(), nil
	}
	tables, shift := [2]*dataset.Table{data, logs}, [2]float64{0, jacobian}
	var found [2]float64
	var err error
	for k, t := range tables {
		if found[k], err = evidence(t, sem.NonGaussian{MaxParents: logParents}); err != nil {
			return 0, err
		}
		found[k] += shift[k]
	}
	// The one that is behind may catch up with curves, and then the other.
	for range tables {
		k := 0
		if found[1] < found[0] {
			k = 1
		}
		more, err := evidence(tables[k], sem.Additive{MaxParents: logParents})
		if err != nil {
			return 0, err
		}
		if found[k] = math.Max(found[k], more+shift[k]); found[k] < found[1-k] {
			break
		}
	}
	if math.IsInf(found[0], -1) {
		return math.Inf(-1), nil
	}
	return found[1] - found[0], nil
}

// LogNote says that logarithms are taken, and why; "" where evidence of [LogSupport] is not enough.
// Single equations have logarithms too where the numbers are not replaced, so that about as much
// is enough: logarithms of all are simpler.
func LogNote(nats float64) string {
	switch {
	case !(nats > -worthLogs):
		return ""
	case nats < 1:
		return "columns were replaced by their logarithms, which are simpler and fit as well"
	}
	return fmt.Sprintf(
		"columns were replaced by their logarithms, which the data support by %.0f nats", nats)
}

// normalLogDensity is the largest log density of the rows under a multivariate normal
// distribution, up to what is the same for all tables of a size; −Inf where the columns are
// collinear.
func normalLogDensity(t *dataset.Table) float64 {
	n, _ := t.X.Dims()
	_, sd := t.Moments()
	var root mat.Cholesky
	if !root.Factorize(inspect.Correlations(t)) {
		return math.Inf(-1)
	}
	log := root.LogDet() / 2
	for _, s := range sd {
		log += math.Log(s)
	}
	return -float64(n) * log
}
