package tobac_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine/markov"
	"tobac/engine/sums"
	"tobac/internal/inference"
	"tobac/internal/must"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// angular is a table whose last column is a network of the first two.
func angular() *dataset.Table {
	const n = 60
	rng := rand.New(rand.NewPCG(7, 1))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b, 2*math.Max(0, a-b) - 2*math.Max(0, b+a) +
			0.3*rng.NormFloat64()})
	}
	return &dataset.Table{Names: []string{"a", "b", "c"}, X: x}
}

// A fit that leaves the model open compares networks where curves were chosen, takes what has most
// evidence, and is the same for any number of workers. An engine that was asked for is kept.
func TestNetworksCompared(t *testing.T) {
	data := angular()
	first := must.Get(tobac.Fit(t.Context(), data, tobac.Config{}))(t)
	best, _ := inference.BestTwo(first.Evidence)
	_, networks := first.Config.Model.(sem.FeedForward)
	if last := first.Evidence[len(first.Evidence)-1]; math.IsNaN(last.Log) ||
		networks != (best == last) {
		t.Errorf("model %v, where the evidences are %v", first.Model, first.Evidence)
	}
	if best.Model != first.Model {
		t.Errorf("model %v, and %v has most evidence", first.Model, best.Model)
	}
	again := must.Get(tobac.Fit(t.Context(), data, tobac.Config{Workers: 3}))(t)
	if !mat.Equal(first.Probabilities, again.Probabilities) ||
		!slices.Equal(first.Evidence, again.Evidence) {
		t.Error("another number of workers changes the result")
	}
	asked := must.Get(tobac.Fit(t.Context(), data, tobac.Config{Engine: &sums.Exact{}}))(t)
	if asked.Engine != "exact" || len(asked.Evidence) != len(first.Evidence)-1 {
		t.Errorf("asked for exact, got %s with the evidences %v", asked.Engine, asked.Evidence)
	}
}

// Tables with imputed values have one model, which all of them have evidence for: networks are not
// compared under some.
func TestNetworksNotOfSeveralTables(t *testing.T) {
	data := angular()
	tables := tobac.Imputed{Count: 2, Places: []int{2}, Table: func(k int) *dataset.Table {
		t := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
		t.X.Set(0, 2, float64(k))
		return t
	}}
	r := fitImputed(t, tables, tobac.Config{})
	for _, e := range r.Evidence {
		if e.Model == (sem.FeedForward{}).String() {
			t.Errorf("networks are compared: %v", r.Evidence)
		}
	}
}

// Memory that the sums take and networks do not have leaves these out, with a note.
func TestNetworksWithoutMemory(t *testing.T) {
	r := must.Get(tobac.Fit(t.Context(), angular(), tobac.Config{Memory: 56 << 20}))(t)
	last := r.Evidence[len(r.Evidence)-1]
	if last.Model != (sem.FeedForward{}).String() || !math.IsNaN(last.Log) ||
		!strings.Contains(last.Note, "of memory") {
		t.Errorf("evidence %+v, want networks without enough memory", last)
	}
}

// With more variables than are summed over, chains over graphs say what has most evidence.
func TestNetworksComparedByChains(t *testing.T) {
	const triples = 7
	one := angular()
	data := &dataset.Table{X: mat.NewDense(60, 3*triples, nil)}
	var cfg tobac.Config
	for k := range triples {
		for c, name := range one.Names {
			data.Names = append(data.Names, fmt.Sprint(name, k))
			for i := range 60 {
				data.X.Set(i, 3*k+c, one.X.At((7*k*k+i)%60, c))
			}
			for i := range 3 * triples {
				if i/3 != k {
					cfg.Prior.Forbidden =
						append(cfg.Prior.Forbidden, dag.Edge{From: i, To: 3*k + c})
				}
			}
		}
	}
	r := fit(t, data, cfg)
	best, _ := inference.BestTwo(r.Evidence)
	if last := r.Evidence[len(r.Evidence)-1]; last.Model != r.Model || best != last ||
		!strings.Contains(r.Reason, "over smooth") {
		t.Errorf("model %v, because %s; the evidences are %v", r.Model, r.Reason, r.Evidence)
	}
	cfg.Engine = &markov.MCMC{Chains: 1, Iterations: 20, WarmUp: 10}
	if asked := fit(t, data, cfg); asked.Engine != "mcmc" ||
		len(asked.Evidence) != len(r.Evidence)-1 {
		t.Errorf("asked for mcmc, got %s with the evidences %v", asked.Engine, asked.Evidence)
	}
}
