package metrics_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/posterior"
)

func evaluate(t interface{ Fatal(...any) }, e *posterior.Ensemble, truth *dag.Graph,
	h *metrics.HeldOut) *metrics.Report {
	r, err := metrics.Evaluate(e, truth, h)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Worked by hand. Truth 0 → 1 → 2; particles {0→1, 2→1} and {0→1, 0→2, 1→2}.
// Edge probabilities 0→1: 1, 2→1, 0→2, 1→2: ½. SHD 1 (a reversal) and 1 (an
// extra edge). Off the diagonal 0→1 beats all 4 others and 1→2 beats 2 and ties
// 2: (4 + 3)/8; the diagonal adds 6 won pairs: (7 + 6)/14. Precision is 1 at
// recall ½ and 2/4 at recall 1: AP ½ + ¼, trapezoid ½ + ½·¾. Three entries of six
// are half wrong: Brier score (3·¼)/6. Of the three entries with probability ½ one
// is an edge, and 3·½ − 1 = ½: calibration error ½/6; the other bins are right.
func TestHandWorkedCase(t *testing.T) {
	truth := graph(t, 3, [2]int{0, 1}, [2]int{1, 2})
	e := posterior.Uniform([]*dag.Graph{
		graph(t, 3, [2]int{0, 1}, [2]int{2, 1}),
		graph(t, 3, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 2}),
	})
	heldOut := metrics.NewHeldOut([]float64{-2, -4, -1}, []float64{-10, -20, -50})
	want := &metrics.Report{
		ESHD: 1, AUROC: 7.0 / 8, AUROCWithDiagonal: 13.0 / 14,
		AveragePrecision: 0.75, AveragePrecisionWithDiagonal: 0.75, AUPRC: 0.875,
		AUPRCWithDiagonal: 0.875,
		Brier:             1.0 / 8, CalibrationError: 1.0 / 12,
		ExpectedEdges: 2.5, NegLL: 18, NegLLDataOnly: 15,
		ESHDEmptyGraph: 2, NegLLEmptyGraph: 51, NegLLDataOnlyEmptyGraph: 50,
		Particles: 2, EffectiveSampleSize: 2,
	}
	got := evaluate(t, e, truth, heldOut)
	if *got != *want { // every number here is exact
		compareReports(t, got, want, 0)
		t.Errorf("got %+v\nwant %+v", *got, *want)
	}
}

func TestTruthIsPerfect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		truth := randomDAG(rapid.IntRange(2, 8).Draw(t, "d"), 0.5, rng)
		r := evaluate(t, posterior.Uniform([]*dag.Graph{truth, truth.Clone(), truth}), truth, nil)
		one := 1.0
		if truth.Size() == 0 {
			one = math.NaN()
		}
		for _, v := range []metrics.Number{r.AUROC, r.AUROCWithDiagonal, r.AveragePrecision,
			r.AveragePrecisionWithDiagonal, r.AUPRC, r.AUPRCWithDiagonal} {
			if !near(float64(v), one, 0) {
				t.Fatalf("%+v", r)
			}
		}
		if r.Brier != 0 || r.CalibrationError != 0 {
			t.Fatalf("%+v", r)
		}
		if r.ESHD != 0 || r.Cyclic != 0 || r.Cyclicity != 0 ||
			r.ExpectedEdges != r.ESHDEmptyGraph || r.ExpectedEdges != metrics.Number(truth.Size()) {
			t.Fatalf("%+v", r)
		}
	})
}

func TestReportBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		r := evaluate(t, p.ensemble, p.truth, p.heldOut)
		pairs := float64(p.truth.Len() * (p.truth.Len() - 1) / 2)
		within := func(name string, v metrics.Number, lo, hi float64) {
			if p.truth.Size() == 0 && math.IsNaN(float64(v)) && lo == 0 && hi == 1 {
				return
			}
			if !(float64(v) >= lo-1e-12 && float64(v) <= hi+1e-12) {
				t.Fatalf("%s is %g, want %g to %g", name, v, lo, hi)
			}
		}
		within("eshd", r.ESHD, 0, pairs)
		within("expected edges", r.ExpectedEdges, 0, 2*pairs)
		within("auroc", r.AUROC, 0, 1)
		within("auroc with diagonal", r.AUROCWithDiagonal, 0, 1)
		within("average precision", r.AveragePrecision, 0, 1)
		within("average precision with diagonal", r.AveragePrecisionWithDiagonal, 0, 1)
		within("auprc", r.AUPRC, 0, 1)
		within("auprc with diagonal", r.AUPRCWithDiagonal, 0, 1)
		within("brier", r.Brier, 0, 1)
		within("calibration error", r.CalibrationError, 0, 1)
		within("effective sample size", r.EffectiveSampleSize, 0, float64(len(p.graphs)))
		if (r.Cyclic > 0) != (r.Cyclicity > 0) {
			t.Fatalf("%d cyclic, cyclicity %g", r.Cyclic, r.Cyclicity)
		}
	})
}

func TestReportRelabelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "relabel"), 9)).Perm(p.truth.Len())
		relabelled := &posterior.Ensemble{LogWeights: p.ensemble.LogWeights}
		for _, g := range p.graphs {
			relabelled.Graphs = append(relabelled.Graphs, g.Relabel(order))
		}
		want := evaluate(t, p.ensemble, p.truth, p.heldOut)
		got := evaluate(t, relabelled, p.truth.Relabel(order), p.heldOut)
		compareReports(t, got, want, 1e-12)
	})
}

// Evaluating an ensemble with cyclic particles is evaluating what is left
// without them.
func TestFilterIsRemoval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		got := evaluate(t, p.ensemble, p.truth, p.heldOut)
		var graphs []*dag.Graph
		var logw []float64
		left := &metrics.HeldOut{Empty: p.heldOut.Empty}
		for m, g := range p.graphs {
			if g.Acyclic() {
				graphs = append(graphs, g)
				logw = append(logw, p.ensemble.LogWeights[m])
				left.Particles = append(left.Particles, p.heldOut.Particles[m])
			}
		}
		if graphs == nil {
			d := p.truth.Len()
			if got.ESHD != metrics.Number(d*(d-1)/2) || got.NegLL != got.NegLLEmptyGraph ||
				got.Cyclic != len(p.graphs) {
				t.Fatalf("all cyclic: %+v", got)
			}
			return
		}
		e := must.Get(posterior.Weighted(graphs, logw))(t)
		want := evaluate(t, e, p.truth, left)
		want.Particles, want.Cyclic, want.Cyclicity = got.Particles, got.Cyclic, got.Cyclicity
		compareReports(t, got, want, 1e-12)
		if got.Particles != len(p.graphs) || got.Cyclic != len(p.graphs)-len(graphs) {
			t.Fatalf("%d cyclic of %d", got.Cyclic, got.Particles)
		}
	})
}

func TestAllCyclic(t *testing.T) {
	cycle := graph(t, 4, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0})
	truth := graph(t, 4, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3})
	nan := math.NaN()
	heldOut := &metrics.HeldOut{
		Particles: []metrics.LogDensity{{Data: nan}, {Data: nan}}, // not looked at
		Empty:     metrics.LogDensity{Prior: -3, Data: -40},
	}
	got := evaluate(t, posterior.Uniform([]*dag.Graph{cycle, cycle}), truth, heldOut)
	want := &metrics.Report{
		ESHD: 6, AUROC: 0.5, AUROCWithDiagonal: 0.5,
		AveragePrecision: 0.25, AveragePrecisionWithDiagonal: 0.25, AUPRC: 0.25,
		AUPRCWithDiagonal: 0.25,
		Brier:             0.25, CalibrationError: 0.25,
		ExpectedEdges: 3, NegLL: 43, NegLLDataOnly: 40,
		ESHDEmptyGraph: 3, NegLLEmptyGraph: 43, NegLLDataOnlyEmptyGraph: 40,
		Particles: 2, Cyclic: 2, Cyclicity: metrics.Number(metrics.Acyclicity(cycle)),
	}
	compareReports(t, got, want, 1e-15)
	if got.Brier != want.Brier || got.CalibrationError != want.CalibrationError {
		t.Errorf(
			"Brier score %v and calibration error %v, want those of the empty graph, %v and %v",
			got.Brier, got.CalibrationError, want.Brier, want.CalibrationError)
	}
	if r := evaluate(t, posterior.Uniform([]*dag.Graph{cycle}), dag.New(4),
		nil); !math.IsNaN(float64(r.AUROC)) || !math.IsNaN(float64(r.AUPRC)) {
		t.Errorf("truth without edges: %+v", r)
	}
}

func TestEvaluateErrors(t *testing.T) {
	graphs := []*dag.Graph{dag.New(2), graph(t, 2, [2]int{0, 1})}
	e := posterior.Uniform(graphs)
	nan := math.NaN()
	for _, row := range []struct {
		name string
		e    *posterior.Ensemble
		h    *metrics.HeldOut
		want string
	}{
		{"weight", &posterior.Ensemble{Graphs: graphs, LogWeights: []float64{0, nan}}, nil,
			"metrics: log weight of particle 2 is NaN, want a finite number"},
		{"data", e, &metrics.HeldOut{Particles: []metrics.LogDensity{{},
			{Prior: -1, Data: math.Inf(-1)}}},
			"metrics: held-out log density of particle 2 is -1 + -Inf, want finite numbers"},
		{"prior", e, &metrics.HeldOut{Particles: []metrics.LogDensity{{Prior: nan}, {}}},
			"metrics: held-out log density of particle 1 is NaN + 0, want finite numbers"},
		{"empty graph", e, &metrics.HeldOut{Particles: make([]metrics.LogDensity, 2),
			Empty: metrics.LogDensity{Data: nan}},
			"metrics: held-out log density of the empty graph is NaN, want a finite number"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := metrics.Evaluate(row.e, dag.New(2), row.h)
			if err == nil || err.Error() != row.want || r != nil {
				t.Errorf("got  %v\nwant %s", err, row.want)
			}
		})
	}
}

func TestEvaluateLeavesInputsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		logw, held, truth := slices.Clone(p.ensemble.LogWeights), slices.Clone(p.heldOut.Particles),
			p.truth.Clone()
		var copies []*dag.Graph
		for _, g := range p.graphs {
			copies = append(copies, g.Clone())
		}
		first := evaluate(t, p.ensemble, p.truth, p.heldOut)
		second := evaluate(t, p.ensemble, p.truth, p.heldOut)
		compareReports(t, second, first, 0)
		if !slices.Equal(logw, p.ensemble.LogWeights) || !slices.Equal(held, p.heldOut.Particles) ||
			!truth.Equal(p.truth) ||
			!slices.EqualFunc(copies, p.graphs, (*dag.Graph).Equal) {
			t.Fatal("an input changed")
		}
	})
}

func TestReportJSON(t *testing.T) {
	truth := graph(t, 3, [2]int{0, 1})
	r := evaluate(t, posterior.Uniform([]*dag.Graph{truth}), truth, nil)
	text := must.Get(json.Marshal(r))(t)
	want := `{"eshd":0,"auroc":1,"auroc_with_diagonal":1,"average_precision":1,"average_precision_with_diagonal":1,` +
		`"auprc_trapezoid":1,"auprc_trapezoid_with_diagonal":1,"brier":0,"calibration_error":0,"expected_edges":1,"neg_ll":null,"neg_ll_data_only":null,` +
		`"eshd_empty_graph":1,"neg_ll_empty_graph":null,"neg_ll_data_only_empty_graph":null,` +
		`"particles":1,"cyclic":0,"cyclicity":0,"effective_sample_size":1}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	back := metrics.Report{NegLL: 5}
	must.Do(t, json.Unmarshal(text, &back))
	compareReports(t, &back, r, 0)

	// No truth: only what describes the particles.
	blind := evaluate(t, posterior.Uniform([]*dag.Graph{truth}), nil, nil)
	text = must.Get(json.Marshal(blind))(t)
	if n := strings.Count(string(text), "null"); n != 14 || blind.ExpectedEdges != 1 {
		t.Errorf("%d nulls, want 14: %s", n, text)
	}

	var number metrics.Number
	if err := json.Unmarshal([]byte(`"x"`), &number); err == nil {
		t.Error("no error for a string")
	}
	if text, err := json.Marshal(metrics.Number(math.Inf(-1))); err != nil ||
		string(text) != "null" {
		t.Errorf("-Inf is %s, %v", text, err)
	}
}

// Two particles with weights 1/4 and 3/4 stand for four with equal weights.
func TestWeightsStandForCopies(t *testing.T) {
	a, b := graph(t, 3, [2]int{0, 1}), graph(t, 3, [2]int{2, 1}, [2]int{0, 2})
	truth := graph(t, 3, [2]int{0, 1}, [2]int{1, 2})
	weighted := must.Get(posterior.Weighted([]*dag.Graph{a, b}, []float64{0, math.Log(3)}))(t)
	got := must.Get(metrics.Evaluate(weighted, truth, nil))(t)
	want := must.Get(metrics.Evaluate(posterior.Uniform([]*dag.Graph{a, b, b, b}), truth, nil))(t)
	if !near(float64(got.EffectiveSampleSize), 1.6, 1e-12) { // 1/(1/16 + 9/16)
		t.Errorf("effective sample size %g, want 1.6", got.EffectiveSampleSize)
	}
	got.Particles, got.EffectiveSampleSize = want.Particles, want.EffectiveSampleSize
	compareReports(t, got, want, 1e-14)
}

func TestPanics(t *testing.T) {
	two := []*dag.Graph{dag.New(3), dag.New(3)}
	for name, f := range map[string]func(){
		"values differ":       func() { metrics.NegLL(posterior.Uniform(two), []float64{1}) },
		"graphs of two sizes": func() { metrics.SHD(dag.New(2), dag.New(3)) },
		"scores of two sizes": func() {
			metrics.AUROC(mat.NewDense(2, 2, nil), dag.New(3), metrics.OffDiagonal)
		},
		"score NaN": func() {
			metrics.AUROC(matrix([]float64{0, math.NaN()}, []float64{0, 0}), dag.New(2), 0)
		},
		"convention":         func() { metrics.AUROC(mat.NewDense(2, 2, nil), dag.New(2), 2) },
		"order of two sizes": func() { metrics.ViolatedEdges([]int{0}, dag.New(2)) },
		"truth of two sizes": func() {
			_, _ = metrics.Evaluate(posterior.Uniform(two), dag.New(2), nil)
		},
		"held-out lengths": func() {
			_, _ = metrics.Evaluate(posterior.Uniform(two), nil,
				&metrics.HeldOut{Particles: make([]metrics.LogDensity, 3)})
		},
		"densities":  func() { metrics.NewHeldOut([]float64{1}, []float64{1, 2}) },
		"no density": func() { metrics.NewHeldOut(nil, nil) },
		"log weights": func() {
			_, _ = metrics.Evaluate(&posterior.Ensemble{Graphs: two}, nil, nil)
		},
	} {
		if message, ok := panics(f).(string); !ok || !strings.HasPrefix(message, "metrics: ") {
			t.Errorf("%s: panic %q, want one that starts with metrics:", name, message)
		}
	}
}

// FuzzNumber: what the decoder of the standard library takes for a float64, and null, is read,
// everything else is not, and what is read is written as the same number.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"null", "0", "-1.5e-300", "1e400", "\"1\"", "NaN", "", " 2 ",
		"[1]", "-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got metrics.Number
		var want *float64
		err, wanted := json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &want)
		if (err == nil) != (wanted == nil) {
			t.Fatalf("%q: error %v, for a float64 %v", text, err, wanted)
		}
		if err != nil {
			return
		}
		if v := float64(got); want == nil && !math.IsNaN(v) || want != nil &&
			math.Float64bits(v) != math.Float64bits(*want) {
			t.Fatalf("%q is read as %v", text, v)
		}
		written := must.Get(json.Marshal(got))(t)
		var again metrics.Number
		if err := json.Unmarshal(written, &again); err != nil ||
			math.Float64bits(float64(again)) != math.Float64bits(float64(got)) {
			t.Fatalf("%v written as %s is read as %v, error %v", got, written, again, err)
		}
	})
}
