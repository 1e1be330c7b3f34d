package sem

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tobac/dataset"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// Straight lines with normal noise show no curvature, one parabola among them does, and few rows
// leave it open.
func TestCurved(t *testing.T) {
	table := func(rows int, bend float64, seed uint64) *dataset.Table {
		rng := rand.New(rand.NewPCG(seed, 7))
		const d = 14
		data := &dataset.Table{X: mat.NewDense(rows, d, nil)}
		for j := range d {
			data.Names = append(data.Names, fmt.Sprint("V", j))
			for i := range rows {
				v := rng.NormFloat64()
				if j > 0 {
					v += data.X.At(i, j-1) - 0.5*data.X.At(i, j/2)
				}
				if j == 5 {
					v += bend * data.X.At(i, 2) * data.X.At(i, 2)
				}
				data.X.Set(i, j, v)
			}
		}
		return data
	}
	seen := 0
	for seed := range uint64(20) {
		if curved(table(200, 0, seed)) {
			seen++
		}
		if !curved(table(200, 1, seed)) {
			t.Errorf("seed %d: the parabola is not seen", seed)
		}
	}
	// chance: 20 × .01 by one pair, and 20 × .02 by all, somewhat more as these depend on each
	// other
	if seen > 4 {
		t.Errorf("curvature in %d of 20 tables without", seen)
	}
	if !curved(table(60, 0, 1)) {
		t.Error("60 rows of 14 columns show that there is none")
	}
}

// Neither do dense graphs, whose columns tell each other nearly: weights of all columns in one
// regression then go up and down together.
func TestCurvedDense(t *testing.T) {
	seen := 0
	for seed := range uint64(20) {
		g :=
			must.Get(dataset.SimulateER(dataset.ERConfig{Vars: 20, Seed: seed, EdgesPerNode: 4}))(t)
		sim := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Seed: seed, Rows: 300}))(t)
		if curved(sim.Train) {
			seen++
		}
	}
	if seen > 3 { // 3 % of each by chance: .7, and three standard deviations
		t.Errorf("%d of 20 tables of straight lines are curved, want at most 3", seen)
	}
}

// Gaussian processes are looked at on tables that networks made, where no function of a single
// parent shows curvature, and not where straight lines did, with columns of one scale and of many.
func TestBent(t *testing.T) {
	seen, overlooked := 0, 0
	for seed := range uint64(20) {
		g :=
			must.Get(dataset.SimulateER(dataset.ERConfig{Vars: 10, Seed: seed, EdgesPerNode: 2}))(t)
		lines := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Seed: seed}))(t)
		standard := must.Get(lines.Train.Standardize())(t)
		if bent(lines.Train) || bent(standard) {
			seen++
		}
		curves := must.Get(dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Seed: seed}))(t)
		if !bent(curves.Train) {
			overlooked++
		}
	}
	// networks of some tables are straight where the rows are
	if seen > 1 || overlooked > 6 {
		t.Errorf("%d of 20 tables of straight lines are bent, and %d of 20 of networks are not, "+
			"want at most 1 and 6", seen, overlooked)
	}
}
