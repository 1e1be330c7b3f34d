package generalised_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/dataset"
	"tobac/internal/generalised"
)

// spreadNoise are the quantiles of n equal parts of standard normal noise.
func spreadNoise(n int) []float64 {
	z := make([]float64, n)
	for k := range z {
		z[k] = distuv.UnitNormal.Quantile((float64(k) + 0.5) / float64(n))
	}
	return z
}

// Drawn equations of every kind given parents of every kind: their numbers make them again, their
// values are distributed as their density says, and the means of both are Mean.
func TestFunctions(t *testing.T) {
	x, variables := everyKind(120)
	d := len(variables)
	for j := range variables {
		if variables[j].Kind == dataset.Ordered {
			for k := range variables[j].Levels {
				variables[j].Values = append(variables[j].Values, float64(10+2*k))
			}
		}
	}
	s := newScorer(t, x, nil, variables, 0)
	rng := rand.New(rand.NewPCG(3, 5))
	noise := spreadNoise(400)
	for j, v := range variables {
		for _, parents := range [][]int{nil, {(j + 1) % d}, {(j + 2) % d, (j + d - 1) % d}} {
			slices.Sort(parents)
			numbers := s.FunctionParameters(j, parents, rng)
			f, rest, err := generalised.NewFunction(len(parents),
				append(slices.Clone(numbers), 7, 8))
			if err != nil || len(rest) != 2 || !slices.Equal(f.Parameters(), numbers) {
				t.Fatalf("%v given %v: %v, %v after the numbers, %v again, want %v", v.Kind,
					parents, err, rest, f, numbers)
			}
			for k := range numbers {
				if _, _, err := generalised.NewFunction(len(parents), numbers[:k]); err == nil {
					t.Fatalf("%v: the first %d of %d numbers were accepted", v.Kind, k,
						len(numbers))
				}
			}
			at, columns := make([]float64, len(parents)), make([][]float64, len(parents))
			for k, i := range parents {
				if at[k] = x.At(3, i); variables[i].Values != nil {
					at[k] = variables[i].Values[int(at[k])]
				}
				columns[k] = slices.Repeat(at[k:k+1], len(noise))
			}
			mean, values := make([]float64, len(noise)), make([]float64, len(noise))
			f.Mean(mean, columns)
			total, first := 0.0, 0.0 // of the density, and of values with it
			switch levels, p := f.Probabilities(columns, 1); {
			case levels != nil:
				for k, y := range levels {
					q := math.Exp(f.LogDensity(y, at))
					total, first = total+q, first+q*y
					if math.Abs(q-p[k]) > 1e-12 {
						t.Errorf("%v given %v: probability %v, density %v", v.Kind, parents, p[k],
							q)
					}
				}
				values = mean
			case v.Kind == dataset.Count:
				for y := range 3000 {
					q := math.Exp(f.LogDensity(float64(y), at))
					total, first = total+q, first+q*float64(y)
				}
				f.Values(values, columns, noise)
			default:
				if !f.Values(values, columns, noise) {
					for k, z := range noise {
						values[k] = mean[k] + math.Sqrt(f.Noise())*z
					}
				}
				// the density between two quantiles has their probability
				for k := range len(values) - 1 {
					width := values[k+1] - values[k]
					q := math.Exp(f.LogDensity((values[k]+values[k+1])/2, at)) * width
					total, first = total+q, first+q*(values[k]+values[k+1])/2
				}
				total, first = total*400/399, first*400/399
			}
			scale := 1 + math.Abs(mean[0])
			if math.Abs(total-1) > 0.01 || math.Abs(first-mean[0]) > 0.03*scale ||
				math.Abs(stat.Mean(values, nil)-mean[0]) > 0.03*scale {
				t.Errorf("%v given %v: a density of %v with the mean %v, and values with %v, "+
					"want 1 and twice %v", v.Kind, parents, total, first, stat.Mean(values, nil),
					mean[0])
			}
		}
	}
}

// Means of drawn equations are those that the table was simulated with, within 0.07 of a
// probability and 15 % of a mean: about four standard errors of 800 rows.
func TestFunctionsFindEquations(t *testing.T) {
	const n = 800
	rng := rand.New(rand.NewPCG(8, 8))
	x := mat.NewDense(n, 6, nil)
	chance := func(c float64, z float64) float64 { return 1 / (1 + math.Exp(-c-z)) }
	for i := range n {
		c, z := float64(rng.IntN(3)), rng.NormFloat64()
		mean := math.Exp(0.4*z + 0.5*c)
		binary := 0.0
		if rng.Float64() < chance(c-1, z) {
			binary = 1
		}
		x.SetRow(i, []float64{c, z, binary, distuv.Poisson{Lambda: mean, Src: rng}.Rand(),
			distuv.Gamma{Alpha: 2, Beta: 2 / mean, Src: rng}.Rand(),
			c*c - z + 0.5*rng.NormFloat64()})
	}
	variables := []generalised.Variable{{Kind: dataset.Categorical, Levels: 3}, {},
		{Kind: dataset.Binary, Levels: 2},
		{Kind: dataset.Count}, {Kind: dataset.Positive}, {}}
	s := newScorer(t, x, nil, variables, 2)
	for j := 2; j < 6; j++ {
		for c := range 3 {
			for _, z := range []float64{-1, 0.5} {
				want := math.Exp(0.4*z + 0.5*float64(c))
				switch j {
				case 2:
					want = chance(float64(c)-1, z)
				case 5:
					want = float64(c*c) - z
				}
				got, one := 0.0, make([]float64, 1)
				for range 20 {
					s.Function(j, []int{0, 1}, rng).Mean(one, [][]float64{{float64(c)}, {z}})
					got += one[0] / 20
				}
				if math.Abs(got-want) > 0.07+0.15*math.Abs(want) {
					t.Errorf("variable %d has the mean %v at (%d, %v), want %v", j, got, c, z, want)
				}
			}
		}
	}
}

// Numbers of a file that announce more than there is, or are no probabilities, are refused at once.
func TestFunctionOfFewNumbers(t *testing.T) {
	for _, c := range []struct {
		parents int
		numbers []float64
	}{
		{0, []float64{0, 1e12}},
		{0, []float64{0, 1, 5, 1e12}},
		{0, []float64{0, 2, 0, 1, 1, 0, 1, 1e12}}, // a row that adds up to more than one
		{0, []float64{0, 2, 0, 1, 1, 1, .5, .5}},  // a configuration that there is not
		{0, []float64{1, 1e12}},
		{0, []float64{1, 2, 0, 1, 1e12}},
		{1, []float64{0, 1, 5, 1e12}},
		{1, []float64{0, 1, 5, 2, 0, 1, 1e12}},
	} {
		if _, _, err := generalised.NewFunction(c.parents, c.numbers); err == nil {
			t.Errorf("%v was accepted for %d parents", c.numbers, c.parents)
		}
	}
}
