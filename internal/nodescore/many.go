package nodescore

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/scoring"
	"tobac/score"
)

// A ToggleScorer is a [score.Scorer] that scores all sets of parents that differ in one parent from
// a set faster than one by one.
type ToggleScorer interface {
	score.Scorer
	// LogScoresToggled writes to dst[k] the log score of variable j given the parents without
	// variables[k] if it is one of them, and with it if not. Parents and variables are
	// ascending, without j; dst has as many elements as variables.
	LogScoresToggled(dst []float64, j int, parents, variables []int)
}

// LogScoresToggled writes the log scores of the neighbours of a set of parents, as
// [ToggleScorer] says, whether or not s is one.
func LogScoresToggled(s score.Scorer, dst []float64, j int, parents, variables []int) {
	if t, ok := s.(ToggleScorer); ok {
		t.LogScoresToggled(dst, j, parents, variables)
		return
	}
	var room [32]int
	for k, i := range variables {
		dst[k] = s.LogScore(j, scoring.Toggle(room[:0], parents, i))
	}
}

// LogWeight is the log score of a set of parents with the logarithm of its prior: −Inf where the
// prior does not allow it, which is then not scored.
func LogWeight(s score.Scorer, p *score.Prior, j int, parents []int) float64 {
	prior := p.LogPrior(j, parents)
	if math.IsInf(prior, -1) {
		return prior
	}
	return prior + s.LogScore(j, parents)
}

// LogWeightsToggled is LogScoresToggled with the logarithms of the prior added: −Inf where it
// does not allow a set, which is then not scored unless s is a [ToggleScorer].
func LogWeightsToggled(s score.Scorer, p *score.Prior, dst []float64, j int,
	parents, variables []int) {
	if t, ok := s.(ToggleScorer); ok {
		t.LogScoresToggled(dst, j, parents, variables)
		p.AddToToggled(dst, j, parents, variables)
		return
	}
	var room [32]int
	for k, i := range variables {
		dst[k] = LogWeight(s, p, j, scoring.Toggle(room[:0], parents, i))
	}
}

// A NearScorer is a [ToggleScorer] that goes on from one set of parents of a variable to the next.
type NearScorer interface {
	ToggleScorer
	// Neighbours is LogScoresToggled of one variable, for sets that come one after the other. All
	// parents and variables are among the candidates, ascending. Rounding depends on the sets
	// before, by less than [NearSlack]. The function belongs to one goroutine.
	Neighbours(j int, candidates []int) func(dst []float64, parents, variables []int)
}

// Near reports whether a [NearScorer] is worth it: for sets of manyParents.
func Near(s score.Scorer, parents []int) bool {
	_, near := s.(NearScorer)
	return near && len(parents) >= manyParents
}

const manyParents = 12

// NearSlack is more than what rounding makes of scores of a [NearScorer].
const NearSlack = 1e-4

// A GivenScorer is a [score.SubsetScorer] that scores the subsets beside some given
// parents faster than all subsets of both.
type GivenScorer interface {
	score.SubsetScorer
	// LogScoresGiven writes log p(x_j | x_A, x_given) for every subset A of the candidates,
	// numbered as in LogScores. Candidates and given parents are distinct, each in
	// ascending sequence, without j.
	LogScoresGiven(dst []float64, j int, candidates, given []int)
}

// LogScoresGiven writes log p(x_j | x_A, x_given) for every subset A of the
// candidates, as [GivenScorer] says, whether or not s is one. It stops when ctx is
// done, and returns its error. It panics if dst has not 2^len(candidates) elements.
func LogScoresGiven(ctx context.Context, s score.Scorer, dst []float64, j int,
	candidates, given []int) error {
	if len(given) == 0 {
		return score.LogScores(ctx, s, dst, j, candidates)
	}
	scoring.CheckRoom(dst, candidates)
	if err := ctx.Err(); err != nil {
		return err
	}
	if t, ok := s.(GivenScorer); ok {
		t.LogScoresGiven(dst, j, candidates, given)
		return ctx.Err()
	}
	var parents, all []int
	for set := range dst {
		if set%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		parents = scoring.Subset(parents[:0], candidates, set)
		all = append(append(all[:0], parents...), given...)
		slices.Sort(all)
		dst[set] = s.LogScore(j, all)
		if !scoring.Possible(dst[set]) {
			return &score.VariableError{Variable: j, Parents: slices.Clone(all),
				Err: fmt.Errorf("log score is %v, want a finite number or -Inf", dst[set])}
		}
	}
	return nil
}
