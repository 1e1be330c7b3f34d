package impute

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Densities are the equations of a causal model of any form.
type Densities interface {
	// Parents are those of variable j, ascending.
	Parents(j int) []int
	// LogDensity is ln p(x_j = y | parents) at values x of the parents; −Inf where y is impossible.
	LogDensity(j int, y float64, x []float64) float64
}

// A Gibbs sampler draws values under equations of any form.
type Gibbs struct {
	Of Densities
	// Values are those that a variable can have, ascending; nil means all numbers, and the values
	// of Steps are then the widths with which slice sampling begins.
	Values [][]float64
	Steps  []float64
	// Even says that values in between are possible too, so that each stands for its cell.
	Even   []bool
	Limits Limits // of values that are drawn
}

// sweeps is how often a row is gone through, from the values that it has.
const sweeps = 5

// Redraw draws the values of x at places as [Equations.Redraw] does, of each row one after the
// other given all others: variables of few values from their conditional probabilities, numbers by
// slice sampling (Neal 2003). What x has at the places is where it begins.
func (g *Gibbs) Redraw(x *mat.Dense, places []int, intervened *mat.Dense, rng *rand.Rand) error {
	_, d := x.Dims()
	parents, children := make([][]int, d), make([][]int, d)
	for j := range d {
		parents[j] = g.Of.Parents(j)
		for _, i := range parents[j] {
			children[i] = append(children[i], j)
		}
	}
	for from := 0; from < len(places); {
		row, to := places[from]/d, from+1
		for to < len(places) && places[to]/d == row {
			to++
		}
		values, at := x.RawRowView(row), make([]float64, d)
		term := func(j int) float64 {
			if intervened != nil && intervened.At(row, j) != 0 {
				return 0
			}
			given := at[:0]
			for _, i := range parents[j] {
				given = append(given, values[i])
			}
			return g.Of.LogDensity(j, values[j], given)
		}
		for range sweeps {
			for _, place := range places[from:to] {
				j := place % d
				low, high, _ := g.Limits.at(place)
				g.value(values, j, rng, func() float64 {
					if v := values[j]; v < low || v > high {
						return math.Inf(-1)
					}
					sum := term(j)
					for _, c := range children[j] {
						sum += term(c)
					}
					return sum
				})
			}
		}
		from = to
	}
	return nil
}

// value draws element j of a row whose log density is f.
func (g *Gibbs) value(row []float64, j int, rng *rand.Rand, f func() float64) {
	before := row[j]
	if v := g.Values[j]; v != nil {
		logs := make([]float64, len(v))
		for k, y := range v {
			row[j] = y
			if logs[k] = f(); g.Even[j] && len(v) > 1 {
				logs[k] += math.Log(v[min(k+1, len(v)-1)] - v[max(k-1, 0)])
			}
		}
		row[j] = before
		if total := floats.LogSumExp(logs); !math.IsInf(total, -1) && !math.IsNaN(total) {
			u := rng.Float64()
			at := slices.IndexFunc(logs, func(l float64) bool {
				u -= math.Exp(l - total)
				return u < 0
			})
			if at < 0 { // rounding
				at = floats.MaxIdx(logs)
			}
			row[j] = v[at]
		}
		return
	}
	level := f()
	if math.IsInf(level, -1) || math.IsNaN(level) {
		return // an impossible value comes from elsewhere
	}
	level -= rng.ExpFloat64()
	inside := func(y float64) bool { row[j] = y; return f() >= level }
	low := before - g.Steps[j]*rng.Float64()
	high := low + g.Steps[j]
	for range mostWider {
		if !inside(low) {
			break
		}
		low -= g.Steps[j]
	}
	for range mostWider {
		if !inside(high) {
			break
		}
		high += g.Steps[j]
	}
	for range mostNarrower {
		y := low + (high-low)*rng.Float64()
		if inside(y) {
			return
		}
		if y < before {
			low = y
		} else {
			high = y
		}
	}
	row[j] = before
}

// Bounds on the steps of slice sampling; with those of widening it remains exact only if they are
// not reached.
const (
	mostWider    = 50
	mostNarrower = 100
)
