package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
)

// clipped passes n on and limits its cotangent.
func clipped(n *ad.Node, bound float64) *ad.Node {
	return ad.WithGradient(n, func(ct *ad.Node) []*ad.Node {
		return []*ad.Node{ct.Clamp(-bound, bound)}
	}, n)
}

// squareRoot is √x by Newton's iteration, with the derivative of the implicit function
// y² = x, in which y is the result.
func squareRoot(x *ad.Node) *ad.Node {
	y := x.Add(x.Builder().Scalar(1)).Scale(0.5)
	for range 30 {
		y = y.Add(x.Div(y)).Scale(0.5)
	}
	var root *ad.Node
	root = ad.WithGradient(y, func(ct *ad.Node) []*ad.Node {
		return []*ad.Node{ct.Div(root.Scale(2))}
	}, x)
	return root
}

// TestWithGradient: value and derivative of an implicit function, three times over, on all
// engines, as scalars, lone particles and samples.
func TestWithGradient(t *testing.T) {
	for _, axes := range [][]int{{}, {9}, {3, 8}} {
		t.Run(fmt.Sprint(axes), func(t *testing.T) {
			b := ad.NewBuilder("root")
			var over []*ad.Axis
			for i, n := range axes {
				over = append(over, b.Axis(fmt.Sprint("a", i), n))
			}
			x := b.Input("x", ad.Shape{2}, over...)
			outputs := []*ad.Node{squareRoot(x)}
			for len(outputs) < 4 {
				outputs = append(outputs, b.Grad(outputs[len(outputs)-1].Sum(), x)[0])
			}
			at := make([]float64, sizeOf(x))
			rng := rand.New(rand.NewPCG(1, uint64(len(axes))))
			want := make([][]float64, 4)
			for i := range at {
				at[i] = 0.5 + 3*rng.Float64()
				y := math.Sqrt(at[i])
				for k, w := range []float64{y, 1 / (2 * y), -1 / (4 * y * at[i]),
					3 / (8 * y * at[i] * at[i])} {
					want[k] = append(want[k], w)
				}
			}
			got := runEngines(t, []*ad.Node{x}, outputs, [][]float64{at}, 1e-12)
			for k := range want {
				compare(t, fmt.Sprintf("derivative %d", k), got[k], want[k], 1e-12)
			}
		})
	}
}

// TestWithGradientAxes: operands may carry axes that the value lacks, and the other way
// round; cotangents are summed where the operand lacks them.
func TestWithGradientAxes(t *testing.T) {
	b := ad.NewBuilder("axes")
	p, s := b.Axis("particle", 3), b.Axis("sample", 8)
	x, e := b.Input("x", ad.Shape{}, p), b.Input("e", ad.Shape{}, p, s)
	mean := e.MeanOver(s)
	// The value of mean, whose derivative by e is taken to be e, and by x to be x·e.
	y := ad.WithGradient(mean, func(ct *ad.Node) []*ad.Node {
		return []*ad.Node{ct.Mul(e), ct.Mul(x).Mul(e)}
	}, e, x)
	if len(y.Axes()) != 1 {
		t.Fatalf("got axes %v, want those of %v", y.Axes(), mean)
	}
	g := b.Grad(y.Scale(2), e, x)
	rng := rand.New(rand.NewPCG(7, 8))
	at := [][]float64{normals(rng, 3), normals(rng, 24)}
	got := runEngines(t, []*ad.Node{x, e}, append(g, y), at, 1e-12)
	for i := range 3 {
		total := 0.0
		for k, v := range at[1][i*8:][:8] {
			compare(t, "by samples", got[0][i*8+k:][:1], []float64{2 * v}, 1e-15)
			total += 2 * v * at[0][i]
		}
		compare(t, "by particles", got[1][i:][:1], []float64{total}, 1e-13)
		compare(t, "value", got[2][i:][:1], []float64{sum(at[1][i*8:][:8]) / 8}, 1e-14)
	}
}

// TestWithGradientReads: what only the derivative is by need not be fed to the value.
func TestWithGradientReads(t *testing.T) {
	b := ad.NewBuilder("reads")
	x, w := b.Input("x", ad.Shape{}), b.Input("w", ad.Shape{})
	y := ad.WithGradient(x.Square(), func(ct *ad.Node) []*ad.Node { return []*ad.Node{nil, ct} }, x,
		w)
	got := runEngines(t, []*ad.Node{x}, []*ad.Node{y}, [][]float64{{3}}, 0)
	compare(t, "value", got[0], []float64{9}, 0)
	got = runEngines(t, []*ad.Node{x}, b.Grad(y, x, w), [][]float64{{3}}, 0)
	compare(t, "by x, which gets none", got[0], []float64{0}, 0)
	compare(t, "by w", got[1], []float64{1}, 0)
}

func TestWithGradientErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		vjp  func(ct *ad.Node) []*ad.Node
		want string
	}{
		{"count", func(ct *ad.Node) []*ad.Node {
			return nil
		}, "with_gradient: x(3): got 0 cotangents, want 1"},
		{"shape", func(ct *ad.Node) []*ad.Node { return []*ad.Node{ct.Sum()} },
			"with_gradient: cotangent of operand 1 has shape (), want (3)"},
	} {
		b := ad.NewBuilder("errors")
		x := b.Input("x", ad.Shape{3})
		b.Grad(ad.WithGradient(x, tt.vjp, x).Sum(), x)
		if err := b.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// The gradient of a square, clipped to at most 1 in size on its way back.
func ExampleWithGradient() {
	b := ad.NewBuilder("clipped")
	x := b.Input("x", ad.Shape{4})
	identity := ad.WithGradient(x, func(ct *ad.Node) []*ad.Node {
		return []*ad.Node{ct.Clamp(-1, 1)}
	}, x)
	y := identity.Square().Sum()
	got := run([]*ad.Node{x}, []*ad.Node{y, b.Grad(y, x)[0]}, []float64{-3, -0.25, 0.25, 3})
	fmt.Printf("value %.3f, clipped gradient %.1f\n", got[0], got[1])
	// Output: value [18.125], clipped gradient [-1.0 -0.5 0.5 1.0]
}

// An implicit function: the root of y³ + y = x, found by Newton's iteration. Its derivative
// 1/(3y² + 1) needs the root only, not the derivative of the iteration.
func ExampleWithGradient_implicit() {
	b := ad.NewBuilder("root")
	x := b.Input("x", ad.Shape{})
	y := x
	for range 20 {
		y = y.Sub(y.Cube().Add(y).Sub(x).Div(y.Square().Scale(3).AddScalar(1)))
	}
	var root *ad.Node
	root = ad.WithGradient(y, func(ct *ad.Node) []*ad.Node {
		return []*ad.Node{ct.Div(root.Square().Scale(3).AddScalar(1))}
	}, x)
	first := b.Grad(root, x)[0]
	got := run([]*ad.Node{x}, []*ad.Node{root, first, b.Grad(first, x)[0]}, []float64{10})
	fmt.Printf("root %.4f, slope %.4f, curvature %.5f\n", got[0], got[1], got[2])
	// Output: root [2.0000], slope [0.0769], curvature [-0.00546]
}

// TestClipped is the gradient of a sum of clipped terms against differences where nothing
// is clipped, and against the bound where it is.
func TestClipped(t *testing.T) {
	err := gradtest.Check(func(_ *ad.Builder, x []*ad.Node) *ad.Node {
		return clipped(x[0], 100).Square().Sum()
	},
		[][]float64{{1, 2, 3}}, []ad.Shape{{3}}, gradtest.Options{})
	if err != nil {
		t.Error(err)
	}
	b := ad.NewBuilder("clipped")
	x := b.Input("x", ad.Shape{3})
	got := runEngines(t, []*ad.Node{x}, b.Grad(clipped(x, 3).Square().Sum(), x),
		[][]float64{{1, 2, -30}}, 0)
	compare(t, "gradient", got[0], []float64{2, 3, -3}, 0)
}
