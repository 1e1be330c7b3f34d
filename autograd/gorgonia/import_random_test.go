package gorgonia_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
)

// randomGraph grows a gorgonia graph by operations whose operands fit.
func randomGraph(rng *rand.Rand) (nodes []*G.Node, names []string) {
	g := G.NewGraph()
	for i, s := range []ad.Shape{{3, 3}, {3, 3}, {3}, {}, {3, 1}, {2, 3}} {
		names = append(names, fmt.Sprint("x", i))
		nodes = append(nodes, leaf(g, names[i], s))
	}
	for len(nodes) < 30 {
		x, y := nodes[rng.IntN(len(nodes))], nodes[rng.IntN(len(nodes))]
		same := slices.Equal(x.Shape(), y.Shape())
		matrices := x.Dims() == 2 && y.Dims() == 2
		var n *G.Node
		switch k := rng.IntN(14); {
		case k < 3:
			n = G.Must([]func(*G.Node) (*G.Node, error){G.Tanh, G.Sigmoid, G.Neg}[k](x))
		case k < 6 && (same || x.Dims() == 0 || y.Dims() == 0):
			n = G.Must([]func(a, b *G.Node) (*G.Node, error){G.Add, G.Sub, G.HadamardProd}[k-3](x,
				y))
		case k == 6 && matrices && x.Shape()[1] == y.Shape()[0]:
			n = G.Must(G.Mul(x, y))
		case k == 7 && x.Dims() == 2:
			n = G.Must(G.Transpose(x))
		case k == 8 && x.Dims() > 0:
			n = G.Must(G.Sum(x, rng.IntN(x.Dims())))
		case k == 9 && x.Dims() == 2 && x.Shape()[0] > 1:
			n = G.Must(G.Slice(x, G.S(1), nil))
		case k == 10 && x.Dims() == 2 && x.Shape()[1] > 2:
			n = G.Must(G.Slice(x, nil, G.S(1, 3)))
		case k == 11 && matrices && x.Shape()[1] == y.Shape()[1]:
			n = G.Must(G.Concat(0, x, y))
		case k == 12 && x.Dims() == 2 && y.Dims() == 1 && x.Shape()[1] == y.Shape()[0]:
			n = G.Must(G.BroadcastAdd(x, y, nil, []byte{0}))
		case k == 13 && x.Dims() == 2:
			n = G.Must(G.Reshape(x, tensor.Shape{x.Shape().TotalSize()}))
		}
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes, names
}

// byDo evaluates a graph op by op, each on fresh values: the TapeMachine overwrites what a
// reshape shows. What gorgonia fails to compute, slices of a single element for example, is
// left out.
func byDo(g *G.ExprGraph, names []string, at [][]float64) map[*G.Node][]float64 {
	values := map[*G.Node]G.Value{}
	numbers := map[*G.Node][]float64{}
	for _, n := range g.AllNodes() {
		if n.Op() == nil {
			x := at[slices.Index(names, n.Name())]
			values[n] = G.NewF64(x[0])
			if n.Dims() > 0 {
				values[n] = tensor.New(tensor.WithShape(n.Shape()...),
					tensor.WithBacking(slices.Clone(x)))
			}
		} else {
			var operands []G.Value
			known := true
			for it := g.From(n.ID()); it != nil && it.Next(); {
				v, err := G.CloneValue(values[it.Node().(*G.Node)])
				known = known && err == nil
				operands = append(operands, v)
			}
			if !known {
				continue
			}
			v, err := n.Op().Do(operands...)
			if err != nil {
				continue
			}
			values[n] = v
		}
		switch x := values[n].(type) {
		case *G.F64:
			numbers[n] = []float64{float64(*x)}
		case *tensor.Dense:
			if x.RequiresIterator() {
				x = x.Clone().(*tensor.Dense)
			}
			if f, ok := x.Data().(float64); ok {
				numbers[n] = []float64{f}
			} else {
				numbers[n] = slices.Clone(x.Float64s())
			}
		}
	}
	return numbers
}

// TestImportRandom: every node of random graphs has the numbers that its op computes.
func TestImportRandom(t *testing.T) {
	compared, all := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 77))
		nodes, names := randomGraph(rng)
		b := ad.NewBuilder("random")
		made, err := gorgonia.Import(b, nodes, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var at [][]float64
		for _, n := range made.Outputs[:len(names)] {
			at = append(at, normals(rng, n.Shape().Len()))
		}
		want := byDo(nodes[0].Graph(), names, at)
		for i, got := range eval(t, made.Outputs[:len(names)], made.Outputs, at, ad.Options{}) {
			all++
			if w := want[nodes[i]]; w != nil {
				compared++
				compare(t, fmt.Sprintf("seed %d: %v", seed, nodes[i].Name()), got, w, 1e-12)
			}
		}
	}
	if compared*10 < all*9 {
		t.Errorf("compared %d of %d nodes, want nine of ten", compared, all)
	}
}
