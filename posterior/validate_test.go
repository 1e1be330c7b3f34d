package posterior_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/sparse"
	"tobac/posterior"
)

// Every rule of the fields, broken one at a time in a posterior that is valid.
func TestValidate(t *testing.T) {
	fresh := func() *posterior.Posterior {
		return must.Get(posterior.Read(strings.NewReader(sample(t)), "sample"))(t)
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, row := range []struct {
		name  string
		spoil func(p *posterior.Posterior)
		want  string
	}{
		{"name", func(p *posterior.Posterior) {
			p.Names[0] = "\xff"
		}, `name "\xff" of variable 1 is not UTF-8`},
		{"text", func(p *posterior.Posterior) { p.Warnings = []string{"\xff"} },
			`text "\xff" is not UTF-8`},
		{"kind", func(p *posterior.Posterior) { p.Kind = 7 }, "unknown kind 7 of draws"},
		{"scale", func(p *posterior.Posterior) {
			p.Standardization = &posterior.Standardization{Mean: []float64{0}}
		},
			"standardization: 1 means and 0 standard deviations for 2 variables"},
		{"mean", func(p *posterior.Posterior) {
			p.Standardization = &posterior.Standardization{Mean: []float64{0, inf},
				SD: []float64{1, 1}}
		}, `standardization: mean of "y" is +Inf, want a finite number`},
		{"no probabilities", func(p *posterior.Posterior) {
			p.Probabilities = nil
		}, "no edge probabilities"},
		{"shape", func(p *posterior.Posterior) { p.Probabilities = mat.NewDense(3, 3, nil) },
			"matrix of probability: got 3×3, want 2×2"},
		{"infinite mean", func(p *posterior.Posterior) { p.WeightMean.Set(0, 1, inf) },
			"mean weight of 1 -> 2 is +Inf, want a finite number, or null where it is unknown"},
		{"count", func(p *posterior.Posterior) { p.Components[0].Count = -1 },
			"component 1: found in -1 resamples, want a number from 0 on"},
		{"log weight", func(p *posterior.Posterior) { p.Components[0].LogWeight = nan },
			"component 1: log weight NaN, want a finite number"},
		{"evidence", func(p *posterior.Posterior) { p.Components[0].LogEvidence = -inf },
			"component 1: log evidence -Inf, want a finite number, or null where it is unknown"},
		{"baseline", func(p *posterior.Posterior) {
			p.Components[0].Empty =
				&posterior.Equations{Weights: mat.NewDense(2, 2, []float64{0, 1, 0, 0})}
		},
			"component 1: graph without edges: weight of 1 -> 2 is 1, want 0, there is " +
				"no such edge"},
		{"marginals of a component", func(p *posterior.Posterior) {
			p.Components[0].Marginals = &posterior.Marginals{}
		}, "component 1: no edge probabilities"},
		{"no graph", func(p *posterior.Posterior) { p.Draws[0].Graph = nil }, "draw 1: no graph"},
		{"vertices", func(p *posterior.Posterior) { p.Draws[0].Graph = dag.New(3) },
			"draw 1: graph of 3 vertices, want 2"},
		{"weight of a draw", func(p *posterior.Posterior) { p.Draws[0].LogWeight = -inf },
			"draw 1: log weight -Inf, want a finite number"},
		{"likelihood", func(p *posterior.Posterior) { p.Draws[0].LogLikelihood = inf },
			"draw 1: log likelihood +Inf, want a finite number, or null where it is unknown"},
		{"parameter", func(p *posterior.Posterior) { p.Draws[0].Parameters = []float64{0, nan} },
			"draw 1: parameter 1 is NaN, want a finite number"},
		{"no weights", func(p *posterior.Posterior) { p.Draws[0].Equations.Weights = nil },
			"draw 1: equations without weights"},
		{"weight without edge", func(p *posterior.Posterior) {
			p.Draws[0].Equations.Weights.(*sparse.Matrix).Set(1, 0, 2)
		}, "draw 1: weight of 2 -> 1 is 2, want 0, there is no such edge"},
		{"infinite weight", func(p *posterior.Posterior) {
			p.Draws[0].Equations.Weights.(*sparse.Matrix).Set(0, 1, inf)
		}, "draw 1: weight of 1 -> 2 is +Inf, want a finite number"},
		{"deviation", func(p *posterior.Posterior) {
			p.Draws[0].Equations.WeightSD = mat.NewDense(2, 2, []float64{0, -1, 0, 0})
		}, "draw 1: standard deviation of the weight of 1 -> 2 is -1, want a number from 0 on"},
		{"intercept", func(p *posterior.Posterior) {
			p.Draws[0].Equations.Intercepts = []float64{0, nan}
		}, "draw 1: intercept of variable 2 is NaN, want a finite number"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := fresh()
			must.Do(t, p.Validate())
			row.spoil(p)
			if err := p.Validate(); err == nil || err.Error() != "posterior: "+row.want {
				t.Errorf("got  %v\nwant posterior: %s", err, row.want)
			}
		})
	}
}

// What reads a posterior as a whole: its order, its parameters as a matrix, the
// weights of its consensus graph in the units of the data.
func TestReadings(t *testing.T) {
	p := must.Get(posterior.Read(strings.NewReader(sample(t)), "sample"))(t)
	if order := p.Order(); len(order) != 2 || order[0] != 0 || p.ParameterMatrix() != nil {
		t.Errorf("order %v, parameters %v", order, p.ParameterMatrix())
	}
	s := &posterior.Standardization{Mean: []float64{5, 7}, SD: []float64{2, 10}}
	p.Marginals = p.Marginals.InDataUnits(s)
	g, w := p.Consensus()
	if !g.Has(0, 1) || w.At(0, 1) != 7.5 { // 1.5·10/2
		t.Errorf("consensus %v with the weights %v, want 0 → 1 with 7.5", g.Edges(),
			mat.Formatted(w))
	}
	p.Draws = []posterior.Draw{{Graph: g, Parameters: []float64{1, 2}},
		{Graph: g, Parameters: []float64{3, 4}}}
	if !mat.Equal(p.ParameterMatrix(), mat.NewDense(2, 2, []float64{1, 2, 3, 4})) {
		t.Errorf("parameters %v", p.ParameterMatrix())
	}
	p.Draws[1].Parameters = nil
	if message := panics(func() {
		p.ParameterMatrix()
	}); message != "posterior: draw 1 has 0 parameters, draw 0 has 2" {
		t.Errorf("parameters of different numbers: %v", message)
	}
	p.Components = nil
	if p.Order() != nil {
		t.Errorf("order %v without components", p.Order())
	}
}

// Several orders are no single one, however many components come before the one that differs; equal
// ones are.
func TestOrderOfSeveralComponents(t *testing.T) {
	component := func(order ...int) posterior.Component { return posterior.Component{Order: order} }
	for _, row := range []struct {
		name  string
		all   []posterior.Component
		order []int
	}{
		{"equal", []posterior.Component{component(2, 0, 1), component(2, 0, 1), component(2, 0, 1)},
			[]int{2, 0, 1}},
		{"the second differs",
			[]posterior.Component{component(2, 0, 1), component(2, 1, 0), component(2, 0, 1)}, nil},
		{"the last differs",
			[]posterior.Component{component(2, 0, 1), component(2, 0, 1), component(0, 2, 1)}, nil},
		{"the last has none", []posterior.Component{component(2, 0, 1), component(2, 0, 1), {}},
			nil},
		{"the first has none", []posterior.Component{{}, component(2, 0, 1)}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &posterior.Posterior{Names: []string{"a", "b", "c"}, Components: row.all}
			if got := p.Order(); !slices.Equal(got, row.order) ||
				(got == nil) != (row.order == nil) {
				t.Errorf("got %v, want %v", got, row.order)
			}
		})
	}
}
