package score_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/nodescore"
	"tobac/score"
)

// All scores of this package pass their own check.
func TestCheckScorers(t *testing.T) {
	const n, d = 20, 8
	x := normals(61, n, d)
	for _, mask := range []mat.Matrix{nil, randomMask(61, n, d, true)} {
		for name, s := range scorers(t, x, mask) {
			if err := score.Check(context.Background(), s); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		gp := newGP(t, x, mask, nodescore.GPOptions{MaxParents: 3, Workers: 2})
		for _, s := range []score.Scorer{gp.At(1), gp.Integrated()} {
			if err := score.Check(context.Background(), s); err != nil {
				t.Errorf("Gaussian process: %v", err)
			}
		}
	}
}

// A wrongSubsets scores sets of two candidates differently in its table.
type wrongSubsets struct{ score.Scorer }

func (w wrongSubsets) LogScores(dst []float64, j int, candidates []int) {
	for set := range dst {
		dst[set] = float64(set)
	}
}

func TestCheckFinds(t *testing.T) {
	calls := 0.0
	for _, row := range []struct {
		name string
		s    score.Scorer
		want string
	}{
		{"not a number", score.NewFunc(3, func(j int, _ []int) float64 {
			return math.Sqrt(float64(-j))
		}), "column 2 given []: log score is NaN"},
		{"impossible", score.NewFunc(3, func(int, []int) float64 { return math.Inf(-1) }),
			"variable 0 given [] has the log score -Inf"},
		{"unsteady", score.NewFunc(3, func(int, []int) float64 { calls++; return calls }),
			"variable 0 given [] has the log scores 5 and 6 in two calls"},
		{"changed parents", score.NewFunc(3, func(_ int, p []int) float64 {
			if len(p) > 0 {
				p[0] = 7
			}
			return 0
		}), "LogScore changed the parents [1] of variable 0 to [7]"},
		{"subsets", wrongSubsets{score.NewFunc(3, func(_ int, p []int) float64 {
			return float64(len(p))
		})}, "variable 0 given [2] has the log score 1, and 2 among all subsets"},
		{"no variables", score.NewFunc(0, nil), "0 variables, want at least 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := score.Check(context.Background(), row.s)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want an error with %q", err, row.want)
			}
		})
	}
	limited := score.NewFunc(4, func(_ int, p []int) float64 {
		if len(p) > 1 {
			return math.Inf(-1)
		}
		return 0
	})
	if err := score.Check(context.Background(), limited); err != nil {
		t.Errorf("a bound on the number of parents: %v", err)
	}
}
