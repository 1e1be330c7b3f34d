package autograd_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// A model is a small density with its gradient, in one of the layouts that an
// engine can choose.
type model struct {
	inputs, outputs []*ad.Node
	values          [][]float64
}

// layouts are the ways to run: particles one after the other with samples side
// by side, a single axis in strips, and everything at once because an output
// lacks the outer axis; each with elements scheduled one by one and, because
// of a factorisation, value by value.
var layouts = []struct {
	name  string
	build func(particles int) model
}{
	{"particles and samples", func(n int) model { return density(n, 5, quadratic, false) }},
	{"particles and unit samples", func(n int) model { return density(n, 1, quadratic, false) }},
	{"particles and many samples", func(n int) model { return density(n, 19, quadratic, false) }},
	{"particles", func(n int) model { return density(n, 0, quadratic, false) }},
	{"total over particles and samples", func(n int) model {
		return density(n, 5, quadratic, true)
	}},
	{"total over particles", func(n int) model { return density(n, 0, quadratic, true) }},
	{"particles and samples, factorised", func(n int) model {
		return density(n, 5, determinant, false)
	}},
	{"particles, factorised", func(n int) model { return density(n, 0, determinant, false) }},
	{"total over particles and samples, factorised", func(n int) model {
		return density(n, 5, determinant, true)
	}},
	{"total over particles, factorised", func(n int) model {
		return density(n, 0, determinant, true)
	}},
}

// quadratic and determinant end the density of a matrix.
func quadratic(a *ad.Node) *ad.Node { return a.Square().Sum().Scale(-3) }

func determinant(a *ad.Node) *ad.Node {
	b := a.Builder()
	return a.MatMul(a.T()).Add(b.Constant([]float64{1, 0, 0, 0, 1, 0, 0, 0, 1},
		ad.Shape{3, 3})).LogDet().Neg()
}

// density is a log-mean-exp over samples of a function of a matrix with a
// random triangular part; samples of 0 means no such axis. Its inputs carry
// all axes, one of them, or none.
func density(particles, samples int, end func(a *ad.Node) *ad.Node, total bool) model {
	d := 3
	b := ad.NewBuilder("density")
	p := b.Axis("particle", particles)
	x, r := b.Input("x", ad.Shape{d, d}, p), b.Input("r", ad.Shape{d, d})
	z := x.Gather(ad.StrictUpper(d), ad.Shape{d})
	in := []*ad.Node{x, r}
	var s *ad.Axis
	if samples > 0 {
		s = b.Axis("sample", samples)
		e, m := b.Input("e", ad.Shape{d}, p, s), b.Input("m", ad.Shape{d}, s)
		z = z.Add(e).Mul(m)
		in = append(in, e, m)
	}
	u := z.Sigmoid().ScatterAdd(ad.StrictUpper(d), ad.Shape{d, d})
	y := end(r.MatMul(
		x.Mul(u).Add(b.Constant([]float64{2, 0, 0, 0, 2, 0, 0, 0, 2}, ad.Shape{d, d}))))
	if s != nil {
		y = y.LogMeanExpOver(s)
	}
	out := append([]*ad.Node{y}, b.Grad(y, x)...)
	if total {
		out = append(append(out, y.SumOver(p)), b.Grad(y, r)...)
	}
	rng := rand.New(rand.NewPCG(uint64(particles), uint64(samples)))
	m := model{inputs: in, outputs: out}
	for _, n := range in {
		m.values = append(m.values, normals(rng, sizeOf(n)))
	}
	return m
}

// TestConcurrentEvaluators runs several evaluators of one program, and builds
// other graphs, at the same time.
func TestConcurrentEvaluators(t *testing.T) {
	m := density(9, 5, quadratic, false)
	program := must.Get(ad.Compile(m.inputs, m.outputs))(t)
	want := eval(t, m.inputs, m.outputs, m.values, ad.Options{})
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			ev, err := program.NewEvaluator(ad.Options{Workers: 1 + worker%2})
			if err != nil {
				t.Error(err)
				return
			}
			defer ev.Close()
			for range 20 {
				dst := room(m.outputs)
				if err := ev.Eval(dst, feeds(m.values)); err != nil {
					t.Error(err)
					return
				}
				for i := range dst {
					if !sameBits(dst[i], want[i]) {
						t.Errorf("evaluator %d, %v: got %v, want %v", worker, m.outputs[i], dst[i],
							want[i])
						return
					}
				}
			}
		})
		wait.Go(func() {
			other := density(3, 2, determinant, false)
			opt := ad.Options{Engine: engines[worker%len(engines)]}
			ev, err := ad.NewEvaluator(other.inputs, other.outputs, opt)
			if err != nil {
				t.Error(err)
				return
			}
			defer ev.Close()
			if err := ev.Eval(room(other.outputs), feeds(other.values)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// filled replaces the data of every input with mapped axes by functions.
func filled(m model) []ad.Feed {
	src := feeds(m.values)
	for i, n := range m.inputs {
		axes := n.Axes()
		if len(axes) == 0 {
			continue
		}
		data, size := m.values[i], n.Shape().Len()
		rest := len(data) / axes[0].Size() / size
		src[i] = ad.Feed{Fill: func(dst []float64, k int) {
			for e := range size {
				for l := range rest {
					dst[e*rest+l] = data[(k*rest+l)*size+e]
				}
			}
		}}
	}
	return src
}

// TestNoAllocation: after the first call an evaluation allocates nothing.
func TestNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, l := range layouts {
		for _, workers := range []int{1, 2} {
			for _, fill := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d workers/fill %v", l.name, workers, fill),
					func(t *testing.T) {
						m := l.build(70)
						ev := must.Get(ad.NewEvaluator(m.inputs, m.outputs,
							ad.Options{Workers: workers}))(t)
						defer ev.Close()
						dst, src := room(m.outputs), feeds(m.values)
						if fill {
							src = filled(m)
						}
						n := testing.AllocsPerRun(20, func() {
							must.Do(t, ev.Eval(dst, src))
						})
						if n != 0 {
							t.Errorf("got %v allocations per run, want 0", n)
						}
					})
			}
		}
	}
}
