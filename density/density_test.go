package density_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/density"
	"tobac/internal/must"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func value(t *testing.T, x []float64, f func(x *autograd.Node) *autograd.Node) []float64 {
	t.Helper()
	b := autograd.NewBuilder("value")
	in := b.Input("x", autograd.Shape{len(x)})
	y := f(in)
	e := must.Get(autograd.NewEvaluator([]*autograd.Node{in}, []*autograd.Node{y},
		autograd.Options{}))(t)
	defer e.Close()
	out := make([]float64, y.Shape().Len())
	must.Do(t, e.Eval([][]float64{out}, []autograd.Feed{{Data: x}}))
	return out
}

// Mistakes are errors that name the parameter or the data.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		model func(t *density.Trace)
		data  map[string][]float64
		want  string
	}{
		{func(t *density.Trace) {}, nil, "no parameters"},
		{func(t *density.Trace) {
			t.Sample("x", density.Normal(0, 1))
			t.Sample("x", density.Normal(0, 1))
		}, nil, `name "x"`},
		{func(t *density.Trace) { t.Sample("k", density.PoissonLog(0)) }, nil,
			"parameter k: poisson"},
		{func(t *density.Trace) { t.Parameter("w", density.Simplex()) }, nil, "parameter w: shape"},
		{func(t *density.Trace) {
			t.Observe(density.Normal(t.Sample("mu", density.Normal(0, 1), 3), 1),
				t.Sample("x", density.Normal(0, 1)))
		}, nil, "densities of shape"},
		{func(t *density.Trace) {
			t.Observe(density.Normal(t.Sample("mu", density.Normal(0, 1)), 1), t.Data("y", 2))
		}, nil, "data y is missing"},
		{func(t *density.Trace) {
			t.Observe(density.Normal(t.Sample("mu", density.Normal(0, 1)), 1), t.Data("y", 2))
		}, map[string][]float64{"y": {1}}, "data y: got 1 values, want 2"},
		{func(t *density.Trace) {
			t.Observe(density.PoissonLog(t.Sample("mu", density.Normal(0, 1))), t.Data("y", 2))
		}, map[string][]float64{"y": {1, 0.5}},
			"data y: value 1 is 0.5, want a whole number from 0 (poisson)"},
		{func(t *density.Trace) {
			t.Sample("mu", density.Normal(t.Constant([]float64{1, 2}, 2), 1), 3)
		}, nil, "parameter mu (normal)"},
		{func(t *density.Trace) { t.Sample("x", density.Truncated(density.VonMises(1, 1), 1, 2)) },
			nil, "parameter x: truncated von mises"},
		{func(t *density.Trace) { t.Sample("x", density.Truncated(density.Normal(0, 1), 2, 1)) },
			nil, "want an increasing pair"},
		{func(t *density.Trace) { t.Sample("x", density.ZeroInflated(0.2, density.Normal(0, 1))) },
			nil, "whole numbers"},
		{func(t *density.Trace) {
			t.Sample("x", density.Mixture([]float64{1}, density.Normal(0, 1), density.Poisson(1)))
		}, nil, "other kinds"},
		{func(t *density.Trace) { t.Sample("x", density.Beta(1, 1).Ordered(), 2) }, nil,
			"ordered beta"},
		{func(t *density.Trace) { t.Sample("x", density.LKJCholesky(3, 1), 3) }, nil,
			"parameter x: shape [3]"},
		{func(t *density.Trace) { t.Sample("x", density.Normal(0, 1)); t.Batch("y", 3, 2) },
			map[string][]float64{"y": {1, 2, 3}}, "batch y"},
	} {
		if m, err := density.New(c.model, density.Options{Data: c.data}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
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

// A model is a target of svgd; data change without compiling again; a point without a density
// is named by Score and NaN for LogDensity, where the others hold.
func TestModel(t *testing.T) {
	m := must.Get(density.New(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(0, 1))
		t.Observe(density.Normal(x, 1), t.Data("y"))
		t.Add(x.Sqrt().Scale(0))
	}, density.Options{Points: 2, Data: map[string][]float64{"y": {3}}}))(t)
	defer m.Close()
	x, grad, logp := mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(
		2,
		1,
		nil,
	), make([]float64, 2)
	for _, y := range []float64{3, 7} {
		must.Do(t, m.SetData("y", []float64{y}))
		if err := m.Score(
			[]*mat.Dense{grad},
			[]*mat.Dense{x},
			0,
		); err != nil || grad.At(0, 0) != y-2 ||
			grad.At(1, 0) != y-4 {
			t.Errorf("y = %v: %v, %v", y, grad.RawMatrix().Data, err)
		}
	}
	x.Set(0, 0, -1)
	if err := m.Score([]*mat.Dense{grad}, []*mat.Dense{x}, 0); !errors.As(err,
		new(interface{ Outside() []int })) ||
		!strings.Contains(err.Error(), "point 0: the log density is NaN") || grad.At(1, 0) != 3 {
		t.Errorf("%v, want an error of point 0", err)
	}
	if err := m.LogDensity(logp, grad, x); err != nil || !math.IsNaN(logp[0]) ||
		grad.At(1, 0) != 3 {
		t.Errorf("%v, %v, %v", logp, grad.RawMatrix().Data, err)
	}
	values, err := m.Draws([]*mat.Dense{mat.NewDense(3, 1, []float64{1, 2, 3})})
	if err != nil || !mat.Equal(values[0], mat.NewDense(3, 1, []float64{1, 2, 3})) {
		t.Errorf("%v, %v", values, err)
	}
}

// Everything that a model of several kinds of parameters can be asked for.
func regression(t *density.Trace) {
	x, y := t.Data("x", 4, 2), t.Data("y", 4)
	beta := t.Sample("beta", density.Normal(0, 2), 2)
	sigma := t.Sample("sigma", density.Gamma(3, 2))
	cut := t.Sample("cut", density.Normal(beta.Index(0, 0), sigma).Ordered(), 2)
	t.Observe(density.Normal(x.MatVec(beta), sigma), y)
	t.Observe(density.OrderedLogistic(y.Mul(sigma), cut), t.Data("k", 4))
}

func newRegression(t *testing.T, points int) *density.Model {
	t.Helper()
	m, err := density.New(regression, density.Options{Points: points, Data: map[string][]float64{
		"x": {1, 2, 0, 1, -1, 3, 2, 2}, "y": {0.3, 1, -0.4, 2}, "k": {0, 2, 1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// Coordinates of values are those that give the values; Hessian products are differences of
// gradients; the parts of a tempered density add to the whole; likelihoods of single
// values add to what is not the prior.
func TestParts(t *testing.T) {
	m := newRegression(t, 3)
	at := must.Get(m.Coordinates(
		map[string][]float64{"beta": {0.3, -1}, "sigma": {0.7}, "cut": {-1, 2}},
	))(t)
	_, d := m.Dims()
	x := mat.NewDense(3, d, nil)
	for k := range 3 {
		x.SetRow(k, at)
	}
	values := mat.NewDense(3, d, nil)
	must.Do(t, m.Values(values, x))
	if want := []float64{
		0.3,
		-1,
		0.7,
		-1,
		2,
	}; !floats.EqualApprox(values.RawRowView(2), want, 1e-14) {
		t.Errorf("values %v, want %v", values.RawRowView(2), want)
	}
	const h = 1e-5
	v := mat.NewDense(3, d, []float64{1, 0, 0, 0, 0, 0.2, -1, 0.5, 2, 1, 0, 0, 1, 0, -1})
	product, grads := mat.NewDense(3, d, nil), [2]*mat.Dense{
		mat.NewDense(3, d, nil),
		mat.NewDense(3, d, nil),
	}
	must.Do(t, m.HessianProduct(product, x, v))
	logs := make([]float64, 3)
	for i, sign := range []float64{h, -h} {
		moved := mat.NewDense(3, d, nil)
		moved.Scale(sign, v)
		moved.Add(moved, x)
		must.Do(t, m.LogDensity(logs, grads[i], moved))
	}
	grads[0].Sub(grads[0], grads[1])
	grads[0].Scale(1/(2*h), grads[0])
	if !mat.EqualApprox(product, grads[0], 1e-7) {
		t.Errorf(
			"Hessian products %v, differences %v",
			product.RawMatrix().Data,
			grads[0].RawMatrix().Data,
		)
	}
	prior, rest, grad, whole := make([]float64, 3), make(
		[]float64,
		3,
	), mat.NewDense(3, d, nil), mat.NewDense(3, d, nil)
	must.Do(t, m.Tempered(1, prior, rest, grad, x))
	must.Do(t, m.LogDensity(logs, whole, x))
	if math.Abs(prior[1]+rest[1]-logs[1]) > 1e-12 || !mat.EqualApprox(grad, whole, 1e-12) {
		t.Errorf("prior %v and rest %v, in all %v", prior[1], rest[1], logs[1])
	}
	each := must.Get(m.Likelihoods([]*mat.Dense{x}))(t)
	if sum := floats.Sum(each[0].RawRowView(0)); math.Abs(sum-rest[0]) > 1e-12 {
		t.Errorf("likelihoods add to %v, want %v", sum, rest[0])
	}
	if _, err := m.Coordinates(
		map[string][]float64{"beta": {0, 0}, "sigma": {-1}, "cut": {0, 1}},
	); err == nil ||
		!strings.Contains(err.Error(), "sigma") {
		t.Errorf("%v, want an error of sigma", err)
	}
}

// Draws of the prior and predictions are the same, to rounding, for any number of points at once;
// those of a normal model have its moments.
func TestPredict(t *testing.T) {
	var first *mat.Dense
	for _, points := range []int{1, 5, 64} {
		m := newRegression(t, points)
		x := must.Get(m.Prior(50, 9))(t)
		y := must.Get(m.Predict([]*mat.Dense{x, x}, 2))(t)
		if first == nil {
			first = y[1]
		}
		if !mat.EqualApprox(first, y[1], 1e-9) || mat.Equal(y[0], y[1]) {
			t.Errorf(
				"%d points: predictions differ from those of one, or chains have the same",
				points,
			)
		}
	}
	m := must.Get(density.New(func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(1, 2))
		t.Observe(density.Normal(mu, 1.5), t.Data("y", 2))
	}, density.Options{Points: 50, Data: map[string][]float64{"y": {0, 0}}}))(t)
	defer m.Close()
	x := must.Get(m.Prior(4000, 1))(t)
	y := must.Get(m.Predict([]*mat.Dense{x}, 1))(t)
	a, b := mat.Col(nil, 0, y[0]), mat.Col(nil, 1, y[0])
	mean, sd := stat.MeanStdDev(a, nil)
	// four standard errors; two values share mu: correlation 4/6.25
	if math.Abs(mean-1) > 0.16 || math.Abs(sd-2.5) > 0.12 ||
		math.Abs(stat.Correlation(a, b, nil)-0.64) > 0.04 {
		t.Errorf("%v ± %v, correlation %v", mean, sd, stat.Correlation(a, b, nil))
	}
	flat := must.Get(density.New(
		func(t *density.Trace) { t.Parameter("free", density.Real()) },
		density.Options{},
	))(t)
	defer flat.Close()
	if _, err := flat.Prior(1, 0); err == nil || !strings.Contains(err.Error(), "parameter free") {
		t.Errorf("%v, want an error of free", err)
	}
}

// The mean over steps of the gradient of a batch is the gradient of all rows; rows of a step
// belong together; the step is an input.
func TestBatch(t *testing.T) {
	const n, rows, steps = 40, 10, 2000
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = math.Sin(float64(i)), 2*math.Sin(float64(i))
	}
	model := func(rows int) *density.Model {
		m := must.Get(density.New(func(t *density.Trace) {
			slope := t.Sample("slope", density.Normal(0, 1))
			t.Observe(density.Normal(t.Batch("x", rows).Mul(slope), 1), t.Batch("y", rows))
			t.Add(slope.Mul(t.Step()).Scale(1e-3))
		}, density.Options{Points: 1, Data: map[string][]float64{"x": x, "y": y}}))(t)
		t.Cleanup(m.Close)
		return m
	}
	at, grad, whole := mat.NewDense(1, 1, []float64{0.5}), mat.NewDense(
		1,
		1,
		nil,
	), mat.NewDense(1, 1, nil)
	all, part, sum := model(n), model(rows), 0.0
	for step := range steps {
		must.Do(t, part.Score([]*mat.Dense{grad}, []*mat.Dense{at}, step))
		sum += grad.At(0, 0)
	}
	for step, want := range []float64{0, 1e-3} {
		must.Do(t, all.Score([]*mat.Dense{whole}, []*mat.Dense{at}, step))
		exact := -0.5 + want
		for i := range x {
			exact += (y[i] - 0.5*x[i]) * x[i]
		}
		if math.Abs(whole.At(0, 0)-exact) > 1e-12 {
			t.Errorf("step %d: %v, want %v", step, whole.At(0, 0), exact)
		}
	}
	want := whole.At(0, 0) - 1e-3 + 1e-3*(steps-1)/2
	// single gradients have a standard deviation of about 8
	if math.Abs(sum/steps-want) > 4*8/math.Sqrt(steps) {
		t.Errorf("mean gradient %v, want %v", sum/steps, want)
	}
}

// A regression with a horseshoe prior.
func ExampleTrace_Horseshoe() {
	m, err := density.New(func(t *density.Trace) {
		x, y := t.Data("x", 3, 2), t.Data("y", 3)
		beta := t.Horseshoe("beta", t.Sample("tau", density.HalfCauchy(1)), 2)
		t.Observe(density.Normal(x.MatVec(beta), 1), y)
	}, density.Options{Data: map[string][]float64{"x": {1, 0, 0, 1, 1, 1}, "y": {2, 0, 2}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	fmt.Println(m.Names())
	// Output: [tau beta_z[0] beta_z[1] beta_local[0] beta_local[1] beta[0] beta[1]]
}
