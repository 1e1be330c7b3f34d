package sem

import (
	"math/rand/v2"
	"slices"

	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/generalised"
	"tobac/internal/nodescore"
	"tobac/posterior"
	"tobac/score"
)

// A tableScores has tables of probabilities as functions.
type tableScores struct {
	*nodescore.Dirichlet
	values [][]float64 // of the codes of each variable
}

// A mixedScores has the equations of the kinds of the columns: those of a category given numbers
// are multinomial logits, as under the joint distribution that is scored.
type mixedScores struct {
	*nodescore.Kept
	equations func() *generalised.Scorer
}

// A generalisedScores has the equations that its form scores.
type generalisedScores struct {
	*nodescore.Blend
	form *nodescore.Each
	any  *generalised.Scorer // for variables that were always set
}

var (
	_ Functional = tableScores{}
	_ Functional = mixedScores{}
	_ Functional = generalisedScores{}
	_ Structural = bdeuModel{}
	_ Structural = mixedModel{}
	_ Structural = generalisedModel{}
)

// FunctionParameters implements [Functional].
func (s tableScores) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return generalised.NewTable(s.Dirichlet, s.values, j, parents, rng).Parameters()
}

// FunctionParameters implements [Functional].
func (s mixedScores) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return s.equations().FunctionParameters(j, parents, rng)
}

// Counting implements what trust counts in part: the form with its directions gets a weight.
func (s generalisedScores) Counting(weight float64) score.Scorer {
	s.Blend = &nodescore.Blend{Form: s.Form, Base: s.Base, Weight: weight}
	return s
}

// Surplus is that of the form without its directions; 0 where variables were set in different rows.
func (s generalisedScores) Surplus() float64 {
	of := s.Base.(*nodescore.Each).Of
	without, ok := of[0].(*nodescore.Symmetric)
	if !ok || slices.ContainsFunc(of, func(o score.SubsetScorer) bool { return o != of[0] }) {
		return 0
	}
	return without.Surplus()
}

// FunctionParameters implements [Functional].
func (s generalisedScores) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	if f, ok := s.form.Of[j].(*generalised.Scorer); ok {
		return f.FunctionParameters(j, parents, rng)
	}
	return s.any.FunctionParameters(j, parents, rng)
}

// kindEquations are the equations of draws whose parameters are functions of kinds of columns.
func kindEquations(p *posterior.Posterior) (func(k int) (effects.Equations, error), error) {
	return drawnFunctions(p, func(parents int, numbers []float64) (curve, []float64, error) {
		return generalised.NewFunction(parents, numbers)
	}), nil
}

// Structure implements [Structural].
func (bdeuModel) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error), error) {
	return kindEquations(p)
}

// Structure implements [Structural].
func (latentModel) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error),
	error) {
	return kindEquations(p)
}

// Structure implements [Structural].
func (mixedModel) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error),
	error) {
	return kindEquations(p)
}

// Structure implements [Structural].
func (generalisedModel) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error),
	error) {
	return kindEquations(p)
}

// levelValues are the values of the codes of a column.
func levelValues(data *dataset.Table, j, levels int) []float64 {
	if !data.Named(j) {
		return data.Values(j)
	}
	all := make([]float64, levels)
	for k := range all {
		all[k] = float64(k)
	}
	return all
}
