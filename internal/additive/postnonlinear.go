package additive

import (
	"context"
	"math"
	"slices"

	"tobac/internal/parallel"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// PostNonlinear scores equations that are additive in a variable itself, or in its normal scores,
//
//	g(x_j) = b + Σ_i f_i(x_i) + e^λ u,
//
// the latter with the probability transformed: post-nonlinear equations (Zhang and Hyvärinen 2009),
// whose g is nearly the transform of the variable to the normal distribution. Under the second form
// log p(x_j | x_A) is that of x_j without parents, and what A adds to the score of the normal
// scores. Means and functions are those of the first form.
type PostNonlinear struct {
	*Scorer
	scores *Scorer // of the normal scores
}

// NewPostNonlinear joins the scores of columns with those of their normal scores.
func NewPostNonlinear(s *Scorer, normalScores, intervened mat.Matrix) (*PostNonlinear, error) {
	opt := s.opt
	opt.Modes = nil
	scores, err := New(normalScores, intervened, opt)
	return &PostNonlinear{s, scores}, err
}

// Sharing is as of [Scorer].
func (s *PostNonlinear) Sharing(kind int) *PostNonlinear {
	return &PostNonlinear{s.Scorer.Sharing(kind), s.scores.Sharing(kind)}
}

// Gain is the most that the second form has more evidence than the first, in nats, of an equation
// with one parent.
func (s *PostNonlinear) Gain(ctx context.Context, workers int) (float64, error) {
	d := s.Vars()
	gains := make([]float64, d)
	err := parallel.For(ctx, d, workers, func(j int) error {
		if s.plain(j) {
			return nil
		}
		for i := range d {
			if i != j && !s.plain(i) {
				first := s.Scorer.LogScore(j, []int{i}) - s.Scorer.LogScore(j, nil)
				second := s.scores.LogScore(j, []int{i}) - s.scores.LogScore(j, nil)
				gains[j] = math.Max(gains[j], second-first)
			}
		}
		return ctx.Err()
	})
	return slices.Max(gains), err
}

// Known implements what [Scorer.Known] does.
func (s *PostNonlinear) Known(j int, parents []int) bool {
	return s.Scorer.Known(j, parents) && s.scores.Known(j, parents)
}

// Refine fits both equations of a variable given its parents.
func (s *PostNonlinear) Refine(j int, parents []int) {
	s.Scorer.Refine(j, parents)
	s.scores.Refine(j, parents)
}

// transformed is the prior probability that an equation is additive in the normal scores. With
// few rows the transform explains some of any misfit, of equations with products for one.
const transformed = 0.05

// either is the score of both forms, from that of the first and what the parents add to the second.
func either(first, none, second float64) float64 {
	first += math.Log1p(-transformed)
	second += none + math.Log(transformed)
	high := math.Max(first, second)
	if math.IsInf(high, -1) {
		return high
	}
	return high + math.Log1p(math.Exp(-math.Abs(first-second)))
}

// LogScore implements [score.Scorer].
func (s *PostNonlinear) LogScore(j int, parents []int) float64 {
	if len(parents) == 0 || s.plain(j) {
		return s.Scorer.LogScore(j, parents)
	}
	return either(s.Scorer.LogScore(j, parents), s.Scorer.LogScore(j, nil),
		s.scores.LogScore(j, parents)-s.scores.LogScore(j, nil))
}

// LogScores implements [score.SubsetScorer].
func (s *PostNonlinear) LogScores(dst []float64, j int, candidates []int) {
	s.Scorer.LogScores(dst, j, candidates)
	if s.plain(j) {
		return
	}
	second := make([]float64, len(dst))
	s.scores.LogScores(second, j, candidates)
	for set := len(dst) - 1; set > 0; set-- {
		dst[set] = either(dst[set], dst[0], second[set]-second[0])
	}
}

// Residuals are those of the form that has more evidence.
func (s *PostNonlinear) Residuals(j int, parents []int) []float64 {
	first := s.Scorer.LogScore(j, parents) - s.Scorer.LogScore(j, nil)
	if s.scores.LogScore(j, parents)-s.scores.LogScore(j, nil) > first {
		return s.scores.Residuals(j, parents)
	}
	return s.Scorer.Residuals(j, parents)
}

var _ score.SubsetScorer = (*PostNonlinear)(nil)
