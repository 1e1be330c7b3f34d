package score_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/score"
)

// normals is an n×d matrix of correlated normal numbers: every column has a part
// of the one before it.
func normals(seed uint64, n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			if j > 0 {
				v += 0.7 * x.At(i, j-1)
			}
			x.Set(i, j, v+0.3)
		}
	}
	return x
}

func others(d, j int) []int {
	var o []int
	for i := range d {
		if i != j {
			o = append(o, i)
		}
	}
	return o
}

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
			{"bge", func() (score.SubsetScorer, error) { return score.NewBGe(x, nil, score.BGeOptions{}) }},
			{"linear", func() (score.SubsetScorer, error) {
				return score.NewLinear(x, nil, score.LinearOptions{NoiseVariance: 1})
			}},
		} {
			b.Run(fmt.Sprintf("%s/d=%d", row.name, size.d), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s, err := row.make()
					if err != nil {
						b.Fatal(err)
					}
					for j := range size.children {
						s.LogScores(dst[:1<<size.candidates], j, others(size.d, j)[:size.candidates])
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.children<<size.candidates), "ns/score")
			})
		}
	}
}

// BenchmarkLogScore scores single sets, as chains do.
func BenchmarkLogScore(b *testing.B) {
	x := normals(1, 1000, 30)
	bge, err := score.NewBGe(x, nil, score.BGeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, parents := range [][]int{nil, {1, 2, 3}, {1, 2, 3, 9, 11, 20}} {
		b.Run(fmt.Sprint(len(parents)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bge.LogScore(0, parents)
			}
		})
	}
}
