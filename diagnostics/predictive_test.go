package diagnostics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/diagnostics"
	"tobac/internal/must"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A normal mean with a flat prior and n data of variance 1: the posterior given the others is
// N(m₋ᵢ, 1/(n−1)), and the predictive density of yᵢ normal with variance 1 + 1/(n−1).
// Effective parameters are about one.
func TestPredictive(t *testing.T) {
	const n, draws = 30, 4000
	rng := rand.New(rand.NewPCG(4, 4))
	y, sum := make([]float64, n), 0.0
	for i := range y {
		y[i] = rng.NormFloat64()
		sum += y[i]
	}
	chains := []*mat.Dense{mat.NewDense(draws/2, n, nil), mat.NewDense(draws/2, n, nil)}
	for _, c := range chains {
		for k := range draws / 2 {
			mu := sum/n + rng.NormFloat64()/math.Sqrt(n)
			for i := range y {
				c.Set(k, i, -(y[i]-mu)*(y[i]-mu)/2-0.5*math.Log(2*math.Pi))
			}
		}
	}
	want := 0.0
	for i := range y {
		v := 1 + 1./(n-1)
		d := y[i] - (sum-y[i])/(n-1)
		want += -d*d/(2*v) - 0.5*math.Log(2*math.Pi*v)
	}
	for name, f := range map[string]func([]*mat.Dense) (*diagnostics.Predictive,
		error){"loo": diagnostics.LeaveOneOut, "waic": diagnostics.WAIC} {
		p := must.Get(f(chains))(t)
		if math.Abs(p.ELPD-want) > 0.1 || math.Abs(p.Effective-1) > 0.5 || p.Beyond(0.7) > 0 ||
			math.Abs(floats.Sum(p.Each)-p.ELPD) > 1e-12 {
			t.Errorf(
				"%s: %v, %v parameters, want %v; %d bad shapes",
				name,
				p.ELPD,
				p.Effective,
				want,
				p.Beyond(0.7),
			)
		}
		if d, e := p.Less(p); d != 0 || e != 0 {
			t.Errorf("%s: differs from itself by %v ± %v", name, d, e)
		}
	}
	chains[1].Set(3, 5, math.NaN())
	if _, err := diagnostics.LeaveOneOut(chains); err == nil ||
		!strings.Contains(err.Error(), "value 5") {
		t.Errorf("%v, want an error of value 5", err)
	}
}

// Chains that agree are ok, those that do not are bad, and divergences are doubtful.
func ExampleSampling() {
	good := diagnostics.Summary{{Name: "mu", ScaleRatio: 1.001, Bulk: 2000, Tail: 1500}}
	bad := diagnostics.Summary{{Name: "mu", ScaleRatio: 1.8, Bulk: 5, Tail: 20}}
	fmt.Println(
		diagnostics.Worst(diagnostics.Sampling(good, nil, 0)),
		diagnostics.Worst(diagnostics.Sampling(good, nil, 3)),
	)
	fmt.Println(diagnostics.Warnings(diagnostics.Sampling(bad, nil, 0))[0])
	// Output:
	// ok doubtful
	// the chains disagree on mu (R̂ 1.800): run longer, or start them by Pathfinder
}
