package additive

import (
	"math"
	"slices"
)

// Of many rows a search for modes first looks at some of them: for forms that have no chance, and
// for where the others begin.
const (
	sketchRows   = 8192
	sketchedFrom = 4 * sketchRows // rows of a table
	// how far, in nats, a form is behind the best one of a sketch before its mode is not looked for
	// with all rows, by which it would be as many times further behind as there are more rows
	sketchedAway = 2 * negligible
)

// sketched is a scorer of every so many of n rows, about sketchRows of them, with the same
// functions and units.
func (s *Scorer) sketched(n int) *Scorer {
	out := &Scorer{opt: s.opt, parent: s.parent, centre: s.centre, sd: s.sd}
	out.opt.Modes = s.opt.Modes.sketch
	for _, c := range s.child {
		t := child{centre: c.centre, sd: c.sd}
		var places []int // among the rows of the child
		for k := 0; k < len(c.y); k += n / sketchRows {
			places = append(places, k)
			row := k
			if c.rows != nil {
				row = c.rows[k]
			}
			t.rows = append(t.rows, row)
		}
		t.y = at(c.y, places)
		for i := range s.parent {
			t.parent = append(t.parent, s.parent[i].At(t.rows))
		}
		out.child = append(out.child, t)
	}
	return out
}

// A sketch has the modes of an equation by some of the rows, and how many times as many there are.
type sketch struct {
	modes []mode
	times float64
}

// sketchOf is that of an equation, which has none of few rows.
func (s *Scorer) sketchOf(j int, parents []int, modes func(s *Scorer) []mode) sketch {
	if s.sketch == nil || len(s.sketch.child[j].y) < sketchRows/2 || len(parents) == 0 {
		return sketch{}
	}
	return sketch{modes(s.sketch), float64(len(s.child[j].y)) / float64(len(s.sketch.child[j].y))}
}

// best is the mode of a form, or of all of them with −1, that has the most evidence.
func (s sketch) best(form int) (best *mode) {
	for k := range s.modes {
		if m := &s.modes[k]; (form < 0 || m.form == form) && (best == nil || m.log > best.log) {
			best = m
		}
	}
	return best
}

// behind reports whether a form has no chance.
func (s sketch) behind(form int) bool {
	m := s.best(form)
	return m != nil && m.log < s.best(-1).log-sketchedAway
}

// guess is about the mode of a form, given that of the form with straight lines and normal noise.
func (s sketch) guess(form int, plain mode) mode {
	m := *s.best(form)
	m.log = plain.log + s.times*(m.log-s.best(0).log)
	m.near = nil
	return m
}

// begin is where the search for a mode begins: in the sketch, if that has it, or else at another
// mode, as at that of the same form near which this one is.
func (s sketch) begin(form int, amplitude float64, other *mode) *mode {
	if m := modeOf(s.modes, form, amplitude); m != nil && !math.IsInf(m.log, -1) &&
		(other == nil || other.form != form) && len(m.theta) > 0 &&
		!slices.ContainsFunc(m.theta, math.IsNaN) {
		return m
	}
	return other
}
