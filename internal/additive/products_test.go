package additive_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/additive"
	"tobac/internal/must"
	"tobac/internal/smooth"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// multiplied draws a, b, and a product of both with noise, all far from 0 or not.
func multiplied(n int, origin float64, noise func(rng *rand.Rand) float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(2, 9))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a, b := origin+rng.NormFloat64(), origin+rng.NormFloat64()
		x.SetRow(i, []float64{a, b, a*b + 0.3*noise(rng)})
	}
	return x
}

// Of a product both parents matter together; in the other directions less is explained. Drawn
// functions are about the product, and numbers make them again.
func TestProducts(t *testing.T) {
	for name, noise := range noises {
		for _, origin := range []float64{0, 2} {
			s := must.Get(additive.New(multiplied(300, origin, noise), nil, additive.Options{}))(t)
			if err := score.Check(t.Context(), s); err != nil {
				t.Error(err)
			}
			of := func(j int, parents ...int) float64 { return s.LogScore(j, parents) }
			right := of(0) + of(1) + of(2, 0, 1)
			for _, c := range []struct {
				wrong string
				score float64
			}{
				{"without an edge", of(0) + of(1) + of(2, 0)},
				{"from the product", of(2) + of(0, 2) + of(1, 0, 2)},
			} {
				if right < c.score+20 {
					t.Errorf("%s noise about %v: %v nats, %s %v", name, origin, right, c.wrong,
						c.score)
				}
			}
			rng := rand.New(rand.NewPCG(1, 1))
			const draws = 20
			at := [][]float64{{origin - 1, origin, origin + 1}, {origin + 1, origin, origin + 1}}
			sum, mean := make([]float64, 3), make([]float64, 3)
			for range draws {
				f, rest, err := smooth.NewFunction(2, s.FunctionParameters(2, []int{0, 1}, rng))
				if err != nil || len(rest) > 0 {
					t.Fatalf("%v, %d numbers left", err, len(rest))
				}
				f.Mean(mean, at)
				floats.AddScaled(sum, 1./draws, mean)
			}
			for k, v := range sum {
				if want := at[0][k] * at[1][k]; math.Abs(v-want) > 0.3 {
					t.Errorf("%s noise about %v: f(%v, %v) = %v, want about %v", name, origin,
						at[0][k], at[1][k], v, want)
				}
			}
		}
	}
}

// Functions of a column of two values and of a product of two others are read again.
func TestProductsBesideLevels(t *testing.T) {
	x := multiplied(300, 1, noises["normal"])
	all := mat.NewDense(300, 4, nil)
	for i := range 300 {
		level := float64(i % 2)
		all.SetRow(i, []float64{x.At(i, 0), x.At(i, 1), level, x.At(i, 2) + level})
	}
	s := must.Get(additive.New(all, nil, additive.Options{}))(t)
	if gain := s.LogScore(3, []int{0, 1, 2}) - s.LogScore(3, []int{0, 1}); gain < 20 {
		t.Errorf("a cause beside a product gains %v nats, want many", gain)
	}
	rng := rand.New(rand.NewPCG(5, 9))
	numbers := s.FunctionParameters(3, []int{0, 1, 2}, rng)
	if f, rest, err := smooth.NewFunction(3, numbers); err != nil || len(rest) > 0 ||
		len(f.Products) != 1 {
		t.Errorf("%v, %d numbers left, %d products, want one", err, len(rest), len(f.Products))
	}
}

// Without products the score of two parents hardly changes.
func TestProductsAreNotInvented(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	x := mat.NewDense(400, 3, nil)
	for i := range 400 {
		a, b := rng.NormFloat64(), rng.ExpFloat64()
		x.SetRow(i, []float64{a, b, math.Sin(a) + b*b/2 + rng.NormFloat64()})
	}
	s := must.Get(additive.New(x, nil, additive.Options{}))(t)
	mean := make([]float64, 2)
	for range 20 {
		// The effect of one parent does not depend on the other one.
		f := s.Function(2, []int{0, 1}, rng)
		change := func(b float64) float64 {
			f.Mean(mean, [][]float64{{-1, 1}, {b, b}})
			return mean[1] - mean[0]
		}
		if less, more := change(0.5), change(2); math.Abs(more-less) > 0.8 {
			t.Errorf("the effect of a parent is %v or %v", less, more)
		}
	}
}

// Equations of logarithms are those of products with noise that is multiplied, whose directions
// they tell; other units of a column add the same to all scores of it.
func TestLogarithms(t *testing.T) {
	scores := func(unit float64) *additive.Transformed {
		rng := rand.New(rand.NewPCG(4, 9))
		x, logs := mat.NewDense(200, 3, nil), mat.NewDense(200, 3, nil)
		for i := range 200 {
			a, b := math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64())
			c := a / b * math.Exp(0.3*(rng.ExpFloat64()-1))
			x.SetRow(i, []float64{a, b, unit * c})
			logs.SetRow(i, []float64{math.Log(a), math.Log(b), math.Log(unit * c)})
		}
		s := must.Get(additive.New(x, nil, additive.Options{}))(t)
		jacobian := make([]float64, 3)
		for j := range jacobian {
			jacobian[j] = -floats.Sum(mat.Col(nil, j, logs))
		}
		return must.Get(additive.NewTransformed(s).Logarithms(logs, nil, nil, jacobian))(t)
	}
	s, other := scores(1), scores(1000)
	if err := score.Check(t.Context(), s); err != nil {
		t.Error(err)
	}
	right := s.LogScore(0, nil) + s.LogScore(1, nil) + s.LogScore(2, []int{0, 1})
	if wrong := s.LogScore(2, nil) + s.LogScore(0, []int{2}) +
		s.LogScore(1, []int{0, 2}); right < wrong+10 {
		t.Errorf("%v nats in the right direction, %v in the other", right, wrong)
	}
	if gain := s.LogScore(2, []int{0, 1}) - s.Scorer.LogScore(2, []int{0, 1}); gain < 50 {
		t.Errorf("logarithms gain %v nats, want many", gain)
	}
	for j := range 3 {
		want := 0.0
		if j == 2 {
			want = -200 * math.Log(1000)
		}
		for _, parents := range [][]int{nil, {(j + 1) % 3}} {
			got := other.LogScore(j, parents) - s.LogScore(j, parents)
			if math.Abs(got-want) > 1e-6*200 {
				t.Errorf("in other units variable %d given %v scores %v more, want %v", j, parents,
					got, want)
			}
		}
	}
	if s.InNormalScores() || s.Plain() {
		t.Error("scores of logarithms are taken for others")
	}
}
