package hidden

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func standard(x []float64) []float64 {
	m, s := stat.PopMeanStdDev(x, nil)
	floats.AddConst(-m, x)
	floats.Scale(1/s, x)
	return x
}

// confounded draws two children of a hidden cause.
func confounded(n int, draw func() float64) model {
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		h := draw()
		x[i], y[i] = h+0.7*draw(), h+0.7*draw()
	}
	return model{standard(x), standard(y)}
}

// The scores of the rows sum to central differences of the log density.
func TestScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := confounded(30, rng.NormFloat64)
	theta := make([]float64, 2*params)
	for range 5 {
		for k := range theta {
			theta[k] = 0.7 * rng.NormFloat64()
		}
		scores := mat.NewDense(30, len(theta), nil)
		m.evaluate(theta, scores)
		got := m.gradientOf(theta, scores)
		for k := range theta {
			const step = 1e-5
			at := func(by float64) float64 {
				moved := append([]float64(nil), theta...)
				moved[k] += by
				return m.evaluate(moved, nil)
			}
			want := (at(step) - at(-step)) / (2 * step)
			if math.Abs(got[k]-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("parameter %d: score %v, difference %v", k, got[k], want)
			}
		}
	}
}

// The density of both variables integrates to one.
func TestDensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	theta := make([]float64, 2*params)
	for k := range theta {
		theta[k] = 0.5 * rng.NormFloat64()
	}
	var prior, sum float64
	for _, v := range theta {
		prior -= v*v/2 + 0.5*math.Log(2*math.Pi)
	}
	const step = 0.1
	for x := -12.0; x <= 12; x += step {
		for y := -12.0; y <= 12; y += step {
			sum += step * step * math.Exp(model{{x}, {y}}.evaluate(theta, nil)-prior)
		}
	}
	if math.Abs(sum-1) > 1e-4 {
		t.Errorf("the density integrates to %v, want 1", sum)
	}
	own := theta[:params]
	sum, prior = 0, -floats.Dot(own, own)/2-params/2.0*math.Log(2*math.Pi)
	for x := -12.0; x <= 12; x += step {
		sum += step * math.Exp(model{{x}}.evaluate(own, nil)-prior)
	}
	if math.Abs(sum-1) > 1e-4 {
		t.Errorf("the density of one variable integrates to %v, want 1", sum)
	}
}

// Two independent variables are explained better by a cause for each than by one of both, and
// skewed ones better than by a normal density.
func TestAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	x, y := make([]float64, 300), make([]float64, 300)
	for i := range x { // Gumbel
		x[i], y[i] = -math.Log(rng.ExpFloat64()), -math.Log(rng.ExpFloat64())
	}
	standard(x)
	standard(y)
	normal := -300 * (math.Log(2*math.Pi) + 1)
	both, alone := LogEvidence(x, y, math.Inf(-1)), Alone(x)+Alone(y)
	if !(alone > both && alone > normal) {
		t.Errorf("alone %v, together %v, by a normal density %v", alone, both, normal)
	}
}

// The evidence is the same with the variables exchanged, and with either of the other sign.
func TestSymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3 {
		m := confounded(100, rng.ExpFloat64)
		minus := floats.ScaleTo(make([]float64, 100), -1, m[0])
		want := LogEvidence(m[0], m[1], math.Inf(-1))
		for _, got := range []float64{LogEvidence(m[1], m[0], math.Inf(-1)),
			LogEvidence(minus, m[1], math.Inf(-1))} {
			if math.Abs(got-want) > 0.02 {
				t.Errorf("evidences %v and %v", got, want)
			}
		}
	}
}

func BenchmarkLogEvidence(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := confounded(200, rng.ExpFloat64)
	for b.Loop() {
		LogEvidence(m[0], m[1], 0)
	}
}
