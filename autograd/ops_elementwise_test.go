package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	ad "tobac/autograd"
)

func rows() []row {
	var all []row
	all = append(all, elementwiseRows()...)
	all = append(all, layoutRows()...)
	all = append(all, reduceRows()...)
	all = append(all, productRows()...)
	all = append(all, matrixRows()...)
	all = append(all, takeRows()...)
	return append(all, mappedRows()...)
}

// A domain says where the row of an element-wise operation is tried. What it computes is its
// [meaning], which is compared at special numbers too.
type domain struct {
	sample   func(rng *rand.Rand, i, size int) []float64 // as in opCase
	lo, hi   float64                                     // values are compared one by one between
	once     bool
	constant bool
	// the following meanings of the operation are other parameters
	others bool
	frozen int                       // as in opCase
	slope  func(x []float64) float64 // whose differences the gradient equals; nil means the value
}

// few draws from few numbers, so that operands tie and are zero often.
func few(rng *rand.Rand, _, size int) []float64 {
	x := make([]float64, size)
	for e := range x {
		x[e] = float64(rng.IntN(3) - 1)
	}
	return x
}

// besideNormals draws the given operand from an interval, the others from the normal
// distribution.
func besideNormals(operand int, lo, hi float64) func(*rand.Rand, int, int) []float64 {
	return func(rng *rand.Rand, i, size int) []float64 {
		if i == operand {
			return within(lo, hi)(rng, i, size)
		}
		return normals(rng, size)
	}
}

// halfZero draws a first operand that is zero as often as not.
func halfZero(rng *rand.Rand, i, size int) []float64 {
	x := normals(rng, size)
	for e := range x {
		if i == 0 && rng.IntN(2) == 0 {
			x[e] = 0
		}
	}
	return x
}

// offBounds draws numbers away from those that Clamp has in the meanings.
func offBounds(rng *rand.Rand, _, size int) []float64 {
	x := make([]float64, size)
	for e := range x {
		x[e] = []float64{-1.1, 0.15, 1.1, 3}[rng.IntN(4)] + 0.2*rng.Float64()
	}
	return x
}

var domains = map[string]domain{
	"pow":      {sample: within(0.2, 3), others: true},
	"neg":      {lo: -50, hi: 50, once: true},
	"abs":      {sample: offZero, lo: -50, hi: 50, once: true},
	"relu":     {sample: offZero, once: true},
	"sign":     {sample: offZero, constant: true},
	"positive": {sample: offZero, constant: true},
	"floor": {sample: func(rng *rand.Rand, _, size int) []float64 { return apart(rng, 1, size) },
		constant: true},
	"exp":      {lo: -745, hi: 709},
	"log":      {sample: within(0.3, 4), lo: 1e-3, hi: 100},
	"log1p":    {sample: within(-0.7, 4), lo: -0.999, hi: 50},
	"expm1":    {lo: -50, hi: 50},
	"sqrt":     {sample: within(0.3, 4), hi: 100},
	"square":   {lo: -50, hi: 50},
	"cube":     {lo: -50, hi: 50},
	"inverse":  {sample: offZero, lo: -50, hi: 51},
	"sigmoid":  {lo: -700, hi: 50},
	"softplus": {lo: -700, hi: 50},
	"tanh":     {lo: -30, hi: 30},
	"sin":      {lo: -30, hi: 30},
	"cos":      {lo: -30, hi: 30},
	"tan":      {sample: within(-1.2, 1.2), lo: -1.5, hi: 1.5},
	"sinh":     {lo: 1, hi: 700},
	"asinh":    {lo: -700, hi: 700},
	"cosh":     {lo: -700, hi: 700},
	"logit":    {sample: within(0.05, 0.95), lo: 0.01, hi: 0.45},

	"clamp":         {sample: offBounds, once: true, others: true},
	"stop_gradient": {constant: true},
	"loggamma":      {sample: within(0.4, 6), lo: 3, hi: 200},
	"polygamma":     {sample: within(0.4, 6), lo: 2, hi: 200, others: true},
	"erf":           {lo: 0.5, hi: 7},
	"erfc":          {lo: -7, hi: 25},
	"erfinv":        {sample: within(-0.9, 0.9)},
	"log_ndtr":      {sample: within(-9, 4), lo: -60, hi: 12},
	"inverse_mills": {sample: within(-9, 4), lo: -60, hi: 12},
	"ndtr_inv":      {sample: within(0.02, 0.98)},
	"log_bessel_i0": {sample: within(-25, 25), lo: 1, hi: 60},
	"bessel_ratio":  {sample: within(-25, 25), lo: 1, hi: 60},

	"add":       {once: true},
	"sub":       {once: true},
	"mul":       {},
	"div":       {sample: offZero},
	"maximum":   {sample: apart, once: true},
	"minimum":   {sample: apart, once: true},
	"greater":   {sample: apart, constant: true},
	"equal":     {sample: few, constant: true},
	"at_least":  {sample: few, constant: true},
	"and":       {sample: few, constant: true},
	"or":        {sample: few, constant: true},
	"atan2":     {sample: offZero},
	"power":     {sample: besideNormals(0, 0.3, 3)},
	"logaddexp": {},
	// Value of the first operand, derivative of the second.
	"straight_through": {once: true, frozen: 1, slope: func(x []float64) float64 { return x[1] }},
	"sigmoid_shift":    {sample: besideNormals(1, 0.05, 0.95), frozen: 2},
	"where":            {sample: halfZero, once: true, frozen: 1},
}

// elementwiseRows are those of the meanings of element-wise operations.
func elementwiseRows() []row {
	var all []row
	at := map[string]int{}
	for _, m := range meanings() {
		d, known := domains[m.op]
		if !known {
			continue
		}
		i, again := at[m.op]
		if again && !d.others {
			continue
		}
		r := m.row(d)
		if again {
			c := r.cases[0]
			c.name = m.name
			if all[i].other == nil {
				all[i].other = &c
			}
			all[i].cases = append(all[i].cases, c)
			continue
		}
		at[m.op] = len(all)
		all = append(all, r)
	}
	poly, quantiles := &all[at["polygamma"]], &all[at["ndtr_inv"]]
	poly.spots = append(poly.spots, polygammaSpots()...)
	var p, t []float64 // Φ⁻¹ in the left tail, by its values
	for k := 1.; k < 38; k++ {
		p, t = append(p, tail(k)), append(t, -k)
	}
	quantiles.spots = append(quantiles.spots, spot{name: "left tail", shapes: []ad.Shape{{len(p)}},
		at: [][]float64{p}, want: t, each: true})
	return all
}

// An operation is an element-wise one of one or two operands; of three the last is the first one.
type operation struct {
	name  string
	apply func(x, y *ad.Node) *ad.Node
}

// elementwiseOperations are those of the meanings, after one that does nothing.
func elementwiseOperations() []operation {
	all := []operation{{"nothing", func(x, _ *ad.Node) *ad.Node { return x }}}
	for _, m := range meanings() {
		if _, known := domains[m.op]; known && m.arity <= 3 {
			all = append(all, operation{m.op + " " + m.name, func(x, y *ad.Node) *ad.Node {
				return m.build(nil, []*ad.Node{x, y, x}[:m.arity])
			}})
		}
	}
	return all
}

// row tries the operation at numbers of the domain.
func (m meaning) row(d domain) row {
	value := func(x []float64) float64 { return m.value(x).numbers[0] }
	r := row{op: m.op, once: d.once, constant: d.constant}
	for _, shapes := range [][][]ad.Shape{
		1: {{{2, 3}}, {{}}, {{5}}, {{1}}, {{1, 1}}},
		2: {{{2, 3}, {2, 3}}, {{}, {2, 3}}, {{2, 3}, {}}, {{}, {}}, {{1}, {1}}, {{1}, {}},
			{{}, {1, 1}}},
		3: {{{2, 3}, {2, 3}, {2, 3}}, {{}, {2, 3}, {2, 3}}, {{2, 3}, {}, {2, 3}},
			{{2, 3}, {2, 3}, {}}, {{4}, {}, {}}, {{}, {}, {}}, {{1}, {1}, {1}}},
	}[m.arity] {
		c := opCase{
			name: fmt.Sprint(shapes), shapes: shapes, sample: d.sample, frozen: d.frozen,
			want:  zip(value),
			build: func(_ []*ad.Axis, x []*ad.Node) *ad.Node { return m.build(nil, x) },
		}
		if d.slope != nil {
			c.slope = zip(d.slope)
		}
		r.cases = append(r.cases, c)
	}
	if d.lo < d.hi {
		r = r.wide(d.lo, d.hi, func(x float64) float64 { return value([]float64{x}) })
	}
	return r
}

// polygammaSpots are left of 0, where the plain forms go by the recurrence and the meanings say
// nothing.
func polygammaSpots() (all []spot) {
	left := []float64{-0.5, -1e-9, -1.25, -3.3, -6.7, -11.1}
	for n := range 4 {
		build := func(_ []*ad.Axis, x []*ad.Node) *ad.Node { return x[0].Polygamma(n) }
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
		all = append(all,
			spot{name: fmt.Sprintf("negative, order %d", n), shapes: []ad.Shape{{len(left)}},
				at: [][]float64{left}, want: want, each: true, build: build},
			spot{name: fmt.Sprintf("poles, order %d", n), shapes: []ad.Shape{{5}},
				at: [][]float64{{0, math.Copysign(0, -1), -1, -1e300, -inf}}, want: pole,
				build: build})
	}
	return append(all, spot{
		name: "far left", shapes: []ad.Shape{{1}}, at: [][]float64{{-1e12 - 0.5}},
		want: []float64{12 * math.Ln10}, grad: [][]float64{{math.Pi * math.Pi}},
	})
}

var inf, nan = math.Inf(1), math.NaN()

// unary is the row of an element-wise function of one operand.
func unary(op string, build func(x *ad.Node) *ad.Node, f func(float64) float64,
	sample func(*rand.Rand, int, int) []float64) row {
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

func binary(op string, build func(x, y *ad.Node) *ad.Node, f func(x, y float64) float64,
	sample func(*rand.Rand, int, int) []float64) row {
	r := row{op: op}
	for _, s := range [][]ad.Shape{{{2, 3}, {2, 3}}, {{}, {2, 3}}, {{2, 3}, {}}, {{}, {}},
		{{1}, {1}}, {{1}, {}}, {{}, {1, 1}}} {
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
