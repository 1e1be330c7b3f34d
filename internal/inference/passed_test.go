package inference_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/enginetest"
	"tobac/internal/inference"
	"tobac/internal/must"
	"tobac/internal/problems"
	"tobac/score"
	"tobac/sem"
)

// A formed model is a linear one with more evidence, whose noise may depend on its causes.
type formed struct {
	sem.Scored
	data      *dataset.Table
	more      float64 // nats of each variable
	dependent bool
}

func (m formed) String() string {
	if m.dependent {
		return "dependent"
	}
	return "independent"
}

func (m formed) Traits() sem.Traits { return sem.Traits{Formed: true} }

func (m formed) Hypotheses(
	ctx context.Context, data *dataset.Table, prior *score.Prior, workers int,
) ([]sem.Hypothesis, error) {
	all, err := m.Scored.Hypotheses(ctx, data, prior, workers)
	for k, h := range all {
		all[k].Scores = formedScores{h.Scores.(linearScores), m}
	}
	return all, err
}

type linearScores interface {
	score.SubsetScorer
	score.Weighted
}

type formedScores struct {
	linearScores
	m formed
}

func (s formedScores) LogScore(j int, parents []int) float64 {
	return s.linearScores.LogScore(j, parents) + s.m.more
}

func (s formedScores) LogScores(dst []float64, j int, candidates []int) {
	s.linearScores.LogScores(dst, j, candidates)
	for k := range dst {
		dst[k] += s.m.more
	}
}

// Residuals of a dependent model are the first parent, and else random.
func (s formedScores) Residuals(j int, parents []int) []float64 {
	n, _ := s.m.data.X.Dims()
	r := make([]float64, n)
	rng := rand.New(rand.NewPCG(1, uint64(j)))
	for k := range r {
		if r[k] = rng.NormFloat64(); s.m.dependent {
			r[k] = s.m.data.X.At(k, parents[0])
		}
	}
	return r
}

// A model whose form the data refute is passed over with a warning that says why.
func TestPassedOver(t *testing.T) {
	p := enginetest.Chain()
	p.Report = func(engine.Progress) {}
	linear := problems.ScoredModels(p)[0]
	models := []sem.Scored{formed{linear, p.Data, 5, true}, formed{linear, p.Data, 0, false}}
	inf := must.Get(inference.Infer(t.Context(), p.Data, models, p, inference.TrustOf(p)))(t)
	if inf.Best.String() != "independent" || inf.Doubted {
		t.Errorf("took %v, doubted %v", inf.Best, inf.Doubted)
	}
	const want = "nats more evidence than independent, but there the noise of"
	if w := strings.Join(inf.Posterior.Warnings, "; "); !strings.Contains(w, want) {
		t.Errorf("warnings %q, want %q", w, want)
	}
}
