package completions

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tobac/dataset"
	"tobac/internal/impute"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// A Redrawer draws the values of x at some places given all others.
type Redrawer interface {
	Redraw(x *mat.Dense, places []int, intervened *mat.Dense, rng *rand.Rand) error
}

// CheckPlaces finds places of completed values that do not ascend, or are no places of size values.
func CheckPlaces(places []int, size int) error {
	last := -1
	for _, place := range places {
		if place <= last || place >= size {
			return fmt.Errorf("got the place %d of a completed value after %d, want ascending ones below %d", place, last, size)
		}
		last = place
	}
	return nil
}

// Open are the places of values that neither an intervention set nor kept columns have.
func Open(t *dataset.Table, places []int, kept []bool) (open []int) {
	for _, place := range places {
		i, j := place/len(t.Names), place%len(t.Names)
		if (kept == nil || !kept[j]) && (t.Intervened == nil || t.Intervened.At(i, j) == 0) {
			open = append(open, place)
		}
	}
	return open
}

// Limits are those of a table of d columns at their places. It panics if two are of one place.
func Limits(all []dataset.Limit, d int) impute.Limits {
	out := make(impute.Limits, len(all))
	for k, l := range all {
		out[k] = impute.Limit{Place: l.Row*d + l.Column, Low: l.Low, High: l.High}
	}
	slices.SortFunc(out, func(a, b impute.Limit) int { return a.Place - b.Place })
	return out
}

// CheckLimits finds limits that are not those of completed values, which places has, or that have
// nothing between them.
func CheckLimits(all []dataset.Limit, d int, places []int) error {
	last := -1
	for _, l := range Limits(all, d) {
		at := fmt.Sprintf("row %d, column %d", l.Place/d+1, l.Place%d+1)
		if _, ok := slices.BinarySearch(places, l.Place); !ok || l.Place == last {
			return fmt.Errorf("got limits in %s, want them once, and of completed values", at)
		}
		if last = l.Place; !(l.Low < l.High) {
			return fmt.Errorf("got the limits %v and %v in %s, want the lower one first", l.Low, l.High, at)
		}
	}
	return nil
}

// Linear draws values under linear equations of d variables, some between limits.
func Linear(e *posterior.Equations, d int, limits impute.Limits) Redrawer {
	q := &impute.Equations{Weights: e.Weights, Intercepts: e.Intercepts, Variances: e.NoiseVariances, Limits: limits}
	if q.Intercepts == nil {
		q.Intercepts = make([]float64, d)
	}
	return q
}

// OfKinds draws values of columns of any kind under equations of any form; values of kept columns,
// nil means of none, among those that t has; some between limits.
func OfKinds(t *dataset.Table, of impute.Densities, kept []bool, limits impute.Limits) Redrawer {
	d := len(t.Names)
	g := &impute.Gibbs{Of: of, Values: make([][]float64, d), Even: make([]bool, d), Limits: limits}
	_, g.Steps = t.Moments()
	for j := range d {
		discrete := t.Kind(j).Levelled() || t.Kind(j) == dataset.Count
		if discrete || kept != nil && kept[j] {
			g.Values[j], g.Even[j] = t.Values(j), !discrete
		}
	}
	return g
}

// With is a table with other values at some places.
func With(t *dataset.Table, places []int, values []float64) *dataset.Table {
	out := &dataset.Table{Names: t.Names, X: mat.DenseCopyOf(t.X), Intervened: t.Intervened, Variables: t.Variables}
	for p, place := range places {
		out.X.Set(place/len(t.Names), place%len(t.Names), values[p])
	}
	return out
}
