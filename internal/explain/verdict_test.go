package explain_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/explain"
	"tobac/internal/inspect"
	"tobac/internal/must"
	"tobac/ordering"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawResult is a result with any probabilities, as an engine could have reported it.
func drawResult(t *rapid.T) *tobac.Result {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	d := rapid.IntRange(2, 7).Draw(t, "d")
	p := &posterior.Posterior{}
	probabilities, x := mat.NewDense(d, d, nil), mat.NewDense(9, d, nil)
	for i := range d {
		p.Names = append(p.Names, fmt.Sprintf("v%d", i))
		for j := range i {
			adjacent := []float64{0, 0.01, 0.5, 0.949, 0.951, 1}[rng.IntN(6)]
			direction := []float64{0.5, 0.7, 0.91, 1, 0, 0.2}[rng.IntN(6)]
			probabilities.Set(i, j, adjacent*direction)
			probabilities.Set(j, i, adjacent*(1-direction))
		}
	}
	x.Apply(func(_, j int, _ float64) float64 { return float64(j) * rng.NormFloat64() }, x)
	p.Probabilities = probabilities
	r := &tobac.Result{Outcome: engine.Outcome{Posterior: p}, Columns: effects.Describe(p.Names, x)}
	r.Config.Model = []sem.Model{sem.Linear{}, sem.BGe{}, sem.GaussianProcess{},
		sem.FeedForward{}}[rng.IntN(4)]
	r.Config.Engine = []engine.Settings{&sums.Exact{}, &markov.MCMC{}, &stein.SVGD{}}[rng.IntN(3)]
	r.Computation = map[string]string{"exact": "Edge probabilities are exact sums.",
		"mcmc": "The Markov chains agree.",
		"svgd": "The probabilities come from 30 particles, an approximation.",
	}[r.Config.Engine.Engine().Name()]
	for k := range rng.IntN(4) {
		e := sem.Evidence{Model: []string{"linear", "bge", "gp", "own"}[k],
			Log: 6 * rng.NormFloat64()}
		if rng.IntN(4) == 0 {
			e.Log = math.NaN()
		}
		r.Evidence = append(r.Evidence, e)
	}
	switch rng.IntN(4) {
	case 0:
		r.Config.Order.Known = rng.Perm(d)
		p.Components = []posterior.Component{{Order: r.Config.Order.Known, Weight: 1}}
	case 1:
		r.Config.Order.Method = ordering.MethodEqVar
		p.Components = []posterior.Component{{Order: rng.Perm(d), Weight: 1}}
	case 2:
		p.Components = []posterior.Component{{Order: rng.Perm(d), Weight: 0.5},
			{Order: rng.Perm(d), Weight: 0.5}}
	}
	if rng.IntN(2) == 0 {
		r.Sequence = inspect.Sequence{Serial: []inspect.Serial{{Column: "v1", Correlation: 0.9}},
			Rows: 50, Explained: rng.IntN(2) == 0}
	}
	return r
}

// unitsTable has n rows of d columns in a chain with units of their own.
func unitsTable(d, n int, seed uint64) *dataset.Table {
	rng := rand.New(rand.NewPCG(seed, 5))
	t := &dataset.Table{X: mat.NewDense(n, d, nil)}
	for j := range d {
		t.Names = append(t.Names, fmt.Sprintf("X%d", j))
	}
	for i := range n {
		for j := range d {
			v := rng.NormFloat64() * float64(j+1)
			if j > 0 {
				v += 0.8 * t.X.At(i, j-1)
			}
			t.X.Set(i, j, v)
		}
	}
	return t
}

func fitted(t *testing.T, data *dataset.Table, cfg tobac.Config) *tobac.Result {
	t.Helper()
	return must.Get(tobac.Fit(context.Background(), data, cfg))(t)
}

// No sentence contradicts the numbers: the counts are those of the probabilities, and
// sentences say something if and only if the numbers do.
func TestVerdictAgreesWithNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkVerdict(t, drawResult(t)) })
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkVerdict(t fataler, r *tobac.Result) {
	t.Helper()
	v := explain.Of(r)
	all := strings.Join(v.Sentences, "\n")
	says := func(text string, want bool) {
		t.Helper()
		if strings.Contains(all, text) != want {
			t.Fatalf("verdict says %q: want %v\n%s", text, want, all)
		}
	}
	d := len(r.Names)
	stable, uncertain, directed, certain := 0, 0, 0, false
	for i := range d {
		for j := range i {
			p, q := r.Probabilities.At(i, j), r.Probabilities.At(j, i)
			switch adjacent := math.Min(1, p+q); {
			case adjacent >= 0.95:
				stable++
				if math.Max(p, q)/(p+q) >= 0.9 {
					directed++
				}
			case adjacent >= 0.05:
				uncertain++
			}
			certain = certain || math.Max(p, q) >= 0.995
		}
	}
	if v.Stable != stable || v.Uncertain != uncertain || v.Directed != directed ||
		v.Open != stable-directed {
		t.Fatalf("verdict %+v, want %d stable, %d uncertain, %d directed", v, stable, uncertain,
			directed)
	}
	pairs := d * (d - 1) / 2
	if pairs > 1 {
		says(fmt.Sprintf("%d of %d pairs %s directly related", stable, pairs, are(stable)),
			stable > 0)
		says(fmt.Sprintf("None of %d pairs is directly related", pairs), stable == 0)
		says(fmt.Sprintf("; %d %s uncertain", uncertain, are(uncertain)), uncertain > 0)
		says(fmt.Sprintf(" %d show", pairs-stable-uncertain), stable+uncertain < pairs)
	}
	says(fmt.Sprintf("All %d have a direction", stable), stable > 2 && directed == stable)
	says("Both have a direction", stable == 2 && directed == stable)
	says(fmt.Sprintf("%d of these %d ha", directed, stable), 0 < directed && directed < stable)
	says(fmt.Sprintf("The directions of all %d are open", stable), stable > 2 && directed == 0)
	says("The directions of both are open", stable == 2 && directed == 0)
	says(fmt.Sprintf("The direction of %d is open", stable-directed),
		0 < directed && directed < stable)
	// What is certain given one order alone is said to be conditional on it.
	one := r.Posterior.Order() != nil
	says("conditional on the order", one || r.Config.Order.Known != nil)
	if (v.Conditional != "") != (one || r.Config.Order.Known != nil) {
		t.Fatalf("conditional %q, one order: %v", v.Conditional, one)
	}
	says("not identified", false)
	// What rests on a refuted assumption says so, and the first sentence.
	refuted := r.Sequence.Dependent()
	says("independent rows, and a correctly specified model", !refuted)
	says("The rows of this table are not independent", refuted)
	if (v.Refuted != "") != refuted || refuted &&
		!strings.HasPrefix(v.Sentences[0], "The rows of this table") {
		t.Fatalf("rows depend on each other: %v, verdict %+v", refuted, v)
	}
	for _, s := range v.Sentences {
		if strings.Contains(s, "directly related") &&
			(strings.Contains(s, "which these data refute") ||
				strings.Contains(s, "independent rows")) != refuted {
			t.Fatalf("rows depend on each other: %v, but %q", refuted, s)
		}
	}
	_, bge := r.Config.Model.(sem.BGe)
	says("Markov equivalent", bge && stable > directed && v.Conditional == "")
	_, sums := r.Config.Engine.(*sums.Exact)
	says("exact sums", sums)
	_, particles := r.Config.Engine.(*stein.SVGD)
	says("particles, an approximation", particles)
	if r.Diagnostics != nil {
		says("have not converged", r.Diagnostics.LogP.RHat > 1.1)
		says("chains agree", r.Diagnostics.LogP.RHat <= 1.1)
	}
	known := 0
	for _, e := range r.Evidence {
		if !math.IsNaN(e.Log) {
			known++
		}
	}
	says("Two models fit about equally well", known > 1 && v.Margin < math.Log(20))
	says("the data support it by", known > 1 && v.Margin >= math.Log(20))
	says("was not compared with others", known < 2 && r.Config.Model != nil)
	if known > 1 && v.Margin < 0 || known < 2 && !math.IsNaN(v.Margin) {
		t.Fatalf("margin %v of %d models", v.Margin, known)
	}
	says("the directions follow the units", strings.Contains(all,
		"the directions follow the units") && v.ByVariance >= 0.9 && stable >= 3)
	for _, s := range v.Sentences {
		if !strings.HasSuffix(s, ".") || strings.Contains(s, "NaN") || strings.Contains(s, "  ") {
			t.Fatalf("sentence %q", s)
		}
	}
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Real fits of every engine and kind of order.
func TestVerdictOfFits(t *testing.T) {
	sampler := stein.SVGD{Particles: 4, Steps: 10, Samples: 8}
	for _, row := range []struct {
		name string
		cfg  tobac.Config
		want []string
	}{
		{"exact", tobac.Config{}, []string{"Edge probabilities are exact sums over all graphs."}},
		{"unequal variances", tobac.Config{Model: sem.BGe{}},
			[]string{"was not compared with others"}},
		{"known order",
			tobac.Config{Model: sem.Linear{}, Order: engine.Order{Known: []int{0, 1, 2, 3}}},
			[]string{"conditional on the order given, X0, X1, X2, X3"}},
		{"one guess",
			tobac.Config{Engine: &sampler, Order: engine.Order{Method: ordering.MethodEqVar}},
			[]string{"which eqvar estimated from these data"}},
		{"resamples", tobac.Config{Engine: &sampler,
			Order: engine.Order{Method: ordering.MethodEqVar, Count: 6}}, nil},
		{"orders of the posterior", tobac.Config{Engine: &sampler},
			[]string{"The probabilities average over only 5 orders drawn from the posterior"}},
		{"one order of the posterior",
			tobac.Config{Engine: &sampler, Order: engine.Order{Count: 1}},
			[]string{"a single draw from the posterior over orders"}},
		{"chains", tobac.Config{Model: sem.BGe{},
			Engine: &markov.MCMC{Iterations: 200, WarmUp: 50}}, []string{"Markov chains"}},
		{"networks", tobac.Config{Model: sem.FeedForward{}, Engine: &sampler},
			[]string{"particles"}},
		{"linear", tobac.Config{Model: sem.Linear{}},
			[]string{"follow from equal noise variances in the units of the data."}},
		{"linear, unequal", tobac.Config{Model: sem.BGe{}},
			[]string{"follow from conditional independences (v-structures)."}},
		{"networks of one variance", tobac.Config{Model: sem.FeedForward{NoiseVariance: 1}},
			[]string{"follow from the curvature of the relations and equal noise " +
				"variances."}},
		{"knowledge",
			tobac.Config{Model: sem.BGe{},
				Prior: background.Prior{Forbidden: []dag.Edge{{From: 0, To: 1}},
					Required: []dag.Edge{{From: 1, To: 2}}, Tiers: []int{0, 0, 1, 1}}},
			[]string{"conditional on the background knowledge: 1 required edge, 1 forbidden " +
				"edge, the tiers."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			data := unitsTable(4, 80, 1)
			if strings.HasPrefix(row.name, "networks") {
				data = unitsTable(3, 30, 1)
			}
			r := must.Get(tobac.Fit(context.Background(), data, row.cfg))(t)
			checkVerdict(t, r)
			all := strings.Join(explain.Of(r).Sentences, "\n")
			for _, want := range row.want {
				if !strings.Contains(all, want) {
					t.Errorf("verdict lacks %q:\n%s", want, all)
				}
			}
		})
	}
}

// Networks with a noise variance for each column, in units far apart, do not rest on equal ones.
func TestVerdictOfUnequalNetworks(t *testing.T) {
	data := unitsTable(3, 30, 1)
	for i := range 30 {
		data.X.Set(i, 1, 1e8*data.X.At(i, 1))
	}
	all := strings.Join(
		explain.Of(fitted(t, data, tobac.Config{Model: sem.FeedForward{}})).Sentences, "\n")
	if !strings.Contains(all,
		"follow from the curvature of the relations, if the noise is additive and normal") {
		t.Errorf("verdict %s", all)
	}
}

// Directions that only the units decide are said to follow them.
func TestVerdictNamesUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	x := mat.NewDense(300, 4, nil)
	for i := range 300 {
		for j := range 4 {
			v := rng.NormFloat64()
			if j > 0 {
				v += x.At(i, j-1)
			}
			x.Set(i, j, v)
		}
	}
	r :=
		must.Get(tobac.Fit(context.Background(), &dataset.Table{Names: []string{"a", "b", "c", "d"},
			X: x}, tobac.Config{Model: sem.Linear{}}))(t)
	if v := explain.Of(r); v.ByVariance < 0.9 ||
		!strings.Contains(strings.Join(v.Sentences, " "), "the directions follow the units") {
		t.Errorf("verdict %+v", v)
	}
}

// Rows that depend on each other are the first thing that is said of a fit, and one of its
// warnings, once each.
func TestVerdictOfDependentRows(t *testing.T) {
	data := unitsTable(3, 60, 1)
	for i := 1; i < 60; i++ {
		for j := range 3 {
			data.X.Set(i, j, data.X.At(i-1, j)+data.X.At(i, j))
		}
	}
	completed := tobac.Imputed{Count: 2, Table: func(k int) *dataset.Table {
		x := mat.DenseCopyOf(data.X)
		x.Set(5, 1, float64(k))
		return &dataset.Table{Names: data.Names, X: x}
	}}
	imputed := must.Get(tobac.FitImputed(context.Background(), completed,
		tobac.Config{Model: sem.BGe{}}))(t)
	for _, r := range []*tobac.Result{fitted(t, data, tobac.Config{Model: sem.BGe{}}), imputed} {
		checkVerdict(t, r)
		for what, all := range map[string][]string{"verdict": explain.Of(r).Sentences,
			"warnings": r.Warnings} {
			if n := strings.Count(strings.Join(all, "\n"),
				"he rows of this table are not independent"); n != 1 || !r.Sequence.Dependent() {
				t.Errorf("%s says %d times that rows are not independent: %q", what, n, all)
			}
		}
	}
}
