package density_test

import (
	"math"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/density"

	"gonum.org/v1/gonum/floats"
)

// The forward algorithm is the sum over all sequences of states.
func TestHiddenMarkov(t *testing.T) {
	first, next := []float64{0.2, 0.8}, []float64{0.9, 0.1, 0.3, 0.7}
	data := []float64{-1, -2, 0.5, -0.3, -1.1, 0.2, 0.4, -3}
	logs := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = math.Log(v)
		}
		return out
	}
	for n := 1; n <= 4; n++ {
		var all []float64
		for states := range 1 << n {
			sum, last := 0.0, 0
			for i := range n {
				s := states >> i & 1
				if sum += data[2*i+s]; i == 0 {
					sum += math.Log(first[s])
				} else {
					sum += math.Log(next[2*last+s])
				}
				last = s
			}
			all = append(all, sum)
		}
		got := value(t, data[:2*n], func(x *autograd.Node) *autograd.Node {
			b := x.Builder()
			return density.HiddenMarkov(b.Constant(logs(first), autograd.Shape{2}),
				b.Constant(logs(next), autograd.Shape{2, 2}), x.Reshape(autograd.Shape{n, 2}))
		})
		if want := floats.LogSumExp(all); math.Abs(got[0]-want) > 1e-12 {
			t.Errorf("%d times: %v, want %v", n, got[0], want)
		}
	}
}

// States follow one another, with the derivatives of differences.
func TestRecursion(t *testing.T) {
	series := func(start, xs *autograd.Node) *autograd.Node {
		return density.Recursion(start, xs, func(s, x *autograd.Node) *autograd.Node {
			return s.Scale(0.5).Add(x.Square())
		})
	}
	got := value(t, []float64{1, 2, 3}, func(x *autograd.Node) *autograd.Node {
		return series(x.Builder().Scalar(8), x)
	})
	if want := []float64{5, 6.5, 12.25}; !floats.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
		data := series(x[0].Index(0, 0), x[1].Exp()).Reshape(autograd.Shape{1, 2})
		chain := density.HiddenMarkov(x[1], x[2], autograd.Concat(0, data, data))
		return chain.Add(series(x[0], x[2]).Sum())
	}, [][]float64{{0.3, -1}, {0.1, 0.4}, {1, 2, -1, 0.5}}, []autograd.Shape{{2}, {2}, {2, 2}},
		gradtest.Options{})
	if err != nil {
		t.Error(err)
	}
}

// Shapes that do not fit are errors of the model.
func TestSeriesMistakes(t *testing.T) {
	for want, f := range map[string]func(x *autograd.Node) *autograd.Node{
		"recursion: shape ()": func(x *autograd.Node) *autograd.Node {
			return density.Recursion(x, x, func(s, _ *autograd.Node) *autograd.Node { return s })
		},
		"data of shape ()": func(x *autograd.Node) *autograd.Node {
			return density.HiddenMarkov(x, x, x)
		},
	} {
		_, err := density.New(func(t *density.Trace) {
			t.Add(f(t.Sample("x", density.Normal(0, 1))))
		}, density.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
