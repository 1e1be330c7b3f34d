package score

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/scoring"
)

// NewFunc is the scorer of d variables whose LogScore is f: the simplest way to use custom scores.
// f must be safe for concurrent use, must neither keep nor change parents, and must return the same
// number for the same arguments. [Check] finds many mistakes.
func NewFunc(d int, f func(j int, parents []int) float64) Scorer { return function{d, f} }

// function is the scorer of [NewFunc].
type function struct {
	vars  int
	score func(j int, parents []int) float64
}

// Vars implements [Scorer].
func (f function) Vars() int { return f.vars }

// LogScore implements [Scorer].
func (f function) LogScore(j int, parents []int) float64 { return f.score(j, parents) }

// checkCandidates is the number of candidates of which Check tries all subsets.
const checkCandidates = 6

// Check tries a scorer on all sets of a few candidates of every variable, and
// returns an error that names the first of these faults: a score that is NaN or
// +Inf, or −Inf without parents; two calls with different results; parents that
// LogScore changed; for a [SubsetScorer], scores that differ from LogScore by more than
// 1e-8 of their size (1 if that is less); for a [Weighted], an equation that is not finite or has
// the wrong number of weights.
func Check(ctx context.Context, s Scorer) error {
	d := s.Vars()
	if d < 1 {
		return fmt.Errorf("score: %d variables, want at least 1", d)
	}
	for j := range d {
		// Candidates are spread over all variables: j+1, j+2, … cyclically.
		var candidates []int
		for k := 1; k < d && len(candidates) < checkCandidates; k++ {
			candidates = append(candidates, (j+k)%d)
		}
		slices.Sort(candidates)
		table := make([]float64, 1<<len(candidates))
		if err := LogScores(ctx, s, table, j, candidates); err != nil {
			return err
		}
		for set, got := range table {
			if err := checkSet(s, j, scoring.Subset(nil, candidates, set), got); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSet checks one set of parents, whose entry in a table of subsets is got.
func checkSet(s Scorer, j int, parents []int, got float64) error {
	original := slices.Clone(parents)
	v, again := s.LogScore(j, parents), s.LogScore(j, parents)
	switch {
	case !slices.Equal(parents, original):
		return fmt.Errorf("score: LogScore changed the parents %v of variable %d to %v", original,
			j, parents)
	case !scoring.Possible(v) || len(parents) == 0 && math.IsInf(v, -1):
		return fmt.Errorf("score: variable %d given %v has the log score %v, want a finite number",
			j, parents, v)
	case v != again:
		return fmt.Errorf("score: variable %d given %v has the log scores %v and %v in two calls",
			j, parents, v, again)
	case v != got && !(math.Abs(v-got) <= 1e-8*max(1, math.Abs(v))):
		return fmt.Errorf("score: variable %d given %v has the log score %v, and %v among all "+
			"subsets", j, parents, v, got)
	}
	w, ok := s.(Weighted)
	if !ok || math.IsInf(v, -1) {
		return nil
	}
	e := w.Equation(j, parents)
	if len(e.Mean) != len(parents) || len(parents) > 0 &&
		(e.Cov == nil || e.Cov.SymmetricDim() != len(parents)) {
		return fmt.Errorf("score: equation of variable %d given %v has %d weights", j, parents,
			len(e.Mean))
	}
	for _, x := range append(slices.Clone(e.Mean), e.Intercept, e.NoiseVariance) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("score: equation of variable %d given %v has the value %v, want "+
				"finite numbers", j, parents, x)
		}
	}
	return nil
}
