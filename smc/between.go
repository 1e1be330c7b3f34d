package smc

import (
	"errors"
	"fmt"

	"tobac/chain"

	"gonum.org/v1/gonum/mat"
)

// Between goes from a distribution that can be drawn to any density, which need not have a proper
// prior: the ratio of both is the likelihood of a [Target]. The evidence is then the integral of
// the density over its coordinates. The distribution should be wider than the density, such as a
// normal one of package gaussian with a multiple of its Root.
type Between struct {
	To   chain.Target
	From Distribution
}

// A Distribution is where [Between] begins.
type Distribution interface {
	// Draws are a number of independent draws, one in each row.
	Draws(count int, seed uint64) *mat.Dense
	// Score is the normalised log density at x, whose gradient it writes to grad.
	Score(grad, x []float64) float64
}

var _ Target = Between{}

// Dims implements [Target].
func (b Between) Dims() (points, coordinates int) { return b.To.Dims() }

func (b Between) check() error {
	if b.To == nil || b.From == nil {
		return errors.New("smc: no density, or no distribution to begin with")
	}
	return nil
}

// Prior implements [Target].
func (b Between) Prior(n int, seed uint64) (*mat.Dense, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	x := b.From.Draws(n, seed)
	_, got := x.Dims()
	if _, d := b.To.Dims(); got != d {
		return nil, fmt.Errorf("smc: a distribution of %d coordinates, want %d", got, d)
	}
	return x, nil
}

// Tempered implements [Target].
func (b Between) Tempered(beta float64, prior, likelihood []float64, grad, x *mat.Dense) error {
	if err := b.check(); err != nil {
		return err
	}
	if err := b.To.LogDensity(likelihood, grad, x); err != nil {
		return err
	}
	_, d := b.To.Dims()
	slope := make([]float64, d)
	for k := range prior {
		prior[k] = b.From.Score(slope, x.RawRowView(k))
		likelihood[k] -= prior[k]
		for i, g := range grad.RawRowView(k) {
			grad.Set(k, i, beta*g+(1-beta)*slope[i])
		}
	}
	return nil
}
