package sem

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/effects"
	"tobac/posterior"
	"tobac/score"
)

// A tableScores has tables of probabilities as functions.
type tableScores struct {
	*score.Dirichlet
	values [][]float64 // of the codes of each variable
}

var (
	_ Functional = tableScores{}
	_ Structural = BDeu{}
)

// FunctionParameters implements [Functional]: the number of parents, the values of each of them and
// of the variable, each after their number, and the rows of the table with their configurations.
func (s tableScores) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	t := s.DrawTable(j, parents, rng)
	out := []float64{float64(len(parents))}
	for _, i := range append(slices.Clone(parents), j) {
		out = append(append(out, float64(len(s.values[i]))), s.values[i]...)
	}
	out = append(out, float64(len(t.Rows)))
	for _, at := range slices.Sorted(maps.Keys(t.Rows)) {
		out = append(append(out, float64(at)), t.Rows[at]...)
	}
	return out
}

// A tableFunction is a table of probabilities between values.
type tableFunction struct {
	parents [][]float64 // values, ascending
	values  []float64
	draw    *score.TableDraw
}

// newTableFunction reads one of FunctionParameters.
func newTableFunction(parents int, numbers []float64) (f *tableFunction, rest []float64, err error) {
	failed := fmt.Errorf("parameters of no table of %d parents", parents)
	whole := func() (int, bool) {
		if len(numbers) == 0 || numbers[0] != math.Trunc(numbers[0]) || numbers[0] < 0 || numbers[0] > 1<<40 {
			return 0, false
		}
		v := int(numbers[0])
		numbers = numbers[1:]
		return v, true
	}
	list := func(n int) ([]float64, bool) {
		if n > len(numbers) {
			return nil, false
		}
		out := numbers[:n]
		numbers = numbers[n:]
		return out, true
	}
	if k, ok := whole(); !ok || k != parents {
		return nil, nil, failed
	}
	f = &tableFunction{draw: &score.TableDraw{Rows: map[int][]float64{}}}
	for range parents + 1 {
		n, ok := whole()
		if !ok || n < 1 {
			return nil, nil, failed
		}
		values, ok := list(n)
		if !ok {
			return nil, nil, failed
		}
		f.parents = append(f.parents, values)
	}
	f.values, f.parents = f.parents[parents], f.parents[:parents]
	f.draw.Levels = len(f.values)
	for _, v := range f.parents {
		f.draw.Parents = append(f.draw.Parents, len(v))
	}
	rows, ok := whole()
	for range rows {
		at, found := whole()
		row, complete := list(len(f.values))
		if ok = ok && found && complete; !ok {
			break
		}
		f.draw.Rows[at] = row
	}
	if !ok {
		return nil, nil, failed
	}
	return f, numbers, nil
}

// nearest is the place of the value nearest to x.
func nearest(values []float64, x float64) int {
	best := 0
	for k, v := range values {
		if math.Abs(v-x) < math.Abs(values[best]-x) {
			best = k
		}
	}
	return best
}

// probabilities implements levelled.
func (f *tableFunction) probabilities(columns [][]float64, rows int) (values, p []float64) {
	p, levels := make([]float64, 0, rows*len(f.values)), make([]int, len(columns))
	for r := range rows {
		for k, column := range columns {
			levels[k] = nearest(f.parents[k], column[r])
		}
		p = append(p, f.draw.Row(levels)...)
	}
	return f.values, p
}

// Mean implements curve.
func (f *tableFunction) Mean(dst []float64, columns [][]float64) {
	_, p := f.probabilities(columns, len(dst))
	n := len(f.values)
	for r := range dst {
		dst[r] = 0
		for k, v := range f.values {
			dst[r] += p[r*n+k] * v
		}
	}
}

// Noise implements curve: it depends on the parents.
func (f *tableFunction) Noise() float64 { return math.NaN() }

// Structure implements [Structural].
func (m BDeu) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error), error) {
	return drawnFunctions(p, func(parents int, numbers []float64) (curve, []float64, error) {
		return newTableFunction(parents, numbers)
	}), nil
}
