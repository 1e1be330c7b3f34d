package bench_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/bench/internal/densities"
)

// points draws particles for a density, from a fixed seed.
func points(d *densities.Density, particles int) []float64 {
	rng := rand.New(rand.NewPCG(3, 3))
	x := make([]float64, particles*d.Params)
	for i := range x {
		x[i] = d.SD * rng.NormFloat64()
	}
	return x
}

// A form is one way to evaluate a density and its gradient at many particles.
type form struct {
	name       string
	logp, grad []float64
	mean       []float64 // of the log densities, if the form has it
	run        func() error
	compile    time.Duration // building and compiling
}

// expressionForm evaluates a spelling of the density on an engine.
func expressionForm(tb testing.TB, d *densities.Density, s densities.Spelling, x []float64,
	engine autograd.Engine) (*form, error) {
	particles := len(x) / d.Params
	f := &form{name: s.Name, logp: make([]float64, particles), grad: make([]float64, len(x))}
	from := time.Now()
	g := d.Graph(particles, s)
	e, err := autograd.NewEvaluator([]*autograd.Node{g.X}, g.Outputs,
		autograd.Options{Engine: engine})
	if err != nil {
		return nil, err
	}
	f.compile = time.Since(from)
	tb.Cleanup(e.Close)
	dst, src := [][]float64{f.logp, f.grad}, []autograd.Feed{{Data: x}}
	if s.Mean {
		f.mean = []float64{0}
		dst = append(dst, f.mean)
	}
	f.run = func() error { return e.Eval(dst, src) }
	return f, nil
}

// agree compares value and gradient with those of another form.
func (f *form) agree(t *testing.T, want *form) {
	t.Helper()
	for i, w := range want.logp {
		if !near(f.logp[i], w, 1e-9) {
			t.Errorf("%s: log density of particle %d: got %.15g, want %.15g", f.name, i, f.logp[i],
				w)
		}
	}
	if f.mean != nil {
		if w := stat.Mean(want.logp, nil); !near(f.mean[0], w, 1e-9) {
			t.Errorf("%s: mean log density: got %.15g, want %.15g", f.name, f.mean[0], w)
		}
	}
	for i, w := range want.grad {
		if !near(f.grad[i], w, 1e-9) || math.IsNaN(w) {
			t.Fatalf("%s: element %d of the gradients: got %.15g, want %.15g", f.name, i, f.grad[i],
				w)
		}
	}
}

// All forms of a density mean the same on the compiled engine as the expression does on the
// reference engine, and the derivatives are those of the value.
func TestDensityFormsAgree(t *testing.T) {
	for _, d := range densities.All() {
		t.Run(d.Name, func(t *testing.T) {
			x := points(d, 3)
			form := func(s densities.Spelling, engine autograd.Engine) *form {
				f, err := expressionForm(t, d, s, x, engine)
				if err != nil {
					t.Fatalf("%s: %v", s.Name, err)
				}
				if err := f.run(); err != nil {
					t.Fatalf("%s: %v", s.Name, err)
				}
				return f
			}
			natural := densities.Spelling{Name: "expression"}
			want := form(natural, autograd.Reference)
			for _, s := range append([]densities.Spelling{natural}, d.Spellings...) {
				form(s, autograd.Compiled).agree(t, want)
			}
			err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
				return d.Expression(x[0])
			}, [][]float64{x[:d.Params]}, []autograd.Shape{{d.Params}},
				gradtest.Options{Directions: 3})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
