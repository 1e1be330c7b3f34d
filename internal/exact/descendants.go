package exact

import (
	"context"
	"math"
	"math/bits"
)

// nonDescendants writes P(T are all variables but j that do not descend from j) to
// dst[j][T], for all j and T. For every T from the whole set down it finds
//
//	H̄(T) = Σ_{∅≠S} (−1)^{|S|+1} Π_{k∈S} A_k(T) H̄(T∪S),   H̄(all) = 1,
//
// the sum over the graphs of the other variables, with parents in T too, so that
// H(T) H̄(T)/H(all) is the probability that T holds all parents of its members. The
// part of the sum over S that contains j is the derivative of H(all) with respect to
// A_j(T), times A_j(T): that of the graphs in which T does not descend from j, and
// everything else does. It returns the relative error of the sum for T = ∅, which
// should be one.
func (o *Orders) nonDescendants(ctx context.Context, h []number, dst [][]float64) (float64, error) {
	d := len(o.p.tables)
	full := h[len(h)-1]
	limit := exponentBias - negligible(d, digits(d))
	rest := make([]number, 1<<d)
	whole := 0.0
	err := sweep{d: d, top: topBits(d), down: true}.run(ctx, o.p.workers,
		func(first, end int) error {
			w := &puller{rest: rest, limit: limit}
			for set := end - 1; set >= first; set-- {
				if set == len(rest)-1 {
					rest[set] = number{m: 1}
					continue
				}
				if w.count > checkEvery {
					w.count = 0
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
				}
				b := o.backward[set]
				if h[set].m == 0 || b.m == 0 || exponentBias+h[set].e+b.e-full.e < limit {
					continue
				}
				missing := len(rest) - 1 - set
				candidates := w.candidates(o.p, set, missing)
				clear(w.part[:])
				sum := w.pull(set, h[set].m/full.m, h[set].e-full.e, candidates)
				if !(sum > 0) {
					continue
				}
				rest[set] = normal(sum*full.m/h[set].m, full.e-h[set].e)
				for ; missing != 0; missing &= missing - 1 {
					k := bits.TrailingZeros(uint(missing))
					dst[k][without(set, k)] = max(w.part[k], 0)
				}
				if set == 0 {
					whole = sum
				}
			}
			return nil
		})
	return whole - 1, err
}

// A puller sums H(T) (−1)^{|S|+1} Π_{k∈S} A_k(T) H̄(T∪S)/H(all) over S for one T. Its
// terms without their signs are probabilities that fall with S: where one is
// negligible, larger S are ignored.
type puller struct {
	step
	rest  []number    // H̄
	part  [32]float64 // sums over the S that contain k
	limit int         // smallest exponent of a term, biased
	terms [32][MaxVariables]float64
	count int
}

// pull is the sum over S ∪ S', set = T∪S, for the non-empty S' of candidates. m·2^e is
// (−1)^|S| H(T) Π_{k∈S} A_k(T)/H(all).
func (w *puller) pull(set int, m float64, e int, candidates []uint8) float64 {
	list, terms := w.lists[len(candidates)&31][:0], w.terms[len(candidates)&31][:]
	for _, k := range candidates {
		u := &w.rest[set|1<<(k&31)]
		next, exp := m*w.m[k&31]*u.m, e+w.e[k&31]+u.e
		if b := biased(next); b+exp >= w.limit && b > 0 {
			terms[len(list)] = math.Float64frombits(math.Float64bits(next) + uint64(exp)<<52)
			list = append(list, k)
		}
	}
	w.count += len(candidates)
	sum := 0.0
	for len(list) > 4 {
		k := list[0]
		list = list[1:]
		term := terms[0] + w.pull(set|1<<(k&31), -m*w.m[k&31], e+w.e[k&31], list)
		terms = terms[1:]
		w.part[k&31] += term
		sum += term
	}
	switch len(list) {
	case 4:
		k := list[0]
		term := terms[0] + w.pullSeven(set|1<<(k&31), -m*w.m[k&31], e+w.e[k&31], list[1], list[2],
			list[3])
		w.part[k&31] += term
		sum += term + w.pullFour(set, -m, e, list[1], list[2], list[3], terms[1], terms[2],
			terms[3])
	case 3:
		sum += w.pullFour(set, -m, e, list[0], list[1], list[2], terms[0], terms[1], terms[2])
	case 2:
		a, b := list[0]&31, list[1]&31
		both := w.term(set|1<<a|1<<b, -m*w.m[a]*w.m[b], e+w.e[a]+w.e[b])
		w.part[a] += terms[0] + both
		w.part[b] += terms[1] + both
		sum += terms[0] + terms[1] + both
	case 1:
		w.part[list[0]&31] += terms[0]
		sum += terms[0]
	}
	return sum
}

// term is m·2^e H̄(U).
func (w *puller) term(set int, m float64, e int) float64 {
	u := &w.rest[set]
	v, e := m*u.m, e+u.e
	if b := biased(v); b > 0 && b+e > 0 {
		return math.Float64frombits(math.Float64bits(v) + uint64(e)<<52)
	}
	return 0
}

// pullSeven is the sum over the seven non-empty sets S' of three candidates.
func (w *puller) pullSeven(set int, m float64, e int, a, b, c uint8) float64 {
	a, b, c = a&31, b&31, c&31
	ta := w.term(set|1<<a, m*w.m[a], e+w.e[a])
	tb := w.term(set|1<<b, m*w.m[b], e+w.e[b])
	tc := w.term(set|1<<c, m*w.m[c], e+w.e[c])
	return w.pullFour(set, -m, e, a, b, c, ta, tb, tc)
}

// pullFour is the sum over the non-empty sets S' of three candidates, of whose terms
// those of one are given and those of two have the sign of m.
func (w *puller) pullFour(set int, m float64, e int, a, b, c uint8, ta, tb, tc float64) float64 {
	a, b, c = a&31, b&31, c&31
	setA, ma, ea := set|1<<a, m*w.m[a], e+w.e[a]
	mb, eb, mc, ec := w.m[b], w.e[b], w.m[c], w.e[c]
	ab := w.term(setA|1<<b, ma*mb, ea+eb)
	ac := w.term(setA|1<<c, ma*mc, ea+ec)
	bc := w.term(set|1<<b|1<<c, m*mb*mc, e+eb+ec)
	abc := w.term(setA|1<<b|1<<c, -ma*mb*mc, ea+eb+ec)
	w.part[a] += ta + ab + ac + abc
	w.part[b] += tb + ab + bc + abc
	w.part[c] += tc + ac + bc + abc
	return ta + tb + tc + ab + ac + bc + abc
}
