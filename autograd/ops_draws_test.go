package autograd_test

import (
	"math"
	"slices"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// transformed is a graph of normal and Gumbel numbers and of functions of them: the
// numbers themselves, and a log-mean-exp over samples with its derivatives by the mean
// and the standard deviation of the normal ones.
func transformed(samples int) (inputs, outputs []*ad.Node) {
	b := ad.NewBuilder("draws")
	p, s := b.Axis("particle", 3), b.Axis("sample", samples)
	mean, sd := b.Input("mean", ad.Shape{2}, p), b.Input("sd", ad.Shape{2}, p)
	e, g := b.Normal("normal", ad.Shape{2}, p, s), b.Gumbel("gumbel", ad.Shape{2}, p, s)
	x := mean.Add(sd.Mul(e)).Add(g).Tanh().Sum().LogMeanExpOver(s)
	return []*ad.Node{mean, sd, b.InputNamed("normal"), b.InputNamed("gumbel")},
		append(b.Grad(x, mean, sd), x, e, g)
}

// TestTransformedDraws: the numbers are those of the stream of uniform ones, by their
// quantile functions, on every engine and for any number of workers.
func TestTransformedDraws(t *testing.T) {
	const samples = 40
	inputs, outputs := transformed(samples)
	mean, sd := []float64{0.1, -0.4, 0.3, 1, -1, 0.2}, []float64{1, 0.5, 2, 1, 0.3, 0.7}
	run := func(opt ad.Options, noise func(uint64) ad.Feed) [][]float64 {
		ev := must.Get(ad.NewEvaluator(inputs, outputs, opt))(t)
		defer ev.Close()
		dst := room(outputs)
		must.Do(t, ev.Eval(dst,
			[]ad.Feed{{Data: mean}, {Data: sd}, noise(5), noise(500)}))
		return dst
	}
	got := run(ad.Options{}, seeds)
	for i, distribution := range []func(x float64) float64{func(x float64) float64 {
		return tail(-x)
	}, func(x float64) float64 { return math.Exp(-math.Exp(-x)) }} {
		u := make([]float64, 2*samples)
		for particle := range 3 {
			ad.FillUniform(u, uint64(5+495*i+particle)) // element-major
			for e := range 2 {
				for s := range samples {
					k := (particle*samples+s)*2 + e
					if x, want := got[3+i][k],
						u[e*samples+s]; !(math.Abs(distribution(x)-want) <= 1e-14) {
						t.Errorf("%v, particle %d, sample %d, element %d: got %v, the quantile "+
							"of %v, want that of %v", outputs[3+i], particle, s, e, x,
							distribution(x), want)
					}
				}
			}
		}
	}
	for _, opt := range []ad.Options{{Workers: 3}, {Engine: ad.Reference},
		{Without: ad.ElementSchedule}} {
		for _, noise := range []func(uint64) ad.Feed{seeds, fills} {
			again := run(opt, noise)
			for i := range got {
				compare(t, outputs[i].String(), again[i], got[i], 1e-12)
			}
			if opt.Workers > 1 && !slices.EqualFunc(again, got, sameBits) {
				t.Errorf("three workers: got other bits than one")
			}
		}
	}
}

// TestInputNamed finds inputs by name.
func TestInputNamed(t *testing.T) {
	b := ad.NewBuilder("names")
	x := b.Input("x", ad.Shape{})
	if b.InputNamed("x") != x || b.InputNamed("y") != nil {
		t.Errorf("got %v and %v, want x and nil", b.InputNamed("x"), b.InputNamed("y"))
	}
	if b.Normal("n", ad.Shape{}); b.Err() == nil {
		t.Error("normal numbers without a mapped axis: got no error")
	}
}
