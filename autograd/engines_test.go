package autograd_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	ad "tobac/autograd"
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
	{"total over particles and samples", func(n int) model { return density(n, 5, quadratic, true) }},
	{"total over particles", func(n int) model { return density(n, 0, quadratic, true) }},
	{"particles and samples, factorised", func(n int) model { return density(n, 5, determinant, false) }},
	{"particles, factorised", func(n int) model { return density(n, 0, determinant, false) }},
	{"total over particles and samples, factorised", func(n int) model { return density(n, 5, determinant, true) }},
	{"total over particles, factorised", func(n int) model { return density(n, 0, determinant, true) }},
}

// quadratic and determinant end the density of a matrix.
func quadratic(a *ad.Node) *ad.Node { return a.Square().Sum().Scale(-3) }

func determinant(a *ad.Node) *ad.Node {
	b := a.Builder()
	return a.MatMul(a.T()).Add(b.Constant([]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, ad.Shape{3, 3})).LogDet().Neg()
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
	y := end(r.MatMul(x.Mul(u).Add(b.Constant([]float64{2, 0, 0, 0, 2, 0, 0, 0, 2}, ad.Shape{d, d}))))
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

// TestLayouts compares the engines in every layout, with sizes that do and do
// not fill a strip or a vector.
func TestLayouts(t *testing.T) {
	for _, l := range layouts {
		for _, n := range []int{1, 2, 7, 64, 65, 130} {
			t.Run(fmt.Sprintf("%s/%d", l.name, n), func(t *testing.T) {
				m := l.build(n)
				runEngines(t, m.inputs, m.outputs, m.values, 1e-11)
			})
		}
	}
}

// TestWorkers: the number of workers changes no bit.
func TestWorkers(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			m := l.build(200)
			want := eval(t, m.inputs, m.outputs, m.values, ad.Options{})
			for _, workers := range []int{1, 2, 3, 8, 1000} {
				got := eval(t, m.inputs, m.outputs, m.values, ad.Options{Workers: workers})
				for i := range want {
					if !sameBits(got[i], want[i]) {
						t.Errorf("%d workers, %v: got %v, want %v as with one", workers, m.outputs[i], got[i], want[i])
					}
				}
			}
		})
	}
}

// TestConcurrentEvaluators runs several evaluators of one program, and builds
// other graphs, at the same time.
func TestConcurrentEvaluators(t *testing.T) {
	m := density(9, 5, quadratic, false)
	program, err := ad.Compile(m.inputs, m.outputs)
	if err != nil {
		t.Fatal(err)
	}
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
						t.Errorf("evaluator %d, %v: got %v, want %v", worker, m.outputs[i], dst[i], want[i])
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

// TestFill: functions and data feed the same numbers, on every engine.
func TestFill(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			m := l.build(70)
			for _, opt := range []ad.Options{{}, {Workers: 2}, {Engine: ad.Reference}, {Engine: ad.Tape}} {
				want := eval(t, m.inputs, m.outputs, m.values, opt)
				ev, err := ad.NewEvaluator(m.inputs, m.outputs, opt)
				if err != nil {
					t.Fatal(err)
				}
				defer ev.Close()
				got := room(m.outputs)
				if err := ev.Eval(got, filled(m)); err != nil {
					t.Fatal(err)
				}
				for i := range want {
					if !sameBits(got[i], want[i]) {
						t.Errorf("%v engine, %d workers, %v: got %v, want %v", opt.Engine, opt.Workers, m.outputs[i], got[i], want[i])
					}
				}
			}
		})
	}
}

// TestNoAllocation: after the first call an evaluation allocates nothing.
func TestNoAllocation(t *testing.T) {
	for _, l := range layouts {
		for _, workers := range []int{1, 2} {
			for _, fill := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d workers/fill %v", l.name, workers, fill), func(t *testing.T) {
					m := l.build(70)
					ev, err := ad.NewEvaluator(m.inputs, m.outputs, ad.Options{Workers: workers})
					if err != nil {
						t.Fatal(err)
					}
					defer ev.Close()
					dst, src := room(m.outputs), feeds(m.values)
					if fill {
						src = filled(m)
					}
					n := testing.AllocsPerRun(20, func() {
						if err := ev.Eval(dst, src); err != nil {
							t.Fatal(err)
						}
					})
					if n != 0 {
						t.Errorf("got %v allocations per run, want 0", n)
					}
				})
			}
		}
	}
}

// TestNextRun: a run depends on its inputs only, also after a failed one, and
// leaves earlier results alone.
func TestNextRun(t *testing.T) {
	b := ad.NewBuilder("runs")
	a := b.Input("a", ad.Shape{2, 2})
	out := nodes(a.LogDet())
	out = append(out, b.Grad(out[0], a)...)
	good, other, bad := [][]float64{{2, 0, 0, 2}}, [][]float64{{4, 0, 1, 3}}, [][]float64{{2, 0, 0, -1}}
	for _, engine := range engines {
		t.Run(engine.String(), func(t *testing.T) {
			ev, err := ad.NewEvaluator(nodes(a), out, ad.Options{Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			defer ev.Close()
			first, second, third := room(out), room(out), room(out)
			if err := ev.Eval(first, feeds(good)); err != nil {
				t.Fatal(err)
			}
			if err := ev.Eval(second, feeds(other)); err != nil {
				t.Fatal(err)
			}
			if err := ev.Eval(third, feeds(bad)); !errors.Is(err, ad.ErrNotPositiveDefinite) {
				t.Fatalf("got error %v, want %v", err, ad.ErrNotPositiveDefinite)
			}
			if err := ev.Eval(third, feeds(good)); err != nil {
				t.Fatal(err)
			}
			compare(t, "first run", first[0], []float64{math.Log(4)}, 1e-15)
			compare(t, "first gradient", first[1], []float64{0.5, 0, 0, 0.5}, 1e-15)
			compare(t, "second run", second[0], []float64{math.Log(11)}, 1e-15)
			compare(t, "after a failure", third[0], first[0], 0)
			compare(t, "gradient after a failure", third[1], first[1], 0)
		})
	}
}

// TestFailureOrder: of several failing indices the first is reported, whatever
// the number of workers.
func TestFailureOrder(t *testing.T) {
	b := ad.NewBuilder("failures")
	p, s := b.Axis("particle", 40), b.Axis("sample", 2)
	a := b.Input("a", ad.Shape{1, 1}, p, s)
	values := make([]float64, 80)
	for i := range values {
		values[i] = 1
		if i/2 >= 17 {
			values[i] = -float64(i / 2)
		}
	}
	y := a.Cholesky()
	for _, opt := range []ad.Options{{}, {Workers: 2}, {Workers: 8}, {Engine: ad.Reference}} {
		ev, err := ad.NewEvaluator(nodes(a), nodes(y), opt)
		if err != nil {
			t.Fatal(err)
		}
		defer ev.Close()
		err = ev.Eval(room(nodes(y)), feeds([][]float64{values}))
		want := `autograd: graph "failures": cholesky#1(1,1){particle=40 sample=2}: cholesky: pivot 0 is -17: matrix is not positive definite`
		if err == nil || err.Error() != want {
			t.Errorf("%v engine, %d workers: got error %v, want %v", opt.Engine, opt.Workers, err, want)
		}
	}
}

// TestFailureNamesOp: a failing operation is named also where it is the same in
// all lanes, and where it is folded because its operands are constants.
func TestFailureNamesOp(t *testing.T) {
	b := ad.NewBuilder("names")
	s := b.Axis("sample", 3)
	a, x := b.Input("a", ad.Shape{1, 1}), b.Input("x", ad.Shape{1, 1}, s)
	y := a.Cholesky().Mul(x).Exp()
	for _, engine := range engines {
		ev, err := ad.NewEvaluator(nodes(a, x), nodes(y), ad.Options{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		defer ev.Close()
		err = ev.Eval(room(nodes(y)), feeds([][]float64{{-2}, {1, 2, 3}}))
		if err == nil || !errors.Is(err, ad.ErrNotPositiveDefinite) || !strings.Contains(err.Error(), `"names"`) || !strings.Contains(err.Error(), "cholesky#2(1,1): cholesky: pivot 0 is -2") {
			t.Errorf("%v engine: got error %v, want one naming graph and op", engine, err)
		}
	}
	_, err := ad.Compile(nil, nodes(b.Constant([]float64{-1}, ad.Shape{1, 1}).Cholesky()))
	if want := `autograd: graph "names": cholesky#6(1,1) of constants: cholesky: pivot 0 is -1: matrix is not positive definite`; err == nil || err.Error() != want {
		t.Errorf("constant: got error %v, want %v", err, want)
	}
}

// TestCheckFinite: the first operation to produce NaN or Inf is named.
func TestCheckFinite(t *testing.T) {
	b := ad.NewBuilder("finite")
	p, s := b.Axis("particle", 3), b.Axis("sample", 2)
	x := b.Input("x", ad.Shape{2}, p, s)
	inf := b.Scalar(math.Inf(1)) // an infinite constant is its author's wish
	root := x.Sqrt()
	y := root.Minimum(inf).Exp().Sum()
	values := []float64{1, 1, 1, 1, 1, 1, 1, -4, -1, 1, 1, 1} // (particle 1, sample 1, element 1), (2, 0, 0)
	want := ad.NonFiniteError{Op: root.String(), Element: 1, Lane: 1, Outer: 1}
	for _, opt := range []ad.Options{{CheckFinite: true}, {CheckFinite: true, Workers: 2}, {CheckFinite: true, Engine: ad.Reference}} {
		ev, err := ad.NewEvaluator(nodes(x), nodes(y), opt)
		if err != nil {
			t.Fatal(err)
		}
		defer ev.Close()
		dst := room(nodes(y))
		var got *ad.NonFiniteError
		if err := ev.Eval(dst, feeds([][]float64{values})); !errors.As(err, &got) {
			t.Fatalf("%v engine: got error %v, want a *NonFiniteError", opt.Engine, err)
		}
		if value := got.Value; !math.IsNaN(value) {
			t.Errorf("%v engine: got value %v, want NaN", opt.Engine, value)
		}
		if got.Value = 0; *got != want {
			t.Errorf("%v engine: got %+v, want %+v", opt.Engine, *got, want)
		}
		if text, want := want.Error(), "autograd: sqrt#2(2){particle=3 sample=2} is 0 at element 1, lane 1, outer index 1"; text != want {
			t.Errorf("got text %q, want %q", text, want)
		}
		values[2] = math.Inf(1) // an input is named as well
		if err := ev.Eval(dst, feeds([][]float64{values})); !errors.As(err, &got) || got.Op != x.String() || got.Element != 0 || got.Lane != 1 || got.Outer != 0 {
			t.Errorf("%v engine: got error %v, want element 0 at lane 1 of the input", opt.Engine, err)
		}
		values[2] = 1
	}
	t.Run("off", func(t *testing.T) {
		got := eval(t, nodes(x), nodes(y), [][]float64{values}, ad.Options{})
		if !math.IsNaN(got[0][3]) {
			t.Errorf("got %v, want NaN to travel on", got[0][3])
		}
	})
}

// TestCheckFiniteStrip: a lone axis that is laid out in strips reports its own
// index.
func TestCheckFiniteStrip(t *testing.T) {
	b := ad.NewBuilder("strip")
	p := b.Axis("particle", 100)
	x := b.Input("x", ad.Shape{}, p)
	y := x.Log()
	values := make([]float64, 100)
	for i := range values {
		values[i] = 1
	}
	values[70] = 0
	for _, engine := range []ad.Engine{ad.Compiled, ad.Reference} {
		ev, err := ad.NewEvaluator(nodes(x), nodes(y), ad.Options{Engine: engine, CheckFinite: true})
		if err != nil {
			t.Fatal(err)
		}
		defer ev.Close()
		var got *ad.NonFiniteError
		err = ev.Eval(room(nodes(y)), feeds([][]float64{values}))
		if want := (ad.NonFiniteError{Op: y.String(), Outer: 70, Value: math.Inf(-1)}); !errors.As(err, &got) || *got != want {
			t.Errorf("%v engine: got error %v, want %v", engine, err, &want)
		}
	}
}

// TestStructuralZeros pins the meaning of a structural zero: the compiled
// engine leaves out its products, so 0·Inf of one is 0; arithmetic says NaN.
func TestStructuralZeros(t *testing.T) {
	b := ad.NewBuilder("zeros")
	x := b.Input("x", ad.Shape{2})
	mask := b.Constant([]float64{0, 1}, ad.Shape{2})
	out := nodes(x.Mul(mask), x.Reshape(ad.Shape{1, 2}).MatMul(mask.Reshape(ad.Shape{2, 1})))
	v := [][]float64{{math.Inf(1), 3}}
	got := eval(t, nodes(x), out, v, ad.Options{})
	compare(t, "compiled product", got[0], []float64{0, 3}, 0)
	compare(t, "compiled matrix product", got[1], []float64{3}, 0)
	got = eval(t, nodes(x), out, v, ad.Options{Engine: ad.Reference})
	compare(t, "reference product", got[0], []float64{nan, 3}, 0)
	compare(t, "reference matrix product", got[1], []float64{nan}, 0)
}

// TestLeafOutputs: inputs and constants can be outputs, and inputs unused.
func TestLeafOutputs(t *testing.T) {
	b := ad.NewBuilder("leaves")
	p := b.Axis("particle", 3)
	x, unused := b.Input("x", ad.Shape{2}, p), b.Input("unused", ad.Shape{3}, p)
	c := b.Constant([]float64{0, 5}, ad.Shape{2})
	folded := c.Exp().Sum()
	v := [][]float64{{1, 2, 3, 4, 5, 6}, make([]float64, 9)}
	got := runEngines(t, nodes(x, unused), nodes(x, c, folded, x, x.Reshape(ad.Shape{2, 1})), v, 1e-15)
	compare(t, "input", got[0], v[0], 0)
	compare(t, "constant", got[1], []float64{0, 5}, 0)
	compare(t, "folded constant", got[2], []float64{1 + math.Exp(5)}, 1e-15)
	compare(t, "input again", got[3], v[0], 0)
	compare(t, "view", got[4], v[0], 0)
}

// TestClose: closing twice is harmless, also before any run.
func TestClose(t *testing.T) {
	m := density(4, 3, quadratic, false)
	for _, engine := range engines {
		ev, err := ad.NewEvaluator(m.inputs, m.outputs, ad.Options{Engine: engine, Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		ev.Close()
		ev.Close()
	}
}

// TestNegligibleLanes pins what the compiled engine leaves out: in sums over
// the samples of terms that carry a softmax weight, the samples whose weight is
// below 2⁻⁵³ of the largest. With factors of one magnitude that is rounding;
// a factor of 10²⁰ on such a sample is lost.
func TestNegligibleLanes(t *testing.T) {
	const n = 40
	b := ad.NewBuilder("weights")
	s := b.Axis("sample", n)
	w, a, c := b.Input("w", ad.Shape{}), b.Input("a", ad.Shape{}, s), b.Input("c", ad.Shape{}, s)
	g := b.Grad(w.AddScalar(-1).Mul(a).Add(c).LogMeanExpOver(s), w) // Σ weight·a at w = 1
	rng := rand.New(rand.NewPCG(8, 8))
	factors, logits := normals(rng, n), normals(rng, n)
	for i := range factors {
		factors[i] *= 1000
		logits[i] *= 200
	}
	// A weight in the denominator makes its sample count more, not less.
	inverse := nodes(a.Div(c.Sub(c.LogSumExpOver(s)).Exp()).SumOver(s))
	small := make([]float64, n)
	for i := range small {
		small[i] = logits[i] / 4
	}
	compare(t, "inverse weights", eval(t, nodes(a, c), inverse, [][]float64{factors, small}, ad.Options{})[0],
		eval(t, nodes(a, c), inverse, [][]float64{factors, small}, ad.Options{Engine: ad.Reference})[0], 1e-12)
	run := func(engine ad.Engine) float64 {
		return eval(t, nodes(w, a, c), g, [][]float64{{1}, factors, logits}, ad.Options{Engine: engine})[0][0]
	}
	if got, want := run(ad.Compiled), run(ad.Reference); math.Abs(got-want) > n*0x1p-53*largest(factors) {
		t.Errorf("compiled: got %v, want %v", got, want)
	}
	for i := range logits {
		factors[i], logits[i] = 0, -1000
	}
	factors[0], logits[0] = 1, 0
	factors[1], logits[1] = 1e20, -50
	if got := run(ad.Compiled); got != 1 {
		t.Errorf("compiled, huge factor on a negligible weight: got %v, want 1", got)
	}
	if got, want := run(ad.Reference), 1+1e20*math.Exp(-50); math.Abs(got-want) > 1e-14 {
		t.Errorf("reference, huge factor on a negligible weight: got %v, want %v", got, want)
	}
}
