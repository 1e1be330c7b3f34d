package effects

import (
	"math"
	"slices"

	"tobac/dag"
	"tobac/posterior"
)

// A draw is a graph with its equations, in the units of the data.
type draw interface {
	// slopes writes the effects of some variables on all others to dst, those of from[k] to
	// dst[k]; low[k] and high[k] are the values of the variable between which the slope is meant.
	slopes(dst [][]float64, from []int, low, high []float64)
	// do is what follows from interventions on the same variables: a set is NaN for variables that
	// are left to their equations.
	do(sets ...[]float64) []outcome
	// reached writes whether there is a directed path from a variable.
	reached(dst []bool, from int)
}

// An outcome is what follows from an intervention in one draw, by variable.
type outcome struct {
	means []float64
	// A new observation is a mixture, with equal weights, of normal distributions with the means
	// centres[j] and the variance variances[j].
	centres   [][]float64
	variances []float64
	// levels[j] are the probabilities of the values of a discrete variable that is not set, nil of
	// others; nil levels mean that no variable is discrete.
	levels [][]float64
}

// structure is a graph in the sequence in which its variables can be computed.
type structure struct {
	order   []int   // sources first
	place   []int   // of each variable in the order
	parents [][]int // ascending, by variable
}

func structureOf(g *dag.Graph) structure {
	s := structure{place: make([]int, g.Len()), parents: make([][]int, g.Len())}
	left := make([]int, g.Len())
	var free []int
	for j := range s.parents {
		s.parents[j] = g.Parents(j)
		if left[j] = len(s.parents[j]); left[j] == 0 {
			free = append(free, j)
		}
	}
	for len(free) > 0 {
		i := free[0]
		free = free[1:]
		s.place[i] = len(s.order)
		s.order = append(s.order, i)
		for _, j := range g.Children(i) {
			if left[j]--; left[j] == 0 {
				free = append(free, j)
			}
		}
	}
	return s
}

// after are the variables behind one in the order, among which are those that it reaches.
func (s *structure) after(from int) []int { return s.order[s.place[from]+1:] }

func (s *structure) reached(dst []bool, from int) {
	clear(dst)
	dst[from] = true
	for _, j := range s.after(from) {
		dst[j] = slices.ContainsFunc(s.parents[j], func(i int) bool { return dst[i] })
	}
	dst[from] = false
}

// linear is a draw with linear equations.
type linear struct {
	structure
	weights    [][]float64 // by variable, of its parents
	intercepts []float64
	variances  []float64 // nil means unknown
}

func newLinear(g *dag.Graph, e *posterior.Equations) *linear {
	l := &linear{structure: structureOf(g), intercepts: e.Intercepts, variances: e.NoiseVariances,
		weights: make([][]float64, g.Len())}
	if l.intercepts == nil {
		l.intercepts = make([]float64, g.Len())
	}
	for j, parents := range l.parents {
		for _, i := range parents {
			l.weights[j] = append(l.weights[j], e.Weights.At(i, j))
		}
	}
	return l
}

// slopes are rows from of (I − W)⁻¹.
func (l *linear) slopes(dst [][]float64, from []int, _, _ []float64) {
	for n, i := range from {
		row := dst[n]
		clear(row)
		row[i] = 1
		for _, j := range l.after(i) {
			for k, h := range l.parents[j] {
				row[j] += l.weights[j][k] * row[h]
			}
		}
	}
}

func (l *linear) do(sets ...[]float64) (all []outcome) {
	for _, set := range sets {
		all = append(all, l.outcome(set))
	}
	return all
}

func (l *linear) outcome(set []float64) outcome {
	d := len(set)
	means, centres, variances := make([]float64, d), make([][]float64, d), make([]float64, d)
	// noise[j] holds the coefficients of all noises in x_j.
	noise := make([][]float64, d)
	for _, j := range l.order {
		noise[j] = make([]float64, d)
		if !math.IsNaN(set[j]) {
			means[j], centres[j] = set[j], []float64{set[j]}
			continue
		}
		mean := l.intercepts[j]
		noise[j][j] = 1
		for k, i := range l.parents[j] {
			mean += l.weights[j][k] * means[i]
			for h, c := range noise[i] {
				noise[j][h] += l.weights[j][k] * c
			}
		}
		means[j], centres[j] = mean, []float64{mean}
		for h, c := range noise[j] {
			if l.variances == nil {
				variances[j] = math.NaN()
			} else {
				variances[j] += c * c * l.variances[h]
			}
		}
	}
	return outcome{means: means, centres: centres, variances: variances}
}
