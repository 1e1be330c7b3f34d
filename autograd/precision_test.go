package autograd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	ad "tobac/autograd"
)

// singleTolerance is relative to the largest element: some hundred roundings of
// 2⁻²⁴.
const singleTolerance = 1e-5

// In every layout float32 computes what float64 does, up to its rounding, with the
// same bits on any number of workers and from functions as from data. Where there
// is no lane program it computes in float64.
func TestFloat32(t *testing.T) {
	for _, l := range layouts {
		for _, n := range []int{1, 7, 64, 130} {
			m := l.build(n)
			single := ad.Options{Precision: ad.Float32}
			want := eval(t, m.inputs, m.outputs, m.values, ad.Options{})
			got := eval(t, m.inputs, m.outputs, m.values, single)
			p, err := ad.Compile(m.inputs, m.outputs, ad.Float32)
			if err != nil {
				t.Fatal(err)
			}
			inLanes := strings.Contains(p.String(), "level 0")
			if shown := strings.Contains(p.String(), "precision float32"); shown != inLanes {
				t.Errorf("%s, %d: precision float32 shown: %v, want %v; listing:\n%v", l.name, n, shown, inLanes, p)
			}
			same := true
			for i := range want {
				compare(t, l.name+", "+m.outputs[i].String(), got[i], want[i], singleTolerance)
				same = same && sameBits(got[i], want[i])
			}
			if same == inLanes {
				t.Errorf("%s, %d: the same bits as float64: %v, want %v", l.name, n, same, !inLanes)
			}
			for _, workers := range []int{2, 8} {
				again := eval(t, m.inputs, m.outputs, m.values, ad.Options{Precision: ad.Float32, Workers: workers})
				for i := range got {
					if !sameBits(again[i], got[i]) {
						t.Errorf("%s, %d: %v on %d workers: got %v, want %v as on one", l.name, n, m.outputs[i], workers, again[i], got[i])
					}
				}
			}
			ev, err := ad.NewEvaluator(m.inputs, m.outputs, single)
			if err != nil {
				t.Fatal(err)
			}
			defer ev.Close()
			dst, src := room(m.outputs), filled(m)
			run := func() {
				if err := ev.Eval(dst, src); err != nil {
					t.Fatal(err)
				}
			}
			run()
			for i := range got {
				if !sameBits(dst[i], got[i]) {
					t.Errorf("%s, %d: %v from functions: got %v, want %v as from data", l.name, n, m.outputs[i], dst[i], got[i])
				}
			}
			if strings.Contains(l.name, "factorised") || raceEnabled {
				continue // factorisations and the race detector allocate
			}
			if allocs := testing.AllocsPerRun(3, run); allocs > 0 {
				t.Errorf("%s, %d: got %v allocations, want none", l.name, n, allocs)
			}
		}
	}
}

// Random programs compute the same in both precisions. A program multiplies
// rounding by its condition, which is measured: the change of its results, in
// float64, when its inputs are rounded to float32 and when they are changed by as
// much again.
func TestFloat32Programs(t *testing.T) {
	count, compared := uint64(150), 0
	if testing.Short() {
		count = 30
	}
	for seed := range count {
		p := newProgram(programBytes(4000 + seed))
		p.grow()
		outputs, _ := p.finish()
		if err := p.b.Err(); err != nil {
			t.Fatal(err)
		}
		want := eval(t, p.inputs, outputs, p.feeds, ad.Options{})
		got := eval(t, p.inputs, outputs, p.feeds, ad.Options{Precision: ad.Float32})
		condition := make([]float64, len(want))
		rng := rand.New(rand.NewPCG(seed, 5))
		for range 4 {
			moved := make([][]float64, len(p.feeds))
			for i, x := range p.feeds {
				moved[i] = slices.Clone(x)
				for k := range x {
					moved[i][k] *= 1 + 0x1p-20*rng.NormFloat64()
				}
			}
			near := eval(t, p.inputs, outputs, moved, ad.Options{})
			for i := range want {
				for k, w := range want[i] {
					condition[i] = max(condition[i], math.Abs(near[i][k]-w))
				}
			}
		}
		for i := range want {
			top := largest(want[i])
			if math.IsNaN(top) || top > 1e12 || !(condition[i] < 1e-2*top) {
				continue // beyond float32, or at a kink
			}
			compared++
			for k, w := range want[i] {
				if g := got[i][k]; !(math.Abs(g-w) <= 100*condition[i]+1e-4*max(1, top)) {
					t.Errorf("program %d, output %d, element %d: got %v, want %v; changing the inputs changes it by %.1g", 4000+seed, i, k, g, w, condition[i])
				}
			}
		}
	}
	if compared < int(count) {
		t.Errorf("compared %d outputs of %d programs, want at least one of each", compared, count)
	}
}

// The softmax weights of samples sum to 1 however large the exponents are: they
// are those of the exponents as rounded.
func TestFloat32WeightsSumToOne(t *testing.T) {
	for _, size := range []float64{1, 1e3, 1e6, 1e9} {
		b := ad.NewBuilder("weights")
		p, s := b.Axis("particle", 2), b.Axis("sample", 50)
		w, u := b.Input("w", ad.Shape{}, p), b.Input("u", ad.Shape{}, p, s)
		y := u.Scale(3).Add(w.ExpandOver(s)).LogMeanExpOver(s)
		x := normals(rand.New(rand.NewPCG(1, 2)), 100)
		for i := range x {
			x[i] *= size
		}
		got := eval(t, nodes(w, u), b.Grad(y, w), [][]float64{{0.3, 1e4}, x}, ad.Options{Precision: ad.Float32})
		for i, sum := range got[0] {
			if math.Abs(sum-1) > 1e-6 {
				t.Errorf("exponents of size %g, particle %d: weights sum to %v, want 1", size, i, sum)
			}
		}
	}
}

// Uniform numbers stay inside (0, 1): the extreme ones that there are leave a
// relaxed choice finite, even where its probability is beyond float32.
func TestFloat32UniformsStayInside(t *testing.T) {
	extreme := []float64{0x1p-53, 1 - 0x1p-53, 0.5, 1 - 0x1p-25}
	for _, logit := range []float64{-700, -110, 0, 110, 700} {
		b := ad.NewBuilder("inside")
		p, s := b.Axis("particle", 2), b.Axis("sample", len(extreme))
		w, u := b.Input("w", ad.Shape{}, p), b.Uniform("u", ad.Shape{}, p, s)
		g := w.SigmoidShift(u)
		outputs := append(b.Grad(g.SumOver(s), w), g, u, u.Neg().AddScalar(1).Log())
		got := eval(t, nodes(w, u), outputs, [][]float64{{logit, logit}, append(slices.Clone(extreme), extreme...)}, ad.Options{Precision: ad.Float32})
		for i, out := range got {
			for k, v := range out {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("logit %v: %v, element %d is %v", logit, outputs[i], k, v)
				}
			}
		}
		for k, v := range got[2] {
			if !(v > 0 && v < 1) {
				t.Errorf("uniform number %v becomes %v", extreme[k%len(extreme)], v)
			}
		}
	}
}

// Numbers beyond float32 are infinite, and those within are not; looking for what
// is not finite runs in float64.
func TestFloat32Range(t *testing.T) {
	b := ad.NewBuilder("range")
	p, s := b.Axis("particle", 1), b.Axis("sample", 3)
	x, u := b.Input("x", ad.Shape{}, p), b.Input("u", ad.Shape{}, p, s)
	out := nodes(u.Mul(u), u.SumOver(s), x.Square())
	values := [][]float64{{1e30}, {1e10, -1e30, 1e-30}}
	got := eval(t, nodes(x, u), out, values, ad.Options{Precision: ad.Float32})
	inf := math.Inf(1)
	compare(t, "squares", got[0], []float64{1e20, inf, 0}, 1e-7)
	compare(t, "sum", got[1], []float64{-1e30}, 1e-7)
	compare(t, "without samples", got[2], []float64{1e60}, 1e-15)
	wide := eval(t, nodes(x, u), out, values, ad.Options{Precision: ad.Float32, CheckFinite: true})
	compare(t, "squares in float64", wide[0], []float64{1e20, 1e60, 1e-60}, 1e-15)
}

func TestUnknownPrecision(t *testing.T) {
	b := ad.NewBuilder("unknown")
	x := b.Input("x", ad.Shape{}, b.Axis("particle", 2))
	_, err := ad.NewEvaluator(nodes(x), nodes(x.Neg()), ad.Options{Precision: 7})
	if want := "autograd: unknown precision Precision(7), want float64 or float32"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// Draws in float32 are the numbers of the stream as rounded, whether they are drawn
// where they are used or given; 13 samples are fewer than a vector, and not drawn there.
func TestFloat32Draws(t *testing.T) {
	for _, samples := range []int{48, 13} {
		inputs, outputs := noisy(samples, false)
		w := normals(rand.New(rand.NewPCG(6, 6)), 18)
		run := func(noise func(uint64) ad.Feed, precision ad.Precision) [][]float64 {
			ev, err := ad.NewEvaluator(inputs, outputs, ad.Options{Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			defer ev.Close()
			dst := room(outputs)
			if err := ev.Eval(dst, []ad.Feed{{Data: w}, noise(5), noise(500)}); err != nil {
				t.Fatal(err)
			}
			return dst
		}
		want := run(seeds, ad.Float64)
		drawn, given := run(seeds, ad.Float32), run(fills, ad.Float32)
		for i := range want {
			compare(t, outputs[i].String(), drawn[i], want[i], singleTolerance)
			if !sameBits(drawn[i], given[i]) {
				t.Errorf("%d samples, %v: got %v when drawn and %v when given", samples, outputs[i], drawn[i], given[i])
			}
		}
	}
}
