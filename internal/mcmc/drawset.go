package mcmc

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// anySet in place of a layer sets no condition on a set of parents.
const anySet = ^uint32(0)

// draw returns a set of parents before with a member of layer (or any, for
// anySet), in proportion to exp q. There must be one of a positive probability.
func (t *table) draw(before, layer uint32, rng random) uint32 {
	if layer&t.given != 0 {
		layer = anySet
	}
	return t.drawCandidates(before&t.low, layer, rng) | t.given
}

// drawCandidates draws the candidates of draw. It first asks for each of the likely sets whether it
// is this one. Otherwise it decides on one candidate after the other, from improbable to probable
// ones. With I in and F free, the probability of what is left is by inclusion and exclusion
//
//	Σ_{I⊆A⊆I∪F} exp q(A) = Σ_{J⊆I} (−1)^|J| sums[(I∪F)∖J],
//
// or, where F has fewer variables than I, by adding them up, less that of the likely sets among
// these, whose rounding errors of 2^-44 sums[before] matter only after decisions that are as
// improbable. It takes up to 2^min(|I|, |F|) look-ups.
func (t *table) drawCandidates(before, layer uint32, rng random) uint32 {
	unit := t.within(before).e
	total := t.left(0, before, layer, unit)
	u := rng.Float64()
	if !(total > 1e-7) {
		return t.searchDraw(before, layer, u, nil)
	}
	rest := u * total
	var room [mostLikely]likelySet
	likely := room[:0]
	for _, s := range t.likely {
		if s.set&^before != 0 || s.set&layer == 0 && layer != anySet {
			continue
		}
		w := s.weight.scaled(unit)
		if rest -= w; rest < 0 {
			return s.set
		}
		total -= w
		likely = append(likely, s)
	}
	if len(likely) > 0 { // what is left of u has lost its last digits
		if u = rng.Float64(); !(total > 1e-7) {
			return t.searchDraw(before, layer, u, likely)
		}
		rest = u * total
	}
	in, free := uint32(0), before
	for _, bit := range t.order {
		if free&bit == 0 {
			continue
		}
		free &^= bit
		without := t.left(in, free, layer, unit)
		for _, s := range likely {
			if s.set&in == in && s.set&^(in|free) == 0 {
				without -= s.weight.scaled(unit)
			}
		}
		if rest >= without {
			rest -= without
			in |= bit
		}
	}
	if t.size(in|t.given) > t.largest || in&layer == 0 && layer != anySet || among(likely, in) {
		return t.searchDraw(before, layer, u, likely) // rounding led to an impossible set
	}
	return in
}

// A likelySet is one of the most probable sets of candidates, with exp q.
type likelySet struct {
	set    uint32
	weight packed
}

// mostLikely is the largest number of likely sets, leastLikely the part of the most probable one
// that each weighs at least.
const (
	mostLikely  = 16
	leastLikely = 0.01
)

func among(list []likelySet, set uint32) bool {
	return slices.ContainsFunc(list, func(s likelySet) bool { return s.set == set })
}

// fillLikely lists the likely sets, if they are few, from the last to the first.
func (t *table) fillLikely() {
	least := math.Log(leastLikely) // of the best set the score is 0
	for set := len(t.scores) - 1; set >= 0; set-- {
		if t.scores[set] < least {
			continue
		}
		if len(t.likely) == mostLikely {
			t.likely = nil
			return
		}
		weight := exponential(t.scores[set]).pack()
		t.likely = append(t.likely, likelySet{set: uint32(set), weight: weight})
	}
}

// left is the sum of exp q(A) over the sets in ⊆ A ⊆ in∪free with a member of
// layer, in units of 2^unit.
func (t *table) left(in, free, layer uint32, unit int64) float64 {
	if bits.OnesCount32(free) < bits.OnesCount32(in) {
		sum := 0.0
		for set := free; ; set = (set - 1) & free {
			if (in|set)&layer != 0 || layer == anySet {
				sum += math.Exp(t.scores[in|set] - float64(unit)*math.Ln2)
			}
			if set == 0 {
				return sum
			}
		}
	}
	sum := t.alternating(in, free, unit)
	if layer != anySet && in&layer == 0 {
		sum -= t.alternating(in, free&^layer, unit)
	}
	return sum
}

func (t *table) alternating(in, free uint32, unit int64) float64 {
	sum := t.sums[in|free].scaled(unit)
	for j := in; j != 0; j = (j - 1) & in {
		v := t.sums[(in|free)&^j].scaled(unit)
		if bits.OnesCount32(j)%2 == 0 {
			sum += v
		} else {
			sum -= v
		}
	}
	return sum
}

// searchDraw is draw by going through the sets but some, of which equally probable ones follow each
// other by their number: rounding, which changes with the units of the data, does not decide
// between them.
func (t *table) searchDraw(before, layer uint32, u float64, but []likelySet) uint32 {
	type term struct {
		set    uint32
		weight float64
	}
	var terms []term
	sum := 0.
	t.walk(before, layer, func(set uint32, w float64) {
		if !among(but, set) {
			terms = append(terms, term{set, w})
			sum += w
		}
	})
	if len(terms) == 0 { // beside those to leave out, all others weigh nothing
		return but[0].set
	}
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(b.set, a.set) })
	u *= sum
	for _, x := range terms {
		if u -= x.weight; u < 0 {
			return x.set
		}
	}
	return terms[len(terms)-1].set
}

// random is where moves draw from.
type random interface {
	IntN(n int) int
	Float64() float64
}
