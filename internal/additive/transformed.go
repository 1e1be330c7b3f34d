package additive

import (
	"context"
	"math"
	"slices"

	"tobac/internal/parallel"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Transformed scores equations of which each is additive in the columns, in the logarithms of those
// above 0, or in their normal scores,
//
//	g(x_j) = b + Σ_i f_i(x_i) + e^λ u,
//
// with the probability transformed. Those in logarithms are products of functions. Those in normal
// scores are post-nonlinear equations (Zhang and Hyvärinen 2009), whose g is nearly the transform
// of the variable to the normal distribution: under them log p(x_j | x_A) is that of x_j without
// parents, and what A adds to the score of the normal scores. Sums of transformed columns have no
// products. Means and functions are those of the columns.
type Transformed struct {
	*Scorer
	others []transform
}

// A transform is a scorer of transformed columns.
type transform struct {
	*Scorer
	prior    float64   // probability of an equation of its columns
	jacobian []float64 // Σ ln g'(x) by variable, NaN: not transformed; nil: what makes it cancel
}

// Prior probabilities. With few rows a transform that is not known explains some of any misfit.
const (
	inLogarithms   = 0.2
	inNormalScores = 0.05
)

// NewTransformed begins with the scores of columns.
func NewTransformed(s *Scorer) *Transformed { return &Transformed{Scorer: s} }

// NormalScores joins the scores of the normal scores of the columns.
func (s *Transformed) NormalScores(scores, intervened mat.Matrix) (*Transformed, error) {
	return s.join(scores, scores, intervened, transform{prior: inNormalScores})
}

// Logarithms joins the scores of columns of which some are replaced by their logarithms, those
// whose sums over the rows of the logarithm of its derivative are not NaN. causes is as of
// [Options].
func (s *Transformed) Logarithms(logs, causes, intervened mat.Matrix, jacobian []float64) (
	*Transformed, error) {
	return s.join(logs, causes, intervened, transform{prior: inLogarithms, jacobian: jacobian})
}

func (s *Transformed) join(x, causes, intervened mat.Matrix, t transform) (*Transformed, error) {
	opt := s.opt
	opt.Modes, opt.Causes, opt.Sums = nil, causes, true
	var err error
	t.Scorer, err = New(x, intervened, opt)
	return &Transformed{s.Scorer, append(s.others[:len(s.others):len(s.others)], t)}, err
}

// Sharing is as of [Scorer].
func (s *Transformed) Sharing(kind int) *Transformed {
	out := NewTransformed(s.Scorer.Sharing(kind))
	for _, t := range s.others {
		t.Scorer = t.Scorer.Sharing(kind)
		out.others = append(out.others, t)
	}
	return out
}

// Plain reports whether no scores were joined.
func (s *Transformed) Plain() bool { return len(s.others) == 0 }

// InNormalScores reports whether equations may be additive in normal scores.
func (s *Transformed) InNormalScores() bool {
	return slices.ContainsFunc(s.others, func(t transform) bool { return t.jacobian == nil })
}

// Gain is the most that the last transform has more evidence than the columns, in nats, of an
// equation with at most one parent.
func (s *Transformed) Gain(ctx context.Context, workers int) (float64, error) {
	t := &s.others[len(s.others)-1]
	gains := make([]float64, s.Vars())
	err := parallel.For(ctx, len(gains), workers, func(j int) error {
		if !s.applies(t, j) {
			return nil
		}
		offset := s.offset(t, j)
		for i := range gains {
			parents := []int{i}
			if i == j {
				parents = nil
			} else if s.plain(i) {
				continue
			}
			gains[j] = math.Max(gains[j],
				offset+t.LogScore(j, parents)-s.Scorer.LogScore(j, parents))
		}
		return ctx.Err()
	})
	return floats.Max(gains), err
}

// applies reports whether an equation of variable j may be one of the transformed columns.
func (s *Transformed) applies(t *transform, j int) bool {
	return !s.plain(j) && len(s.child[j].y) > 0 && (t.jacobian == nil || !math.IsNaN(t.jacobian[j]))
}

// offset is what makes a score of transformed columns that of the columns.
func (s *Transformed) offset(t *transform, j int) float64 {
	if t.jacobian != nil {
		return t.jacobian[j]
	}
	return s.Scorer.LogScore(j, nil) - t.LogScore(j, nil)
}

// Known implements what [Scorer.Known] does.
func (s *Transformed) Known(j int, parents []int) bool {
	for k := range s.others {
		if s.applies(&s.others[k], j) && !s.others[k].Known(j, parents) {
			return false
		}
	}
	return s.Scorer.Known(j, parents)
}

// Refine fits all equations of a variable given its parents.
func (s *Transformed) Refine(j int, parents []int) {
	s.Scorer.Refine(j, parents)
	for k := range s.others {
		if s.applies(&s.others[k], j) {
			s.others[k].Refine(j, parents)
		}
	}
}

// LogScore implements [score.Scorer].
func (s *Transformed) LogScore(j int, parents []int) float64 {
	sum := []float64{s.Scorer.LogScore(j, parents)}
	rest := 1.0
	for k := range s.others {
		if t := &s.others[k]; s.applies(t, j) {
			rest -= t.prior
			sum = append(sum, math.Log(t.prior)+s.offset(t, j)+t.LogScore(j, parents))
		}
	}
	sum[0] += math.Log(rest)
	return floats.LogSumExp(sum)
}

// LogScores implements [score.SubsetScorer].
func (s *Transformed) LogScores(dst []float64, j int, candidates []int) {
	s.Scorer.LogScores(dst, j, candidates)
	rest := 1.0
	for k := range s.others {
		if s.applies(&s.others[k], j) {
			rest -= s.others[k].prior
		}
	}
	floats.AddConst(math.Log(rest), dst)
	other := make([]float64, len(dst))
	for k := range s.others {
		t := &s.others[k]
		if !s.applies(t, j) {
			continue
		}
		t.LogScores(other, j, candidates)
		floats.AddConst(math.Log(t.prior)+s.offset(t, j), other)
		for set, v := range other {
			dst[set] = floats.LogSumExp([]float64{dst[set], v})
		}
	}
}

// Residuals are those of the equation that has the most evidence.
func (s *Transformed) Residuals(j int, parents []int) []float64 {
	best, most := s.Scorer, s.Scorer.LogScore(j, parents)
	for k := range s.others {
		if t := &s.others[k]; s.applies(t, j) {
			if v := s.offset(t, j) + t.LogScore(j, parents); v > most {
				best, most = t.Scorer, v
			}
		}
	}
	return best.Residuals(j, parents)
}

var _ score.SubsetScorer = (*Transformed)(nil)
