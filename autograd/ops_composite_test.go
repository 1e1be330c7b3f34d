package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// TestComposites puts functions that are made of several ops through the checks
// of the op table.
func TestComposites(t *testing.T) {
	for _, r := range slices.Concat(compositeRows(), prodRows(), scanRows()) {
		t.Run(r.op, func(t *testing.T) { checkRow(t, r) })
	}
}

func compositeRows() []row {
	ndtr := func(x float64) float64 { return tail(-x) }
	positive := within(0.4, 6)
	variance := row{op: "variance"}
	for _, c := range []struct {
		shape ad.Shape
		axes  []int
	}{{ad.Shape{2, 3}, []int{0}}, {ad.Shape{2, 3}, []int{1, 0}}, {ad.Shape{5}, nil}} {
		axes := c.axes
		if axes == nil {
			axes = []int{0}
		}
		variance.cases = append(variance.cases, opCase{
			name: fmt.Sprint(c.shape, c.axes), shapes: []ad.Shape{c.shape},
			build: one(func(x *ad.Node) *ad.Node { return x.Variance(c.axes...) }),
			// half the mean squared difference of pairs
			want: folded(c.shape, axes, func(x []float64) float64 {
				s := 0.0
				for _, a := range x {
					for _, b := range x {
						s += (a - b) * (a - b)
					}
				}
				return s / float64(2*len(x)*len(x))
			}),
		})
	}
	variance.spots = []spot{{name: "far from zero", build: variance.cases[2].build,
		shapes: []ad.Shape{{3}}, at: [][]float64{{1e9, 1e9 + 3, 1e9 + 6}}, want: []float64{6},
		grad: [][]float64{{-2, 0, 2}}}}

	least := func(name string, axis int) opCase {
		return opCase{
			name: name, axes: []int{3, 2}, shapes: []ad.Shape{{2}}, over: [][]int{{0, 1}},
			build: func(a []*ad.Axis, x []*ad.Node) *ad.Node { return x[0].MinOver(a[axis]) },
			want:  folded(ad.Shape{3, 2, 2}, []int{axis}, slices.Min[[]float64]),
		}
	}
	return []row{
		variance,
		{op: "least over an axis", once: true,
			cases: []opCase{least("outer", 0), least("inner", 1)}},
		unary("normal distribution function", (*ad.Node).Ndtr, ndtr, nil).
			at("infinite", []float64{0, inf, -inf}, []float64{0.5, 1, 0},
				[]float64{normalDensity(0), 0, 0}).
			wide(-30, 5, ndtr),
		unary("gelu", (*ad.Node).Gelu, func(x float64) float64 { return x * ndtr(x) }, nil).
			at("zero and large", []float64{0, 1e300, -1e300}, []float64{0, 1e300, 0},
				[]float64{0.5, 1, 0}).
			at("infinite", []float64{inf, -inf}, []float64{inf, nan}, nil),
		binary("log-beta", (*ad.Node).LogBeta, func(x, y float64) float64 {
			return logGamma(x) + logGamma(y) - logGamma(x+y)
		}, positive).
			pairs("one", []float64{1, 3, 0}, []float64{4, 1, 2},
				[]float64{-math.Log(4), -math.Log(3), inf}, nil, nil),
	}
}

// prodRows: the product of elements, with and without zeros among them.
func prodRows() []row {
	product := func(x []float64) float64 {
		p := 1.0
		for _, v := range x {
			p *= v
		}
		return p
	}
	// zeros draws normals, but for one or two zeros.
	zeros := func(rng *rand.Rand, _, size int) []float64 {
		x := normals(rng, size)
		x[rng.IntN(size)], x[rng.IntN(size)] = 0, 0
		return x
	}
	several, unit := row{op: "product"}, row{op: "product of one", once: true}
	for _, c := range []struct {
		shape ad.Shape
		axes  []int
	}{{ad.Shape{2, 3}, []int{1}}, {ad.Shape{2, 3}, []int{0}}, {ad.Shape{2, 3}, []int{0, 1}},
		{ad.Shape{7}, nil}, {ad.Shape{2, 3, 2}, []int{0, 2}}, {ad.Shape{1, 3}, []int{0}},
		{ad.Shape{1}, nil}} {
		axes := c.axes
		if axes == nil {
			axes = []int{0}
		}
		one := opCase{
			name: fmt.Sprint(c.shape, c.axes), shapes: []ad.Shape{c.shape},
			build: one(func(x *ad.Node) *ad.Node { return x.Prod(c.axes...) }),
			want:  folded(c.shape, axes, product),
		}
		if c.shape[axes[0]] == 1 {
			unit.cases = append(unit.cases, one)
			continue
		}
		some := one
		some.name += " with zeros"
		some.sample = zeros
		several.cases = append(several.cases, one, some)
	}
	all := one(func(x *ad.Node) *ad.Node { return x.Prod() })
	several.spots = []spot{
		{name: "a zero", build: all, shapes: []ad.Shape{{3}}, at: [][]float64{{0, 2, 3}},
			want: []float64{0}, grad: [][]float64{{6, 0, 0}}},
		{name: "two zeros", build: all, shapes: []ad.Shape{{3}}, at: [][]float64{{0, 2, 0}},
			want: []float64{0}, grad: [][]float64{{0, 0, 0}}},
		{name: "ones", build: all, shapes: []ad.Shape{{5}}, at: [][]float64{{1, 1, 1, 1, 1}},
			want: []float64{1}, grad: [][]float64{{1, 1, 1, 1, 1}}},
	}
	return []row{several, unit}
}

func scanRows() []row {
	running := func(combine func(x []float64) float64) func(group []float64) []float64 {
		return func(group []float64) []float64 {
			y := make([]float64, len(group))
			for i := range group {
				y[i] = combine(group[:i+1])
			}
			return y
		}
	}
	scan := func(name string, build func(x *ad.Node, axis int) *ad.Node,
		combine func([]float64) float64, once bool) row {
		r := row{op: name, once: once}
		for _, c := range []struct {
			shape ad.Shape
			axis  int
		}{{ad.Shape{2, 3}, 1}, {ad.Shape{3, 2}, 0}, {ad.Shape{7}, 0}, {ad.Shape{8}, 0},
			{ad.Shape{2, 5, 2}, 1}} {
			r.cases = append(r.cases, opCase{
				name: fmt.Sprint(c.shape, c.axis), shapes: []ad.Shape{c.shape},
				build: one(func(x *ad.Node) *ad.Node { return build(x, c.axis) }),
				want:  along(c.shape, c.axis, running(combine)),
			})
		}
		return r
	}
	lse := scan("cumulative log-sum-exp", (*ad.Node).LogCumSumExp, logSumExp, false)
	build := lse.cases[2].build
	lse.spots = []spot{
		{name: "large", build: build, shapes: []ad.Shape{{3}}, at: [][]float64{{1000, 1000, -1000}},
			want: []float64{1000, 1000 + math.Ln2, 1000 + math.Ln2}, grad: [][]float64{{2, 1, 0}}},
		{name: "rising by thousands", build: build, shapes: []ad.Shape{{3}},
			at: [][]float64{{-1000, 0, 1000}}, want: []float64{-1000, 0, 1000},
			grad: [][]float64{{1, 1, 1}}},
		{name: "an element at -Inf", build: build, shapes: []ad.Shape{{3}},
			at: [][]float64{{0, -inf, 0}}, want: []float64{0, 0, math.Ln2},
			grad: [][]float64{{2.5, 0, 0.5}}},
		{name: "starting at -Inf", build: build, shapes: []ad.Shape{{3}},
			at: [][]float64{{-inf, 0, 0}}, want: []float64{-inf, 0, math.Ln2},
			grad: [][]float64{{1, 1.5, 0.5}}},
		{name: "two leading at -Inf", build: build, shapes: []ad.Shape{{3}},
			at: [][]float64{{-inf, -inf, 0}}, want: []float64{-inf, -inf, 0},
			grad: [][]float64{{nan, nan, 1}}},
	}
	return []row{scan("cumulative sum", (*ad.Node).CumSum, sum, true), lse}
}

// TestSoftmaxSums: weights sum to 1 to rounding whatever the size of their logarithms,
// and so do the derivatives of log-sum-exp, over dimensions and over a mapped axis.
func TestSoftmaxSums(t *testing.T) {
	const n = 100
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []float64{0, 1, 1e3, 1e7, 1e12, 1e300} {
		x := normals(rng, n)
		for i := range x {
			x[i] += size
		}
		for _, sign := range []float64{1, -1} {
			for i := range x {
				x[i] *= sign
			}
			for name, w := range softmaxes(t, x) {
				if got := sum(w); !(math.Abs(got-1) <= 1e-14) {
					t.Errorf("%s of values near %v: the weights sum to 1 + %g", name, sign*size,
						got-1)
				}
			}
		}
	}
}

// softmaxes are the weights of x by every way to them, on every engine.
func softmaxes(t *testing.T, x []float64) map[string][]float64 {
	b := ad.NewBuilder("softmax")
	a := b.Axis("sample", len(x))
	v, m := b.Input("v", ad.Shape{len(x)}), b.Input("m", ad.Shape{}, a)
	out := nodes(v.Softmax(0), b.Grad(v.LogSumExp(), v)[0], m.SoftmaxOver(a),
		b.Grad(m.LogSumExpOver(a), m)[0])
	must.Do(t, b.Err())
	names := []string{"Softmax", "derivative of LogSumExp", "SoftmaxOver",
		"derivative of LogSumExpOver"}
	all := map[string][]float64{}
	for _, engine := range engines {
		for i, w := range eval(t, nodes(v, m), out, [][]float64{x, x}, ad.Options{Engine: engine}) {
			all[fmt.Sprintf("%s on the %v engine", names[i], engine)] = w
		}
	}
	return all
}
