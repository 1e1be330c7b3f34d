package drawn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"tobac/effects"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"
)

// Bounds on the draws with functions, each of which costs a regression for each variable.
const (
	MostFunctions  = 200
	leastFunctions = 30
	functionsWork  = 4e9 // floating-point operations that they may take
)

// Functions are the scores that functions of the draws are drawn from; nil means none.
type Functions struct {
	scores  []sem.Functional // by draw
	rows    int
	seed    uint64
	workers int
}

// NewFunctional is nil unless all scores have functions.
func NewFunctional(scorers []score.Scorer, rows int, seed uint64, workers int) *Functions {
	f := &Functions{rows: rows, seed: seed, workers: workers}
	for _, s := range scorers {
		own, ok := s.(sem.Functional)
		if !ok {
			return nil
		}
		f.scores = append(f.scores, own)
	}
	return f
}

// Of are the scores of the draws that kept lists; nil means of all.
func (f *Functions) Of(kept []int) *Functions {
	if f == nil || kept == nil {
		return f
	}
	out := *f
	out.scores = make([]sem.Functional, len(kept))
	for k, at := range kept {
		out.scores[k] = f.scores[at]
	}
	return &out
}

// Joined are the scores of the draws of several posteriors, one after the other; nil if one has
// none.
func Joined(all []*Functions) *Functions {
	if slices.Contains(all, nil) {
		return nil
	}
	out := *all[0]
	out.scores = nil
	for _, f := range all {
		out.scores = append(out.scores, f.scores...)
	}
	return &out
}

// count is the number of draws with functions.
func (f *Functions) count(d int) int {
	const m = nodescore.Features
	each := float64(d) * (float64(f.rows)*m*m + m*m*m)
	return min(len(f.scores), MostFunctions, max(leastFunctions, int(functionsWork/each)))
}

// Draw draws functions of as many draws as count says, each with a probability in proportion to
// its weight, and gives them equal weights. The functions are the parameters of its draws.
func (f *Functions) Draw(ctx context.Context, p *posterior.Posterior) (*posterior.Posterior,
	error) {
	n := f.count(len(p.Names))
	cumulative := p.Empirical().Weights()
	for m := 1; m < len(cumulative); m++ {
		cumulative[m] += cumulative[m-1]
	}
	drawn := *p
	drawn.Draws, drawn.Components = make([]posterior.Draw, n), nil
	err := parallel.For(ctx, n, max(1, f.workers), func(k int) error {
		// systematic
		at := min(sort.SearchFloat64s(cumulative, (float64(k)+0.5)/float64(n)), len(cumulative)-1)
		drawn.Draws[k] = f.At(p, at, stream.New(f.seed, stream.FunctionDraw, k))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &drawn, nil
}

// At is draw m of p, of weight 1, with functions drawn for it as its parameters.
func (f *Functions) At(p *posterior.Posterior, m int, rng *rand.Rand) posterior.Draw {
	draw := p.Draws[m]
	draw.LogWeight = 0
	for j := range p.Names {
		draw.Parameters = append(draw.Parameters,
			f.scores[m].FunctionParameters(j, draw.Graph.Parents(j), rng)...)
	}
	return draw
}

// EffectsOf prepares the total effects of a posterior whose draws have parameters: linear
// equations, those of networks, [sem.FeedForward], or functions ([tobac.Result.Functions]). columns
// describe the data in the units that p is for; nil means they are unknown, which only linear
// equations allow. The noise that nonlinear effects are averaged over comes from seed. It fails
// with [effects.ErrNoParameters] if draws are graphs alone.
func EffectsOf(p *posterior.Posterior, columns []effects.Column, seed uint64) (*effects.Effects,
	error) {
	if len(p.Draws) == 0 || p.Draws[0].Parameters == nil {
		return effects.Linear(p, columns)
	}
	model, err := sem.Parse(p.Model)
	if err != nil {
		return nil, err
	}
	if m, ok := sem.As[sem.Structural](model); ok {
		equations, err := m.Structure(p)
		if err != nil {
			return nil, err
		}
		return effects.Nonlinear(p, columns, seed, equations)
	}
	return nil, fmt.Errorf("sem: effects of the model %v: %w that its equations could be "+
		"computed from", model, effects.ErrNoParameters)
}
