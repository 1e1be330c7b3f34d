package metrics_test

import (
	"encoding/json"
	"errors"
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

// The metrics of the edge probabilities of DAGs are those of the DAGs, wherever
// both are defined; E-SHD to rounding of sums of at most 21 terms.
func TestEdgeReportOfGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, false)
		want := must.Get(metrics.Evaluate(p.ensemble, p.truth, nil))(t)
		got := must.Get(metrics.EvaluateEdges(p.ensemble.EdgeProbabilities(), p.truth))(t)
		for _, row := range []struct {
			name      string
			got, want metrics.Number
		}{
			{"eshd", got.ESHD, want.ESHD},
			{"expected edges", got.ExpectedEdges, want.ExpectedEdges},
			{"auroc", got.AUROC, want.AUROC},
			{"auroc with diagonal", got.AUROCWithDiagonal, want.AUROCWithDiagonal},
			{"average precision", got.AveragePrecision, want.AveragePrecision},
			{"auprc", got.AUPRC, want.AUPRC},
			{"brier", got.Brier, want.Brier},
			{"calibration error", got.CalibrationError, want.CalibrationError},
			{"eshd of the empty graph", got.ESHDEmptyGraph, want.ESHDEmptyGraph},
		} {
			if !near(float64(row.got), float64(row.want), 1e-12) {
				t.Fatalf("%s: %v of the matrix, %v of the graphs", row.name, row.got, row.want)
			}
		}
		if v, w := metrics.ESHDOfEdges(p.ensemble.EdgeProbabilities(), p.truth),
			metrics.ESHD(p.ensemble, p.truth); !near(v, w, 1e-12) {
			t.Fatalf("E-SHD %v of the matrix, %v of the graphs", v, w)
		}
	})
}

// Skeleton metrics see no direction: swapping P_ij and P_ji, and the direction of
// any edge of the truth, changes nothing; and they are the directed ones of
// the upper triangle, ranked by pairs.
func TestSkeletonMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 41))
		d := rapid.IntRange(2, 7).Draw(t, "d")
		truth := randomDAG(d, 0.5, rng)
		p, flipped, turned := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil), dag.New(d)
		won, pairs := 0.0, 0.0
		var joined, apart []float64
		for i := range d {
			for j := range i {
				a, b := float64(rng.IntN(5))/8, float64(rng.IntN(5))/8 // ties
				p.Set(i, j, a)
				p.Set(j, i, b)
				flipped.Set(i, j, b)
				flipped.Set(j, i, a)
				if truth.Has(i, j) || truth.Has(j, i) {
					joined = append(joined, a+b)
					turned.Set(i, j, true)
				} else {
					apart = append(apart, a+b)
				}
			}
		}
		for _, v := range joined {
			for _, w := range apart {
				pairs++
				switch {
				case v > w:
					won++
				case v == w:
					won += 0.5
				}
			}
		}
		if got := metrics.SkeletonAUROC(p, truth); !near(got, won/pairs, 1e-14) {
			t.Fatalf("skeleton AUROC %v, want %v", got, won/pairs)
		}
		for _, q := range []*mat.Dense{p, flipped} {
			for _, g := range []*dag.Graph{truth, turned} {
				if a, b := metrics.SkeletonAUROC(q, g),
					metrics.SkeletonAUROC(p, truth); !near(a, b, 0) {
					t.Fatalf("skeleton AUROC %v after turning edges, was %v", a, b)
				}
				if a, b := metrics.SkeletonAveragePrecision(q, g),
					metrics.SkeletonAveragePrecision(p, truth); !near(a, b, 0) {
					t.Fatalf("skeleton average precision %v after turning edges, was %v", a, b)
				}
			}
		}
	})
}

// Markov equivalent graphs have the distance 0. The chain, the fork and the
// reversed chain are equivalent; the collider differs in both edges.
func TestCPDAGDistance(t *testing.T) {
	chain := graph(t, 3, [2]int{0, 1}, [2]int{1, 2})
	for _, row := range []struct {
		name  string
		edges [][2]int
		want  int
	}{
		{"reversed chain", [][2]int{{2, 1}, {1, 0}}, 0},
		{"fork", [][2]int{{1, 0}, {1, 2}}, 0},
		{"collider", [][2]int{{0, 1}, {2, 1}}, 2},
		{"one edge", [][2]int{{1, 0}}, 1},
		{"triangle", [][2]int{{0, 1}, {0, 2}, {1, 2}}, 1},
		{"none", nil, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := metrics.CPDAGSHD(graph(t, 3, row.edges...), chain)
			if err != nil || got != row.want {
				t.Errorf("got %d, %v, want %d", got, err, row.want)
			}
		})
	}
	cycle := graph(t, 3, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0})
	for _, pair := range [][2]*dag.Graph{{cycle, chain}, {chain, cycle}} {
		if _, err := metrics.CPDAGSHD(pair[0], pair[1]); !errors.As(err, new(*dag.CycleError)) {
			t.Errorf("cycle: error %v", err)
		}
	}
	if _, err := metrics.EvaluateEdges(mat.NewDense(3, 3, nil), cycle); !errors.As(err,
		new(*dag.CycleError)) {
		t.Errorf("truth with a cycle: error %v", err)
	}
}

// Worked by hand. Truth 0 → 1 → 2. 0→1: 0.7, 1→0: 0.2; 1→2: 0.2, 2→1: 0.6; 0→2: 0.1.
// E-SHD 0.3 + 0.8 + 0.1. Off the diagonal 0→1 beats 4 others; 1→2 beats 0→2 and
// 2→0, ties 1→0, loses to 2→1: (4 + 2.5)/8. Pairs: 0.9 and 0.8 beat 0.1. The consensus
// is the collider 0→1←2: distance 1, as classes 2.
func TestEdgeReportByHand(t *testing.T) {
	truth := graph(t, 3, [2]int{0, 1}, [2]int{1, 2})
	p := matrix([]float64{0, 0.7, 0.1}, []float64{0.2, 0, 0.2}, []float64{0, 0.6, 0})
	got := must.Get(metrics.EvaluateEdges(p, truth))(t)
	logScore := -(math.Log(0.7) + math.Log(0.9) + math.Log(0.8) + math.Log(0.2) + math.Log(0.995) +
		math.Log(0.4)) / 6
	for _, row := range []struct {
		name string
		got  metrics.Number
		want float64
	}{
		{"eshd", got.ESHD, 1.2}, {"auroc", got.AUROC, 6.5 / 8},
		{"auroc with diagonal", got.AUROCWithDiagonal, 12.5 / 14},
		{"average precision", got.AveragePrecision, (1 + 0.5) / 2},
		{"brier", got.Brier, (0.09 + 0.01 + 0.04 + 0.64 + 0.36) / 6},
		{"log score", got.LogScore, logScore},
		{"expected edges", got.ExpectedEdges, 1.8}, {"skeleton auroc", got.SkeletonAUROC, 1},
		{"skeleton average precision", got.SkeletonAveragePrecision, 1},
		{"consensus edges", got.ConsensusEdges, 2}, {"consensus shd", got.ConsensusSHD, 1},
		{"cpdag shd", got.CPDAGSHD, 2},
		{"eshd of the empty graph", got.ESHDEmptyGraph, 2},
	} {
		if !near(float64(row.got), row.want, 1e-15) {
			t.Errorf("%s: got %v, want %v", row.name, row.got, row.want)
		}
	}
}

// Relabelling variables changes no metric.
func TestEdgeReportRelabelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 43))
		d := rapid.IntRange(2, 7).Draw(t, "d")
		truth, order := randomDAG(d, 0.5, rng), rng.Perm(d)
		p, relabelled := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				if i != j {
					p.Set(i, j, 0.5*rng.Float64())
				}
			}
		}
		for a, i := range order {
			for b, j := range order {
				relabelled.Set(a, b, p.At(i, j))
			}
		}
		want := must.Get(metrics.EvaluateEdges(p, truth))(t)
		got := must.Get(metrics.EvaluateEdges(relabelled, truth.Relabel(order)))(t)
		a, b := fields(t, got), fields(t, want)
		for name := range b {
			if (a[name] == nil) != (b[name] == nil) || a[name] != nil &&
				!near(*a[name], *b[name], 1e-12) {
				t.Fatalf("%s changed from %v to %v", name, b[name], a[name])
			}
		}
	})
}

// fields are the numbers of a report by their JSON keys.
func fields(t interface{ Fatal(...any) }, r *metrics.EdgeReport) map[string]*float64 {
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]*float64
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Without a truth there is only what describes the probabilities. The truth
// itself is perfect, the empty graph is the baseline.
func TestEdgeReportExtremes(t *testing.T) {
	truth := graph(t, 4, [2]int{0, 1}, [2]int{1, 2}, [2]int{3, 2})
	blind := must.Get(metrics.EvaluateEdges(truth.Matrix(), nil))(t)
	text := must.Get(json.Marshal(blind))(t)
	want := `{"variables":4,"eshd":null,"auroc":null,"auroc_with_diagonal":null,"average_precision":null,"auprc_trapezoid":null,"brier":null,"log_score":null,` +
		`"calibration_error":null,"expected_edges":3,"skeleton_auroc":null,"skeleton_average_precision":null,"consensus_edges":3,"consensus_shd":null,` +
		`"cpdag_shd":null,"eshd_empty_graph":null}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	perfect := must.Get(metrics.EvaluateEdges(truth.Matrix(), truth))(t)
	if perfect.ESHD != 0 || perfect.AUROC != 1 || perfect.Brier != 0 ||
		perfect.SkeletonAUROC != 1 || perfect.CPDAGSHD != 0 || perfect.ConsensusSHD != 0 {
		t.Errorf("truth: %+v", *perfect)
	}
	none := must.Get(metrics.EvaluateEdges(mat.NewDense(4, 4, nil), truth))(t)
	if none.ESHD != 3 || none.AUROC != 0.5 || none.SkeletonAUROC != 0.5 || none.CPDAGSHD != 3 {
		t.Errorf("no edges: %+v", *none)
	}
	complete := graph(t, 3, [2]int{0, 1}, [2]int{1, 2}, [2]int{0, 2})
	if v := metrics.SkeletonAUROC(complete.Matrix(), complete); !math.IsNaN(v) {
		t.Errorf("skeleton AUROC against a complete graph is %v, want NaN", v)
	}
	both := graph(t, 2, [2]int{0, 1}, [2]int{1, 0})
	if v := metrics.ESHDOfEdges(mat.NewDense(2, 2, []float64{0, 1, 0, 0}), both); v != 1 {
		t.Errorf("E-SHD against a pair joined in both directions is %v, want 1", v)
	}
}

// The probability that a pair is joined is at most 1, also where both directions have more than ½
// (which happens with particles that have cycles): it ties with a pair that is surely joined.
func TestJoinedAtMostSurely(t *testing.T) {
	truth := graph(t, 3, [2]int{0, 1})
	p := mat.NewDense(3, 3, []float64{0, 1, 0.9, 0, 0, 0, 0.9, 0, 0})
	// joined: 1; not joined: min(1, 1.8), 0
	if got := metrics.SkeletonAUROC(p, truth); got != 0.75 {
		t.Errorf("AUROC %v, want 0.75", got)
	}
}

// Graphs of different sizes are refused.
func TestGraphsOfDifferentSizes(t *testing.T) {
	e := &posterior.Ensemble{Graphs: []*dag.Graph{dag.New(2), dag.New(2), dag.New(3)}}
	if message := panics(func() {
		metrics.Evaluate(e, dag.New(2), nil)
	}); message != "metrics: graph 2 has 3 vertices, graph 0 has 2" {
		t.Errorf("got %v", message)
	}
}
