package autograd_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// A benchLayout is where the operands of an operation lie.
type benchLayout struct {
	name string
	axes func(b *ad.Builder) []*ad.Axis
	size int // elements
}

func benchLayouts() []benchLayout {
	none := func(*ad.Builder) []*ad.Axis { return nil }
	return []benchLayout{
		{"lanes", func(b *ad.Builder) []*ad.Axis {
			return []*ad.Axis{b.Axis("particle", 4), b.Axis("sample", 128)}
		}, 16},
		{"array", none, 4096},
		{"few", none, 6},
	}
}

// BenchmarkOperation times one operation on several operands that lie in (0, 1), of which each
// element of the result counts. What it takes to add those up is the row "nothing". On lanes, on
// arrays, and on values of so few elements that they are computed one by one.
func BenchmarkOperation(b *testing.B) {
	for _, l := range benchLayouts() {
		for _, op := range elementwiseOperations() {
			b.Run(l.name+"/"+op.name, func(b *testing.B) {
				const uses = 16
				g := ad.NewBuilder("operation")
				axes := l.axes(g)
				x, y := g.Input("x", ad.Shape{l.size}, axes...),
					g.Input("y", ad.Shape{l.size}, axes...)
				var sum *ad.Node
				for i := range uses {
					v := op.apply(x.AddScalar(float64(i)/1024), y)
					if sum == nil {
						sum = v
					} else {
						sum = sum.Add(v)
					}
				}
				for i := len(axes) - 1; i > 0; i-- {
					sum = sum.SumOver(axes[i])
				}
				benchOutput(b, []*ad.Node{x, y}, sum, uses*sizeOf(x))
			})
		}
	}
}

// BenchmarkFactorisation times factorisations, solutions and functions of matrices, per matrix.
func BenchmarkFactorisation(b *testing.B) {
	type function = func(a, l, x *ad.Node) *ad.Node
	logAbsDet := func(a, _, _ *ad.Node) *ad.Node { _, y := a.SLogDet(); return y }
	inverse := func(a, _, _ *ad.Node) *ad.Node { return a.MatInverse().Sum() }
	expm := func(_, _, x *ad.Node) *ad.Node { return x.Expm().Sum() }
	slopeOf := func(f function) function {
		return func(a, l, x *ad.Node) *ad.Node { return x.Builder().Grad(f(a, l, x), x)[0] }
	}
	for _, lanes := range []int{0, 64} {
		for _, n := range []int{2, 4, 8, 20, 40, 100} {
			for _, op := range []struct {
				name  string
				apply function
			}{
				{"cholesky", func(a, _, _ *ad.Node) *ad.Node { return a.Cholesky() }},
				{"solve", func(_, l, x *ad.Node) *ad.Node { return l.SolveLower(x) }},
				{"solve transposed", func(_, l, x *ad.Node) *ad.Node { return l.SolveLowerT(x) }},
				{"lu", func(a, _, x *ad.Node) *ad.Node { return a.Solve(x) }},
				{"logdet", logAbsDet}, {"logdet gradient", slopeOf(logAbsDet)},
				{"inverse", inverse}, {"inverse gradient", slopeOf(inverse)},
				{"expm", expm}, {"expm gradient", slopeOf(expm)},
			} {
				if n*n*lanes > 1<<17 {
					continue
				}
				b.Run(fmt.Sprintf("lanes=%d/%s/n=%d", lanes, op.name, n), func(b *testing.B) {
					g := ad.NewBuilder("factorisation")
					var axes []*ad.Axis
					if lanes > 0 {
						axes = []*ad.Axis{g.Axis("particle", 2), g.Axis("sample", lanes)}
					}
					x := g.Input("x", ad.Shape{n, n}, axes...)
					y := op.apply(x.Add(x.Builder().Constant(diagonal(n, float64(2*n)),
						ad.Shape{n, n})),
						x.Add(x.Builder().Constant(diagonal(n, 1), ad.Shape{n, n})), x)
					if lanes > 0 {
						y = y.SumOver(axes[1])
					}
					benchOutput(b, []*ad.Node{x}, y, max(2*lanes, 1))
				})
			}
		}
	}
}

// BenchmarkViews times functions of parts of an array of 10,000 × 20 numbers.
func BenchmarkViews(b *testing.B) {
	const n, k = 10_000, 20
	for _, view := range []struct {
		name string
		of   func(y *ad.Node) *ad.Node
	}{
		{"whole", func(y *ad.Node) *ad.Node { return y }},
		{"transposed", (*ad.Node).T},
		{"half of the rows", func(y *ad.Node) *ad.Node { return y.Slice(0, 0, n/2) }},
		{"half of the columns", func(y *ad.Node) *ad.Node { return y.Slice(1, 0, k/2) }},
		{"beside the next row", func(y *ad.Node) *ad.Node {
			return y.Slice(0, 1, n).Sub(y.Slice(0, 0, n-1))
		}},
		{"product with itself", func(y *ad.Node) *ad.Node { return y.T().MatMul(y) }},
	} {
		b.Run(view.name, func(b *testing.B) {
			g := ad.NewBuilder("views")
			x, data := g.Input("x", ad.Shape{k}), g.Input("data", ad.Shape{n, k})
			benchOutput(b, []*ad.Node{x, data}, view.of(data.Mul(x)).Square().Sum(), n*k)
		})
	}
}

func diagonal(n int, v float64) []float64 {
	d := make([]float64, n*n)
	for i := range n {
		d[i*(n+1)] = v
	}
	return d
}

// benchOutput times one output and reports nanoseconds for each of so many elements.
func benchOutput(b *testing.B, inputs []*ad.Node, y *ad.Node, elements int) {
	b.Helper()
	must.Do(b, y.Builder().Err())
	ev := must.Get(ad.NewEvaluator(inputs, []*ad.Node{y}, ad.Options{}))(b)
	defer ev.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	var src []ad.Feed
	for _, in := range inputs {
		x := make([]float64, sizeOf(in))
		for i := range x {
			x[i] = 0.01 + 0.95*rng.Float64()
		}
		src = append(src, ad.Feed{Data: x})
	}
	dst := room([]*ad.Node{y})
	for b.Loop() {
		must.Do(b, ev.Eval(dst, src))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(elements), "ns/element")
}
