package bench_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// Package mcmc beside sumu on the same scores and prior, both against the sum over all
// graphs: less error. One core each; the log has the times, which no test asserts.
//
//	taskset -c 1 go test ./bench -run TestChainsBesideSumu -long -v
func TestChainsBesideSumu(t *testing.T) {
	if !*long {
		t.Skip("takes a minute: -long")
	}
	text, err := os.ReadFile("testdata/sumu.json") // of rivals/run --only sumu --json
	if err != nil {
		t.Fatal(err)
	}
	var sumu struct {
		Sets []struct {
			Name    string
			Seconds float64
			Edges   [][]float64
		}
	}
	must.Do(t, json.Unmarshal(text, &sumu))
	ctx := context.Background()
	problems := synthetic(t, "linear-d20-e40", len(sumu.Sets))
	for k, set := range sumu.Sets {
		x := problems[k].Train.X
		_, d := x.Dims()
		s := must.Get(score.NewBGe(x, nil, score.BGeOptions{Scale: score.Raw}))(t)
		prior := score.Fair(d)
		want := exactGraphs(t, s, prior)
		distance := func(got mat.Matrix) float64 {
			sum := 0.0
			for i := range d {
				for j := range d {
					sum += math.Abs(got.At(i, j) - want.At(i, j))
				}
			}
			return sum / float64(d*(d-1))
		}
		theirs := mat.NewDense(d, d, nil)
		for i, row := range set.Edges {
			theirs.SetRow(i, row)
		}
		for _, iterations := range []int{300, 1000} {
			start := time.Now()
			const warmUp = 200
			m := must.Get(mcmc.New(ctx, s, prior,
				mcmc.Options{Workers: 1, Seed: 1, WarmUp: warmUp}))(t)
			must.Do(t, m.Advance(ctx, warmUp+iterations))
			r := must.Get(m.Result())(t)
			ours := distance(r.Edges)
			t.Logf(
				"%s: error %.4f after %d iterations, %.1f s; sumu %.4f, %.1f s of processor time",
				set.Name, ours, iterations, time.Since(start).Seconds(), distance(theirs),
				set.Seconds)
			if !(ours < distance(theirs)) {
				t.Errorf("%s: error %v, sumu's is %v", set.Name, ours, distance(theirs))
			}
		}
	}
}
