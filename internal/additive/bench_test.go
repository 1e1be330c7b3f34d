package additive_test

import (
	"fmt"
	"slices"
	"testing"

	"tobac/internal/additive"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// BenchmarkScores times all scores of six variables; ratio is the time that [additive.Seconds]
// foresees over the one that was taken.
func BenchmarkScores(b *testing.B) {
	for _, noise := range []string{"normal", "t2"} {
		for _, rows := range []int{100, 400, 1600} {
			for _, linear := range []bool{true, false} {
				b.Run(fmt.Sprintf("%s/rows=%d/linear=%v", noise, rows, linear), func(b *testing.B) {
					x := mat.NewDense(rows, 6, nil)
					x.Augment(triple(rows, 1, noises[noise], straight),
						triple(rows, 2, noises[noise], straight))
					b.ReportAllocs()
					for b.Loop() {
						s := must.Get(additive.New(x, nil, additive.Options{Linear: linear}))(b)
						for j := range 6 {
							others := slices.DeleteFunc([]int{0, 1, 2, 3, 4, 5}, func(i int) bool {
								return i == j
							})
							s.LogScores(make([]float64, 32), j, others)
						}
					}
					b.ReportMetric(additive.Seconds(rows, 6, 5, linear)*float64(b.N)/
						b.Elapsed().Seconds(), "ratio")
				})
			}
		}
	}
}
