package effects_test

import (
	"math"
	"testing"

	"tobac/dag"
	"tobac/effects"
	"tobac/internal/must"
	"tobac/posterior"
)

// A coin has a number x and a variable of the given values, each as probable as the others.
type coin []float64

func (coin) Mean(dst []float64, _ int, _ []int, _ [][]float64) { clear(dst) }

func (coin) NoiseVariance(int) float64 { return 1 }

func (c coin) Probabilities(j int, _ []int, _ [][]float64, rows int) (values, p []float64) {
	if j != 1 {
		return nil, nil
	}
	for range rows * len(c) {
		p = append(p, 1/float64(len(c)))
	}
	return c, p
}

// Draws may lack levels that no row had: probabilities belong to the levels of the column.
func TestLevelsThatSomeDrawsLack(t *testing.T) {
	p := &posterior.Posterior{Names: []string{"x", "y"}, Kind: posterior.Draws}
	for range 2 {
		g := dag.New(2)
		g.Set(0, 1, true)
		p.Draws = append(p.Draws, posterior.Draw{Graph: g})
	}
	p.Marginals = p.Frequencies()
	quantiles := []float64{0, 0, 0, 1, 1}
	names := []string{"a", "b", "c"}
	for _, named := range [][]string{names, nil} {
		e := must.Get(effects.Nonlinear(p, []effects.Column{{Name: "x", Quantiles: quantiles},
			{Name: "y", Quantiles: quantiles, LevelNames: named}}, 1,
			func(m int) (effects.Equations, error) {
				return []coin{{0, 2}, {0, 1, 2}}[m], nil
			}))(t)
		at, differences := must.Two(e.Curve(0, []float64{0, 1}))(t)
		want := []float64{(1./2 + 1./3) / 2, 1. / 6, (1./2 + 1./3) / 2}
		for k := range want {
			got, less := at[1][0].Levels[k].Mean, differences[1][0].Levels[k].Mean
			if math.Abs(got-want[k]) > 1e-12 || less != 0 {
				t.Errorf("names %v: level %d has %v, and %v more than at 0; want %v and 0", named,
					k, got, less, want[k])
			}
		}
	}
}
