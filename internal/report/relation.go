package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/internal/scene"
)

// A relation is a pair of variables. From is the likelier cause, the first of both if
// neither is.
type relation struct {
	from, to          int
	adjacent          float64 // at most 1
	forward, backward float64 // P(from → to), P(to → from)
	weight, sd        float64 // of the likelier edge given that it is there; NaN means unknown
	reverse, rsd      float64 // of the other one
}

// direction is that from From to To, given adjacency: at least ½; NaN if the pair is
// never adjacent.
func (r *relation) direction() float64 { return r.forward / (r.forward + r.backward) }

func (r *relation) directed() bool { return r.direction() >= Directed }

// sign is the ink of the relation's weight: unknown where zero is within two standard
// deviations, or where the two directions disagree and neither is known.
func (r *relation) sign() scene.Ink {
	s := signOf(r.weight, r.sd)
	if !r.directed() && r.backward > 0 {
		if o := signOf(r.reverse, r.rsd); o != s {
			return scene.Uncertain
		}
	}
	return s
}

func signOf(mean, sd float64) scene.Ink {
	switch {
	case math.IsNaN(mean), mean == 0, math.Abs(mean) < 2*sd:
		return scene.Uncertain
	case mean > 0:
		return scene.Positive
	}
	return scene.Negative
}

// relations lists all pairs that are adjacent with a probability above 0, most probable
// first, then by their variables.
func (c *Content) relations() []relation {
	var all []relation
	m := c.Marginals
	weight := func(i, j int) (mean, sd float64) {
		mean, sd = math.NaN(), math.NaN()
		if m.WeightMean != nil {
			mean = m.WeightMean.At(i, j)
		}
		if m.WeightSD != nil {
			sd = m.WeightSD.At(i, j)
		}
		return mean, sd
	}
	for i := range c.Names {
		for j := i + 1; j < len(c.Names); j++ {
			from, to := i, j
			if m.Probabilities.At(j, i) > m.Probabilities.At(i, j) {
				from, to = j, i
			}
			r := relation{from: from, to: to, forward: m.Probabilities.At(from, to),
				backward: m.Probabilities.At(to, from)}
			if r.forward == 0 {
				continue
			}
			r.adjacent = math.Min(1, r.forward+r.backward)
			r.weight, r.sd = weight(from, to)
			r.reverse, r.rsd = weight(to, from)
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b relation) int {
		return cmp.Compare(b.adjacent, a.adjacent)
	})
	return all
}

// related are the relations above the threshold.
func related(all []relation) []relation {
	n := 0
	for n < len(all) && all[n].adjacent > Related {
		n++
	}
	return all[:n]
}

// tip is what a pointer on the edge shows.
func (c *Content) tip(r *relation) string {
	from, to := scene.Clean(c.Names[r.from]), scene.Clean(c.Names[r.to])
	s := fmt.Sprintf("%s — %s\nrelated: %s\n%s → %s: %s of that", from, to,
		scene.Percent(r.adjacent), from, to, scene.Percent(r.direction()))
	if !math.IsNaN(r.weight) {
		s += fmt.Sprintf("\nweight %s → %s: %s", from, to, plusMinus(r.weight, r.sd))
	}
	if !r.directed() && !math.IsNaN(r.reverse) && r.backward > 0 {
		s += fmt.Sprintf("\nweight %s → %s: %s", to, from, plusMinus(r.reverse, r.rsd))
	}
	return s
}

// plusMinus is a mean with its standard deviation, whose two digits decide how many the
// mean has.
func plusMinus(mean, sd float64) string {
	switch {
	case math.IsNaN(mean):
		return "–"
	case math.IsNaN(sd) || sd <= 0 || math.IsInf(sd, 0):
		return scene.Significant(mean, 3)
	}
	decimals := 1 - int(math.Floor(math.Log10(sd)))
	if decimals > 6 || decimals < -5 {
		return scene.Significant(mean, 3) + " ± " + scene.Significant(sd, 2)
	}
	decimals = max(0, decimals)
	return scene.Minus(strconv.FormatFloat(mean, 'f', decimals, 64)) + " ± " +
		strconv.FormatFloat(sd, 'f', decimals, 64)
}
