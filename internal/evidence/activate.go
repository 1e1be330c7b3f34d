package evidence

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
)

// activate finds the parameters that count under each of some sets, and fails if another variable
// has one of them.
func (s *Sets) activate(ctx context.Context, all []*given) error {
	if s.begins == nil {
		begins, err := s.starts()
		if err != nil {
			return err
		}
		s.begins = begins
	}
	for _, g := range all {
		if err := s.own(g.j); err != nil {
			return err
		}
	}
	const chunk = 16 * batch
	for from := 0; from < len(all); from += chunk {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := s.probe(all[from:min(from+chunk, len(all))]); err != nil {
			return err
		}
	}
	return nil
}

// own finds the parameters on which the terms of variable j may depend: with all other variables as
// its parents, and with none.
func (s *Sets) own(j int) error {
	if s.common.asked[j] {
		return nil
	}
	s.common.asked[j] = true
	others := dag.AllBut(s.lik.Vars(), j)
	for _, set := range [][]int{others, nil} {
		for _, x := range s.begins {
			if err := s.alone(&given{j: j, set: set}, x, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// alone gives the parameters on which the terms of a set depend at a start to its variable, notes
// that they count, and reports whether the terms are finite there.
func (s *Sets) alone(g *given, x []float64, counts []bool) error {
	every := dag.Identity(len(x))
	at := &point{given: &given{j: g.j, set: g.set, base: x, active: every}, x: x}
	if err := s.common.program.evalAlone([]*point{at}); err != nil {
		return err
	}
	if g.base == nil && at.hasValue() {
		g.base = x
	}
	owners := s.common.owners
	for _, i := range every {
		if !slope(at.priorGrad[i]) && !slope(at.dataGrad[i]) {
			continue
		}
		if owners[i] >= 0 && owners[i] != g.j {
			return fmt.Errorf("evidence: the terms of the variables %d and %d both depend on "+
				"parameter %d, want one at most: evidences of single variables need "+
				"parameters of their own", owners[i], g.j, i)
		}
		owners[i] = g.j
		if counts != nil {
			counts[i] = true
		}
	}
	return nil
}

// slope reports whether a derivative shows a dependence. NaN, which is that of all parameters where
// there is no density, shows none.
func slope(v float64) bool { return v != 0 && !math.IsNaN(v) }

// hasValue reports whether both terms are finite.
func (at *point) hasValue() bool {
	v := at.prior + at.data
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}

// probe finds the parameters that count under sets, at all starts. Sets of different variables
// share lanes, in which a slope belongs to the variable that has the parameter. Where a parameter
// has none yet, or the terms no values, sets are tried one by one.
func (s *Sets) probe(all []*given) error {
	p, owners := s.common.program, s.common.owners
	counts := make([][]bool, len(all))
	points := make([]*point, len(all))
	for k, g := range all {
		counts[k] = make([]bool, p.params)
		points[k] = &point{given: &given{j: g.j, set: g.set}}
	}
	for _, x := range s.begins {
		var odd []int
		number := make(map[*point]int, len(all))
		for k := range points {
			points[k].given.base = x
			number[points[k]] = k
		}
		for _, run := range p.runs(points) {
			if err := p.fill(run); err != nil {
				return err
			}
			var strange [batch]bool
			for lane := range strange {
				for i, owner := range owners {
					strange[lane] = strange[lane] || owner < 0 && p.slope(lane, i)
				}
			}
			for _, at := range run {
				k := number[at]
				if strange[at.lane] || !at.hasValue() {
					odd = append(odd, k)
					continue
				}
				if all[k].base == nil {
					all[k].base = x
				}
				for i, owner := range owners {
					if owner == at.given.j && p.slope(at.lane, i) {
						counts[k][i] = true
					}
				}
			}
		}
		for _, k := range odd {
			if err := s.alone(all[k], x, counts[k]); err != nil {
				return err
			}
		}
	}
	for k, g := range all {
		if g.base == nil {
			g.base = s.begins[0]
		}
		for i, counted := range counts[k] {
			if counted {
				g.active = append(g.active, i)
			}
		}
		for _, x := range s.begins {
			own := make([]float64, len(g.active))
			for a, i := range g.active {
				own[a] = x[i]
			}
			g.starts = append(g.starts, own)
		}
	}
	return nil
}

// slope reports whether a term has one in parameter i, at the point of a lane.
func (p *program) slope(lane, i int) bool {
	return slope(p.dst[2][lane*p.params+i]) || slope(p.dst[3][lane*p.params+i])
}
