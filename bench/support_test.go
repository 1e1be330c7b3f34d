package bench_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/study"
	_ "tobac/internal/unwritten"
)

// graph builds a graph from pairs of vertices.
func graph(t testing.TB, d int, pairs ...[2]int) *dag.Graph {
	t.Helper()
	edges := make([]dag.Edge, len(pairs))
	for i, p := range pairs {
		edges[i] = dag.Edge{From: p[0], To: p[1]}
	}
	g := must.Get(dag.FromEdges(d, edges))(t)
	return g
}

// synthetic reads simulated data sets, or skips the test without them.
func synthetic(t *testing.T, name string, runs int) []*study.Problem {
	t.Helper()
	var problems []*study.Problem
	for run := range runs {
		dir := filepath.Join("..", "..", "shared", "data", "synthetic",
			fmt.Sprintf("%s-run%d", name, run))
		data, err := study.ReadTables(dir)
		if errors.Is(err, os.ErrNotExist) {
			t.Skipf("no data in %s", dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, problem(t, data))
	}
	return problems
}

// sachsSplits are problems of Table I.
func sachsSplits(t *testing.T, runs int) (problems []*study.Problem) {
	t.Helper()
	for run := range runs {
		problems = append(problems, problem(t, study.Data{Source: study.Sachs, Seed: 1, Run: run}))
	}
	return problems
}

func problem(t *testing.T, data study.Data) *study.Problem {
	t.Helper()
	p := must.Get(data.Problem())(t)
	return p
}

func near(got, want, tol float64) bool {
	return math.IsNaN(got) && math.IsNaN(want) ||
		math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))
}
