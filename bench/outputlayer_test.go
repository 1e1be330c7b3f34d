package bench_test

import (
	"context"
	"testing"

	"tobac"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/study"
	"tobac/models"
	"tobac/sem"
)

// The published recipe for networks, given the true order, with 10 particles and 32 sampled graphs,
// and the same with the output layer integrated out; then without the noise variance, on scaled
// columns. It takes some minutes:
//
//	go test ./bench -run TestOutputLayer -long -v -timeout 60m
func TestOutputLayer(t *testing.T) {
	full(t)
	problems := synthetic(t, "nonlinear-d10-e20", 3)
	var methods []method
	for _, variance := range []float64{0.1, 0} {
		for _, output := range []models.OutputLayer{models.SampledOutput, models.IntegratedOutput} {
			cfg := tobac.Paper()
			model := sem.FeedForward{NoiseVariance: variance, Raw: true, Output: output}
			e := cfg.Engine.(*stein.SVGD)
			cfg.Model, e.Particles, e.Samples = model, 10, 32
			methods = append(methods, method{model.String(),
				func(ctx context.Context, p *study.Problem, seed uint64) (*study.Fitted, error) {
					order, err := p.Truth.TopologicalOrder()
					if err != nil {
						return nil, err
					}
					own := cfg
					own.Order = engine.Order{Known: order}
					return tobacMethod("", own).Fit(ctx, p, seed)
				}})
		}
	}
	all := compare(t, problems, methods, func(o outcome) {
		t.Logf("%-50s %s: E-SHD %.1f, AUROC %.3f, Neg.LL %.0f, mixture %.1f; %.1f s", o.Method,
			o.Problem, o.Empirical.ESHD, o.Empirical.AUROCWithDiagonal, o.Empirical.NegLL,
			o.Mixture.ESHD, o.Seconds)
	})
	logTable(t, all)
	sampled, integrated := meanSD(all[:3], empirical, eshd), meanSD(all[3:6], empirical, eshd)
	if !(integrated.Mean < 0.7*sampled.Mean) {
		t.Errorf("mean E-SHD %v with the output layer integrated out, %v with it sampled, want "+
			"at most 0.7 of that", integrated, sampled)
	}
}
