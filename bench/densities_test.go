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
	compile    time.Duration // building and compiling, zero for handwritten
}

// handwrittenForm evaluates the density in plain Go, particle by particle.
func handwrittenForm(d *densities.Density, x []float64) *form {
	particles := len(x) / d.Params
	f := &form{name: "handwritten", logp: make([]float64, particles), grad: make([]float64, len(x))}
	gradient := d.Handwritten()
	f.run = func() error {
		for i := range particles {
			from, to := i*d.Params, (i+1)*d.Params
			f.logp[i] = gradient(f.grad[from:to], x[from:to])
		}
		return nil
	}
	return f
}

// expressionForm evaluates a spelling of the density on an engine.
func expressionForm(tb testing.TB, d *densities.Density, s densities.Spelling, x []float64, engine autograd.Engine) (*form, error) {
	particles := len(x) / d.Params
	f := &form{name: s.Name, logp: make([]float64, particles), grad: make([]float64, len(x))}
	from := time.Now()
	g := d.Graph(particles, s)
	e, err := autograd.NewEvaluator([]*autograd.Node{g.X}, g.Outputs, autograd.Options{Engine: engine})
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
			t.Errorf("%s: log density of particle %d: got %.15g, want %.15g", f.name, i, f.logp[i], w)
		}
	}
	if f.mean != nil {
		if w := stat.Mean(want.logp, nil); !near(f.mean[0], w, 1e-9) {
			t.Errorf("%s: mean log density: got %.15g, want %.15g", f.name, f.mean[0], w)
		}
	}
	for i, w := range want.grad {
		if !near(f.grad[i], w, 1e-9) || math.IsNaN(w) {
			t.Fatalf("%s: element %d of the gradients: got %.15g, want %.15g", f.name, i, f.grad[i], w)
		}
	}
}

// All forms of a density mean the same, and the derivatives are those of the
// handwritten value.
func TestDensityFormsAgree(t *testing.T) {
	for _, d := range densities.All() {
		t.Run(d.Name, func(t *testing.T) {
			if testing.Short() && d.Params > 1000 {
				t.Skip("takes seconds")
			}
			x := points(d, 3)
			want := handwrittenForm(d, x)
			if err := want.run(); err != nil {
				t.Fatal(err)
			}
			for _, s := range append([]densities.Spelling{{Name: "expression"}}, d.Spellings...) {
				if s.Slow && !*long {
					continue
				}
				got, err := expressionForm(t, d, s, x, autograd.Compiled)
				if err != nil {
					t.Fatalf("%s: %v", s.Name, err)
				}
				if err := got.run(); err != nil {
					t.Fatalf("%s: %v", s.Name, err)
				}
				got.agree(t, want)
			}
			differences(t, d, x)
			if d.Params > 400 { // products so large that gonum's blas starts goroutines
				return
			}
			if allocs := testing.AllocsPerRun(5, func() { _ = want.run() }); allocs > 0 {
				t.Errorf("handwritten: %v allocations in a call after the first, want 0", allocs)
			}
		})
	}
}

// differences compares the handwritten gradient with finite differences along three
// random directions at each point, along one at one point for thousands of parameters.
func differences(t *testing.T, d *densities.Density, x []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	gradient := d.Handwritten()
	grad, at, scratch, along := make([]float64, d.Params), make([]float64, d.Params), make([]float64, d.Params), make([]float64, d.Params)
	directions := 3
	if d.Params > 1000 {
		directions, x = 1, x[:d.Params]
	}
	for from := 0; from < len(x); from += d.Params {
		for range directions {
			want := 0.0
			value := gradient(grad, x[from:from+d.Params])
			for i := range along {
				along[i] = rng.NormFloat64() / math.Sqrt(float64(d.Params))
				want += along[i] * grad[i]
			}
			got, doubt := gradtest.Derivative(func(h float64) float64 {
				for i := range at {
					at[i] = x[from+i] + h*along[i]
				}
				return gradient(scratch, at)
			}, 1e-2)
			// Differences of a sum of size |value| lose its rounding, over the step.
			tol := 1e-6*math.Max(1, math.Abs(want)) + 1e-10*math.Abs(value)
			if !(math.Abs(got-want) <= tol) {
				t.Errorf("handwritten derivative at point %d: got %.12g, want %.12g by differences (±%.1g)", from/d.Params, want, got, doubt)
			}
		}
	}
}
