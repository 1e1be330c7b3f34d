//go:build unix

package bench_test

import (
	"context"
	"syscall"
	"testing"

	"tobac"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/must"
	"tobac/internal/reference"
	"tobac/metrics"
	"tobac/models/modeltest"
	"tobac/sem"
)

// ownOutcome are means over data sets and seeds.
type ownOutcome struct{ mae, eshd, auroc, seconds, runs float64 }

func (o *ownOutcome) add(mae, eshd, auroc, seconds float64) {
	o.mae, o.eshd, o.auroc, o.seconds, o.runs = o.mae+mae, o.eshd+eshd, o.auroc+auroc,
		o.seconds+seconds, o.runs+1
}

// zeroSVGD leaves all settings of SVGD at zero.
func zeroSVGD(m sem.Model) tobac.Config { return tobac.Config{Model: m, Engine: &stein.SVGD{}} }

// Five likelihoods that a user might write, given the order: the default against sums over all sets
// of parents with estimated evidences, beside the zero value of stein.SVGD, with as many steps as
// take the same processor time and (on the first data set of each) with all, and tobac.Calibrated
// with two estimators of the marginals. bench/notes/svgd.md has the table:
//
//	go test ./bench -run TestOwnDefaults -long -v -timeout 60m
func TestOwnDefaults(t *testing.T) {
	d, n, sets, seeds, kinds := 6, 100, 3, 2, len(ownModels)
	if !*long {
		d, n, sets, seeds, kinds = 5, 60, 1, 1, 1
	}
	steps := func(count int) func(m sem.Model) tobac.Config {
		return func(m sem.Model) tobac.Config {
			return tobac.Config{Model: m, Engine: &stein.SVGD{Steps: count}}
		}
	}
	frequency := func(m sem.Model) tobac.Config {
		c := tobac.Calibrated(m)
		c.Engine.(*stein.SVGD).Marginals = stein.FrequencyMarginals
		return c
	}
	for k := range kinds {
		model := ownModels[k].ownModel
		var names []string
		outcomes := map[string]*ownOutcome{}
		for set := range sets {
			truth, data := ownData(k, d, n, 1.5*float64(d), uint64(set))
			lik := must.Get(model.Likelihood(data))(t)
			if err := modeltest.Likelihood(lik, 1); err != nil {
				t.Fatalf("%v: %v", model, err)
			}
			order := make([]int, d)
			for j := range order {
				order[j] = j
			}
			var ref *reference.Posterior
			outcome := func(name string) *ownOutcome {
				if outcomes[name] == nil {
					outcomes[name], names = &ownOutcome{}, append(names, name)
				}
				return outcomes[name]
			}
			run := func(name string, way func(m sem.Model) tobac.Config, seed uint64) float64 {
				cfg := way(model)
				cfg.Order, cfg.Prior.EdgesPerNode, cfg.Seed = engine.Order{Known: order}, 1.5, seed
				before := processorSeconds(t)
				res := must.Get(tobac.Fit(context.Background(), data, cfg))(t)
				took := processorSeconds(t) - before
				if ref == nil {
					ref = must.Get(reference.New(context.Background(), data, res))(t)
					outcome("all sets of parents").add(ref.StandardError,
						metrics.ESHDOfEdges(ref.Probabilities, truth),
						metrics.AUROC(ref.Probabilities, truth, metrics.OffDiagonal),
						processorSeconds(t)-before-took)
				}
				if name != "" {
					off := res.Marginals.Distance(ref.Marginals, func(i, j int) bool {
						return i < j
					})
					outcome(name).add(off, metrics.ESHDOfEdges(res.Probabilities, truth),
						metrics.AUROC(res.Probabilities, truth, metrics.OffDiagonal), took)
				}
				return took
			}
			seconds := 0.0
			for seed := range seeds {
				seconds += run("default", func(m sem.Model) tobac.Config {
					return tobac.Config{Model: m}
				}, uint64(seed+1)) / float64(seeds)
			}
			few := run("", steps(5), 1)
			each := (run("", steps(25), 1) - few) / 20
			for seed := range seeds {
				run("zero SVGD, equal time", steps(max(2, 5+int((seconds-few)/each))),
					uint64(seed+1))
			}
			if !*long {
				continue
			}
			if set == 0 {
				run("zero SVGD, first set", zeroSVGD, 1)
			}
			run("tobac.Calibrated, frequency", frequency, 1)
			run("tobac.Calibrated", tobac.Calibrated, 1)
		}
		for _, name := range names {
			o := outcomes[name]
			t.Logf("| %s | %s | %.4f | %.1f | %.3f | %.1f |", model.name, name, o.mae/o.runs,
				o.eshd/o.runs, o.auroc/o.runs, o.seconds/o.runs)
		}
		own, zero := outcomes["default"], outcomes["zero SVGD, equal time"]
		if !(own.mae < 0.01*own.runs && own.mae < 0.2*zero.mae) {
			t.Errorf("%v: mean absolute error %.4f of the default, want at most 0.01 and a fifth "+
				"of %.4f", model, own.mae/own.runs, zero.mae/zero.runs)
		}
	}
}

// processorSeconds is the user time of this process.
func processorSeconds(t testing.TB) float64 {
	t.Helper()
	var u syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}
