package density_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/density"
	"tobac/internal/must"

	"gonum.org/v1/gonum/floats/scalar"
)

// Logarithms of distribution functions with their first and second derivatives by the shapes, far
// out in the tails, against mpmath 1.3 (40 digits): of gamma distributions with rate 1, below (P)
// and above (Q), of beta (B) and standard t distributions (T). Second derivatives of B
// are in the sequence aa, ab, bb.
func TestTails(t *testing.T) {
	for _, c := range []struct {
		of            string
		at            []float64 // shapes, value
		want          float64
		first, second []float64
	}{
		{"P", []float64{2.5, 1e-08}, -47.252675469370845, []float64{-19.5238373854},
			[]float64{-0.3303577556}},
		{"P", []float64{0.3, 40}, -1.0556514939798348e-19, []float64{-7.616964686e-19},
			[]float64{-4.20333133e-18}},
		{"P", []float64{300, 200}, -24.330945673784342, []float64{-0.413437074556},
			[]float64{-0.003249069285}},
		{"P", []float64{5e4, 5e4}, -0.69195847114542501, []float64{-0.00356401508209},
			[]float64{-1.270220339e-5}},
		{"Q", []float64{2.5, 900}, -890.07942452229523, []float64{6.10034984868},
			[]float64{-0.4903565229}},
		{"Q", []float64{0.3, 1e-09}, -0.0022256810781373866, []float64{0.0457977623929},
			[]float64{-0.9409007779}},
		{"Q", []float64{300, 420}, -21.940635759589758, []float64{0.346041633742},
			[]float64{-0.003279432041}},
		{"B", []float64{0.7, 1.7, 1e-12}, -18.933240063887297,
			[]float64{-27.1866678211, 0.444353294827},
			[]float64{-0.2780803213, 0.5151525089, -0.2780803213}},
		{"B", []float64{20, 3, 0.05}, -54.569802407094849, []float64{-2.90289728966, 2.14203161653},
			[]float64{-0.004310972344, 0.044317314, -0.3504912281}},
		{"B", []float64{0.5, 0.5, 0.999999999}, -2.0131887205549977e-5,
			[]float64{-2.79090026345e-5, 0.000429557827515},
			[]float64{2.754104899e-5, 0.000562389622, -0.009179944083}},
		{"B", []float64{200, 300, 0.6}, -1.0619191726410099e-19,
			[]float64{-4.3629349945e-20, 4.36114073262e-20},
			[]float64{-1.760714217e-20, 1.770768762e-20, -1.777220309e-20}},
		// where both continued fractions seem the slower one, by rounding
		{"B", []float64{0.2, 2.6, 0.25}, -0.098597199576016206,
			[]float64{-0.539859072971, 0.051647687201},
			[]float64{-0.436914048146, 0.262417141857, -0.0355083464633}},
		{"T", []float64{1.7, -50}, -7.5246559576748917, []float64{-3.36481106984},
			[]float64{0.3851343602}},
		{"T", []float64{3, -1e6}, -41.348808234851822, []float64{-12.9063905664},
			[]float64{0.2053107444}},
		{"T", []float64{30, 12}, -2.7900927076000173e-13, []float64{1.33551777371e-13},
			[]float64{-6.725681715e-14}},
		{"T", []float64{4, 0}, -math.Ln2, []float64{0}, []float64{0}},
		{"T", []float64{1e4, -9}, -43.460993565695929, []float64{-1.66264243297e-5},
			[]float64{3.307566071e-9}},
	} {
		b := autograd.NewBuilder("tail")
		n := len(c.at) - 1
		var p nodes
		for _, name := range []string{"a", "b", "c"}[:n] {
			p = append(p, b.Input(name, autograd.Shape{}))
		}
		x := b.Scalar(c.at[n])
		var y *autograd.Node
		switch c.of {
		case "P":
			y = density.Gamma(p[0], 1).LogCDF(x)
		case "Q":
			y = density.Gamma(p[0], 1).LogSurvival(x)
		case "B":
			y = density.Beta(p[0], p[1]).LogCDF(x)
		case "T":
			y = density.StudentsT(0, 1, p[0]).LogCDF(x)
		}
		first := b.Grad(y, p...)
		outputs := append(nodes{y}, first...)
		for i, g := range first {
			outputs = append(outputs, b.Grad(g, p[i:]...)...)
		}
		outputs = append(outputs, b.Grad(outputs[len(outputs)-1], p[n-1])...)
		run := must.Get(autograd.NewEvaluator(p, outputs, autograd.Options{}))(t)
		var feeds []autograd.Feed
		for _, v := range c.at[:n] {
			feeds = append(feeds, autograd.Feed{Data: []float64{v}})
		}
		got := make([][]float64, len(outputs))
		for i := range got {
			got[i] = make([]float64, 1)
		}
		must.Do(t, run.Eval(got, feeds))
		run.Close()
		near := func(what string, got, want, relative float64) {
			absolute := 1e-15 // of a ln x − x − ln Γ(a)
			if c.at[0] > 1e3 {
				absolute *= c.at[0] * math.Log(c.at[0])
			}
			if got != want && !scalar.EqualWithinAbsOrRel(got, want,
				math.Min(absolute, 1e-3*math.Abs(want)), relative) &&
				!(want == 0 && math.Abs(got) < 1e-15) {
				t.Errorf("%s%v, %s: %v, want %v", c.of, c.at, what, got, want)
			}
		}
		near("value", got[0][0], c.want, 2e-12)
		for i, want := range append(append([]float64{}, c.first...), c.second...) {
			near([]string{"first", "second"}[min(1, i/n)], got[1+i][0], want, 1e-7)
		}
		if third := got[len(got)-1][0]; !math.IsNaN(third) {
			t.Errorf("%s%v: third derivative %v, want NaN", c.of, c.at, third)
		}
	}
}

// First and second derivatives by values and shapes against differences, on both engines, from
// one end of the support to the other: values are functions of a coordinate u.
func TestIncompleteDerivatives(t *testing.T) {
	exp := (*autograd.Node).Exp
	for _, c := range []struct {
		name string
		of   func(shape nodes) dist
		x    func(u *autograd.Node) *autograd.Node
		u    []float64
	}{
		{"gamma", func(s nodes) dist { return density.Gamma(s[0], 1.3) }, exp,
			[]float64{-20, -1, 1, 4}},
		{"chi squared", func(s nodes) dist { return density.ChiSquared(s[0]) }, exp,
			[]float64{-20, 1}},
		{"inverse gamma", func(s nodes) dist { return density.InverseGamma(s[0], 0.7) }, exp,
			[]float64{-4, 1, 20}},
		{"beta", func(s nodes) dist { return density.Beta(s[0], s[1]) }, (*autograd.Node).Sigmoid,
			[]float64{-8, -2, 0.5, 8}},
		{"student t", func(s nodes) dist { return density.StudentsT(0.1, 1.2, s[0]) },
			func(u *autograd.Node) *autograd.Node {
				return u.Exp().Sub(u.Neg().Exp())
			}, []float64{-12, -0.2, 0.7, 6}},
	} {
		for _, u := range c.u {
			for _, shape := range [][]float64{{-1.2, 0.4}, {1.5, 1.1}} {
				for side, f := range []func(d dist, x *autograd.Node) *autograd.Node{dist.LogCDF,
					dist.LogSurvival} {
					err := gradtest.Check(func(b *autograd.Builder, in nodes) *autograd.Node {
						y := f(c.of(nodes{in[1].Exp(), in[2].Exp()}), c.x(in[0]))
						g := b.Grad(y, in...)
						return y.Add(g[0].Scale(0.3)).Add(g[1].Scale(0.7)).Add(g[2].Scale(-0.4))
					}, [][]float64{{u}, shape[:1], shape[1:]}, []autograd.Shape{{}, {}, {}},
						gradtest.Options{Step: 2e-3})
					if err != nil {
						t.Errorf("%s at %v, shapes %v, side %d: %v", c.name, u, shape, side, err)
					}
				}
			}
		}
	}
}
