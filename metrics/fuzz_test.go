package metrics_test

import (
	"encoding/json"
	"math"
	"testing"

	"tobac/metrics"
)

// FuzzNumber: what the decoder of the standard library takes for a float64, and null, is read,
// everything else is not, and what is read is written as the same number.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"null", "0", "-1.5e-300", "1e400", "\"1\"", "NaN", "", " 2 ",
		"[1]", "-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got metrics.Number
		var want *float64
		err, wanted := json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &want)
		if (err == nil) != (wanted == nil) {
			t.Fatalf("%q: error %v, for a float64 %v", text, err, wanted)
		}
		if err != nil {
			return
		}
		if v := float64(got); want == nil && !math.IsNaN(v) || want != nil &&
			math.Float64bits(v) != math.Float64bits(*want) {
			t.Fatalf("%q is read as %v", text, v)
		}
		written, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var again metrics.Number
		if err := json.Unmarshal(written, &again); err != nil ||
			math.Float64bits(float64(again)) != math.Float64bits(float64(got)) {
			t.Fatalf("%v written as %s is read as %v, error %v", got, written, again, err)
		}
	})
}
