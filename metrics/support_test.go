package metrics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/posterior"
)

// graph builds a graph from pairs of vertices.
func graph(t testing.TB, d int, pairs ...[2]int) *dag.Graph {
	t.Helper()
	edges := make([]dag.Edge, len(pairs))
	for i, p := range pairs {
		edges[i] = dag.Edge{From: p[0], To: p[1]}
	}
	return must.Get(dag.FromEdges(d, edges))(t)
}

// randomGraph draws every directed edge, cycles included, with probability p.
func randomGraph(d int, p float64, rng *rand.Rand) *dag.Graph {
	g := dag.New(d)
	for i := range d {
		for j := range d {
			g.Set(i, j, i != j && rng.Float64() < p)
		}
	}
	return g
}

// randomDAG draws every edge along a random order with probability p.
func randomDAG(d int, p float64, rng *rand.Rand) *dag.Graph {
	g, order := dag.New(d), rng.Perm(d)
	for b := range order {
		for a := range b {
			g.Set(order[a], order[b], rng.Float64() < p)
		}
	}
	return g
}

// problem is a random posterior with a true graph and held-out densities.
type problem struct {
	truth    *dag.Graph
	graphs   []*dag.Graph
	ensemble *posterior.Ensemble
	heldOut  *metrics.HeldOut
}

// drawProblem draws DAGs, and graphs with cycles among them where cyclic is true.
func drawProblem(t *rapid.T, cyclic bool) problem {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 11))
	d := rapid.IntRange(2, 7).Draw(t, "d")
	p := problem{truth: randomDAG(d, 0.6, rng),
		heldOut: &metrics.HeldOut{Empty: metrics.LogDensity{Data: rng.NormFloat64()}}}
	for range rapid.IntRange(1, 8).Draw(t, "particles") {
		if g := randomGraph(d, 0.3, rng); cyclic && rng.IntN(2) == 0 {
			p.graphs = append(p.graphs, g)
		} else {
			p.graphs = append(p.graphs, randomDAG(d, rng.Float64(), rng))
		}
		p.heldOut.Particles = append(p.heldOut.Particles,
			metrics.LogDensity{Prior: rng.NormFloat64(), Data: 100 * rng.NormFloat64()})
	}
	p.ensemble = posterior.Uniform(p.graphs)
	if rapid.Bool().Draw(t, "weighted") {
		logp := make([]float64, len(p.graphs))
		for m := range logp {
			logp[m] = 3 * rng.NormFloat64()
		}
		var err error
		if p.ensemble, err = posterior.Weighted(p.graphs, logp); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func near(got, want, tol float64) bool {
	return math.IsNaN(got) && math.IsNaN(want) ||
		math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))
}

// compareReports fails where two reports differ by more than the relative tol.
func compareReports(t interface {
	Helper()
	Errorf(string, ...any)
}, got, want *metrics.Report, tol float64) {
	t.Helper()
	for _, row := range []struct {
		name      string
		got, want metrics.Number
	}{
		{"eshd", got.ESHD, want.ESHD},
		{"auroc", got.AUROC, want.AUROC},
		{"auroc with diagonal", got.AUROCWithDiagonal, want.AUROCWithDiagonal},
		{"average precision", got.AveragePrecision, want.AveragePrecision},
		{"average precision with diagonal", got.AveragePrecisionWithDiagonal,
			want.AveragePrecisionWithDiagonal},
		{"auprc", got.AUPRC, want.AUPRC},
		{"auprc with diagonal", got.AUPRCWithDiagonal, want.AUPRCWithDiagonal},
		{"expected edges", got.ExpectedEdges, want.ExpectedEdges},
		{"neg ll", got.NegLL, want.NegLL},
		{"neg ll data only", got.NegLLDataOnly, want.NegLLDataOnly},
		{"eshd of the empty graph", got.ESHDEmptyGraph, want.ESHDEmptyGraph},
		{"neg ll of the empty graph", got.NegLLEmptyGraph, want.NegLLEmptyGraph},
		{"neg ll data only of the empty graph", got.NegLLDataOnlyEmptyGraph,
			want.NegLLDataOnlyEmptyGraph},
		{"cyclicity", got.Cyclicity, want.Cyclicity},
		{"effective sample size", got.EffectiveSampleSize, want.EffectiveSampleSize},
		{"particles", metrics.Number(got.Particles), metrics.Number(want.Particles)},
		{"cyclic", metrics.Number(got.Cyclic), metrics.Number(want.Cyclic)},
	} {
		if !near(float64(row.got), float64(row.want), tol) {
			t.Errorf("%s: got %.15g, want %.15g", row.name, row.got, row.want)
		}
	}
}

// matrix builds a d×d matrix from rows.
func matrix(rows ...[]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

func panics(f func()) (message any) {
	defer func() { message = recover() }()
	f()
	return nil
}
