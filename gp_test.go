package tobac_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/sums"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Another unit for all columns changes no probability: the prior of the functions is in units of
// the columns, also where one noise variance for all is in those of the data.
func TestGaussianProcessesDoNotMindUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 5))
	x := mat.NewDense(90, 4, nil)
	for i := range 90 {
		a := rng.NormFloat64()
		b := 2*math.Abs(a) + rng.NormFloat64()
		c := b*b/3 + rng.NormFloat64()
		x.SetRow(i, []float64{c, a, b, math.Sin(2*a) + rng.NormFloat64()})
	}
	names := []string{"c", "a", "b", "s"}
	want := fit(t, &dataset.Table{Names: names, X: x},
		tobac.Config{Model: sem.GaussianProcess{}, Seed: 3})
	for _, unit := range []float64{1e-6, 1e3} {
		scaled := mat.DenseCopyOf(x)
		scaled.Scale(unit, scaled)
		got := fit(t, &dataset.Table{Names: names, X: scaled},
			tobac.Config{Model: sem.GaussianProcess{}, Seed: 3})
		if !mat.EqualApprox(got.Probabilities, want.Probabilities, 1e-6) {
			t.Errorf("times %v: probabilities\n%v, want\n%v", unit,
				mat.Formatted(got.Probabilities), mat.Formatted(want.Probabilities))
		}
	}
}

// Equal noise variances in the units given, which tell directions, are said by every engine that
// took them.
func TestUnitsAreSaid(t *testing.T) {
	g := dag.New(3)
	g.Set(0, 1, true)
	g.Set(1, 2, true)
	s, err := dataset.SimulateNonlinear(g,
		dataset.NonlinearConfig{Rows: 60, NoiseVariance: 0.1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []engine.Settings{&sums.Exact{}, &markov.MCMC{}} {
		r := fit(t, s.Train, tobac.Config{Model: sem.GaussianProcess{}, Engine: engine, Seed: 1})
		want := "Equal noise variances in the units of the data identify them as well: other " +
			"units of a column (g for kg) could reverse them"
		if !strings.Contains(r.Basis, want) {
			t.Errorf("%v: directions follow from %q, want %q in it", engine, r.Basis, want)
		}
	}
}
