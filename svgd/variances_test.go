package svgd_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/schedule"
	"tobac/svgd"
)

// landed are the particles of a run from a narrow start, under the recipe of RMSProp with a step
// that falls to 0 in the second half, and the mean of the variances of their coordinates.
func landed(t *testing.T, target svgd.Scorer, kernel svgd.Kernel, n, p, steps int) (x []*mat.Dense,
	mean float64) {
	t.Helper()
	x = gaussianBlocks(11, n, p)
	x[0].Scale(0.3, x[0])
	s := svgd.Sampler{Target: target, Kernel: kernel,
		Optimizer: svgd.Scheduled{Optimizer: svgd.RMSProp{StepSize: 0.02},
			Factor: schedule.Over(schedule.OfRun{From: 1, Start: 0.5}, steps)}}
	run(t, &s, x, 0, steps)
	for c := range p {
		mean += stat.PopVariance(mat.Col(nil, c, x[0]), nil) / float64(p)
	}
	return x, mean
}

// What kernels make of the variances of a normal density of 20 coordinates with unit variances and
// the correlations rho^|i−j|, as the package comment tells it: the mean over the coordinates, and
// the mean correlation of neighbours. A kernel for each coordinate ends at the best product of
// distributions, whose variances are 1/Λ_ii = (1−rho²)/(1+rho²) for all but the first and the last
// coordinate, because it never changes how coordinates depend on each other; a joint one collapses.
func TestVariancesOfCoordinates(t *testing.T) {
	const n, p = 30, 20
	joint, coordinates := svgd.IMQ{}, svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}
	for _, c := range []struct {
		name           string
		kernel         svgd.Kernel
		rho            float64
		variance, corr float64
	}{
		{"rbf", svgd.RBF{}, 0, 0.15, 0},
		{"imq", joint, 0, 0.44, 0},
		{"rbf, coordinates", svgd.Grouped{Size: 1}, 0, 0.91, 0},
		{"imq, coordinates", coordinates, 0, 0.94, 0},
		{"imq, sum of both", svgd.Sum{joint, coordinates}, 0, 0.85, 0},
		{"rbf", svgd.RBF{}, 0.5, 0.24, 0.88},
		{"imq", joint, 0.5, 0.50, 0.81},
		{"rbf, coordinates", svgd.Grouped{Size: 1}, 0.5, 0.58, 0.04},
		{"imq, coordinates", coordinates, 0.5, 0.60, 0.02},
		{"imq, sum of both", svgd.Sum{joint, coordinates}, 0.5, 1.31, 0.81},
	} {
		t.Run(fmt.Sprintf("%s, %v", c.name, c.rho), func(t *testing.T) {
			target := newCorrelated(p, c.rho)
			x, mean := landed(t, target, c.kernel, n, p, 400)
			corr := 0.0
			for i := range p - 1 {
				corr += stat.Correlation(mat.Col(nil, i, x[0]), mat.Col(nil, i+1, x[0]),
					nil) / (p - 1)
			}
			s, pValue := target.discrepancy(x, 1)
			t.Logf("variance %.3f, correlation of neighbours %.3f, U %.3f, V %.3f, p %.3f", mean,
				corr, s.U, s.V, pValue)
			if !(math.Abs(mean-c.variance) <= 0.06*(1+c.variance)) ||
				!(math.Abs(corr-c.corr) <= 0.08) {
				t.Errorf("want the variance %v and the correlation %v", c.variance, c.corr)
			}
		})
	}
}

// A kernel for each coordinate moves a particle in a coordinate by what that coordinate says alone,
// so that no particle ever passes another there: the ranks of particles in each coordinate are
// those of the start.
func TestRanksOfCoordinatesStay(t *testing.T) {
	const n, p = 20, 6
	ranks := func(x *mat.Dense) (all [][]int) {
		for c := range p {
			values, order := mat.Col(nil, c, x), make([]int, n)
			floats.Argsort(values, order)
			all = append(all, order)
		}
		return all
	}
	for name, k := range map[string]svgd.Kernel{"coordinates": svgd.Grouped{Kernel: svgd.IMQ{},
		Size: 1}, "joint": svgd.IMQ{}} {
		x := gaussianBlocks(5, n, p)
		before := ranks(x[0])
		s := svgd.Sampler{Target: newCorrelated(p, 0.8), Kernel: k,
			Optimizer: svgd.SGD{StepSize: 0.02}}
		run(t, &s, x, 0, 500)
		if same := reflect.DeepEqual(before, ranks(x[0])); same != (name == "coordinates") {
			t.Errorf("%s: the ranks are those of the start: %v", name, same)
		}
	}
}

// What kernels for each coordinate make of the weight of a mode: normal densities with standard
// deviation 0.7 at −2 and 2, of which the first has the weight w, and 30 particles that begin
// between them. The fraction of them that ends in the first is too large with the exponential,
// whose tails do not reach the other mode, and too small with the inverse multiquadric and β = ½,
// whose tails carry too much of its scores; β = 0.85 is near the truth.
func TestWeightsOfModes(t *testing.T) {
	weights := []float64{0.05, 0.2, 0.5}
	for _, c := range []struct {
		kernel svgd.Kernel
		want   []float64
	}{
		{svgd.RBF{}, []float64{0.12, 0.30, 0.49}},
		{svgd.IMQ{}, []float64{0, 0.04, 0.48}},
		{svgd.IMQ{Beta: 0.85}, []float64{0.05, 0.23, 0.48}},
	} {
		for k, w := range weights {
			score := func(dst, x []*mat.Dense, _ int) error {
				dst[0].Apply(func(_, _ int, v float64) float64 {
					const variance = 0.7 * 0.7
					odds := (1 - w) / w * math.Exp(4*v/variance) // of the second mode
					return (2*(odds-1)/(odds+1) - v) / variance
				}, x[0])
				return nil
			}
			x, _ := landed(t, svgd.ScorerFunc(score), svgd.Grouped{Kernel: c.kernel, Size: 1}, 30,
				20, 600)
			first := 0.0
			for _, v := range x[0].RawMatrix().Data {
				if v < 0 {
					first += 1. / (30 * 20)
				}
			}
			t.Logf("%+v: %.3f of the particles in the mode of weight %v", c.kernel, first, w)
			if !(math.Abs(first-c.want[k]) <= 0.03) {
				t.Errorf("%+v: %.3f of the particles are in the mode of weight %v, want about %v",
					c.kernel, first, w, c.want[k])
			}
		}
	}
}
