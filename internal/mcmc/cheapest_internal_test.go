package mcmc

import "testing"

// The least candidates go while all variables outside are worth more together, down to the least
// number; what is worth more stays.
func TestCheapest(t *testing.T) {
	value := []float64{0.9, 0.8, 0.7, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02}
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct{ most, least, want int }{
		{6, 2, 3}, // .06 are outside, and .02 is the least candidate
		{6, 5, 5},
		{9, 2, 9}, // nothing is outside
		{2, 3, 2},
	} {
		if got := cheapest(value, list, c.most, c.least); got != c.want {
			t.Errorf("of %d to %d candidates %d, want %d", c.least, c.most, got, c.want)
		}
	}
}
