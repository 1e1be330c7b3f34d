package effects

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// A Setting is an intervention: variable Var gets the value Value, in the units of
// the data, whatever its causes are.
type Setting struct {
	Var   int
	Value float64
}

// A Prediction is what is expected of a variable under an intervention.
type Prediction struct {
	Var int
	// Mean is the posterior of E[x_Var | do], the average over many observations.
	Mean Distribution
	// New is the distribution of a single new observation, the noise included. Its
	// quantiles are NaN where those of Mean are, and where noise variances are unknown.
	New Distribution
	// Levels are the probabilities of the values of a discrete variable ([Discrete]), in their
	// sequence; nil of others.
	Levels []Distribution
}

// Do predicts every variable that is not set, by its index. It fails if a variable
// is set twice or does not exist, or if a value is not finite.
func (e *Effects) Do(settings []Setting) ([]Prediction, error) {
	set, err := e.set(settings)
	if err != nil {
		return nil, err
	}
	d := len(e.Names)
	means := make([][]float64, d)
	mixtures := make([]mixture, d)
	levels := make([][][]float64, d) // by variable, value and draw
	for m, draw := range e.draws {
		o := draw.do(set)
		for j, p := range o.levels {
			if levels[j] == nil {
				levels[j] = make([][]float64, len(p))
			}
			for k, v := range p {
				levels[j][k] = append(levels[j][k], v)
			}
		}
		for j := range d {
			means[j] = append(means[j], o.means[j])
			mixtures[j].add(e.Weights[m], o.centres[j], o.variances[j])
		}
	}
	var all []Prediction
	for j := range d {
		if !math.IsNaN(set[j]) {
			continue
		}
		p := Prediction{Var: j, Mean: e.distribution(means[j])}
		p.New = meanAlone(p.Mean.Mean)
		if e.fromPosterior {
			p.New = mixtures[j].summary()
		}
		for _, values := range levels[j] {
			p.Levels = append(p.Levels, e.distribution(values))
		}
		all = append(all, p)
	}
	return all, nil
}

// Means are E[x_j | do] of every draw m, M×d, with the values that are set. It fails like Do.
func (e *Effects) Means(settings []Setting) ([][]float64, error) {
	set, err := e.set(settings)
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(e.draws))
	for m, draw := range e.draws {
		rows[m] = draw.do(set).means
	}
	return rows, nil
}

// set is the value of every variable that is set, NaN for the others.
func (e *Effects) set(settings []Setting) ([]float64, error) {
	set := make([]float64, len(e.Names))
	for j := range set {
		set[j] = math.NaN()
	}
	for _, s := range settings {
		switch {
		case s.Var < 0 || s.Var >= len(set):
			return nil, fmt.Errorf("effects: variable %d of %d is set", s.Var, len(set))
		case math.IsNaN(s.Value) || math.IsInf(s.Value, 0):
			return nil, fmt.Errorf("effects: %q is set to %v, want a finite number", e.Names[s.Var],
				s.Value)
		case !math.IsNaN(set[s.Var]):
			return nil, fmt.Errorf("effects: %q is set twice", e.Names[s.Var])
		}
		set[s.Var] = s.Value
	}
	return set, nil
}

// Curve is E[x_To | do(x_From = a)] at the values a, and how much larger it is there than at the
// first of them.
func (e *Effects) Curve(from, to int, at []float64) (means, contrasts []Distribution, err error) {
	means, contrasts = make([]Distribution, len(at)), make([]Distribution, len(at))
	var first []float64
	for k, a := range at {
		set, err := e.set([]Setting{{from, a}})
		if err != nil {
			return nil, nil, err
		}
		values := make([]float64, len(e.draws))
		for m, draw := range e.draws {
			values[m] = draw.do(set).means[to]
		}
		means[k] = e.distribution(values)
		if k == 0 {
			first = values
		}
		contrasts[k] = e.distribution(floats.SubTo(make([]float64, len(values)), values, first))
	}
	return means, contrasts, nil
}

// Warnings name the values of an intervention that lie outside of the range of
// their columns, a sentence each.
func (e *Effects) Warnings(settings []Setting) []string {
	var out []string
	for _, s := range settings {
		if e.Columns == nil || s.Var < 0 || s.Var >= len(e.Columns) {
			continue
		}
		if c := e.Columns[s.Var]; c.outside(s.Value) {
			out = append(out, fmt.Sprintf("%s = %g is outside the range of the data, %.4g to "+
				"%.4g: the prediction extrapolates", c.Name, s.Value, c.Min, c.Max))
		}
	}
	return out
}
