package score

import (
	"context"
	"fmt"

	"tobac/internal/scoring"
)

// A Scorer scores the parents of one variable at a time. Its methods are safe
// for concurrent use.
type Scorer interface {
	// Vars is the number of variables d.
	Vars() int
	// LogScore is log p(x_j | x_A), the log marginal likelihood of variable j given
	// its parents A, which are distinct and in ascending sequence, without j. It
	// is finite, or −Inf where the model does not have these parents (more than it
	// allows), and never NaN. It neither keeps nor changes parents.
	LogScore(j int, parents []int) float64
}

// A SubsetScorer is a [Scorer] that scores all subsets of some candidates
// faster than one by one.
type SubsetScorer interface {
	Scorer
	// LogScores writes log p(x_j | x_A) for every subset A of the candidates, which
	// are distinct and in ascending sequence, without j. Bit k of an index of dst says whether
	// candidates[k] is in A; dst has 2^len(candidates) elements.
	LogScores(dst []float64, j int, candidates []int)
}

// A Weighted is a [Scorer] whose structural equations are linear.
type Weighted interface {
	Scorer
	// Equation is the posterior of the structural equation of variable j given
	// its parents, in the units of the data.
	Equation(j int, parents []int) Equation
}

// A Conjugate score has a conjugate prior on linear equations: a [BGe] or a [Linear].
type Conjugate interface {
	SubsetScorer
	Weighted
}

// A BGe is a score of [NewBGe].
type BGe interface {
	Conjugate
	// WithAlphaLambda is the score with other degrees of freedom of the prior for the same data,
	// whose moments it shares. It panics unless they exceed d+1.
	WithAlphaLambda(alphaLambda float64) BGe
}

// A Linear is a score of [NewLinear].
type Linear interface {
	Conjugate
	// WithNoiseVariance is the model with another noise variance for the same data, whose moments
	// it shares. A variance that is not finite and positive is an error.
	WithNoiseVariance(variance float64) (Linear, error)
	// WithEdgeVariance is the model with another prior variance of the weights for the same data.
	// It panics unless the variance is finite and positive.
	WithEdgeVariance(variance float64) Linear
	// NoiseGrid is a grid of so many points around the noise variance, with the prior of the
	// package comment: ln σ² ~ N(−2 + mean_j ln var(x_j), 2²).
	NoiseGrid(points int) NoiseGrid
}

// LogScores writes log p(x_j | x_A) for every subset A of the candidates, as
// [SubsetScorer] says, whether or not s is one. It stops when ctx is done, and
// returns its error; a log score that is NaN or +Inf is an error too. It panics if there are
// too many candidates or dst has not 2^len(candidates) elements.
func LogScores(ctx context.Context, s Scorer, dst []float64, j int, candidates []int) error {
	scoring.CheckRoom(dst, candidates)
	if err := ctx.Err(); err != nil {
		return err
	}
	switch t := s.(type) {
	case stoppable:
		t.LogScoresUntil(ctx, dst, j, candidates)
		return ctx.Err()
	case SubsetScorer:
		t.LogScores(dst, j, candidates)
		return ctx.Err()
	}
	parents := make([]int, 0, len(candidates))
	for set := range dst {
		if set%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		parents = scoring.Subset(parents[:0], candidates, set)
		dst[set] = s.LogScore(j, parents)
		if !scoring.Possible(dst[set]) {
			return notFinite(j, parents, dst[set], "a finite number or -Inf")
		}
	}
	return nil
}

// A stoppable is a SubsetScorer whose scores take long enough to be interrupted:
// when ctx is done it returns early, with scores missing.
type stoppable interface {
	LogScoresUntil(ctx context.Context, dst []float64, j int, candidates []int)
}

// A VariableError says about which variable a fault of its log scores is.
type VariableError struct {
	Variable int   // index, from 0
	Parents  []int // of the set at fault; nil means not of one set
	Err      error
}

// Error names the columns by their numbers, counted from 1.
func (e *VariableError) Error() string {
	text := fmt.Sprintf("score: column %d", e.Variable+1)
	if e.Parents != nil {
		given := make([]int, len(e.Parents))
		for k, j := range e.Parents {
			given[k] = j + 1
		}
		text += fmt.Sprintf(" given %v", given)
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

// Unwrap returns the reason.
func (e *VariableError) Unwrap() error { return e.Err }

// notFinite is the error of a log score that is no finite number.
func notFinite(j int, parents []int, v float64, want string) error {
	return &VariableError{j, append([]int{}, parents...),
		fmt.Errorf("log score is %v, want %s", v, want)}
}
