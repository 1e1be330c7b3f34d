package effects

import (
	"fmt"
	"math"

	"tobac/dag"
	"tobac/internal/stream"
	"tobac/posterior"
)

// Rows is the number of rows of noise that nonlinear equations are averaged over.
const Rows = 128

// Equations are the nonlinear structural equations of a draw, on the scale of the
// posterior's parameters.
type Equations interface {
	// Mean writes E[x_j | parents] of len(dst) rows to dst; columns[k] are the
	// values of parents[k], which ascend.
	Mean(dst []float64, j int, parents []int, columns [][]float64)
	// NoiseVariance is that of variable j.
	NoiseVariance(j int) float64
}

// Discrete equations are those of variables of a few values.
type Discrete interface {
	// Probabilities are those of the values of variable j in so many rows, one after the other in
	// p; nil if it is no such variable. columns are as of [Equations].
	Probabilities(j int, parents []int, columns [][]float64, rows int) (values, p []float64)
}

// Nonlinear are the effects of a posterior with equations of any form, those of draw m being
// equations(m). Noise comes from the seed. columns, which are needed here, and errors are as for
// [Linear], and an error of equations is returned.
func Nonlinear(p *posterior.Posterior, columns []Column, seed uint64, equations func(m int) (Equations, error)) (*Effects, error) {
	if columns == nil {
		return nil, fmt.Errorf("effects: nonlinear equations without the ranges of the columns")
	}
	noise := make([][]float64, len(p.Names))
	for j := range noise {
		rng := stream.New(seed, stream.SimulatedEffects, j)
		noise[j] = make([]float64, Rows)
		for r := 0; r < Rows; r += 2 { // in pairs, so that the mean is 0
			noise[j][r] = rng.NormFloat64()
			noise[j][r+1] = -noise[j][r]
		}
		rng.Shuffle(Rows, func(a, b int) { noise[j][a], noise[j][b] = noise[j][b], noise[j][a] })
	}
	return newEffects(p, columns, func(m int) (draw, error) {
		f, err := equations(m)
		if err != nil {
			return nil, err
		}
		return newNonlinear(p.Draws[m].Graph, f, p.Standardization, noise), nil
	})
}

// nonlinear is a draw with equations of any form.
type nonlinear struct {
	structure
	equations Equations
	scale     *posterior.Standardization // of the equations
	noise     [][]float64                // by variable, of standard deviation 1
}

func newNonlinear(g *dag.Graph, f Equations, scale *posterior.Standardization, noise [][]float64) *nonlinear {
	return &nonlinear{structure: structureOf(g), equations: f, scale: scale, noise: noise}
}

// into and back change to the scale of the equations and back.
func (l *nonlinear) into(j int, v float64) float64 {
	if l.scale == nil {
		return v
	}
	return (v - l.scale.Mean[j]) / l.scale.SD[j]
}

func (l *nonlinear) back(j int, v float64) float64 {
	if l.scale == nil {
		return v
	}
	return l.scale.Mean[j] + l.scale.SD[j]*v
}

// simulate are E[x_j | parents] in all rows of noise, on the scale of the equations, by variable,
// and of discrete variables the mean probabilities of their values; nil of others, and of those that
// are set.
func (l *nonlinear) simulate(set []float64) (means, probabilities [][]float64) {
	d := len(set)
	discrete, _ := l.equations.(Discrete)
	probabilities = make([][]float64, d)
	means = make([][]float64, d)
	values := make([][]float64, d)
	for _, j := range l.order {
		means[j], values[j] = make([]float64, Rows), make([]float64, Rows)
		if !math.IsNaN(set[j]) {
			v := l.into(j, set[j])
			for r := range means[j] {
				means[j][r], values[j][r] = v, v
			}
			continue
		}
		columns := make([][]float64, len(l.parents[j]))
		for k, i := range l.parents[j] {
			columns[k] = values[i]
		}
		if discrete != nil {
			if v, p := discrete.Probabilities(j, l.parents[j], columns, Rows); p != nil {
				probabilities[j] = drawLevels(means[j], values[j], l.noise[j], v, p)
				continue
			}
		}
		l.equations.Mean(means[j], j, l.parents[j], columns)
		sd := math.Sqrt(l.equations.NoiseVariance(j))
		for r, m := range means[j] {
			values[j][r] = m + sd*l.noise[j][r]
		}
	}
	return means, probabilities
}

// drawLevels draws the values of a discrete variable in all rows of noise, writes their means, and
// returns the mean probabilities.
func drawLevels(means, drawn, noise, values, p []float64) (mean []float64) {
	mean = make([]float64, len(values))
	for r := range Rows {
		u := 0.5 * math.Erfc(-noise[r]/math.Sqrt2)
		drawn[r] = math.NaN()
		for k, v := range values {
			q := p[r*len(values)+k]
			mean[k] += q / Rows
			means[r] += q * v
			if u -= q; math.IsNaN(drawn[r]) && (u < 0 || k == len(values)-1) {
				drawn[r] = v
			}
		}
	}
	return mean
}

func (l *nonlinear) slopes(dst []float64, from int, low, high float64) {
	set := make([]float64, len(dst))
	for j := range set {
		set[j] = math.NaN()
	}
	set[from] = low
	below, _ := l.simulate(set)
	set[from] = high
	above, _ := l.simulate(set)
	for j := range dst {
		dst[j] = 0
		for r := range Rows {
			dst[j] += (l.back(j, above[j][r]) - l.back(j, below[j][r])) / Rows
		}
		if high != low {
			dst[j] /= high - low
		}
	}
}

func (l *nonlinear) do(set []float64) (centres [][]float64, variances []float64, levels [][]float64) {
	centres, levels = l.simulate(set)
	variances = make([]float64, len(set))
	for j := range centres {
		for r := range centres[j] {
			centres[j][r] = l.back(j, centres[j][r])
		}
		if math.IsNaN(set[j]) {
			sd := 1.0
			if l.scale != nil {
				sd = l.scale.SD[j]
			}
			variances[j] = sd * sd * l.equations.NoiseVariance(j)
		} else {
			for r := range centres[j] {
				centres[j][r] = set[j] // without rounding
			}
		}
	}
	return centres, variances, levels
}
