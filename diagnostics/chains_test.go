package diagnostics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/diagnostics"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// autoregressive are chains of normal draws with a correlation from one to the next; the mean and
// the spread of chain k are shift·k and 1 + grow·k.
func autoregressive(seed uint64, phi, shift, grow float64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([][]float64, 4)
	for k := range out {
		x := rng.NormFloat64()
		for range 2001 { // odd
			out[k] = append(out[k], shift*float64(k)+(1+grow*float64(k))*x)
			x = phi*x + math.Sqrt(1-phi*phi)*rng.NormFloat64()
		}
	}
	return out
}

// Effective numbers of draws are n(1−φ)/(1+φ), more than n for φ < 0; the standard error of an
// estimate from 8000 draws is about 5 %.
func TestEffectiveSize(t *testing.T) {
	for _, phi := range []float64{-0.5, 0, 0.5, 0.9} {
		chains := autoregressive(3, phi, 0, 0)
		want := 8004 * (1 - phi) / (1 + phi)
		if got := diagnostics.BulkSize(chains); math.Abs(got/want-1) > 0.2 {
			t.Errorf("φ = %v: bulk %.0f, want %.0f", phi, got, want)
		}
		if got, want := diagnostics.MeanError(chains),
			1/math.Sqrt(want); math.Abs(got/want-1) > 0.12 {
			t.Errorf("φ = %v: error of the mean %.4f, want %.4f", phi, got, want)
		}
		if got := diagnostics.PotentialScaleReduction(chains); !(got > 0.99 && got < 1.01) {
			t.Errorf("φ = %v: R̂ %v", phi, got)
		}
		if tail := diagnostics.TailSize(chains); !(tail > 0.4*math.Min(want, 8004) &&
			tail < 1.5*8004) {
			t.Errorf("φ = %v: tail %.0f of %.0f", phi, tail, want)
		}
	}
}

// Chains that differ in place or in spread are told apart; ranks do not see a monotone function;
// what cannot be told is NaN.
func TestDisagreement(t *testing.T) {
	for _, chains := range [][][]float64{autoregressive(4, 0, 0.3, 0),
		autoregressive(5, 0, 0, 0.3)} {
		if got := diagnostics.PotentialScaleReduction(chains); got < 1.03 {
			t.Errorf("R̂ %v of chains that differ", got)
		}
	}
	chains, cubed := autoregressive(6, 0.5, 0.1, 0), autoregressive(6, 0.5, 0.1, 0)
	for _, c := range cubed {
		for i, v := range c {
			c[i] = math.Exp(3 * v)
		}
	}
	if a, b := diagnostics.BulkSize(chains), diagnostics.BulkSize(cubed); a != b {
		t.Errorf("bulk %v, of exponentials %v", a, b)
	}
	drift := [][]float64{make([]float64, 100)}
	for i := range drift[0] {
		drift[0][i] = float64(i)
	}
	if got := diagnostics.PotentialScaleReduction(drift); got < 1.5 {
		t.Errorf("R̂ %v of one chain that drifts", got)
	}
	for _, none := range [][][]float64{nil, {{1, 2, 3}}, {{1, 1, 1, 1}}, {{1, 2, 3, math.NaN()}},
		{{1, 2, 3, 4}, {1, 2, 3, 4, 5}}} {
		if r, b, tail := diagnostics.PotentialScaleReduction(none), diagnostics.BulkSize(none),
			diagnostics.TailSize(none); !math.IsNaN(r) || !math.IsNaN(b) || !math.IsNaN(tail) {
			t.Errorf("%v: R̂ %v, bulk %v, tail %v, want NaN", none, r, b, tail)
		}
	}
}

// Independent energies have the fraction 2, a walk a small one.
func TestEnergyFraction(t *testing.T) {
	free := autoregressive(7, 0, 0, 0)[0]
	if got := diagnostics.EnergyFraction(free); math.Abs(got-2) > 0.15 {
		t.Errorf("%v, want 2", got)
	}
	if got := diagnostics.EnergyFraction(autoregressive(7, 0.95, 0, 0)[0]); got > 0.2 {
		t.Errorf("%v of a walk, want 0.1", got)
	}
	if got := diagnostics.EnergyFraction([]float64{1, 2, 1, 2}); got != 3 {
		t.Errorf("%v, want 3", got)
	}
	if !math.IsNaN(diagnostics.EnergyFraction(nil)) {
		t.Error("a fraction of nothing")
	}
}

func ExampleSummarise() {
	chain := func(offset float64) *mat.Dense {
		x := mat.NewDense(1000, 1, nil)
		for i := range 1000 {
			// spread evenly over 0 to 1
			x.Set(i, 0, math.Mod(offset+float64(i)*(math.Sqrt(5)-1)/2, 1))
		}
		return x
	}
	s, err := diagnostics.Summarise([]string{"u"}, []*mat.Dense{chain(0.1), chain(0.6)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %.2f ± %.2f, 5%% to 95%%: %.2f to %.2f, R̂ %.1f\n", s[0].Name, s[0].Mean,
		s[0].SD, s[0].Q05, s[0].Q95, s[0].ScaleRatio)
	// Output: u 0.50 ± 0.29, 5% to 95%: 0.05 to 0.95, R̂ 1.0
}

// Draws of a standard normal distribution, weighted as one with the mean 0.5 and the variance 1,
// or the standard deviation 0.7: the mean is off by −0.5, the standard deviation by 1/0.7 − 1.
func TestApproximation(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(4, 4))
	x, shifted, narrow := mat.NewDense(n, 2, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		z := rng.NormFloat64()
		x.SetRow(i, []float64{3, 2 * z})
		shifted[i], narrow[i] = 0.5*z-0.125, z*z/2*(1-1/0.49)-math.Log(0.7)
	}
	for _, c := range []struct {
		logs []float64
		k    float64
		want string
	}{
		{make([]float64, n), math.Inf(-1), ""},
		{shifted, 0.1, "the mean of b off by -0.5 standard deviations"},
		{narrow, -1, "the standard deviation of b off by +4"},
		{make([]float64, n), 0.8, "far from its approximation (k 0.80)"},
	} {
		floats.AddConst(-floats.LogSumExp(c.logs), c.logs)
		got := strings.Join(
			diagnostics.Warnings(diagnostics.Approximation([]string{"a", "b"}, x, c.logs, c.k)),
			"; ")
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := diagnostics.Warnings(diagnostics.Weights(0.3, 40)); len(got) != 1 ||
		!strings.Contains(got[0], "few draws of the approximation count (40)") {
		t.Error(got)
	}
}

// Draws without a bound, as of an improper posterior, are told.
func TestUnbounded(t *testing.T) {
	s := diagnostics.Summary{{Name: "a", Q95: 3, ScaleRatio: 1, Bulk: 900, Tail: 900},
		{Name: "b", Q95: math.Inf(1), ScaleRatio: 1, Bulk: 900, Tail: 900}}
	if got := diagnostics.Warnings(diagnostics.Sampling(s, nil, 0)); len(got) != 1 ||
		!strings.Contains(got[0], "draws of b are as large as +Inf") {
		t.Error(got)
	}
}
