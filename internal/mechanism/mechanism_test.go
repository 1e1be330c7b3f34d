package mechanism_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/mechanism"
	"tobac/internal/must"
)

func simulated(t *testing.T, g *dag.Graph, m mechanism.Mechanism,
	c dataset.LinearConfig) *dataset.Simulation {
	t.Helper()
	return must.Get(mechanism.Simulate(g, m, c))(t)
}

// Without edges every mechanism has the noise of the linear model alone; with them, roots keep it,
// and more rows continue the same table.
func TestMechanismsAddToTheNoise(t *testing.T) {
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: 7, EdgesPerNode: 1.5, Seed: 4}))(t)
	c := dataset.LinearConfig{Rows: 40, HeldoutRows: 20, NoiseVariance: 0.3, Seed: 5}
	noise := must.Get(dataset.SimulateLinear(dag.New(7), c))(t)
	for _, m := range mechanism.All {
		if alone := simulated(t, dag.New(7), m, c); !mat.Equal(alone.Train.X,
			noise.Train.X) || !mat.Equal(alone.Heldout.X, noise.Heldout.X) {
			t.Errorf("%v: a graph without edges does not give the noise of the linear model", m)
		}
		s := simulated(t, g, m, c)
		longer := c
		longer.Rows = 60
		more := simulated(t, g, m, longer)
		for r := range c.Rows {
			for j := range 7 {
				x := s.Train.X.At(r, j)
				if x != more.Train.X.At(r, j) {
					t.Fatalf("%v: row %d changes with the number of rows", m, r)
				}
				if root := len(g.Parents(j)) == 0; root != (x == noise.Train.X.At(r, j)) {
					t.Fatalf("%v: variable %d of row %d is %v, its noise %v", m, j, r, x,
						noise.Train.X.At(r, j))
				}
			}
		}
	}
	if _, err := mechanism.Simulate(g, 7, c); err == nil {
		t.Error("an unknown mechanism is no error")
	}
}

// What sets each mechanism apart, on many rows of a child of two: sines add up, so that what one
// parent does is the same whatever the other is; products do not; multiplicative noise is that of
// the sines times a positive factor that varies.
func TestMechanismsAreWhatTheySay(t *testing.T) {
	g := dag.New(3)
	for i := range 2 {
		g.Set(i, 2, true)
	}
	c := dataset.LinearConfig{Rows: 60_000, HeldoutRows: 1, NoiseVariance: 0.1, Seed: 8}
	noise := must.Get(dataset.SimulateLinear(dag.New(3), c))(t)
	made := map[mechanism.Mechanism]*dataset.Table{}
	interaction := map[mechanism.Mechanism]float64{}
	for _, m := range mechanism.All {
		made[m] = simulated(t, g, m, c).Train
		var cell [2][2][]float64 // by the signs of the parents
		sign := map[bool]int{true: 1}
		for r := range c.Rows {
			x := made[m].X.RawRowView(r)
			a, b := sign[x[0] > 0], sign[x[1] > 0]
			cell[a][b] = append(cell[a][b], x[2])
		}
		mean := func(a, b int) float64 { return stat.Mean(cell[a][b], nil) }
		interaction[m] = math.Abs(mean(0, 0) + mean(1, 1) - mean(0, 1) - mean(1, 0))
	}
	if interaction[mechanism.Sines] > 0.02 || interaction[mechanism.Products] < 0.2 ||
		interaction[mechanism.Multiplicative] > 0.02 {
		t.Errorf("interactions are %v", interaction)
	}
	var logs []float64
	for r := range c.Rows {
		e := noise.Train.X.At(r, 2)
		multiplied, sum := made[mechanism.Multiplicative], made[mechanism.Sines]
		factor := (multiplied.X.At(r, 2) - sum.X.At(r, 2) + e) / e
		if math.Abs(e) < 1e-3 {
			continue // rounding
		}
		if !(factor > 0) {
			t.Fatalf("row %d: the noise is multiplied by %v", r, factor)
		}
		logs = append(logs, math.Log(factor))
	}
	if sd := stat.StdDev(logs, nil); sd < 0.1 {
		t.Errorf("the logarithm of the noise's factor has the standard deviation %v", sd)
	}
}
