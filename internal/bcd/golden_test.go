package bcd_test

import (
	"math"
	"testing"

	ad "tobac/autograd"
	"tobac/internal/bcd"
	"tobac/internal/must"
)

// The numbers here are those of section 11 of the specification, computed by an
// independent program.

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d numbers, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Errorf("%s: number %d is %.15g, want %.15g ± %g", what, i, got[i], want[i], tolerance)
		}
	}
}

// evaluate computes the outputs at the values of the inputs.
func evaluate(t *testing.T, inputs, outputs []*ad.Node, at ...[]float64) [][]float64 {
	t.Helper()
	ev := must.Get(ad.NewEvaluator(inputs, outputs, ad.Options{}))(t)
	defer ev.Close()
	var dst [][]float64
	for _, y := range outputs {
		dst = append(dst, make([]float64, y.Shape().Len()))
	}
	var src []ad.Feed
	for _, x := range at {
		src = append(src, ad.Feed{Data: x})
	}
	must.Do(t, ev.Eval(dst, src))
	return dst
}

func TestGoldenLikelihood(t *testing.T) {
	b := ad.NewBuilder("likelihood")
	theta, p, logNoise := b.Input("theta", ad.Shape{3}), b.Input("P", ad.Shape{3, 3}),
		b.Input("log sigma", ad.Shape{1})
	x := [2][3]float64{{.5, -1, 2}, {1.5, .25, -.75}}
	gram := make([]float64, 9)
	for _, row := range x {
		for i := range row {
			for j := range row {
				gram[i*3+j] += row[i] * row[j]
			}
		}
	}
	w := bcd.Weights(theta, p)
	y := bcd.LogLikelihood(w, logNoise, b.Constant(gram, ad.Shape{3, 3}), 2)
	inputs := []*ad.Node{theta, p, logNoise}
	permutation := []float64{0, 0, 1, 1, 0, 0, 0, 1, 0} // ranks 2, 0, 1
	got := evaluate(t, inputs, append([]*ad.Node{w, y}, b.Grad(y, inputs...)...),
		[]float64{.4, -.3, .7}, permutation, []float64{-.5})
	near(t, "W", got[0], []float64{0, 0, 0, -.3, 0, .4, .7, 0, 0}, 0)
	near(t, "log likelihood", got[1], []float64{-20.719323745332}, 1e-11)
	near(t, "its gradient in theta", got[2],
		[]float64{-7.101511276849, 4.689036154092, -10.805170268125}, 1e-11)
	near(t, "its gradient in P", got[3], []float64{-2.161034053625, 6.727747525436, -8.970330033915,
		-4.247315356967, 4.437595084959, -5.028821382649,
		9.153814057336, -10.404223698427, 12.476913592628}, 1e-11)
	near(t, "its gradient in log sigma", got[4], []float64{30.411385092209}, 1e-11)
}

var goldenY = []float64{.5, -1.2, .3, 1.1, 0, -.7, -.4, .8, .2}

func TestGoldenSinkhorn(t *testing.T) {
	want := []float64{.363191367776, .114585393080, .522223239144, .536143385250, .308213304979,
		.155643309771, .100665246974, .577201301941, .322133451085}
	p := make([]float64, 9)
	bcd.Balance(p, goldenY, 3, 1e-13)
	near(t, "P", p, want, 1e-12)
	cotangent, got := []float64{1, 2, 3, -1, .5, 0, .2, -.3, .7}, make([]float64, 9)
	if !bcd.BalanceCotangent(got, p, cotangent, 3, 1, 0) {
		t.Fatal("no solution")
	}
	near(t, "cotangent of Y", got, []float64{-.075153722071, -.014706272737, .089859994807,
		-.043787927027, .153154448278, -.109366521252,
		.118941649097, -.138448175541, .019506526444}, 1e-12)
	bcd.BalanceCotangent(got, p, cotangent, 3, 1e-4, 1e-4)
	near(t, "cotangent with the regularisation of the authors' program", got[:1],
		[]float64{-.0750980}, 1e-7)
}

var goldenM = []float64{.2, -.1, .4, 0, .3, .1, -.2, .5, -.3, .2, .1, 0, 0, .4, -.1, .2}

func TestGoldenBethe(t *testing.T) {
	gamma := make([]float64, 16)
	near(t, "Bethe approximation", []float64{bcd.BethePermanent(gamma, goldenM, 4)},
		[]float64{2.638189534454}, 1e-12)
	near(t, "row 0 of gamma", gamma[:4], []float64{.28536349, .156858646, .38062583, .177152034},
		1e-8)
	near(t, "at a vertex", []float64{bcd.BethePermanent(gamma[:9], goldenY, 3)}, []float64{2.1998},
		1e-4)
}

func TestGoldenHorseshoe(t *testing.T) {
	for _, tt := range []struct{ scale, x, want float64 }{
		{.1, .1, .158693801895}, {.1, 1, -3.69253842101}, {1, .5, -1.45412990946},
		{.0117647, .01, 2.48152092101},
	} {
		near(t, "log density", []float64{bcd.LogHorseshoe(tt.x/tt.scale) - math.Log(tt.scale)},
			[]float64{tt.want}, 1e-10)
	}
	near(t, "score", []float64{bcd.ScoreHorseshoe(1) / .1, bcd.ScoreHorseshoe(1)},
		[]float64{-11.670571, -1.1670571}, 1e-6)
}

func TestGoldenAdaBelief(t *testing.T) {
	near(t, "parameter", bcd.AdaBelief(.5, 1e-3, 1, 2, -1),
		[]float64{.49900000001, .497994811681875, .497584022949471}, 1e-14)
}

func TestGoldenScales(t *testing.T) {
	for _, tt := range []struct {
		d, n    int
		k, want float64
	}{{20, 100, 1, .01176}, {20, 100, 2, .02667}, {10, 100, 1, .02857}, {10, 100, 2, .08},
		{50, 100, 1, .004255}, {11, 853, 1, .00856}, {5, 100, 2, .1}} {
		s := bcd.Settings{EdgesPerNode: tt.k, ScaleRule: bcd.PiironenVehtari}.WithDefaults(tt.n,
			tt.d)
		near(t, "scale of Piironen and Vehtari", []float64{s.HorseshoeScale}, []float64{tt.want},
			5.1e-6)
	}
	p := 2. / 19
	got := bcd.Settings{}.WithDefaults(100, 20).HorseshoeScale
	near(t, "scale of van der Pas", []float64{got}, []float64{p * math.Sqrt(math.Log(1/p))}, 1e-15)
}
