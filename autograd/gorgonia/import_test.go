package gorgonia_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/autograd/gradtest"
)

// leaf is an input of a gorgonia graph.
func leaf(g *G.ExprGraph, name string, shape ad.Shape) *G.Node {
	if len(shape) == 0 {
		return G.NewScalar(g, tensor.Float64, G.WithName(name))
	}
	return G.NewTensor(g, tensor.Float64, len(shape), G.WithName(name), G.WithShape(shape...))
}

// onTape runs a gorgonia graph on its TapeMachine; inputs are found by name.
func onTape(t *testing.T, outputs []*G.Node, names []string, at [][]float64) [][]float64 {
	t.Helper()
	g := outputs[0].Graph()
	for i, name := range names {
		for _, n := range g.ByName(name) {
			var v any = at[i][0]
			if n.Dims() > 0 {
				v = tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(slices.Clone(at[i])))
			}
			if err := G.Let(n, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := make([]G.Value, len(outputs))
	for i, n := range outputs {
		G.Read(n, &read[i])
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	got := make([][]float64, len(outputs))
	for i, v := range read {
		switch x := v.Data().(type) {
		case float64:
			got[i] = []float64{x}
		case []float64:
			got[i] = slices.Clone(x)
		default:
			t.Fatalf("result %d is a %T", i, x)
		}
	}
	return got
}

// imported are the nodes that gorgonia's become.
func imported(t *testing.T, b *ad.Builder, outputs ...*G.Node) []*ad.Node {
	t.Helper()
	made, err := gorgonia.Import(b, outputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made.Outputs
}

// TestImport: for every operation the numbers are those of gorgonia's TapeMachine on all
// engines, and the gradient is that of differences.
func TestImport(t *testing.T) {
	for i, c := range importCases() {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			g := G.NewGraph()
			var leaves []*G.Node
			var names []string
			var at [][]float64
			for k, s := range c.shapes {
				names = append(names, fmt.Sprint("x", k))
				leaves = append(leaves, leaf(g, names[k], s))
				v := normals(rng, s.Len())
				for e := range v {
					if c.sample != nil {
						v[e] = c.sample(v[e])
					}
				}
				at = append(at, v)
			}
			if c.name == "==" || c.name == "!=" || c.name == ">=" || c.name == "<=" {
				at[1][0] = at[0][0]
			}
			y, err := c.build(leaves)
			if err != nil {
				t.Fatal(err)
			}
			b := ad.NewBuilder("import")
			made, err := gorgonia.Import(b, []*G.Node{y}, nil)
			if err != nil {
				t.Fatal(err)
			}
			n := made.Outputs[0]
			if got, want := fmt.Sprint(n.Shape()), fmt.Sprint(ad.Shape(y.Shape())); got != want {
				t.Errorf("got shape %v, want %v", got, want)
			}
			var inputs []*ad.Node
			for _, name := range names {
				inputs = append(inputs, b.InputNamed(name))
			}
			got := runEngines(t, inputs, []*ad.Node{n}, at, 1e-12)
			compare(t, "against the tape machine", got[0], onTape(t, []*G.Node{y}, names, at)[0], 1e-12)
			if c.flat {
				return
			}
			w := make([]float64, n.Shape().Len())
			for e := range w {
				w[e] = rng.NormFloat64()
			}
			loss := n.Mul(b.Constant(w, n.Shape())).Sum()
			var args []gradtest.Argument
			for k, x := range inputs {
				args = append(args, gradtest.Argument{Node: x, Values: at[k]})
			}
			if err := gradtest.CheckGraph(loss, args, gradtest.Options{Step: 1e-3}); err != nil {
				t.Error(err)
			}
		})
	}
}

// perceptron is a gorgonia graph of a network with one hidden layer, a softmax and a
// cross entropy.
func perceptron(g *G.ExprGraph) (loss *G.Node, parameters []*G.Node) {
	x, y := leaf(g, "x", ad.Shape{5, 4}), leaf(g, "y", ad.Shape{5, 3})
	w, bias, v := leaf(g, "w", ad.Shape{4, 6}), leaf(g, "b", ad.Shape{6}), leaf(g, "v", ad.Shape{6, 3})
	hidden := G.Must(G.Tanh(G.Must(G.BroadcastAdd(G.Must(G.Mul(x, w)), bias, nil, []byte{0}))))
	scores := G.Must(G.Mul(hidden, v))
	log := G.Must(G.Log(G.Must(G.SoftMax(scores, 1))))
	fit := G.Must(G.Neg(G.Must(G.Mean(G.Must(G.Sum(G.Must(G.HadamardProd(y, log)), 1))))))
	return G.Must(G.Add(fit, G.Must(G.Mul(G.NewConstant(0.01), G.Must(G.Sum(G.Must(G.Square(w)))))))), []*G.Node{w, bias, v}
}

// TestImportGradient: a whole network, differentiated here and by gorgonia, and gorgonia's
// own derivative imported.
func TestImportGradient(t *testing.T) {
	g := G.NewGraph()
	loss, parameters := perceptron(g)
	b := ad.NewBuilder("perceptron")
	mine := imported(t, b, loss)[0]
	names := []string{"x", "y", "w", "b", "v"}
	var inputs []*ad.Node
	var at [][]float64
	rng := rand.New(rand.NewPCG(1, 9))
	for _, name := range names {
		n := b.InputNamed(name)
		inputs = append(inputs, n)
		at = append(at, normals(rng, n.Shape().Len()))
	}
	theirs, err := G.Grad(loss, parameters...)
	if err != nil {
		t.Fatal(err)
	}
	outputs := append(append([]*ad.Node{mine}, b.Grad(mine, inputs[2:]...)...), imported(t, b, theirs...)...)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	got := runEngines(t, inputs, outputs, at, 1e-12)
	want := onTape(t, append([]*G.Node{loss}, theirs...), names, at)
	for i := range want {
		compare(t, fmt.Sprintf("output %d", i), got[i], want[i], 1e-11)
		if i > 0 {
			compare(t, fmt.Sprintf("imported derivative %d", i), got[3+i], want[i], 1e-11)
		}
	}
}

// TestImportInputs: inputs that exist are used, those of another shape are an error, and so
// are nodes of another type; other ops run and have no derivative.
func TestImportInputs(t *testing.T) {
	g := G.NewGraph()
	x := leaf(g, "x", ad.Shape{2})
	b := ad.NewBuilder("inputs")
	mine := b.Input("x", ad.Shape{2})
	if got := imported(t, b, x)[0]; got != mine {
		t.Errorf("got %v, want the input that exists", got)
	}
	other := ad.NewBuilder("other")
	other.Input("x", ad.Shape{3})
	if _, err := gorgonia.Import(other, []*G.Node{x}, nil); err == nil || !strings.Contains(err.Error(), `input name "x" is already used`) {
		t.Errorf("another shape: got error %v", err)
	}
	single := ad.NewBuilder("single")
	if _, err := gorgonia.Import(single, []*G.Node{G.NewVector(g, tensor.Float32, G.WithName("single"), G.WithShape(2))}, nil); err == nil || !strings.Contains(err.Error(), "node single is of float32, want float64") {
		t.Errorf("another type: got error %v", err)
	}

	a, c := leaf(g, "a", ad.Shape{2, 3}), leaf(g, "c", ad.Shape{3, 2})
	product := G.Must(G.Tensordot([]int{1}, []int{0}, a, c))
	n := imported(t, b, product)[0]
	inputs := []*ad.Node{b.InputNamed("a"), b.InputNamed("c")}
	got := runEngines(t, inputs, []*ad.Node{n}, [][]float64{{1, 2, 3, 4, 5, 6}, {1, 0, 0, 1, 1, 1}}, 0)
	compare(t, "foreign op", got[0], []float64{4, 5, 10, 11}, 0)
	b.Grad(n.Sum(), inputs...)
	if err := b.Err(); err == nil || !strings.Contains(err.Error(), "has no derivative rule") {
		t.Errorf("derivative of a foreign op: got error %v", err)
	}
}

// A graph that was built for gorgonia, differentiated and compiled here.
func ExampleImport() {
	g := G.NewGraph()
	x := G.NewVector(g, tensor.Float64, G.WithName("x"), G.WithShape(3))
	y := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Sigmoid(x))))))

	b := ad.NewBuilder("imported")
	made, err := gorgonia.Import(b, []*G.Node{y}, nil)
	if err != nil {
		log.Fatal(err)
	}
	value, input := made.Outputs[0], made.Inputs[0]
	got := run([]*ad.Node{input}, []*ad.Node{value, b.Grad(value, input)[0]}, []float64{0, 1, 2})
	fmt.Printf("value %.4f, gradient %.4f\n", got[0], got[1])
	// Output: value [1.5603], gradient [0.2500 0.2875 0.1850]
}
