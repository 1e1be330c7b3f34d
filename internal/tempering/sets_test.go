package tempering_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/tempering"
	"tobac/models"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// Evidences of single sets agree with brute force, of parents that come later in the table too, and
// both populations with each other; they are the same for any number of workers, and independent of
// what else is in the list.
func TestSets(t *testing.T) {
	x := curve(12)
	list := []nodescore.Family{{Of: 2}, {Of: 0, Set: []int{1}}, {Of: 0, Set: []int{1, 2}},
		{Of: 1, Set: []int{2}}}
	cfg := tempering.Config{Hidden: 2, NoiseVariance: 0.3, Seed: 5}
	estimate := func(workers int, list []nodescore.Family) []*tempering.Estimate {
		cfg.Workers = workers
		s := must.Get(tempering.NewSets(x, nil, cfg))(t)
		return must.Get(s.Estimate(context.Background(), list, 3200))(t)
	}
	all := estimate(3, list)
	for k, e := range all {
		want, sd := bruteForce(x, e.Of, e.Set, 2, func(v float64) float64 {
			return math.Max(v, 0)
		}, func(*rand.Rand) float64 { return 0.3 }, 20000)
		// Populations of 1600 particles have standard deviations below 0.04; four of them, and of
		// brute force.
		if off := math.Abs(e.LogEvidence - want); off > 0.12+4*sd {
			t.Errorf("parents %v of %d: log evidence %.3f, by brute force %.3f ± %.3f", e.Set, e.Of,
				e.LogEvidence, want, sd)
		}
		if off := math.Abs(e.Halves[0] - e.Halves[1]); off > 0.3 || off == 0 {
			t.Errorf("parents %v of %d: two populations differ by %v", e.Set, e.Of, off)
		}
		if alone := estimate(1, list[k:k+1])[0]; alone.Halves != e.Halves {
			t.Errorf("parents %v of %d: %v alone, %v in a list", e.Set, e.Of, alone.Halves,
				e.Halves)
		}
	}
}

// A draw has the parents of its estimates, and parameters under which the likelihood is near the
// posterior's.
func TestSetsDraw(t *testing.T) {
	x := curve(30)
	s := must.Get(tempering.NewSets(x, nil, tempering.Config{NoiseVariance: 0.1, Seed: 2}))(t)
	list := []nodescore.Family{{Of: 0, Set: []int{1}}, {Of: 1}, {Of: 2, Set: []int{1}}}
	all := must.Get(s.Estimate(context.Background(), list, 256))(t)
	lik := must.Get(models.NewFeedForward(x, nil, models.FeedForwardOptions{NoiseVariance: 0.1}))(t)
	mean := 0.0
	for k := range 16 {
		draw := s.Draw(all, k)
		if got := cmp.Diff([][]int{draw.Graph.Parents(0), draw.Graph.Parents(1),
			draw.Graph.Parents(2)}, [][]int{{1}, nil, {1}}); got != "" {
			t.Fatal(got)
		}
		theta := mat.NewDense(1, len(draw.Parameters), draw.Parameters)
		_, likelihood := must.Two(models.LogJoint(lik, []*dag.Graph{draw.Graph}, theta))(t)
		mean += likelihood[0] / 16
	}
	evidence := all[0].LogEvidence + all[1].LogEvidence + all[2].LogEvidence
	// The posterior mean of the log likelihood is above the log evidence by the information gained,
	// here a few nats for each variable.
	if gained := mean - evidence; gained < 1 || gained > 40 {
		t.Errorf("mean log likelihood of draws %v, log evidence %v", mean, evidence)
	}
}

func TestSetsWrongUse(t *testing.T) {
	s := must.Get(tempering.NewSets(curve(6), nil, tempering.Config{}))(t)
	for name, use := range map[string]func(){
		"own parent": func() {
			_, _ = s.Estimate(context.Background(), []nodescore.Family{{Of: 1, Set: []int{0, 1}}},
				8)
		},
		"descending": func() {
			_, _ = s.Estimate(context.Background(), []nodescore.Family{{Of: 0, Set: []int{2, 1}}},
				8)
		},
		"column 3": func() {
			_, _ = s.Estimate(context.Background(), []nodescore.Family{{Of: 3}}, 8)
		},
		"two particles": func() { _, _ = s.Estimate(context.Background(), nil, 2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			use()
		}()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Estimate(ctx, []nodescore.Family{{Of: 0}}, 8); err == nil {
		t.Error("no error of a cancelled context")
	}
	if _, err := tempering.NewSets(curve(6), mat.NewDense(2, 2, nil),
		tempering.Config{}); err == nil {
		t.Error("no error of marks of another shape")
	}
}
