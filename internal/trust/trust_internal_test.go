package trust

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// A form that counts in part tells directions by that part, and what depends on what by all of its
// evidence.
func TestTrustInForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	data := &dataset.Table{Names: []string{"a", "b", "c"}, X: mat.NewDense(80, 3, nil)}
	data.X.Apply(func(int, int, float64) float64 { return rng.ExpFloat64() }, data.X)
	for i := range 80 {
		data.X.Set(i, 1, data.X.At(i, 1)+data.X.At(i, 0))
	}
	model, _ := sem.As[sem.Scored](sem.NonGaussian{})
	all := must.Get(model.Hypotheses(t.Context(), data, nil, 1))(t)
	less := must.Get(Trust{Form: 0.25, Rows: 1}.Of(t.Context(), data, all, 1))(t)
	form, s := all[0].Scores, less[0].Scores
	for _, p := range [][2]int{{0, 1}, {0, 2}, {2, 1}} {
		i, j := p[0], p[1]
		both := func(s score.Scorer, i, j int) float64 {
			return s.LogScore(i, nil) + s.LogScore(j, []int{i})
		}
		want := 0.25 * (both(form, i, j) - both(form, j, i))
		if got := both(s, i, j) - both(s, j, i); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d → %d has %v more than reversed, want %v", i, j, got, want)
		}
		mean := math.Log((math.Exp(both(form, i, j)-both(form, j, i)) + 1) / 2)
		if got, want := both(s, j, i), 0.75*mean+both(form, j, i); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d ← %d has %v, want %v", i, j, got, want)
		}
	}
}

// Half of the evidence of a form counts for directions, all of that of independences.
func TestFormsCountByHalfForDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	data := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(100, 2, nil)}
	for i := range 100 {
		x := rng.ExpFloat64()
		data.X.SetRow(i, []float64{x, x + rng.ExpFloat64()})
	}
	g := dag.New(2)
	g.Set(0, 1, true)
	for _, c := range []struct {
		model sem.Model
		part  float64
		says  string
	}{
		{sem.NonGaussian{}, 0.5, "Half of that evidence counts for directions"},
		{sem.BGe{}, 1, "conditional independences"},
	} {
		m, _ := sem.As[sem.Scored](c.model)
		all := must.Get(m.Hypotheses(t.Context(), data, nil, 1))(t)
		counts, doubt := WholeTrust.In(data, m, g, all[0].Scores, 1)
		if counts.Directions != c.part || counts.Form != 1 || doubt != (Doubt{}) {
			t.Errorf("%v: %+v, %+v, want %v of the evidence for directions", m, counts, doubt,
				c.part)
		}
		said := Said{Graph: g, Directed: g.Edges(), Known: func(dag.Edge) bool { return false }}
		basis, _, err := counts.Hidden(t.Context(), data, m, all[0].Scores, said, 1)
		if err != nil || !strings.Contains(basis, c.says) {
			t.Errorf("%v: %q, %v, want %q", m, basis, err, c.says)
		}
	}
}

// Evidence that counts in part is that of the rest of the rows: graphs that were equivalent stay
// so, and equations keep their means.
func TestTrust(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	data := &dataset.Table{Names: []string{"a", "b", "c", "d"}, X: mat.NewDense(60, 4, nil)}
	data.X.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, data.X)
	for i := range 60 {
		data.X.Set(i, 2, data.X.At(i, 2)+data.X.At(i, 0)-data.X.At(i, 1))
	}
	model, _ := sem.As[sem.Scored](sem.BGe{})
	all := must.Get(model.Hypotheses(context.Background(), data, nil, 1))(t)
	less := must.Get(Trust{Form: 1, Rows: 0.25}.Of(t.Context(), data, all, 1))(t)
	form, s := all[0].Scores.(score.Weighted), less[0].Scores.(score.Weighted)
	if err := score.Check(context.Background(), s); err != nil {
		t.Error(err)
	}
	for j := range 4 {
		for i := range j {
			to, from := s.LogScore(j, []int{i})-s.LogScore(j, nil),
				s.LogScore(i, []int{j})-s.LogScore(i, nil)
			whole := form.LogScore(j, []int{i}) - form.LogScore(j, nil)
			// a parent costs half of the logarithm of the rows
			cost := 0.25*whole - (math.Log(15)-0.25*math.Log(60))/2
			if math.Abs(to-from) > 1e-9 || math.Abs(to-cost) > 1e-9 {
				t.Errorf("%d → %d adds %v, and reversed %v, want %v", i, j, to, from, cost)
			}
			e, f := s.Equation(j, []int{i}), form.Equation(j, []int{i})
			if e.Mean[0] != f.Mean[0] || math.Abs(e.Cov.At(0, 0)-4*f.Cov.At(0, 0)) > 1e-12 {
				t.Errorf("equation %+v, want that of %+v with four times the variance", e, f)
			}
		}
	}
	both := must.Get(Trust{Form: 0.5, Rows: 0.25, Ranks: true}.Of(t.Context(), data, all, 1))(t)
	if got := FormOf(both[0].Scores); got != all[0].Scores {
		t.Errorf("the form of a blend of blends is %T", got)
	}
}

// What the equations leave between variables without an edge is found, and not where the edge is
// there.
func TestBeside(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 1000
	data := &dataset.Table{Names: []string{"a", "b", "c"}, X: mat.NewDense(n, 3, nil)}
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		data.X.SetRow(i, []float64{a, b, b + (1+a*a)*rng.ExpFloat64()})
	}
	m, _ := sem.As[sem.Scored](sem.NonGaussian{})
	all := must.Get(m.Hypotheses(t.Context(), data, nil, 1))(t)
	g := dag.New(3)
	g.Set(1, 2, true)
	_, doubt := WholeTrust.In(data, m, g, all[0].Scores, 1)
	if !strings.HasPrefix(doubt.Beside, `the noise of "c" depends on "a", which is not `+
		`among its causes (p < 1e-12)`) ||
		doubt.Refuted != "" {
		t.Errorf("doubt %+v, want that the noise of c depends on a", doubt)
	}
	g.Set(0, 1, true) // "c" is below "a", still without an edge between them
	if _, doubt := WholeTrust.In(data, m, g, all[0].Scores, 1); doubt.Beside == "" {
		t.Errorf("no doubt of a cause of a cause")
	}
	g.Set(0, 2, true)
	if _, doubt := WholeTrust.In(data, m, g, all[0].Scores, 1); doubt.Beside != "" {
		t.Errorf("doubt %q, want none of causes", doubt.Beside)
	}
}

// Conditional independences of measurements of several kinds count as few rows for directions, and
// whole for what depends on what; those of simulated numbers count whole.
func TestIndependencesOfMeasurements(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 150
	data := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(n, 2, nil),
		Variables: []dataset.Variable{{},
			{Kind: dataset.Categorical, Levels: []string{"x", "y", "z"}}}}
	for i := range n {
		data.X.SetRow(i, []float64{rng.NormFloat64(), float64(rng.IntN(3))})
	}
	m, _ := sem.As[sem.Scored](sem.Mixed{})
	all := must.Get(m.Hypotheses(t.Context(), data, nil, 1))(t)
	if got, doubt := WholeTrust.In(data, m, dag.New(2), all[0].Scores,
		1); got != WholeTrust || doubt != (Doubt{}) {
		t.Errorf("simulated: trust %+v, doubt %+v", got, doubt)
	}
	for i := range n {
		data.X.Set(i, 0, math.Round(10*data.X.At(i, 0))/10)
	}
	got, doubt := WholeTrust.In(data, m, dag.New(2), all[0].Scores, 1)
	if !got.SameEvidence(WholeTrust) || math.Abs(got.Directions-0.25) > 1e-12 ||
		!strings.Contains(doubt.Basis, "They count as 38 rows") || doubt.Refuted != "" {
		t.Errorf("measured: trust %+v, doubt %+v", got, doubt)
	}
}

// Where the noise refutes a form, independences count as few rows for directions if somebody
// measured and counted, and whole among numbers alone.
func TestIndependencesOfRefutedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	const n = 400
	data := &dataset.Table{Names: []string{"a", "b", "c"}, X: mat.NewDense(n, 3, nil),
		Variables: []dataset.Variable{{}, {}, {Kind: dataset.Count}}}
	for i := range n {
		a := math.Round(10*rng.NormFloat64()) / 10
		data.X.SetRow(i, []float64{a, a*a + 0.3*rng.NormFloat64(), float64(rng.IntN(20))})
	}
	m, _ := sem.As[sem.Scored](sem.BGe{})
	all := must.Get(m.Hypotheses(t.Context(), data, nil, 1))(t)
	g := dag.New(3)
	g.Set(0, 1, true)
	got, doubt := WholeTrust.In(data, m, g, all[0].Scores, 1)
	if doubt.Refuted == "" || math.Abs(got.Directions-1./9) > 1e-12 ||
		!strings.Contains(doubt.Basis, "They count as 44 rows") {
		t.Errorf("counts: trust %+v, doubt %+v", got, doubt)
	}
	data.Variables = nil
	if got, doubt := WholeTrust.In(data, m, g, all[0].Scores, 1); doubt.Refuted == "" ||
		got.Directions != 1 {
		t.Errorf("numbers: trust %+v, doubt %+v", got, doubt)
	}
}

// A hidden common cause of two columns is said, and not of an edge.
func TestConfounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 300
	data := &dataset.Table{Names: []string{"a", "b", "c"}, X: mat.NewDense(n, 3, nil)}
	for i := range n {
		h := rng.ExpFloat64()
		b := h + 0.6*rng.ExpFloat64()
		data.X.SetRow(i, []float64{h + 0.6*rng.ExpFloat64(), b, b + rng.ExpFloat64()})
	}
	m, _ := sem.As[sem.Scored](sem.NonGaussian{})
	all := must.Get(m.Hypotheses(t.Context(), data, nil, 1))(t)
	g := dag.New(3)
	g.Set(0, 1, true)
	g.Set(1, 2, true)
	for _, c := range []struct {
		edge dag.Edge
		want string
	}{{dag.Edge{From: 0, To: 1}, `"a" and "b" (by `}, {dag.Edge{From: 1, To: 2}, ""}} {
		_, warnings := must.Two(WholeTrust.Hidden(t.Context(), data, m, all[0].Scores,
			Said{Graph: g, Directed: []dag.Edge{c.edge}}, 1))(t)
		got := strings.Join(warnings, "; ")
		if !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("edge %v: warning %q, want %q in it", c.edge, got, c.want)
		}
	}
}

// a → c ← b follows from independences that a hidden cause of a and c explains as well; c → d does
// not: a would be independent of d. What is known needs no independences.
func TestUnprotected(t *testing.T) {
	data := &dataset.Table{Names: []string{"a", "b", "c", "d"}, X: mat.NewDense(60, 4, nil)}
	said := []dag.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}}
	g := dag.New(4)
	for _, e := range said {
		g.Set(e.From, e.To, true)
	}
	for _, c := range []struct {
		known dag.Edge
		want  string
	}{
		{dag.Edge{}, "v. Those of a → c, b → c assume that the two columns have no hidden common " +
			"cause, which the data cannot tell from an edge; the other one would hold all the " +
			"same"},
		{said[0], "v. Those of b → c assume that the two columns have no hidden common cause, " +
			"which the data cannot tell from an edge; the other 2 would hold all the same"},
	} {
		got := unprotected(data, "v", Said{Graph: g, Directed: said,
			Known: func(e dag.Edge) bool { return e == c.known }})
		if got != c.want {
			t.Errorf("%v known: %q, want %q", c.known, got, c.want)
		}
	}
	if got := unprotected(data, "v", Said{Graph: g, Directed: said[:1],
		Known: func(dag.Edge) bool { return true }}); got != "" {
		t.Errorf("all known: %q", got)
	}
}

// leaves are scores whose equation of the second variable leaves these residuals.
type leaves []float64

func (leaves) Vars() int                        { return 2 }
func (leaves) LogScore(int, []int) float64      { return 0 }
func (r leaves) Residuals(int, []int) []float64 { return r }

// A dependence of the noise that thousands of rows show refutes the form; one that only tens of
// thousands show does not, although chance has less of either.
func TestRefutedByFewRows(t *testing.T) {
	const n = 40_000
	rng := rand.New(rand.NewPCG(6, 6))
	data := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(n, 2, nil)}
	edge := dag.New(2)
	edge.Set(0, 1, true)
	for _, row := range []struct {
		bend    float64
		refuted bool
	}{{0.03, false}, {0.1, true}} {
		rest := make(leaves, n)
		for i := range rest {
			x := rng.NormFloat64()
			rest[i] = rng.NormFloat64() + row.bend*(x*x-1)
			data.X.SetRow(i, []float64{x, rest[i]})
		}
		found, _ := examineNoise(data, edge, rest, 1, 1)
		if got := found.chance <= refuted; got != row.refuted {
			t.Errorf("bend %v: refuted %v (%v), want %v", row.bend, got, found.chance, row.refuted)
		}
	}
}

// Noise whose skewness a cause turns around has the same mean and scale everywhere: cells show it.
// The equation of a column without a density is no test of the form of others.
func TestRefutedByCells(t *testing.T) {
	const n = 1000
	rng := rand.New(rand.NewPCG(7, 6))
	data := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(n, 2, nil)}
	edge := dag.New(2)
	edge.Set(0, 1, true)
	for _, turned := range []bool{false, true} {
		rest := make(leaves, n)
		for i := range rest {
			x := rng.NormFloat64()
			if rest[i] = rng.ExpFloat64() - 1; turned && x < 0 {
				rest[i] = -rest[i]
			}
			data.X.SetRow(i, []float64{x, rest[i]})
		}
		for _, plain := range []bool{false, true} {
			var s score.Scorer = rest
			if plain {
				s = plainLeaves{rest}
			}
			found, _ := examineNoise(data, edge, s, 1, 1)
			if got := found.chance <= refuted; got != (turned && !plain) {
				t.Errorf("turned %v, plain %v: refuted %v (%v)", turned, plain, got, found.chance)
			}
		}
	}
}

// plainLeaves are leaves whose second variable has no density.
type plainLeaves struct{ leaves }

func (plainLeaves) WithoutDensity() []int { return []int{1} }

// Where a form fits sets of variables in some sequence only, the form without its directions has
// more evidence than the form, and all of the latter decides of adjacencies.
func TestWholeForm(t *testing.T) {
	data := &dataset.Table{Names: []string{"a", "b", "c"}, X: mat.NewDense(80, 3, nil)}
	for i := range 80 {
		data.X.SetRow(i, []float64{float64(i), float64(i * i), float64(i % 7)})
	}
	for _, misfit := range []float64{0, 60} {
		// c is a function of a and b together: without a, b and c fit badly in either sequence
		s := score.NewFunc(3, func(j int, parents []int) float64 {
			all := 0
			for _, i := range parents {
				all |= 1 << i
			}
			switch {
			case j == 2 && all == 0b011:
				return 100
			case j == 1 && all == 0b100, j == 2 && all == 0b010:
				return -misfit
			}
			return 0
		})
		before := Trust{Form: 0.2, Rows: 1, Directions: 1}
		got, _, err := before.WholeForm(t.Context(), data, sem.Additive{}, s, Doubt{}, 1)
		want := before
		if misfit > 0 {
			want = Trust{Form: 1, Rows: 1, Directions: 0.2}
		}
		if err != nil || got != want {
			t.Errorf("misfit %v: %+v, want %+v, error %v", misfit, got, want, err)
		}
	}
	if got, _, err := WholeTrust.WholeForm(t.Context(), data, nil, nil, Doubt{}, 1); err != nil ||
		got != WholeTrust {
		t.Errorf("the whole form is %+v, error %v", got, err)
	}
}
