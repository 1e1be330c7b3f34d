package autograd_test

import (
	"fmt"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// noisy is a graph on uniform numbers: a soft and a hard choice of each of six
// numbers in every sample, in the order of a gather, as a weighted mean over the
// samples with its gradient. twice reads every draw a second time.
func noisy(samples int, twice bool) (inputs, outputs []*ad.Node) {
	const d = 6
	b := ad.NewBuilder("noisy")
	p, s := b.Axis("particle", 3), b.Axis("sample", samples)
	w := b.Input("w", ad.Shape{d}, p)
	soft, hard := b.Uniform("soft", ad.Shape{d}, p, s), b.Uniform("hard", ad.Shape{d}, p, s)
	backwards := []int{5, 3, 4, 2, 0, 1}
	g := w.SigmoidShift(soft.Gather(backwards, ad.Shape{d}))
	h := w.Sigmoid().Greater(hard)
	y := g.Sub(h.Mul(w)).Square().Sum().Neg()
	if twice {
		y = y.Add(soft.Sum())
	}
	value := y.LogMeanExpOver(s)
	return []*ad.Node{w, soft, hard}, append(b.Grad(value, w), value)
}

func seeds(base uint64) ad.Feed {
	return ad.Feed{Seed: func(i int) uint64 { return base + uint64(i) }}
}

// fills are the same numbers as seeds, materialised by the caller.
func fills(base uint64) ad.Feed {
	return ad.Feed{Fill: func(dst []float64, i int) { ad.FillUniform(dst, base+uint64(i)) }}
}

// What is drawn where it is used is not stored.
func TestDrawsAreNotStored(t *testing.T) {
	for _, twice := range []bool{false, true} {
		inputs, outputs := noisy(40, twice)
		p := must.Get(ad.Compile(inputs, outputs))(t)
		// Soft draws that are read twice are stored whole. Those read once are fused with
		// what reads them, although the last one is the first that is needed.
		want := []string{"draw-less             6 operations", "draw-shift            6 operations"}
		if twice {
			want = want[:1]
		}
		for _, line := range want {
			if !strings.Contains(p.String(), line) {
				t.Errorf("read twice: %v; want %q in listing:\n%v", twice, line, p)
			}
		}
		if strings.Contains(p.String(), " draw   ") {
			t.Errorf("read twice: %v; listing:\n%v", twice, p)
		}
	}
}

func TestUniformInputErrors(t *testing.T) {
	b := ad.NewBuilder("errors")
	b.Uniform("u", ad.Shape{2})
	if err := b.Err(); err == nil ||
		!strings.Contains(err.Error(), `input "u" of uniform numbers needs a mapped axis`) {
		t.Errorf("without an axis: got %v", err)
	}
}

// Normal and Gumbel numbers are made of draws that no register keeps, as their first
// function is of one operand. They are bit by bit those of numbers that are fed, drawn in
// place or not, alone or beside draws of other readers.
func TestDrawsOfOneOperand(t *testing.T) {
	const samples, d = 40, 2
	b := ad.NewBuilder("one operand")
	p, s := b.Axis("particle", 3), b.Axis("sample", samples)
	w := b.Input("w", ad.Shape{d}, p)
	e, g := b.Normal("normal", ad.Shape{d}, p, s), b.Gumbel("gumbel", ad.Shape{d}, p, s)
	inputs := []*ad.Node{w, b.InputNamed("normal"), b.InputNamed("gumbel")}
	y := w.Mul(e.Gather([]int{1, 0}, ad.Shape{d})).Add(g).Square().Sum().Neg().LogMeanExpOver(s)
	outputs := append(b.Grad(y, w), y)
	data := []float64{0.3, -1, 0.7, 2, -0.2, 0.1}
	run := func(opt ad.Options, noise func(uint64) ad.Feed) [][]float64 {
		ev := must.Get(ad.NewEvaluator(inputs, outputs, opt))(t)
		defer ev.Close()
		dst := room(outputs)
		for range 2 {
			must.Do(t, ev.Eval(dst, []ad.Feed{{Data: data}, noise(5), noise(500)}))
		}
		return dst
	}
	want := run(ad.Options{}, fills)
	for _, opt := range []ad.Options{{}, {Workers: 3}, {Without: ad.DrawInPlace},
		{Without: ad.SparseCotangents}} {
		for i, got := range run(opt, seeds) {
			tolerance := 0.0
			if opt.Without == ad.SparseCotangents {
				tolerance = 1e-13 // of sums in another order
			}
			compare(t, fmt.Sprintf("%+v: %v", opt, outputs[i]), got, want[i], tolerance)
		}
	}
	for i, reference := range run(ad.Options{Engine: ad.Reference}, seeds) {
		compare(t, "reference "+outputs[i].String(), want[i], reference, 1e-12)
	}
	kept := func(without ...ad.Pass) (n int) {
		program := must.Get(ad.Compile(inputs, outputs, without...))(t)
		_, rest, _ := strings.Cut(program.String(), "registers of 40 lanes: ")
		must.Get(fmt.Sscanf(rest, "%d of inputs and kept values", &n))(t)
		return n
	}
	program := must.Get(ad.Compile(inputs, outputs))(t)
	if !strings.Contains(program.String(), "draw                  4 operations") {
		t.Errorf("want 4 draws in listing:\n%v", program)
	}
	// Of both inputs the results of the first function are kept, and what is summed.
	if drawn, stored := kept(), kept(ad.DrawInPlace); drawn != 2*d+1 || stored < drawn {
		t.Errorf("got %d registers, %d with stored numbers, want %d and no fewer", drawn, stored,
			2*d+1)
	}
}
