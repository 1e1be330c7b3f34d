package gaussian_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/chain"
	"tobac/diagnostics"
	"tobac/gaussian"
	"tobac/internal/must"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

var _ svgd.Scorer = (*gaussian.Whitened)(nil)

// wide is a normal density with means 100 and −3, standard deviations 50 and 0.1 and a correlation
// of 0.9, at 60 points.
type wide struct{}

func (wide) Dims() (points, coordinates int) { return 60, 2 }

func (wide) LogDensity(logp []float64, grad, x *mat.Dense) error {
	for k := range logp {
		a, b := (x.At(k, 0)-100)/50, (x.At(k, 1)+3)/0.1
		logp[k] = -(a*a - 1.8*a*b + b*b) / (2 * 0.19)
		grad.Set(k, 0, -(a-0.9*b)/0.19/50)
		grad.Set(k, 1, -(b-0.9*a)/0.19/0.1)
	}
	return nil
}

// In the coordinates of its own normal distribution a density is standard normal, and SVGD with a
// kernel for each coordinate finds its moments.
func TestWhitened(t *testing.T) {
	n := must.Get(gaussian.Laplace{Target: wide{}}.Fit(t.Context()))(t)
	w := &gaussian.Whitened{Target: wide{}, By: n}
	rng := rand.New(rand.NewPCG(1, 2))
	z := mat.NewDense(60, 2, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	score := mat.NewDense(60, 2, nil)
	must.Do(t, w.Score([]*mat.Dense{score}, []*mat.Dense{z}, 0))
	for k := range 60 {
		for i := range 2 {
			if v := z.At(k, i) + score.At(k, i); math.Abs(v) > 1e-4 {
				t.Fatalf("score %v at %v", score.At(k, i), z.At(k, i))
			}
		}
	}
	if err := w.Score([]*mat.Dense{score}, []*mat.Dense{mat.NewDense(61, 2, nil)}, 0); err == nil {
		t.Error("61 points of a target of 60: no error")
	}
	s := svgd.Sampler{Target: w, Kernel: svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}}
	must.Do(t, s.Run(t.Context(), []*mat.Dense{z}, 0, 300))
	x := w.Points(z)
	a, b := mat.Col(nil, 0, x), mat.Col(nil, 1, x)
	ma, sa := stat.MeanStdDev(a, nil)
	mb, sb := stat.MeanStdDev(b, nil)
	if r := stat.Correlation(a, b, nil); math.Abs(ma-100) > 5 || math.Abs(mb+3) > 0.01 ||
		math.Abs(sa/50-1) > 0.1 || math.Abs(sb/0.1-1) > 0.1 || math.Abs(r-0.9) > 0.03 {
		t.Errorf("%v ± %v, %v ± %v, correlation %v", ma, sa, mb, sb, r)
	}
}

// curved is the density of x₁ ~ N(0, 1) and x₂ ~ N(bend x₁², 1).
type curved struct{ bend float64 }

func (curved) Dims() (points, coordinates int) { return 100, 2 }

func (c curved) LogDensity(logp []float64, grad, x *mat.Dense) error {
	for k := range logp {
		a, b := x.At(k, 0), x.At(k, 1)-c.bend*x.At(k, 0)*x.At(k, 0)
		logp[k] = -(a*a + b*b) / 2
		grad.Set(k, 0, -a+2*c.bend*a*b)
		grad.Set(k, 1, -b)
	}
	return nil
}

// Particles of a normal density have its moments whatever its scales, and no warning; those of a
// curved one are told of.
func TestStein(t *testing.T) {
	for _, c := range []struct {
		target chain.Target
		warns  bool
	}{{wide{}, false}, {curved{2}, true}} {
		p := must.Get(gaussian.Stein{Target: c.target, Steps: 150}.Run(t.Context()))(t)
		n, _ := p.X.Dims()
		got := diagnostics.Warnings(diagnostics.Particles(p.Variance, p.Dependence, p.K, n))
		if (len(got) > 0) != c.warns {
			t.Errorf("%T: %v", c.target, got)
		}
		a, b := mat.Col(nil, 0, p.X), mat.Col(nil, 1, p.X)
		r, sd := stat.Correlation(a, b, nil), stat.StdDev(a, nil)
		if !c.warns && (math.Abs(r-0.9) > 0.03 || math.Abs(sd/50-1) > 0.1) {
			t.Errorf("standard deviation %v, correlation %v, want 50 and 0.9", sd, r)
		}
	}
	if _, err := (gaussian.Stein{Target: wide{}, Passes: -1}).Run(t.Context()); err == nil {
		t.Error("-1 passes: no error")
	}
}
