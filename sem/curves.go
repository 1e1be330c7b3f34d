package sem

import (
	"fmt"
	"slices"

	"tobac/effects"
	"tobac/internal/nodescore"
	"tobac/posterior"
)

// A curve is a structural function with additive noise.
type curve interface {
	Mean(dst []float64, columns [][]float64)
	Noise() float64
}

// levelled is a structural function of a variable of a few values: their probabilities in rows.
type levelled interface {
	Probabilities(columns [][]float64, rows int) (values, p []float64)
}

// drawing is a structural function whose noise is not always added.
type drawing interface {
	Values(dst []float64, columns [][]float64, noise []float64) bool
}

// A gpCurve is one of Gaussian processes.
type gpCurve struct{ *nodescore.Function }

func (c gpCurve) Noise() float64 { return c.NoiseVariance }

// dense is a structural function whose distribution has a density.
type dense interface {
	LogDensity(y float64, x []float64) float64
}

// drawnFunctions are the equations of draws whose parameters are functions, which decode reads.
func drawnFunctions(p *posterior.Posterior, decode func(parents int,
	numbers []float64) (curve, []float64, error)) func(k int) (effects.Equations, error) {
	return func(k int) (effects.Equations, error) {
		return newFunctions(&p.Draws[k], len(p.Names), decode)
	}
}

// functions are the equations of a draw, by variable.
type functions []curve

// newFunctions are those of a draw of functional.posterior.
func newFunctions(draw *posterior.Draw, d int,
	decode func(parents int, numbers []float64) (curve, []float64, error)) (functions, error) {
	var all functions
	rest := draw.Parameters
	for j := range d {
		f, after, err := decode(len(draw.Graph.Parents(j)), rest)
		if err != nil {
			return nil, fmt.Errorf("sem: variable %d: %w", j+1, err)
		}
		all, rest = append(all, f), after
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("sem: %d parameters after those of all functions", len(rest))
	}
	return all, nil
}

var (
	_ effects.Equations = functions(nil)
	_ effects.Discrete  = functions(nil)
	_ effects.Drawing   = functions(nil)
)

// Mean implements [effects.Equations].
func (f functions) Mean(dst []float64, j int, _ []int, columns [][]float64) {
	f[j].Mean(dst, columns)
}

// NoiseVariance implements [effects.Equations].
func (f functions) NoiseVariance(j int) float64 { return f[j].Noise() }

// Probabilities implements [effects.Discrete].
func (f functions) Probabilities(j int, _ []int, columns [][]float64,
	rows int) (values, p []float64) {
	if t, ok := f[j].(levelled); ok {
		return t.Probabilities(columns, rows)
	}
	return nil, nil
}

// Values implements [effects.Drawing].
func (f functions) Values(dst []float64, j int, columns [][]float64, noise []float64) bool {
	d, ok := f[j].(drawing)
	return ok && d.Values(dst, columns, noise)
}

// Dense reports whether all distributions have densities.
func (f functions) Dense() bool {
	return !slices.ContainsFunc(f, func(c curve) bool { _, ok := c.(dense); return !ok })
}

// LogDensity is ln p(x_j = y | parents) at values x of the parents, −Inf where y is impossible.
func (f functions) LogDensity(j int, y float64, x []float64) float64 {
	return f[j].(dense).LogDensity(y, x)
}
