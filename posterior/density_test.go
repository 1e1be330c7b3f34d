package posterior_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"tobac/posterior"
)

// drawRows draws n rows and a mask of interventions.
func drawRows(n, d int, rng *rand.Rand) (x, intervened *mat.Dense) {
	x, intervened = mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, 3*rng.NormFloat64())
			intervened.Set(i, j, float64(rng.IntN(3)/2))
		}
	}
	return x, intervened
}

// The definition, value by value, with gonum's normal distribution. Sums of at
// most 48 terms of size 100.
func TestLogDensityByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 23))
		d := rapid.IntRange(1, 6).Draw(t, "d")
		e := randomEquations(randomDAG(rng.Perm(d), 0.5, rng), rng)
		x, intervened := drawRows(8, d, rng)
		for _, mask := range []*mat.Dense{nil, intervened} {
			want := 0.0
			for i := range 8 {
				for j := range d {
					if mask != nil && mask.At(i, j) != 0 {
						continue
					}
					mean := mat.Dot(x.RowView(i), e.Weights.(*mat.Dense).ColView(j))
					if e.Intercepts != nil {
						mean += e.Intercepts[j]
					}
					want += distuv.Normal{Mu: mean,
						Sigma: math.Sqrt(e.NoiseVariances[j])}.LogProb(x.At(i, j))
				}
			}
			got := e.LogDensity(x, nil)
			if mask != nil {
				got = e.LogDensity(x, mask)
			}
			if !near(got, want, 1e-11) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}

// Equations in the units of the data give the density of the data: that of the
// standardized columns less the logarithm of what each row was divided by.
func TestInDataUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 29))
		d := rapid.IntRange(1, 6).Draw(t, "d")
		e := randomEquations(randomDAG(rng.Perm(d), 0.5, rng), rng)
		s, jacobian := &posterior.Standardization{}, 0.0
		for range d {
			s.Mean, s.SD = append(s.Mean, 10*rng.NormFloat64()), append(s.SD, 0.1+rng.ExpFloat64())
			jacobian -= math.Log(s.SD[len(s.SD)-1])
		}
		x, _ := drawRows(8, d, rng)
		want := e.LogDensity(s.Apply(x), nil) + 8*jacobian
		// Means up to 20 over standard deviations from 0.1 on lose three digits.
		if got := e.InDataUnits(s).LogDensity(x, nil); !near(got, want, 1e-9) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if e.InDataUnits(nil) != e {
			t.Fatal("no standardization changed the equations")
		}
	})
}

// A posterior evaluates the equations of its draws, and mixes its baselines.
func TestPosteriorLogDensity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosterior(t)
		d := len(p.Names)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "rows"), 31))
		x, intervened := drawRows(4, d, rng)
		draws, empty, err := p.LogDensity(x, intervened)
		if p.Draws[0].Equations == nil {
			if err == nil || !strings.HasPrefix(err.Error(), "posterior: draw 1 has no equations") {
				t.Fatalf("no equations: error %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for m, draw := range p.Draws {
			if want := draw.Equations.LogDensity(x, intervened); draws[m] != want {
				t.Fatalf("draw %d: got %v, want %v", m, draws[m], want)
			}
		}
		want := 0.0
		for _, c := range p.Components {
			if c.Empty == nil {
				want = math.NaN()
				break
			}
			want += c.Weight * c.Empty.LogDensity(x, intervened)
		}
		if !near(empty, want, 0) {
			t.Fatalf("graph without edges: got %v, want %v", empty, want)
		}
		if _, _, err := p.LogDensity(mat.NewDense(1, d+1, nil), nil); err == nil {
			t.Fatal("no error for another number of columns")
		}
	})
}
