package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/stream"
)

// Simulation is data with the model that produced it.
type Simulation struct {
	Train, Heldout *Table     // independent rows of the same model; columns X0, X1, …
	Graph          *dag.Graph // vertex j is column j
	// of a linear model: Weights[i][j] is Θ[i][j] where i → j, and zero elsewhere; nil otherwise
	Weights    *mat.Dense
	Parameters []float64 // of a nonlinear model, see SimulateNonlinear; nil otherwise
}

// A contribution adds to row[j], which holds the noise of variable j, what its parents contribute.
type contribution func(j int, parents []int, row []float64)

// simulate draws the parameters of the named model on g, then training and held-out rows. c has no
// defaults left.
func simulate(model string, g *dag.Graph, c LinearConfig,
	parameters func(s *Simulation) contribution) (*Simulation, error) {
	if g.Len() == 0 {
		return nil, fmt.Errorf(
			"dataset: %s model on a graph without variables; allowed: at least 1", model)
	}
	order, err := g.TopologicalOrder()
	if err != nil {
		return nil, fmt.Errorf("dataset: %s model: %w", model, err)
	}
	s := &Simulation{Graph: g.Clone()}
	contribute := parameters(s)
	sd := math.Sqrt(c.NoiseVariance)
	s.Train = s.rows(c.Rows, order, contribute, sd, stream.New(c.Seed, stream.SimulatedTrain))
	s.Heldout = s.rows(c.HeldoutRows, order, contribute, sd,
		stream.New(c.Seed, stream.SimulatedHeldout))
	for _, t := range []*Table{s.Train, s.Heldout} {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("dataset: %s model overflows: %w", model, err)
		}
	}
	return s, nil
}

// rows draws n rows: the noise of a whole row first, then the equations in causal order.
func (s *Simulation) rows(n int, order []int, contribute contribution, sd float64,
	rng *rand.Rand) *Table {
	d := s.Graph.Len()
	x := mat.NewDense(n, d, nil)
	parents := make([][]int, d)
	for j := range d {
		parents[j] = s.Graph.Parents(j)
	}
	for r := range n {
		row := x.RawRowView(r)
		for j := range row {
			row[j] = sd * rng.NormFloat64()
		}
		for _, j := range order {
			contribute(j, parents[j], row)
		}
	}
	return &Table{Names: defaultNames(d), X: x}
}
