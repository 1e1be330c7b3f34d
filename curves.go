package tobac

import (
	"fmt"
	"tobac/additive"
	"tobac/effects"
	"tobac/posterior"
	"tobac/score"
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
