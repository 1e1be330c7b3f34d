package gflownet_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/internal/gflownet"
	"tobac/internal/must"
	_ "tobac/internal/unwritten"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

func newModel(t *testing.T, s score.Scorer, prior *score.Prior, set gflownet.Settings,
	workers int) *gflownet.Model {
	t.Helper()
	m := must.Get(gflownet.New(s, prior, set, workers, 1))(t)
	t.Cleanup(m.Close)
	return m
}

func advance(t *testing.T, m *gflownet.Model, to int) {
	t.Helper()
	must.Do(t, m.Advance(t.Context(), to))
}

func compare(t *testing.T, m *gflownet.Model) *gflownet.Comparison {
	t.Helper()
	return must.Get(m.Compare(t.Context()))(t)
}

// TestDefaultPolicy: the default of four variables is exact.
func TestDefaultPolicy(t *testing.T) {
	m := newModel(t, sachs(t, 100, 4), nil, gflownet.Settings{}, 1)
	advance(t, m, m.Steps())
	if c := compare(t, m); m.Settings().Policy != gflownet.Exact || !m.Done() ||
		c.TotalVariation > 1e-12 || c.Loss > 1e-9 {
		t.Errorf("policy %v, done %v, comparison %+v, want an exact one", m.Settings().Policy,
			m.Done(), c)
	}
	logZ, err := m.LogEvidence(t.Context())
	if err != nil || !(math.Abs(logZ+548.1944497014) <= 1e-8) {
		t.Errorf("log evidence %v, %v, want -548.1944497014", logZ, err)
	}
	if set := (gflownet.Settings{}).WithDefaults(6); set.Policy != gflownet.Graph {
		t.Errorf("policy of six variables is %v, want graph", set.Policy)
	}
}

// TestGraphLearns: after a few seconds the policy on the first four columns of the Sachs
// data is near the posterior over all 543 graphs, nearer than without training, and so are its
// marginals, its evidence and its draws.
func TestGraphLearns(t *testing.T) {
	m := newModel(t, sachs(t, 100, 4), nil,
		gflownet.Settings{Policy: gflownet.Graph, Iterations: 150, Prefill: 20, Width: 32}, 2)
	before := compare(t, m)
	advance(t, m, m.Steps())
	after := compare(t, m)
	if after.TotalVariation > 0.05 || after.TotalVariation > before.TotalVariation ||
		after.Loss > before.Loss || after.Marginal > 0.05 {
		t.Errorf("total variation %v → %v, loss %v → %v, marginals within %v, want at most 0.05 "+
			"and less than before",
			before.TotalVariation, after.TotalVariation, before.Loss, after.Loss, after.Marginal)
	}
	logZ, err := m.LogEvidence(t.Context())
	if err != nil || !(math.Abs(logZ+548.194) <= 0.2) {
		t.Errorf("log evidence %v, %v, want about -548.19", logZ, err)
	}
	graphs := must.Get(m.Draws(t.Context(), 400))(t)
	var difference mat.Dense
	difference.Sub(frequencies(graphs), after.Edges)
	// 4 standard deviations in each of 4 columns
	if v := mat.Norm(&difference, math.Inf(1)); v > 4*4*0.025 {
		t.Errorf("edges of the draws differ from those of the policy by %v in a row", v)
	}
	if m.Skipped() != 0 || len(m.Trace()) != 1 {
		t.Errorf("%d skipped steps and %d numbers in the trace, want 0 and 1", m.Skipped(),
			len(m.Trace()))
	}
}

// TestSmallLearns: item 7 of the specification's list.
func TestSmallLearns(t *testing.T) {
	m := newModel(t, sachs(t, 100, 3), nil,
		gflownet.Settings{Policy: gflownet.Small, Iterations: 25, Prefill: 10}, 2)
	advance(t, m, m.Steps())
	f := must.Get(m.Flows(t.Context()))(t)
	graphs := must.Get(m.Draws(t.Context(), 1000))(t)
	p, truth := frequencies(graphs), f.Edges()
	shd, exact := 0.0, 0.0 // to the graph 0 → 1
	for i := range 3 {
		for j := range 3 {
			if got, want := p.At(i, j), truth.At(i, j); !(math.Abs(got-want) <= 0.05) {
				t.Errorf("marginal of %d → %d is %v, want %v", i, j, got, want)
			}
		}
	}
	target := dag.New(3)
	target.Set(0, 1, true)
	for _, g := range graphs {
		shd += distance(g, target) / float64(len(graphs))
	}
	for i := range f.Graphs() {
		exact += f.Probability(i) * distance(f.Graph(i), target)
	}
	if !(math.Abs(shd-exact) <= 0.1) { // the standard deviation of a mean of 1000 is .02
		t.Errorf("expected SHD %v, want %v", shd, exact)
	}
}

// distance counts the pairs on which two graphs differ.
func distance(g, h *dag.Graph) (n float64) {
	for i := range g.Len() {
		for j := range i {
			if g.Has(i, j) != h.Has(i, j) || g.Has(j, i) != h.Has(j, i) {
				n++
			}
		}
	}
	return n
}

func frequencies(graphs []*dag.Graph) *mat.Dense {
	d := graphs[0].Len()
	m := mat.NewDense(d, d, nil)
	for _, g := range graphs {
		m.Add(m, g.Matrix())
	}
	m.Scale(1/float64(len(graphs)), m)
	return m
}

// TestQuota: the numbers of edges of exact draws have the exact distribution; the first
// episodes to stop, of some side by side, have fewer.
func TestQuota(t *testing.T) {
	flat := score.NewFunc(4, func(int, []int) float64 { return 0 })
	m := newModel(t, flat, nil, gflownet.Settings{}, 1)
	const count = 4000
	graphs := must.Get(m.Draws(t.Context(), count))(t)
	got := make([]float64, 7)
	for _, g := range graphs {
		got[g.Size()]++
	}
	want := []float64{1, 12, 60, 152, 186, 108, 24} // of 543
	for k := range want {
		want[k] *= count / 543.
	}
	got[1], want[1] = got[0]+got[1], want[0]+want[1]
	limit := distuv.ChiSquared{K: 5}.Quantile(0.9999)
	if chi := stat.ChiSquare(got[1:], want[1:]); chi > limit {
		t.Errorf("χ² = %v of %v, want %v, at most %v", chi, got, want, limit)
	}
	// Eight episodes in each of 500 environments, one edge or stop at a time: the first 500
	// that stop, of all.
	type end struct{ time, edges int }
	var ends []end
	for e := range 500 {
		now := 0
		for _, g := range graphs[8*e : 8*e+8] {
			now += g.Size() + 1
			ends = append(ends, end{now, g.Size()})
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return a.time - b.time })
	mean := 0.0
	for _, e := range ends[:500] {
		mean += float64(e.edges) / 500
	}
	const exact = 2016. / 543 // edges of a graph; the standard deviation of a mean of 500 is .05
	if mean > exact-0.2 {
		t.Errorf("the first episodes to stop have %v edges, want fewer than the exact %v", mean,
			exact)
	}
}

// TestSameBits: neither the number of workers nor an interruption with a state written as
// JSON changes a bit.
func TestSameBits(t *testing.T) {
	set := gflownet.Settings{Policy: gflownet.Graph, Iterations: 24, Prefill: 8, Width: 8, Batch: 6,
		Environments: 3, Buffer: 40, Refresh: 5}
	s := sachs(t, 100, 6)
	run := func(workers int, stops ...int) string {
		m := newModel(t, s, nil, set, workers)
		for _, at := range append(stops, m.Steps()) {
			advance(t, m, at)
			text := must.Get(json.Marshal(m.State()))(t)
			var state gflownet.State
			must.Do(t, json.Unmarshal(text, &state))
			m = newModel(t, s, nil, set, workers)
			must.Do(t, m.Restore(&state))
		}
		graphs := must.Get(m.Draws(t.Context(), 70))(t)
		text := ""
		for _, g := range graphs {
			for _, e := range g.Edges() {
				text += string(rune('a'+e.From)) + string(rune('a'+e.To))
			}
			text += " "
		}
		final := must.Get(json.Marshal(m.State()))(t)
		return text + string(final)
	}
	want := run(1)
	if got := run(3, 4, 20, 21); got != want {
		t.Errorf("three workers and three interruptions: another state or other draws")
	}
}

// TestTolerance stops as soon as the policy is near enough, which a state remembers.
func TestTolerance(t *testing.T) {
	set := gflownet.Settings{Policy: gflownet.Graph, Iterations: 200, Prefill: 10, Width: 8,
		Tolerance: 0.3, Look: 20}
	s := sachs(t, 100, 3)
	m := newModel(t, s, nil, set, 1)
	advance(t, m, m.Steps())
	if !m.Done() || m.Step() >= m.Steps() || m.Step()%20 != 0 {
		t.Errorf("stopped at %d of %d, want an earlier look", m.Step(), m.Steps())
	}
	again := newModel(t, s, nil, set, 1)
	if err := again.Restore(m.State()); err != nil || !again.Done() {
		t.Errorf("restored: %v, done %v", err, again.Done())
	}
}

// TestKnowledge: exact and learned policies keep to what a prior says.
func TestKnowledge(t *testing.T) {
	prior := score.Uniform(4)
	prior.Require(3, 0)
	prior.Forbid(0, 1)
	prior.MaxParents(2)
	for _, set := range []gflownet.Settings{{},
		{Policy: gflownet.Graph, Iterations: 10, Width: 8, Prefill: 10}} {
		m := newModel(t, sachs(t, 100, 4), prior, set, 1)
		advance(t, m, m.Steps())
		graphs := must.Get(m.Draws(t.Context(), 100))(t)
		for _, g := range graphs {
			if !g.Has(3, 0) || g.Has(0, 1) || !g.Acyclic() {
				t.Fatalf("%v: drew %v", m.Settings().Policy, g.Edges())
			}
			for j := range 4 {
				if len(g.Parents(j)) > 2 {
					t.Fatalf("%v: drew %v with too many parents", m.Settings().Policy, g.Edges())
				}
			}
			if math.IsInf(m.LogReward(g), -1) {
				t.Fatalf("%v: drew the impossible %v", m.Settings().Policy, g.Edges())
			}
		}
		f := must.Get(m.Flows(t.Context()))(t)
		total := 0.0
		for i := range f.Graphs() {
			total += f.Probability(i)
		}
		if !(math.Abs(total-1) <= 1e-12) {
			t.Errorf("exact probabilities sum to %v", total)
		}
	}
}

// TestErrors: one line each, with what is wanted.
func TestErrors(t *testing.T) {
	s := sachs(t, 100, 6)
	for name, c := range map[string]struct {
		set  gflownet.Settings
		want string
	}{
		"policy": {gflownet.Settings{Policy: "big"},
			`unknown policy "big", want one of ["exact" "graph" "small" "paper"]`},
		"exact": {gflownet.Settings{Policy: gflownet.Exact},
			"policy exact of 6 variables, want at most 5"},
		"logits": {gflownet.Settings{Logits: "no"},
			`unknown logits "no", want "guided" or "plain"`},
		"width":   {gflownet.Settings{Width: 6}, "width is 6, want a multiple of 4"},
		"batch":   {gflownet.Settings{Batch: -1}, "batch is -1, want at least 1"},
		"buffer":  {gflownet.Settings{Buffer: 8}, "buffer is 8, want at least 32"},
		"rate":    {gflownet.Settings{Rate: math.NaN()}, "rate is NaN, want"},
		"exploit": {gflownet.Settings{Exploit: 2}, "exploit is 2, want 0 < exploit <= 1"},
		"ramp":    {gflownet.Settings{Ramp: 2}, "ramp is 2, want at most 1"},
		"decay":   {gflownet.Settings{Decay: 2}, "decay is 2, want at most 1"},
		"tolerance": {gflownet.Settings{Tolerance: 0.1},
			"tolerance with 6 variables, want at most 5"},
	} {
		if _, err := gflownet.New(s, nil, c.set, 1, 1); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := gflownet.New(s, score.Uniform(5), gflownet.Settings{}, 1, 1); err == nil {
		t.Error("a prior of five variables: got no error")
	}
	large := score.NewFunc(65, func(int, []int) float64 { return 0 })
	if _, err := gflownet.New(large, nil, gflownet.Settings{}, 1, 1); err == nil ||
		!strings.Contains(err.Error(), "got 65 variables, want 1 to 64") {
		t.Errorf("65 variables: got %v", err)
	}
	nan := score.NewFunc(3, func(j int, parents []int) float64 {
		return math.Log(-float64(len(parents)))
	})
	if m, err := gflownet.New(nan, nil, gflownet.Settings{}, 1, 1); err == nil {
		if err = m.Advance(t.Context(), 1); err == nil ||
			!strings.Contains(err.Error(), "log score of variable") {
			t.Errorf("scores that are no numbers: got %v", err)
		}
	}
	m := newModel(t, s, nil, gflownet.Settings{Width: 8, Iterations: 30, Prefill: 2}, 1)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := m.Advance(ctx, 10); !errors.Is(err, stop) || m.Step() != 0 {
		t.Errorf("cancelled: got %v after %d iterations", err, m.Step())
	}
	if _, err := m.Compare(t.Context()); err == nil {
		t.Error("comparison of six variables: got no error")
	}
}

// TestRestoreErrors: damaged states leave the model as it is.
func TestRestoreErrors(t *testing.T) {
	set := gflownet.Settings{Width: 8, Iterations: 30, Prefill: 2, Batch: 4}
	s := sachs(t, 100, 6)
	m := newModel(t, s, nil, set, 1)
	advance(t, m, 12)
	before, _ := json.Marshal(m.State())
	for name, damage := range map[string]func(s *gflownet.State){
		"iteration":     func(s *gflownet.State) { s.Iteration = -1 },
		"weights, want": func(s *gflownet.State) { s.Weights = s.Weights[1:] },
		"NaN":           func(s *gflownet.State) { s.Target[7] = math.NaN() },
		"moments":       func(s *gflownet.State) { s.Optimiser.First = nil },
		"episodes":      func(s *gflownet.State) { s.Episodes = s.Episodes[:7] },
		// an edge from a variable to itself
		"replay":  func(s *gflownet.State) { s.Replay[0] |= 1 },
		"updates": func(s *gflownet.State) { s.Optimiser.Count = 100 },
	} {
		state := m.State()
		damage(state)
		if err := m.Restore(state); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if after, _ := json.Marshal(m.State()); string(after) != string(before) {
		t.Error("a refused state changed the model")
	}
}
