package tobac_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/stein"
)

// Indicators of one variable have no edge between them with any engine, and although they
// depend on each other no warning says that the data speak against it.
func TestExclusivePairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := mat.NewDense(200, 4, nil)
	for i := range 200 {
		level := rng.IntN(3)
		if level > 0 {
			x.Set(i, level, 1)
		}
		x.Set(i, 0, rng.NormFloat64()+2*float64(level))
		x.Set(i, 3, rng.NormFloat64()+x.At(i, 0))
	}
	data := &dataset.Table{Names: []string{"a", "kind=1", "kind=2", "b"}, X: x}
	prior := background.Prior{Exclusive: []dag.Edge{{From: 1, To: 2}}}
	for name, cfg := range map[string]tobac.Config{
		"exact":  {Prior: prior},
		"chains": {Prior: prior, Engine: &markov.MCMC{Chains: 2, Iterations: 200, WarmUp: 50}},
		"svgd":   {Prior: prior, Engine: &small},
		"DiBS": {Prior: prior,
			Engine: &stein.DiBS{SVGD: stein.SVGD{Particles: 3, Samples: 4, Steps: 5}}},
		"gflownet": {Prior: prior, Engine: &flownets.GFlowNet{}},
	} {
		res := fit(t, data, cfg)
		if p, q := res.Probabilities.At(1, 2), res.Probabilities.At(2, 1); p != 0 || q != 0 {
			t.Errorf("%s: probabilities %v and %v, want 0", name, p, q)
		}
		if slices.ContainsFunc(res.Warnings, func(w string) bool {
			return strings.Contains(w, "speak against")
		}) {
			t.Errorf("%s: warnings %q", name, res.Warnings)
		}
	}
	if free := fit(t, data, tobac.Config{}); free.Probabilities.At(1, 2)+
		free.Probabilities.At(2, 1) < 0.5 {
		t.Error("the indicators do not depend on each other: the test shows nothing")
	}
}
