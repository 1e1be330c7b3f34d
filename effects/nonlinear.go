package effects

import (
	"fmt"
	"math"

	"tobac/dag"
	"tobac/internal/stream"
	"tobac/posterior"
)

// rowsPerColumn is the number of rows of noise that nonlinear equations are averaged over.
const rowsPerColumn = 128

// Equations are the nonlinear structural equations of a draw, on the scale of the
// posterior's parameters.
type Equations interface {
	// Mean writes E[x_j | parents] of len(dst) rows to dst; columns[k] are the
	// values of parents[k], which ascend.
	Mean(dst []float64, j int, parents []int, columns [][]float64)
	// NoiseVariance is the variance of the additive noise of variable j.
	NoiseVariance(j int) float64
}

// Discrete equations give variables with a few values a probability for each value.
type Discrete interface {
	// Probabilities returns the values of variable j and their probabilities in each row: p has
	// rows × len(values) elements, row-major. Both are nil if the variable is not discrete. columns
	// are those of [Equations].Mean.
	Probabilities(j int, parents []int, columns [][]float64, rows int) (values, p []float64)
}

// Drawing equations draw the values of variables whose noise is not additive and normal, such as
// counts.
type Drawing interface {
	// Values writes to dst a value of variable j for each row, made from standard normal noise. It
	// reports false if the noise of the variable is additive and normal. columns are those of
	// [Equations].Mean.
	Values(dst []float64, j int, columns [][]float64, noise []float64) bool
}

// Nonlinear are the effects of a posterior whose draw m has the equations equations(m), of any
// form. The seed determines the noise. columns are required. Errors are those of [Linear] and of
// equations.
func Nonlinear(p *posterior.Posterior, columns []Column, seed uint64,
	equations func(m int) (Equations, error)) (*Effects, error) {
	if columns == nil {
		return nil, fmt.Errorf("effects: nonlinear equations without the ranges of the columns")
	}
	noise := make([][]float64, len(p.Names))
	for j := range noise {
		rng := stream.New(seed, stream.SimulatedEffects, j)
		noise[j] = make([]float64, rowsPerColumn)
		for r := 0; r < rowsPerColumn; r += 2 { // in pairs, so that the mean is 0
			noise[j][r] = rng.NormFloat64()
			noise[j][r+1] = -noise[j][r]
		}
		rng.Shuffle(rowsPerColumn, func(a, b int) {
			noise[j][a], noise[j][b] = noise[j][b], noise[j][a]
		})
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

func newNonlinear(g *dag.Graph, f Equations, scale *posterior.Standardization,
	noise [][]float64) *nonlinear {
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

// A simulation has, by variable, E[x_j | parents] and the values in all rows of noise, on the scale
// of the equations; of discrete variables that are not set the mean probabilities of their values.
type simulation struct{ means, values, probabilities [][]float64 }

func (l *nonlinear) simulate(set []float64) simulation {
	d := len(set)
	discrete, _ := l.equations.(Discrete)
	drawing, _ := l.equations.(Drawing)
	s := simulation{make([][]float64, d), make([][]float64, d), make([][]float64, d)}
	for _, j := range l.order {
		means, values := make([]float64, rowsPerColumn), make([]float64, rowsPerColumn)
		s.means[j], s.values[j] = means, values
		if !math.IsNaN(set[j]) {
			v := l.into(j, set[j])
			for r := range means {
				means[r], values[r] = v, v
			}
			continue
		}
		columns := make([][]float64, len(l.parents[j]))
		for k, i := range l.parents[j] {
			columns[k] = s.values[i]
		}
		if discrete != nil {
			if v, p := discrete.Probabilities(j, l.parents[j], columns, rowsPerColumn); p != nil {
				s.probabilities[j] = drawLevels(means, values, l.noise[j], v, p)
				continue
			}
		}
		l.equations.Mean(means, j, l.parents[j], columns)
		if drawing != nil && drawing.Values(values, j, columns, l.noise[j]) {
			continue
		}
		sd := math.Sqrt(l.equations.NoiseVariance(j))
		for r, m := range means {
			values[r] = m + sd*l.noise[j][r]
		}
	}
	return s
}

// drawLevels draws the values of a discrete variable in all rows of noise, writes their means, and
// returns the mean probabilities.
func drawLevels(means, drawn, noise, values, p []float64) (mean []float64) {
	mean = make([]float64, len(values))
	for r := range rowsPerColumn {
		u := 0.5 * math.Erfc(-noise[r]/math.Sqrt2)
		drawn[r] = math.NaN()
		for k, v := range values {
			q := p[r*len(values)+k]
			mean[k] += q / rowsPerColumn
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
	below := l.simulate(set).means
	set[from] = high
	above := l.simulate(set).means
	for j := range dst {
		dst[j] = 0
		for r := range rowsPerColumn {
			dst[j] += (l.back(j, above[j][r]) - l.back(j, below[j][r])) / rowsPerColumn
		}
		if high != low {
			dst[j] /= high - low
		}
	}
}

func (l *nonlinear) do(set []float64) outcome {
	s := l.simulate(set)
	o := outcome{means: make([]float64, len(set)), centres: s.means,
		variances: make([]float64, len(set)), levels: s.probabilities}
	for j := range set {
		if !math.IsNaN(set[j]) {
			o.means[j], o.centres[j] = set[j], []float64{set[j]} // without rounding
			continue
		}
		for r, v := range s.means[j] {
			s.means[j][r] = l.back(j, v)
			o.means[j] += s.means[j][r] / rowsPerColumn
		}
		sd := 1.0
		if l.scale != nil {
			sd = l.scale.SD[j]
		}
		variance := l.equations.NoiseVariance(j)
		// values, where the noise is not added
		if o.variances[j] = sd * sd * variance; math.IsNaN(variance) {
			o.variances[j], o.centres[j] = 0, s.values[j]
			for r, v := range s.values[j] {
				s.values[j][r] = l.back(j, v)
			}
		}
	}
	return o
}
