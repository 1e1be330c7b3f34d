package gorgonia_test

import (
	"math"
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/internal/must"
)

// A lesson is a loss written with gorgonia, as gorgonia's own examples are.
type lesson struct {
	name  string
	build func(g *G.ExprGraph, rng *rand.Rand) (loss *G.Node, parameters []*G.Node,
		data map[*G.Node][]float64)
	steps  int
	rate   float64
	factor float64 // the loss falls at least by it
}

// crossEntropy is the mean of −Σ y ln softmax(scores) over rows.
func crossEntropy(scores, y *G.Node) *G.Node {
	p := G.Must(G.LogSoftMax(scores, 1))
	return G.Must(G.Neg(G.Must(G.Mean(G.Must(G.Sum(G.Must(G.HadamardProd(y, p)), 1))))))
}

var lessons = []lesson{
	{"linear regression",
		func(g *G.ExprGraph, rng *rand.Rand) (*G.Node, []*G.Node, map[*G.Node][]float64) {
			x, y := leaf(g, "x", ad.Shape{40, 2}), leaf(g, "y", ad.Shape{40})
			w, c := leaf(g, "w", ad.Shape{2}), G.NewScalar(g, G.Float64, G.WithName("c"))
			xs, ys := normals(rng, 80), make([]float64, 40)
			for i := range ys {
				ys[i] = 2*xs[2*i] - xs[2*i+1] + 0.5 + 0.05*rng.NormFloat64()
			}
			fit := G.Must(G.Add(G.Must(G.Mul(x, w)), c))
			return G.Must(G.Mean(G.Must(G.Square(G.Must(G.Sub(fit, y)))))), []*G.Node{w, c},
				map[*G.Node][]float64{x: xs, y: ys}
		}, 200, 0.02, 100},
	{"perceptron of exclusive or",
		func(g *G.ExprGraph, rng *rand.Rand) (*G.Node, []*G.Node, map[*G.Node][]float64) {
			x, y := leaf(g, "x", ad.Shape{4, 2}), leaf(g, "y", ad.Shape{4, 2})
			w, c, v := leaf(g, "w", ad.Shape{2, 8}), leaf(g, "c", ad.Shape{8}),
				leaf(g, "v", ad.Shape{8, 2})
			hidden := G.Must(G.Tanh(G.Must(G.BroadcastAdd(G.Must(G.Mul(x, w)), c, nil, []byte{0}))))
			return crossEntropy(G.Must(G.Mul(hidden, v)), y), []*G.Node{w, c, v},
				map[*G.Node][]float64{x: {0, 0, 0, 1, 1, 0, 1, 1}, y: {1, 0, 0, 1, 0, 1, 1, 0}}
		}, 300, 0.1, 20},
	{"convolutional network of bars",
		func(g *G.ExprGraph, rng *rand.Rand) (*G.Node, []*G.Node, map[*G.Node][]float64) {
			const n = 12
			x, y := leaf(g, "x", ad.Shape{n, 1, 6, 6}), leaf(g, "y", ad.Shape{n, 2})
			f, v := leaf(g, "f", ad.Shape{3, 1, 3, 3}), leaf(g, "v", ad.Shape{12, 2})
			conv := G.Must(G.Rectify(
				G.Must(G.Conv2d(x, f, tensor.Shape{3, 3}, []int{0, 0}, []int{1, 1}, []int{1, 1}))))
			pooled := G.Must(
				G.Reshape(G.Must(G.MaxPool2D(conv, tensor.Shape{2, 2}, []int{0, 0}, []int{2, 2})),
					tensor.Shape{n, 12}))
			dropped := G.Must(G.Dropout(pooled, 0.2))
			xs, ys := make([]float64, n*36), make([]float64, 2*n)
			for i := range n {
				ys[2*i+i%2] = 1
				for k := range 6 { // a bar, upright or not
					at := i*36 + k*6 + 1 + i%4
					if i%2 == 1 {
						at = i*36 + (1+i%4)*6 + k
					}
					xs[at] = 1
				}
			}
			return crossEntropy(G.Must(G.Mul(dropped, v)), y), []*G.Node{f, v},
				map[*G.Node][]float64{x: xs, y: ys}
		}, 150, 0.1, 5},
	{"long short-term memory",
		func(g *G.ExprGraph, rng *rand.Rand) (*G.Node, []*G.Node, map[*G.Node][]float64) {
			const steps, letters, units = 8, 3, 5
			x := leaf(g, "x", ad.Shape{steps + 1, letters}) // a word, one letter a row
			var parameters []*G.Node
			gate := func(name string, h, in *G.Node, f func(*G.Node) (*G.Node, error)) *G.Node {
				find := func(name string, rows, cols int) *G.Node {
					for _, p := range parameters {
						if p.Name() == name {
							return p
						}
					}
					p := leaf(g, name, ad.Shape{rows, cols})
					parameters = append(parameters, p)
					return p
				}
				sum := G.Must(G.Add(G.Must(G.Mul(in, find("w "+name, letters, units))),
					G.Must(G.Mul(h, find("u "+name, units, units)))))
				return G.Must(f(sum))
			}
			h, c := leaf(g, "h", ad.Shape{1, units}), leaf(g, "c", ad.Shape{1, units})
			out := leaf(g, "out", ad.Shape{units, letters})
			var losses []*G.Node
			hidden, cell := h, c
			for i := range steps {
				row := func(i int) *G.Node {
					return G.Must(G.Reshape(G.Must(G.Slice(x, G.S(i))), tensor.Shape{1, letters}))
				}
				in := row(i)
				forget, keep := gate("f", hidden, in, G.Sigmoid), gate("i", hidden, in, G.Sigmoid)
				write, show := gate("c", hidden, in, G.Tanh), gate("o", hidden, in, G.Sigmoid)
				cell = G.Must(G.Add(G.Must(G.HadamardProd(forget, cell)),
					G.Must(G.HadamardProd(keep, write))))
				hidden = G.Must(G.HadamardProd(show, G.Must(G.Tanh(cell))))
				losses = append(losses, crossEntropy(G.Must(G.Mul(hidden, out)), row(i+1)))
			}
			word := make([]float64, (steps+1)*letters)
			// what follows 0 depends on what was before
			for i, letter := range []int{0, 0, 1, 2, 0, 0, 1, 2, 0} {
				word[i*letters+letter] = 1
			}
			return G.Must(G.ReduceAdd(losses)), append(parameters, out),
				map[*G.Node][]float64{x: word, h: make([]float64, units), c: make([]float64, units)}
		}, 300, 0.05, 10},
}

// TestTrain: linear regression, a perceptron, a convolutional network with pooling and
// dropout, and a recurrent network, written with gorgonia, learn.
func TestTrain(t *testing.T) {
	for k, l := range lessons {
		t.Run(l.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(k), 8))
			loss, parameters, data := l.build(G.NewGraph(), rng)
			b := ad.NewBuilder(l.name)
			bind := map[*G.Node]*ad.Node{}
			for n, values := range data {
				bind[n] = b.Constant(values, append(ad.Shape{}, n.Shape()...))
			}
			var inputs []*ad.Node
			for _, p := range parameters {
				bind[p] = b.Input(p.Name(), append(ad.Shape{}, p.Shape()...))
				inputs = append(inputs, bind[p])
			}
			made := must.Get(gorgonia.Import(b, []*G.Node{loss}, bind))(t)
			outputs := append(b.Grad(made.Outputs[0], inputs...), made.Outputs[0])
			run := must.Get(ad.NewEvaluator(append(inputs, made.Inputs...), outputs,
				ad.Options{}))(t)
			defer run.Close()
			src, dst := make([]ad.Feed, len(inputs)+len(made.Inputs)), room(outputs)
			velocity := room(inputs)
			for i, n := range inputs {
				src[i].Data = normals(rng, n.Shape().Len())
				for e := range src[i].Data {
					src[i].Data[e] *= 0.5
				}
			}
			var first, last float64
			for step := range l.steps {
				for i, n := range made.Inputs { // the noise of the dropout
					u := make([]float64, n.Shape().Len())
					for e := range u {
						u[e] = rng.Float64()
					}
					src[len(inputs)+i].Data = u
				}
				must.Do(t, run.Eval(dst, src))
				last = dst[len(inputs)][0]
				if step == 0 {
					first = last
				}
				for i := range inputs {
					for e, g := range dst[i] {
						velocity[i][e] = 0.9*velocity[i][e] - l.rate*g
						src[i].Data[e] += velocity[i][e]
					}
				}
			}
			if !(last*l.factor < first) || math.IsNaN(first) {
				t.Errorf("the loss fell from %.4g to %.4g in %d steps, want a factor of %v", first,
					last, l.steps, l.factor)
			}
			t.Logf("loss %.4g, after %d steps %.4g", first, l.steps, last)
		})
	}
}
