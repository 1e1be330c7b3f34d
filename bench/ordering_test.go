package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/ordering"
)

// linearRows draws n rows of a linear model with 2 edges per variable and noise
// variance 0.1.
func linearRows(b *testing.B, n, d int) *mat.Dense {
	b.Helper()
	g, err := dataset.SimulateER(dataset.ERConfig{Vars: d, EdgesPerNode: 2, Seed: 9})
	if err != nil {
		b.Fatal(err)
	}
	sim, err := dataset.SimulateLinear(g, dataset.LinearConfig{Rows: n, Seed: 9})
	if err != nil {
		b.Fatal(err)
	}
	return sim.Train.X
}

func benchmarkOrder(b *testing.B, o ordering.Orderer, x mat.Matrix) {
	n, d := x.Dims()
	b.Run(fmt.Sprintf("n=%d/d=%d", n, d), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := o.Order(x); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The orders, at the sizes for which the package states a time.
func BenchmarkOrder(b *testing.B) {
}

var _ = rand.New
var _ = dag.New
