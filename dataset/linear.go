package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/dag"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
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
		return c, fmt.Errorf("dataset: %d training and %d held-out rows; allowed: at least 1, or "+
			"0 for the default 100", c.Rows, c.HeldoutRows)
	}
	if !(c.NoiseVariance > 0) || math.IsInf(c.NoiseVariance, 0) {
		return c, fmt.Errorf("dataset: noise variance %v; allowed: finite numbers above 0, or 0 "+
			"for the default 0.1", c.NoiseVariance)
	}
	return c, nil
}

// SimulateLinear draws the weights of a linear Gaussian model on g, then training and held-out
// rows: x_j = Σ_{i ∈ pa(j)} Θ[i][j]·x_i + ε_j with ε_j ~ N(0, σ²), roots included, without
// intercept. Θ[i][j] = w + ½·sign(w) with w ~ N(0, 1), so that |Θ[i][j]| ≥ ½. A graph with a cycle
// or without variables is an error, and so is one so deep that values overflow.
//
// Weights, training noise and held-out noise come from separate streams. Each draws for all entries
// in row-major order, whatever the graph: graphs of the same size share the weights of the edges
// they share, and a longer table begins with the shorter one.
func SimulateLinear(g *dag.Graph, c LinearConfig) (*Simulation, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return simulate("linear", g, c, func(s *Simulation) contribution {
		s.Weights = linearWeights(g, stream.New(c.Seed, stream.SimulatedParameters))
		return func(j int, parents []int, row []float64) {
			for _, i := range parents {
				row[j] += s.Weights.At(i, j) * row[i]
			}
		}
	})
}

// SimulateEquations draws training and held-out rows of a model on g. equation adds to row[j],
// which holds the noise of variable j, what its parents contribute. Settings, errors and streams of
// noise are those of [SimulateLinear]; Weights and Parameters are nil.
func SimulateEquations(g *dag.Graph, c LinearConfig,
	equation func(j int, parents []int, row []float64)) (*Simulation, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return simulate("simulated", g, c, func(*Simulation) contribution { return equation })
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

// NonlinearConfig describes data from a nonlinear Gaussian model. Its zero value has the published
// settings.
type NonlinearConfig struct {
	Rows          int     // training rows; 0 means 100
	HeldoutRows   int     // held-out rows; 0 means 100
	NoiseVariance float64 // σ², a variance, the same for all variables; 0 means 0.1
	Hidden        int     // units h of every network; 0 means 5
	Seed          uint64
}

// SimulateNonlinear draws a network for every variable of g, then training and held-out rows:
//
//	x_j = Σ_a relu(Σ_{i ∈ pa(j)} x_i·w1[j,i,a] + b1[j,a])·w2[j,a] + b2[j] + ε_j,   ε_j ~ N(0, σ²),
//
// and x_j = ε_j for a variable without parents, whose network's constant is not added: the
// likelihood that package models fits does not share this. Every weight and bias is N(0, 1),
// without fan-in scaling. A graph with a cycle or without variables is an error, and so is one so
// deep that values overflow.
//
// [Simulation].Parameters holds w1 as (d, d, h) by child, input and unit, then b1 as (d, h), w2 as
// (d, h) and b2 as (d), those of inputs that are no parents included, and Weights is nil. Streams
// are those of [SimulateLinear]: parameters, training noise and held-out noise have their own, each
// drawn for all entries in row-major order, whatever the graph.
func SimulateNonlinear(g *dag.Graph, c NonlinearConfig) (*Simulation, error) {
	rows, err := LinearConfig{Rows: c.Rows, HeldoutRows: c.HeldoutRows,
		NoiseVariance: c.NoiseVariance, Seed: c.Seed}.withDefaults()
	if err != nil {
		return nil, err
	}
	if c.Hidden == 0 {
		c.Hidden = 5
	}
	if c.Hidden < 0 {
		return nil, fmt.Errorf("dataset: networks with %d hidden units; allowed: at least 1, or "+
			"0 for the default 5", c.Hidden)
	}
	return simulate("nonlinear", g, rows, func(s *Simulation) contribution {
		d, h := g.Len(), c.Hidden
		s.Parameters = make([]float64, d*(d*h+2*h+1))
		rng := stream.New(c.Seed, stream.SimulatedParameters)
		for i := range s.Parameters {
			s.Parameters[i] = rng.NormFloat64()
		}
		return func(j int, parents []int, row []float64) {
			if len(parents) > 0 {
				row[j] += s.network(j, h, parents, row)
			}
		}
	})
}

// network is the output of the network of variable j, with h hidden units, for the parents' values
// in row.
func (s *Simulation) network(j, h int, parents []int, row []float64) float64 {
	d := s.Graph.Len()
	w1 := s.Parameters[j*d*h:]
	b1 := s.Parameters[d*d*h+j*h:]
	w2 := s.Parameters[d*(d*h+h)+j*h:]
	out := s.Parameters[d*(d*h+2*h)+j]
	for a := range h {
		pre := b1[a]
		for _, i := range parents {
			pre += row[i] * w1[i*h+a]
		}
		out += math.Max(pre, 0) * w2[a]
	}
	return out
}
