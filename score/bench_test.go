package score_test

import (
	"fmt"
	"testing"

	"tobac/internal/must"
	"tobac/score"
)

// BenchmarkLogScores computes all 10.5 million scores of 20 variables, and the
// subsets of 15 candidates of 30.
func BenchmarkLogScores(b *testing.B) {
	dst := make([]float64, 1<<19)
	for _, size := range []struct{ d, candidates, children int }{{20, 19, 20}, {30, 15, 1}} {
		x := normals(1, 1000, size.d)
		for _, row := range []struct {
			name string
			make func() (score.SubsetScorer, error)
		}{
			{"bge", func() (score.SubsetScorer, error) {
				return score.NewBGe(x, nil, score.BGeOptions{})
			}},
			{"linear", func() (score.SubsetScorer, error) {
				return score.NewLinear(x, nil, score.LinearOptions{NoiseVariance: 1})
			}},
		} {
			b.Run(fmt.Sprintf("%s/d=%d", row.name, size.d), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s := must.Get(row.make())(b)
					for j := range size.children {
						s.LogScores(dst[:1<<size.candidates], j,
							others(size.d, j)[:size.candidates])
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/
					float64(size.children<<size.candidates), "ns/score")
			})
		}
	}
}

// BenchmarkLogScore scores single sets, as chains do.
func BenchmarkLogScore(b *testing.B) {
	x := normals(1, 1000, 30)
	bge := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(b)
	for _, parents := range [][]int{nil, {1, 2, 3}, {1, 2, 3, 9, 11, 20}} {
		b.Run(fmt.Sprint(len(parents)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bge.LogScore(0, parents)
			}
		})
	}
}
