package score_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/score"
)

// equalNoise simulates a linear model with edges i → j, i < j, of probability p,
// weights of magnitude 0.5 to 2 and the given noise variance; columns are
// permuted and shifted.
func equalNoise(seed uint64, n, d int, p, variance float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := mat.NewDense(d, d, nil)
	for j := range d {
		for i := range j {
			if rng.Float64() < p {
				w.Set(i, j, math.Copysign(0.5+1.5*rng.Float64(), rng.Float64()-0.5))
			}
		}
	}
	to := rng.Perm(d)
	x := mat.NewDense(n, d, nil)
	row := make([]float64, d)
	for r := range n {
		for j := range d {
			row[j] = math.Sqrt(variance) * rng.NormFloat64()
			for i := range j {
				row[j] += w.At(i, j) * row[i]
			}
		}
		for j := range d {
			x.Set(r, to[j], row[j]+10*float64(j))
		}
	}
	return x
}

// The estimate is within 4 standard errors √(2/(nd)) of the truth, in relative
// terms, on simulated data of several sizes, with and without interventions.
func TestEstimateNoiseVariance(t *testing.T) {
	for _, row := range []struct {
		n, d     int
		p        float64
		variance float64
	}{{100, 5, 0.5, 0.1}, {200, 10, 0.4, 3}, {100, 20, 0.2, 0.5}, {300, 30, 0.1, 1}} {
		x := equalNoise(uint64(row.d), row.n, row.d, row.p, row.variance)
		prior := erdosRenyi(t, row.d, row.p/2)
		got := must.Get(score.EstimateNoiseVariance(context.Background(), x, nil, prior,
			score.LinearOptions{}, 1))(t)
		tol := 4 * math.Sqrt(2/float64(row.n*row.d))
		if !(math.Abs(math.Log(got/row.variance)) <= tol) {
			t.Errorf("n = %d, d = %d: got %v, want %v to a factor %v", row.n, row.d, got,
				row.variance, math.Exp(tol))
		}
	}
}

// A half of the entries of one column set by intervention to huge values does not
// disturb the estimate; a multiple of all columns multiplies it by the square.
func TestEstimateNoiseVarianceInterventions(t *testing.T) {
	const n, d = 200, 5
	x := equalNoise(3, n, d, 0.5, 0.4)
	mask := mat.NewDense(n, d, nil)
	prior := erdosRenyi(t, d, 0.25)
	before := must.Get(score.EstimateNoiseVariance(context.Background(), x, nil, prior,
		score.LinearOptions{}, 1))(t)
	var twice mat.Dense
	twice.Scale(2, x)
	got, err := score.EstimateNoiseVariance(context.Background(), &twice, nil, prior,
		score.LinearOptions{EdgeVariance: 1}, 1)
	if err != nil || !(math.Abs(got/before-4) <= 0.02) {
		t.Errorf("doubled columns: got %v (%v), want four times %v", got, err, before)
	}
	// The last variable in causal sequence has no children, so setting it disturbs
	// no other equation.
	last := 0
	for j := range d {
		if x.At(0, j) > x.At(0, last) {
			last = j // columns are shifted by ten times their place
		}
	}
	for r := range n / 2 {
		mask.Set(r, last, 1)
		x.Set(r, last, 1e4)
	}
	got, err = score.EstimateNoiseVariance(context.Background(), x, mask, prior,
		score.LinearOptions{}, 1)
	if err != nil || !(math.Abs(math.Log(got/before)) <= 0.1) {
		t.Errorf("with interventions: got %v (%v), want about %v", got, err, before)
	}
}

// Required and forbidden edges are obeyed: with all edges forbidden the estimate is
// the mean variance of the columns.
func TestEstimateNoiseVariancePrior(t *testing.T) {
	const n, d = 50, 3
	x := normals(51, n, d)
	prior := score.Uniform(d)
	prior.MaxParents(0)
	got := must.Get(score.EstimateNoiseVariance(context.Background(), x, nil, prior,
		score.LinearOptions{}, 1))(t)
	want := 0.0
	for j := range d {
		c := mat.Col(nil, j, x)
		m := 0.0
		for _, v := range c {
			m += v / n
		}
		for _, v := range c {
			want += (v - m) * (v - m) / (n * d)
		}
	}
	if !near(got, want, 1e-12) {
		t.Errorf("without edges: got %v, want %v", got, want)
	}
	cyclic := score.Uniform(d)
	cyclic.Require(2, 1)
	if _, err := score.EstimateNoiseVariance(context.Background(), x, nil, cyclic,
		score.LinearOptions{}, 1); err != nil {
		t.Errorf("a required edge against the order: %v", err)
	}
}

func TestEstimateNoiseVarianceErrors(t *testing.T) {
	constant := mat.NewDense(4, 2, []float64{1, 2, 1, 2, 1, 2, 1, 2})
	_, err := score.EstimateNoiseVariance(context.Background(), constant, nil, score.Uniform(2),
		score.LinearOptions{}, 1)
	if want := "score: noise variance: no column varies in the rows in which it was not set"; err ==
		nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := score.EstimateNoiseVariance(ctx, normals(1, 9, 3), nil, score.Uniform(3),
		score.LinearOptions{}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	// Columns without noise end at a tiny positive number.
	x := normals(2, 20, 3)
	for i := range 20 {
		x.Set(i, 1, 2*x.At(i, 0))
		x.Set(i, 2, -x.At(i, 0))
	}
	v, err := score.EstimateNoiseVariance(context.Background(), x, nil, score.Uniform(3),
		score.LinearOptions{}, 1)
	if err != nil || !(v > 0) {
		t.Errorf("columns that are multiples of one: %v, %v", v, err)
	}
}

// The evidence of one variable without parents, integrated over the variance: the
// grid against a fine rule of its own. Laplace's rule is right to O(1/n).
func TestNoiseGrid(t *testing.T) {
	const n = 100
	x := normals(52, n, 1)
	linear := newLinear(t, x, nil, score.LinearOptions{NoiseVariance: 1})
	evidence := func(v float64) float64 {
		l := must.Get(linear.WithNoiseVariance(v))(t)
		return l.LogScore(0, nil)
	}
	prior := score.NoisePrior(linear)
	want := math.Inf(-1)
	const step = 0.01
	best, estimate := math.Inf(-1), 0.0
	for l := -3.0; l < 3; l += step {
		e := evidence(math.Exp(l))
		term := e + prior.LogDensity(l) + math.Log(step)
		want = math.Max(want, term) + math.Log1p(math.Exp(-math.Abs(want-term)))
		if e > best {
			best, estimate = e, math.Exp(l)
		}
	}
	centred := must.Get(linear.WithNoiseVariance(estimate))(t)
	for _, row := range []struct {
		points int
		tol    float64
	}{{1, 0.02}, {5, 0.02}, {9, 1e-3}} {
		grid := centred.NoiseGrid(row.points)
		logs := make([]float64, row.points)
		for k, v := range grid.Variances {
			logs[k] = evidence(v)
		}
		weights, got := grid.Posterior(logs)
		if !(math.Abs(got-want) <= row.tol) {
			t.Errorf("%d points: got %v, want %v ± %v", row.points, got, want, row.tol)
		}
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		if !near(sum, 1, 1e-12) {
			t.Errorf("%d points: weights sum to %v", row.points, sum)
		}
	}
	// The same prior from the Gaussian-process scores.
	if got := newGP(t, x, nil, nodescore.GPOptions{}).NoisePrior(); !near(got.Mean, prior.Mean,
		1e-12) || got.SD != prior.SD {
		t.Errorf("prior of the Gaussian process: got %v, want %v", got, prior)
	}
}

// The search finds the maximum of the likelihood of n residuals with mean square v,
// −½n(ln σ² + v/σ²), from starts of several magnitudes, in few evaluations.
func TestMaximiseNoiseVariance(t *testing.T) {
	const n, v = 500, 0.37
	for _, start := range []float64{0.37, 0.001, 4, 1e3} {
		calls := 0
		got, err := nodescore.MaximiseNoiseVariance(context.Background(), start,
			func(s float64) (float64, error) {
				calls++
				return -0.5 * n * (math.Log(s) + v/s), nil
			})
		if err != nil || !(math.Abs(got/v-1) <= 0.01) {
			t.Errorf("from %v: got %v (%v), want %v", start, got, err, v)
		}
		if most := 10 + int(math.Abs(math.Log(start/v))/0.7); calls > most {
			t.Errorf("from %v: %d evaluations, want at most %d", start, calls, most)
		}
	}
	fault := errors.New("engine")
	if _, err := nodescore.MaximiseNoiseVariance(context.Background(), 1,
		func(float64) (float64, error) { return 0, fault }); !errors.Is(err, fault) {
		t.Errorf("got %v, want the engine's error", err)
	}
	if _, err := nodescore.MaximiseNoiseVariance(context.Background(), 1,
		func(s float64) (float64, error) { return s, nil }); err == nil {
		t.Error("an evidence without a maximum has one")
	}
	if _, err := nodescore.MaximiseNoiseVariance(context.Background(), 1,
		func(float64) (float64, error) { return math.NaN(), nil }); err == nil {
		t.Error("an evidence that is NaN has a maximum")
	}
}

// BenchmarkEstimateNoiseVariance takes 20 and 100 variables, a fraction of a
// millisecond to a second.
func BenchmarkEstimateNoiseVariance(b *testing.B) {
	for _, d := range []int{20, 100} {
		x := equalNoise(9, 100, d, 4/float64(d), 0.1)
		prior := must.Get(score.ErdosRenyi(d, 2/float64(d)))(b)
		b.Run(map[int]string{20: "d=20", 100: "d=100"}[d], func(b *testing.B) {
			for b.Loop() {
				must.Get(score.EstimateNoiseVariance(context.Background(), x, nil, prior,
					score.LinearOptions{}, 1))(b)
			}
		})
	}
}

// A variable of more parents than the greedy search adds does not tell the noise variance.
func TestEstimateNoiseVarianceOfHub(t *testing.T) {
	const n, d, variance = 400, 70, 0.5
	rng := rand.New(rand.NewPCG(34, 3))
	x := mat.NewDense(n, d, nil)
	for r := range n {
		sum := 0.0
		for j := range d - 1 {
			v := math.Sqrt(variance) * rng.NormFloat64()
			x.Set(r, j, v)
			sum += v
		}
		x.Set(r, d-1, sum+math.Sqrt(variance)*rng.NormFloat64())
	}
	got := must.Get(score.EstimateNoiseVariance(context.Background(), x, nil,
		must.Get(score.Sparse(d, 1))(t), score.LinearOptions{}, 1))(t)
	if !(math.Abs(math.Log(got/variance)) <= 4*math.Sqrt(2/float64(n*d))) {
		t.Errorf("noise variance %v, want %v", got, variance)
	}
}
