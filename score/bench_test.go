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

// BenchmarkLogScores20 computes all scores of one of 20 variables, a twentieth of
// what the exact engine needs.
func BenchmarkLogScores20(b *testing.B) {
	x := normals(1, 1000, 20)
	bge, err := score.NewBGe(x, nil, score.BGeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	linear, err := score.NewLinear(x, nil, score.LinearOptions{NoiseVariance: 1})
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]float64, 1<<19)
	for _, row := range []struct {
		name string
		s    score.SubsetScorer
	}{{"bge", bge}, {"linear", linear}} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				row.s.LogScores(dst, 7, others(20, 7))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/score")
		})
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
