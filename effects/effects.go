package effects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/internal/parallel"
	"tobac/posterior"

	"gonum.org/v1/gonum/floats"
)

// ErrNoParameters is wrapped by the error for a posterior whose draws are graphs
// alone.
var ErrNoParameters = errors.New("the draws have no parameters")

// Effects are the draws of a posterior, prepared for questions about
// interventions. Build them with [Linear] or [Nonlinear].
type Effects struct {
	Names   []string
	Columns []Column  // of the data; nil means unknown
	Weights []float64 // of the draws, with the sum 1

	draws         []draw
	fromPosterior bool

	mutex sync.Mutex
	known map[int][]Effect // what [Effects.Of] has found, by variable
}

// Linear are the effects of a posterior whose draws have [posterior.Equations].
// columns describe the data, in the units that they were given in; nil means they are
// unknown. It fails if a draw has no equations ([ErrNoParameters]), if
// all draws have a cycle, or if columns do not belong to the variables.
func Linear(p *posterior.Posterior, columns []Column) (*Effects, error) {
	return newEffects(p, columns, func(m int) (draw, error) {
		d := p.Draws[m]
		if d.Equations == nil {
			return nil, fmt.Errorf("effects: %w", ErrNoParameters)
		}
		return newLinear(d.Graph, d.Equations.InDataUnits(p.Standardization)), nil
	})
}

func newEffects(p *posterior.Posterior, columns []Column,
	prepare func(m int) (draw, error)) (*Effects, error) {
	if len(p.Draws) == 0 {
		return nil, fmt.Errorf("effects: %w: there are none", ErrNoParameters)
	}
	if columns != nil {
		if err := check(columns, p.Names); err != nil {
			return nil, err
		}
	}
	kept, index := p.Empirical().Acyclic()
	if kept == nil {
		return nil, errors.New("effects: every graph has a cycle")
	}
	e := &Effects{Names: p.Names, Columns: columns, Weights: kept.Weights(),
		fromPosterior: p.Kind == posterior.Draws}
	for _, m := range index {
		d, err := prepare(m)
		if err != nil {
			return nil, err
		}
		e.draws = append(e.draws, d)
	}
	return e, nil
}

// FromPosterior reports whether the draws come from the posterior. If not, standard deviations and
// quantiles are NaN.
func (e *Effects) FromPosterior() bool { return e.fromPosterior }

// EffectiveDraws is the effective sample size 1/Σ w_m² of the weighted draws.
func (e *Effects) EffectiveDraws() float64 { return 1 / floats.Dot(e.Weights, e.Weights) }

// An Effect of one variable on another.
type Effect struct {
	From, To int
	// Path is the probability of a directed path from From to To; 1 − Path that the
	// effect is zero by structure.
	Path float64
	// Distribution is that of the change of E[x_To] by unit of x_From, draws
	// without a path included.
	Distribution
	Positive, Negative float64 // probabilities that it is above and below 0; NaN means unknown
	// InSD is the mean in standard deviations of the two columns: Mean·sd_From/sd_To. NaN means
	// that they are unknown, or that sd_To is 0.
	InSD float64
}

// together is how many variables share the simulations of what they do not reach.
const together = 8

// All lists the effects of all pairs with a positive probability of a path, sorted by the absolute
// value of InSD, or of the mean where InSD is unknown, the largest first; ties by From, then To.
// Variables whose values have no order are left out. It stops when ctx is done.
func (e *Effects) All(ctx context.Context, workers int) ([]Effect, error) {
	var ordered []int
	for j := range e.Names {
		if !e.unordered(j) {
			ordered = append(ordered, j)
		}
	}
	workers = max(1, workers)
	size := min(together, 1+(len(ordered)-1)/workers)
	groups := slices.Collect(slices.Chunk(ordered, max(1, size)))
	rows := make([][]Effect, len(groups))
	err := parallel.For(ctx, len(groups), workers, func(k int) error {
		rows[k] = slices.Concat(e.of(groups[k])...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Concat(rows...), func(f Effect) bool {
		return f.Path == 0 || e.unordered(f.To)
	})
	strength := func(f Effect) float64 {
		if math.IsNaN(f.InSD) {
			return math.Abs(f.Mean)
		}
		return math.Abs(f.InSD)
	}
	slices.SortStableFunc(all, func(a, b Effect) int {
		return cmp.Compare(strength(b), strength(a))
	})
	return all, nil
}

// unordered reports whether the values of a variable have no order, so that it has no effects of a
// unit.
func (e *Effects) unordered(j int) bool { return e.Columns != nil && e.Columns[j].Unordered }

// Of are the effects of a variable on all others, by To. Where the values of one of the two have no
// order, only the path is known ([Effects.Curve] has what is expected at each level).
func (e *Effects) Of(from int) []Effect {
	e.mutex.Lock()
	known := e.known[from]
	e.mutex.Unlock()
	if known != nil {
		return slices.Clone(known)
	}
	return e.of([]int{from})[0]
}

// of are the effects of each of some variables.
func (e *Effects) of(from []int) [][]Effect {
	values, paths := e.slopes(from)
	nan := math.NaN()
	all := make([][]Effect, len(from))
	for k, i := range from {
		for to := range e.Names {
			switch {
			case to == i:
			case e.unordered(i) || e.unordered(to):
				all[k] = append(all[k], Effect{From: i, To: to, Path: paths[k][to],
					Distribution: meanAlone(nan), Positive: nan, Negative: nan, InSD: nan})
			default:
				all[k] = append(all[k], e.effect(i, to, values[k][to], paths[k][to]))
			}
		}
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.known == nil {
		e.known = map[int][]Effect{}
	}
	for k, i := range from {
		e.known[i] = slices.Clone(all[k])
	}
	return all
}

// Values are the effects of one variable on another in each draw, weighted by Weights.
func (e *Effects) Values(from, to int) []float64 {
	values, _ := e.slopes([]int{from})
	return values[0][to]
}

// slopes are the effects of some variables, by these, the other variable and draw, and the
// probabilities of paths.
func (e *Effects) slopes(from []int) (values [][][]float64, paths [][]float64) {
	d := len(e.Names)
	low, high := make([]float64, len(from)), make([]float64, len(from))
	dst := make([][]float64, len(from))
	for k, i := range from {
		values, paths = append(values, make([][]float64, d)), append(paths, make([]float64, d))
		for j := range d {
			values[k][j] = make([]float64, len(e.draws))
		}
		if low[k], high[k] = 0, 1; e.Columns != nil {
			low[k], high[k] = e.Columns[i].ends()
		}
		dst[k] = make([]float64, d)
	}
	reached := make([]bool, d)
	sloping := slices.ContainsFunc(from, func(i int) bool { return !e.unordered(i) })
	for m, draw := range e.draws {
		if sloping {
			draw.slopes(dst, from, low, high)
		}
		for k, i := range from {
			draw.reached(reached, i)
			for j := range d {
				if reached[j] {
					paths[k][j] += e.Weights[m]
					values[k][j][m] = dst[k][j]
				}
			}
		}
	}
	for _, p := range paths {
		for j := range p {
			p[j] = min(1, p[j]) // a rounded sum may exceed 1
		}
	}
	return values, paths
}

func (e *Effects) effect(from, to int, values []float64, path float64) Effect {
	f := Effect{From: from, To: to, Path: path, InSD: math.NaN()}
	if path > 0 || !e.fromPosterior { // else it is 0
		f.Distribution = e.distribution(values)
	}
	for m, v := range values {
		switch {
		case v > 0:
			f.Positive += e.Weights[m]
		case v < 0:
			f.Negative += e.Weights[m]
		}
	}
	f.Positive, f.Negative = min(1, f.Positive), min(1, f.Negative)
	if !e.fromPosterior {
		f.Positive, f.Negative = math.NaN(), math.NaN()
	}
	if e.Columns != nil && e.Columns[to].SD > 0 {
		f.InSD = f.Mean * e.Columns[from].SD / e.Columns[to].SD
	}
	return f
}

// distribution is that of a number of which every draw has one.
func (e *Effects) distribution(values []float64) Distribution {
	d := summarise(values, e.Weights)
	if !e.fromPosterior {
		return meanAlone(d.Mean)
	}
	return d
}
