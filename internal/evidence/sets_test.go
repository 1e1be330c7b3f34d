package evidence_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tobac/autograd"
	"tobac/dag"
	"tobac/internal/evidence"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/tempering"
	_ "tobac/internal/unwritten"
	"tobac/models"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// chain are rows of a linear chain with an additional parent, in causal order.
func chain(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for r := range n {
		for j := range d {
			v := 0.4 * rng.NormFloat64()
			if j > 0 {
				v += 0.9 * x.At(r, j-1)
			}
			if j > 2 {
				v -= 0.6 * x.At(r, 0)
			}
			x.Set(r, j, v)
		}
	}
	return x
}

// allSets are those of the variables before j.
func allSets(j int) (all [][]int) {
	for bits := range 1 << j {
		set := []int{}
		for i := range j {
			if bits>>i&1 == 1 {
				set = append(set, i)
			}
		}
		all = append(all, set)
	}
	return all
}

// newSets are closed at the end of the test.
func newSets(t *testing.T, lik models.Likelihood, cfg evidence.Config) *evidence.Sets {
	t.Helper()
	s := must.Get(evidence.New(lik, cfg))(t)
	t.Cleanup(s.Close)
	return s
}

func estimates(t *testing.T, lik models.Likelihood, j int, sets [][]int,
	points int) []*evidence.Estimate {
	t.Helper()
	all := must.Get(newSets(t, lik, evidence.Config{Seed: 3}).Estimate(context.Background(),
		nodescore.Families(j, sets...), points))(t)
	for _, e := range all { // of points with weights that differ; several temperatures halve it
		switch size := e.EffectiveSize; {
		case e.StandardError == 0:
		case e.Temperatures > 1 && !(math.Abs(size-0.5) <= 0.01), e.Temperatures < 1,
			!(size > 0.49 && size < 1):
			t.Errorf("parents %v: effective size %v at %d temperatures", e.Set, size,
				e.Temperatures)
		}
	}
	return all
}

// linear are exact scores of linear equations of a chain with known noise, and their likelihood.
func linear(t *testing.T, d int) (score.Conjugate, models.Likelihood) {
	t.Helper()
	x := chain(80, d, 1)
	exact := must.Get(score.NewLinear(x, nil,
		score.LinearOptions{NoiseVariance: 0.2, EdgeVariance: 1, NoIntercept: true}))(t)
	lik := must.Get(models.NewLinear(x, nil, models.LinearOptions{NoiseVariance: 0.2}))(t)
	return exact, lik
}

// With known noise the evidence of linear equations is a normal density: every estimate is within
// five of its standard errors, and these are small.
func TestLinear(t *testing.T) {
	const d = 6
	exact, lik := linear(t, d)
	worst, largest := 0.0, 0.0
	for _, j := range []int{0, 3, 5} {
		for _, e := range estimates(t, lik, j, allSets(j), 256) {
			off := math.Abs(e.LogEvidence - exact.LogScore(j, e.Set))
			if off > 5*e.StandardError+1e-9 {
				t.Errorf("variable %d, parents %v: ln evidence %v ± %v, want %v", j, e.Set,
					e.LogEvidence, e.StandardError, exact.LogScore(j, e.Set))
			}
			if e.Broad || e.Temperatures > 1 {
				t.Errorf("variable %d, parents %v: a normal density took %d temperatures", j, e.Set,
					e.Temperatures)
			}
			worst, largest = math.Max(worst, off), math.Max(largest, e.StandardError)
		}
	}
	t.Logf("largest error %.3f, largest standard error %.3f", worst, largest)
	if largest > 0.1 {
		t.Errorf("standard error %v of an evidence, want less than 0.1", largest)
	}
}

// A scale has one parameter for each variable, the logarithm s of its scale, and no edges: x_j ~ t₃
// with the scale exp(s), s ~ Laplace(0, 1), which has a kink; or two maxima of s² in its place, or
// a prior that is no density.
type scale struct {
	x    *mat.Dense
	kind string
}

func (m scale) Vars() int     { _, d := m.x.Dims(); return d }
func (m scale) ParamLen() int { return m.Vars() }

func (m scale) InitParams(dst []float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = rng.NormFloat64()
	}
}

func (m scale) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	n, d := m.x.Dims()
	x := g.Builder().Constant(m.x.RawMatrix().Data, autograd.Shape{n, d})
	s := theta
	switch m.kind {
	case "laplace":
		prior = s.Abs().Scale(-1).AddScalar(-math.Ln2)
	case "two":
		prior, s = theta.Square().Scale(-0.5).AddScalar(-0.5*math.Log(2*math.Pi)),
			theta.Square().AddScalar(-2)
	case "cubic":
		prior, s = theta.Square().Scale(-0.5).AddScalar(-0.5*math.Log(2*math.Pi)),
			theta.Square().Mul(theta)
	// a factor θ + 1 of the likelihood, which no matrix has whose Cholesky factor it is from −1 on
	// downwards
	case "cut":
		prior = theta.Square().Scale(-0.5).AddScalar(-0.5 * math.Log(2*math.Pi))
	case "flat":
		prior = s.Scale(0)
	case "unnormalised":
		prior = s.Square().Scale(-0.5)
	case "nan":
		prior = s.Square().Scale(-1).Log()
	}
	density := x.Mul(s.Scale(-1).Exp()).Square().Scale(1. / 3).Log1p().Scale(-2)
	data = density.Sub(s).AddScalar(-math.Log(math.Sqrt(3) * math.Pi / 2)).Sum(0)
	if m.kind == "cut" {
		factor := make([]*autograd.Node, d)
		for j := range factor {
			factor[j] = theta.Slice(0, j, j+1).AddScalar(1).Reshape(
				autograd.Shape{1, 1}).Cholesky().Log().Scale(2).Reshape(autograd.Shape{1})
		}
		data = data.Add(autograd.Concat(0, factor[0], factor[1:]...))
	}
	return prior, data
}

// logDensity is the joint log density of variable j in plain Go.
func (m scale) logDensity(j int, theta float64) float64 {
	s, prior := theta, -math.Abs(theta)-math.Ln2
	if normal := -theta*theta/2 - 0.5*math.Log(2*math.Pi); m.kind == "two" {
		s, prior = theta*theta-2, normal
	} else if m.kind == "cubic" {
		s, prior = theta*theta*theta, normal
	} else if m.kind == "cut" {
		if theta <= -1 {
			return math.Inf(-1)
		}
		prior = normal + math.Log1p(theta)
	}
	n, _ := m.x.Dims()
	for r := range n {
		z := m.x.At(r, j) * math.Exp(-s)
		prior += -2*math.Log1p(z*z/3) - s - math.Log(math.Sqrt(3)*math.Pi/2)
	}
	return prior
}

// logEvidence integrates by Simpson's rule.
func (m scale) logEvidence(j int) float64 {
	const from, to, points = -12.0, 12.0, 48001
	values := make([]float64, points)
	for k := range values {
		values[k] = m.logDensity(j, from+(to-from)*float64(k)/(points-1))
	}
	best := floats.Max(values)
	for k, v := range values {
		values[k] = math.Exp(v - best)
	}
	return best +
		math.Log(integrate.Simpsons(floats.Span(make([]float64, points), from, to), values))
}

// One parameter can be integrated numerically: under a prior with a kink, without data too where
// the maximum is at it, a density with two equal maxima, and one that some parameters have none of.
func TestOneParameter(t *testing.T) {
	for _, kind := range []string{"laplace", "two", "cut"} {
		for _, rows := range []int{1, 40} {
			m := scale{chain(rows, 2, 5), kind}
			for j := range 2 {
				want := m.logEvidence(j)
				e := estimates(t, m, j, [][]int{{}}, 512)[0]
				t.Logf("%s, %d rows: %.4f ± %.4f, want %.4f, effective size %.2f, %d temperatures",
					kind, rows, e.LogEvidence, e.StandardError, want, e.EffectiveSize,
					e.Temperatures)
				if !(math.Abs(e.LogEvidence-want) <= 5*e.StandardError) || e.StandardError > 0.15 {
					t.Errorf("%s, %d rows, variable %d: ln evidence %v ± %v, want %v", kind, rows,
						j, e.LogEvidence, e.StandardError, want)
				}
			}
		}
	}
}

// Networks have too many maxima for Laplace's approximation: points come from the prior, and the
// estimates are those of package tempering, which integrates the last layer out.
func TestNetworks(t *testing.T) {
	x := chain(50, 3, 2)
	x.Apply(func(i, j int, v float64) float64 {
		if j == 2 {
			return v + math.Abs(x.At(i, 0))
		}
		return v
	}, x)
	lik, err := models.NewFeedForward(x, nil,
		models.FeedForwardOptions{Hidden: []int{3}, Activation: models.Tanh, NoiseVariance: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	sets := must.Get(tempering.NewSets(x, nil,
		tempering.Config{Hidden: 3, Activation: models.Tanh, NoiseVariance: 0.2, Seed: 1}))(t)
	list := [][]int{{}, {0}, {0, 1}}
	var parents []nodescore.Family
	for _, s := range list {
		parents = append(parents, nodescore.Family{Of: 2, Set: s})
	}
	want := must.Get(sets.Estimate(context.Background(), parents, 1024))(t)
	for k, e := range estimates(t, lik, 2, list, 256) {
		spread := 4 * math.Hypot(e.StandardError, math.Abs(want[k].Halves[0]-want[k].Halves[1])/2+
			0.05)
		t.Logf("parents %v: %.3f ± %.3f (halves %.3f), want %.3f (%.3f); broad %v, effective "+
			"size %.2f, %d temperatures", e.Set, e.LogEvidence, e.StandardError, e.Halves,
			want[k].LogEvidence, want[k].Halves, e.Broad, e.EffectiveSize, e.Temperatures)
		if !(math.Abs(e.LogEvidence-want[k].LogEvidence) <= spread) {
			t.Errorf("parents %v: ln evidence %v ± %v, want %v", e.Set, e.LogEvidence,
				e.StandardError, want[k].LogEvidence)
		}
	}
}

// What cannot be integrated is an error of one line, and a prior that is no density has a mass that
// says so.
func TestErrors(t *testing.T) {
	x := chain(20, 2, 5)
	log, sd, err := newSets(t, scale{x, "unnormalised"},
		evidence.Config{}).LogPriorMasses(context.Background(), nodescore.Families(1, nil), 512)
	if want := 0.5 * math.Log(2*math.Pi); err != nil || !(math.Abs(log[0]-want) <= 5*sd[0]) ||
		sd[0] > 0.1 {
		t.Errorf("log mass of the prior %v ± %v, %v; want %v", log, sd, err, want)
	}
	for kind, want := range map[string]string{"flat": "the prior density does not fall",
		"nan": "the log density is not finite at any of 6 initial parameters"} {
		s := newSets(t, scale{x, kind}, evidence.Config{})
		if kind == "nan" {
			_, err = s.Estimate(context.Background(), nodescore.Families(1, nil), 64)
		} else {
			_, _, err = s.LogPriorMasses(context.Background(), nodescore.Families(1, nil), 64)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", kind, err, want)
		}
	}
}

// A still likelihood starts at the same place every time, where gradients vanish.
type still struct{ scale }

func (still) InitParams(dst []float64, _ *rand.Rand) { clear(dst) }

// Initial parameters that are always 0 lead to both maxima, and leave no parameter out.
func TestEqualStarts(t *testing.T) {
	m := scale{chain(40, 2, 5), "two"}
	want, got := estimates(t, m, 1, [][]int{{}}, 512)[0],
		estimates(t, still{m}, 1, [][]int{{}}, 512)[0]
	if off := math.Abs(got.LogEvidence - want.LogEvidence); off > 5*math.Hypot(got.StandardError,
		want.StandardError) {
		t.Errorf("ln evidence %v ± %v, want %v ± %v", got.LogEvidence, got.StandardError,
			want.LogEvidence, want.StandardError)
	}
}

// A shared has the same parameter in all terms.
type shared struct{ scale }

func (m shared) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	prior, data = m.scale.Terms(g, theta)
	return prior, data.Add(theta.Index(0, 0))
}

func TestSharedParameters(t *testing.T) {
	s := newSets(t, shared{scale{chain(20, 2, 5), "laplace"}}, evidence.Config{})
	var err error
	for j := range 2 {
		_, err = s.Estimate(context.Background(), nodescore.Families(j, nil), 64)
	}
	_, _, mass := s.LogPriorMasses(context.Background(), nodescore.Families(1, nil), 64)
	for _, err := range []error{err, mass} {
		if want := "variables 0 and 1 both depend on parameter 0"; err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// Without parameters the terms themselves are the evidence, of a likelihood without a soft form
// too: those of a graph sum to its density.
func TestNoParameters(t *testing.T) {
	x := chain(30, 3, 4)
	lik := must.Get(models.NewBGe(x, nil, models.BGeOptions{}))(t)
	g := must.Get(dag.FromEdges(3,
		[]dag.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}}))(t)
	sum := 0.0
	for j := range 3 {
		e := estimates(t, lik, j, [][]int{g.Parents(j)}, 64)[0]
		if sum += e.LogEvidence; e.StandardError != 0 {
			t.Errorf("standard error %v of variable %d, want 0", e.StandardError, j)
		}
	}
	if _, want, err := models.LogJoint(lik, []*dag.Graph{g}, nil); err != nil ||
		!(math.Abs(sum-want[0]) <= 1e-9*math.Abs(sum)) {
		t.Errorf("ln evidence %v, want %v, %v", sum, want, err)
	}
}

// Draws have the graph of their estimates, and weights with the moments of the posterior; the same
// bits with any number of workers.
func TestDraw(t *testing.T) {
	x := chain(60, 3, 8)
	exact := must.Get(score.NewLinear(x, nil,
		score.LinearOptions{NoiseVariance: 0.2, EdgeVariance: 1, NoIntercept: true}))(t)
	lik := must.Get(models.NewLinear(x, nil, models.LinearOptions{NoiseVariance: 0.2}))(t)
	draw := func(workers int) (rows [][]float64) {
		s := newSets(t, lik, evidence.Config{Seed: 1, Workers: workers})
		var parents []*evidence.Estimate
		for j, set := range [][]int{{}, {0}, {0, 1}} {
			all := must.Get(s.Estimate(context.Background(), nodescore.Families(j, set), 512))(t)
			parents = append(parents, all...)
		}
		for k := range 64 {
			g, theta := s.Draw(parents, k)
			if len(g.Edges()) != 3 {
				t.Fatalf("edges %v of a draw", g.Edges())
			}
			rows = append(rows, theta)
		}
		return rows
	}
	rows := draw(1)
	for k, row := range draw(3) {
		if !slices.Equal(row, rows[k]) {
			t.Fatalf("draw %d with 3 workers: %v, want %v", k, row, rows[k])
		}
	}
	want := exact.Equation(2, []int{0, 1})
	for i := range 2 {
		var w []float64
		for _, row := range rows {
			w = append(w, row[lik.(models.Weighted).EdgeWeight(i, 2)])
		}
		mean, sd := stat.MeanStdDev(w, nil)
		exactSD := math.Sqrt(want.Cov.At(i, i))
		// five standard errors of 64 draws
		if !(math.Abs(mean-want.Mean[i]) <= 5*exactSD/8) ||
			!(math.Abs(math.Log(sd/exactSD)) <= 0.5) {
			t.Errorf("weight of %d: %v ± %v, want %v ± %v", i, mean, sd, want.Mean[i], exactSD)
		}
	}
}

// With another seed estimates are those that were made with it, to the bit, whatever the first has
// estimated before.
func TestWithSeed(t *testing.T) {
	m := scale{chain(20, 2, 5), "two"}
	first := newSets(t, m, evidence.Config{Seed: 1})
	log := func(s *evidence.Sets) float64 {
		all := must.Get(s.Estimate(context.Background(), nodescore.Families(1, nil), 64))(t)
		return all[0].LogEvidence
	}
	if one, got, want := log(first), log(first.WithSeed(2)),
		log(newSets(t, m, evidence.Config{Seed: 2})); got != want || one == want {
		t.Errorf("ln evidence %v with seed 1, %v with 2 after it, want %v", one, got, want)
	}
}

// A cancelled context ends estimates with its cause.
func TestCancelled(t *testing.T) {
	s := newSets(t, scale{chain(20, 2, 5), "two"}, evidence.Config{})
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	if _, err := s.Estimate(ctx, nodescore.Families(1, nil), 64); !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
	if _, _, err := s.LogPriorMasses(ctx, nodescore.Families(1, nil), 64); !errors.Is(err, cause) {
		t.Errorf("mass of the prior: error %v, want %v", err, cause)
	}
}

// No goroutine is left after Close.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(evidence.New(scale{chain(20, 2, 5), "laplace"},
			evidence.Config{Workers: 2}))(t)
		defer s.Close()
		for range 2 { // the second time with the program of the first
			must.Get(s.Estimate(t.Context(), nodescore.Families(1, nil), 64))(t)
		}
	})
}

// Guesses of linear equations with known noise are exact, in whatever sequence sets are guessed,
// and so they are for sets of all variables together.
func TestGuess(t *testing.T) {
	const d = 5
	exact, lik := linear(t, d)
	s := newSets(t, lik, evidence.Config{})
	var list []nodescore.Family
	for j := range d {
		list = append(list, nodescore.Families(j, allSets(j)...)...)
	}
	for _, part := range [][]nodescore.Family{list[len(list)-9:], list} {
		logs := must.Get(s.Guess(t.Context(), part))(t)
		for k, f := range part {
			if want := exact.LogScore(f.Of, f.Set); math.Abs(logs[k]-want) > 1e-4 {
				t.Errorf("variable %d, parents %v: guess %v, want %v", f.Of, f.Set, logs[k], want)
			}
		}
	}
}

// Sets of different variables that are estimated together share evaluations of the program, and
// have the estimates that each has alone.
func TestTogether(t *testing.T) {
	x := chain(20, 4, 5)
	for _, kind := range []string{"laplace", "two", "cut"} {
		s := newSets(t, scale{x, kind}, evidence.Config{})
		var list []nodescore.Family
		for j := range 4 {
			list = append(list, nodescore.Family{Of: j}, nodescore.Family{Of: j})
		}
		all := must.Get(s.Estimate(t.Context(), list, 64))(t)
		for k, f := range list {
			one := must.Get(newSets(t, scale{x, kind}, evidence.Config{}).Estimate(t.Context(),
				list[k:k+1], 64))(t)
			if got, want := all[k].LogEvidence, one[0].LogEvidence; math.Abs(got-want) > 1e-9 {
				t.Errorf("%s, variable %d: %v together, %v alone", kind, f.Of, got, want)
			}
		}
	}
}

// Standard errors are as large as the errors, over 200 seeds.
func TestStandardErrorsOverSeeds(t *testing.T) {
	for _, c := range []struct {
		kind   string
		rows   int
		points int
		prior  bool
	}{{"laplace", 10, 128, false}, {"cubic", 1, 128, false}, {"unnormalised", 3, 128, true}} {
		m := scale{chain(c.rows, 2, 5), c.kind}
		s := newSets(t, m, evidence.Config{})
		want := m.logEvidence(1)
		if c.prior {
			want = 0.5 * math.Log(2*math.Pi)
		}
		ratios, sum := 0.0, 0.0
		const seeds = 200
		for seed := range uint64(seeds) {
			var log, sd float64
			if c.prior {
				logs, errs := must.Two(s.WithSeed(seed).LogPriorMasses(context.Background(),
					nodescore.Families(1, nil), c.points))(t)
				log, sd = logs[0], errs[0]
			} else {
				all := must.Get(s.WithSeed(seed).Estimate(context.Background(),
					nodescore.Families(1, nil), c.points))(t)
				log, sd = all[0].LogEvidence, all[0].StandardError
			}
			z := (log - want) / sd
			ratios += z * z / seeds
			sum += (log - want) / seeds
		}
		// Few points that all miss the tails agree too well: the ratio is a little above 1.
		if r := math.Sqrt(ratios); r < 0.85 || r > 1.25 || !(math.Abs(sum) <= 0.01) {
			t.Errorf("%s: errors are %.2f times their standard errors, %.3f on average", c.kind, r,
				sum)
		}
	}
}
