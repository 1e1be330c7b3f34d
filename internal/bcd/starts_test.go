package bcd_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"tobac/internal/bcd"
	"tobac/internal/must"
)

// The first start is the fit of a single start with its steps, bit for bit; every start begins
// elsewhere; and what is left at the end are the parameters of the start with the highest ELBO.
func TestStarts(t *testing.T) {
	x := simulated(t, 4, 4, 1).Train.X
	// ends after 10, 20 and 31 steps
	s := bcd.Settings{Steps: 31, Starts: 3, Batch: 5, TraceEvery: 7}
	single := s
	single.Steps, single.Starts = 10, 1
	m := fit(t, x, s, 2, 10)
	first := fit(t, x, single, 2, 10).State().Parameters
	if !reflect.DeepEqual(m.State().Best, first) {
		t.Error("the first start is not the fit of a single one")
	}
	if reflect.DeepEqual(m.State().Parameters, fit(t, x, s, 2, 0).State().Parameters) {
		t.Error("the second start begins where the first did")
	}
	finished := [][]float64{first} // parameters of the best start so far
	for _, to := range []int{20, 31} {
		must.Do(t, m.Advance(context.Background(), to))
		state := m.State()
		if best := state.Best; to < 31 {
			finished = append(finished, best)
		} else {
			finished = append(finished, state.Parameters)
		}
	}
	elbos := m.ELBOs()
	if len(elbos) != 3 {
		t.Fatalf("ELBOs %v, want three", elbos)
	}
	if slices.Min(elbos) == -math.MaxFloat64 {
		t.Errorf("ELBOs %v: a start has none", elbos)
	}
	for k := 1; k < 3; k++ {
		better := elbos[k] > slices.Max(elbos[:k])
		if kept := reflect.DeepEqual(finished[k], finished[k-1]); kept == better {
			t.Errorf("start %d of ELBOs %v: the best before was kept: %v", k+1, elbos, kept)
		}
	}
}
