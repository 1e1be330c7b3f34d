package nodescore_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/internal/nodescore"
)

// Drawn tables have the means of their Dirichlet distributions, within four standard deviations of
// 2000 draws; configurations that did not occur are uniform, and pseudo-counts near 0 underflow to
// no NaN.
func TestDrawTable(t *testing.T) {
	x := mat.NewDense(10, 2, nil)
	for i := range 10 {
		x.SetRow(i, []float64{float64(i % 2), float64(i % 3 % 2)})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, alpha := range []float64{6, 1e-6} {
		s := must.Get(nodescore.NewDirichlet(x, nil, []int{3, 2},
			nodescore.DirichletOptions{Alpha: alpha}))(t)
		counts := [2][2]float64{}
		for i := range 10 {
			counts[int(x.At(i, 0))][int(x.At(i, 1))]++
		}
		const draws = 2000
		var mean [2]float64
		for range draws {
			d := s.DrawTable(1, []int{0}, rng)
			for c := range mean {
				mean[c] += d.Row([]int{c})[1] / draws
			}
			if row := d.Row([]int{2}); row[0] != 0.5 || row[1] != 0.5 {
				t.Fatalf("a level that does not occur has %v", row)
			}
		}
		for c, got := range mean {
			all := counts[c][0] + counts[c][1] + alpha/3
			want := (counts[c][1] + alpha/6) / all
			if sd := math.Sqrt(want * (1 - want) / (all + 1) / draws); math.Abs(got-want) > 4*sd {
				t.Errorf("alpha %v, configuration %d: mean %v, want %v ± %v", alpha, c, got, want,
					sd)
			}
		}
	}
}
