package graphsum_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/chain"
	"tobac/density"
	"tobac/graphsum"
	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/nuts"
	"tobac/sample"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func evaluate(
	t testing.TB,
	x []float64,
	shape autograd.Shape,
	f func(x *autograd.Node) *autograd.Node,
) []float64 {
	t.Helper()
	b := autograd.NewBuilder("value")
	in := b.Input("x", shape)
	y := f(in)
	e := must.Get(autograd.NewEvaluator([]*autograd.Node{in}, []*autograd.Node{y},
		autograd.Options{}))(t)
	defer e.Close()
	out := make([]float64, y.Shape().Len())
	must.Do(t, e.Eval([][]float64{out}, []autograd.Feed{{Data: x}}))
	return out
}

// The sum of three variables is that of an enumeration of their 25 acyclic graphs, and its
// gradient that of differences.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	q := make([]float64, graphsum.Sets(3))
	for e := range q {
		q[e] = 3 * rng.NormFloat64()
	}
	sum, edge, count := 0.0, 0.0, 0
	for g := range 64 { // two bits for the parents of each variable
		var a [3][3]bool
		total := 0.0
		for j := range 3 {
			s := g >> (2 * j) & 3
			total += q[j<<2|s]
			for k := range 2 {
				i := k
				if k >= j {
					i++
				}
				a[i][j] = s>>k&1 == 1
			}
		}
		cyclic := a[0][1] && a[1][0] || a[0][2] && a[2][0] || a[1][2] && a[2][1] ||
			a[0][1] && a[1][2] && a[2][0] ||
			a[0][2] && a[2][1] && a[1][0]
		if cyclic {
			continue
		}
		count++
		sum += math.Exp(total)
		if a[0][2] {
			edge += math.Exp(total)
		}
	}
	got := evaluate(t, q, autograd.Shape{12}, graphsum.LogSum)[0]
	if count != 25 || math.Abs(got-math.Log(sum)) > 1e-12 {
		t.Errorf("%v, want %v of %d graphs", got, math.Log(sum), count)
	}
	if p := evaluate(t, q, autograd.Shape{12}, graphsum.Edges)[2]; math.Abs(p-edge/sum) > 1e-12 {
		t.Errorf("P(0 → 2) %v, want %v", p, edge/sum)
	}
	err := gradtest.Check(
		func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
			return graphsum.LogSum(x[0])
		},
		[][]float64{q},
		[]autograd.Shape{{12}},
		gradtest.Options{},
	)
	if err != nil {
		t.Error(err)
	}
}

// Scores of linear equations, and their sum over graphs, are those of packages score and exact.
func TestGaussian(t *testing.T) {
	x := simulated(40)
	bge := must.Get(score.NewBGe(x, nil, score.BGeOptions{Scale: score.Raw}))(t)
	p := must.Get(exact.New(t.Context(), bge, score.Uniform(3), exact.Options{}))(t)
	o := must.Get(p.Orders(t.Context()))(t)
	g := must.Get(o.Graphs(t.Context()))(t)
	got := evaluate(
		t,
		x.RawMatrix().Data,
		autograd.Shape{40, 3},
		func(x *autograd.Node) *autograd.Node { return graphsum.LogSum(graphsum.Gaussian(x)) },
	)
	if math.Abs(got[0]-g.LogEvidence()) > 1e-9 {
		t.Errorf("%v, want %v", got[0], g.LogEvidence())
	}
}

// simulated are n rows of a → b → c, seen through x = sinh(2z)/2.
func simulated(n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(7, 7))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a := rng.NormFloat64()
		b := a + 0.5*rng.NormFloat64()
		c := -b + 0.5*rng.NormFloat64()
		for j, z := range []float64{a, b, c} {
			x.Set(i, j, math.Sinh(2*z)/2)
		}
	}
	return x
}

// A structural equation model behind an unknown transformation of each column: asinh(cx)/c of a
// column is linear in the others, with normal noise. The graph is summed exactly, and
// the no-U-turn sampler draws the three numbers c that are left.
func Example() {
	const n = 200
	m, err := density.New(func(t *density.Trace) {
		x := t.Data("x", n, 3)
		c := t.Sample("c", density.LogNormal(0, 1), 3)
		z := x.Mul(c).Asinh().Div(c)
		t.Add(x.Mul(c).Square().Log1p().Scale(-0.5)) // ln |dz/dx|
		scores := graphsum.Gaussian(z)
		t.Add(graphsum.LogSum(scores))
		t.Record("edge", graphsum.Edges(scores))
	}, density.Options{Data: map[string][]float64{"x": simulated(n).RawMatrix().Data}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	draws, err := chain.Sampler{Target: m, Kernel: nuts.Kernel{},
		WarmUp: 100}.Run(context.Background(), 100, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Draws(draws)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean := func(i int) float64 {
		sum := 0.0
		for _, v := range values {
			sum += stat.Mean(mat.Col(nil, i, v), nil) / float64(len(values))
		}
		return sum
	}
	fmt.Printf("c of a %.0f\n", mean(0))
	edge := func(i, j int) float64 { return mean(3+3*i+j) + mean(3+3*j+i) }
	fmt.Printf("a – b %.1f, b – c %.1f, a – c %.1f\n", edge(0, 1), edge(1, 2), edge(0, 2))
	// Output:
	// c of a 2
	// a – b 1.0, b – c 1.0, a – c 0.2
}

// A measurement model on top of a graph: each variable was measured twice, with an error of unknown
// size. The no-U-turn sampler draws the variables behind the measurements, and the graph of these
// is summed exactly.
func Example_measurement() {
	const n = 40
	truth, rng := simulated(n), rand.New(rand.NewPCG(3, 3))
	seen := make([]float64, 0, n*3*2)
	for _, v := range truth.RawMatrix().Data {
		z := math.Asinh(2*v) / 2
		seen = append(seen, z+0.3*rng.NormFloat64(), z+0.3*rng.NormFloat64())
	}
	fit, err := sample.Run(context.Background(), func(t *density.Trace) {
		z, e := t.Parameter("z", density.Real(), n, 3, 1), t.Sample("error", density.HalfNormal(1))
		t.Observe(density.Normal(z, e), t.Data("seen", n, 3, 2))
		scores := graphsum.Gaussian(z.Reshape(autograd.Shape{n, 3}))
		t.Add(graphsum.LogSum(scores))
		t.Record("edge", graphsum.Edges(scores))
		t.Record("tenths", e.Scale(10))
	}, map[string][]float64{"seen": seen}, sample.Settings{WarmUp: 150, Draws: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer fit.Close()
	mean := func(name string) float64 { return stat.Mean(fit.Of(name), nil) }
	fmt.Printf("error %.0f tenths\n", mean("tenths"))
	fmt.Printf("a – b %.0f, b – c %.0f\n", mean("edge[0,1]")+mean("edge[1,0]"),
		mean("edge[1,2]")+mean("edge[2,1]"))
	// Output:
	// error 3 tenths
	// a – b 1, b – c 1
}
