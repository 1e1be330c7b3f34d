package diagnostics_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/diagnostics"
)

func ExampleAbove() {
	c := diagnostics.Above("r_hat", 1.2, 1.1, 1.3, "the chains disagree")
	fmt.Println(c.Name, c.Verdict)
	fmt.Println(diagnostics.Worst([]diagnostics.Check{c,
		diagnostics.Below("ess", 12, 100, 25, "few samples")}))
	// Output:
	// r_hat doubtful
	// bad
}

// Thresholds belong to the better side; what is not known is doubtful; verdicts survive JSON.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		got  diagnostics.Check
		want diagnostics.Verdict
	}{
		{diagnostics.Above("", 1.1, 1.1, 1.3, ""), diagnostics.OK},
		{diagnostics.Above("", math.Inf(1), 1.1, 1.3, ""), diagnostics.Bad},
		{diagnostics.Below("", 100, 100, 25, ""), diagnostics.OK},
		{diagnostics.Below("", 99, 100, 25, ""), diagnostics.Doubtful},
		{diagnostics.Below("", math.NaN(), 100, 25, ""), diagnostics.Doubtful},
		{diagnostics.Above("", math.NaN(), 1, 2, ""), diagnostics.Doubtful},
	} {
		if c.got.Verdict != c.want {
			t.Errorf("%+v, want %v", c.got, c.want)
		}
	}
	for v := diagnostics.OK; v <= diagnostics.Bad; v++ {
		text, err := json.Marshal(v)
		var back diagnostics.Verdict
		if err != nil || json.Unmarshal(text, &back) != nil || back != v {
			t.Errorf("%v became %s, then %v: %v", v, text, back, err)
		}
	}
	if err := new(diagnostics.Verdict).UnmarshalText([]byte("fine")); err == nil {
		t.Error("an unknown verdict is accepted")
	}
}

// A trace that has levelled off has no trend, whatever its noise; one that still rises has.
func TestTrend(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	level, rise := make([]float64, 100), make([]float64, 100)
	for k := range level {
		level[k] = -1000*math.Exp(-float64(k)/8) + rng.NormFloat64()
		rise[k] = float64(k) + rng.NormFloat64()
	}
	if v := diagnostics.Trend(level); v > 0.01 {
		t.Errorf("trend %v of a level trace", v)
	}
	if v := diagnostics.Trend(rise); !(v > 0.25 && v < 0.4) {
		t.Errorf("trend %v of a straight line, want a third", v)
	}
	// Quarters of the means 0, 5, 8 and 9, and the values m ± 1: the noise is √((4/3 + 4/3)/4), of
	// which twice is taken off the change of 1; and of 4.
	for last, want := range map[float64]float64{9: 0, 12: (4 - 2*math.Sqrt(2./3)) / 12,
		1: (7 - 2*math.Sqrt(2./3)) / 1} {
		var trace []float64
		for _, m := range []float64{0, 5, 8, last} {
			trace = append(trace, m-1, m+1, m+1, m-1)
		}
		if v := diagnostics.Trend(trace); !(math.Abs(v-want) <= 1e-12) {
			t.Errorf("trend %v to %v, want %v", v, last, want)
		}
	}
	if v := diagnostics.Trend(make([]float64, 40)); v != 0 {
		t.Errorf("trend %v of zeros", v)
	}
	if v := diagnostics.Trend(rise[:7]); !math.IsNaN(v) {
		t.Errorf("trend %v of seven points", v)
	}
}
