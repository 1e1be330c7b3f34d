package nodescore

import (
	"context"
	"math"

	"tobac/score"
)

// A Blend scores with a power of each of two scorers,
//
//	score(A) = Weight·Form(A) + (1 − Weight)·Base(A):
//
// evidence that is trusted in part, as of a coarsened posterior (Miller and Dunson 2019), the
// rest being that of a simpler model. It is −∞ where either is.
type Blend struct {
	Form   score.Scorer
	Base   score.SubsetScorer
	Weight float64 // of Form, from 0 to 1
}

var _ GivenScorer = (*Blend)(nil)

// Vars implements [score.Scorer].
func (b *Blend) Vars() int { return b.Form.Vars() }

// LogScore implements [score.Scorer].
func (b *Blend) LogScore(j int, parents []int) float64 {
	return b.of(b.Form.LogScore(j, parents), b.Base.LogScore(j, parents))
}

// LogScores implements [score.SubsetScorer].
func (b *Blend) LogScores(dst []float64, j int, candidates []int) {
	b.LogScoresUntil(context.Background(), dst, j, candidates)
}

// LogScoresUntil implements what score.LogScores can stop.
func (b *Blend) LogScoresUntil(ctx context.Context, dst []float64, j int, candidates []int) {
	if score.LogScores(ctx, b.Form, dst, j, candidates) != nil {
		return // ctx is done, or a score is not finite, which the caller finds
	}
	base := make([]float64, len(dst))
	b.Base.LogScores(base, j, candidates)
	for set, v := range dst {
		dst[set] = b.of(v, base[set])
	}
}

// LogScoresGiven implements [GivenScorer].
func (b *Blend) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	ctx := context.Background()
	if LogScoresGiven(ctx, b.Form, dst, j, candidates, given) != nil {
		return // a score is not finite, which the caller finds
	}
	base := make([]float64, len(dst))
	if err := LogScoresGiven(ctx, b.Base, base, j, candidates, given); err != nil {
		copy(dst, base) // the caller finds it
		return
	}
	for set, v := range dst {
		dst[set] = b.of(v, base[set])
	}
}

// LogScoresToggled implements [ToggleScorer].
func (b *Blend) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	LogScoresToggled(b.Form, dst, j, parents, variables)
	base := make([]float64, len(dst))
	LogScoresToggled(b.Base, base, j, parents, variables)
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
