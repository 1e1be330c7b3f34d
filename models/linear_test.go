package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// A linearCase is a linear model with the twin that knows the same data.
type linearCase struct {
	name string
	naive
	lik models.Likelihood
}

// maskGroups sets entries by intervention so that the columns fall into several
// groups: 0 and 3 share their rows, 1 has its own, 2 has none left, all others
// are observed everywhere.
func maskGroups(n, d int) *mat.Dense {
	m := mat.NewDense(n, d, nil)
	for r := range n {
		for j := range d {
			set := j == 2 || (j == 0 || j == 3) && r%3 == 0 || j == 1 && r%4 == 1
			if set {
				m.Set(r, j, 1)
			}
		}
	}
	return m
}

func linearCases(t *testing.T) []linearCase {
	rng := newRand(1)
	var cases []linearCase
	for _, n := range []int{1, 3, 5, 40} { // fewer rows than variables, as many, more
		for _, masks := range []string{"observed", "groups", "all set"} {
			for _, opt := range []models.LinearOptions{{},
				{NoiseVariance: 0.7, EdgeMean: -0.4, EdgeVariance: 2.5}} {
				const d = 5
				c := linearCase{name: fmt.Sprintf("n=%d/%s/noise=%v", n, masks, opt.NoiseVariance)}
				c.x = mat.NewDense(n, d, normals(rng, n*d))
				c.noise, c.edgeMean, c.edgeVariance = 0.1, 0, 1
				if opt.NoiseVariance != 0 {
					c.noise, c.edgeMean, c.edgeVariance = opt.NoiseVariance, opt.EdgeMean,
						opt.EdgeVariance
				}
				var mask mat.Matrix
				switch masks {
				case "groups":
					c.mask = maskGroups(n, d)
					mask = c.mask
				case "all set":
					c.mask = mat.NewDense(n, d, nil)
					c.mask.Apply(func(_, _ int, _ float64) float64 { return 1 }, c.mask)
					mask = c.mask
				}
				c.lik = must.Get(models.NewLinear(c.x, mask, opt))(t)
				cases = append(cases, c)
			}
		}
	}
	return cases
}

type testGraph struct {
	kind string
	g    []float64 // d×d
}

// graphs of several kinds: the soft and the hard ones of inference, the empty
// one, and a dense one, on which the formulas hold as well.
func graphs(rng *rand.Rand, d int) []testGraph {
	hard, soft := make([]float64, d*d), make([]float64, d*d)
	for i := range d {
		for j := i + 1; j < d; j++ {
			hard[i*d+j], soft[i*d+j] = math.Round(rng.Float64()), rng.Float64()
		}
	}
	return []testGraph{{"empty", make([]float64, d*d)}, {"hard", hard}, {"soft", soft},
		{"dense", uniforms(rng, d*d)}}
}

// termsOf evaluates a likelihood's terms at one graph.
func termsOf(t *testing.T, lik models.Likelihood, g, theta []float64) (prior, data []float64) {
	t.Helper()
	d := lik.Vars()
	b := autograd.NewBuilder("terms")
	gn, tn := b.Input("g", autograd.Shape{d, d}), b.Input("theta", autograd.Shape{lik.ParamLen()})
	p, l := lik.Terms(gn, tn)
	out := evaluate(t, []*autograd.Node{gn, tn}, [][]float64{g, theta}, p, l)
	return out[0], out[1]
}

// TestLinearTerms compares each variable's terms with the Gaussian density row
// by row. The Gram factor and the residuals round differently: 1e-12.
func TestLinearTerms(t *testing.T) {
	rng := newRand(2)
	for _, c := range linearCases(t) {
		t.Run(c.name, func(t *testing.T) {
			for _, tg := range graphs(rng, c.vars()) {
				kind, g := tg.kind, tg.g
				theta := normals(rng, c.lik.ParamLen())
				prior, data := termsOf(t, c.lik, g, theta)
				wantPrior, wantData := c.terms(g, theta)
				check(t, kind+": log p(Θ|G)", prior, wantPrior, 1e-12)
				check(t, kind+": log p(D|G,Θ)", data, wantData, 1e-12)
			}
		})
	}
}

// TestLinearGradients compares the graph's derivatives of Σ_j c_j L_j, with a
// random weight for every term, with the formulas and with finite differences.
func TestLinearGradients(t *testing.T) {
	rng := newRand(3)
	for _, c := range linearCases(t) {
		t.Run(c.name, func(t *testing.T) {
			d := c.vars()
			for _, tg := range graphs(rng, d) {
				kind, g := tg.kind, tg.g
				theta, weights := normals(rng, d*d), normals(rng, d)
				b := autograd.NewBuilder("terms")
				gn, tn := b.Input("g", autograd.Shape{d, d}),
					b.Input("theta", autograd.Shape{d * d})
				prior, data := c.lik.Terms(gn, tn)
				y := prior.Add(data).Mul(b.Constant(weights, autograd.Shape{d})).Sum()
				grads := b.Grad(y, gn, tn)
				got := evaluate(t, []*autograd.Node{gn, tn}, [][]float64{g, theta}, grads...)
				dg, dtheta := c.gradients(g, theta)
				for e := range dg {
					dg[e] *= weights[e%d]
					dtheta[e] *= weights[e%d]
				}
				check(t, kind+": ∂/∂G", got[0], dg, 1e-12)
				check(t, kind+": ∂/∂Θ", got[1], dtheta, 1e-12)
				// The value is a polynomial of degree two in each argument, so
				// differences are exact up to rounding.
				err := gradtest.CheckGraph(y, []gradtest.Argument{{Node: gn, Values: g},
					{Node: tn, Values: theta}}, gradtest.Options{})
				if err != nil {
					t.Errorf("%s: %v", kind, err)
				}
			}
		})
	}
}

// TestLinearColumns asserts that term j reads column j alone: it keeps its bits
// while every other column of the graph and of the parameters changes.
func TestLinearColumns(t *testing.T) {
	rng := newRand(4)
	for _, c := range linearCases(t) {
		d := c.vars()
		g, theta := uniforms(rng, d*d), normals(rng, d*d)
		prior, data := termsOf(t, c.lik, g, theta)
		for j := range d {
			g2, theta2 := uniforms(rng, d*d), normals(rng, d*d)
			for i := range d {
				g2[i*d+j], theta2[i*d+j] = g[i*d+j], theta[i*d+j]
			}
			prior2, data2 := termsOf(t, c.lik, g2, theta2)
			if prior[j] != prior2[j] || data[j] != data2[j] {
				t.Errorf("%s: term %d changed with other columns: %v, %v became %v, %v", c.name, j,
					prior[j], data[j], prior2[j], data2[j])
			}
		}
	}
}

// TestLinearInit asserts that initial weights are w + gap·sign(w) with w
// standard normal: the gap is kept, and mean and mean square agree with 0 and
// 1 + 2·gap·√(2/π) + gap².
func TestLinearInit(t *testing.T) {
	const d = 200
	for _, gap := range []float64{0.5, 2} {
		lik := must.Get(models.NewLinear(mat.NewDense(1, d, nil), nil,
			models.LinearOptions{Gap: gap}))(t)
		theta := make([]float64, lik.ParamLen())
		lik.InitParams(theta, newRand(6))
		n, sum, squares := float64(len(theta)), 0.0, 0.0
		for i, w := range theta {
			if math.Abs(w) < gap {
				t.Fatalf("weight %d is %v, closer to zero than %v", i, w, gap)
			}
			sum += w
			squares += w * w
		}
		second := 1 + 2*gap*math.Sqrt(2/math.Pi) + gap*gap
		// 4 standard errors; the fourth moment of |w|+gap is below 3·second² here.
		if mean := sum / n; !(math.Abs(mean) <= 4*math.Sqrt(second/n)) {
			t.Errorf("gap %v: mean weight %v, want 0 ± %v", gap, mean, math.Sqrt(second/n))
		}
		if got, se := squares/n, second*math.Sqrt(2/n); !(math.Abs(got-second) <= 4*se) {
			t.Errorf("gap %v: mean square %v, want %v ± %v", gap, got, second, se)
		}
	}
}

func TestLinearErrors(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	spoiled := func(v float64) *mat.Dense {
		m := mat.DenseCopyOf(x)
		m.Set(1, 2, v)
		return m
	}
	half := mat.NewDense(2, 3, nil)
	half.Set(0, 1, 0.5)
	tests := []struct {
		name    string
		x, mask mat.Matrix
		opt     models.LinearOptions
		want    string
	}{
		{"empty", &mat.Dense{}, nil, models.LinearOptions{},
			"models: linear model: got 0 rows of 0 variables, want at least one of each"},
		{"NaN", spoiled(math.NaN()), nil, models.LinearOptions{},
			"models: data row 2, column 3 is NaN, want a finite number"},
		{"infinite", spoiled(math.Inf(-1)), nil, models.LinearOptions{},
			"models: data row 2, column 3 is -Inf, want a finite number"},
		{"mask shape", x, mat.NewDense(3, 2, nil), models.LinearOptions{},
			"models: mask of interventions is 3×2, want 2×3 as the data"},
		{"mask value", x, half, models.LinearOptions{},
			"models: mask of interventions in row 1, column 2 is 0.5, want 0 or 1"},
		{"noise", x, nil, models.LinearOptions{NoiseVariance: -0.1},
			"models: linear model: noise variance -0.1, want a finite positive number"},
		{"edge variance", x, nil, models.LinearOptions{EdgeVariance: math.Inf(1)},
			"models: linear model: edge variance +Inf, want a finite positive number"},
		{"gap", x, nil, models.LinearOptions{Gap: -1},
			"models: linear model: initial gap -1, want a finite positive number"},
		{"edge mean", x, nil, models.LinearOptions{EdgeMean: math.NaN()},
			"models: linear model: edge mean NaN, want a finite number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := models.NewLinear(tt.x, tt.mask, tt.opt)
			checkError(t, "NewLinear", err, tt.want)
		})
	}
}

// TestLinearKeepsNothing asserts that the model copies its data.
func TestLinearKeepsNothing(t *testing.T) {
	rng := newRand(7)
	for _, n := range []int{2, 30} {
		x, mask := mat.NewDense(n, 3, normals(rng, 3*n)), mat.NewDense(n, 3, nil)
		mask.Set(0, 1, 1)
		lik := must.Get(models.NewLinear(x, mask, models.LinearOptions{}))(t)
		g, theta := uniforms(rng, 9), normals(rng, 9)
		_, before := termsOf(t, lik, g, theta)
		x.Zero()
		mask.Zero()
		_, after := termsOf(t, lik, g, theta)
		check(t, "terms after the data changed", after, before, 0)
	}
}
