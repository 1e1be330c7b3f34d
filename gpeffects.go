package tobac

import (
	"context"
	"math/rand/v2"
	"sort"

	"tobac/effects"
	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
)

// A Functional score draws the structural function of a variable given its parents from
// its posterior: a model that has one has total effects although its draws are graphs alone.
type Functional interface {
	Function(j int, parents []int, rng *rand.Rand) *score.Function
}

var _ Functional = (*score.GPScorer)(nil)

// Bounds on the draws with functions, each of which costs a regression for each variable.
const (
	mostFunctions  = 200
	leastFunctions = 30
	functionsWork  = 4e9 // floating-point operations that they may take
)

// functional are the scores that functions of the draws are drawn from; nil: none.
type functional struct {
	scores  []Functional // by draw
	rows    int
	seed    uint64
	workers int
}

// newFunctional is nil unless all scores have functions.
func newFunctional(scorers []score.Scorer, rows int, cfg *Config) *functional {
	f := &functional{rows: rows, seed: cfg.Seed, workers: cfg.Workers}
	for _, s := range scorers {
		own, ok := s.(Functional)
		if !ok {
			return nil
		}
		f.scores = append(f.scores, own)
	}
	return f
}

// count is the number of draws with functions.
func (f *functional) count(d int) int {
	const m = score.Features
	each := float64(d) * (float64(f.rows)*m*m + m*m*m)
	return min(len(f.scores), mostFunctions, max(leastFunctions, int(functionsWork/each)))
}

// effects draws functions of as many draws as count says, each with a probability in proportion to
// its weight, and gives them equal weights.
func (f *functional) effects(ctx context.Context, p *posterior.Posterior, columns []effects.Column) (*effects.Effects, error) {
	n := f.count(len(p.Names))
	cumulative := p.Empirical().Weights()
	for m := 1; m < len(cumulative); m++ {
		cumulative[m] += cumulative[m-1]
	}
	drawn := *p
	drawn.Draws, drawn.Components = make([]posterior.Draw, n), nil
	at := make([]int, n)
	for k := range at { // systematic
		at[k] = min(sort.SearchFloat64s(cumulative, (float64(k)+0.5)/float64(n)), len(cumulative)-1)
		drawn.Draws[k] = p.Draws[at[k]]
		drawn.Draws[k].LogWeight = 0
	}
	all := make([]functions, n)
	err := parallel.For(ctx, n, max(1, f.workers), func(k int) error {
		rng := stream.New(f.seed, stream.FunctionDraw, k)
		for j := range p.Names {
			all[k] = append(all[k], f.scores[at[k]].Function(j, drawn.Draws[k].Graph.Parents(j), rng))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return effects.Nonlinear(&drawn, columns, f.seed, func(k int) (effects.Equations, error) { return all[k], nil })
}

// functions are the equations of a draw, by variable.
type functions []*score.Function

var _ effects.Equations = functions(nil)

// Mean implements [effects.Equations].
func (f functions) Mean(dst []float64, j int, _ []int, columns [][]float64) {
	f[j].Mean(dst, columns)
}

// NoiseVariance implements [effects.Equations].
func (f functions) NoiseVariance(j int) float64 { return f[j].NoiseVariance }
