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
	err := sweep{d: d, top: topBits(d), down: true}.run(ctx, o.p.workers, func(first, end int) error {
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
// negligible, larger S are not looked at.
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
	for len(list) > fewest {
		k := list[0]
		list = list[1:]
		term := terms[0] + w.pull(set|1<<(k&31), -m*w.m[k&31], e+w.e[k&31], list)
		terms = terms[1:]
		w.part[k&31] += term
		sum += term
	}
	return sum + w.pullFew(set, m, e, list, terms)
}

// pullFew is the sum over the non-empty S' of at most four members of list. The
// terms of single ones are given.
func (w *puller) pullFew(set int, m float64, e int, list []uint8, terms []float64) float64 {
	f := &w.few
	f.sets[0], f.m[0], f.e[0], f.value[0] = set, m, e, 0
	n := 1
	for at, k := range list {
		f.value[n%len(f.value)] = terms[at]
		for i := range n {
			at := (n + i) % len(f.sets)
			f.sets[at] = f.sets[i%len(f.sets)] | 1<<(k&31)
			f.m[at], f.e[at] = -f.m[i%len(f.sets)]*w.m[k&31], f.e[i%len(f.sets)]+w.e[k&31]
			if i == 0 {
				continue
			}
			// The sign of f.m[at] is that of the next term.
			u := &w.rest[f.sets[at]]
			next, exp := -f.m[at]*u.m, f.e[at]+u.e
			f.value[at] = 0
			if b := biased(next); b+exp > 0 && b > 0 {
				f.value[at] = math.Float64frombits(math.Float64bits(next) + uint64(exp)<<52)
			}
		}
		n *= 2
	}
	for at := len(list) - 1; at >= 0; at-- {
		n /= 2
		sum := 0.0
		for i := range n {
			v := f.value[(n+i)%len(f.value)]
			sum += v
			f.value[i%len(f.value)] += v
		}
		w.part[list[at]&31] += sum
	}
	return f.value[0]
}
