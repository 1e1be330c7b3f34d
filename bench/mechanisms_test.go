package bench_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/internal/mechanism"
	"tobac/internal/must"
	"tobac/internal/parallel"
	"tobac/metrics"
	"tobac/sem"
)

// ofMechanisms are data sets of eight variables (of the short test six), 200 rows and one and a
// half expected edges per node under one mechanism (nil means networks), with their posteriors.
func ofMechanisms(t *testing.T, m *mechanism.Mechanism, model sem.Model, count int) []replicate {
	t.Helper()
	vars := 8
	if !*long {
		vars = 6
	}
	all := make([]replicate, count)
	must.Do(t, parallel.For(context.Background(), count, runtime.GOMAXPROCS(0), func(k int) error {
		seed := uint64(100 + k)
		g, err := dataset.SimulateER(dataset.ERConfig{Vars: vars, EdgesPerNode: 1.5, Seed: seed})
		if err != nil {
			return err
		}
		var s *dataset.Simulation
		if m == nil {
			s, err = dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Rows: 200, Seed: seed})
		} else {
			s, err = mechanism.Simulate(g, *m, dataset.LinearConfig{Rows: 200, Seed: seed})
		}
		if err != nil {
			return err
		}
		r, err := tobac.Fit(context.Background(), s.Train, tobac.Config{Model: model, Seed: seed})
		all[k] = replicate{truth: g, Result: r}
		return err
	}))
	return all
}

// What the models are worth on data that none of them describes, and which of them the evidence
// takes. Of the short test, one data set each of sums and products of sines, the evidence must take
// a nonlinear model, and its graphs must be better than those of linear equations.
// bench/notes/networks.md has the table of
//
//	go test ./bench -run TestMechanisms -long -v
func TestMechanisms(t *testing.T) {
	count, mechanisms, fits := 1, []mechanism.Mechanism{mechanism.Sines, mechanism.Products},
		[]sem.Model{nil, sem.Linear{}}
	if *long {
		count, mechanisms, fits = 10, mechanism.All,
			[]sem.Model{nil, sem.Linear{}, sem.BGe{}, sem.GaussianProcess{}}
		mechanismTable(t, "networks", nil, fits, count)
	}
	for _, m := range mechanisms {
		eshd, taken := mechanismTable(t, m.String(), &m, fits, count)
		if taken["gp"]+taken["additive"] < count || !(eshd[0] < eshd[1]) {
			t.Errorf("%v: the evidence takes %v of %d sets, E-SHD %.2f of its choice, %.2f of "+
				"linear equations", m, taken, count, eshd[0], eshd[1])
		}
	}
}

// mechanismTable logs a line for each model, and returns their E-SHD and the models that the
// evidence takes.
func mechanismTable(t *testing.T, name string, m *mechanism.Mechanism, fits []sem.Model,
	count int) (eshd []float64, taken map[string]int) {
	t.Helper()
	eshd, taken = make([]float64, len(fits)), map[string]int{}
	for k, model := range fits {
		all := ofMechanisms(t, m, model, count)
		auroc := 0.
		for _, r := range all {
			if model == nil {
				taken[strings.Fields(r.Config.Model.String())[0]]++
			}
			eshd[k] += metrics.ESHDOfEdges(r.Probabilities, r.truth) / float64(count)
			auroc += metrics.AUROC(r.Probabilities, r.truth, metrics.WithDiagonal) / float64(count)
		}
		z, calibrationError := reliability(all)
		if model == nil {
			t.Logf("%s: the evidence takes %v", name, taken)
		}
		t.Logf("%s, %v: E-SHD %.2f, AUROC %.3f, calibration error %.3f, standard scores of edges "+
			"in bins %.1f", name, model, eshd[k], auroc, calibrationError, z)
	}
	return eshd, taken
}
