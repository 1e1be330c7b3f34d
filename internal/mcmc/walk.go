package mcmc

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

const (
	// fewSets is the largest number of sets of which all are visited.
	fewSets = 1 << 10
	// negligible is the fraction of a sum that a walk may leave out.
	negligible = 1e-12
)

// walk calls visit for the sets A ⊆ before of candidates that have a member of layer (for all,
// if layer is anySet) with weights exp(q(A) − best), until the sets that are left weigh
// nothing beside these. It returns best, the largest q, −Inf if no set is possible.
func (t *table) walk(before, layer uint32, visit func(set uint32, weight float64)) (best float64) {
	subsets := uint64(1) << bits.OnesCount32(before)
	if t.few != nil && uint64(len(t.few)) < subsets {
		return walkFew(t.few, before, layer, visit)
	}
	if subsets <= fewSets {
		return walkAll(t.scores, before, layer, visit)
	}
	t.rank.Do(t.fillRanks)
	best = math.Inf(-1)
	sum := 0.
	for at, set := range t.ranks {
		if set&^before != 0 || set&layer == 0 && layer != anySet {
			continue
		}
		q := t.scores[set]
		if sum == 0 {
			best = q
		}
		w := math.Exp(q - best)
		if w*float64(len(t.ranks)-at) < negligible*sum {
			break
		}
		sum += w
		visit(set, w)
	}
	return best
}

// walkAll is walk through all subsets of before.
func walkAll(q []float64, before, layer uint32, visit func(set uint32, weight float64)) float64 {
	best := math.Inf(-1)
	subsets(before, layer, func(set uint32) { best = max(best, q[set]) })
	if !math.IsInf(best, -1) {
		subsets(before, layer, func(set uint32) {
			if w := math.Exp(q[set] - best); w > 0 {
				visit(set, w)
			}
		})
	}
	return best
}

// A scoredSet is a possible set with its score.
type scoredSet struct {
	set uint32
	q   float64
}

// possibleSets are the possible sets from the last to the first, as subsets visits them, where they
// are few: where the number of parents is bounded, or scores are those of a pool. nil means that
// they are more than most.
func possibleSets(q []float64, most int) (list []scoredSet) {
	for set := len(q) - 1; set >= 0; set-- {
		if math.IsInf(q[set], -1) {
			continue
		}
		if len(list) == most {
			return nil
		}
		list = append(list, scoredSet{uint32(set), q[set]})
	}
	return list
}

// walkFew is walkAll of a list.
func walkFew(list []scoredSet, before, layer uint32,
	visit func(set uint32, weight float64)) float64 {
	in := func(s scoredSet) bool {
		return s.set&^before == 0 && (s.set&layer != 0 || layer == anySet)
	}
	best := math.Inf(-1)
	for _, s := range list {
		if in(s) {
			best = max(best, s.q)
		}
	}
	for _, s := range list {
		if in(s) {
			if w := math.Exp(s.q - best); w > 0 {
				visit(s.set, w)
			}
		}
	}
	return best
}

// subsets calls visit for the subsets of before that have a member of layer, or for all.
func subsets(before, layer uint32, visit func(set uint32)) {
	for set := before; ; set = (set - 1) & before {
		if set&layer != 0 || layer == anySet {
			visit(set)
		}
		if set == 0 {
			return
		}
	}
}

// fillRanks sorts the possible sets by falling score, those of equal score by their number.
func (t *table) fillRanks() {
	for set, q := range t.scores {
		if !math.IsInf(q, -1) {
			t.ranks = append(t.ranks, uint32(set))
		}
	}
	slices.SortFunc(t.ranks, func(a, b uint32) int {
		if c := cmp.Compare(t.scores[b], t.scores[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
}
