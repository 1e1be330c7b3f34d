package score_test

import (
	"math"
	"slices"
	"testing"

	"tobac/score"
)

// Odds multiply the odds of one edge given all others, and nothing else; what is certain
// stays so.
func TestMultiplyOdds(t *testing.T) {
	const d, factor = 4, 2.5
	p := score.Fair(d)
	p.Forbid(3, 1)
	p.Require(2, 1)
	before := p.Clone()
	p.MultiplyOdds(0, 1, factor)
	p.MultiplyOdds(3, 1, factor)
	p.MultiplyOdds(2, 1, factor)
	everySet(d, func(j int, a []int) {
		got, want := p.LogPrior(j, a), before.LogPrior(j, a)
		if j == 1 && slices.Contains(a, 0) {
			want += math.Log(factor)
		}
		if j == 1 && slices.Contains(a, 2) {
			want += math.Log(factor) // of every possible set alike
		}
		if got != want && !near(got, want, 1e-13) {
			t.Errorf("ln ρ(%d|%v): got %v, want %v", j, a, got, want)
		}
	})
	if !p.Forbidden(3, 1) || !p.Required(2, 1) {
		t.Error("odds change what is certain")
	}
	for _, bad := range []func(){
		func() { p.MultiplyOdds(1, 1, 2) }, func() { p.MultiplyOdds(0, 1, 0) },
		func() { p.MultiplyOdds(0, 1, -1) },
		func() { p.MultiplyOdds(0, 1, math.Inf(1)) }, func() { p.MultiplyOdds(0, 1, math.NaN()) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			bad()
		}()
	}
}
