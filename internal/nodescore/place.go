package nodescore

// A Placement finds sets of parents in a table over the subsets of candidates, to all of which
// given parents are joined, as [GivenScorer] has it.
type Placement struct {
	bit   []int // by variable: of a candidate, 0 of a given one, and outside of others
	given int
}

const outside = -1 // a variable that is no parent of any of the sets

// PlaceSubsets is the placement for d variables.
func PlaceSubsets(d int, candidates, given []int) Placement {
	p := Placement{make([]int, d), len(given)}
	for i := range p.bit {
		p.bit[i] = outside
	}
	for k, i := range candidates {
		p.bit[i] = 1 << k
	}
	for _, i := range given {
		p.bit[i] = 0
	}
	return p
}

// Of is the place of a set in the table, if it is in it.
func (p Placement) Of(parents []int) (set int, ok bool) {
	missing := p.given
	for _, i := range parents {
		switch p.bit[i] {
		case outside:
			return 0, false
		case 0:
			missing--
		}
		set |= p.bit[i]
	}
	return set, missing == 0
}
