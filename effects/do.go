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
	var to []int
	for j, v := range set {
		if math.IsNaN(v) {
			to = append(to, j)
		}
	}
	mixtures := make([]mixture, len(to))
	drawn := e.drawn(set, to, func(m int, o outcome) {
		for t, j := range to {
			mixtures[t].add(e.Weights[m], o.centres[j], o.variances[j])
		}
	})
	var all []Prediction
	for t, o := range drawn {
		p := e.prediction(to[t], o)
		if p.New.Mean = p.Mean.Mean; e.fromPosterior {
			p.New = mixtures[t].summary()
		}
		all = append(all, p)
	}
	return all, nil
}

// A drawnOutcome is what is expected of one variable under an intervention, by draw.
type drawnOutcome struct {
	means  []float64
	levels [][]float64 // probabilities of the values of a discrete variable, by value
}

// drawn is what is expected of some variables under an intervention; each, if not nil, gets the
// outcome of every draw.
func (e *Effects) drawn(set []float64, to []int, each func(m int, o outcome)) []drawnOutcome {
	all := make([]drawnOutcome, len(to))
	for m, draw := range e.draws {
		o := draw.do(set)
		if each != nil {
			each(m, o)
		}
		for t, j := range to {
			all[t].means = append(all[t].means, o.means[j])
			if o.levels == nil || o.levels[j] == nil {
				continue
			}
			if all[t].levels == nil {
				all[t].levels = make([][]float64, len(o.levels[j]))
			}
			for k, p := range o.levels[j] {
				all[t].levels[k] = append(all[t].levels[k], p)
			}
		}
	}
	return all
}

// less are the differences from another outcome.
func (o drawnOutcome) less(other drawnOutcome) drawnOutcome {
	minus := func(a, b []float64) []float64 {
		return floats.SubTo(make([]float64, len(a)), a, b)
	}
	out := drawnOutcome{means: minus(o.means, other.means)}
	for k, p := range o.levels {
		out.levels = append(out.levels, minus(p, other.levels[k]))
	}
	return out
}

// prediction summarises an outcome, but for new observations.
func (e *Effects) prediction(j int, o drawnOutcome) Prediction {
	p := Prediction{Var: j, Mean: e.distribution(o.means), New: meanAlone(math.NaN())}
	for _, values := range o.levels {
		p.Levels = append(p.Levels, e.distribution(values))
	}
	return p
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

// Curve is what is expected of the variables to, by value and in their sequence, when from is set
// to each of the values at, and how much more that is than at the first of them: differences of
// means, and of the probabilities of levels. No variables mean all but from, ascending. New
// observations are NaN. It fails like Do.
func (e *Effects) Curve(from int, at []float64, to ...int) (means, contrasts [][]Prediction,
	err error) {
	if len(to) == 0 {
		for j := range e.Names {
			if j != from {
				to = append(to, j)
			}
		}
	}
	var first []drawnOutcome
	for _, a := range at {
		set, err := e.set([]Setting{{from, a}})
		if err != nil {
			return nil, nil, err
		}
		all := e.drawn(set, to, nil)
		if first == nil {
			first = all
		}
		mean, contrast := make([]Prediction, len(to)), make([]Prediction, len(to))
		for t, o := range all {
			mean[t], contrast[t] = e.prediction(to[t], o), e.prediction(to[t], o.less(first[t]))
		}
		means, contrasts = append(means, mean), append(contrasts, contrast)
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
