package drawn_test

import (
	"math"
	"testing"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/drawn"
	"tobac/internal/nodescore"

	"gonum.org/v1/gonum/mat"
)

// Tables are means over the equivalent sample sizes of (n_ck + a)/(n_c + r a), weighted by the
// evidence of the graph; what was set by intervention does not count for its own table; a column of
// numbers has none.
func TestTables(t *testing.T) {
	data := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(8, 2, []float64{
		0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 0, 0, 1, 2}),
		Variables: []dataset.Variable{{Kind: dataset.Binary}, {Kind: dataset.Categorical,
			Levels: []string{"x", "y", "z"}}}, Intervened: mat.NewDense(8, 2, nil)}
	data.Intervened.Set(7, 1, 1)
	g := dag.New(2)
	g.Set(0, 1, true)
	counts := [][]float64{{3, 1, 0}, {0, 2, 1}}
	sum := 0.0
	want := mat.NewDense(2, 3, nil)
	lnB := func(n []float64, a float64) float64 {
		v, all := 0.0, 0.0
		for _, n := range n {
			high, _ := math.Lgamma(n + a)
			low, _ := math.Lgamma(a)
			v, all = v+high-low, all+n
		}
		low, _ := math.Lgamma(a * float64(len(n)))
		high, _ := math.Lgamma(a*float64(len(n)) + all)
		return v + low - high
	}
	for _, alpha := range nodescore.EquivalentSizes {
		w := math.Exp(lnB([]float64{4, 4}, alpha/2) + lnB(counts[0], alpha/6) +
			lnB(counts[1], alpha/6))
		sum += w
		for c, n := range counts {
			for k := range n {
				want.Set(c, k, want.At(c, k)+
					w*(n[k]+alpha/6)/(n[0]+n[1]+n[2]+alpha/2))
			}
		}
	}
	want.Scale(1/sum, want)
	got, ok := drawn.Tables([]*dataset.Table{data}, g)
	if !ok || len(got) != 2 || len(got[0]) != 1 || len(got[1]) != 2 {
		t.Fatalf("tables %v, %v", got, ok)
	}
	for k, p := range got[0][0] {
		if math.Abs(p-0.5) > 1e-12 {
			t.Errorf("a is %d with %v, want .5", k, p)
		}
	}
	for c, row := range got[1] {
		for k, p := range row {
			if math.Abs(p-want.At(c, k)) > 1e-12 {
				t.Errorf("b is %d given a = %d with %v, want %v", k, c, p, want.At(c, k))
			}
		}
	}
	other := *data
	other.X = mat.DenseCopyOf(data.X)
	other.X.Set(0, 1, 2)
	one, _ := drawn.Tables([]*dataset.Table{&other}, g)
	both, ok := drawn.Tables([]*dataset.Table{data, &other}, g)
	for j := range both {
		for c, row := range both[j] {
			for k, p := range row {
				if mean := (got[j][c][k] + one[j][c][k]) / 2; !ok || math.Abs(p-mean) > 1e-12 {
					t.Errorf("mean over two tables %v, want %v", p, mean)
				}
			}
		}
	}
	data.Variables[0].Kind = dataset.Real
	if _, ok := drawn.Tables([]*dataset.Table{data}, g); ok {
		t.Error("a column of numbers has a table")
	}
}
