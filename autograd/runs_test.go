package autograd_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"
)

// TestNextRun: a run depends on its inputs only, also after a failed one, and
// leaves earlier results alone.
func TestNextRun(t *testing.T) {
	b := ad.NewBuilder("runs")
	a := b.Input("a", ad.Shape{2, 2})
	out := nodes(a.LogDet())
	out = append(out, b.Grad(out[0], a)...)
	good, other, bad := [][]float64{{2, 0, 0, 2}}, [][]float64{{4, 0, 1, 3}},
		[][]float64{{2, 0, 0, -1}}
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
// the number of workers, and the results of the others hold.
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
		dst := room(nodes(y))
		err = ev.Eval(dst, feeds([][]float64{values}))
		var failed *ad.FailedError
		if !errors.As(err, &failed) || !errors.Is(err, ad.ErrNotPositiveDefinite) ||
			len(failed.Indices) != 23 || failed.Axis != "particle" {
			t.Errorf("%v engine: got error %v, want one of 23 particles", opt.Engine, err)
		}
		for i, x := range dst[0] {
			if failed := i/2 >= 17; math.IsNaN(x) != failed || !failed && x != 1 {
				t.Errorf("%v engine: result of particle %d is %v", opt.Engine, i/2, x)
			}
		}
		want := `autograd: graph "failures": particle 17, and 22 more of them: cholesky#1(1,1){particle=40 sample=2}: cholesky: pivot 0 is -17: matrix is not positive definite`
		if err == nil || err.Error() != want {
			t.Errorf("%v engine, %d workers: got error %v, want %v", opt.Engine, opt.Workers, err,
				want)
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
		if err == nil || !errors.Is(err, ad.ErrNotPositiveDefinite) ||
			!strings.Contains(err.Error(), `"names"`) ||
			!strings.Contains(err.Error(), "cholesky#2(1,1): cholesky: pivot 0 is -2") {
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
	// (particle 1, sample 1, element 1), (2, 0, 0)
	values := []float64{1, 1, 1, 1, 1, 1, 1, -4, -1, 1, 1, 1}
	want := ad.NonFiniteError{Op: root.String(), Element: 1, Lane: 1, Outer: 1}
	for _, opt := range []ad.Options{{CheckFinite: true}, {CheckFinite: true, Workers: 2},
		{CheckFinite: true, Engine: ad.Reference}} {
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
		if text, want := want.Error(),
			"autograd: sqrt#2(2){particle=3 sample=2} is 0 at element 1, lane 1, "+
				"outer index 1"; text != want {
			t.Errorf("got text %q, want %q", text, want)
		}
		values[2] = math.Inf(1) // an input is named as well
		if err := ev.Eval(dst, feeds([][]float64{values})); !errors.As(err, &got) ||
			got.Op != x.String() || got.Element != 0 || got.Lane != 1 || got.Outer != 0 {
			t.Errorf("%v engine: got error %v, want element 0 at lane 1 of the input", opt.Engine,
				err)
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
		ev, err := ad.NewEvaluator(nodes(x), nodes(y),
			ad.Options{Engine: engine, CheckFinite: true})
		if err != nil {
			t.Fatal(err)
		}
		defer ev.Close()
		var got *ad.NonFiniteError
		err = ev.Eval(room(nodes(y)), feeds([][]float64{values}))
		if want := (ad.NonFiniteError{Op: y.String(), Outer: 70, Value: math.Inf(-1)}); !errors.As(
			err, &got) || *got != want {
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
	got := runEngines(t, nodes(x, unused), nodes(x, c, folded, x, x.Reshape(ad.Shape{2, 1})), v,
		1e-15)
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

// TestNegligibleLanes: in sums over the samples of terms that carry a softmax weight
// the compiled engine leaves out samples, but none whose other factors outgrow its
// weight.
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
	compare(t, "inverse weights",
		eval(t, nodes(a, c), inverse, [][]float64{factors, small}, ad.Options{})[0],
		eval(t, nodes(a, c), inverse, [][]float64{factors, small},
			ad.Options{Engine: ad.Reference})[0], 1e-12)
	run := func(engine ad.Engine) float64 {
		return eval(t, nodes(w, a, c), g, [][]float64{{1}, factors, logits},
			ad.Options{Engine: engine})[0][0]
	}
	if got, want := run(ad.Compiled),
		run(ad.Reference); !(math.Abs(got-want) <= n*0x1p-53*largest(factors)) {
		t.Errorf("compiled: got %v, want %v", got, want)
	}
	for i := range logits {
		factors[i], logits[i] = 0, -1000
	}
	factors[0], logits[0] = 1, 0
	factors[1], logits[1] = 1e20, -50
	for _, engine := range []ad.Engine{ad.Compiled, ad.Reference} {
		if got, want := run(engine), 1+1e20*math.Exp(-50); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("%v, large factor on a small weight: got %v, want %v", engine, got, want)
		}
		factors[1], logits[1] = 1e300, -600 // far below any cut
		if got, want := run(engine), 1+1e300*math.Exp(-600); !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("%v, huge factor on a tiny weight: got %v, want %v", engine, got, want)
		}
		factors[1], logits[1] = 1e20, -50
	}
}
