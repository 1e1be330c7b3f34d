package bench_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// A noiseKind are equations of tables of seven columns. An equation is drawn for each column: what
// a row is, of the values of its parents.
type noiseKind struct {
	name     string
	equation func(rng *rand.Rand, parents int) func(x []float64) float64
	bare     bool // without edges
	logs     bool // the columns become logarithms, as the command does (see [tobac.Logarithms])
}

// linearEquation has weights ±[.5, 1.5] and a scale on [.5, 2].
func linearEquation(noise func(rng *rand.Rand) float64) func(rng *rand.Rand,
	parents int) func(x []float64) float64 {
	return func(rng *rand.Rand, parents int) func(x []float64) float64 {
		weights, scale := signedWeights(rng, parents), 0.5+1.5*rng.Float64()
		return func(x []float64) float64 {
			v := scale * noise(rng)
			for k, w := range weights {
				v += w * x[k]
			}
			return v
		}
	}
}

func signedWeights(rng *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for k := range w {
		w[k] = math.Copysign(0.5+rng.Float64(), rng.Float64()-0.5)
	}
	return w
}

var noiseKinds = []noiseKind{
	{name: "Student's t, two degrees of freedom", equation: linearEquation(studentNoise(2))},
	{name: "Student's t, three degrees of freedom", equation: linearEquation(studentNoise(3))},
	{name: "lognormal", equation: linearEquation(func(rng *rand.Rand) float64 {
		return math.Exp(0.7*rng.NormFloat64()) - math.Exp(0.245)
	})},
	{name: "causes multiplied, lognormal", logs: true,
		equation: func(rng *rand.Rand, parents int) func(x []float64) float64 {
			weights := signedWeights(rng, parents)
			return func(x []float64) float64 {
				v := 0.6 * rng.NormFloat64()
				for k, w := range weights {
					v += w / 2 * math.Log(x[k])
				}
				return math.Exp(v)
			}
		}},
	{name: "normal, the scale changes with the causes",
		equation: func(rng *rand.Rand, parents int) func(x []float64) float64 {
			weights := signedWeights(rng, parents)
			return func(x []float64) float64 {
				v, scale := 0.0, 0.3
				for k, w := range weights {
					v += w * math.Tanh(x[k])
					scale += math.Abs(x[k]) / float64(parents)
				}
				if parents == 0 {
					scale = 1
				}
				return v + scale*rng.NormFloat64()
			}
		}},
	{name: "counts, causes multiplied",
		equation: func(rng *rand.Rand, parents int) func(x []float64) float64 {
			weights := signedWeights(rng, parents)
			return func(x []float64) float64 {
				rate, k := 1.0, 0.0
				for i, w := range weights {
					rate += w * (math.Log1p(x[i]) - 1.2)
				}
				rate = math.Exp(rate)
				for left := rng.ExpFloat64(); left < rate && k < 1e4; left += rng.ExpFloat64() {
					k++
				}
				return k
			}
		}},
	{name: "normal, autoregressive with coefficient .9", equation: serialEquation(0.9)},
	{name: "random walks without edges", equation: serialEquation(1), bare: true},
}

// serialEquation is linear, with noise that follows that of the row before.
func serialEquation(keep float64) func(rng *rand.Rand, parents int) func(x []float64) float64 {
	return func(rng *rand.Rand, parents int) func(x []float64) float64 {
		last := 0.0
		return linearEquation(func(rng *rand.Rand) float64 {
			last = keep*last + rng.NormFloat64()
			return last
		})(rng, parents)
	}
}

// table draws one of a kind, of 400 rows and seven columns.
func (k *noiseKind) table(seed uint64) (*dataset.Table, *dag.Graph) {
	const rows, d, edges = 400, 7, 8
	rng := rand.New(rand.NewPCG(seed, 21))
	order, g := rng.Perm(d), dag.New(d)
	for left := edges; left > 0 && !k.bare; {
		a, b := rng.IntN(d), rng.IntN(d)
		if a < b && !g.Has(order[a], order[b]) {
			g.Set(order[a], order[b], true)
			left--
		}
	}
	t := &dataset.Table{X: mat.NewDense(rows, d, nil)}
	for j := range d {
		t.Names = append(t.Names, fmt.Sprintf("V%d", j))
	}
	for _, j := range order {
		parents := g.Parents(j)
		equation, x := k.equation(rng, len(parents)), make([]float64, len(parents))
		for r := range rows {
			for a, i := range parents {
				x[a] = t.X.At(r, i)
			}
			t.X.Set(r, j, equation(x))
		}
	}
	return t, g
}

// TestNoiseKinds prints how many directions the default says with a probability of .95 or more,
// and how many of them are right, at least nine in ten: bench/notes/noise.md, by
//
//	go test ./bench -run TestNoiseKinds -long -v -timeout 60m
func TestNoiseKinds(t *testing.T) {
	if !*long {
		t.Skip("takes minutes")
	}
	const tables = 6
	for _, k := range noiseKinds {
		t.Run(k.name, func(t *testing.T) {
			said, right := 0, 0
			for seed := range uint64(tables) {
				data, truth := k.table(seed)
				if k.logs {
					logs, _ := must.Two(tobac.Logarithms(context.Background(), data,
						tobac.Config{}))(t)
					if logs != nil {
						data = logs
					}
				}
				r := must.Get(tobac.Fit(context.Background(), data, tobac.Config{}))(t)
				for i := range data.Names {
					for j := range data.Names {
						if i != j && r.Probabilities.At(i, j) >= 0.95 {
							said++
							if truth.Has(i, j) {
								right++
							}
						}
					}
				}
			}
			t.Logf("| %s | %d | %d of %d |", k.name, tables, right, said)
			if float64(right) < 0.9*float64(said) {
				t.Errorf("%d of %d directions are right", right, said)
			}
		})
	}
}
