package smc

import (
	"errors"
	"fmt"

	"tobac/chain"
	"tobac/gaussian"

	"gonum.org/v1/gonum/mat"
)

// Between goes from a normal distribution to any density, which need not have a proper prior:
// the ratio of both is the likelihood of a [Target]. The evidence is then the integral of
// the density over its coordinates. The normal distribution should be wider than the
// density, such as one of package gaussian with a multiple of its Root.
type Between struct {
	To   chain.Target
	From *gaussian.Normal
}

var _ Target = Between{}

// Dims implements [Target].
func (b Between) Dims() (points, coordinates int) { return b.To.Dims() }

func (b Between) check() error {
	if b.To == nil || b.From == nil {
		return errors.New("smc: no density, or no normal distribution to begin with")
	}
	if _, d := b.To.Dims(); len(b.From.Mean) != d {
		return fmt.Errorf(
			"smc: a normal distribution of %d coordinates, want %d",
			len(b.From.Mean),
			d,
		)
	}
	return nil
}

// Prior implements [Target].
func (b Between) Prior(n int, seed uint64) (*mat.Dense, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	return b.From.Draws(n, seed), nil
}

// Tempered implements [Target].
func (b Between) Tempered(beta float64, prior, likelihood []float64, grad, x *mat.Dense) error {
	if err := b.check(); err != nil {
		return err
	}
	if err := b.To.LogDensity(likelihood, grad, x); err != nil {
		return err
	}
	slope := make([]float64, len(b.From.Mean))
	for k := range prior {
		prior[k] = b.From.Score(slope, x.RawRowView(k))
		likelihood[k] -= prior[k]
		for i, g := range grad.RawRowView(k) {
			grad.Set(k, i, beta*g+(1-beta)*slope[i])
		}
	}
	return nil
}
