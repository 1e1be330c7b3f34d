package exec_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
)

// Random functions, which have operations of every class, compute what their definition says, in
// every layout, with each pass left out and with none, and the same bits on any number of workers.
func TestRandomFunctions(t *testing.T) {
	all := passes.Set(0)
	for _, s := range passes.Sets() {
		all |= s
	}
	covered := map[string]int{}
	classes, overs := map[ir.Class]bool{}, map[ir.Over]bool{}
	for seed := range seeds(20) {
		for _, sizes := range axes {
			rng := rand.New(rand.NewPCG(seed, 14))
			f := irtest.Random(rng, 20, sizes...)
			if err := f.Verify(); err != nil {
				t.Fatalf("seed %d, axes %v: %v", seed, sizes, err)
			}
			for _, v := range f.Values {
				if v.Op != nil {
					classes[v.Class()], overs[v.Op.Over] = true, true
				}
			}
			in := numbers(rng, f)
			want := definition(t, f, in)
			for _, without := range append(passes.Sets(), 0, all) {
				what := fmt.Sprintf("seed %d, axes %v, without %v", seed, sizes, without)
				got, err := run(t, f, exec.Options{Without: without}, data(in))
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				near(t, what, got, want)
			}
			one, _ := run(t, f, exec.Options{Workers: 1}, data(in))
			three, _ := run(t, f, exec.Options{Workers: 3}, data(in))
			same(t, fmt.Sprintf("seed %d, axes %v, three workers", seed, sizes), three, one)
			text := compile(t, f, exec.Options{Workers: 3}).Explain()
			for _, layout := range []string{"at a time as lanes", "as lanes of an element program",
				"array by array for each index", "runs are shared out"} {
				if strings.Contains(text, layout) {
					covered[layout]++
				}
			}
		}
	}
	if len(covered) != 4 {
		t.Errorf("layouts are %v, want four", covered)
	}
	if len(classes) != int(ir.Crossing)+1 || len(overs) != int(ir.OverUnstack)+1 {
		t.Errorf("functions have classes %v and cross axes by %v, want all", classes, overs)
	}
}

// Feeds of one input hold the same numbers as data, written index by index, and drawn
// from streams, in every layout.
func TestFeeds(t *testing.T) {
	drawn := 0
	for seed := range seeds(12) {
		for _, sizes := range axes {
			for _, without := range []passes.Set{0, passes.DrawInPlace, passes.ElementSchedule} {
				rng := rand.New(rand.NewPCG(seed, 16))
				f := irtest.Random(rng, 20, sizes...)
				if len(sizes) > 1 {
					addDraws(f)
				}
				var streams, fills, datas []exec.Feed
				for i, v := range f.Inputs {
					if v.Axes == 0 {
						x := exec.Feed{Data: irtest.Numbers(rng, f, v)}
						streams, fills, datas = append(streams, x), append(fills, x),
							append(datas, x)
						continue
					}
					v.Uniform = true
					stream := func(k int) uint64 { return 100*seed + 10*uint64(i) + uint64(k) }
					fill := func(dst []float64, k int) { dense.Kernels.FillUniform(dst, stream(k)) }
					streams, fills = append(streams, exec.Feed{Seed: stream}),
						append(fills, exec.Feed{Fill: fill})
					datas = append(datas,
						exec.Feed{Data: exec.Materialise(f, v, streams[i], nil, nil)})
				}
				want := must.Get(run(t, f, exec.Options{Without: without}, datas))(t)
				var in [][]float64
				for _, x := range datas {
					in = append(in, x.Data)
				}
				near(t, "data", want, definition(t, f, in))
				if text := compile(t, f,
					exec.Options{Without: without}).String(); strings.Contains(text, "    draw") {
					drawn++
				}
				for _, way := range []struct {
					name string
					src  []exec.Feed
				}{{"written", fills}, {"drawn", streams}} {
					for _, workers := range []int{1, 3} {
						got := must.Get(run(t, f, exec.Options{Without: without, Workers: workers},
							way.src))(t)
						near(t, fmt.Sprintf("seed %d, axes %v, without %v, %s, %d workers", seed,
							sizes, without, way.name, workers), got, want)
					}
				}
			}
		}
	}
	if drawn == 0 {
		t.Error("no program draws numbers where they are used")
	}
}

// addDraws adds an output made of an input that can be drawn where it is used: once, with
// what is the same in all lanes.
func addDraws(f *ir.Func) {
	b := &irtest.Builder{F: f}
	u, x := b.Input(ir.Shape{3}, 0, 1), b.Input(ir.Shape{3}, 0)
	y := b.Over(irtest.Crossing(ir.OverLogSumExp, ir.Other), 1,
		b.Map(irtest.Exp, b.Map(irtest.Sub, u, x)))
	f.Outputs = append(f.Outputs, y)
}

// Materialise writes element by element, the axes but the first innermost.
func TestMaterialise(t *testing.T) {
	b := irtest.New(2, 3)
	x := b.Input(ir.Shape{4}, 0, 1)
	f := b.Return(x)
	feed := exec.Feed{Fill: func(dst []float64, i int) {
		for k := range dst { // element k/3 at index k%3 of the second axis
			dst[k] = float64(100*i + 10*(k%3) + k/3)
		}
	}}
	for k, y := range exec.Materialise(f, x, feed, nil, nil) {
		if want := float64(100*(k/12) + 10*(k/4%3) + k%4); y != want {
			t.Errorf("number %d is %v, want %v", k, y, want)
		}
	}
	got := must.Get(run(t, f, exec.Options{}, []exec.Feed{feed}))(t)
	same(t, "output", got, [][]float64{exec.Materialise(f, x, feed, nil, nil)})
}

// Strips of a lone axis compute what one index after the other does: axes of fewer
// indices than a strip, of whole strips, and of a rest.
func TestStrips(t *testing.T) {
	for _, n := range []int{1, 3, 8, 9, 63, 64, 65, 200} {
		b := irtest.New(n)
		x, c := b.Input(ir.Shape{6}, 0), b.Input(ir.Shape{6})
		y := b.Map(irtest.Add, x, c)
		for range 10 {
			y = b.Map(irtest.Tanh, b.Map(irtest.Mul, y, c))
		}
		f := b.Return(b.Reduce(irtest.LogSumExp, y), y)
		in := numbers(rand.New(rand.NewPCG(uint64(n), 16)), f)
		want := definition(t, f, in)
		for _, workers := range []int{1, 2, 5} {
			got := must.Get(run(t, f, exec.Options{Workers: workers}, data(in)))(t)
			near(t, fmt.Sprintf("%d indices, %d workers", n, workers), got, want)
		}
		if text := compile(t, f, exec.Options{Workers: 2}).Explain(); n > 8 &&
			!strings.Contains(text, "at a time as lanes") {
			t.Errorf("%d indices are computed so:\n%s", n, text)
		}
	}
}

// An evaluator that has more workers than the program was cut for computes the same.
func TestMoreWorkersThanCompiledFor(t *testing.T) {
	b := irtest.New(100)
	y := b.Input(ir.Shape{6}, 0)
	for range 20 {
		y = b.Map(irtest.Tanh, b.Map(irtest.Exp, y))
	}
	f := b.Return(y)
	in := numbers(rand.New(rand.NewPCG(1, 17)), f)
	p := compile(t, f, exec.Options{Workers: 1})
	var results [][][]float64
	for _, workers := range []int{1, 4} {
		e := must.Get(p.NewEvaluator(exec.Options{Workers: workers}))(t)
		dst := room(f)
		must.Do(t, e.Eval(dst, data(in)))
		e.Close()
		results = append(results, dst)
	}
	same(t, "four workers", results[1], results[0])
}
