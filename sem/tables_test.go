package sem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/drawn"
	"tobac/internal/must"
	"tobac/posterior"
	"tobac/sem"
)

// Setting a cause of a binary variable changes its probability by the difference of the rows of its
// table, a category's probabilities are those of its levels, and a confounder is adjusted for. The
// probabilities that the table was drawn with are met within 0.04, four standard deviations of 4000
// rows and of 128 rows of noise.
func TestEffectsOfTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 4000
	data := &dataset.Table{Names: []string{"c", "x", "y", "z"}, X: mat.NewDense(n, 4, nil),
		Variables: []dataset.Variable{
			{Kind: dataset.Binary}, {Kind: dataset.Binary}, {Kind: dataset.Binary},
			{Kind: dataset.Categorical, Levels: []string{"p", "q", "r"}},
		}}
	flip := func(p float64) float64 {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	for i := range n {
		c := flip(0.5)
		x := flip(0.2 + 0.6*c)
		y := flip(0.1 + 0.3*x + 0.5*c)
		z := 0.0
		if flip(0.3+0.5*x) == 1 {
			z = 1 + flip(0.5)
		}
		data.X.SetRow(i, []float64{c + 3, x, y, z}) // c has the values 3 and 4
	}
	hypotheses := must.Get(scored(sem.BDeu{Alpha: 1}).Hypotheses(context.Background(), data, nil,
		1))(t)
	scores := hypotheses[0].Scores.(sem.Functional)
	g := dag.New(4)
	g.Set(0, 1, true)
	g.Set(0, 2, true)
	g.Set(1, 2, true)
	g.Set(1, 3, true)
	p := &posterior.Posterior{Names: data.Names, Model: "bdeu", Kind: posterior.Draws}
	for range 40 {
		d := posterior.Draw{Graph: g}
		for j := range 4 {
			d.Parameters = append(d.Parameters, scores.FunctionParameters(j, g.Parents(j), rng)...)
		}
		p.Draws = append(p.Draws, d)
	}
	columns := effects.Describe(data.Names, data.X)
	columns[3].Unordered = true
	e := must.Get(drawn.EffectsOf(p, columns, 3))(t)
	for _, f := range e.Of(1) {
		want := 0.0
		if f.To == 2 {
			want = 0.3
		}
		if f.To == 3 && (!math.IsNaN(f.Mean) || f.Path != 1) {
			t.Errorf("effect of x on the category is %v, by a path with %v", f.Mean, f.Path)
		}
		if f.To != 3 && !(math.Abs(f.Mean-want) <= 0.04) {
			t.Errorf("effect of x on %s is %v, want %v", data.Names[f.To], f.Mean, want)
		}
	}
	pairs, err := e.All(context.Background(), 1)
	if err != nil || len(pairs) == 0 {
		t.Fatalf("%d effects, %v", len(pairs), err)
	}
	for _, f := range pairs {
		if f.From == 3 || f.To == 3 {
			t.Errorf("an effect of %s on %s", data.Names[f.From], data.Names[f.To])
		}
	}
	all := must.Get(e.Do([]effects.Setting{{Var: 1, Value: 1}}))(t)
	for _, q := range all {
		if q.Var != 3 {
			continue
		}
		for k, want := range []float64{0.2, 0.4, 0.4} {
			if got := q.Levels[k].Mean; math.Abs(got-want) > 0.04 {
				t.Errorf("P(z = %s | do x = 1) is %v, want %v", data.Variables[3].Levels[k], got,
					want)
			}
		}
	} // A curve has the same probabilities, and their differences from those at the first value.
	means, contrasts := must.Two(e.Curve(1, []float64{0, 1}, 3))(t)
	for k := range 3 {
		low, high := means[0][0].Levels[k].Mean, means[1][0].Levels[k].Mean
		at := slices.IndexFunc(all, func(q effects.Prediction) bool { return q.Var == 3 })
		if want := all[at].Levels[k].Mean; high != want {
			t.Errorf("level %d: %v on the curve, %v predicted", k, high, want)
		}
		if got := contrasts[1][0].Levels[k].Mean; math.Abs(got-(high-low)) > 1e-12 ||
			contrasts[0][0].Levels[k].Mean != 0 {
			t.Errorf("level %d: a difference of %v, want %v", k, got, high-low)
		}
	}
}

// Under the models of numbers and categories setting a number changes the probability of a binary
// column, the expectation of a count, and what follows from these, as in the equations that the
// table was drawn from, within four standard errors of 600 rows and 40 draws.
func TestEffectsOfKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	const n = 600
	data := &dataset.Table{Names: []string{"c", "x", "b", "k"}, X: mat.NewDense(n, 4, nil),
		Variables: []dataset.Variable{
			{Kind: dataset.Categorical, Levels: []string{"p", "q", "r"}}, {},
			{Kind: dataset.Binary},
			{Kind: dataset.Count},
		}}
	chance := func(x float64) float64 { return 1 / (1 + math.Exp(-2*x)) }
	for i := range n {
		c := float64(rng.IntN(3))
		x := c - 1 + rng.NormFloat64()
		b := 0.0
		if rng.Float64() < chance(x) {
			b = 1
		}
		data.X.SetRow(i,
			[]float64{c, x, b, distuv.Poisson{Lambda: math.Exp(0.2 + b), Src: rng}.Rand()})
	}
	g := dag.New(4)
	g.Set(0, 1, true)
	g.Set(1, 2, true)
	g.Set(2, 3, true)
	for _, model := range []sem.Model{sem.Mixed{}, sem.LatentNormal{}, sem.Generalised{}} {
		hypotheses := must.Get(scored(model).Hypotheses(context.Background(), data, nil, 1))(t)
		p := &posterior.Posterior{Names: data.Names, Model: model.String(), Kind: posterior.Draws}
		for range 40 {
			d := posterior.Draw{Graph: g}
			for j := range 4 {
				d.Parameters = append(d.Parameters,
					hypotheses[0].Scores.(sem.Functional).FunctionParameters(j, g.Parents(j),
						rng)...)
			}
			p.Draws = append(p.Draws, d)
		}
		e := must.Get(drawn.EffectsOf(p, effects.Describe(data.Names, data.X), 3))(t)
		means := func(v int, x float64) []effects.Prediction {
			return must.Get(e.Do([]effects.Setting{{Var: v, Value: x}}))(t)
		}
		for _, x := range []float64{-1, 0.5} {
			q, count := means(1, x), math.Exp(0.2)*(1+(math.E-1)*chance(x))
			if b, k := q[1].Levels[1].Mean, q[2].Mean.Mean; math.Abs(b-chance(x)) > 0.1 ||
				math.Abs(k-count) > 0.3 {
				t.Errorf("%v: do x = %v: P(b) = %v, E[k] = %v, want %v, %v", model, x, b, k,
					chance(x), count)
			}
		}
		if r, p := means(0, 2)[0].Mean.Mean, means(0, 0)[0].Mean.Mean; math.Abs(r-p-2) > 0.4 {
			t.Errorf("%v: level r in the place of p raises x by %v, want 2", model, r-p)
		}
	}
}
