package sem_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/must"
	"tobac/score"
	"tobac/sem"
)

// drawKind draws a value of a kind with a linear predictor, and its effect on others.
func drawKind(kind dataset.Variable, eta float64, rng *rand.Rand) (value, effect float64) {
	noisy := eta + 0.6*rng.NormFloat64()
	switch {
	case kind.Kind == dataset.Categorical: // the level of the greatest of three utilities
		value = 1
		if u := noisy + 0.5*rng.NormFloat64(); u > 0.6 {
			value = 2
		} else if u < -0.6 {
			value = 0
		}
		return value, []float64{-1.2, 0.1, 1.2}[int(value)]
	case kind.Kind == dataset.Ordered:
		value = math.Floor(3 / (1 + math.Exp(-2*noisy)))
		return value, 1.2 * (value - 1)
	case kind.Kind == dataset.Binary:
		if noisy > 0 {
			value = 1
		}
		return value, 2*value - 1
	case kind.Kind == dataset.Count:
		rate := math.Exp(0.8 + 0.6*max(-3, min(3, noisy)))
		for sum := rng.ExpFloat64(); sum < rate; sum += rng.ExpFloat64() {
			value++
		}
		return value, math.Log(value+1) - 1
	case kind.Kind == dataset.Positive:
		return math.Exp(noisy), noisy
	}
	return noisy, noisy
}

// Of three columns a, b and c of every kind, both models say the directions of a → c ← b wherever
// a and b are not adjacent, and of a → c → b say what equivalent graphs have: each of the three
// graphs without another collider is as probable as the others. The prior odds of a and b adjacent
// in these are 6 to 1 and 2 to 1; on average the tables are against it, by less than large effects
// would be refuted: small ones may be there.
func TestDirectionsOfKinds(t *testing.T) {
	const n = 800
	ctx := context.Background()
	kinds := []dataset.Variable{number, category, binary, ordered, count, positive}
	for _, m := range []sem.Model{sem.Mixed{}, sem.LatentNormal{}, sem.Generalised{}} {
		cases, sum := 0.0, 0.0
		for at, own := range kinds {
			for more := range 2 {
				a, b := kinds[(at+1+more)%len(kinds)], kinds[(at+3+2*more)%len(kinds)]
				rng := rand.New(rand.NewPCG(uint64(10*at+more), 77))
				all := []dataset.Variable{a, b, own}
				collider := &dataset.Table{X: mat.NewDense(n, 3, nil), Variables: all,
					Names: []string{"a", "b", "c"}}
				chain := &dataset.Table{X: mat.NewDense(n, 3, nil), Variables: all,
					Names: []string{"a", "b", "c"}}
				for i := range n {
					x, ofX := drawKind(a, rng.NormFloat64(), rng)
					y, ofY := drawKind(b, rng.NormFloat64(), rng)
					z, _ := drawKind(own, 0.8*(ofX+ofY), rng)
					collider.X.SetRow(i, []float64{x, y, z})
					z, ofZ := drawKind(own, ofX, rng)
					y, _ = drawKind(b, ofZ, rng)
					chain.X.SetRow(i, []float64{x, y, z})
				}
				name := fmt.Sprintf("%v: %v and %v about %v", m, a.Kind, b.Kind, own.Kind)
				p := probabilities(ctx, t, m, collider)
				cases++
				// graphs in which all are adjacent have every direction with one half
				open := p.At(0, 1) + p.At(1, 0)
				sum += open
				if want := 1 - open/2; math.Abs(p.At(0, 2)-want) > 0.02 ||
					math.Abs(p.At(1, 2)-want) > 0.02 {
					t.Errorf("%s: a → c ← b has the probabilities\n%.3f", name, mat.Formatted(p))
				}
				p = probabilities(ctx, t, m, chain)
				open = p.At(0, 1) + p.At(1, 0)
				sum += open
				if want := 1./3 + open/6; math.Abs(p.At(0, 2)-want) > 0.02 ||
					math.Abs(p.At(1, 2)-want) > 0.02 {
					t.Errorf("%s: a → c → b has the probabilities\n%.3f", name, mat.Formatted(p))
				}
			}
		}
		t.Logf("%v: a and b are adjacent with the mean probability %.3f", m, sum/(2*cases))
		if !(sum/(2*cases) < 0.6) {
			t.Errorf("%v: a and b are adjacent with the mean probability %.3f", m, sum/(2*cases))
		}
	}
}

// probabilities are those of edges under a model, all graphs alike.
func probabilities(ctx context.Context, t *testing.T, m sem.Model,
	data *dataset.Table) *mat.Dense {
	t.Helper()
	hypotheses := must.Get(scored(m).Hypotheses(ctx, data, nil, 2))(t)
	return overGraphs(t, hypotheses[0].Scores, score.Uniform(3)).Edges()
}
