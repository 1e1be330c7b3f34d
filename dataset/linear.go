package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/stream"
)

// LinearConfig describes data from a linear Gaussian model. Its zero value has the published
// settings.
type LinearConfig struct {
	Rows          int     // training rows; 0 means 100
	HeldoutRows   int     // held-out rows; 0 means 100
	NoiseVariance float64 // σ², a variance, the same for all variables; 0 means 0.1
	Seed          uint64
}

func (c LinearConfig) withDefaults() (LinearConfig, error) {
	if c.Rows == 0 {
		c.Rows = 100
	}
	if c.HeldoutRows == 0 {
		c.HeldoutRows = 100
	}
	if c.NoiseVariance == 0 {
		c.NoiseVariance = 0.1
	}
	if min(c.Rows, c.HeldoutRows) < 0 {
		return c, fmt.Errorf("dataset: %d training and %d held-out rows; allowed: at least 1, or 0 for the default 100", c.Rows, c.HeldoutRows)
	}
	if !(c.NoiseVariance > 0) || math.IsInf(c.NoiseVariance, 0) {
		return c, fmt.Errorf("dataset: noise variance %v; allowed: finite numbers above 0, or 0 for the default 0.1", c.NoiseVariance)
	}
	return c, nil
}

// SimulateLinear draws the weights of a linear Gaussian model on g, then training and held-out
// rows: x_j = Σ_{i ∈ pa(j)} Θ[i][j]·x_i + ε_j with ε_j ~ N(0, σ²), roots included, without
// intercept. Θ[i][j] = w + ½·sign(w) with w ~ N(0, 1), so that |Θ[i][j]| ≥ ½. A graph with a cycle
// or without variables is an error, and so is one so deep that values overflow.
//
// Weights, training noise and held-out noise come from streams of their own. Each draws for all
// entries in row-major order, whatever the graph: graphs of the same size share the weights of the
// edges they share, and a longer table begins with the shorter one.
func SimulateLinear(g *dag.Graph, c LinearConfig) (*Simulation, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return simulate("linear", g, c, func(s *Simulation) equation {
		s.Weights = linearWeights(g, stream.New(c.Seed, stream.SimulatedParameters))
		return func(j int, parents []int, row []float64) {
			for _, i := range parents {
				row[j] += s.Weights.At(i, j) * row[i]
			}
		}
	})
}

func linearWeights(g *dag.Graph, rng *rand.Rand) *mat.Dense {
	theta := mat.NewDense(g.Len(), g.Len(), nil)
	for i := range g.Len() {
		for j := range g.Len() {
			w := rng.NormFloat64()
			if i != j && g.Has(i, j) {
				theta.Set(i, j, w+math.Copysign(0.5, w))
			}
		}
	}
	return theta
}
