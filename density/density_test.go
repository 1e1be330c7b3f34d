package density_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/density"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

func value(t *testing.T, x []float64, f func(x *autograd.Node) *autograd.Node) []float64 {
	t.Helper()
	b := autograd.NewBuilder("value")
	in := b.Input("x", autograd.Shape{len(x)})
	y := f(in)
	e, err := autograd.NewEvaluator([]*autograd.Node{in}, []*autograd.Node{y}, autograd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	out := make([]float64, y.Shape().Len())
	if err := e.Eval([][]float64{out}, []autograd.Feed{{Data: x}}); err != nil {
		t.Fatal(err)
	}
	return out
}

type logProber interface{ LogProb(x float64) float64 }

// plain are log densities that gonum lacks, or has for other parameters.
type plain func(x float64) float64

func (f plain) LogProb(x float64) float64 { return f(x) }

func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

func choose(n, k float64) float64 { return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1) }

// Every density equals an independent one, in the tails too, and has the right derivatives, by its parameters as well.
func TestDistributions(t *testing.T) {
	real, positive, unit := []float64{-300, -3, -0.1, 0.4, 2, 200}, []float64{1e-4, 0.3, 1, 2.5, 60}, []float64{1e-9, 0.2, 0.7, 0.9999}
	counts, binary := []float64{0, 1, 4, 7}, []float64{0, 1}
	p := 1 / (1 + math.Exp(0.7))
	for _, c := range []struct {
		of     func(a, b *autograd.Node) density.Distribution
		want   logProber
		x      []float64
		whole  bool
		params []float64
	}{
		{func(a, b *autograd.Node) density.Distribution { return density.Normal(a, b) }, distuv.Normal{Mu: 0.3, Sigma: 1.7}, real, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.HalfNormal(b) }, plain(func(x float64) float64 { return math.Ln2 + distuv.Normal{Sigma: 1.7}.LogProb(x) }), positive, false, []float64{0, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Cauchy(a, b) }, distuv.StudentsT{Mu: 0.3, Sigma: 1.7, Nu: 1}, real, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.HalfCauchy(b) }, plain(func(x float64) float64 { return math.Ln2 + distuv.StudentsT{Sigma: 1.7, Nu: 1}.LogProb(x) }), positive, false, []float64{0, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.StudentsT(a, 0.6, b) }, distuv.StudentsT{Mu: 0.3, Sigma: 0.6, Nu: 1.7}, real, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Laplace(a, b) }, distuv.Laplace{Mu: 0.3, Scale: 1.7}, real, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Logistic(a, b) }, plain(func(x float64) float64 {
			z := math.Abs(x-0.3) / 1.7
			return -z - math.Log(1.7) - 2*math.Log1p(math.Exp(-z))
		}), real, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Gamma(a, b) }, distuv.Gamma{Alpha: 0.3, Beta: 1.7}, positive, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.InverseGamma(a, b) }, distuv.InverseGamma{Alpha: 0.3, Beta: 1.7}, positive, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Exponential(b) }, distuv.Exponential{Rate: 1.7}, positive, false, []float64{0, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Weibull(a, b) }, distuv.Weibull{K: 0.3, Lambda: 1.7}, positive, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.LogNormal(a, b) }, distuv.LogNormal{Mu: 0.3, Sigma: 1.7}, positive, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Pareto(a, b) }, distuv.Pareto{Xm: 0.3, Alpha: 1.7}, positive[1:], false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Beta(a, b) }, distuv.Beta{Alpha: 0.3, Beta: 1.7}, unit, false, []float64{0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.Uniform(a, b) }, distuv.Uniform{Min: -0.3, Max: 1.7}, unit, false, []float64{-0.3, 1.7}},
		{func(a, b *autograd.Node) density.Distribution { return density.BernoulliLogit(a) }, distuv.Bernoulli{P: p}, binary, true, []float64{-0.7, 1}},
		{func(a, b *autograd.Node) density.Distribution { return density.BinomialLogit(7, a) }, plain(func(x float64) float64 {
			return choose(7, x) + x*math.Log(p) + (7-x)*math.Log1p(-p)
		}), counts, true, []float64{-0.7, 1}},
		{func(a, b *autograd.Node) density.Distribution { return density.PoissonLog(a) }, distuv.Poisson{Lambda: math.Exp(-0.7)}, counts, true, []float64{-0.7, 1}},
		{func(a, b *autograd.Node) density.Distribution { return density.NegativeBinomialLog(a, b) }, plain(func(x float64) float64 {
			mean := math.Exp(-0.7)
			return lgamma(x+1.7) - lgamma(x+1) - lgamma(1.7) + 1.7*math.Log(1.7/(1.7+mean)) + x*math.Log(mean/(1.7+mean))
		}), counts, true, []float64{-0.7, 1.7}},
	} {
		b := autograd.NewBuilder("name")
		name := c.of(b.Scalar(1), b.Scalar(1)).String()
		got := value(t, c.x, func(x *autograd.Node) *autograd.Node {
			return c.of(x.Builder().Scalar(c.params[0]), x.Builder().Scalar(c.params[1])).LogProb(x)
		})
		for i, x := range c.x {
			want := c.want.LogProb(x)
			if d := math.Abs(got[i] - want); !(d <= 1e-11*math.Max(1, math.Abs(want))) {
				t.Errorf("%s at %v: %v, want %v", name, x, got[i], want)
			}
		}
		for _, x := range c.x[:len(c.x)-1] {
			at := [][]float64{c.params[:1], c.params[1:]}
			shapes := []autograd.Shape{{}, {}}
			if !c.whole {
				at, shapes = append(at, []float64{x}), append(shapes, autograd.Shape{})
			}
			err := gradtest.Check(func(b *autograd.Builder, in []*autograd.Node) *autograd.Node {
				v := b.Scalar(x)
				if !c.whole {
					v = in[2]
				}
				return c.of(in[0], in[1]).LogProb(v)
			}, at, shapes, gradtest.Options{Step: math.Min(0.01, math.Abs(x)/4+1e-12)})
			if err != nil && x > 1e-3 {
				t.Errorf("%s at %v: %v", name, x, err)
			}
		}
	}
}

// The Jacobian of every constraint is that of differences, and values are in the set.
func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		constraint density.Constraint
		shape      autograd.Shape
		free       int
		in         func(x []float64) bool
	}{
		{density.Real(), autograd.Shape{3}, 3, func(x []float64) bool { return true }},
		{density.Positive(), autograd.Shape{3}, 3, func(x []float64) bool { return x[0] > 0 && x[1] > 0 && x[2] > 0 }},
		{density.Above(-2), autograd.Shape{3}, 3, func(x []float64) bool { return x[0] > -2 && x[1] > -2 && x[2] > -2 }},
		{density.Bounded(-1, 2.5), autograd.Shape{2}, 2, func(x []float64) bool { return x[0] > -1 && x[1] < 2.5 }},
		{density.Ordered(), autograd.Shape{3}, 3, func(x []float64) bool { return x[0] < x[1] && x[1] < x[2] }},
		{density.Ordered(), autograd.Shape{1}, 1, func(x []float64) bool { return true }},
		{density.PositiveOrdered(), autograd.Shape{3}, 3, func(x []float64) bool { return 0 < x[0] && x[0] < x[1] && x[1] < x[2] }},
		{density.Simplex(), autograd.Shape{4}, 3, func(x []float64) bool { return math.Abs(x[0]+x[1]+x[2]+x[3]-1) < 1e-15 && x[3] > 0 }},
	} {
		u := []float64{0.3, -1.2, 0.8}[:c.free]
		jacobian := mat.NewDense(c.free, c.free, nil)
		at := func(u []float64) []float64 {
			return value(t, u, func(u *autograd.Node) *autograd.Node { x, _ := c.constraint.Value(u); return x })
		}
		if x := at(u); !c.in(x) || len(x) != c.shape.Len() {
			t.Errorf("%s: %v", c.constraint, x)
		}
		const h = 1e-5
		for j := range u {
			up, down := append([]float64{}, u...), append([]float64{}, u...)
			up[j], down[j] = u[j]+h, u[j]-h
			high, low := at(up), at(down)
			for i := range c.free {
				jacobian.Set(i, j, (high[i]-low[i])/(2*h))
			}
		}
		want, _ := mat.LogDet(jacobian)
		got := value(t, u, func(u *autograd.Node) *autograd.Node { _, j := c.constraint.Value(u); return j })[0]
		if math.Abs(got-want) > 1e-8 {
			t.Errorf("%s: log Jacobian %v, differences %v", c.constraint, got, want)
		}
	}
}

// With a distribution as its prior, the density in free coordinates has the integral 1.
func TestNormalisation(t *testing.T) {
	const n = 8001
	for _, d := range []density.Distribution{
		density.Normal(0.5, 1.5), density.HalfNormal(2), density.Gamma(2, 0.5), density.InverseGamma(2, 0.5), density.LogNormal(0.3, 0.7),
		density.Exponential(2), density.Weibull(1.5, 2), density.Pareto(2, 3), density.Beta(2, 0.7), density.Uniform(-1, 4), density.HalfCauchy(2),
		density.Logistic(0, 1), density.Laplace(1, 0.5), density.StudentsT(0, 1, 4),
	} {
		m, err := density.New(func(t *density.Trace) { t.Sample("x", d) }, density.Options{Points: n})
		if err != nil {
			t.Fatal(err)
		}
		u, grad, logs := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), make([]float64, n)
		for k := range n {
			u.Set(k, 0, 60*(float64(k)/(n-1)-0.5))
		}
		if err := m.LogDensity(logs, grad, u); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, l := range logs {
			sum += math.Exp(l) * 60 / (n - 1)
		}
		if math.Abs(sum-1) > 2e-4 {
			t.Errorf("%s: integral %v", d, sum)
		}
		m.Close()
	}
}

// Dirichlet of two is Beta.
func TestDirichlet(t *testing.T) {
	got := value(t, []float64{0.2, 0.8}, func(x *autograd.Node) *autograd.Node {
		return density.Dirichlet(x.Builder().Constant([]float64{1.5, 3}, autograd.Shape{2})).LogProb(x)
	})[0]
	if want := (distuv.Beta{Alpha: 1.5, Beta: 3}).LogProb(0.2); math.Abs(got-want) > 1e-13 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Mistakes are errors that name the parameter or the data.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		model func(t *density.Trace)
		data  map[string][]float64
		want  string
	}{
		{func(t *density.Trace) {}, nil, "no parameters"},
		{func(t *density.Trace) { t.Sample("x", density.Normal(0, 1)); t.Sample("x", density.Normal(0, 1)) }, nil, `name "x"`},
		{func(t *density.Trace) { t.Sample("k", density.PoissonLog(0)) }, nil, "parameter k: poisson"},
		{func(t *density.Trace) { t.Parameter("w", density.Simplex()) }, nil, "parameter w: shape"},
		{func(t *density.Trace) {
			t.Observe(density.Normal(t.Sample("mu", density.Normal(0, 1), 3), 1), t.Sample("x", density.Normal(0, 1)))
		}, nil, "densities of shape"},
		{func(t *density.Trace) {
			t.Observe(density.Normal(t.Sample("mu", density.Normal(0, 1)), 1), t.Data("y", 2))
		}, nil, "data y is missing"},
		{func(t *density.Trace) {
			t.Observe(density.Normal(t.Sample("mu", density.Normal(0, 1)), 1), t.Data("y", 2))
		}, map[string][]float64{"y": {1}}, "data y: got 1 values, want 2"},
		{func(t *density.Trace) { t.Sample("mu", density.Normal(0, 1)) }, map[string][]float64{"y": {1}}, "no data y"},
	} {
		if m, err := density.New(c.model, density.Options{Data: c.data}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v, want %q", m, err, c.want)
		}
	}
}

// Eight schools, and its log density at a point.
func ExampleNew() {
	m, err := density.New(func(t *density.Trace) {
		y, sigma := t.Data("y", 8), t.Data("sigma", 8)
		mu := t.Sample("mu", density.Normal(0, 5))
		tau := t.Sample("tau", density.HalfCauchy(5))
		theta := mu.Add(tau.Mul(t.Sample("t", density.Normal(0, 1), 8)))
		t.Record("theta", theta)
		t.Observe(density.Normal(theta, sigma), y)
	}, density.Options{Points: 1, Data: map[string][]float64{
		"y":     {28, 8, -3, 7, -1, 1, 18, 12},
		"sigma": {15, 10, 16, 11, 9, 11, 10, 18},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	points, coordinates := m.Dims()
	logp, grad := make([]float64, points), mat.NewDense(points, coordinates, nil)
	if err := m.LogDensity(logp, grad, mat.NewDense(points, coordinates, nil)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f %.3f\n", logp[0], grad.At(0, 0))
	fmt.Println(m.Names()[:3])
	// Output:
	// -43.436 0.464
	// [mu tau t[0]]
}

// A model is a target of svgd; data change without compiling again; a point without a density is named by Score and NaN for
// LogDensity, where the others hold.
func TestModel(t *testing.T) {
	m, err := density.New(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(0, 1))
		t.Observe(density.Normal(x, 1), t.Data("y"))
		t.Add(x.Sqrt().Scale(0))
	}, density.Options{Points: 2, Data: map[string][]float64{"y": {3}}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	x, grad, logp := mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, nil), make([]float64, 2)
	for _, y := range []float64{3, 7} {
		if err := m.SetData("y", []float64{y}); err != nil {
			t.Fatal(err)
		}
		if err := m.Score([]*mat.Dense{grad}, []*mat.Dense{x}, 0); err != nil || grad.At(0, 0) != y-2 || grad.At(1, 0) != y-4 {
			t.Errorf("y = %v: %v, %v", y, grad.RawMatrix().Data, err)
		}
	}
	x.Set(0, 0, -1)
	if err := m.Score([]*mat.Dense{grad}, []*mat.Dense{x}, 0); err == nil || !strings.Contains(err.Error(), "point 0") {
		t.Errorf("%v, want an error of point 0", err)
	}
	if err := m.LogDensity(logp, grad, x); err != nil || !math.IsNaN(logp[0]) || grad.At(1, 0) != 3 {
		t.Errorf("%v, %v, %v", logp, grad.RawMatrix().Data, err)
	}
	values, err := m.Draws([]*mat.Dense{mat.NewDense(3, 1, []float64{1, 2, 3})})
	if err != nil || !mat.Equal(values[0], mat.NewDense(3, 1, []float64{1, 2, 3})) {
		t.Errorf("%v, %v", values, err)
	}
}
