package autograd_test

import (
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// A way is a way to run a graph.
type way struct {
	name string
	opt  ad.Options
}

// waysToRun are the reference engine, which comes first, and what the compiled one
// can make of a graph: a program for elements of lanes, one value by value, and one
// without any pass.
func waysToRun() []way {
	all := ad.Pass(0)
	for _, p := range ad.Passes() {
		all |= p
	}
	return []way{
		{"reference", ad.Options{Engine: ad.Reference}},
		{"compiled", ad.Options{}},
		{"compiled, three workers", ad.Options{Workers: 3}},
		{"compiled by value", ad.Options{Without: ad.ElementSchedule}},
		{"compiled without passes", ad.Options{Without: all}},
	}
}

// everyWay evaluates the outputs in every way.
func everyWay(t *testing.T, inputs, outputs []*ad.Node, x [][]float64,
	check func(t *testing.T, got [][]float64)) {
	t.Helper()
	for _, w := range waysToRun() {
		t.Run(w.name, func(t *testing.T) { check(t, eval(t, inputs, outputs, x, w.opt)) })
	}
}

// lanes declares one particle and eight samples.
func lanes(b *ad.Builder) (particle, sample *ad.Axis) {
	return b.Axis("particle", 1), b.Axis("sample", 8)
}

// softmaxOver adds log weights and their normalised weights over the samples.
func softmaxOver(b *ad.Builder) (logWeight, weight *ad.Node, sample *ad.Axis) {
	particle, sample := lanes(b)
	logWeight = b.Input("log weight", ad.Shape{}, particle, sample)
	return logWeight, logWeight.Sub(logWeight.LogSumExpOver(sample)).Exp(), sample
}

// eight is a number in each of eight samples.
func eight(v float64) []float64 { return []float64{v, v, v, v, v, v, v, v} }

// TestExpectations: a sample counts as its weight times its term, whatever either is.
func TestExpectations(t *testing.T) {
	t.Run("a small weight counts where its term is large", func(t *testing.T) {
		b := ad.NewBuilder("expectation")
		lw, w, s := softmaxOver(b)
		y := w.Mul(lw.Neg().Exp()).SumOver(s) // Σ softmax(lw)·e^−lw = 8/Σe^lw = 8
		x := [][]float64{{0, -50, -50, -50, -50, -50, -50, -50}}
		everyWay(t, []*ad.Node{lw}, []*ad.Node{y}, x, func(t *testing.T, got [][]float64) {
			if !(math.Abs(got[0][0]-8) <= 1e-9) {
				t.Errorf("got %v, want 8", got[0][0])
			}
		})
	})
	t.Run("a large term of small weight is data, not a function of the weight", func(t *testing.T) {
		b := ad.NewBuilder("expectation of data")
		p, s := lanes(b)
		lw, f := b.Input("log weight", ad.Shape{}, p, s), b.Input("term", ad.Shape{}, p, s)
		y := lw.Sub(lw.LogSumExpOver(s)).Exp().Mul(f).SumOver(s)
		x := [][]float64{{0, 0, 0, 0, 0, 0, 0, -50}, {1, 1, 1, 1, 1, 1, 1, 1e30}}
		want := (7 + math.Exp(-50)*1e30) / (7 + math.Exp(-50))
		everyWay(t, []*ad.Node{lw, f}, []*ad.Node{y}, x, func(t *testing.T, got [][]float64) {
			if !(math.Abs(got[0][0]-want) <= 1e-12*want) {
				t.Errorf("got %v, want %v", got[0][0], want)
			}
		})
	})
	for _, stiff := range []struct{ factor, logWeight float64 }{{1e20, -37},
		{1e300, -600}} { // the second weight is far below any cut
		t.Run("one stiff sample decides the gradient of a log-mean-exp", func(t *testing.T) {
			b := ad.NewBuilder("stiff")
			p, s := lanes(b)
			th, k, c := b.Input("t", ad.Shape{}, p), b.Input("k", ad.Shape{}, p, s),
				b.Input("c", ad.Shape{}, p, s)
			g := b.Grad(k.Mul(th).Add(c).LogMeanExpOver(s), th)
			x := [][]float64{{0}, eight(1), eight(0)}
			x[1][1], x[2][1] = stiff.factor, stiff.logWeight
			w := math.Exp(stiff.logWeight)
			want := (7 + w*stiff.factor) / (7 + w)
			everyWay(t, []*ad.Node{th, k, c}, g, x, func(t *testing.T, got [][]float64) {
				if !(math.Abs(got[0][0]-want) <= 1e-9*want) {
					t.Errorf("got %v, want %v", got[0][0], want)
				}
			})
		})
	}
	t.Run("a sample whose weight divides counts more, not less", func(t *testing.T) {
		b := ad.NewBuilder("inverse")
		lw, w, s := softmaxOver(b)
		y := w.Inverse().SumOver(s)
		want := 1 + 7*math.Exp(-50) + 7*(7+math.Exp(50))
		x := [][]float64{eight(-50)}
		x[0][0] = 0
		everyWay(t, []*ad.Node{lw}, []*ad.Node{y}, x, func(t *testing.T, got [][]float64) {
			if !(math.Abs(got[0][0]-want) <= 1e-12*want) {
				t.Errorf("got %v, want %v", got[0][0], want)
			}
		})
	})
	t.Run("an infinite term of weight zero makes the sum NaN", func(t *testing.T) {
		b := ad.NewBuilder("zero weight")
		lw, w, s := softmaxOver(b)
		y := w.Mul(w.Log()).SumOver(s) // 0·−∞
		everyWay(t, []*ad.Node{lw}, []*ad.Node{y}, [][]float64{{0, 0, 0, 0, 0, 0, 0, -1000}},
			func(t *testing.T, got [][]float64) {
				if !math.IsNaN(got[0][0]) {
					t.Errorf("got %v, want NaN", got[0][0])
				}
			})
	})
}

// TestRewritingKeepsValues: what the compiler makes of an expression overflows,
// underflows and keeps the sign of zero as the expression does.
func TestRewritingKeepsValues(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	for _, tt := range []struct {
		name  string
		x     float64
		build func(x *ad.Node) *ad.Node
		want  float64
	}{
		{"constant factors that overflow in turn", 1e-50, func(x *ad.Node) *ad.Node {
			return x.Scale(1e200).Scale(1e200).Scale(1e-300)
		}, inf},
		{"constant factors that overflow only together", 0x1p-1000, func(x *ad.Node) *ad.Node {
			return x.Scale(0x1p600).Scale(0x1p600)
		}, 0x1p200},
		{"constant factors that underflow in turn", 1, func(x *ad.Node) *ad.Node {
			return x.Scale(1e-200).Scale(1e-200).Scale(1e300)
		}, 0},
		{"a quotient and a factor", 1e-300, func(x *ad.Node) *ad.Node {
			return x.Builder().Scalar(1e10).Div(x).Scale(1e-200)
		}, inf},
		{"zero added to -0", negativeZero, func(x *ad.Node) *ad.Node {
			return x.AddScalar(0).Inverse()
		}, inf},
		{"-0 added to -0", negativeZero, func(x *ad.Node) *ad.Node {
			return x.AddScalar(negativeZero).Inverse()
		}, math.Inf(-1)},
		{"zero subtracted from -0", negativeZero, func(x *ad.Node) *ad.Node {
			return x.Sub(x.Builder().Scalar(0)).Inverse()
		}, math.Inf(-1)},
		{"zero minus zero", 0, func(x *ad.Node) *ad.Node {
			return x.Builder().Scalar(0).Sub(x).Inverse()
		}, inf},
		{"one times -0", negativeZero, func(x *ad.Node) *ad.Node { return x.Scale(1).Inverse() },
			math.Inf(-1)},
		{"a factor of a product of matrices that overflows", 1e-200, func(x *ad.Node) *ad.Node {
			a := x.Builder().Constant([]float64{1e200, 1e200}, ad.Shape{1, 2})
			column := ad.Concat(0, x.Reshape(ad.Shape{1, 1}), x.Reshape(ad.Shape{1, 1}))
			return a.MatMul(column.Scale(1e200).Scale(1e200)).Scale(1e-300).Reshape(ad.Shape{})
		}, inf},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("rewriting")
			p, s := lanes(b)
			x, u := b.Input("x", ad.Shape{}, p, s), b.Input("u", ad.Shape{}, p)
			in, out := []*ad.Node{x, u}, []*ad.Node{tt.build(x), tt.build(u)}
			everyWay(t, in, out, [][]float64{eight(tt.x), {tt.x}},
				func(t *testing.T, got [][]float64) {
					for i, what := range []string{"differs between samples",
						"is the same in all samples"} {
						if g := got[i][0]; g != tt.want {
							t.Errorf("where the operand %s: got %v, want %v", what, g, tt.want)
						}
					}
				})
		})
	}
}

// TestFailuresByName: CheckFinite fails for a program exactly if its result is not
// finite, and names the same operation, element and number on every engine.
func TestFailuresByName(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(x *ad.Node) *ad.Node
	}{
		{"constant factors", func(x *ad.Node) *ad.Node {
			return x.Scale(1e200).Scale(1e200).Scale(1e-300)
		}},
		{"a product of matrices", func(x *ad.Node) *ad.Node {
			a := x.Builder().Constant([]float64{1e200, 1e200}, ad.Shape{1, 2})
			row := x.Reshape(ad.Shape{1, 1})
			return a.MatMul(ad.Concat(0, row, row)).Scale(1e200).Reshape(ad.Shape{})
		}},
		{"an infinity that a division removes", func(x *ad.Node) *ad.Node {
			return x.Inverse().Exp().Inverse()
		}},
		{"a comparison with NaN", func(x *ad.Node) *ad.Node {
			return x.AddScalar(-1).Log().Greater(x)
		}},
		{"a zero of a sigmoid", func(x *ad.Node) *ad.Node {
			return x.Sigmoid().Sub(x.Sigmoid()).Inverse()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("failure")
			p, s := lanes(b)
			x := b.Input("x", ad.Shape{}, p, s)
			y := tt.build(x)
			in, out := []*ad.Node{x}, []*ad.Node{y}
			src := feeds([][]float64{{2, 3, 4, 1e-50, 3, 2, 5, 6}})
			var want *ad.NonFiniteError
			for _, w := range waysToRun() {
				opt := w.opt
				opt.CheckFinite = true
				ev, err := ad.NewEvaluator(in, out, opt)
				if err != nil {
					t.Fatal(err)
				}
				defer ev.Close()
				err = ev.Eval(room(out), src)
				var got *ad.NonFiniteError
				if !errors.As(err, &got) {
					t.Errorf("%s: got error %v, want a NonFiniteError", w.name, err)
					continue
				}
				if want == nil {
					want = got
				}
				same := got.Value == want.Value || math.IsNaN(got.Value) && math.IsNaN(want.Value)
				if got.Op != want.Op || got.Element != want.Element || got.At != want.At ||
					!same {
					t.Errorf("%s: got %q, want %q as on the reference engine", w.name, got, want)
				}
			}
		})
	}
}

// TestWorkersAreStarted: a program starts the workers that it is asked for, however few
// indices its axis has. Workers of other tests may end while they are counted.
func TestWorkersAreStarted(t *testing.T) {
	b := ad.NewBuilder("workers")
	x := b.Input("x", ad.Shape{3}, b.Axis("particle", 64))
	started := func() int {
		before := runtime.NumGoroutine()
		ev := must.Get(ad.NewEvaluator([]*ad.Node{x}, []*ad.Node{x.Exp().Sum()},
			ad.Options{Workers: 8}))(t)
		defer ev.Close()
		return runtime.NumGoroutine() - before
	}
	extra := started()
	for attempt := 0; extra != 7 && attempt < 50; attempt++ {
		time.Sleep(10 * time.Millisecond)
		extra = started()
	}
	if extra != 7 {
		t.Errorf("Workers: 8 started %d goroutines beside the caller, want 7", extra)
	}
}

// TestLargeGraph: a graph of tens of thousands of nodes can be built.
func TestLargeGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("may take ten seconds")
	}
	b := ad.NewBuilder("large")
	x := b.Input("x", ad.Shape{})
	y := x
	for i := range 8000 {
		y = y.Add(y.Sin().Scale(0.01 + 1e-6*float64(i)))
	}
	b.Grad(y, x)
	if err := b.Err(); err != nil {
		t.Error(err)
	}
}

// TestGradientOfIndependence: what does not depend on x has the gradient zero, with the
// shape and the axes of x.
func TestGradientOfIndependence(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(x, other *ad.Node, sample *ad.Axis) *ad.Node
	}{
		{"a function of something else", func(x, other *ad.Node, _ *ad.Axis) *ad.Node {
			return other.Square().Sum()
		}},
		{"a constant", func(x, _ *ad.Node, _ *ad.Axis) *ad.Node { return x.Builder().Scalar(3) }},
		{"the sign", func(x, _ *ad.Node, _ *ad.Axis) *ad.Node { return x.Sign().Sum() }},
		{"the sign of a function", func(x, other *ad.Node, _ *ad.Axis) *ad.Node {
			return x.Mul(other).Exp().Positive().Square().Sum()
		}},
		{"a comparison", func(x, other *ad.Node, _ *ad.Axis) *ad.Node {
			return x.Greater(other).Add(other.Greater(x)).Sum()
		}},
		{"a stopped gradient", func(x, other *ad.Node, _ *ad.Axis) *ad.Node {
			return x.StopGradient().Mul(other).Sum()
		}},
		{"a condition", func(x, other *ad.Node, _ *ad.Axis) *ad.Node {
			return x.Where(other, other.Square()).Sum()
		}},
		{"the value of a straight-through estimator", func(x, other *ad.Node, _ *ad.Axis) *ad.Node {
			return x.StraightThrough(other).Sum()
		}},
		{"the slope of relu", func(x, _ *ad.Node, _ *ad.Axis) *ad.Node {
			return x.Builder().Grad(x.Relu().Sum(), x)[0].Sum()
		}},
		{"the slope of abs", func(x, _ *ad.Node, _ *ad.Axis) *ad.Node {
			return x.Builder().Grad(x.Abs().Sum(), x)[0].Sum()
		}},
		{"the slope of a linear function", func(x, other *ad.Node, _ *ad.Axis) *ad.Node {
			return x.Builder().Grad(x.Mul(other).Sum(), x)[0].Sum()
		}},
		{"a mean over samples of signs", func(x, _ *ad.Node, s *ad.Axis) *ad.Node {
			return x.Sign().MeanOver(s).Sum()
		}},
		{"a log-mean-exp over samples of signs", func(x, _ *ad.Node, s *ad.Axis) *ad.Node {
			return x.Sign().Sum().LogMeanExpOver(s)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("independence")
			p, s := b.Axis("particle", 2), b.Axis("sample", 8)
			x, other := b.Input("x", ad.Shape{3}, p, s), b.Input("other", ad.Shape{3}, p, s)
			y := tt.build(x, other, s)
			g := b.Grad(y, x, other)
			must.Do(t, b.Err())
			if !g[0].Shape().Equal(x.Shape()) || len(g[0].Axes()) != 2 {
				t.Errorf("the gradient is %v, want shape and axes of %v", g[0], x)
			}
			values := make([]float64, sizeOf(x))
			for i := range values {
				values[i] = float64(i%5) - 1.75
			}
			everyWay(t, []*ad.Node{x, other}, g, [][]float64{values, values},
				func(t *testing.T, got [][]float64) {
					for k, v := range got[0] {
						if v != 0 {
							t.Errorf("element %d of the gradient: got %v, want 0", k, v)
							break
						}
					}
				})
		})
	}
}
