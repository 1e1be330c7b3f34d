package mcmc

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"tobac/internal/nodescore"
	"tobac/score"
)

// A table has the node scores of one child for all subsets of its candidates,
// perhaps with some given parents, the extra ones, that are no candidates. A set is a
// mask: bit k stands for parents[k], and given, the bit after these, for all extra parents
// together: it is in a layer if the latest of them is.
type table struct {
	parents    []int // the candidates, ascending
	extras     []int // the given parents, ascending
	low, given uint32
	largest    int       // largest number of parents of a positive probability
	offset     float64   // the fields below are relative to it
	sums       []packed  // sums[U] = Σ_{A⊆U} exp q(A ∪ extra)
	order      []uint32  // single candidates by rising probability, if all are possible
	scores     []float64 // q(A ∪ extra) of the sets A of candidates
	few        []scoredSet
	likely     []likelySet // the few sets that carry most of the probability, if they are few
	rank       sync.Once
	ranks      []uint32 // the sets by falling score; see walk
}

// newTable scores all subsets of the candidates of child j.
func newTable(ctx context.Context, s score.Scorer, p *score.Prior, j int, candidates []int) (*table,
	error) {
	t := &table{parents: candidates, low: 1<<len(candidates) - 1}
	q, err := t.score(ctx, s, p, j)
	if err != nil {
		return nil, err
	}
	if math.IsInf(slices.Max(q), -1) {
		return nil, fmt.Errorf("mcmc: no set of the candidates %v of variable %d has a positive "+
			"probability", candidates, j)
	}
	t.fill(q)
	return t, nil
}

// with returns the table with extra parents, ascending.
func (t *table) with(ctx context.Context, s score.Scorer, p *score.Prior, j int,
	extras []int) (*table, error) {
	w := &table{parents: t.parents, extras: extras, low: t.low, given: 1 << len(t.parents)}
	q, err := w.score(ctx, s, p, j)
	if err != nil {
		return nil, err
	}
	w.fill(q)
	return w, nil
}

// score returns the node scores of all sets of parents of child j.
func (t *table) score(ctx context.Context, s score.Scorer, p *score.Prior, j int) ([]float64,
	error) {
	q := make([]float64, 1<<len(t.parents))
	if err := nodescore.LogScoresGiven(ctx, s, q, j, t.parents, t.extras); err != nil {
		return nil, err
	}
	p.AddToGiven(q, j, t.parents, t.extras)
	for _, v := range q {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return nil, &score.VariableError{Variable: j,
				Err: fmt.Errorf("log score is %v, want a number below +Inf", v)}
		}
	}
	return q, nil
}

// fill computes all else from the scores. Of each table the best set has the score 0: packed sums
// span some hundred thousand nats, less than a parent more may be worth.
func (t *table) fill(q []float64) {
	if best := slices.Max(q); !math.IsInf(best, -1) {
		t.offset = best
	}
	for set := range q {
		q[set] -= t.offset
	}
	t.scores, t.few = q, possibleSets(q, min(len(q)/4, fewSets))
	for set, v := range q {
		if !math.IsInf(v, -1) {
			t.largest = max(t.largest, bits.OnesCount(uint(set))+len(t.extras))
		}
	}
	t.sums = zeta(q)
	t.fillLikely()
	absent := make([]number, len(t.parents))
	for k := range absent {
		t.order = append(t.order, 1<<k)
		absent[k] = t.within(t.low &^ (1 << k))
	}
	slices.SortStableFunc(t.order, func(a, b uint32) int {
		return absent[bits.TrailingZeros32(b)].compare(absent[bits.TrailingZeros32(a)])
	})
}

// bit is the mask of candidate i, zero if it is none.
func (t *table) bit(i int) uint32 {
	if k, found := slices.BinarySearch(t.parents, i); found {
		return 1 << k
	}
	return 0
}

// latest is the last layer of the extra parents other than i, −1 without any.
func (t *table) latest(layer []int, i int) int {
	last := -1
	for _, e := range t.extras {
		if e != i {
			last = max(last, layer[e])
		}
	}
	return last
}

// size is the number of parents of a set.
func (t *table) size(set uint32) int {
	n := bits.OnesCount32(set &^ t.given)
	if set&t.given != 0 {
		n += len(t.extras)
	}
	return n
}

// source is exp q(∅), the probability of no parents.
func (t *table) source() number {
	if t.given != 0 {
		return number{}
	}
	return t.sums[0].unpack()
}

// within is the sum of exp q over the sets of parents before, of which the given ones are.
func (t *table) within(before uint32) number { return t.sums[before&t.low].unpack() }

// mass is the sum of exp q over the sets of parents before of which one is in layer, a
// subset of before.
func (t *table) mass(before, layer uint32) number {
	switch {
	case layer == 0 || before&t.given != t.given:
		return number{}
	case layer&t.given != 0:
		return t.within(before)
	}
	return t.between(t.within(before), t.within(before&^layer), before, layer)
}

// between is mass(before, layer), given the sums of before and of before∖layer, for a
// layer without given parents.
func (t *table) between(all, without number, before, layer uint32) number {
	if s, precise := all.minus(without); precise {
		return s
	}
	return t.search(before&t.low, layer)
}

// search is mass(before, layer) by going through the sets.
func (t *table) search(before, layer uint32) number {
	sum := 0.
	best := t.walk(before, layer, func(_ uint32, w float64) { sum += w })
	if math.IsInf(best, -1) {
		return number{}
	}
	return exponential(best).times(normal(sum, 0))
}

// marginals writes to dst, for each candidate, the probability that it is a
// parent, given that the parents are before the child and one of them is in
// layer. All are zero for an empty layer, which is that of a source.
func (t *table) marginals(dst []float64, before, layer uint32) {
	clear(dst)
	if layer == 0 {
		return
	}
	all, without := t.within(before), number{}
	if layer&t.given == 0 {
		without = t.within(before &^ layer)
	}
	total, precise := all.minus(without)
	if !precise {
		t.searchMarginals(dst, before&t.low, layer)
		return
	}
	for k := range dst {
		bit := uint32(1) << k
		if before&bit == 0 {
			continue
		}
		absent := t.within(before &^ bit).over(total)
		switch {
		case layer&t.given != 0:
		case layer&bit != 0:
			absent -= without.over(total)
		default:
			absent -= t.within(before &^ bit &^ layer).over(total)
		}
		dst[k] = min(max(1-absent, 0), 1)
	}
}

// searchMarginals is marginals by going through the sets.
func (t *table) searchMarginals(dst []float64, before, layer uint32) {
	sum := 0.
	t.walk(before, layer, func(set uint32, w float64) {
		sum += w
		for ; set != 0; set &= set - 1 {
			dst[bits.TrailingZeros32(set)] += w
		}
	})
	for k := range dst {
		dst[k] /= sum
	}
}
