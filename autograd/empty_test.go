package autograd_test

import (
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// Shapes without elements. Every op takes them, on every engine; what they give is the
// neutral element of each reduction.

// emptyCases are functions of v (0), m (0,3), w (3), s () and q (0,0), all of which may
// carry mapped axes.
var emptyCases = []struct {
	name  string
	build func(v, m, w, s, q *ad.Node) *ad.Node
	want  []float64 // at one index
}{
	{"element-wise", func(v, _, _, _, _ *ad.Node) *ad.Node {
		return v.Exp().Tanh().Sigmoid().LogGamma().Clamp(0, 1).Pow(3.5).Floor()
	}, nil},
	{"with a scalar", func(v, _, _, s, _ *ad.Node) *ad.Node {
		return s.Mul(v).Add(s).Power(s).Equal(s)
	}, nil},
	{"where", func(v, _, _, s, _ *ad.Node) *ad.Node { return v.Where(s, v) }, nil},
	{"sum", func(v, _, _, _, _ *ad.Node) *ad.Node { return v.Exp().Sum() }, []float64{0}},
	{"sum along the empty axis", func(_, m, _, _, _ *ad.Node) *ad.Node {
		return m.Sum(0)
	}, []float64{0, 0, 0}},
	{"sum along the other axis", func(_, m, _, _, _ *ad.Node) *ad.Node { return m.Sum(1) }, nil},
	{"mean", func(_, m, _, _, _ *ad.Node) *ad.Node { return m.Mean(0) }, []float64{nan, nan, nan}},
	{"mean of none", func(_, m, _, _, _ *ad.Node) *ad.Node { return m.Mean(1) }, nil},
	{"variance", func(v, _, _, _, _ *ad.Node) *ad.Node { return v.Variance() }, []float64{nan}},
	{"log-sum-exp", func(_, m, _, _, _ *ad.Node) *ad.Node {
		return m.LogSumExp(0)
	}, []float64{-inf, -inf, -inf}},
	{"log-mean-exp", func(v, _, _, _, _ *ad.Node) *ad.Node {
		return v.LogMeanExp()
	}, []float64{nan}},
	{"largest", func(v, _, _, _, _ *ad.Node) *ad.Node { return v.Max() }, []float64{-inf}},
	{"smallest", func(_, m, _, _, _ *ad.Node) *ad.Node {
		return m.Min(0)
	}, []float64{inf, inf, inf}},
	{"product", func(_, m, _, _, _ *ad.Node) *ad.Node { return m.Prod(0) }, []float64{1, 1, 1}},
	{"product of all", func(_, m, _, _, _ *ad.Node) *ad.Node { return m.Prod() }, []float64{1}},
	{"cumulative sum", func(v, _, _, _, _ *ad.Node) *ad.Node { return v.CumSum(0) }, nil},
	{"cumulative log-sum-exp", func(_, m, _, _, _ *ad.Node) *ad.Node { return m.LogCumSumExp(1) },
		nil},
	{"softmax", func(v, _, _, _, _ *ad.Node) *ad.Node { return v.Softmax(0) }, nil},
	{"softmax along the other axis", func(_, m, _, _, _ *ad.Node) *ad.Node {
		return m.Softmax(1)
	}, nil},
	{"dot", func(v, _, _, _, _ *ad.Node) *ad.Node { return v.Dot(v) }, []float64{0}},
	{"inner dimension 0", func(_, m, w, _, _ *ad.Node) *ad.Node {
		return m.T().MatMul(m).MatVec(w)
	}, []float64{0, 0, 0}},
	{"outer dimension 0", func(_, m, w, _, _ *ad.Node) *ad.Node { return m.MatVec(w) }, nil},
	{"outer product", func(v, _, w, _, _ *ad.Node) *ad.Node { return w.Outer(v) }, nil},
	{"transpose", func(_, m, _, _, _ *ad.Node) *ad.Node { return m.T() }, nil},
	{"gather", func(_, _, w, _, _ *ad.Node) *ad.Node {
		return w.Gather(ad.StrictUpper(1), ad.Shape{0})
	}, nil},
	{"scatter", func(v, _, _, _, _ *ad.Node) *ad.Node {
		return v.ScatterAdd(ad.StrictUpper(1), ad.Shape{1, 1})
	}, []float64{0}},
	{"triangle without elements", func(_, _, _, s, _ *ad.Node) *ad.Node {
		return s.Reshape(ad.Shape{1, 1}).Tril(-1).Add(s.Expand(ad.Shape{1, 1}).Triu(1))
	}, []float64{0}},
	{"slice", func(_, _, w, _, _ *ad.Node) *ad.Node { return w.Slice(0, 2, 2) }, nil},
	{"concat", func(v, _, w, _, _ *ad.Node) *ad.Node { return ad.Concat(0, v, w, v).Sub(w).Exp() },
		[]float64{1, 1, 1}},
	{"expand", func(_, _, _, s, _ *ad.Node) *ad.Node { return s.Expand(ad.Shape{2, 0}) }, nil},
	{"reshape", func(_, m, _, _, _ *ad.Node) *ad.Node { return m.Reshape(ad.Shape{7, 0}) }, nil},
	{"cholesky", func(_, _, _, _, q *ad.Node) *ad.Node { return q.Cholesky() }, nil},
	{"log-determinant", func(_, _, _, _, q *ad.Node) *ad.Node { return q.LogDet() }, []float64{0}},
	{"trace", func(_, _, _, _, q *ad.Node) *ad.Node { return q.Trace() }, []float64{0}},
	{"triangular solve", func(_, m, _, _, q *ad.Node) *ad.Node {
		return q.SolveLower(m).Add(q.SolveLowerT(m)).Sum(0)
	}, []float64{0, 0, 0}},
	{"solve", func(_, m, _, _, q *ad.Node) *ad.Node { return q.Solve(m).Add(q.SolveT(m)).Sum(0) },
		[]float64{0, 0, 0}},
	{"solve for nothing", func(_, m, _, s, _ *ad.Node) *ad.Node {
		return s.Mul(s.Builder().Identity(3)).Solve(m.T())
	}, nil},
	{"inverse", func(_, _, _, _, q *ad.Node) *ad.Node { return q.MatInverse() }, nil},
	{"exponential of a matrix", func(_, _, _, _, q *ad.Node) *ad.Node { return q.Expm() }, nil},
	{"stop gradient", func(v, _, _, _, _ *ad.Node) *ad.Node { return v.StopGradient().Relu() },
		nil},
	{"in a sum", func(v, _, _, s, _ *ad.Node) *ad.Node { return v.Square().Sum().Add(s) },
		[]float64{1.5}},
}

// TestEmpty evaluates every case and its derivatives, without axes, with one, and
// with two of which one is reduced; on every engine, and without each pass.
func TestEmpty(t *testing.T) {
	for _, c := range emptyCases {
		for axes := range 3 {
			t.Run(c.name, func(t *testing.T) {
				b := ad.NewBuilder("empty")
				var over []*ad.Axis
				lanes := 1
				for k, size := range []int{2, 3}[:axes] {
					over = append(over, b.Axis([]string{"particle", "sample"}[k], size))
					lanes *= size
				}
				x := nodes(b.Input("v", ad.Shape{0}, over...),
					b.Input("m", ad.Shape{0, 3}, over...), b.Input("w", ad.Shape{3}, over...),
					b.Input("s", ad.Shape{}, over...), b.Input("q", ad.Shape{0, 0}, over...))
				y := c.build(x[0], x[1], x[2], x[3], x[4])
				data := [][]float64{{}, nil, make([]float64, 3*lanes), make([]float64, lanes), nil}
				for l := range lanes {
					copy(data[2][3*l:], []float64{3, -1, 2})
					data[3][l] = 1.5
				}
				want := make([]float64, 0, lanes*len(c.want))
				for range lanes {
					want = append(want, c.want...)
				}
				loss := y.Sum()
				if axes == 2 {
					loss = loss.LogSumExpOver(over[1])
				}
				for _, n := range x { // so that the loss depends on every input
					part := n.Sum()
					if axes == 2 {
						part = part.SumOver(over[1])
					}
					loss = loss.Add(part)
				}
				outputs := append(nodes(y, loss), b.Grad(loss, x...)...)
				must.Do(t, b.Err())
				got := runEngines(t, x, outputs, data, 1e-12)
				compare(t, "value", got[0], want, 0)
				for _, pass := range append(ad.Passes(), ad.ElementSchedule|ad.StructuralZeros) {
					without := eval(t, x, outputs, data, ad.Options{Without: pass})
					for i := range got {
						compare(t, "without "+pass.String(), without[i], got[i], 1e-12)
					}
				}
			})
		}
	}
}

// TestEmptyFeeds: inputs without elements may be fed in every way.
func TestEmptyFeeds(t *testing.T) {
	b := ad.NewBuilder("empty")
	p, s := b.Axis("particle", 3), b.Axis("sample", 2)
	u, x := b.Uniform("u", ad.Shape{0}, p, s), b.Input("x", ad.Shape{0, 2}, p)
	y := u.Sum().LogMeanExpOver(s).Add(x.Sum()).AddScalar(1)
	fill := func(dst []float64, _ int) { clear(dst) }
	for _, engine := range engines {
		for _, src := range [][]ad.Feed{
			{{}, {}},
			{{Data: []float64{}}, {Data: []float64{}}},
			{{Fill: fill}, {Fill: fill}},
			{{Seed: func(i int) uint64 { return uint64(i) }}, {}},
		} {
			ev := must.Get(ad.NewEvaluator(nodes(u, x), nodes(y, x), ad.Options{Engine: engine}))(t)
			defer ev.Close()
			dst := [][]float64{make([]float64, 3), nil}
			if err := ev.Eval(dst, src); err != nil {
				t.Fatalf("%v engine: %v", engine, err)
			}
			compare(t, engine.String(), dst[0], []float64{1, 1, 1}, 0)
		}
	}
}
