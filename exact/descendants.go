package exact

import (
	"context"
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
	limit := exponentBias - negligible(d)
	rest := make([]number, 1<<d)
	whole := 0.0
	err := sweep{d: d, top: topBits(d), down: true}.run(ctx, o.p.workers, func(first, end int) error {
		w := &puller{rest: rest, limit: limit}
		for set := end - 1; set >= first; set-- {
			if set == len(rest)-1 {
				rest[set] = number{m: 1}
				continue
			}
			if w.count > 1<<20 {
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
// negligible, larger S are not looked at.
type puller struct {
	step
	rest  []number              // H̄
	part  [MaxVariables]float64 // sums over the S that contain k
	limit int                   // smallest exponent of a term, biased
	lists [MaxVariables + 1][MaxVariables]uint8
	terms [MaxVariables + 1][MaxVariables]float64
	count int
}

// pull is the sum over S ∪ S', set = T∪S, for the non-empty S' of candidates. m·2^e is
// (−1)^|S| H(T) Π_{k∈S} A_k(T)/H(all).
func (w *puller) pull(set int, m float64, e int, candidates []uint8) float64 {
	list, terms := w.lists[len(candidates)][:0], &w.terms[len(candidates)]
	for _, k := range candidates {
		u := w.rest[set|1<<k]
		next, exp := m*w.m[k]*u.m, e+w.e[k]+u.e
		if biased(next)+exp >= w.limit && u.m > 0 {
			terms[len(list)] = float(next, exp)
			list = append(list, k)
		}
	}
	w.count += len(candidates)
	sum := 0.0
	for i, k := range list {
		term := terms[i]
		if i+1 < len(list) {
			term += w.pull(set|1<<k, -m*w.m[k], e+w.e[k], list[i+1:])
		}
		w.part[k] += term
		sum += term
	}
	return sum
}
