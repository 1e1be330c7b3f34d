package autograd_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

var programsOut = flag.String("programs", "", "write random programs, and what is expected of "+
	"them, into `FILE` for bench/rivals/programs.py")

var programsFrom = flag.Uint64("programs-from", 0,
	"first of the 1,100 random programs that are written")

// A written node is one of a random program as another system reads it.
type written struct {
	Op     string    `json:"op"` // empty for inputs and constants
	Args   []int     `json:"args"`
	Ints   []int     `json:"ints"`
	Float  float64   `json:"float"`
	Floats []float64 `json:"floats"`
	Axis   int       `json:"axis"` // that the operation crosses, or -1
	Shape  []int     `json:"shape"`
	Axes   []int     `json:"axes"`
	Input  int       `json:"input"` // number of the input, or -1
	Data   []float64 `json:"data"`  // of inputs and constants
}

// A writtenProgram is a scalar function with its value, gradients and products of Hessians with
// the sines of the inputs.
type writtenProgram struct {
	Seed      uint64       `json:"seed"`
	Sizes     []int        `json:"sizes"` // of the axes
	Nodes     []written    `json:"nodes"` // operands first; the last one is the function
	Want      [][]*float64 `json:"want"`  // what is ill-conditioned is null
	Tolerance [][]float64  `json:"tolerance"`
}

// asFunction makes the outputs the sum of the last terms, its gradients and its Hessian-vector
// products.
func (p *program) asFunction() {
	total := p.b.Scalar(0)
	for k := range min(3, len(p.pool)) {
		total = total.Add(p.pool[len(p.pool)-1-k].n.Sum())
	}
	for _, x := range p.inputs {
		total = total.Add(x.Square().Sum())
	}
	for _, a := range slices.Backward(p.axes) {
		if slices.Contains(total.Axes(), a) {
			total = total.SumOver(a)
		}
	}
	along := make([]*ad.Node, len(p.inputs))
	for i, x := range p.inputs {
		along[i] = x.StopGradient().Sin()
	}
	p.outputs = slices.Concat([]*ad.Node{total}, p.b.Grad(total, p.inputs...),
		p.b.Hvp(total, p.inputs, along))
}

// The programs that another system runs too: general ones and those of softmax weights.
//
//	go test ./autograd -run TestWritePrograms -programs programs.json -programs-from 20000
//	python bench/rivals/programs.py programs.json
func TestWritePrograms(t *testing.T) {
	if *programsOut == "" {
		t.Skip("writes a file: -programs FILE")
	}
	out := must.Get(os.Create(*programsOut))(t)
	defer out.Close()
	enc := json.NewEncoder(out)
	for k := *programsFrom; k < *programsFrom+1100; k++ {
		seed := styles*(k/2) + k%2
		p := newProgram(programBytes(seed), nil, (*program).asFunction)
		if err := p.b.Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := p.reference(t)
		expected := p.expect(t, programBytes(seed), want, (*program).asFunction)
		ev := must.Get(ad.NewEvaluator(p.inputs, p.outputs, ad.Options{}))(t)
		got := room(p.outputs)
		must.Do(t, ev.Eval(got, p.src))
		ev.Close()
		w := p.written(t, seed)
		for i, x := range got {
			values, tolerance := make([]*float64, len(x)), make([]float64, len(x))
			for e := range x {
				if finite := math.Abs(x[e]) <= math.MaxFloat64; finite && !expected[i][e].open {
					values[e], tolerance[e] = &x[e], expected[i][e].tolerance
				}
			}
			w.Want, w.Tolerance = append(w.Want, values), append(w.Tolerance, tolerance)
		}
		if err := enc.Encode(w); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// written is the program in the form of the file.
func (p *program) written(t *testing.T, seed uint64) *writtenProgram {
	t.Helper()
	f := must.Get(ad.NewFunction(p.inputs, p.outputs[:1]))(t)
	w := &writtenProgram{Seed: seed, Sizes: make([]int, len(p.axes))}
	for _, a := range p.axes {
		w.Sizes[a.ID()] = a.Size()
	}
	at := map[*ad.Node]int{}
	for k, n := range f.Nodes() {
		at[n] = k
		v := f.Lowered().Values[k]
		node := written{Op: n.Op(), Shape: n.Shape(), Axis: -1, Input: v.Input, Data: v.Const}
		for _, a := range n.Axes() {
			node.Axes = append(node.Axes, a.ID())
		}
		if v.Input >= 0 {
			node.Data = p.src[v.Input].Data
		}
		for _, a := range n.Operands() {
			k, known := at[a]
			if !known {
				t.Fatal(fmt.Errorf("%v reads %v, which is not among the nodes", n, a))
			}
			node.Args = append(node.Args, k)
		}
		at := n.Attr()
		if node.Ints, node.Float, node.Floats = at.Ints, at.Float, at.Floats; at.Axis != nil {
			node.Axis = at.Axis.ID()
		}
		w.Nodes = append(w.Nodes, node)
	}
	return w
}
