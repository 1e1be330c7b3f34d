package tempering_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/tempering"
	"tobac/models"
	"tobac/score"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// erdosRenyi is the prior of independent edges.
func erdosRenyi(t testing.TB, d int, p float64) *score.Prior {
	t.Helper()
	return must.Get(score.ErdosRenyi(d, p))(t)
}

// curve has n rows of three variables, the last a bend of the first.
func curve(n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(4, 0))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a := rng.NormFloat64()
		x.SetRow(i, []float64{math.Abs(a) - 0.5 + 0.3*rng.NormFloat64(), a,
			0.7*a + 0.6*rng.NormFloat64()})
	}
	return x
}

// bruteForce is the log evidence of parents of column j, by averaging the density of an
// n-dimensional normal distribution over draws from the prior, and its standard error.
func bruteForce(x *mat.Dense, j int, parents []int, units int, activation func(float64) float64,
	variance func(*rand.Rand) float64, draws int) (mean, sd float64) {
	rng := rand.New(rand.NewPCG(uint64(j), uint64(len(parents))))
	n, _ := x.Dims()
	logs := make([]float64, draws)
	y := mat.NewVecDense(n, mat.Col(nil, j, x))
	var solved mat.VecDense
	var cov mat.SymDense
	var chol mat.Cholesky
	phi := mat.NewDense(n, units+1, nil)
	for k := range logs {
		for a := range units {
			b, w := rng.NormFloat64(), make([]float64, len(parents))
			for i := range w {
				w[i] = rng.NormFloat64()
			}
			for r := range n {
				pre := b
				for i, p := range parents {
					pre += w[i] * x.At(r, p)
				}
				phi.Set(r, a, activation(pre))
				phi.Set(r, units, 1)
			}
		}
		cov.Reset()
		cov.SymOuterK(1, phi)
		s2 := variance(rng)
		for r := range n {
			cov.SetSym(r, r, cov.At(r, r)+s2)
		}
		chol.Factorize(&cov)
		_ = chol.SolveVecTo(&solved, y)
		logs[k] = -0.5 * (float64(n)*math.Log(2*math.Pi) + chol.LogDet() + mat.Dot(y, &solved))
	}
	mean = floats.LogSumExp(logs) - math.Log(float64(draws))
	relative := make([]float64, draws)
	for k, l := range logs {
		relative[k] = math.Exp(l - mean)
	}
	_, sd = stat.MeanStdDev(relative, nil)
	return mean, sd / math.Sqrt(float64(draws))
}

// Three variables, with the evidence of every set of parents by brute force: chains and table agree
// with it and each other, with a noise variance that is given and one that is not.
func TestAgainstBruteForce(t *testing.T) {
	x, order := curve(9), []int{1, 2, 0}
	prior := erdosRenyi(t, 3, 0.4)
	tanh := math.Tanh
	for _, c := range []struct {
		name       string
		cfg        tempering.Config
		activation func(float64) float64
		variance   func(*rand.Rand) float64
	}{
		{"given", tempering.Config{Hidden: 3, NoiseVariance: 0.3}, func(v float64) float64 {
			return math.Max(0, v)
		}, func(*rand.Rand) float64 { return 0.3 }},
		{"unknown", tempering.Config{Hidden: 2, NoiseScale: 0.2, Activation: models.Tanh}, tanh,
			func(rng *rand.Rand) float64 { z := rng.NormFloat64(); return 0.2 / (z * z) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.Iterations, c.cfg.Temperatures, c.cfg.Workers = 5000, 6, 2
			chains := must.Get(tempering.Run(context.Background(), x, nil, order, prior, c.cfg))(t)
			table := enumerate(t, x, order, prior, c.cfg, 2048, 1)
			const draws = 50000
			var joint []float64
			for set, parents := range [][]int{nil, {1}, {2}, {1, 2}} {
				e, sd := bruteForce(x, 0, parents, c.cfg.Hidden, c.activation, c.variance, draws)
				if sd > 0.035 {
					t.Fatalf("brute force has a standard error of %v", sd)
				}
				// tobac.md has 0.03 to 0.15
				if got := table.logEvidence[0][set]; !(math.Abs(got-e) <= 0.15) {
					t.Errorf("set %v: log evidence %v by sequential Monte Carlo, want %v", parents,
						got, e)
				}
				joint = append(joint, e+float64(len(parents))*math.Log(0.4/0.6)+2*math.Log(0.6))
			}
			total := floats.LogSumExp(joint)
			for k, i := range []int{1, 2} {
				p := math.Exp(joint[1+k]-total) + math.Exp(joint[3]-total)
				if got := chains.Probabilities.At(i, 0); !(math.Abs(got-p) <= 0.02) {
					t.Errorf("edge %d → 0: probability %v by chains, want %v", i, got, p)
				}
				if got := table.probabilities.At(i, 0); !(math.Abs(got-p) <= 0.04) {
					t.Errorf("edge %d → 0: probability %v by the table, want %v", i, got, p)
				}
			}
			if !(math.Abs(chains.LogEvidence[0]-total) <= 0.08) {
				t.Errorf("log evidence %v by chains, want %v", chains.LogEvidence[0], total)
			}
			for j := range 3 {
				if d := math.Abs(chains.LogEvidence[j] - table.total[j]); d > 0.12 {
					t.Errorf("variable %d: log evidences differ by %v", j, d)
				}
			}
			if d, r := mat.Max(chains.Difference), mat.Max(chains.RHat); d > 0.03 || r > 1.02 {
				t.Errorf("chains differ by %v, R̂ %v", d, r)
			}
		})
	}
}

// Without rows the posterior is the prior: of parents, weights and noise, with knowledge about
// edges; and the evidence is 1.
func TestPriorAlone(t *testing.T) {
	const n, d = 5, 4
	x, all := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, float64(i*j%3))
			all.Set(i, j, 1)
		}
	}
	prior := erdosRenyi(t, d, 0.3)
	prior.Forbid(0, 3)
	prior.Require(1, 3)
	prior.MultiplyOdds(2, 3, 3)
	r := must.Get(tempering.Run(context.Background(), x, all, []int{0, 1, 2, 3}, prior,
		tempering.Config{Hidden: 2, ParamVariance: 4, Iterations: 8000, Temperatures: 3,
			Draws: 3000}))(t)
	odds := 3 * 0.3 / 0.7
	want := mat.NewDense(d, d,
		[]float64{0, 0.3, 0.3, 0, 0, 0, 0.3, 1, 0, 0, 0, odds / (1 + odds), 0, 0, 0, 0})
	for i := range d {
		for j := range d {
			// 12,000 states, correlated over a few
			if got := r.Probabilities.At(i, j); !(math.Abs(got-want.At(i, j)) <= 0.02) {
				t.Errorf("edge %d → %d: %v, want %v", i, j, got, want.At(i, j))
			}
		}
	}
	for j, e := range r.LogEvidence {
		if e != 0 {
			t.Errorf("variable %d: log evidence %v of no rows", j, e)
		}
	}
	// Weights of the required edge 1 → 3, output weights and a variance.
	network := func(k int) func(tempering.Draw) float64 {
		return func(w tempering.Draw) float64 { return w.Parameters[k] }
	}
	first, second := d*d*2, d*d*2+d*2
	for name, at := range map[string]func(tempering.Draw) float64{
		"weight": network((3*d + 1) * 2), "second unit": network((3*d+1)*2 + 1),
		"bias": network(first + 3*2), "output": network(second + 3*2),
		"output bias": network(second + d*2 + 3),
	} {
		var values []float64
		for _, w := range r.Draws {
			values = append(values, at(w))
		}
		checkNormal(t, name, values, 2)
	}
	var below float64
	for _, w := range r.Draws {
		v := w.Parameters[len(w.Parameters)-1]
		if math.Exp(v) < 0.1/(distuv.ChiSquared{K: 1}).Quantile(0.5) {
			below += 1 / float64(len(r.Draws))
		}
	}
	if !(math.Abs(below-0.5) <= 0.04) {
		t.Errorf("%v of the noise variances are below the median of their prior", below)
	}
	// A weight of an edge that comes and goes is normal too: its proposals leave the prior in
	// place.
	var values []float64
	for _, w := range r.Draws {
		if w.Graph.Has(2, 3) {
			values = append(values, w.Parameters[(3*d+2)*2])
		}
	}
	checkNormal(t, "weight of an open edge", values, 2)
}

// checkNormal compares moments and a tail with those of N(0, sd²); draws are nearly independent.
func checkNormal(t *testing.T, name string, values []float64, sd float64) {
	t.Helper()
	n := float64(len(values))
	mean, got := stat.MeanStdDev(values, nil)
	tail := 0.0
	for _, v := range values {
		if math.Abs(v) < sd/2 {
			tail += 1 / n
		}
	}
	const sigmas = 5
	if !(math.Abs(mean) <= sigmas*sd/math.Sqrt(n)) ||
		!(math.Abs(got/sd-1) <= sigmas/math.Sqrt(2*n)) ||
		!(math.Abs(tail-0.3829) <= sigmas*0.49/math.Sqrt(n)) {
		t.Errorf("%s: mean %v, standard deviation %v, %v within half of it; want 0, %v, 0.383",
			name, mean, got, tail, sd)
	}
}

// Where the parents are constant the units are constant and the density is known: with a sigmoid
// and no biases every unit is ½, so that y ~ N(0, σ²I + ¼hσ_p² 11ᵀ), and with rectifiers y ~ N(0,
// σ²I), which for unknown σ² is Student's t distribution.
func TestKnownDensities(t *testing.T) {
	const n, s2, sp = 12, 0.4, 1.5
	x := mat.NewDense(n, 2, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	square, total := 0.0, 0.0
	for i := range n {
		v := rng.NormFloat64()
		x.Set(i, 1, v)
		square += v * v
		total += v
	}
	prior := erdosRenyi(t, 2, 0.35)
	for _, c := range []struct {
		name string
		cfg  tempering.Config
		want float64
	}{
		{"given", tempering.Config{NoBias: true, NoiseVariance: s2, Hidden: 3, ParamVariance: sp,
			Activation: models.Sigmoid}, func() float64 {
			const k = 0.25 * 3 * sp / s2 // of 11ᵀ relative to the noise
			return -0.5 * (n*math.Log(2*math.Pi*s2) + math.Log(1+n*k) +
				(square-k/(1+n*k)*total*total)/s2)
		}()},
		{"unknown", tempering.Config{NoBias: true, NoiseScale: 0.5}, func() float64 {
			g, _ := math.Lgamma(0.5 + n/2)
			return 0.5*math.Log(0.25/math.Pi) +
				g - n/2*math.Log(2*math.Pi) - (0.5+n/2)*math.Log(0.25+square/2)
		}()},
	} {
		c.cfg.Iterations, c.cfg.Temperatures = 3000, 5
		r := must.Get(tempering.Run(context.Background(), x, nil, []int{0, 1}, prior, c.cfg))(t)
		if !(math.Abs(r.LogEvidence[1]-c.want) <= 0.04) {
			t.Errorf("%s: log evidence %v, want %v", c.name, r.LogEvidence[1], c.want)
		}
		if p := r.Probabilities.At(0, 1); !(math.Abs(p-0.35) <= 0.03) { // the parent says nothing
			t.Errorf("%s: probability %v, want 0.35", c.name, p)
		}
		for set, e := range enumerate(t, x, []int{0, 1}, prior, c.cfg, 4000, 1).logEvidence[1] {
			if !(math.Abs(e-c.want) <= 0.15) {
				t.Errorf("%s: set %b: log evidence %v, want %v", c.name, set, e, c.want)
			}
		}
	}
}

// Draws are networks of package models: the mean of their evidence, with the output layer
// integrated out again, is the likelihood that the chains report, and graphs appear in proportion
// to their probabilities.
func TestDrawsAreNetworks(t *testing.T) {
	x, order := curve(30), []int{2, 1, 0}
	r := must.Get(tempering.Run(context.Background(), x, nil, order, erdosRenyi(t, 3, 0.5),
		tempering.Config{Hidden: 2, Iterations: 3000, Temperatures: 6, Draws: 1000,
			Activation: models.Tanh}))(t)
	ordered := mat.NewDense(30, 3, nil)
	for c, j := range order {
		ordered.SetCol(c, mat.Col(nil, j, x))
	}
	opt := models.FeedForwardOptions{NoiseVariances: models.VarianceParameters, Hidden: []int{2},
		Activation: models.Tanh}
	full := must.Get(models.NewFeedForward(ordered, nil, opt))(t)
	integrated := must.Get(models.NewIntegratedNetwork(ordered, nil, opt))(t)
	frequency := mat.NewDense(3, 3, nil)
	var graphs []*dag.Graph
	rows := mat.NewDense(len(r.Draws), integrated.ParamLen(), nil)
	for k, w := range r.Draws {
		if len(w.Parameters) != full.ParamLen() {
			t.Fatalf("%d parameters, want %d", len(w.Parameters), full.ParamLen())
		}
		for _, e := range w.Graph.Edges() {
			frequency.Set(e.From, e.To, frequency.At(e.From, e.To)+1/float64(len(r.Draws)))
		}
		hidden := append(append([]float64(nil), w.Parameters[:3*3*2+3*2]...),
			w.Parameters[len(w.Parameters)-3:]...)
		rows.SetRow(k, hidden)
		graphs = append(graphs, w.Graph.Relabel(order))
	}
	_, data := must.Two(models.LogJoint(integrated, graphs, rows))(t)
	mean := stat.Mean(data, nil)
	if want := floats.Sum(r.LogLikelihood); !(math.Abs(mean-want) <= 0.4) {
		t.Errorf("mean log likelihood of the draws %v, want %v", mean, want)
	}
	frequency.Sub(frequency, r.Probabilities)
	if d := mat.Max(frequency); d > 0.05 {
		t.Errorf("frequencies differ from probabilities by %v", d)
	}
}

// Results have the same bits for any number of workers, and other ones for another seed.
func TestWorkers(t *testing.T) {
	x, prior := curve(20), erdosRenyi(t, 3, 0.5)
	run := func(workers int, seed uint64) (*tempering.Result, *table) {
		cfg := tempering.Config{Hidden: 2, Iterations: 200, Temperatures: 4, Draws: 6,
			Workers: workers, Seed: seed}
		r := must.Get(tempering.Run(context.Background(), x, nil, []int{0, 1, 2}, prior, cfg))(t)
		return r, enumerate(t, x, []int{0, 1, 2}, prior, cfg, 10, 1)
	}
	r, table := run(1, 3)
	for _, workers := range []int{2, 5} {
		s, other := run(workers, 3)
		if !mat.Equal(r.Probabilities, s.Probabilities) ||
			cmp.Diff(r.LogEvidence, s.LogEvidence) != "" ||
			cmp.Diff(r.Draws[5].Parameters, s.Draws[5].Parameters) != "" ||
			cmp.Diff(table.logEvidence, other.logEvidence) != "" {
			t.Errorf("another result with %d workers", workers)
		}
	}
	if s, _ := run(1, 4); cmp.Diff(r.LogEvidence, s.LogEvidence) == "" {
		t.Error("seeds 3 and 4 have one result")
	}
}

func TestErrors(t *testing.T) {
	x, prior, order := curve(5), erdosRenyi(t, 3, 0.5), []int{0, 1, 2}
	required := erdosRenyi(t, 3, 0.5)
	required.Require(2, 0)
	bad := curve(5)
	bad.Set(1, 2, math.NaN())
	for _, c := range []struct {
		x, mask mat.Matrix
		order   []int
		prior   tempering.Prior
		cfg     tempering.Config
		want    string
	}{
		{x, nil, []int{0, 1, 1}, prior, tempering.Config{},
			"tempering: order [0 1 1], want every column from 0 to 2 once"},
		{x, nil, []int{0, 1}, prior, tempering.Config{},
			"tempering: order [0 1], want every column from 0 to 2 once"},
		{bad, nil, order, prior, tempering.Config{},
			"tempering: data row 2, column 3 is NaN, want a finite number"},
		{x, mat.NewDense(5, 2, nil), order, prior, tempering.Config{},
			"tempering: marks of interventions are 5×2, want 5×3 like the data"},
		{x, nil, order, required, tempering.Config{},
			"tempering: the edge 2 → 0 is required, but column 2 comes later in the order"},
		{x, nil, order, nil, tempering.Config{}, "tempering: no prior"},
		{x, nil, order, prior, tempering.Config{Hidden: -1},
			"tempering: hidden units -1, want 1 to 1000"},
		{x, nil, order, prior, tempering.Config{NoiseVariance: -1},
			"tempering: noise variance -1, want a finite positive number, or 0 for unknown ones"},
		{x, nil, order, prior, tempering.Config{Activation: 9},
			"tempering: unknown activation models.Activation(9)"},
	} {
		if _, err := tempering.Run(context.Background(), c.x, c.mask, c.order, c.prior,
			c.cfg); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	if _, err := tempering.Run(ctx, x, nil, order, prior, tempering.Config{}); !errors.Is(err,
		cause) {
		t.Errorf("got %v of a cancelled run", err)
	}
}

// A noise variance that leaves the data no density in floating point is an error.
func TestTinyNoise(t *testing.T) {
	x := mat.NewDense(20, 3, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		return math.Sin(float64(1 + 7*i*i + 13*j + 3*i*j))
	}, x)
	for _, v := range []float64{1e-20, 1e-300} {
		if _, err := tempering.Run(t.Context(), x, nil, []int{0, 1, 2}, score.Fair(3),
			tempering.Config{NoiseVariance: v, Iterations: 40, Temperatures: 4}); !errors.Is(err,
			tempering.ErrOverflow) {
			t.Errorf("noise variance %v: got %v", v, err)
		}
	}
}
