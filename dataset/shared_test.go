package dataset_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	"tobac/dataset"
)

// The specification's linear data sets (section 12.7) come from another program with the model of
// SimulateLinear: given the true graph and weights, what remains of every variable is noise of
// variance 0.1.
func TestSharedLinearDataFollowTheModel(t *testing.T) {
	folders, err :=
		filepath.Glob(filepath.Join("..", "..", "shared", "data", "synthetic", "linear-*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) == 0 {
		t.Skip("the specification's data sets are not here")
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			for _, name := range []string{"train.csv", "heldout.csv"} {
				table, err := dataset.ReadFile(filepath.Join(folder, name))
				if err != nil {
					t.Fatal(err)
				}
				n, d := table.X.Dims()
				if n != 100 {
					t.Errorf("%s: %d rows, want 100", name, n)
				}
				edges, err := os.Open(filepath.Join(folder, "graph.csv"))
				if err != nil {
					t.Fatal(err)
				}
				defer edges.Close()
				_, weights, err := dag.ReadEdges(edges, "graph.csv", table.Names)
				if err != nil {
					t.Fatal(err)
				}
				noise := residuals(table, weights)
				variance := stat.Variance(noise.RawMatrix().Data, nil)
				// The variance of N normal values has standard error 0.1·√(2/N); five of them.
				if tolerance :=
					5 * 0.1 * math.Sqrt(2/float64(n*d)); math.Abs(variance-0.1) > tolerance {
					t.Errorf("%s: noise variance %.4f, want 0.1 ± %.4f", name, variance, tolerance)
				}
			}
		})
	}
}

// residuals returns X − XΘ, n×d.
func residuals(t *dataset.Table, weights mat.Matrix) *mat.Dense {
	var noise mat.Dense
	noise.Mul(t.X, weights)
	noise.Sub(t.X, &noise)
	return &noise
}
