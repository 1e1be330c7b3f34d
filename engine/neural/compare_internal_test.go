package neural

import (
	"math"
	"testing"

	"tobac/sem"
)

// Networks are compared with noise of any shape where curves with normal noise are not far behind,
// and not where these were left out or are far.
func TestNearNormal(t *testing.T) {
	additive := sem.Evidence{Model: sem.Additive{}.String(), Log: -100}
	for _, c := range []struct {
		other sem.Evidence
		want  bool
	}{
		{sem.Evidence{Model: sem.GaussianProcess{}.String(), Log: -110}, true},
		{sem.Evidence{Model: sem.Smooth{}.String(), Log: -120}, true},
		{sem.Evidence{Model: sem.GaussianProcess{}.String(), Log: -121}, false},
		{sem.Evidence{Model: sem.GaussianProcess{}.String(), Log: math.NaN()}, false},
		{sem.Evidence{Model: sem.Linear{}.String(), Log: -101}, false},
	} {
		if got := nearNormal([]sem.Evidence{additive, c.other}, -120); got != c.want {
			t.Errorf("%s with %v: %v, want %v", c.other.Model, c.other.Log, got, c.want)
		}
	}
}
