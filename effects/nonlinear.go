package effects

import (
	"fmt"
	"math"
	"slices"

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
	// are those of [Equations].Mean; without rows only the values are asked for.
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
	levels := make([][]float64, len(columns))
	for j, c := range columns {
		for k := range c.LevelNames {
			levels[j] = append(levels[j], float64(k))
		}
	}
	return newEffects(p, columns, func(m int) (draw, error) {
		f, err := equations(m)
		if err != nil {
			return nil, err
		}
		l := newNonlinear(p.Draws[m].Graph, f, p.Standardization, noise, levels)
		l.addLevels()
		return l, nil
	})
}

// nonlinear is a draw with equations of any form.
type nonlinear struct {
	structure
	equations Equations
	scale     *posterior.Standardization // of the equations
	noise     [][]float64                // by variable, of standard deviation 1
	// The values that discrete variables have in any draw, ascending: some equations leave out
	// those that no row has.
	levels [][]float64
}

func newNonlinear(g *dag.Graph, f Equations, scale *posterior.Standardization,
	noise, levels [][]float64) *nonlinear {
	return &nonlinear{structure: structureOf(g), equations: f, scale: scale, noise: noise,
		levels: levels}
}

// addLevels adds the values of the draw to the levels of all.
func (l *nonlinear) addLevels() {
	discrete, ok := l.equations.(Discrete)
	if !ok {
		return
	}
	for j, parents := range l.parents {
		values, _ := discrete.Probabilities(j, parents, make([][]float64, len(parents)), 0)
		for _, v := range values {
			if at, found := slices.BinarySearch(l.levels[j], v); !found {
				l.levels[j] = slices.Insert(l.levels[j], at, v)
			}
		}
	}
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

// simulate is the simulation under an intervention. Variables that are not changed by it are as in
// another simulation, with other values of the same variables, unless that is nil.
func (l *nonlinear) simulate(set []float64, other *simulation) simulation {
	d := len(set)
	changed := make([]bool, d)
	discrete, _ := l.equations.(Discrete)
	drawing, _ := l.equations.(Drawing)
	s := simulation{make([][]float64, d), make([][]float64, d), make([][]float64, d)}
	for _, j := range l.order {
		changed[j] = other == nil || !math.IsNaN(set[j]) ||
			slices.ContainsFunc(l.parents[j], func(i int) bool { return changed[i] })
		if !changed[j] {
			s.means[j], s.values[j] = other.means[j], other.values[j]
			s.probabilities[j] = other.probabilities[j]
			continue
		}
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
				s.probabilities[j] = drawLevels(means, values, l.noise[j], v, p, l.levels[j])
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
// returns the mean probabilities of levels, among which its values are.
func drawLevels(means, drawn, noise, values, p, levels []float64) (mean []float64) {
	mean = make([]float64, len(levels))
	place := make([]int, len(values))
	for k, v := range values {
		place[k], _ = slices.BinarySearch(levels, v)
	}
	for r := range rowsPerColumn {
		u := 0.5 * math.Erfc(-noise[r]/math.Sqrt2)
		drawn[r] = math.NaN()
		for k, v := range values {
			q := p[r*len(values)+k]
			mean[place[k]] += q / rowsPerColumn
			means[r] += q * v
			if u -= q; math.IsNaN(drawn[r]) && (u < 0 || k == len(values)-1) {
				drawn[r] = v
			}
		}
	}
	return mean
}

// slopes simulates, of what a variable does not reach, the values once for all variables.
func (l *nonlinear) slopes(dst [][]float64, from []int, low, high []float64) {
	set := make([]float64, len(l.parents))
	for j := range set {
		set[j] = math.NaN()
	}
	free := l.simulate(set, nil)
	for k, i := range from {
		set[i] = low[k]
		below := l.simulate(set, &free).means
		set[i] = high[k]
		above := l.simulate(set, &free).means
		set[i] = math.NaN()
		for j := range dst[k] {
			if dst[k][j] = 0; &below[j][0] == &above[j][0] {
				continue // no change
			}
			sum := 0.0
			for r := range rowsPerColumn {
				sum += (l.back(j, above[j][r]) - l.back(j, below[j][r])) / rowsPerColumn
			}
			if dst[k][j] = sum; high[k] != low[k] {
				dst[k][j] /= high[k] - low[k]
			}
		}
	}
}

func (l *nonlinear) do(sets ...[]float64) (all []outcome) {
	first := l.simulate(sets[0], nil)
	all = append(all, l.outcome(sets[0], first))
	for _, set := range sets[1:] {
		all = append(all, l.outcome(set, l.simulate(set, &first)))
	}
	return all
}

// outcome is that of a simulation.
func (l *nonlinear) outcome(set []float64, s simulation) outcome {
	o := outcome{means: make([]float64, len(set)), centres: make([][]float64, len(set)),
		variances: make([]float64, len(set)), levels: s.probabilities}
	back := func(j int, values []float64) []float64 {
		out := make([]float64, len(values))
		for r, v := range values {
			out[r] = l.back(j, v)
		}
		return out
	}
	for j := range set {
		if !math.IsNaN(set[j]) {
			o.means[j], o.centres[j] = set[j], []float64{set[j]} // without rounding
			continue
		}
		o.centres[j] = back(j, s.means[j])
		for _, v := range o.centres[j] {
			o.means[j] += v / rowsPerColumn
		}
		sd := 1.0
		if l.scale != nil {
			sd = l.scale.SD[j]
		}
		variance := l.equations.NoiseVariance(j)
		// values, where the noise is not added
		if o.variances[j] = sd * sd * variance; math.IsNaN(variance) {
			o.variances[j], o.centres[j] = 0, back(j, s.values[j])
		}
	}
	return o
}
