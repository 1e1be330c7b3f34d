package problems_test

import (
	"testing"

	"tobac/internal/enginetest"
	"tobac/internal/problems"
	"tobac/sem"
)

// Of a model without node scores a single table of estimated evidences is summed over.
func TestSizeOfEstimated(t *testing.T) {
	p := enginetest.Chain()
	all := problems.Size(p)
	p.Model = sem.FeedForward{}
	if got := problems.Size(p); got.Models != 1 || all.Models < 2 {
		t.Errorf("%d models with node scores of a network, %d where the model is open; want 1 "+
			"and several", got.Models, all.Models)
	}
}
