package exact

import (
	"context"
	"math"
	"math/bits"
)

// A node is what the sum over graphs knows of a set U.
type node struct {
	sum      float64 // H(U), in units of 2^forward
	forward  int32   // exponent of F(U)
	backward int32   // exponent of B(U)
}

// impossible is the exponent of zero in a node.
const impossible = math.MinInt32

// closed is H(∅) = 1, H(U) = Σ_{∅≠S⊆U} (−1)^{|S|+1} H(U∖S) Π_{k∈S} A_k(U∖S), the sum
// over the graphs of the variables U.
func (o *Orders) closed(ctx context.Context) ([]number, error) {
	d := len(o.p.tables)
	full := o.forward[len(o.forward)-1]
	nodes := make([]node, 1<<d)
	for set, f := range o.forward {
		nodes[set] = node{forward: impossible, backward: impossible}
		if b := o.backward[set]; f.m > 0 && b.m > 0 {
			nodes[set] = node{forward: int32(f.e), backward: int32(b.e)}
		}
	}
	nodes[0].sum = 1
	extensions, _ := math.Lgamma(float64(d + 1)) // H(all) ≥ F(all)/d!
	limit := full.e + exponentBias - negligible(d) - int(math.Ceil(extensions/math.Ln2))
	top := min(d/4, 5)
	low := d - top
	err := sweep{d: d, top: top}.run(ctx, o.p.workers, func(first, end int) error {
		w := &pusher{nodes: nodes, limit: limit}
		here := first >> low
		for block := range here + 1 {
			if block&^here != 0 {
				continue
			}
			for set := block << low; set < (block+1)<<low; set++ {
				if w.count > 1<<20 {
					w.count = 0
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
				}
				w.from(o.p, set, (here&^block)<<low, 1<<low-1)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	h := make([]number, len(nodes))
	for set, n := range nodes {
		if n.sum > 0 && n.forward != impossible {
			h[set] = normal(n.sum, int(n.forward))
		}
	}
	return h, nil
}

// A pusher adds the terms of one T, (−1)^{|S|+1} H(T) Π_{k∈S} A_k(T), to H(T∪S) for
// many S. None counts for more than H(T) Π A_k(T) B(T∪S) in the end, which falls
// with S: where that is negligible, larger S are not looked at.
type pusher struct {
	step
	nodes []node
	limit int // smallest sum of exponents of a term, biased, and of B
	lists [MaxVariables + 1][MaxVariables]uint8
	count int // of terms
}

// from adds the terms of T = set, with the S that hold all of must and otherwise
// members of may.
func (w *pusher) from(p *Posterior, set, must, may int) {
	n := &w.nodes[set]
	if !(n.sum > 0) || n.forward == impossible {
		return
	}
	h := normal(n.sum, int(n.forward))
	if exponentBias+h.e+int(n.backward) < w.limit {
		return
	}
	w.count += len(p.tables)
	w.load(p, set, must)
	m, e := h.m, h.e
	for left := must; left != 0; left &= left - 1 {
		k := bits.TrailingZeros(uint(left))
		m, e = -m*w.m[k], e+w.e[k]
	}
	if must != 0 {
		u := &w.nodes[set|must]
		if m == 0 || biased(m)+e+int(u.backward) < w.limit {
			return
		}
		u.sum -= float(m, e-int(u.forward))
	}
	w.push(set|must, m, e, w.candidates(p, set, may&^set))
}

// push adds the terms of S ∪ S', set = T∪S, for the non-empty S' of candidates. m·2^e
// is (−1)^|S| H(T) Π_{k∈S} A_k(T).
func (w *pusher) push(set int, m float64, e int, candidates []uint8) {
	list := w.lists[len(candidates)][:0]
	for _, k := range candidates {
		u := &w.nodes[set|1<<k]
		next, exp := m*w.m[k], e+w.e[k]
		if biased(next)+exp+int(u.backward) >= w.limit {
			list = append(list, k)
			u.sum += float(next, exp-int(u.forward))
		}
	}
	w.count += len(candidates)
	for i := range max(len(list)-1, 0) {
		k := list[i]
		w.push(set|1<<k, -m*w.m[k], e+w.e[k], list[i+1:])
	}
}
