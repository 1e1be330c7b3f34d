package gorgonia_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
)

// TestCTCLoss: labels in rows or one after the other, of several lengths, the last but one empty,
// read in several numbers of steps, the last of them too small.
func TestCTCLoss(t *testing.T) {
	const length, batch, classes = 4, 5, 3
	labels := [][]int{{1, 2}, {1, 1}, {2}, {}, {1, 1}}
	steps := []int{4, 3, 2, 3, 2}
	rng := rand.New(rand.NewPCG(3, 4))
	logp := normals(rng, length*batch*classes)
	want := make([]float64, batch)
	for k, label := range labels {
		want[k] = -math.Log(aligned(logp, k, batch, classes, steps[k], label))
	}
	for _, c := range []struct {
		rows      bool
		reduction G.Reduction
		batch     int
	}{{true, G.ReductionSum, 3}, {true, G.ReductionMean, 3}, {false, G.ReductionSum, 3},
		{false, G.ReductionMean, 4}, {true, G.ReductionSum, 4}, {true, G.ReductionSum, 5}} {
		t.Run(fmt.Sprintf("rows=%v/mean=%v/%d", c.rows, c.reduction == G.ReductionMean, c.batch),
			func(t *testing.T) {
				g := G.NewGraph()
				x := leaf(g, "x", ad.Shape{length, c.batch, classes})
				at := make([]float64, 0, length*c.batch*classes)
				for row := range slices.Chunk(logp, batch*classes) {
					at = append(at, row[:c.batch*classes]...)
				}
				var list, sizes []int
				expected := 0.0
				for k, label := range labels[:c.batch] {
					sizes, list = append(sizes, len(label)), append(list, label...)
					for range 2 - len(label) {
						if c.rows {
							list = append(list, -7) // is not read
						}
					}
					if c.reduction == G.ReductionMean {
						expected += want[k] / float64(max(len(label), 1)) / float64(c.batch)
					} else {
						expected += want[k]
					}
				}
				shape := []int{len(list)}
				if c.rows {
					shape = []int{c.batch, 2}
				}
				whole := func(name string, values []int, shape ...int) *G.Node {
					v := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
					return G.NewTensor(g, tensor.Int, len(shape), G.WithShape(shape...),
						G.WithName(name), G.WithValue(v))
				}
				leaves := []*G.Node{whole("labels", list, shape...),
					whole("steps", steps[:c.batch], c.batch), whole("sizes", sizes, c.batch)}
				loss := must.Get(G.CTCLoss(x, leaves[0], leaves[1], leaves[2], c.reduction))(t)
				b := ad.NewBuilder("ctc")
				bind := map[*G.Node]*ad.Node{}
				for _, n := range leaves {
					var values []float64
					for _, v := range n.Value().Data().([]int) {
						values = append(values, float64(v))
					}
					bind[n] = b.Constant(values, append(ad.Shape{}, n.Shape()...))
				}
				made := must.Get(gorgonia.Import(b, []*G.Node{loss}, bind))(t)
				got := runEngines(t, made.Inputs, made.Outputs, [][]float64{at}, 1e-12)
				compare(t, "loss", got[0], []float64{expected}, 1e-12)
				if c.batch == 5 { // no way to spread the last label over its steps
					return
				}
				if err := gradtest.CheckGraph(made.Outputs[0], []gradtest.Argument{{
					Node: made.Inputs[0], Values: at}}, gradtest.Options{}); err != nil {
					t.Error(err)
				}
				if c.batch == 4 { // gorgonia's sign of an empty label is wrong
					return
				}
				if c.rows {
					list[5] = 0 // gorgonia reads it
				}
				must.Do(t, G.Let(x, tensor.New(tensor.WithShape(x.Shape()...),
					tensor.WithBacking(slices.Clone(at)))))
				m := G.NewTapeMachine(g)
				defer m.Close()
				must.Do(t, m.RunAll())
				compare(t, "gorgonia's", []float64{loss.Value().Data().(float64)}, got[0], 1e-12)
			})
	}
}

// aligned is the sum of the products over all sequences of classes that spell a label.
func aligned(logp []float64, k, batch, classes, steps int, label []int) float64 {
	total := 0.0
	for code := range int(math.Pow(float64(classes), float64(steps))) {
		p, before := 1.0, 0
		var spelt []int
		for step := range steps {
			class := code % classes
			code /= classes
			if p *= math.Exp(logp[(step*batch+k)*classes+class]); class != 0 && class != before {
				spelt = append(spelt, class)
			}
			before = class
		}
		if slices.Equal(spelt, label) {
			total += p
		}
	}
	return total
}
