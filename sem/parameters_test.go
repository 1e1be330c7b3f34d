package sem_test

import (
	"math/rand/v2"
	"testing"

	"tobac/dataset"
	"tobac/internal/drawn"
	"tobac/internal/must"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// smallTable has drawn numbers.
func smallTable(rows, columns int) *dataset.Table {
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(rows, columns, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return &dataset.Table{Names: []string{"a", "b", "c", "d", "e", "f"}[:columns], X: x}
}

// A model says how many parameters its likelihood has.
func TestParameters(t *testing.T) {
	data := smallTable(9, 4)
	for _, m := range []sem.FeedForward{{}, {Hidden: []int{3}}, {Hidden: []int{2, 7}},
		{Hidden: []int{2, 7, 1}, NoBias: true}, {NoiseVariance: 0.1, NoBias: true},
		{Hidden: []int{}}} {
		model, _ := sem.As[sem.Differentiable](m)
		lik := must.Get(model.Likelihood(data))(t)
		parametric, _ := sem.As[interface{ Parameters(d int) float64 }](m)
		if got, want := parametric.Parameters(4), float64(lik.ParamLen()); got != want {
			t.Errorf("%v: %v parameters, want %v", m, got, want)
		}
	}
}

// Draws whose parameters are not those of the model are refused before anything of its size is
// made.
func TestDensityOfAnotherModel(t *testing.T) {
	data := smallTable(9, 4)
	p := &posterior.Posterior{Names: data.Names,
		Draws: []posterior.Draw{{Parameters: make([]float64, 124)}}}
	const want = "sem: draws of 124 parameters, and the model ffn hidden=9223372036854775807 has " +
		"2.214e+20 of 4 variables"
	if _, _, err := drawn.LogDensity(p, sem.FeedForward{Hidden: []int{1<<63 - 1}},
		data); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
