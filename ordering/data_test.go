package ordering_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
)

// readTable reads a numeric table with a header.
func readTable(t testing.TB, path string) ([]string, *mat.Dense) {
	t.Helper()
	table := must.Get(dataset.ReadFile(path))(t)
	return table.Names, table.X
}

// readEdges reads an edge list as pairs of column indices.
func readEdges(t testing.TB, path string, names []string) [][2]int {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close() // only read
	g, _ := must.Two(dag.ReadEdges(f, path, names))(t)
	return pairs(g)
}

// pairs are the edges of a graph as pairs of columns.
func pairs(g *dag.Graph) [][2]int {
	var edges [][2]int
	for _, e := range g.Edges() {
		edges = append(edges, [2]int{e.From, e.To})
	}
	return edges
}

// orders mirrors the fields of orders.json.
type orders struct {
	GroundTruth []int `json:"ground_truth"`
	EqVar       []int `json:"eqvar_float32"`
	SCORE       []int `json:"score_float32"` // not for d = 50
}

func readOrders(t testing.TB, path string) orders {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	var o orders
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return o
}

// simulated lists the folders of simulated data.
func simulated(t testing.TB) []string {
	t.Helper()
	folders, err := filepath.Glob("testdata/*linear-*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no data in testdata: %v", err)
	}
	return folders
}

// violated counts the edges whose source comes after their target.
func violated(order []int, edges [][2]int) int {
	position := make([]int, len(order))
	for c, v := range order {
		position[v] = c
	}
	count := 0
	for _, e := range edges {
		if position[e[0]] > position[e[1]] {
			count++
		}
	}
	return count
}

// network draws an Erdős–Rényi graph with the expected number of edges, under a
// random order, and n rows of the linear model with weights N(0,1) ± 0.5 and
// noise variance 0.1.
func network(d, n int, expected float64, rng *rand.Rand) (*mat.Dense, [][2]int) {
	p := expected / float64(d*(d-1)/2)
	order := rng.Perm(d)
	x := mat.NewDense(n, d, nil)
	var edges [][2]int
	for b, child := range order {
		col := make([]float64, n)
		for i := range col {
			col[i] = rng.NormFloat64() * 0.31622776601683794
		}
		for _, parent := range order[:b] {
			if rng.Float64() >= p {
				continue
			}
			edges = append(edges, [2]int{parent, child})
			w := rng.NormFloat64()
			if w < 0 {
				w -= 0.5
			} else {
				w += 0.5
			}
			for i := range col {
				col[i] += w * x.At(i, parent)
			}
		}
		x.SetCol(child, col)
	}
	return x, edges
}

// gaussian draws an n×d matrix of correlated columns.
func gaussian(n, d int, rng *rand.Rand) *mat.Dense {
	noise, mix := mat.NewDense(n, d, nil), mat.NewDense(d, d, nil)
	for _, m := range []*mat.Dense{noise, mix} {
		raw := m.RawMatrix()
		for i := range raw.Data {
			raw.Data[i] = rng.NormFloat64()
		}
	}
	var x mat.Dense
	x.Mul(noise, mix)
	return &x
}

// columns returns the columns of x in the sequence of index.
func columns(x *mat.Dense, index []int) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(index), nil)
	for c, j := range index {
		out.SetCol(c, mat.Col(nil, j, x))
	}
	return out
}

// standardised returns x with columns of mean 0 and population variance 1.
func standardised(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n, d, nil)
	for j := range d {
		col := mat.Col(nil, j, x)
		mean, sd := stat.PopMeanStdDev(col, nil)
		for i := range col {
			col[i] = (col[i] - mean) / sd
		}
		out.SetCol(j, col)
	}
	return out
}

// sachs returns the flow cytometry measurements and their consensus network.
func sachs(t testing.TB) (raw *mat.Dense, edges [][2]int) {
	t.Helper()
	table, truth := must.Two(dataset.Sachs())(t)
	return table.X, pairs(truth)
}

// family is the name of a folder of simulated data without its run.
func family(folder string) (name string, run int) {
	name, number, _ := strings.Cut(filepath.Base(folder), "-run")
	run, _ = strconv.Atoi(number)
	return name, run
}

// identity returns 0, 1, …, d−1.
func identity(d int) []int {
	all := make([]int, d)
	for j := range all {
		all[j] = j
	}
	return all
}
