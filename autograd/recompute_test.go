package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// chain is a chain of steps x ← tanh(w·x + x/2), cut into stretches that the gradient
// computes again; stretch 0 keeps all.
func chain(w, x *ad.Node, steps, stretch int) *ad.Node {
	part := func(n int) func(x []*ad.Node) []*ad.Node {
		return func(x []*ad.Node) []*ad.Node {
			y := x[0]
			for range n {
				y = w.Mul(y).Add(y.Scale(0.5)).Tanh()
			}
			return []*ad.Node{y}
		}
	}
	if stretch == 0 {
		return part(steps)([]*ad.Node{x})[0]
	}
	for at := 0; at < steps; at += stretch {
		x = ad.Recompute(part(min(stretch, steps-at)), x)[0]
	}
	return x
}

// TestRecompute: values, gradients and second derivatives are those of the function that
// keeps everything, bit by bit on each engine, also of the weights that it captures.
func TestRecompute(t *testing.T) {
	for _, axes := range [][]int{{}, {9}, {3, 8}} {
		t.Run(fmt.Sprint(axes), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(len(axes))))
			var want [][]float64
			for _, stretch := range []int{0, 1, 3, 100} {
				b := ad.NewBuilder("chain")
				var over []*ad.Axis
				for i, n := range axes {
					over = append(over, b.Axis(fmt.Sprint("a", i), n))
				}
				w, x := b.Input("w", ad.Shape{2}, over[:min(len(over), 1)]...),
					b.Input("x", ad.Shape{2}, over...)
				y := chain(w, x, 7, stretch)
				g := b.Grad(y.Square().Sum(), w, x)
				second := b.Grad(g[0].Sum().Add(g[1].Square().Sum()), w, x)
				forward := b.Jvp(y, []*ad.Node{w, x}, []*ad.Node{w.Sin(), x.Cos()})
				inputs, outputs := []*ad.Node{w, x},
					append(append([]*ad.Node{y, forward}, g...), second...)
				if want == nil {
					at := [][]float64{normals(rng, sizeOf(w)), normals(rng, sizeOf(x))}
					want = append(at, runEngines(t, inputs, outputs, at, 1e-12)...)
					continue
				}
				got := runEngines(t, inputs, outputs, want[:2], 1e-12)
				for i := range got {
					compare(t, fmt.Sprintf("stretches of %d: %v", stretch, outputs[i]), got[i],
						want[2+i], 1e-13)
				}
			}
		})
	}
}

// TestRecomputeResults: several results, one of them twice, one an argument, some without a
// cotangent, and nested.
func TestRecomputeResults(t *testing.T) {
	f := func(x []*ad.Node) []*ad.Node {
		u := x[0].Mul(x[1]).Sin()
		return []*ad.Node{u, x[0], u.Square().Sum(), u, x[1].Exp()}
	}
	nested := func(x []*ad.Node) []*ad.Node { return ad.Recompute(f, ad.Recompute(f, x...)[:2]...) }
	twice := func(x []*ad.Node) []*ad.Node { return f(f(x)[:2]) }
	b := ad.NewBuilder("results")
	x := []*ad.Node{b.Input("x", ad.Shape{2}), b.Input("y", ad.Shape{2})}
	for _, used := range []int{1, 2, 3, 5} {
		outputs := func(y []*ad.Node) []*ad.Node {
			loss := b.Scalar(1)
			for i, n := range y[:used] {
				loss = loss.Add(n.Sum().Scale(float64(1 + i)))
			}
			return append(b.Grad(loss, x...), loss)
		}
		at := [][]float64{{0.3, -0.8}, {1.2, 0.4}}
		for _, pair := range [][2][]*ad.Node{{ad.Recompute(f, x...), f(x)}, {nested(x), twice(x)},
			{ad.Recompute(nested, x...), twice(x)}} {
			got, want := runEngines(t, x, outputs(pair[0]), at, 1e-12),
				runEngines(t, x, outputs(pair[1]), at, 1e-12)
			for i := range want {
				compare(t, fmt.Sprintf("%d results used, output %d", used, i), got[i], want[i],
					1e-14)
			}
		}
	}
}

// TestRecomputeNeeded: a result that does not depend on what is differentiated by, in front
// of one that does.
func TestRecomputeNeeded(t *testing.T) {
	b := ad.NewBuilder("needed")
	w, x := b.Input("w", ad.Shape{}), b.Input("x", ad.Shape{})
	y := ad.Recompute(func(x []*ad.Node) []*ad.Node {
		return []*ad.Node{x[0].Exp(), x[1].Square(), w.Sin()}
	}, w, x)
	loss := y[0].Mul(y[1]).Mul(y[2])
	got := runEngines(t, []*ad.Node{w, x}, append(b.Grad(loss, x), b.Grad(loss, w)...),
		[][]float64{{0.7}, {3}}, 1e-12)
	compare(t, "by x", got[0], []float64{math.Exp(0.7) * 6 * math.Sin(0.7)}, 1e-15)
	compare(t, "by w", got[1], []float64{math.Exp(0.7) * 9 * (math.Sin(0.7) + math.Cos(0.7))},
		1e-15)
}

// storage is the number of bytes, and of registers, of a program.
func storage(t *testing.T, inputs, outputs []*ad.Node) (bytes, registers int) {
	t.Helper()
	p := must.Get(ad.Compile(inputs, outputs))(t)
	total := func(pattern string) (n int) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(p.String(), -1) {
			k := must.Get(strconv.Atoi(m[1]))(t)
			n += k
		}
		return n
	}
	return total(`arena (\d+) bytes`), total(`kept values, (\d+) in all`)
}

// TestRecomputeMemory: the gradient of a chain of 400 steps needs memory for about 2·√400
// values instead of 400, array by array as well as on lanes.
func TestRecomputeMemory(t *testing.T) {
	const steps = 400
	need := func(shape ad.Shape, stretch int, axes ...int) (bytes, registers int) {
		b := ad.NewBuilder("memory")
		var over []*ad.Axis
		for i, n := range axes {
			over = append(over, b.Axis(fmt.Sprint("a", i), n))
		}
		w, x := b.Input("w", ad.Shape{}), b.Input("x", shape, over...)
		y := chain(w, x, steps, stretch).Sum()
		for _, a := range over[1:] {
			y = y.SumOver(a)
		}
		return storage(t, []*ad.Node{w, x}, b.Grad(y, x))
	}
	kept, _ := need(ad.Shape{100}, 0, 2)
	again, _ := need(ad.Shape{100}, 20, 2)
	t.Logf("array by array: %d bytes kept, %d in stretches", kept, again)
	if again*4 > kept {
		t.Errorf("array by array: got %d bytes, want less than a quarter of %d", again, kept)
	}
	_, kept = need(ad.Shape{}, 0, 2, 16)
	_, again = need(ad.Shape{}, 20, 2, 16)
	t.Logf("lanes: %d registers kept, %d in stretches", kept, again)
	if again*4 > kept {
		t.Errorf("lanes: got %d registers, want less than a quarter of %d", again, kept)
	}
}

// TestRecomputeSparse: samples of negligible weight are left out of what is computed again.
func TestRecomputeSparse(t *testing.T) {
	var want [][]float64
	for _, again := range []bool{false, true} {
		b := ad.NewBuilder("sparse")
		p, s := b.Axis("particle", 2), b.Axis("sample", 64)
		w, x := b.Input("w", ad.Shape{}, p), b.Input("x", ad.Shape{2}, p, s)
		f := func(x []*ad.Node) []*ad.Node {
			return []*ad.Node{w.Mul(x[0]).Relu().Add(x[0]).Square()}
		}
		z := []*ad.Node{x}
		for range 2 {
			if again {
				z = ad.Recompute(f, z...)
			} else {
				z = f(z)
			}
		}
		y := z[0].Sum().LogMeanExpOver(s)
		inputs, outputs := []*ad.Node{w, x}, append(b.Grad(y, w), y)
		program := must.Get(ad.Compile(inputs, outputs))(t)
		if strings.Contains(program.String(), " 0 packed") ||
			!strings.Contains(program.String(), " packed") {
			t.Errorf("again %v: want a group on selected lanes in listing:\n%v", again, program)
		}
		rng := rand.New(rand.NewPCG(6, 6))
		got := runEngines(t, inputs, outputs, [][]float64{normals(rng, 2), normals(rng, 256)},
			1e-12)
		if want == nil {
			want = got
		}
		for i := range want {
			compare(t, outputs[i].String(), got[i], want[i], 1e-13)
		}
	}
}

func TestRecomputeErrors(t *testing.T) {
	calls := 0
	for _, tt := range []struct {
		name string
		f    func(x []*ad.Node) []*ad.Node
		want string
	}{
		{"fewer results", func(x []*ad.Node) []*ad.Node {
			calls++
			return []*ad.Node{x[0].Exp(), x[0].Sin()}[:2-calls/2]
		}, "has 1 results, want 2"},
		{"other shape", func(x []*ad.Node) []*ad.Node {
			if calls++; calls > 1 {
				return []*ad.Node{x[0].Exp().Sum()}
			}
			return []*ad.Node{x[0].Exp()}
		}, "want one like exp"},
		{"an input", func(x []*ad.Node) []*ad.Node {
			return []*ad.Node{x[0].Mul(x[0].Builder().Input("again", ad.Shape{}))}
		}, `input name "again" is already used`},
		{"failure within", func(x []*ad.Node) []*ad.Node {
			return []*ad.Node{x[0].Reshape(ad.Shape{7})}
		}, "reshape"},
	} {
		calls = 0
		b := ad.NewBuilder("errors")
		x := b.Input("x", ad.Shape{3})
		b.Grad(ad.Recompute(tt.f, x)[0].Sum(), x)
		if err := b.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A chain of a hundred steps whose gradient keeps every tenth value and computes the others
// again.
func ExampleRecompute() {
	b := ad.NewBuilder("chain")
	x := b.Input("x", ad.Shape{})
	y := x
	for range 10 {
		y = ad.Recompute(func(x []*ad.Node) []*ad.Node {
			for range 10 {
				x = []*ad.Node{x[0].Sin()}
			}
			return x
		}, y)[0]
	}
	got := run([]*ad.Node{x}, []*ad.Node{y, b.Grad(y, x)[0]}, []float64{1})
	fmt.Printf("value %.4f, derivative %.4f\n", got[0], got[1])
	// Output: value [0.1689], derivative [0.0037]
}
