package tobac_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/engine/markov"
	"tobac/engine/sums"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// walksOf are independent random walks.
func walksOf(n, d int) *dataset.Table {
	rng := rand.New(rand.NewPCG(3, uint64(d)))
	data := &dataset.Table{X: mat.NewDense(n, d, nil)}
	for j := range d {
		data.Names = append(data.Names, string(rune('a'+j)))
		at := 0.0
		for i := range n {
			at += rng.NormFloat64()
			data.X.Set(i, j, at)
		}
	}
	return data
}

// Of random walks nothing is said, whatever the model and whether sums or chains.
func TestWalksSayNothing(t *testing.T) {
	chains := markov.MCMC{Chains: 2, Iterations: 400, WarmUp: 100}
	for name, c := range map[string]tobac.Config{
		"compared": {Engine: &sums.Exact{}},
		"sums":     {Engine: &sums.Exact{}, Model: sem.BGe{}},
		"chains":   {Model: sem.NonGaussian{}, Engine: &chains},
	} {
		r := fit(t, walksOf(150, 4), c)
		if said, _ := sure(r, nil); said > 0 || !r.Sequence.Counted ||
			!(r.Sequence.Effective < 20) {
			t.Errorf("%s: %d directions are said with .95 or more, and 150 rows count as %v: %v",
				name, said, r.Sequence.Effective, mat.Formatted(r.Probabilities))
		}
	}
}

// Rows copied twice say about as much as they did.
func TestCopiesSayNothing(t *testing.T) {
	once, _ := drawnTable(60, 2, func(rng *rand.Rand, p []float64) float64 {
		return rng.NormFloat64() + 0.4*sum(p, func(v float64) float64 { return v })
	})
	_, d := once.X.Dims()
	thrice := &dataset.Table{Names: once.Names, X: mat.NewDense(180, d, nil)}
	for i := range 180 {
		thrice.X.SetRow(i, once.X.RawRowView(i%60))
	}
	c := tobac.Config{Engine: &sums.Exact{}, Model: sem.BGe{}}
	want, got := fit(t, once, c), fit(t, thrice, c)
	for i := range d {
		for j := range d {
			if p, q := got.Probabilities.At(i, j),
				want.Probabilities.At(i, j); math.Abs(p-q) > 0.1 {
				t.Errorf("%d → %d has the probability %.3f, and %.3f with two copies of every row",
					i, j, q, p)
			}
			if s, v := got.WeightSD.At(i, j), want.WeightSD.At(i, j); want.Probabilities.At(i,
				j) > 0.2 && !(math.Abs(s/v-1) < 0.3) {
				t.Errorf("%d → %d has a weight ± %.3f, and ± %.3f with two copies of every row", i,
					j, v, s)
			}
		}
	}
}

// The posterior that a result is compared with has the same part of the evidence.
func TestReferenceOfDependentRows(t *testing.T) {
	data := walksOf(100, 4)
	for _, c := range []tobac.Config{
		{Engine: &sums.Exact{}, Model: sem.BGe{}},
		{Model: sem.BGe{}, Engine: &markov.MCMC{Chains: 2, Iterations: 4000, WarmUp: 200}},
	} {
		r := fit(t, data, c)
		got := compared(t, referenceOf(t, data, r), r.Posterior)
		if most := map[string]float64{"exact": 1e-9,
			"mcmc": 0.03}[c.Engine.Engine().Name()]; !(got.MeanAbsError < most) {
			t.Errorf("%v: edge probabilities are %.3g off the reference, want at most %v", c.Engine,
				got.MeanAbsError, most)
		}
	}
}

// Rows that count as a few leave out models that read directions off their form, and say so.
func TestFewRowsTellNoForm(t *testing.T) {
	r := fit(t, walksOf(150, 4), tobac.Config{Engine: &sums.Exact{}})
	if !(r.Sequence.Effective < 10) {
		t.Fatalf("150 rows count as %v: the case tests nothing", r.Sequence.Effective)
	}
	for _, e := range r.Evidence {
		left := strings.Contains(e.Note, "too few to tell the form of equations")
		if is := e.Model == (sem.BGe{}).String(); is == (left || math.IsNaN(e.Log)) {
			t.Errorf("%s: log evidence %v, %q", e.Model, e.Log, e.Note)
		}
	}
}
