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
	drawn := e.drawn([][]float64{set}, to, func(m int, o outcome) {
		for t, j := range to {
			mixtures[t].add(e.Weights[m], o.centres[j], o.variances[j])
		}
	})
	var all []Prediction
	for t, o := range drawn[0] {
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

// drawn is what is expected of some variables under interventions on the same variables; each, if
// not nil, gets all outcomes of every draw.
func (e *Effects) drawn(sets [][]float64, to []int, each func(m int, o outcome)) [][]drawnOutcome {
	all := make([][]drawnOutcome, len(sets))
	for k := range all {
		all[k] = make([]drawnOutcome, len(to))
	}
	for m, draw := range e.draws {
		for k, o := range draw.do(sets...) {
			if each != nil {
				each(m, o)
			}
			for t, j := range to {
				all[k][t].add(o, j)
			}
		}
	}
	return all
}

// add is the outcome of another draw.
func (d *drawnOutcome) add(o outcome, j int) {
	d.means = append(d.means, o.means[j])
	if o.levels == nil || o.levels[j] == nil {
		return
	}
	if d.levels == nil {
		d.levels = make([][]float64, len(o.levels[j]))
	}
	for k, p := range o.levels[j] {
		d.levels[k] = append(d.levels[k], p)
	}
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
		rows[m] = draw.do(set)[0].means
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
	sets := make([][]float64, len(at))
	for k, a := range at {
		if sets[k], err = e.set([]Setting{{from, a}}); err != nil {
			return nil, nil, err
		}
	}
	if len(at) == 0 {
		return nil, nil, nil
	}
	drawn := e.drawn(sets, to, nil)
	for _, all := range drawn {
		mean, contrast := make([]Prediction, len(to)), make([]Prediction, len(to))
		for t, o := range all {
			mean[t] = e.prediction(to[t], o)
			contrast[t] = e.prediction(to[t], o.less(drawn[0][t]))
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
