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
	"tobac/engine/neural"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// bent are n rows of a curved equation, a linear one, and a column that goes with neither, in which
// the origin is in the midst of the values.
func bent(n int) *dataset.Table {
	rng := rand.New(rand.NewPCG(27, 3))
	data := table(n, 4, []string{"a", "b", "c", "e"}, func(int, int) float64 {
		return rng.NormFloat64()
	})
	for i := range n {
		x := data.X.RawRowView(i)
		x[1] = math.Abs(x[0]+0.5) + 0.7*x[1]
		x[2] = 0.6*x[1] + x[2]
	}
	return data
}

// Where an equation has an intercept, a constant added to columns and the sign of a column change
// no probability, whatever computes it: with few rows, with more than an approximation of functions
// keeps, and with values set by intervention.
func TestOriginAndSignsChangeNothing(t *testing.T) {
	ffn := sem.FeedForward{Hidden: []int{2}}
	given := sem.FeedForward{Hidden: []int{2}, NoiseVariance: 0.5}
	order := engine.Order{Known: []int{0, 1, 2, 3}}
	set := bent(30)
	set.Intervened = mat.NewDense(30, 4, nil)
	for i := range 10 {
		set.Intervened.Set(i, 1, 1)
		set.X.Set(i, 1, 9+float64(i%3))
	}
	// Networks that begin with other signs are other draws of the same distribution: 0 is for no
	// mirroring of particles.
	const precise, drawn, never = 1e-6, 0.12, 0
	for name, c := range map[string]struct {
		cfg           tobac.Config
		shift, mirror float64
	}{
		"auto":   {tobac.Config{}, precise, precise},
		"linear": {tobac.Config{Model: sem.Linear{}}, precise, precise},
		"linear, a given noise variance": {tobac.Config{Model: sem.Linear{NoiseVariance: 0.5}},
			precise, precise},
		"linear-unequal": {tobac.Config{Model: sem.Linear{Unequal: true}}, precise,
			precise},
		"bge": {tobac.Config{Model: sem.BGe{}}, precise, precise},
		"linear-nongaussian": {tobac.Config{Model: sem.NonGaussian{}}, precise,
			precise},
		"additive": {tobac.Config{Model: sem.Additive{}}, precise, precise},
		"gp": {tobac.Config{Model: sem.GaussianProcess{}}, precise,
			precise},
		"gp, approximated": {tobac.Config{Model: sem.GaussianProcess{Rank: 12}},
			precise, precise},
		"gp, given an order": {tobac.Config{Model: sem.GaussianProcess{}, Order: order},
			precise, precise},
		"gp, chains": {tobac.Config{Model: sem.GaussianProcess{},
			Engine: &short}, precise, precise},
		"networks": {tobac.Config{Model: ffn}, precise, drawn},
		"networks given an order": {tobac.Config{Model: given, Order: order,
			Engine: &neural.Tempering{Iterations: 800, Rungs: 4}}, precise, drawn},
		"networks as particles": {tobac.Config{Model: given, Order: order, Engine: &small},
			precise, never},
	} {
		t.Run(name, func(t *testing.T) {
			tables := map[string]*dataset.Table{"rows": bent(30), "set": set}
			if strings.HasPrefix(name, "networks") {
				delete(tables, "rows") // it takes long
			}
			for kind, data := range tables {
				want := fit(t, data, c.cfg)
				for k, way := range []struct {
					shift  [4]float64
					sign   [4]float64
					within float64
				}{
					{[4]float64{273.15, 273.15, 273.15, 273.15}, [4]float64{1, 1, 1, 1}, c.shift},
					{[4]float64{-1e6, 3, 0, 50}, [4]float64{1, 1, 1, 1}, c.shift},
					{[4]float64{0, 20, 0, 0}, [4]float64{-1, -1, 1, -1}, c.mirror},
				} {
					// the second shift moves more
					if way.within == never || k == 0 && strings.HasPrefix(name, "networks") {
						continue
					}
					moved := *data
					moved.X = mat.DenseCopyOf(data.X)
					moved.X.Apply(func(_, j int, v float64) float64 {
						return way.sign[j]*v + way.shift[j]
					}, moved.X)
					got := fit(t, &moved, c.cfg)
					diff := largest(got.Probabilities, want.Probabilities)
					if !(diff <= way.within) || got.Model != want.Model {
						t.Errorf("%s: shifted by %v and multiplied by %v: probabilities of %s "+
							"differ by up to %v from those of %s", kind, way.shift, way.sign,
							got.Model, diff, want.Model)
					}
				}
			}
		})
	}
}

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
	s := must.Get(dataset.SimulateNonlinear(g,
		dataset.NonlinearConfig{Rows: 60, NoiseVariance: 0.1, Seed: 3}))(t)
	for _, engine := range []engine.Settings{&sums.Exact{}, &markov.MCMC{}} {
		r := fit(t, s.Train, tobac.Config{Model: sem.GaussianProcess{}, Engine: engine, Seed: 1})
		want := "Equal noise variances in the units of the data identify them as well: other " +
			"units of a column (g for kg) could reverse them"
		if !strings.Contains(r.Basis, want) {
			t.Errorf("%v: directions follow from %q, want %q in it", engine, r.Basis, want)
		}
	}
}
