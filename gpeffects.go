package tobac

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"tobac/additive"
	"tobac/effects"
	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
)

// A Functional score draws the structural function of a variable given its parents from
// its posterior: a model that has one has total effects although its draws are graphs alone.
type Functional interface {
	// FunctionParameters are the function as numbers.
	FunctionParameters(j int, parents []int, rng *rand.Rand) []float64
}

var (
	_ Functional = (*score.GPScorer)(nil)
	_ Functional = (*additive.Scorer)(nil)
)

// A curve is a structural function with additive noise.
type curve interface {
	Mean(dst []float64, columns [][]float64)
	Noise() float64
}

// A gpCurve is one of Gaussian processes.
type gpCurve struct{ *score.Function }

func (c gpCurve) Noise() float64 { return c.NoiseVariance }

// decodeGP and decodeAdditive read a function of so many parents, and return the numbers after it.
func decodeGP(parents int, numbers []float64) (curve, []float64, error) {
	f, rest, err := score.NewFunction(parents, numbers)
	return gpCurve{f}, rest, err
}

func decodeAdditive(parents int, numbers []float64) (curve, []float64, error) {
	return additive.NewFunction(parents, numbers)
}

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

// of are the scores of the draws that kept lists; nil: of all.
func (f *functional) of(kept []int) *functional {
	if f == nil || kept == nil {
		return f
	}
	out := *f
	out.scores = make([]Functional, len(kept))
	for k, at := range kept {
		out.scores[k] = f.scores[at]
	}
	return &out
}

// joined are the scores of the draws of several posteriors, one after the other; nil if one has none.
func joined(all []*functional) *functional {
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
func (f *functional) count(d int) int {
	const m = score.Features
	each := float64(d) * (float64(f.rows)*m*m + m*m*m)
	return min(len(f.scores), mostFunctions, max(leastFunctions, int(functionsWork/each)))
}

// posterior draws functions of as many draws as count says, each with a probability in proportion to
// its weight, and gives them equal weights. The functions are the parameters of its draws.
func (f *functional) posterior(ctx context.Context, p *posterior.Posterior) (*posterior.Posterior, error) {
	n := f.count(len(p.Names))
	cumulative := p.Empirical().Weights()
	for m := 1; m < len(cumulative); m++ {
		cumulative[m] += cumulative[m-1]
	}
	drawn := *p
	drawn.Draws, drawn.Components = make([]posterior.Draw, n), nil
	err := parallel.For(ctx, n, max(1, f.workers), func(k int) error {
		at := min(sort.SearchFloat64s(cumulative, (float64(k)+0.5)/float64(n)), len(cumulative)-1) // systematic
		draw := p.Draws[at]
		draw.LogWeight = 0
		rng := stream.New(f.seed, stream.FunctionDraw, k)
		for j := range p.Names {
			draw.Parameters = append(draw.Parameters, f.scores[at].FunctionParameters(j, draw.Graph.Parents(j), rng)...)
		}
		drawn.Draws[k] = draw
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &drawn, nil
}

// functions are the equations of a draw, by variable.
type functions []curve

// newFunctions are those of a draw of functional.posterior.
func newFunctions(draw *posterior.Draw, d int, decode func(parents int, numbers []float64) (curve, []float64, error)) (functions, error) {
	var all functions
	rest := draw.Parameters
	for j := range d {
		f, after, err := decode(len(draw.Graph.Parents(j)), rest)
		if err != nil {
			return nil, fmt.Errorf("tobac: variable %d: %w", j+1, err)
		}
		all, rest = append(all, f), after
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("tobac: %d parameters after those of all functions", len(rest))
	}
	return all, nil
}

var _ effects.Equations = functions(nil)

// Mean implements [effects.Equations].
func (f functions) Mean(dst []float64, j int, _ []int, columns [][]float64) {
	f[j].Mean(dst, columns)
}

// NoiseVariance implements [effects.Equations].
func (f functions) NoiseVariance(j int) float64 { return f[j].Noise() }
