package bench_test

import (
	"context"
	"math"
	"testing"

	"tobac"
	"tobac/metrics"
	"tobac/models/modeltest"

	"gonum.org/v1/gonum/floats"
)

// An ownWay is a way to sample a model of one's own.
type ownWay struct {
	name string
	cfg  func(m tobac.Model) tobac.Config
}

// ownOutcome are means over data sets and seeds.
type ownOutcome struct{ mae, eshd, auroc, seconds, runs float64 }

func (o *ownOutcome) add(mae, eshd, auroc, seconds float64) {
	o.mae, o.eshd, o.auroc, o.seconds, o.runs = o.mae+mae, o.eshd+eshd, o.auroc+auroc, o.seconds+seconds, o.runs+1
}

// former is what sampled models of one's own before the read-out reweighted took them: the settings of a Sampler that are not set.
func former(m tobac.Model) tobac.Config { return tobac.Config{Model: m, Engine: tobac.SVGD} }

// Five likelihoods that a user might write, given the order: the default against the sums over all sets of parents with estimated evidences, beside the settings of a Sampler that are not set, with all of its steps and with
// as many as take the same time, and tobac.Calibrated with two read-outs. docs/svgd.md has the table, which takes about a quarter of an hour of two processors:
//
//	go test ./bench -run TestOwnDefaults -long -v -timeout 60m
func TestOwnDefaults(t *testing.T) {
	d, n, sets, seeds, kinds := 8, 100, 3, 2, len(ownModels)
	if !*long {
		d, n, sets, seeds, kinds = 5, 60, 1, 1, 1
	}
	shortened := func(m tobac.Model) tobac.Config { // of the ordinary run
		c := former(m)
		c.Sampler.Steps, c.Sampler.Particles, c.Sampler.Samples = 50, 10, 16
		return c
	}
	frequency := func(m tobac.Model) tobac.Config {
		c := tobac.Calibrated(m)
		c.Sampler.Readout = tobac.FrequencyReadout
		return c
	}
	for k := range kinds {
		model := ownModels[k].ownModel
		var reference, byDefault, equal ownOutcome
		others := []ownWay{{"settings of the zero Sampler", former}, {"tobac.Calibrated, frequency", frequency}, {"tobac.Calibrated", tobac.Calibrated}}
		if !*long {
			others = []ownWay{{"settings of the zero Sampler, shortened", shortened}}
		}
		rest := make([]ownOutcome, len(others))
		for set := range sets {
			truth, data := ownData(k, d, n, 1.5*float64(d), uint64(set))
			lik, err := model.Likelihood(data)
			if err != nil {
				t.Fatal(err)
			}
			if err := modeltest.Likelihood(lik, 1); err != nil {
				t.Fatalf("%v: %v", model, err)
			}
			order := make([]int, d)
			for j := range order {
				order[j] = j
			}
			var ref *tobac.Reference
			run := func(o *ownOutcome, cfg tobac.Config, seed uint64) float64 {
				cfg.Order, cfg.Prior.EdgesPerNode, cfg.Seed, cfg.Workers = tobac.Order{Known: order}, 1.5, seed, 2
				res, err := tobac.Fit(context.Background(), data, cfg)
				if err != nil {
					t.Fatal(err)
				}
				if ref == nil {
					if ref, err = tobac.NewReference(context.Background(), data, res); err != nil {
						t.Fatal(err)
					}
					reference.add(ref.StandardError, metrics.ESHDOfEdges(ref.Probabilities, truth), metrics.AUROC(ref.Probabilities, truth, metrics.OffDiagonal), 0)
				}
				off := res.Marginals.Distance(ref.Marginals, func(i, j int) bool { return i < j })
				o.add(off, metrics.ESHDOfEdges(res.Probabilities, truth), metrics.AUROC(res.Probabilities, truth, metrics.OffDiagonal), res.Seconds.Total)
				return res.Seconds.Total
			}
			seconds := 0.0
			for seed := range seeds {
				seconds += run(&byDefault, tobac.Config{Model: model}, uint64(seed+1)) / float64(seeds)
			}
			for w, way := range others {
				took := run(&rest[w], way.cfg(model), 1)
				if w > 0 || !*long {
					continue
				}
				cfg := former(model)
				cfg.Sampler.Steps = max(2, int(math.Round(1000*seconds/took)))
				for seed := range seeds {
					run(&equal, cfg, uint64(seed+1))
				}
			}
		}
		report := func(name string, o ownOutcome) {
			t.Logf("| %s | %s | %.4f | %.1f | %.3f | %.1f |", model.name, name, o.mae/o.runs, o.eshd/o.runs, o.auroc/o.runs, o.seconds/o.runs)
		}
		report("all sets", reference)
		report("default", byDefault)
		if *long {
			report("settings of the zero Sampler, equal time", equal)
		}
		errors := []float64{}
		for w, way := range others {
			report(way.name, rest[w])
			if way.name != "tobac.Calibrated" {
				errors = append(errors, rest[w].mae/rest[w].runs)
			}
		}
		if own := byDefault.mae / byDefault.runs; !(own < 0.01 && own < 0.2*floats.Min(errors)) {
			t.Errorf("%v: mean absolute error %.4f of the default, want at most 0.01 and a fifth of the least of %.4f", model, own, errors)
		}
	}
}
