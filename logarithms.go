package tobac

import (
	"context"
	"fmt"
	"math"

	"tobac/dataset"

	"gonum.org/v1/gonum/mat"
)

// worthLogs is the evidence in nats, and that by the likelihood of a normal distribution, from
// which logarithms take the place of the numbers.
const worthLogs = 10

// LogSupport says how much more evidence, in nats, sums of functions of the logarithms of all
// columns have than those of the numbers themselves ([NonGaussian] and [Additive]), the change
// of variables included. Multiplied causes with positive noise are such sums. Where cfg asks
// for a model, an order or another engine than exact sums, where a number is not positive, and
// where already the normal distribution fits the logarithms no better, or the models are not
// suited, it is −Inf.
func LogSupport(ctx context.Context, data *dataset.Table, cfg Config) (float64, error) {
	cfg, err := cfg.withDefaults(data.Names)
	if err != nil {
		return 0, fmt.Errorf("tobac: %w", err)
	}
	_, d := data.X.Dims()
	if cfg.Model != nil || cfg.engine(d) != Exact || cfg.Order.Known != nil || cfg.Trained() || mat.Min(data.X) <= 0 || checkColumns(data) != nil {
		return math.Inf(-1), nil
	}
	logs, err := data.Log()
	if err != nil {
		return math.Inf(-1), nil
	}
	jacobian := -mat.Sum(logs.X)
	if !(normalLogDensity(logs)+jacobian > normalLogDensity(data)+worthLogs) {
		return math.Inf(-1), nil
	}
	evidence := func(t *dataset.Table) (float64, error) {
		best := math.Inf(-1)
		for _, m := range []interface {
			Scored
			Demanding
		}{NonGaussian{}, Additive{}} {
			if m.Unsuited(t) != "" {
				return math.Inf(-1), nil
			}
			inf, err := exactUnder(ctx, t, m, &cfg, allTrust)
			if err != nil {
				return 0, fmt.Errorf("tobac: %w", withName(err, data.Names))
			}
			best = math.Max(best, inf.logEvidence())
		}
		return best, nil
	}
	own, err := evidence(data)
	if err != nil || math.IsInf(own, -1) {
		return math.Inf(-1), err
	}
	other, err := evidence(logs)
	return other + jacobian - own, err
}

// SupportsLogs reports whether evidence of [LogSupport] is enough.
func SupportsLogs(nats float64) bool { return nats > worthLogs }

// normalLogDensity is the largest log density of the rows under a multivariate normal
// distribution, up to what is the same for all tables of a size; −Inf where the columns are
// collinear.
func normalLogDensity(t *dataset.Table) float64 {
	n, _ := t.X.Dims()
	_, sd := t.Moments()
	var root mat.Cholesky
	if !root.Factorize(correlations(t)) {
		return math.Inf(-1)
	}
	log := root.LogDet() / 2
	for _, s := range sd {
		log += math.Log(s)
	}
	return -float64(n) * log
}
