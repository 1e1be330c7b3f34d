package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	ad "tobac/autograd"
)

func rows() []row {
	var all []row
	all = append(all, unaryRows()...)
	all = append(all, gammaRows()...)
	all = append(all, binaryRows()...)
	all = append(all, selectRows()...)
	all = append(all, layoutRows()...)
	all = append(all, reduceRows()...)
	all = append(all, productRows()...)
	all = append(all, normalRows()...)
	all = append(all, besselRows()...)
	all = append(all, elementaryRows()...)
	all = append(all, comparisonRows()...)
	all = append(all, matrixRows()...)
	all = append(all, takeRows()...)
	return append(all, mappedRows()...)
}

var inf, nan = math.Inf(1), math.NaN()

// unary is the row of an element-wise function of one operand.
func unary(op string, build func(x *ad.Node) *ad.Node, f func(float64) float64, sample func(*rand.Rand, int, int) []float64) row {
	r := row{op: op}
	for _, shape := range []ad.Shape{{2, 3}, {}, {5}, {1}, {1, 1}} {
		r.cases = append(r.cases, opCase{
			name:   shape.String(),
			shapes: []ad.Shape{shape},
			build:  func(_ []*ad.Axis, x []*ad.Node) *ad.Node { return build(x[0]) },
			want: func(x [][]float64) []float64 {
				y := make([]float64, len(x[0]))
				for i, v := range x[0] {
					y[i] = f(v)
				}
				return y
			},
			sample: sample,
		})
	}
	return r
}

// at adds special values of a one-operand row with their results and slopes.
func (r row) at(name string, x, want, slope []float64) row {
	s := spot{name: name, shapes: []ad.Shape{{len(x)}}, at: [][]float64{x}, want: want}
	if slope != nil {
		s.grad = [][]float64{slope}
	}
	r.spots = append(r.spots, s)
	return r
}

// wide compares values over an interval element by element: an approximation
// that takes over somewhere has nowhere to hide.
func (r row) wide(lo, hi float64, f func(float64) float64) row {
	const points = 397
	s := spot{name: fmt.Sprintf("%v to %v", lo, hi), shapes: []ad.Shape{{points}}, each: true}
	x := make([]float64, points)
	for i := range x {
		x[i] = lo + (hi-lo)*float64(i)/(points-1)
		s.want = append(s.want, f(x[i]))
	}
	s.at = [][]float64{x}
	r.spots = append(r.spots, s)
	return r
}

// within draws uniformly from an interval.
func within(lo, hi float64) func(*rand.Rand, int, int) []float64 {
	return func(rng *rand.Rand, _, size int) []float64 {
		x := make([]float64, size)
		for i := range x {
			x[i] = lo + (hi-lo)*rng.Float64()
		}
		return x
	}
}

// offZero draws values of both signs at least 0.1 away from 0.
func offZero(rng *rand.Rand, _, size int) []float64 {
	x := normals(rng, size)
	for i := range x {
		x[i] += math.Copysign(0.1, x[i])
	}
	return x
}

// apart draws even operands near integers and odd ones near halves, so that no
// two operands tie.
func apart(rng *rand.Rand, i, size int) []float64 {
	x := make([]float64, size)
	for e := range x {
		x[e] = float64(rng.IntN(5)-2) + 0.5*float64(i%2) + 0.2*(2*rng.Float64()-1)
	}
	return x
}

func unaryRows() []row {
	power := unary("pow", func(x *ad.Node) *ad.Node { return x.Pow(1.5) }, func(x float64) float64 { return x * math.Sqrt(x) }, within(0.2, 3)).
		at("zero, one and large", []float64{0, 1, 1e200}, []float64{0, 1, 1e300}, []float64{0, 1.5, 1.5e100})
	cubicRoot := unary("pow", func(x *ad.Node) *ad.Node { return x.Pow(-1. / 3) }, func(x float64) float64 { return 1 / math.Cbrt(x) }, nil).cases[0]
	power.other = &cubicRoot
	negative := power.spots[0]
	negative.name, negative.at, negative.want, negative.grad = "negative base, whole exponent", [][]float64{{-2}}, []float64{16}, [][]float64{{-32}}
	negative.shapes = []ad.Shape{{1}}
	negative.build = func(_ []*ad.Axis, x []*ad.Node) *ad.Node { return x[0].Pow(4) }
	power.spots = append(power.spots, negative)

	neg := unary("neg", (*ad.Node).Neg, func(x float64) float64 { return 0 - x }, nil).
		wide(-50, 50, func(x float64) float64 { return -x }).
		at("zero and large", []float64{0, 1e300, -1e300}, []float64{0, -1e300, 1e300}, []float64{-1, -1, -1})
	abs := unary("abs", (*ad.Node).Abs, func(x float64) float64 { return math.Sqrt(x * x) }, offZero).
		wide(-50, 50, math.Abs).
		at("the kink", []float64{0, 1e300, -1e300}, []float64{0, 1e300, 1e300}, []float64{0, 1, -1})
	relu := unary("relu", (*ad.Node).Relu, func(x float64) float64 { return (x + math.Abs(x)) / 2 }, offZero).
		at("the kink", []float64{0, 1e300, -1e300}, []float64{0, 1e300, 0}, []float64{0, 1, 0})
	sign := unary("sign", (*ad.Node).Sign, func(x float64) float64 { return math.Copysign(1, x) }, offZero).
		at("zero, infinity, NaN", []float64{0, inf, -inf, nan}, []float64{0, 1, -1, nan}, nil)
	positive := unary("positive", (*ad.Node).Positive, func(x float64) float64 { return (1 + math.Copysign(1, x)) / 2 }, offZero).
		at("zero, infinity, NaN", []float64{0, inf, -inf, nan}, []float64{0, 1, 0, nan}, nil)
	for _, r := range []*row{&neg, &abs, &relu} {
		r.once = true
	}
	sign.constant, positive.constant = true, true

	e40 := math.Exp(-40)
	return []row{
		power, neg, abs, relu, sign, positive,
		unary("exp", (*ad.Node).Exp, func(x float64) float64 { return math.Pow(math.E, x) }, nil).
			wide(-745, 709, math.Exp).
			at("zero and large", []float64{0, -1000, 700, 1000, -inf}, []float64{1, 0, math.Exp(700), inf, 0}, []float64{1, 0, math.Exp(700), inf, 0}),
		unary("log", (*ad.Node).Log, func(x float64) float64 { return math.Log10(x) * math.Ln10 }, within(0.3, 4)).
			wide(1e-3, 100, math.Log).
			at("zero and large", []float64{1, 0, inf}, []float64{0, -inf, inf}, []float64{1, inf, 0}),
		unary("log1p", (*ad.Node).Log1p, func(x float64) float64 { return math.Log(1 + x) }, within(-0.7, 4)).
			wide(-0.999, 50, math.Log1p).
			at("small", []float64{0, 1e-20, -1e-20}, []float64{0, 1e-20, -1e-20}, []float64{1, 1, 1}).
			at("the pole", []float64{-1}, []float64{-inf}, []float64{inf}),
		unary("expm1", (*ad.Node).Expm1, func(x float64) float64 { return math.Exp(x) - 1 }, nil).
			wide(-50, 50, math.Expm1).
			at("small", []float64{0, 1e-20, -1e-20}, []float64{0, 1e-20, -1e-20}, []float64{1, 1, 1}).
			at("large", []float64{-1000}, []float64{-1}, []float64{0}),
		unary("sqrt", (*ad.Node).Sqrt, func(x float64) float64 { return math.Pow(x, 0.5) }, within(0.3, 4)).
			wide(0, 100, math.Sqrt).
			at("zero and large", []float64{0, 1, 1e300}, []float64{0, 1, 1e150}, []float64{inf, 0.5, 0.5e-150}).
			at("negative", []float64{-1}, []float64{nan}, []float64{nan}),
		unary("square", (*ad.Node).Square, func(x float64) float64 { return math.Pow(x, 2) }, nil).
			wide(-50, 50, func(x float64) float64 { return x * x }).
			at("zero and large", []float64{0, -3, 1e160}, []float64{0, 9, inf}, []float64{0, -6, 2e160}),
		unary("cube", (*ad.Node).Cube, func(x float64) float64 { return math.Pow(x, 3) }, nil).
			wide(-50, 50, func(x float64) float64 { return x * x * x }).
			at("zero and large", []float64{0, -3, -1e110}, []float64{0, -27, -inf}, []float64{0, 27, 3e220}),
		unary("inverse", (*ad.Node).Inverse, func(x float64) float64 { return math.Pow(x, -1) }, offZero).
			wide(-50, 51, func(x float64) float64 { return 1 / x }).
			at("zero and large", []float64{0, 1e300, -1e-100}, []float64{inf, 1e-300, -1e100}, []float64{-inf, 0, -1e200}),
		unary("sigmoid", (*ad.Node).Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, nil).
			wide(-700, 50, func(x float64) float64 { return math.Exp(x) / (1 + math.Exp(x)) }).
			at("zero", []float64{0}, []float64{0.5}, []float64{0.25}).
			at("negative", []float64{-40}, []float64{e40}, []float64{e40}).
			at("large", []float64{40, 800, -800}, []float64{1, 1, 0}, []float64{0, 0, 0}),
		unary("softplus", (*ad.Node).Softplus, func(x float64) float64 { return math.Log(1 + math.Exp(x)) }, nil).
			wide(-700, 50, func(x float64) float64 { return math.Log1p(math.Exp(x)) }).
			at("zero", []float64{0}, []float64{math.Ln2}, []float64{0.5}).
			at("negative", []float64{-40}, []float64{e40}, []float64{e40}).
			at("large", []float64{40, 800, -800}, []float64{40, 800, 0}, []float64{1, 1, 0}),
		unary("tanh", (*ad.Node).Tanh, func(x float64) float64 { return 1 - 2/(1+math.Exp(2*x)) }, nil).
			wide(-30, 30, math.Tanh).
			at("zero and large", []float64{0, 800, -800}, []float64{0, 1, -1}, []float64{1, 0, 0}),
		unary("sin", (*ad.Node).Sin, func(x float64) float64 { return 2 * math.Sin(x/2) * math.Cos(x/2) }, nil).
			wide(-30, 30, math.Sin).
			at("zero and large", []float64{0, 1e6}, []float64{0, math.Sin(1e6)}, []float64{1, math.Cos(1e6)}),
		unary("cos", (*ad.Node).Cos, func(x float64) float64 { return 1 - 2*math.Pow(math.Sin(x/2), 2) }, nil).
			wide(-30, 30, math.Cos).
			at("zero and large", []float64{0, 1e6}, []float64{1, math.Cos(1e6)}, []float64{0, -math.Sin(1e6)}),
	}
}

// bernoulli are the numbers B₂, B₄, … of the asymptotic series of the gamma
// functions; at arguments above gammaShift the series is exact to float64.
var bernoulli = []float64{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66}

const gammaShift = 30

// logGamma is Stirling's series at x + 30, less the logarithms in between.
func logGamma(x float64) float64 {
	y := x + gammaShift
	s := (y-0.5)*math.Log(y) - y + 0.5*math.Log(2*math.Pi)
	for i, b := range bernoulli {
		j := float64(2 * (i + 1))
		s += b / (j * (j - 1) * math.Pow(y, j-1))
	}
	for k := range gammaShift {
		s -= math.Log(x + float64(k))
	}
	return s
}

func digamma(x float64) float64 {
	y := x + gammaShift
	s := math.Log(y) - 1/(2*y)
	for i, b := range bernoulli {
		j := float64(2 * (i + 1))
		s -= b / (j * math.Pow(y, j))
	}
	for k := range gammaShift {
		s -= 1 / (x + float64(k))
	}
	return s
}

// polygamma is ψ⁽ⁿ⁾(x) = (−1)ⁿ⁺¹ n! Σ (x+k)⁻ⁿ⁻¹ for n ≥ 1, the tail of the sum
// by Euler and Maclaurin.
func polygamma(n int, x float64) float64 {
	m := float64(n)
	y := x + gammaShift
	s := math.Pow(y, -m)/m + math.Pow(y, -m-1)/2
	rising, factorial := m+1, 2.0 // (n+1)…(n+2j−1) and (2j)!
	for i, b := range bernoulli {
		j := float64(2 * (i + 1))
		s += b / factorial * rising * math.Pow(y, -m-j)
		rising *= (m + j) * (m + j + 1)
		factorial *= (j + 1) * (j + 2)
	}
	for k := range gammaShift {
		s += math.Pow(x+float64(k), -m-1)
	}
	if n%2 == 0 {
		s = -s
	}
	return s * math.Gamma(m+1)
}

func gammaRows() []row {
	const euler = 0.5772156649015329
	order := func(n int) row {
		return unary("polygamma", func(x *ad.Node) *ad.Node { return x.Polygamma(n) }, func(x float64) float64 { return polygamma(n, x) }, within(0.4, 6))
	}
	poly := unary("polygamma", func(x *ad.Node) *ad.Node { return x.Polygamma(0) }, digamma, within(0.4, 6)).
		at("one", []float64{1}, []float64{-euler}, []float64{math.Pi * math.Pi / 6}).
		at("large", []float64{1e10}, []float64{math.Log(1e10) - 0.5e-10}, []float64{1e-10 + 0.5e-20}).
		wide(2, 200, digamma)
	trigamma := order(1).cases[0]
	poly.other = &trigamma
	for n := 1; n <= 3; n++ {
		c := order(n).cases[0]
		c.name = fmt.Sprintf("order %d", n)
		poly.cases = append(poly.cases, c)
	}
	// Left of 0, where the plain forms go by the recurrence.
	left := []float64{-0.5, -1e-9, -1.25, -3.3, -6.7, -11.1}
	for n := range 4 {
		want := make([]float64, len(left))
		for i, x := range left {
			want[i] = polygamma(n, x)
			if n == 0 {
				want[i] = digamma(x)
			}
		}
		pole := []float64{-inf, inf, nan, nan, nan}
		if n%2 == 1 {
			pole = []float64{inf, inf, inf, inf, nan}
		}
		poly.spots = append(poly.spots,
			spot{name: fmt.Sprintf("negative, order %d", n), shapes: []ad.Shape{{len(left)}}, at: [][]float64{left}, want: want, each: true, build: order(n).cases[0].build},
			spot{name: fmt.Sprintf("poles, order %d", n), shapes: []ad.Shape{{5}}, at: [][]float64{{0, math.Copysign(0, -1), -1, -1e300, -inf}}, want: pole, build: order(n).cases[0].build})
	}
	poly = poly.at("far left", []float64{-1e12 - 0.5}, []float64{12 * math.Ln10}, []float64{math.Pi * math.Pi})
	return []row{
		unary("loggamma", (*ad.Node).LogGamma, logGamma, within(0.4, 6)).
			at("one, two and a half", []float64{1, 2, 0.5}, []float64{0, 0, math.Log(math.Pi) / 2}, []float64{-euler, 1 - euler, -euler - 2*math.Ln2}).
			at("small and large", []float64{1e-300, 1e300}, []float64{300 * math.Ln10, 1e300 * (300*math.Ln10 - 1)}, []float64{-1e300, 300 * math.Ln10}).
			at("zero and below", []float64{0, -0.5, -3, -inf, nan}, []float64{inf, nan, nan, nan, nan}, nil).
			wide(3, 200, logGamma),
		poly,
	}
}

// zip applies f element by element; operands of one element go with all.
func zip(f func(v []float64) float64) func(x [][]float64) []float64 {
	return func(x [][]float64) []float64 {
		size := 0
		for _, v := range x {
			size = max(size, len(v))
		}
		y := make([]float64, size)
		v := make([]float64, len(x))
		for e := range y {
			for i := range x {
				v[i] = x[i][e%len(x[i])]
			}
			y[e] = f(v)
		}
		return y
	}
}

func binary(op string, build func(x, y *ad.Node) *ad.Node, f func(x, y float64) float64, sample func(*rand.Rand, int, int) []float64) row {
	r := row{op: op}
	for _, s := range [][]ad.Shape{{{2, 3}, {2, 3}}, {{}, {2, 3}}, {{2, 3}, {}}, {{}, {}}, {{1}, {1}}, {{1}, {}}, {{}, {1, 1}}} {
		r.cases = append(r.cases, opCase{
			name:   s[0].String() + " with " + s[1].String(),
			shapes: s,
			build:  func(_ []*ad.Axis, x []*ad.Node) *ad.Node { return build(x[0], x[1]) },
			want:   zip(func(v []float64) float64 { return f(v[0], v[1]) }),
			sample: sample,
		})
	}
	return r
}

// pairs adds special values of a two-operand row.
func (r row) pairs(name string, x, y, want, dx, dy []float64) row {
	s := spot{name: name, shapes: []ad.Shape{{len(x)}, {len(y)}}, at: [][]float64{x, y}, want: want}
	if dx != nil {
		s.grad = [][]float64{dx, dy}
	}
	r.spots = append(r.spots, s)
	return r
}

func binaryRows() []row {
	add := binary("add", (*ad.Node).Add, func(x, y float64) float64 { return y + x }, nil).
		pairs("large", []float64{1e308, 0}, []float64{1e308, 0}, []float64{inf, 0}, []float64{1, 1}, []float64{1, 1})
	sub := binary("sub", (*ad.Node).Sub, func(x, y float64) float64 { return -y + x }, nil).
		pairs("equal", []float64{1e308, 0}, []float64{1e308, 0}, []float64{0, 0}, []float64{1, 1}, []float64{-1, -1})
	maximum := binary("maximum", (*ad.Node).Maximum, func(x, y float64) float64 { return (x + y + math.Abs(x-y)) / 2 }, apart).
		pairs("ties: half each", []float64{2, 0, -1e300, 1}, []float64{2, 0, 1e300, 0}, []float64{2, 0, 1e300, 1},
			[]float64{0.5, 0.5, 0, 1}, []float64{0.5, 0.5, 1, 0}).
		pairs("infinite", []float64{inf, -inf, nan}, []float64{1, 1, 1}, []float64{inf, 1, nan}, []float64{1, 0, nan}, []float64{0, 1, nan})
	minimum := binary("minimum", (*ad.Node).Minimum, func(x, y float64) float64 { return (x + y - math.Abs(x-y)) / 2 }, apart).
		pairs("ties: half each", []float64{2, 0, -1e300, 1}, []float64{2, 0, 1e300, 0}, []float64{2, 0, -1e300, 0},
			[]float64{0.5, 0.5, 1, 0}, []float64{0.5, 0.5, 0, 1})
	for _, r := range []*row{&add, &sub, &maximum, &minimum} {
		r.once = true
	}
	greater := binary("greater", (*ad.Node).Greater, func(x, y float64) float64 { return (1 + math.Copysign(1, x-y)) / 2 }, apart).
		pairs("ties and NaN", []float64{2, inf, nan}, []float64{2, -inf, 1}, []float64{0, 1, nan}, nil, nil)
	greater.constant = true
	straight := binary("straight_through", (*ad.Node).StraightThrough, func(x, _ float64) float64 { return x }, nil)
	straight.once = true
	for i := range straight.cases { // value of the first operand, derivative of the second
		straight.cases[i].frozen = 1
		straight.cases[i].slope = zip(func(v []float64) float64 { return v[1] })
	}
	shift := binary("sigmoid_shift", (*ad.Node).SigmoidShift, func(x, u float64) float64 { return 1 / (1 + math.Exp(-x)*(1-u)/u) },
		func(rng *rand.Rand, i, size int) []float64 {
			if i == 1 {
				return within(0.05, 0.95)(rng, i, size)
			}
			return normals(rng, size)
		}).
		pairs("zero and large", []float64{0, 800, -800, 800, -800}, []float64{0.25, 0.5, 0.5, 1e-300, 1 - 1e-16}, []float64{0.25, 1, 0, 1, 0},
			[]float64{0.1875, 0, 0, 0, 0}, nil)
	for i := range shift.cases {
		shift.cases[i].frozen = 2
	}
	return []row{
		add, sub, maximum, minimum, greater, straight, shift,
		binary("mul", (*ad.Node).Mul, func(x, y float64) float64 { return y * x }, nil).
			pairs("zero and large", []float64{0, 1e200, -1}, []float64{3, 1e200, 0}, []float64{0, inf, 0}, []float64{3, 1e200, 0}, []float64{0, 1e200, -1}),
		binary("div", (*ad.Node).Div, func(x, y float64) float64 { return x * math.Pow(y, -1) }, offZero).
			pairs("zero and large", []float64{0, 1e200, 1}, []float64{3, 1e-100, -1e200}, []float64{0, 1e300, -1e-200}, []float64{1. / 3, 1e100, -1e-200}, []float64{0, -inf, 0}),
	}
}

func selectRows() []row {
	where := row{op: "where", once: true}
	for _, s := range [][]ad.Shape{{{2, 3}, {2, 3}, {2, 3}}, {{}, {2, 3}, {2, 3}}, {{2, 3}, {}, {2, 3}}, {{2, 3}, {2, 3}, {}}, {{4}, {}, {}}, {{}, {}, {}}, {{1}, {1}, {1}}} {
		where.cases = append(where.cases, opCase{
			name:   s[0].String() + s[1].String() + s[2].String(),
			shapes: s,
			frozen: 1,
			build:  func(_ []*ad.Axis, x []*ad.Node) *ad.Node { return x[0].Where(x[1], x[2]) },
			want: zip(func(v []float64) float64 {
				if v[0] == 0 {
					return v[2]
				}
				return v[1]
			}),
			sample: func(rng *rand.Rand, i, size int) []float64 {
				x := normals(rng, size)
				for e := range x {
					if i == 0 && rng.IntN(2) == 0 {
						x[e] = 0
					}
				}
				return x
			},
		})
	}
	where.spots = []spot{{
		name: "the other operand is infinite", shapes: []ad.Shape{{3}, {3}, {3}},
		at:   [][]float64{{1, 0, nan}, {2, inf, 4}, {nan, 3, inf}},
		want: []float64{2, 3, 4}, grad: [][]float64{nil, {1, 0, 1}, {0, 1, 0}},
	}}

	clamp := unary("clamp", func(x *ad.Node) *ad.Node { return x.Clamp(-0.5, 1) },
		func(x float64) float64 { return (math.Abs(x+0.5) - math.Abs(x-1) + 0.5) / 2 }, apart).
		at("the bounds: slope 0", []float64{-0.5, 1, 0, inf, -inf}, []float64{-0.5, 1, 0, 1, -0.5}, []float64{0, 0, 1, 0, 0}).
		at("NaN", []float64{nan}, []float64{nan}, nil)
	clamp.once = true
	for i := range clamp.cases { // keep away from the bounds
		clamp.cases[i].sample = func(rng *rand.Rand, _, size int) []float64 {
			x := make([]float64, size)
			for e := range x {
				x[e] = -1.5 + 0.75*float64(rng.IntN(5)) + 0.25 + 0.2*rng.Float64()
			}
			return x
		}
	}
	wider := unary("clamp", func(x *ad.Node) *ad.Node { return x.Clamp(-0.5, 1.0000000000000002) },
		func(x float64) float64 { return math.Max(-0.5, math.Min(x, 1.0000000000000002)) }, nil).cases[0]
	clamp.other = &wider

	stop := unary("stop_gradient", (*ad.Node).StopGradient, func(x float64) float64 { return x + 0 }, nil)
	stop.constant = true
	return []row{where, clamp, stop}
}
