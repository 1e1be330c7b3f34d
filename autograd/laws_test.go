package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
)

// A law states that two nodes are equal for all inputs.
type law struct {
	name   string
	axes   []int
	shapes []ad.Shape
	over   [][]int // axes of each input
	// sides builds what must be equal, pair by pair.
	sides func(b *ad.Builder, a []*ad.Axis, x []*ad.Node) (left, right []*ad.Node)
	// sample draws one element; nil draws normals.
	sample func(rng *rand.Rand) float64
}

// check evaluates both sides, and the gradients of a weighted sum of both, at
// three random points on every engine.
func (l law) check(t *testing.T) {
	b := ad.NewBuilder("law")
	var axes []*ad.Axis
	for k, n := range l.axes {
		axes = append(axes, b.Axis(fmt.Sprintf("a%d", k), n))
	}
	var x []*ad.Node
	for i, s := range l.shapes {
		var over []*ad.Axis
		for _, k := range at(l.over, i) {
			over = append(over, axes[k])
		}
		x = append(x, b.Input(fmt.Sprintf("x%d", i), s, over...))
	}
	left, right := l.sides(b, axes, x)
	inputs := x
	rng := rand.New(rand.NewPCG(5, 5))
	every := b.Scalar(0) // a side need not depend on every input
	for _, n := range x {
		every = every.Add(n.Square().Sum())
	}
	for i := range left {
		w := b.Input(fmt.Sprintf("w%d", i), left[i].Shape(), left[i].Axes()...)
		inputs = append(inputs, w)
		gl, gr := b.Grad(left[i].Mul(w).Sum().Add(every), x...),
			b.Grad(right[i].Mul(w).Sum().Add(every), x...)
		left, right = append(left, gl...), append(right, gr...)
	}
	outputs := append(append([]*ad.Node{}, left...), right...)
	must.Do(t, b.Err())
	for range 3 {
		var values [][]float64
		for _, n := range inputs {
			v := normals(rng, sizeOf(n))
			if l.sample != nil {
				for e := range v {
					v[e] = l.sample(rng)
				}
			}
			values = append(values, v)
		}
		got := runEngines(t, inputs, outputs, values, 1e-11)
		for i := range left {
			compare(t, fmt.Sprintf("%v against %v", left[i], right[i]), got[i], got[len(left)+i],
				1e-11)
		}
	}
}

func nodes(n ...*ad.Node) []*ad.Node { return n }

// nothing is 0 with the slope of x.
func nothing(x *ad.Node) *ad.Node { return x.Sub(x.StopGradient()) }

// TestTwoRoutes builds the same function in two ways.
func TestTwoRoutes(t *testing.T) {
	square, vector := ad.Shape{3, 3}, ad.Shape{4}
	laws := []law{
		{name: "log-mean-exp by exponentials", shapes: []ad.Shape{{2, 3}},
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				return nodes(x[0].LogMeanExp(0), x[0].LogMeanExp()),
					nodes(x[0].Exp().Mean(0).Log(), x[0].Exp().Mean().Log())
			}},
		{name: "mapped axis as a dimension", axes: []int{3}, shapes: []ad.Shape{{2}, {2}},
			over: [][]int{{0}},
			sides: func(b *ad.Builder, a []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				y := x[0].Mul(x[1])
				s := x[0].Stack(a[0]).Mul(x[1])
				return nodes(y.SumOver(a[0]), y.MeanOver(a[0]), y.LogSumExpOver(a[0]),
						y.LogMeanExpOver(a[0]), y),
					nodes(s.Sum(0), s.Mean(0), s.LogSumExp(0), s.LogMeanExp(0), s.Unstack(a[0]))
			}},
		{name: "softmaxes of each other, of arrays with a zero", axes: []int{4, 64},
			shapes: []ad.Shape{{1}}, over: [][]int{{0, 1}},
			sides: func(b *ad.Builder, a []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				padded := func(n *ad.Node) *ad.Node {
					return n.ScatterAdd([]int{0}, ad.Shape{2}).SoftmaxOver(a[1])
				}
				total := padded(x[0]).Sum()
				again := padded(total.Reshape(ad.Shape{1}))
				return nodes(total.SumOver(a[1]), again.Sum().SumOver(a[1])),
					nodes(b.Scalar(2).ExpandOver(a[0]), b.Scalar(2).ExpandOver(a[0]))
			}},
		{name: "hyperbolic tangent by the logistic function", shapes: []ad.Shape{vector},
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				return nodes(x[0].Tanh(), x[0].LogSigmoid(), x[0].Sigmoid().Log()),
					nodes(x[0].Scale(2).Sigmoid().Scale(2).AddScalar(-1), x[0].Sub(x[0].Softplus()),
						x[0].Neg().Exp().Log1p().Neg())
			}},
		{name: "rewritten compositions", shapes: []ad.Shape{vector},
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				s := x[0].Sigmoid()
				return nodes(x[0].Neg().Neg(), s.Neg().Log1p(), x[0].Exp().Log1p(), s.Log()),
					nodes(x[0].Scale(1.5).Sub(x[0].Scale(0.5)), x[0].Exp().AddScalar(1).Log().Neg(),
						x[0].Exp().AddScalar(1).Log(),
						x[0].Neg().Exp().AddScalar(1).Inverse().Log())
			}},
		{name: "slices and concatenation", shapes: []ad.Shape{{3, 4}},
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				n := x[0]
				return nodes(ad.Concat(1, n.Slice(1, 0, 1), n.Slice(1, 1, 4)),
						ad.Concat(0, n.Slice(0, 0, 2), n.Slice(0, 2, 3)), n.Index(0, 1),
						n.Index(1, 2).Index(0, 1)),
					nodes(n.Scale(2).Scale(0.5), n.Scale(2).Scale(0.5), n.T().Index(1, 1),
						n.Gather([]int{6}, ad.Shape{}))
			}},
		{name: "triangles and diagonal", shapes: []ad.Shape{square},
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				n := x[0]
				strict := n.Gather(ad.StrictUpper(3), ad.Shape{3}).ScatterAdd(ad.StrictUpper(3),
					square)
				upper := n.Gather(ad.UpperTriangle(3), ad.Shape{6}).ScatterAdd(ad.UpperTriangle(3),
					square)
				return nodes(strict, upper, n.Trace()),
					nodes(n.Mul(b.Constant([]float64{0, 1, 1, 0, 0, 1, 0, 0, 0}, square)),
						n.Mul(b.Constant([]float64{1, 1, 1, 0, 1, 1, 0, 0, 1}, square)),
						n.Mul(b.Constant([]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, square)).Sum())
			}},
		{name: "determinant and solve of a positive definite matrix",
			shapes: []ad.Shape{{2, 2}, {2, 1}},
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				a := x[0].MatMul(x[0].T()).Add(b.Constant([]float64{1, 0, 0, 1}, ad.Shape{2, 2}))
				e := func(i, j int) *ad.Node { return a.Index(0, i).Index(0, j) }
				det := e(0, 0).Mul(e(1, 1)).Sub(e(0, 1).Mul(e(1, 0)))
				adjugate := ad.Concat(0, e(1, 1).Reshape(ad.Shape{1}),
					e(0, 1).Neg().Reshape(ad.Shape{1}), e(1, 0).Neg().Reshape(ad.Shape{1}),
					e(0, 0).Reshape(ad.Shape{1})).Reshape(ad.Shape{2, 2})
				c := a.Cholesky()
				return nodes(a.LogDet(), c.SolveLowerT(c.SolveLower(x[1])), c.MatMul(c.T())),
					nodes(det.Log(), adjugate.MatMul(x[1]).Div(det), a)
			}},
		{name: "slope of a power with the exponent 0", shapes: []ad.Shape{vector, vector},
			sample: func(rng *rand.Rand) float64 { return 0.5 + rng.Float64() },
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				e := nothing(x[1])
				return b.Grad(x[0].Power(e).Mul(x[0]).Sum(), x[0]),
					nodes(e.AddScalar(1).Mul(x[0].Power(e)))
			}},
		{name: "slope of a ratio of Bessel functions near 0", shapes: []ad.Shape{vector},
			sample: func(rng *rand.Rand) float64 { return rng.NormFloat64() / 500 },
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				slope := x[0].Square().Scale(5. / 96).AddScalar(-3. / 16).Mul(
					x[0].Square()).AddScalar(0.5)
				return b.Grad(x[0].BesselRatio().Sum(), x[0]), nodes(slope)
			}},
		{name: "ties share derivatives of every order", axes: []int{2},
			shapes: []ad.Shape{vector, vector},
			sides: func(b *ad.Builder, a []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				p, q := x[0].Sin(), x[0].StopGradient().Sin().Add(nothing(x[1].Exp()))
				both := ad.Concat(0, p.Reshape(ad.Shape{1, 4}), q.Reshape(ad.Shape{1, 4}))
				mean := p.Add(q).Scale(0.5)
				for _, y := range nodes(p.Maximum(q), p.Minimum(q), both.Max(0), both.Min(0),
					both.Unstack(a[0]).MaxOver(a[0])) {
					l = append(append(l, y), b.Grad(y.Exp().Sum(), x...)...)
					r = append(append(r, mean), b.Grad(mean.Exp().Sum(), x...)...)
				}
				return l, r
			}},
		{name: "the gradient of af + bg is a∇f + b∇g", shapes: []ad.Shape{{3}, {3}, {}, {}},
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				f, g := x[0].Sin().Dot(x[1].Exp()), x[0].Mul(x[1]).LogSumExp()
				df, dg := b.Grad(f, x[0], x[1]), b.Grad(g, x[0], x[1])
				for i := range df {
					r = append(r, x[2].Mul(df[i]).Add(x[3].Mul(dg[i])))
				}
				return b.Grad(x[2].Mul(f).Add(x[3].Mul(g)), x[0], x[1]), r
			}},
		{name: "the derivative for an input in several places", shapes: []ad.Shape{vector},
			sides: func(b *ad.Builder, _ []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				u, v, w := x[0].Sin(), x[0].Exp(), x[0].Scale(3)
				y := u.Mul(v).Add(w.Sin()).Div(v.Exp()).Sub(u).Sum()
				g := b.Grad(y, u, v, w)
				return b.Grad(y, x[0]), nodes(g[0].Mul(x[0].Cos()).Add(g[1].Mul(v)).Add(
					g[2].Scale(3)))
			}},
		{name: "log-mean-exp weighs gradients by softmax", axes: []int{7},
			shapes: []ad.Shape{{3}, {3}}, over: [][]int{nil, {0}},
			sides: func(b *ad.Builder, a []*ad.Axis, x []*ad.Node) (l, r []*ad.Node) {
				density := x[0].Mul(x[1]).Sin().Sum().Scale(3)
				weight := density.Sub(density.LogSumExpOver(a[0])).Exp()
				return b.Grad(density.LogMeanExpOver(a[0]), x[0]), nodes(x[0].Mul(x[1]).Cos().Mul(
					x[1]).Scale(3).Mul(weight).SumOver(a[0]))
			}},
	}
	for _, l := range laws {
		t.Run(l.name, l.check)
	}
}

// TestGradOverAxes: for an input that carries the mapped axis the gradient is
// each index's own, for one that does not it is the total.
func TestGradOverAxes(t *testing.T) {
	b := ad.NewBuilder("axes")
	p := b.Axis("particle", 3)
	x, w := b.Input("x", ad.Shape{}, p), b.Input("w", ad.Shape{})
	g := b.Grad(x.Square().Mul(w), x, w)
	if a := g[0].Axes(); len(a) != 1 || a[0] != p || g[1].Axes() != nil {
		t.Errorf("got axes %v and %v, want the input's own", g[0].Axes(), g[1].Axes())
	}
	got := runEngines(t, nodes(x, w), g, [][]float64{{1, 2, 3}, {10}}, 1e-14)
	compare(t, "own gradients", got[0], []float64{20, 40, 60}, 0)
	compare(t, "total", got[1], []float64{14}, 0)
}

// TestGradOfInnerNode differentiates with respect to a node in the middle, and
// to the result itself.
func TestGradOfInnerNode(t *testing.T) {
	b := ad.NewBuilder("inner")
	x := b.Input("x", ad.Shape{})
	u := x.Square()
	y := u.Exp()
	g := b.Grad(y, u, x, y)
	got := runEngines(t, nodes(x), g, [][]float64{{0.5}}, 1e-14)
	e := math.Exp(0.25)
	for i, want := range []float64{e, e, 1} {
		compare(t, fmt.Sprint(i), got[i], []float64{want}, 1e-14)
	}
}

// TestInfiniteCotangents: Where and Clamp pass exactly 0 to what they did not
// select, also when their own cotangent is infinite; as a product it would be
// NaN. A function with an infinite derivative makes NaN of that 0 again, so its
// argument has to be guarded, not its result.
func TestInfiniteCotangents(t *testing.T) {
	b := ad.NewBuilder("infinite")
	x, y := b.Input("x", ad.Shape{3}), b.Input("y", ad.Shape{3})
	chosen := x.Positive().Where(x, y).Abs().Sqrt() // infinite slope at 0
	clamped := x.Clamp(0.5, 2).AddScalar(-0.5).Sqrt()
	guarded := x.Positive().Where(x.Positive().Where(x, b.Scalar(1)).Sqrt(), x)
	unguarded := x.Positive().Where(x.Relu().Sqrt(), x)
	out := append(b.Grad(chosen.Sum(), x, y), b.Grad(clamped.Sum(), x)...)
	out = append(append(out, b.Grad(guarded.Sum(), x)...), b.Grad(unguarded.Sum(), x)...)
	got := runEngines(t, nodes(x, y), out, [][]float64{{-1, 0.25, 1.5}, {0, 0, 0}}, 1e-15)
	slope := 0.5 / math.Sqrt(1.5)
	compare(t, "where, selected", got[0], []float64{0, 1, slope}, 1e-15)
	compare(t, "where, not selected", got[1][1:], []float64{0, 0}, 0)
	compare(t, "clamp", got[2], []float64{0, 0, 0.5}, 1e-15)
	compare(t, "guarded argument", got[3], []float64{1, 1, slope}, 1e-15)
	compare(t, "unguarded argument", got[4], []float64{nan, 1, slope}, 1e-15)
}

// TestHigherDerivatives differentiates x⁴ eˣ four times.
func TestHigherDerivatives(t *testing.T) {
	b := ad.NewBuilder("higher")
	x := b.Input("x", ad.Shape{})
	y := x.Pow(4).Mul(x.Exp())
	outputs := nodes(y)
	for range 4 {
		outputs = append(outputs, b.Grad(outputs[len(outputs)-1], x)[0])
	}
	got := runEngines(t, nodes(x), outputs, [][]float64{{1}}, 1e-13)
	for k, want := range []float64{1, 5, 21, 73, 209} { // Σ C(k,i) 4!/(4−i)!
		compare(t, fmt.Sprintf("derivative %d", k), got[k], []float64{want * math.E}, 1e-13)
	}
}

// TestMap: the vectorising map equals a loop, also nested, with captured nodes.
func TestMap(t *testing.T) {
	b := ad.NewBuilder("map")
	outer, inner := b.Axis("outer", 3), b.Axis("inner", 4)
	x, y, c := b.Input("x", ad.Shape{3, 4, 2}), b.Input("y", ad.Shape{3, 2}),
		b.Input("c", ad.Shape{2})
	f := func(x, y *ad.Node) *ad.Node { return x.Mul(y).Add(c).Softmax(0).Sub(x.Sum()) }
	mapped := ad.Map(outer, func(row []*ad.Node) *ad.Node {
		return ad.Map(inner, func(cell []*ad.Node) *ad.Node { return f(cell[0], row[1]) }, row[0])
	}, x, y)
	var rows []*ad.Node
	for i := range 3 {
		for j := range 4 {
			rows = append(rows, f(x.Index(0, i).Index(0, j), y.Index(0, i)).Reshape(ad.Shape{1, 2}))
		}
	}
	loop := ad.Concat(0, rows[0], rows[1:]...).Reshape(ad.Shape{3, 4, 2})
	weights := b.Input("w", ad.Shape{3, 4, 2})
	outputs := nodes(mapped, loop)
	outputs = append(outputs, b.Grad(mapped.Mul(weights).Sum(), x, y, c)...)
	outputs = append(outputs, b.Grad(loop.Mul(weights).Sum(), x, y, c)...)
	must.Do(t, b.Err())
	rng := rand.New(rand.NewPCG(3, 3))
	got := runEngines(t, nodes(x, y, c, weights), outputs,
		[][]float64{normals(rng, 24), normals(rng, 6), normals(rng, 2), normals(rng, 24)}, 1e-12)
	compare(t, "value", got[0], got[1], 1e-12)
	for i := range 3 {
		compare(t, fmt.Sprintf("gradient %d", i), got[2+i], got[5+i], 1e-12)
	}
	t.Run("constant result", func(t *testing.T) {
		b := ad.NewBuilder("map")
		a := b.Axis("a", 3)
		x := b.Input("x", ad.Shape{3})
		m := ad.Map(a, func([]*ad.Node) *ad.Node { return b.Scalar(2) }, x)
		got := runEngines(t, nodes(x), nodes(m), [][]float64{{1, 2, 3}}, 0)
		compare(t, "value", got[0], []float64{2, 2, 2}, 0)
	})
}

// The gradient with respect to something of which many small parts are used is put together once,
// not part by part.
func TestGradientOfParts(t *testing.T) {
	const size = 64
	b := ad.NewBuilder("parts")
	x := b.Input("x", ad.Shape{size})
	loss := b.Scalar(0)
	for i := range size {
		loss = loss.Add(x.Slice(0, i, i+1).Scale(float64(i)).Sin().Sum())
	}
	outputs := b.Grad(loss, x)
	f := must.Get(ad.Lower(nodes(x), outputs))(t)
	long := 0
	for _, v := range f.Values {
		if v.Op != nil && v.Shape.Len() == size && v.Op.Name != "concat" {
			long++
		}
	}
	if long > 4 {
		t.Errorf("%d operations on all of %d elements", long, size)
	}
	at := normals(rand.New(rand.NewPCG(1, 1)), size)
	got := eval(t, nodes(x), outputs, [][]float64{at}, ad.Options{})[0]
	for i, v := range got {
		if want := float64(i) * math.Cos(
			float64(i)*at[i]); !(math.Abs(v-want) <= 1e-12*float64(size)) {
			t.Errorf("element %d: %v, want %v", i, v, want)
		}
	}
}

// The derivatives with respect to a weight that every step of a loop reads are the sums of those
// with respect to a weight of each step, and the gradient is one product of matrices.
func TestGradientOfSharedWeight(t *testing.T) {
	const steps, size = 11, 3
	rng := rand.New(rand.NewPCG(3, 1))
	for _, particles := range []int{0, 2, 9} {
		b := ad.NewBuilder("loop")
		var over []*ad.Axis
		if particles > 0 {
			over = append(over, b.Axis("particle", particles))
		}
		loss := func(weight func(i int) *ad.Node, x *ad.Node) *ad.Node {
			h, sum := x, x.Sum()
			for i := range steps {
				h = weight(i).MatVec(h).Add(x).Tanh()
				sum = sum.Add(h.Square().Sum()).Add(weight(i).Sin().Sum())
			}
			return sum
		}
		x := b.Input("x", ad.Shape{size}, over...)
		shared, along := b.Input("w", ad.Shape{size, size}, over...),
			b.Input("t", ad.Shape{size, size}, over...)
		var each, tangents []*ad.Node
		inputs, at := nodes(x, shared, along), make([][]float64, 3+2*steps)
		for i, n := range inputs {
			at[i] = normals(rng, sizeOf(n))
		}
		for i := range steps {
			each = append(each, b.Input(fmt.Sprint("w", i), ad.Shape{size, size}, over...))
			tangents = append(tangents, b.Input(fmt.Sprint("t", i), ad.Shape{size, size}, over...))
			inputs = append(inputs, each[i], tangents[i])
			at[3+2*i], at[4+2*i] = at[1], at[2]
		}
		y := loss(func(int) *ad.Node { return shared }, x)
		apart := loss(func(i int) *ad.Node { return each[i] }, x)
		outputs := append(b.Grad(y, shared), b.Hvp(y, nodes(shared), nodes(along))...)
		products := 0
		for _, n := range outputs[0].Operands() {
			if n.Op() == "matmul" {
				products++
			}
		}
		if products != 1 {
			t.Errorf("%d particles: the gradient has %d products among its summands, want 1",
				particles, products)
		}
		sum := func(parts []*ad.Node) *ad.Node {
			total := parts[0]
			for _, p := range parts[1:] {
				total = total.Add(p)
			}
			return total
		}
		outputs = append(outputs, sum(b.Grad(apart, each...)), sum(b.Hvp(apart, each, tangents)))
		got := runEngines(t, inputs, outputs, at, 1e-12)
		args := []gradtest.Argument{{Node: x, Values: at[0]}, {Node: shared, Values: at[1]}}
		if err := gradtest.CheckGraph(y, args, gradtest.Options{}); err != nil {
			t.Errorf("%d particles: %v", particles, err)
		}
		for i, what := range []string{"gradient", "Hessian-vector product"} {
			compare(t, fmt.Sprintf("%d particles: %s", particles, what), got[i], got[2+i], 1e-12)
		}
	}
}
