package gradtest_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	_ "tobac/internal/unwritten"
)

func normals(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func TestDerivative(t *testing.T) {
	tests := []struct {
		name string
		f    func(h float64) float64
		step float64
		want float64
		tol  float64
	}{
		{"exponential", math.Exp, 0.01, 1, 1e-12},
		{"constant", func(float64) float64 { return 7 }, 0.01, 0, 0},
		{"large value", func(h float64) float64 { return 1e6 + math.Sin(h) }, 0.01, 1, 1e-6},
		{"oscillating", func(h float64) float64 { return math.Sin(100 * h) }, 0.01, 100, 1e-7},
		{"kink at 0.001", func(h float64) float64 { return math.Abs(h - 0.001) }, 0.01, -1, 1e-12},
		{"domain ends at 0.001", func(h float64) float64 { return math.Log(0.001 + h) }, 0.01, 1000,
			0.01},
		{"kink at 0: mean of the slopes", func(h float64) float64 { return max(h, 0) }, 0.01, 0.5,
			0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, uncertainty := gradtest.Derivative(tt.f, tt.step)
			if !(math.Abs(got-tt.want) <= tt.tol) {
				t.Errorf("got %v ± %v, want %v within %v", got, uncertainty, tt.want, tt.tol)
			}
		})
	}
	t.Run("nowhere finite", func(t *testing.T) {
		got, uncertainty := gradtest.Derivative(func(float64) float64 { return math.NaN() }, 0.01)
		if !math.IsNaN(got) || !math.IsInf(uncertainty, 1) {
			t.Errorf("got %v ± %v, want NaN ± +Inf", got, uncertainty)
		}
	})
}

// TestDerivativePanics pins the documented panic.
func TestDerivativePanics(t *testing.T) {
	for _, step := range []float64{0, -1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("step %v: no panic", step)
				}
			}()
			gradtest.Derivative(math.Exp, step)
		}()
	}
}

func TestCheckAccepts(t *testing.T) {
	shapes := []autograd.Shape{{3, 4}, {4, 3}, {}}
	at := [][]float64{normals(1, 12), normals(2, 12), {0.7}}
	build := func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
		return x[0].MatMul(x[1]).Tanh().Mul(x[2]).LogSumExp()
	}
	if err := gradtest.Check(build, at, shapes, gradtest.Options{}); err != nil {
		t.Error(err)
	}
	// Random directions instead of elements.
	if err := gradtest.Check(build, at, shapes, gradtest.Options{Every: -1, Seed: 3}); err != nil {
		t.Error(err)
	}
}

// TestCheckShortDomain has a value that exists only close to the point: the
// matrix stops being positive definite at a step of 0.001.
func TestCheckShortDomain(t *testing.T) {
	build := func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node { return x[0].LogDet() }
	err := gradtest.Check(build, [][]float64{{1, 0, 0, 0.001}}, []autograd.Shape{{2, 2}},
		gradtest.Options{Tolerance: 1e-4})
	if err != nil {
		t.Error(err)
	}
	err = gradtest.Check(build, [][]float64{{1, 0, 0, -1}}, []autograd.Shape{{2, 2}},
		gradtest.Options{})
	if !errors.Is(err, autograd.ErrNotPositiveDefinite) {
		t.Errorf("outside the domain: got %v, want %v", err, autograd.ErrNotPositiveDefinite)
	}
}

// TestCheckDetects hides part of the derivative, in every way that the checks
// look.
func TestCheckDetects(t *testing.T) {
	at := [][]float64{{0.5, -1, 2}}
	shapes := []autograd.Shape{{3}}
	t.Run("element", func(t *testing.T) {
		err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
			first := x[0].Index(0, 1)
			return first.Square().Mul(first.StopGradient()).Add(x[0].Square().Sum())
		}, at, shapes, gradtest.Options{})
		var m *gradtest.MismatchError
		if !errors.As(err, &m) {
			t.Fatalf("got %v, want a mismatch", err)
		}
		// y = x₁³ + Σx², the graph differentiates x₁²·c: 2x₁² + 2x₁ against 3x₁² + 2x₁.
		if m.Input != "x0" || m.Element != 1 || !(math.Abs(m.Got-0) <= 1e-12) ||
			!(math.Abs(m.Want-1) <= 1e-9) {
			t.Errorf("got %+v, want x0, element 1, 0 against 1", m)
		}
		for _, part := range []string{`input "x0"`, "element 1", "got 0", "want 0.99999",
			"allowed"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("error %q lacks %q", err, part)
			}
		}
	})
	t.Run("direction", func(t *testing.T) {
		n := 100
		err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
			return x[0].Sin().Mul(x[0].StopGradient()).Sum()
		}, [][]float64{normals(4, n)}, []autograd.Shape{{n}}, gradtest.Options{})
		var m *gradtest.MismatchError
		if !errors.As(err, &m) || m.Element != -1 || m.Direction != 0 {
			t.Fatalf("got %v, want a mismatch along direction 0", err)
		}
	})
	t.Run("kink convention", func(t *testing.T) {
		err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
			return x[0].Relu()
		},
			[][]float64{{0}}, []autograd.Shape{{}}, gradtest.Options{})
		var m *gradtest.MismatchError
		if !errors.As(err, &m) || m.Got != 0 || m.Want != 0.5 {
			t.Fatalf("got %v, want 0 against the mean slope 0.5", err)
		}
	})
}

func TestCheckGraphMapped(t *testing.T) {
	b := autograd.NewBuilder("mapped")
	particle, sample := b.Axis("particle", 3), b.Axis("sample", 5)
	w := b.Input("w", autograd.Shape{4})
	z := b.Input("z", autograd.Shape{4}, particle)
	e := b.Input("e", autograd.Shape{4}, particle, sample)
	y := z.Mul(w).Add(e).Sigmoid().Log().Sum().LogMeanExpOver(sample)
	args := []gradtest.Argument{
		{Node: w, Values: normals(1, 4)},
		{Node: z, Values: normals(2, 12)},
		{Node: e, Values: normals(3, 60), Fixed: true},
	}
	if err := gradtest.CheckGraph(y, args, gradtest.Options{}); err != nil {
		t.Error(err)
	}
	wrong := y.Add(z.Square().StopGradient().Sum())
	var m *gradtest.MismatchError
	if err := gradtest.CheckGraph(wrong, args, gradtest.Options{}); !errors.As(err, &m) ||
		m.Input != "z" || m.Element != 0 {
		t.Errorf("got %v, want a mismatch at element 0 of z", err)
	}
}

func TestErrors(t *testing.T) {
	scalar := []autograd.Shape{{}}
	square := func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node { return x[0].Square() }
	tests := []struct {
		name   string
		build  func(b *autograd.Builder, x []*autograd.Node) *autograd.Node
		at     [][]float64
		shapes []autograd.Shape
		want   string
	}{
		{"missing values", square, nil, scalar, "got values of 0 inputs, want 1"},
		{"no inputs", func(b *autograd.Builder, _ []*autograd.Node) *autograd.Node {
			return b.Scalar(1)
		}, nil, nil, "no input to differentiate"},
		{"wrong length", square, [][]float64{{1, 2}}, scalar, "got 2 values, want 1"},
		{"not scalar", square, [][]float64{{1, 2}}, []autograd.Shape{{2}}, "want a scalar shape"},
		{"not finite", square, [][]float64{{math.Inf(1)}}, scalar, "value, element 0 is +Inf"},
		{"gradient not finite", func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
			return x[0].Sqrt()
		},
			[][]float64{{0}}, scalar, `gradient for input "x0", element 0 is +Inf`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := gradtest.Check(tt.build, tt.at, tt.shapes, gradtest.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}
