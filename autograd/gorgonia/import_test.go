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
	"tobac/internal/must"
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
				v = tensor.New(tensor.WithShape(n.Shape()...),
					tensor.WithBacking(slices.Clone(at[i])))
			}
			must.Do(t, G.Let(n, v))
		}
	}
	read := make([]G.Value, len(outputs))
	for i, n := range outputs {
		G.Read(n, &read[i])
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	must.Do(t, m.RunAll())
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
	made := must.Get(gorgonia.Import(b, outputs, nil))(t)
	return made.Outputs
}

// TestImport: for every operation the numbers are those of gorgonia's TapeMachine on all
// engines, and the gradient is that of differences.
func TestImport(t *testing.T) {
	for i, c := range importCases() {
		t.Run(c.name, func(t *testing.T) { checkImport(t, c, uint64(i)) })
	}
}

// checkImport imports a case, and compares values with gorgonia's and gradients with
// differences. It returns the imported graph.
func checkImport(t *testing.T, c importCase, seed uint64) *gorgonia.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	g := G.NewGraph()
	var leaves []*G.Node
	at := map[string][]float64{}
	for k, s := range c.shapes {
		name := fmt.Sprint("x", k)
		leaves = append(leaves, leaf(g, name, s))
		v := normals(rng, s.Len())
		for e := range v {
			if c.sample != nil {
				v[e] = c.sample(v[e])
			}
		}
		at[name] = v
	}
	if c.name == "==" || c.name == "!=" || c.name == ">=" || c.name == "<=" {
		at["x1"][0] = at["x0"][0]
	}
	y := must.Get(c.build(leaves))(t)
	b := ad.NewBuilder("import")
	made := must.Get(gorgonia.Import(b, []*G.Node{y}, nil))(t)
	n := made.Outputs[0]
	if got, want := fmt.Sprint(n.Shape()), fmt.Sprint(ad.Shape(y.Shape())); got != want {
		t.Errorf("got shape %v, want %v", got, want)
	}
	var names []string
	var values [][]float64
	for _, x := range made.Inputs {
		if at[x.Name()] == nil { // noise
			u := make([]float64, x.Shape().Len())
			for e := range u {
				u[e] = rng.Float64()
			}
			at[x.Name()] = u
		}
		names, values = append(names, x.Name()), append(values, at[x.Name()])
	}
	got := runEngines(t, made.Inputs, []*ad.Node{n}, values, 1e-12)
	switch {
	case c.want != nil:
		var ordered [][]float64 // operands, then noise
		for k := range c.shapes {
			ordered = append(ordered, at[fmt.Sprint("x", k)])
		}
		for k, name := range names {
			if !strings.HasPrefix(name, "x") {
				ordered = append(ordered, values[k])
			}
		}
		compare(t, "against plain Go", got[0], c.want(ordered), 1e-12)
	default:
		tolerance := 1e-12
		if c.rough > 0 {
			tolerance = c.rough
		}
		compare(t, "against the tape machine", got[0], onTape(t, []*G.Node{y}, names, values)[0],
			tolerance)
	}
	if c.flat {
		return made
	}
	w := make([]float64, n.Shape().Len())
	for e := range w {
		w[e] = rng.NormFloat64()
	}
	loss := n.Mul(b.Constant(w, n.Shape())).Sum()
	var args []gradtest.Argument
	for k, x := range made.Inputs {
		args = append(args, gradtest.Argument{Node: x, Values: values[k]})
	}
	if err := gradtest.CheckGraph(loss, args, gradtest.Options{Step: 1e-3}); err != nil {
		t.Error(err)
	}
	return made
}

// perceptron is a gorgonia graph of a network with one hidden layer, a softmax and a
// cross entropy.
func perceptron(g *G.ExprGraph) (loss *G.Node, parameters []*G.Node) {
	x, y := leaf(g, "x", ad.Shape{5, 4}), leaf(g, "y", ad.Shape{5, 3})
	w, bias, v := leaf(g, "w", ad.Shape{4, 6}), leaf(g, "b", ad.Shape{6}),
		leaf(g, "v", ad.Shape{6, 3})
	hidden := G.Must(G.Tanh(G.Must(G.BroadcastAdd(G.Must(G.Mul(x, w)), bias, nil, []byte{0}))))
	scores := G.Must(G.Mul(hidden, v))
	log := G.Must(G.Log(G.Must(G.SoftMax(scores, 1))))
	fit := G.Must(G.Neg(G.Must(G.Mean(G.Must(G.Sum(G.Must(G.HadamardProd(y, log)), 1))))))
	return G.Must(G.Add(fit,
			G.Must(G.Mul(G.NewConstant(0.01), G.Must(G.Sum(G.Must(G.Square(w)))))))),
		[]*G.Node{w, bias, v}
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
	theirs := must.Get(G.Grad(loss, parameters...))(t)
	outputs := append(append([]*ad.Node{mine}, b.Grad(mine, inputs[2:]...)...),
		imported(t, b, theirs...)...)
	must.Do(t, b.Err())
	got := runEngines(t, inputs, outputs, at, 1e-12)
	want := onTape(t, append([]*G.Node{loss}, theirs...), names, at)
	for i := range want {
		compare(t, fmt.Sprintf("output %d", i), got[i], want[i], 1e-11)
		if i > 0 {
			compare(t, fmt.Sprintf("imported derivative %d", i), got[3+i], want[i], 1e-11)
		}
	}
}

// TestImportSoftmaxGradient: gorgonia's derivatives of a softmax and of its logarithm are imported,
// and differentiated once more.
func TestImportSoftmaxGradient(t *testing.T) {
	for axis := range 3 {
		for name, f := range map[string]func(*G.Node, ...int) (*G.Node, error){
			"softmax": G.SoftMax, "log softmax": G.LogSoftMax} {
			x := leaf(G.NewGraph(), "x", ad.Shape{2, 3, 2})
			loss := G.Must(G.Sum(G.Must(G.Sin(G.Must(f(x, axis))))))
			b := ad.NewBuilder(name)
			mine := imported(t, b, loss)[0]
			theirs := must.Get(G.Grad(loss, x))(t)
			n := b.InputNamed("x")
			gradient := []*ad.Node{b.Grad(mine, n)[0], imported(t, b, theirs...)[0]}
			outputs := append(gradient, b.Grad(gradient[0].Square().Sum(), n)[0],
				b.Grad(gradient[1].Square().Sum(), n)[0])
			at := normals(rand.New(rand.NewPCG(2, uint64(axis))), 12)
			got := runEngines(t, []*ad.Node{n}, outputs, [][]float64{at}, 1e-12)
			compare(t, fmt.Sprintf("derivative of %s along %d", name, axis), got[1], got[0], 1e-12)
			compare(t, fmt.Sprintf("second one of %s along %d", name, axis), got[3], got[2], 1e-12)
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
	if _, err := gorgonia.Import(other, []*G.Node{x}, nil); err == nil ||
		!strings.Contains(err.Error(), `input name "x" is already used`) {
		t.Errorf("another shape: got error %v", err)
	}
	single := ad.NewBuilder("single")
	f := G.NewVector(g, tensor.Float32, G.WithName("single"), G.WithShape(2))
	made, err := gorgonia.Import(single, []*G.Node{G.Must(G.Mul(f, G.NewConstant(float32(0.5))))},
		nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"node single of float32 is computed in float64"}; !slices.Equal(made.Notes,
		want) {
		t.Errorf("got notes %q, want %q", made.Notes, want)
	}
	compare(t, "float32", eval(t, made.Inputs, made.Outputs, [][]float64{{3, 0.1}},
		ad.Options{})[0], []float64{1.5, 0.05}, 1e-15)

	soft, logSoft := G.Must(G.SoftMax(x)), G.Must(G.LogSoftMax(x)) // one node
	sum := G.Must(G.Add(G.Must(G.Sum(soft)), G.Must(G.Sum(G.Must(G.Square(logSoft))))))
	made = get(gorgonia.Import(ad.NewBuilder("softmax"), []*G.Node{sum}, nil))
	if len(made.Notes) != 1 || !strings.Contains(made.Notes[0], "one node of SoftMax and") {
		t.Errorf("got notes %q", made.Notes)
	}

	i := G.NewVector(g, tensor.Int, G.WithName("i"), G.WithShape(2))
	_, err = gorgonia.Import(ad.NewBuilder("whole"), []*G.Node{G.Must(G.HadamardDiv(i, i))}, nil)
	if err == nil || !strings.Contains(err.Error(), "whole numbers are not divided") {
		t.Errorf("quotient of whole numbers: got error %v", err)
	}
	number := G.NewScalar(g, tensor.Float64, G.WithName("number"))
	for _, n := range []*G.Node{G.Must(G.LogSoftMax(number)), G.Must(G.SoftMax(number, 0))} {
		_, err = gorgonia.Import(ad.NewBuilder("number"), []*G.Node{n}, nil)
		if err == nil || !strings.Contains(err.Error(), "softmax along axis 0 of shape ()") {
			t.Errorf("softmax of a number: got error %v", err)
		}
	}
	wrong, elsewhere := ad.NewBuilder("wrong"), leaf(G.NewGraph(), "x", ad.Shape{2})
	p, q := wrong.Input("p", ad.Shape{3}), wrong.Input("q", ad.Shape{2})
	y := []*G.Node{G.Must(G.Exp(x))}
	for _, row := range []struct {
		outputs []*G.Node
		bind    map[*G.Node]*ad.Node
		want    string
	}{
		{nil, nil, "there is no output"},
		{[]*G.Node{nil}, nil, "an output is nil"},
		{y, map[*G.Node]*ad.Node{x: nil}, "what is bound to it is nil"},
		{y, map[*G.Node]*ad.Node{nil: q}, "a leaf or what"},
		{y, map[*G.Node]*ad.Node{x: mine}, `node x is bound to x(2) of graph "inputs"`},
		{y, map[*G.Node]*ad.Node{elsewhere: q}, "belongs to another graph"},
		{y, map[*G.Node]*ad.Node{x: p}, "node x has shape (2), and p(3) is bound to it"},
	} {
		if _, err := gorgonia.Import(wrong, row.outputs, row.bind); err == nil ||
			!strings.Contains(err.Error(), row.want) {
			t.Errorf("got error %v, want one with %q", err, row.want)
		}
	}
}

// TestImportBound: leaves that are bound to blocks of particles, data and noise carry their
// mapped axes, and the gradient is that of every particle.
func TestImportBound(t *testing.T) {
	g := G.NewGraph()
	x, u := leaf(g, "x", ad.Shape{3}), G.GaussianRandomNode(g, tensor.Float64, 0, 1, 3)
	y := G.Must(G.Sum(G.Must(G.HadamardProd(G.Must(G.Square(x)), u))))
	b := ad.NewBuilder("bound")
	p, s := b.Axis("particle", 4), b.Axis("sample", 2)
	block, noise := b.Input("block", ad.Shape{3}, p), b.Input("noise", ad.Shape{3}, p, s)
	made := must.Get(gorgonia.Import(b, []*G.Node{y}, map[*G.Node]*ad.Node{x: block, u: noise}))(t)
	if len(made.Inputs) != 0 || len(made.Outputs[0].Axes()) != 2 {
		t.Errorf("got inputs %v and output %v", made.Inputs, made.Outputs[0])
	}
	rng := rand.New(rand.NewPCG(3, 3))
	at := [][]float64{normals(rng, 12), normals(rng, 24)}
	got := runEngines(t, nodes(block, noise), b.Grad(made.Outputs[0], block), at, 1e-13)[0]
	want := make([]float64, 12)
	for i := range want {
		want[i] = 2 * at[0][i] * (at[1][i/3*6+i%3] + at[1][i/3*6+3+i%3])
	}
	compare(t, "gradient", got, want, 1e-13)
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
