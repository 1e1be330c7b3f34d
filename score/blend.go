package score

import (
	"context"
	"math"
)

// A Blend scores with a power of each of two scorers,
//
//	score(A) = Weight·Form(A) + (1 − Weight)·Base(A):
//
// evidence that is trusted in part, as of a coarsened posterior (Miller and Dunson 2019), the
// rest being that of a simpler model. It is −∞ where either is.
type Blend struct {
	Form   Scorer
	Base   SubsetScorer
	Weight float64 // of Form, from 0 to 1
}

var _ SubsetScorer = (*Blend)(nil)

// Vars implements [Scorer].
func (b *Blend) Vars() int { return b.Form.Vars() }

// LogScore implements [Scorer].
func (b *Blend) LogScore(j int, parents []int) float64 {
	return b.of(b.Form.LogScore(j, parents), b.Base.LogScore(j, parents))
}

// LogScores implements [SubsetScorer].
func (b *Blend) LogScores(dst []float64, j int, candidates []int) {
	b.logScores(context.Background(), dst, j, candidates)
}

// logScores implements stoppable.
func (b *Blend) logScores(ctx context.Context, dst []float64, j int, candidates []int) {
	if LogScores(ctx, b.Form, dst, j, candidates) != nil {
		return // ctx is done, or a score is not finite, which the caller finds
	}
	base := make([]float64, len(dst))
	b.Base.LogScores(base, j, candidates)
	for set, v := range dst {
		dst[set] = b.of(v, base[set])
	}
}

// LogScoresToggled implements [ToggleScorer].
func (b *Blend) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	logScoresToggled(b.Form, dst, j, parents, variables)
	base := make([]float64, len(dst))
	logScoresToggled(b.Base, base, j, parents, variables)
	for k, v := range dst {
		dst[k] = b.of(v, base[k])
	}
}

func (b *Blend) of(form, base float64) float64 {
	if math.IsInf(form, -1) || math.IsInf(base, -1) {
		return math.Inf(-1)
	}
	return b.Weight*form + (1-b.Weight)*base
}
