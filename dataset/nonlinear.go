package dataset

import (
	"fmt"
	"math"

	"tobac/dag"
	"tobac/internal/stream"
)

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
	rows, err := LinearConfig{Rows: c.Rows, HeldoutRows: c.HeldoutRows, NoiseVariance: c.NoiseVariance, Seed: c.Seed}.withDefaults()
	if err != nil {
		return nil, err
	}
	if c.Hidden == 0 {
		c.Hidden = 5
	}
	if c.Hidden < 0 {
		return nil, fmt.Errorf("dataset: networks with %d hidden units; allowed: at least 1, or 0 for the default 5", c.Hidden)
	}
	return simulate("nonlinear", g, rows, func(s *Simulation) equation {
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
