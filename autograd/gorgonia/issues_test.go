package gorgonia_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
)

// What gorgonia's users asked for, by the number of the issue: what happens here with the
// same graph. README.md has the list.

// imports imports nodes and evaluates them.
func imports(t *testing.T, at map[string][]float64, outputs ...*G.Node) [][]float64 {
	t.Helper()
	made := must.Get(gorgonia.Import(ad.NewBuilder("issue"), outputs, nil))(t)
	var values [][]float64
	for _, n := range made.Inputs {
		values = append(values, at[n.Name()])
	}
	return eval(t, made.Inputs, made.Outputs, values, ad.Options{})
}

// 576: the TapeMachine writes a sum into the memory of its operand.
func TestIssue576(t *testing.T) {
	g := G.NewGraph()
	a, b := leaf(g, "a", ad.Shape{2, 2}), leaf(g, "b", ad.Shape{2, 2})
	squared := G.Must(G.Square(a))
	got := imports(t, map[string][]float64{"a": {1, 2, 3, 4}, "b": {10, 20, 30, 40}}, squared,
		G.Must(G.Add(squared, b)))
	compare(t, "intermediate value", got[0], []float64{1, 4, 9, 16}, 0)
	compare(t, "result", got[1], []float64{11, 24, 39, 56}, 0)
}

// 523 and 531: gorgonia does not start on a new version of Go without a pin, which go.mod
// has; what does not import this package does not link it (TestLinked).
func TestIssue523(t *testing.T) {
	got := imports(t, map[string][]float64{"x": {3}},
		G.Must(G.Square(leaf(G.NewGraph(), "x", ad.Shape{1}))))
	if got[0][0] != 9 {
		t.Errorf("on %s: got %v", runtime.Version(), got)
	}
}

// 341: concatenations and reshapes of valid shapes that fail when they are run.
func TestIssue341(t *testing.T) {
	g := G.NewGraph()
	a, b, c := leaf(g, "a", ad.Shape{2, 1, 2}), leaf(g, "b", ad.Shape{2, 2}),
		leaf(g, "c", ad.Shape{2, 1})
	rows := G.Must(G.Concat(1, G.Must(G.Reshape(a, tensor.Shape{2, 2})), b, c))
	back := G.Must(G.Reshape(G.Must(G.Transpose(rows)), tensor.Shape{1, 10}))
	got := imports(t, map[string][]float64{"a": {1, 2, 3, 4}, "b": {5, 6, 7, 8}, "c": {9, 10}},
		rows, back)
	compare(t, "concatenation", got[0], []float64{1, 2, 5, 6, 9, 3, 4, 7, 8, 10}, 0)
	compare(t, "reshape of its transpose", got[1], []float64{1, 3, 2, 4, 5, 7, 6, 8, 9, 10}, 0)
}

// 218: the value of a node that was not computed panics. Here what is missing is an error
// with its name.
func TestIssue218(t *testing.T) {
	x := leaf(G.NewGraph(), "x", ad.Shape{2})
	made := must.Get(gorgonia.Import(ad.NewBuilder("values"), []*G.Node{G.Must(G.Exp(x))}, nil))(t)
	if _, err := ad.NewEvaluator(nil, made.Outputs, ad.Options{}); err == nil ||
		!strings.Contains(err.Error(), `depends on input "x", which is not listed`) {
		t.Errorf("got error %v", err)
	}
	run := must.Get(ad.NewEvaluator(made.Inputs, made.Outputs, ad.Options{}))(t)
	defer run.Close()
	if err := run.Eval([][]float64{make([]float64, 2)},
		[]ad.Feed{{Data: []float64{1}}}); err == nil ||
		!strings.Contains(err.Error(), "got 1 values, want 2") {
		t.Errorf("got error %v", err)
	}
}

// 323: a softmax of large numbers has a gradient.
func TestIssue323(t *testing.T) {
	x := leaf(G.NewGraph(), "x", ad.Shape{1, 3})
	b := ad.NewBuilder("softmax")
	made := must.Get(gorgonia.Import(b, []*G.Node{G.Must(G.SoftMax(x, 1))}, nil))(t)
	second := made.Outputs[0].Index(1, 1).Sum()
	got := eval(t, made.Inputs, append(b.Grad(second, made.Inputs...), second),
		[][]float64{{800, 800 + math.Ln2, -800}}, ad.Options{})
	compare(t, "gradient", got[0], []float64{-2. / 9, 2. / 9, 0}, 1e-13)
	compare(t, "value", got[1], []float64{2. / 3}, 1e-13)
}

// 297: results that change from run to run. Here they are the same bits for any number of
// workers.
func TestIssue297(t *testing.T) {
	g := G.NewGraph()
	loss, _ := perceptron(g)
	b := ad.NewBuilder("workers")
	p := b.Axis("particle", 9)
	bind := map[*G.Node]*ad.Node{}
	rng := rand.New(rand.NewPCG(2, 97))
	var inputs []*ad.Node
	var at [][]float64
	for _, name := range []string{"x", "y", "w", "b", "v"} {
		n := g.ByName(name)[0]
		bind[n] = b.Input(name, append(ad.Shape{}, n.Shape()...), p)
		inputs, at = append(inputs, bind[n]), append(at, normals(rng, sizeOf(bind[n])))
	}
	made := must.Get(gorgonia.Import(b, []*G.Node{loss}, bind))(t)
	outputs := b.Grad(made.Outputs[0], inputs...)
	want := eval(t, inputs, outputs, at, ad.Options{})
	for _, workers := range []int{1, 2, 5} {
		for i, got := range eval(t, inputs, outputs, at, ad.Options{Workers: workers}) {
			if !sameBits(got, want[i]) {
				t.Errorf("%d workers: gradient %d has other bits", workers, i)
			}
		}
	}
}

// 542 and 449: weights that are shared by the steps of a loop, and loops written in Go.
func TestIssue542(t *testing.T) {
	g := G.NewGraph()
	w, h := leaf(g, "w", ad.Shape{3, 3}), leaf(g, "h", ad.Shape{3})
	y := h
	for range 5 {
		y = G.Must(G.Tanh(G.Must(G.Mul(w, y))))
	}
	made := must.Get(gorgonia.Import(ad.NewBuilder("loop"), []*G.Node{G.Must(G.Sum(y))}, nil))(t)
	rng := rand.New(rand.NewPCG(5, 42))
	var args []gradtest.Argument
	for _, n := range made.Inputs {
		args = append(args, gradtest.Argument{Node: n, Values: normals(rng, n.Shape().Len())})
	}
	if err := gradtest.CheckGraph(made.Outputs[0], args, gradtest.Options{}); err != nil {
		t.Error(err)
	}
}

// BenchmarkIssue378 is a gradient step of a convolutional network, which was slow: 32 images
// of 28×28 pixels, 8 filters of 5×5, pooling and ten classes.
func BenchmarkIssue378(b *testing.B) {
	const n = 32
	g := G.NewGraph()
	x, y := leaf(g, "x", ad.Shape{n, 1, 28, 28}), leaf(g, "y", ad.Shape{n, 10})
	f, v := leaf(g, "f", ad.Shape{8, 1, 5, 5}), leaf(g, "v", ad.Shape{8 * 12 * 12, 10})
	conv := G.Must(G.Rectify(
		G.Must(G.Conv2d(x, f, tensor.Shape{5, 5}, []int{0, 0}, []int{1, 1}, []int{1, 1}))))
	flat := G.Must(
		G.Reshape(G.Must(G.MaxPool2D(conv, tensor.Shape{2, 2}, []int{0, 0}, []int{2, 2})),
			tensor.Shape{n, 8 * 12 * 12}))
	loss := crossEntropy(G.Must(G.Mul(flat, v)), y)
	rng := rand.New(rand.NewPCG(3, 78))
	at := map[string][]float64{}
	for _, leaf := range []*G.Node{x, y, f, v} {
		at[leaf.Name()] = normals(rng, leaf.Shape().TotalSize())
	}
	b.Run("engine=compiled", func(b *testing.B) {
		builder := ad.NewBuilder("convnet")
		made := must.Get(gorgonia.Import(builder, []*G.Node{loss}, nil))(b)
		var src []ad.Feed
		for _, in := range made.Inputs {
			src = append(src, ad.Feed{Data: at[in.Name()]})
		}
		outputs := append(builder.Grad(made.Outputs[0], builder.InputNamed("f"),
			builder.InputNamed("v")), made.Outputs[0])
		run := must.Get(ad.NewEvaluator(made.Inputs, outputs, ad.Options{}))(b)
		defer run.Close()
		dst := room(outputs)
		for b.Loop() {
			must.Do(b, run.Eval(dst, src))
		}
	})
	b.Run("engine=tape", func(b *testing.B) {
		must.Get(G.Grad(loss, f, v))(b)
		for _, leaf := range []*G.Node{x, y, f, v} {
			must.Do(b, G.Let(leaf, tensor.New(tensor.WithShape(leaf.Shape()...),
				tensor.WithBacking(at[leaf.Name()]))))
		}
		m := G.NewTapeMachine(g)
		defer m.Close()
		for b.Loop() {
			must.Do(b, m.RunAll())
			m.Reset()
		}
	})
}
