package completions

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tobac/dataset"
	"tobac/internal/drawn"
	"tobac/internal/impute"
	"tobac/internal/stream"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// A Redrawer draws the values of x at some places given all others.
type Redrawer interface {
	Redraw(x *mat.Dense, places []int, intervened *mat.Dense, rng *rand.Rand) error
}

// Check finds the first fault of the places of completed values in a table of rows and d columns,
// of the limits of some, and of marks of columns, nil means none, whose values are kept.
func Check(places []int, limits []dataset.Limit, kept []bool, rows, d int) error {
	if err := checkPlaces(places, rows*d); err != nil {
		return err
	}
	if err := checkLimits(limits, d, places); err != nil {
		return err
	}
	if kept != nil && len(kept) != d {
		return fmt.Errorf("got %d marks of columns whose completed values are kept, want %d",
			len(kept), d)
	}
	return nil
}

// checkPlaces finds places of completed values that do not ascend, or are no places of size values.
func checkPlaces(places []int, size int) error {
	last := -1
	for _, place := range places {
		if place <= last || place >= size {
			return fmt.Errorf("got the place %d of a completed value after %d, want ascending "+
				"ones below %d", place, last, size)
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

// checkLimits finds limits that are not those of completed values, which places has, or that have
// nothing between them.
func checkLimits(all []dataset.Limit, d int, places []int) error {
	last := -1
	for _, l := range Limits(all, d) {
		at := fmt.Sprintf("row %d, column %d", l.Place/d+1, l.Place%d+1)
		if _, ok := slices.BinarySearch(places, l.Place); !ok || l.Place == last {
			return fmt.Errorf("got limits in %s, want them once, and of completed values", at)
		}
		if last = l.Place; !(l.Low < l.High) {
			return fmt.Errorf("got the limits %v and %v in %s, want the lower one first", l.Low,
				l.High, at)
		}
	}
	return nil
}

// Drawn draws completed values of t under the equations of one draw from a posterior, chosen with
// the probability of its weight; values of kept columns, nil means none, among those that t has;
// some between limits. nil means that draws have no equations.
func Drawn(p *posterior.Posterior, of *drawn.Functions, t *dataset.Table, kept []bool,
	limits []dataset.Limit, rng *rand.Rand) (Redrawer, error) {
	between := Limits(limits, len(t.Names))
	at := stream.Choose(rng, p.Empirical().Weights())
	if e := p.Draws[at].Equations; e != nil {
		q := &impute.Equations{Weights: e.Weights, Intercepts: e.Intercepts,
			Variances: e.NoiseVariances, Limits: between}
		if q.Intercepts == nil {
			q.Intercepts = make([]float64, len(t.Names))
		}
		return q, nil
	}
	if of == nil || !t.OfKinds() {
		return nil, nil
	}
	one := *p
	one.Draws, one.Components = []posterior.Draw{of.At(p, at, rng)}, nil
	densities, err := drawn.DensitiesOf(&one, 0)
	if err != nil || densities == nil {
		return nil, err
	}
	return ofKinds(t, densities, kept, between), nil
}

// ofKinds draws values of columns of any kind under equations of any form.
func ofKinds(t *dataset.Table, of impute.Densities, kept []bool, limits impute.Limits) Redrawer {
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
	out := &dataset.Table{Names: t.Names, X: mat.DenseCopyOf(t.X), Intervened: t.Intervened,
		Variables: t.Variables}
	for p, place := range places {
		out.X.Set(place/len(t.Names), place%len(t.Names), values[p])
	}
	return out
}
