package sem_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/exact"
	"tobac/internal/inference"
	"tobac/internal/must"
	"tobac/internal/scoretest"
	"tobac/internal/scoring"
	"tobac/score"
	"tobac/sem"
	"tobac/setting"
)

// kinds draws a table of columns of different kinds that depend on each other.
func kinds(n int, all []dataset.Variable) *dataset.Table {
	rng := rand.New(rand.NewPCG(2, 9))
	d := len(all)
	t := &dataset.Table{X: mat.NewDense(n, d, nil), Variables: all}
	for j := range d {
		t.Names = append(t.Names, string(rune('a'+j)))
	}
	for i := range n {
		hidden := rng.NormFloat64()
		for j, v := range all {
			hidden = 0.8*hidden + 0.6*rng.NormFloat64()
			x := hidden
			switch {
			case v.Levels != nil:
				x = math.Floor(float64(len(v.Levels)) / (1 + math.Exp(-hidden)))
			case v.Kind == dataset.Count:
				x = math.Floor(math.Exp(hidden))
			case v.Kind == dataset.Positive:
				x = math.Exp(hidden)
			case v.Kind == dataset.Proportion:
				x = 1 / (1 + math.Exp(-hidden))
			}
			t.X.Set(i, j, x)
		}
	}
	return t
}

var (
	binary   = dataset.Variable{Kind: dataset.Binary, Levels: []string{"no", "yes"}}
	ordered  = dataset.Variable{Kind: dataset.Ordered, Levels: []string{"low", "mid", "high"}}
	category = dataset.Variable{Kind: dataset.Categorical, Levels: []string{"x", "y", "z"}}
	count    = dataset.Variable{Kind: dataset.Count}
	number   = dataset.Variable{}

	positive   = dataset.Variable{Kind: dataset.Positive}
	proportion = dataset.Variable{Kind: dataset.Proportion}
)

// Sums over graphs under every model are those over all 29,281 graphs of five columns one by one.
func TestMixturesOfKinds(t *testing.T) {
	for name, c := range map[string]struct {
		all   []dataset.Variable
		model sem.Model
	}{
		"categories": {[]dataset.Variable{binary, category, ordered, category, binary},
			sem.BDeu{}},
		"jeffreys": {[]dataset.Variable{binary, category, ordered, category, binary},
			sem.BDeu{PseudoCounts: sem.BDJCounts}},
		"occurring": {[]dataset.Variable{ordered, category, ordered, category, binary},
			sem.BDeu{PseudoCounts: sem.BDsCounts}},
		"parts": {[]dataset.Variable{positive, binary, proportion, ordered, count},
			sem.Mixed{}},
		"mixed": {[]dataset.Variable{category, binary, number, category, count},
			sem.Mixed{}},
		"latent": {[]dataset.Variable{category, binary, number, ordered, count},
			sem.LatentNormal{}},
		"levels": {[]dataset.Variable{ordered, ordered, binary, ordered, category},
			sem.LatentNormal{}},
		"numbers": {[]dataset.Variable{number, number, number, number, count}, sem.Mixed{}},
		"generalised": {[]dataset.Variable{category, binary, number, ordered, count},
			sem.Generalised{}},
		"form": {[]dataset.Variable{number, category, positive, number, binary},
			sem.Generalised{FormRows: math.Inf(1)}},
		"fewer parents": {[]dataset.Variable{number, category, binary, ordered, positive},
			sem.Generalised{MaxParents: 2}},
		"kinds of parts": {[]dataset.Variable{ordered, ordered, proportion, count, category},
			sem.Generalised{FormRows: 50}},
	} {
		sumsAreThoseOfAllGraphs(t, name, c.all, c.model)
	}
}

var long = flag.Bool("long", false, "try all 462 mixtures of kinds")

// The same of mixtures of five of the seven kinds, with -long of all 462.
func TestAllMixturesOfKinds(t *testing.T) {
	kinds := []dataset.Variable{number, positive, proportion, count, binary, ordered, category}
	at := 0
	var choose func(chosen []dataset.Variable, from int)
	choose = func(chosen []dataset.Variable, from int) {
		if len(chosen) < 5 {
			for k := from; k < len(kinds); k++ {
				choose(append(chosen[:len(chosen):len(chosen)], kinds[k]), k)
			}
			return
		}
		if at++; !*long && at%42 != 0 {
			return
		}
		for _, m := range []sem.Model{sem.Mixed{}, sem.LatentNormal{}, sem.Generalised{}} {
			sumsAreThoseOfAllGraphs(t, fmt.Sprint(m, " of mixture ", at), chosen, m)
		}
	}
	choose(nil, 0)
	if at != 462 {
		t.Errorf("%d mixtures", at)
	}
}

// sumsAreThoseOfAllGraphs compares the sums over graphs of a model of five columns with those over
// all graphs one by one.
func sumsAreThoseOfAllGraphs(t *testing.T, name string, all []dataset.Variable, m sem.Model) {
	t.Helper()
	ctx := context.Background()
	hypotheses, err := scored(m).Hypotheses(ctx, kinds(60, all), nil, 2)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s := hypotheses[len(hypotheses)-1].Scores
	want, total := enumerate(s)
	graphs := overGraphs(t, s, score.Uniform(5))
	if got := graphs.LogEvidence(); math.Abs(got-total) > 1e-10*math.Abs(total) {
		t.Errorf("%s: evidence %v, want %v", name, got, total)
	}
	if !mat.EqualApprox(graphs.Edges(), want, 1e-10) {
		t.Errorf("%s: edges\n%v, want\n%v", name, mat.Formatted(graphs.Edges()),
			mat.Formatted(want))
	}
}

// overGraphs sums over all graphs.
func overGraphs(t *testing.T, s score.Scorer, prior *score.Prior) *exact.Graphs {
	t.Helper()
	ctx := context.Background()
	o := must.Get(exact.New(ctx, s, prior, exact.Options{}))(t)
	orders := must.Get(o.Orders(ctx))(t)
	return must.Get(orders.Graphs(ctx))(t)
}

// Settings that mean nothing are refused.
func TestGeneralisedRefuses(t *testing.T) {
	data := kinds(60, []dataset.Variable{number, binary})
	for _, m := range []sem.Generalised{{FormRows: -1}, {FormRows: math.NaN()}, {MaxParents: -1}} {
		if _, err := scored(m).Hypotheses(context.Background(), data, nil, 1); err == nil {
			t.Errorf("%v was accepted", m)
		}
	}
}

// enumerate sums over all acyclic graphs.
func enumerate(s score.Scorer) (edges *mat.Dense, logTotal float64) {
	graphs := scoretest.Graphs(s.Vars())
	known := scoring.Memory[float64]{}
	weights := make([]float64, len(graphs))
	for k, g := range graphs {
		for j := range s.Vars() {
			parents := g.Parents(j)
			weights[k] += known.Of(j, parents, func() float64 { return s.LogScore(j, parents) })
		}
	}
	logTotal = floats.LogSumExp(weights)
	edges = mat.NewDense(s.Vars(), s.Vars(), nil)
	for k, g := range graphs {
		for _, e := range g.Edges() {
			edges.Set(e.From, e.To, edges.At(e.From, e.To)+math.Exp(weights[k]-logTotal))
		}
	}
	return edges, logTotal
}

// Kinds choose the models that are compared; others refuse categories in one sentence.
func TestComparedByKinds(t *testing.T) {
	for _, c := range []struct {
		all        []dataset.Variable
		want, last string
	}{
		{nil, "linear", "gp"},
		{[]dataset.Variable{number, binary, ordered}, "linear", "generalised form-rows=30"},
		{[]dataset.Variable{binary, ordered, category}, "bdeu", "generalised"},
		{[]dataset.Variable{number, ordered, category}, "mixed", "generalised"},
	} {
		data := kinds(30, []dataset.Variable{number, number, number})
		if c.all != nil {
			data = kinds(30, c.all)
		} else {
			data.Variables = nil
		}
		all := sem.Compared(data)
		if first, last := all[0].String(), all[len(all)-1].String(); first != c.want ||
			last != c.last {
			t.Errorf("%v: %s is compared first, %s last, want %s and %s", c.all, first, last,
				c.want, c.last)
		}
		err := inference.CheckModel(sem.Linear{}, data)
		if refused := err != nil; refused != data.HasKind(func(k dataset.Kind) bool {
			return k == dataset.Categorical
		}) {
			t.Errorf("%v: linear has the error %v", c.all, err)
		}
		if err != nil && !strings.Contains(err.Error(), `column "c" is a category of 3 levels`) {
			t.Error(err)
		}
	}
}

// BDeu takes columns of numbers of few values, and refuses others by name.
func TestBDeuOfNumbers(t *testing.T) {
	data := kinds(300, []dataset.Variable{binary, number})
	if _, err := scored(sem.BDeu{}).Hypotheses(context.Background(), data, nil, 1); err == nil ||
		!strings.Contains(err.Error(), `column "b" has 300 values`) {
		t.Errorf("error %v", err)
	}
	data.X.SetCol(1, mat.Col(nil, 0, data.X))
	if h, err := scored(sem.BDeu{Alpha: 2}).Hypotheses(context.Background(), data, nil,
		1); err != nil || len(h) != 1 {
		t.Errorf("%d hypotheses, error %v", len(h), err)
	}
}

// Columns with levels that others determine are named; the first of two copies determines the
// other.
func TestFunctionsWarning(t *testing.T) {
	data := kinds(200, []dataset.Variable{category, number, category, binary, ordered})
	if w := inference.FunctionsWarning(data); w != "" {
		t.Errorf("warning %q", w)
	}
	for i := range 200 {
		data.X.Set(i, 2, 2-data.X.At(i, 0))
		data.X.Set(i, 3, math.Min(data.X.At(i, 0), 1))
	}
	if w := inference.FunctionsWarning(data); !strings.Contains(w,
		`exception: "c" by "a", "d" by "a"; which`) {
		t.Errorf("warning %q", w)
	}
}

// Pseudo-counts of one half have no equivalent sample size.
func TestAlphaWithoutSize(t *testing.T) {
	for alpha, want := range map[float64]string{0: "",
		2: "alpha is 2; allowed: none with pseudo-counts bdj"} {
		_, settings := sem.Settings(sem.BDeu{Alpha: alpha, PseudoCounts: sem.BDJCounts})
		err := setting.Check(settings)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("alpha %v: %v, want %q", alpha, err, want)
		}
	}
}

// scored is a model with its node scores.
func scored(m sem.Model) sem.Scored {
	s, _ := sem.As[sem.Scored](m)
	return s
}
