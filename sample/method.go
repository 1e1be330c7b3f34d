package sample

import (
	"context"
	"math"

	"tobac/diagnostics"
	"tobac/gaussian"
	"tobac/smc"

	"gonum.org/v1/gonum/mat"
)

// A Method draws from the posterior of a model otherwise than by chains. The settings given to
// [Laplace], [Variational], [Pathfinder], [Tempered] and [Stein] need no target and no seed.
type Method struct {
	points int // that the model evaluates at once
	draw   func(ctx context.Context, f *Fit, n int, seed uint64) (*drawn, error)
}

// drawn are draws by their coordinates, and what judges them.
type drawn struct {
	x        *mat.Dense
	evidence float64
	// judge sees the values of the draws.
	judge func(names []string, values *mat.Dense) []diagnostics.Check
}

// fitted draws from a normal distribution, which the weights of the same draws judge.
func fitted(
	f *Fit, n *gaussian.Normal, err error, count int, seed uint64,
) (*drawn, error) {
	if err != nil {
		return nil, err
	}
	w, err := n.Judge(f.Model, max(count, 25), seed)
	if err != nil {
		return nil, err
	}
	x := w.X.Slice(0, count, 0, len(n.Mean)).(*mat.Dense)
	return &drawn{x, n.LogEvidence, func(names []string, values *mat.Dense) []diagnostics.Check {
		return diagnostics.Approximation(names, values, w.LogWeights[:count], w.K)
	}}, nil
}

// Laplace draws from the normal distribution around the mode.
func Laplace(by gaussian.Laplace) *Method {
	return &Method{4, func(ctx context.Context, f *Fit, count int, seed uint64) (*drawn, error) {
		by.Target, by.Seed = f.Model, seed
		n, err := by.Fit(ctx)
		return fitted(f, n, err, count, seed)
	}}
}

// Variational draws from the normal distribution with the greatest evidence lower bound.
func Variational(by gaussian.Variational) *Method {
	return &Method{4, func(ctx context.Context, f *Fit, count int, seed uint64) (*drawn, error) {
		by.Target, by.Seed = f.Model, seed
		n, err := by.Fit(ctx)
		return fitted(f, n, err, count, seed)
	}}
}

// constant are checks that do not depend on the values of draws.
func constant(c []diagnostics.Check) func([]string, *mat.Dense) []diagnostics.Check {
	return func([]string, *mat.Dense) []diagnostics.Check { return c }
}

// Pathfinder draws from normal distributions along paths of an optimiser, by importance weights.
func Pathfinder(by gaussian.Pathfinder) *Method {
	return &Method{4, func(ctx context.Context, f *Fit, count int, seed uint64) (*drawn, error) {
		by.Target, by.Seed = f.Model, seed
		p, err := by.Run(ctx)
		if err != nil {
			return nil, err
		}
		checks := diagnostics.Weights(p.K, p.Size())
		return &drawn{p.Draws(count, seed), math.NaN(), constant(checks)}, nil
	}}
}

// Tempered draws by sequential Monte Carlo from the prior, which has to be proper. As many points
// as the settings say are the draws.
func Tempered(by smc.Sampler) *Method {
	return &Method{32, func(ctx context.Context, f *Fit, _ int, seed uint64) (*drawn, error) {
		by.Target, by.Seed = f.Model, seed
		s, err := by.Run(ctx, nil)
		if err != nil {
			return nil, err
		}
		return &drawn{s.X, s.LogEvidence, constant(diagnostics.Population(s.StaysMost))}, nil
	}}
}

// Stein has particles of Stein variational gradient descent as draws; the number is at least 100,
// and more than the coordinates of the model.
func Stein(by gaussian.Stein, particles int) *Method {
	return &Method{particles, func(
		ctx context.Context, f *Fit, _ int, seed uint64,
	) (*drawn, error) {
		by.Target, by.Seed = f.Model, seed
		p, err := by.Run(ctx)
		if err != nil {
			return nil, err
		}
		checks := diagnostics.Particles(p.Variance, p.Dependence, p.K, particles)
		return &drawn{p.X, math.NaN(), constant(checks)}, nil
	}}
}
