package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
)

// TestJvp: for every operation of the table that has a derivative, and over mapped axes,
// the directional derivative is that of differences of plain Go code, is the adjoint of the
// vector-Jacobian product, and is the same on all engines.
func TestJvp(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.op, func(t *testing.T) {
			for _, c := range r.cases {
				for _, v := range variants(len(c.shapes), len(c.axes)) {
					if v.light || v.whole {
						continue
					}
					t.Run(c.name+"/"+v.name, func(t *testing.T) { checkJvp(t, r, c, v) })
				}
			}
		})
	}
}

func checkJvp(t *testing.T, r row, c opCase, v variant) {
	s := newBench(t, c, v)
	var x, directions []*ad.Node
	var which []int
	operands := len(s.inputs)
	for i, n := range s.inputs[:operands] {
		if c.frozen>>i&1 == 1 {
			continue
		}
		d := s.b.Input(fmt.Sprintf("t%d", i), n.Shape(), n.Axes()...)
		x, directions, which = append(x, n), append(directions, d), append(which, i)
		s.inputs, s.feeds = append(s.inputs, d), append(s.feeds, normals(s.rng, sizeOf(d)))
	}
	ct := s.b.Input("ct", s.y.Shape(), s.y.Axes()...)
	s.inputs, s.feeds = append(s.inputs, ct), append(s.feeds, normals(s.rng, sizeOf(ct)))
	jvp := s.b.Jvp(s.y, x, directions)
	must.Do(t, s.b.Err())
	if !jvp.Shape().Equal(s.y.Shape()) || fmt.Sprint(jvp.Axes()) != fmt.Sprint(s.y.Axes()) {
		t.Fatalf("got %v, want shape and axes of %v", jvp, s.y)
	}
	got := s.run(t, append([]*ad.Node{s.y, jvp}, s.b.Vjp(s.y, ct, x...)...))
	if r.constant {
		checkZero(t, "derivative of a constant", got[1:])
		return
	}
	weights := s.feeds[len(s.feeds)-1]
	adjoint, forward := 0.0, dot(weights, got[1])
	size := 0.0
	for k := range x {
		adjoint += dot(got[2+k], s.feeds[operands+k])
		size += largest(got[2+k])
	}
	if !(math.Abs(adjoint-forward) <= 1e-9*max(1, size, math.Abs(forward))) {
		t.Errorf("adjoint: got ⟨ct, J·t⟩ = %v, ⟨Jᵀ·ct, t⟩ = %v", forward, adjoint)
	}
	want, uncertainty := gradtest.Derivative(func(h float64) float64 {
		moved := append([][]float64{}, s.feeds[:operands]...)
		for k, i := range which {
			moved[i] = make([]float64, len(s.feeds[i]))
			for e := range moved[i] {
				moved[i][e] = s.feeds[i][e] + h*s.feeds[operands+k][e]
			}
		}
		return dot(weights, s.slope(moved))
	}, 0.003)
	if !(math.Abs(forward-want) <= slopeTolerance*max(1e-3, size, math.Abs(want))) {
		t.Errorf("got %v, want %v ± %.1g", forward, want, uncertainty)
	}
}

// rosenbrock is Σ 100(x[i+1] − x[i]²)² + (1 − x[i])² of a vector, or of one per index of an
// axis.
func rosenbrock(x *ad.Node) *ad.Node {
	d := x.Shape()[0]
	head, tail := x.Slice(0, 0, d-1), x.Slice(0, 1, d)
	return tail.Sub(head.Square()).Square().Scale(100).Add(head.Neg().AddScalar(1).Square()).Sum()
}

// rosenbrockHessian is the matrix, by hand.
func rosenbrockHessian(x []float64) []float64 {
	d := len(x)
	h := make([]float64, d*d)
	for i := range d - 1 {
		h[i*d+i] += 1200*x[i]*x[i] - 400*x[i+1] + 2
		h[i*d+i+1] -= 400 * x[i]
		h[(i+1)*d+i] -= 400 * x[i]
		h[(i+1)*d+i+1] += 200
	}
	return h
}

// TestHessian: the Hessian and its products are those worked out by hand, for one particle
// and for each of many.
func TestHessian(t *testing.T) {
	const d, particles = 4, 9
	rng := rand.New(rand.NewPCG(3, 4))
	for _, mapped := range []bool{false, true} {
		t.Run(fmt.Sprintf("mapped=%v", mapped), func(t *testing.T) {
			b := ad.NewBuilder("rosenbrock")
			var over []*ad.Axis
			count := 1
			if mapped {
				over, count = append(over, b.Axis("particle", particles)), particles
			}
			x, v := b.Input("x", ad.Shape{d}, over...), b.Input("v", ad.Shape{d}, over...)
			y := rosenbrock(x)
			outputs := append(b.Hvp(y, []*ad.Node{x}, []*ad.Node{v}), b.Hessian(y, x))
			at := [][]float64{normals(rng, d*count), normals(rng, d*count)}
			got := runEngines(t, []*ad.Node{x, v}, outputs, at, 1e-11)
			for p := range count {
				h := rosenbrockHessian(at[0][p*d:][:d])
				compare(t, "Hessian", got[1][p*d*d:][:d*d], h, 1e-13)
				product := make([]float64, d)
				for i := range product {
					product[i] = dot(h[i*d:][:d], at[1][p*d:][:d])
				}
				compare(t, "Hessian times direction", got[0][p*d:][:d], product, 1e-13)
			}
		})
	}
}

// TestHvpSymmetric: ⟨s, H·t⟩ = ⟨t, H·s⟩ over two inputs of a function of many operations.
func TestHvpSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	b := ad.NewBuilder("symmetric")
	x := []*ad.Node{b.Input("x", ad.Shape{3, 3}), b.Input("y", ad.Shape{3})}
	one := []*ad.Node{b.Input("s0", ad.Shape{3, 3}), b.Input("s1", ad.Shape{3})}
	two := []*ad.Node{b.Input("t0", ad.Shape{3, 3}), b.Input("t1", ad.Shape{3})}
	a := x[0].MatMul(x[0].T()).Add(b.Constant([]float64{3, 0, 0, 0, 3, 0, 0, 0, 3}, ad.Shape{3, 3}))
	y := a.LogDet().Add(a.Solve(x[1].Tanh().Reshape(ad.Shape{3, 1})).LogSumExp()).Add(
		x[1].Softmax(0).Dot(x[0].Sum(0).Sigmoid()))
	product := func(s, t []*ad.Node) *ad.Node {
		h := b.Hvp(y, x, t)
		return h[0].Dot(s[0]).Add(h[1].Dot(s[1]))
	}
	inputs := append(append(append([]*ad.Node{}, x...), one...), two...)
	var at [][]float64
	for _, n := range inputs {
		at = append(at, normals(rng, sizeOf(n)))
	}
	got := runEngines(t, inputs, []*ad.Node{product(one, two), product(two, one)}, at, 1e-10)
	compare(t, "⟨s, H·t⟩ against ⟨t, H·s⟩", got[0], got[1], 1e-11)
}

// TestJacobian: of a linear function it is the matrix, and its rows and columns are those of
// the other two products.
func TestJacobian(t *testing.T) {
	b := ad.NewBuilder("jacobian")
	m := []float64{1, 2, 3, 4, 5, 6}
	x := b.Input("x", ad.Shape{3})
	linear := b.Constant(m, ad.Shape{2, 3}).MatVec(x)
	outputs := []*ad.Node{b.Jacobian(linear, x), b.Jacobian(x.Outer(x), x), b.Jacobian(x.Sum(), x),
		b.Jacobian(b.Scalar(3), x)}
	for i, want := range []ad.Shape{{2, 3}, {3, 3, 3}, {3}, {3}} {
		if !outputs[i].Shape().Equal(want) {
			t.Errorf("result %d: got shape %v, want %v", i, outputs[i].Shape(), want)
		}
	}
	got := runEngines(t, []*ad.Node{x}, outputs, [][]float64{{1, 2, 3}}, 0)
	compare(t, "matrix", got[0], m, 0)
	outer := make([]float64, 27) // ∂(xᵢxⱼ)/∂x_k = δᵢₖxⱼ + xᵢδⱼₖ
	for i := range 3 {
		for j := range 3 {
			outer[(i*3+j)*3+i] += float64(j + 1)
			outer[(i*3+j)*3+j] += float64(i + 1)
		}
	}
	compare(t, "outer product", got[1], outer, 0)
	compare(t, "sum", got[2], []float64{1, 1, 1}, 0)
	compare(t, "constant", got[3], []float64{0, 0, 0}, 0)
}

// TestJvpProgram: what the two passes of reverse mode compute on the way is not in the
// program: the directional derivative of a chain is computed from its values alone.
func TestJvpProgram(t *testing.T) {
	b := ad.NewBuilder("chain")
	x, d := b.Input("x", ad.Shape{}), b.Input("t", ad.Shape{})
	y, want := x, d
	for range 5 {
		y = y.Exp()
		want = want.Mul(y)
	}
	jvp := b.Jvp(y, []*ad.Node{x}, []*ad.Node{d})
	size := func(n *ad.Node) int {
		p := must.Get(ad.Compile([]*ad.Node{x, d}, []*ad.Node{y, n}))(t)
		return strings.Count(p.String(), "\n")
	}
	if got, want := size(jvp), size(want); got > want {
		t.Errorf("got a program of %d lines, want %d as by hand", got, want)
	}
}

func TestForwardErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(b *ad.Builder, x *ad.Node)
		want string
	}{
		{"shape of a cotangent", func(b *ad.Builder, x *ad.Node) {
			b.Vjp(x, b.Scalar(1), x)
		}, "want shape (3)"},
		{"number of directions", func(b *ad.Builder, x *ad.Node) { b.Jvp(x, []*ad.Node{x}, nil) },
			"got 0 directions, want 1"},
		{"shape of a direction", func(b *ad.Builder, x *ad.Node) {
			b.Jvp(x, []*ad.Node{x}, []*ad.Node{x.Sum()})
		}, "want shape and axes of x(3)"},
		{"axes of a direction", func(b *ad.Builder, x *ad.Node) {
			b.Hvp(x.Sum(), []*ad.Node{x}, []*ad.Node{b.Input("t", ad.Shape{3}, b.Axis("a", 2))})
		}, "want shape and axes of x(3)"},
		{"scalar", func(b *ad.Builder, x *ad.Node) { b.Hvp(x, []*ad.Node{x}, []*ad.Node{x}) },
			"want a scalar shape"},
		{"other graph", func(b *ad.Builder, x *ad.Node) {
			b.Jvp(x, []*ad.Node{x}, []*ad.Node{ad.NewBuilder("other").Input("t", ad.Shape{3})})
		}, "nodes of several graphs"},
		{"after a failure", func(b *ad.Builder, x *ad.Node) {
			x.Reshape(ad.Shape{7})
			b.Hessian(x.Sum(), x)
			b.Jvp(x, []*ad.Node{x}, []*ad.Node{x})
			b.Hvp(x.Sum(), []*ad.Node{x}, []*ad.Node{x})
		}, "reshape"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("errors")
			tt.do(b, b.Input("x", ad.Shape{3}))
			if err := b.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

// Newton's method: the Hessian of a function of two numbers, and a step along its inverse.
func ExampleBuilder_Hessian() {
	b := ad.NewBuilder("newton")
	x := b.Input("x", ad.Shape{2})
	y := x.Exp().Sum().Add(x.Sum().Square())
	step := b.Hessian(y, x).Solve(b.Grad(y, x)[0].Reshape(ad.Shape{2, 1})).Reshape(ad.Shape{2})
	got := run([]*ad.Node{x}, []*ad.Node{b.Hessian(y, x), x.Sub(step)}, []float64{0, 0})
	fmt.Printf("Hessian %.0f, next point %.1f\n", got[0], got[1])
	// Output: Hessian [3 2 2 3], next point [-0.2 -0.2]
}

// A directional derivative and a Hessian-vector product.
func ExampleBuilder_Jvp() {
	b := ad.NewBuilder("directions")
	x, t := b.Input("x", ad.Shape{2}), b.Input("t", ad.Shape{2})
	y := x.Square().Mul(x) // x³
	forward := b.Jvp(y, []*ad.Node{x}, []*ad.Node{t})
	curvature := b.Hvp(y.Sum(), []*ad.Node{x}, []*ad.Node{t})[0]
	got := run([]*ad.Node{x, t}, []*ad.Node{forward, curvature}, []float64{1, 2}, []float64{1, -1})
	fmt.Printf("3x²t = %.0f, 6xt = %.0f\n", got[0], got[1])
	// Output: 3x²t = [3 -12], 6xt = [6 -12]
}
