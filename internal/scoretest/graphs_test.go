package scoretest_test

import (
	"testing"

	"tobac/internal/scoretest"
)

// The numbers of labelled acyclic graphs (OEIS A003024).
func TestGraphs(t *testing.T) {
	for d, want := range []int{1, 1, 3, 25, 543, 29281} {
		if got := len(scoretest.Graphs(d)); got != want {
			t.Errorf("%d graphs on %d variables, want %d", got, d, want)
		}
	}
}
