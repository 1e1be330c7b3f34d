package mcmc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"tobac/score"
)

// A table has the node scores of one child for all subsets of its candidates,
// each with the given parents, which are not among the candidates. A set is a
// mask: bit k stands for parents[k], candidates in front of the given ones.
type table struct {
	parents    []int
	candidates int       // number of them
	low        uint32    // all candidates
	given      uint32    // all given parents
	offset     float64   // largest score; the fields below are relative to it
	scores     []float64 // q(A ∪ given) of the sets A of candidates
	sums       []packed  // sums[U] = Σ_{A⊆U} exp q(A ∪ given)
	order      []uint32  // single candidates by rising probability, if all are possible
}

// newTable scores all subsets of the candidates of child j, with given parents.
func newTable(ctx context.Context, s score.Scorer, p *score.Prior, j int, candidates, given []int) (*table, error) {
	q, err := scores(ctx, s, p, j, candidates, given)
	if err != nil {
		return nil, err
	}
	t := &table{
		parents: slices.Concat(candidates, given), candidates: len(candidates),
		low: 1<<len(candidates) - 1, offset: math.Inf(-1), scores: q,
	}
	t.given = 1<<len(t.parents) - 1 - t.low
	for set, v := range q {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("mcmc: variable %d has the log score %v for the set %b of the candidates %v, want a number below +Inf", j, v, set, candidates)
		}
		t.offset = max(t.offset, v)
	}
	if math.IsInf(t.offset, -1) {
		return nil, fmt.Errorf("mcmc: no set of the candidates %v of variable %d has a positive probability", candidates, j)
	}
	for set := range q {
		q[set] -= t.offset
	}
	t.sums = zeta(q)
	absent := make([]float64, len(candidates))
	for k := range candidates {
		t.order = append(t.order, 1<<k)
		absent[k] = t.within(t.low &^ (1 << k)).over(t.within(t.low))
	}
	slices.SortStableFunc(t.order, func(a, b uint32) int {
		return cmp.Compare(absent[bits.TrailingZeros32(b)], absent[bits.TrailingZeros32(a)])
	})
	return t, nil
}

// scores returns q(A ∪ given) for all sets A of candidates.
func scores(ctx context.Context, s score.Scorer, p *score.Prior, j int, candidates, given []int) ([]float64, error) {
	all := sorted(candidates, given)
	q := make([]float64, 1<<len(all))
	if err := score.LogScores(ctx, s, q, j, all); err != nil {
		return nil, err
	}
	p.AddTo(q, j, all)
	if len(given) == 0 {
		return q, nil
	}
	fixed := 0
	for _, i := range given {
		fixed |= 1 << slices.Index(all, i)
	}
	place := make([]int, 1, 1<<len(candidates)) // of the sets of candidates in q
	place[0] = fixed
	for _, i := range candidates {
		bit := 1 << slices.Index(all, i)
		for _, at := range place {
			place = append(place, at|bit)
		}
	}
	some := make([]float64, len(place))
	for set, at := range place {
		some[set] = q[at]
	}
	return some, nil
}

// levelBits is the number of powers of two between levels of scale.
const levelBits = 512

// zeta returns the sums Σ_{A⊆U} exp q(A) for all U, q ≤ 0. Each is computed in
// units of 2^(512·level(U)), where level(U) = ⌊max_{A⊆U} q(A) / (512 ln 2)⌋ does not
// fall as U grows: terms of a lower level are scaled down, and none overflows.
func zeta(q []float64) []packed {
	n := len(q)
	level := make([]int32, n)
	largest := slices.Clone(q)
	sum := make([]float64, n)
	for bit := 1; bit < n; bit <<= 1 {
		for u := range largest {
			if u&bit != 0 {
				largest[u] = max(largest[u], largest[u^bit])
			}
		}
	}
	for u, m := range largest {
		level[u] = math.MinInt32 / 4
		if !math.IsInf(m, -1) {
			level[u] = int32(max(math.Floor(m/(levelBits*math.Ln2)), math.MinInt32/8))
			sum[u] = math.Exp(q[u] - float64(level[u])*(levelBits*math.Ln2))
		}
	}
	down := math.Ldexp(1, -levelBits)
	for bit := 1; bit < n; bit <<= 1 {
		for u := range sum {
			if u&bit == 0 {
				continue
			}
			switch level[u] - level[u^bit] {
			case 0:
				sum[u] += sum[u^bit]
			case 1:
				sum[u] += sum[u^bit] * down
			}
		}
	}
	sums := make([]packed, n)
	for u, v := range sum {
		if v > 0 {
			sums[u] = normal(v, levelBits*int64(level[u])).pack()
		}
	}
	return sums
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
	best, sum := t.best(before, layer), 0.
	if math.IsInf(best, -1) {
		return number{}
	}
	for set := before; set != 0; set = (set - 1) & before {
		if set&layer != 0 {
			sum += math.Exp(t.scores[set] - best)
		}
	}
	return exponential(best).times(normal(sum, 0))
}

// best is the largest score of a set A ⊆ before with a member of layer.
func (t *table) best(before, layer uint32) float64 {
	best := math.Inf(-1)
	for set := before; set != 0; set = (set - 1) & before {
		if set&layer != 0 {
			best = max(best, t.scores[set])
		}
	}
	return best
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
	best, sum := t.best(before, layer), 0.
	for set := before; set != 0; set = (set - 1) & before {
		if set&layer == 0 {
			continue
		}
		w := math.Exp(t.scores[set] - best)
		sum += w
		for k := range dst {
			if set>>k&1 != 0 {
				dst[k] += w
			}
		}
	}
	for k := range dst {
		dst[k] /= sum
	}
}
