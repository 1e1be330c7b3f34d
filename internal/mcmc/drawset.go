package mcmc

import (
	"cmp"
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

// drawCandidates draws the candidates of draw. It decides on one candidate after the other, from improbable to probable ones.
// With I in and F free, the probability of what is left is by inclusion and exclusion
//
//	Σ_{I⊆A⊆I∪F} exp q(A) = Σ_{J⊆I} (−1)^|J| sums[(I∪F)∖J],
//
// whose rounding errors of 2^-44 sums[before] matter only after decisions that
// are as improbable.
func (t *table) drawCandidates(before, layer uint32, rng random) uint32 {
	unit := t.within(before).e
	total := t.left(0, before, layer, unit)
	u := rng.Float64()
	if !(total > 1e-7) {
		return t.searchDraw(before, layer, u)
	}
	rest := u * total
	in, free := uint32(0), before
	for _, bit := range t.order {
		if free&bit == 0 {
			continue
		}
		free &^= bit
		if without := t.left(in, free, layer, unit); rest >= without {
			rest -= without
			in |= bit
		}
	}
	if t.size(in|t.given) > t.largest || in&layer == 0 && layer != anySet {
		return t.searchDraw(before, layer, u) // rounding led to an impossible set
	}
	return in
}

// left is the sum of exp q(A) over the sets in ⊆ A ⊆ in∪free with a member of
// layer, in units of 2^unit.
func (t *table) left(in, free, layer uint32, unit int64) float64 {
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

// searchDraw is draw by going through the sets, of which equally probable ones follow each other by their number: rounding, which
// changes with the units of the data, does not decide between them.
func (t *table) searchDraw(before, layer uint32, u float64) uint32 {
	type term struct {
		set    uint32
		weight float64
	}
	var terms []term
	sum := 0.
	t.walk(before, layer, func(set uint32, w float64) {
		terms = append(terms, term{set, w})
		sum += w
	})
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
