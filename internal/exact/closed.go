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

// nodes are those of the graphs of no set yet.
func (o *Orders) nodes() []node {
	nodes := make([]node, len(o.forward))
	for set, f := range o.forward {
		nodes[set] = node{forward: impossible, backward: impossible}
		if b := o.backward[set]; f.m > 0 && b.m > 0 {
			nodes[set] = node{forward: int32(f.e), backward: int32(b.e)}
		}
	}
	return nodes
}

// closed is H(∅) = 1, H(U) = Σ_{∅≠S⊆U} (−1)^{|S|+1} H(U∖S) Π_{k∈S} A_k(U∖S), the sum
// over the graphs of the variables U. A rough sum says first how large the whole is,
// so that small terms can be told.
func (o *Orders) closed(ctx context.Context) ([]number, error) {
	d := len(o.p.tables)
	nodes := o.nodes()
	all := &nodes[len(nodes)-1]
	if err := o.pushAll(ctx, nodes, int(all.forward)-negligible(d, rough)); err != nil {
		return nil, err
	}
	extensions, _ := math.Lgamma(float64(d + 1))
	least := int(all.forward) - int(math.Ceil(extensions/math.Ln2)) // of H(all) ≥ F(all)/d!
	if all.sum > 0 {
		least = max(least, normal(all.sum, int(all.forward)).e)
	}
	for set := range nodes {
		nodes[set].sum = 0
	}
	if err := o.pushAll(ctx, nodes, least-negligible(d, digits(d))); err != nil {
		return nil, err
	}
	if !(all.sum > 0) {
		return nil, errRounding
	}
	h := make([]number, len(nodes))
	for set, n := range nodes {
		if n.sum > 0 {
			h[set] = normal(n.sum, int(n.forward))
		}
	}
	return h, nil
}

// pushAll adds the terms of all T that count for at least 2^smallest. A block of
// sets is added to by one worker, from the smallest T on.
func (o *Orders) pushAll(ctx context.Context, nodes []node, smallest int) error {
	d := len(o.p.tables)
	top := min(d/4, 5)
	low := d - top
	nodes[0].sum = 1
	return sweep{d: d, top: top}.run(ctx, o.p.workers, func(first, _ int) error {
		w := &pusher{nodes: nodes, limit: exponentBias + smallest}
		here := first >> low
		for block := range here + 1 {
			if block&^here != 0 {
				continue
			}
			for set := block << low; set < (block+1)<<low; set++ {
				if w.count > checkEvery {
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
}

// checkEvery is the number of terms between two looks at a context.
const checkEvery = 1 << 20

// A pusher adds the terms of one T, (−1)^{|S|+1} H(T) Π_{k∈S} A_k(T), to H(T∪S) for
// many S. None counts for more than H(T) Π A_k(T) B(T∪S) in the end, which falls
// with S: where that is negligible, larger S are ignored.
type pusher struct {
	step
	nodes []node
	limit int // smallest sum of exponents of a term, biased, and of B
	count int // of terms, about

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
	list := w.lists[len(candidates)&31][:0]
	for _, k := range candidates {
		u := &w.nodes[set|1<<(k&31)]
		next, exp := m*w.m[k&31], e+w.e[k&31]
		if biased(next)+exp+int(u.backward) >= w.limit {
			list = append(list, k)
			if shift := exp - int(u.forward); biased(next)+shift > 0 {
				u.sum += math.Float64frombits(math.Float64bits(next) + uint64(shift)<<52)
			}
		}
	}
	w.count += len(candidates)
	for len(list) > 4 {
		k := list[0]
		list = list[1:]
		w.push(set|1<<(k&31), -m*w.m[k&31], e+w.e[k&31], list)
	}
	switch len(list) {
	case 4:
		k := list[0]
		w.pushSeven(set|1<<(k&31), -m*w.m[k&31], e+w.e[k&31], list[1], list[2], list[3])
		w.pushFour(set, -m, e, list[1], list[2], list[3])
	case 3:
		w.pushFour(set, -m, e, list[0], list[1], list[2])
	case 2:
		a, b := list[0]&31, list[1]&31
		w.add(set|1<<a|1<<b, -m*w.m[a]*w.m[b], e+w.e[a]+w.e[b])
	}
}

// add adds the term m·2^e to H(U).
func (w *pusher) add(set int, m float64, e int) {
	u := &w.nodes[set]
	if shift := e - int(u.forward); biased(m)+shift > 0 {
		u.sum += math.Float64frombits(math.Float64bits(m) + uint64(shift)<<52)
	}
}

// pushSeven adds the terms of the seven non-empty sets S' of three candidates.
func (w *pusher) pushSeven(set int, m float64, e int, a, b, c uint8) {
	a, b, c = a&31, b&31, c&31
	w.add(set|1<<a, m*w.m[a], e+w.e[a])
	w.add(set|1<<b, m*w.m[b], e+w.e[b])
	w.add(set|1<<c, m*w.m[c], e+w.e[c])
	w.pushFour(set, -m, e, a, b, c)
}

// pushFour adds the terms of the four sets S' of two or three candidates, of which
// those of two have the sign of m.
func (w *pusher) pushFour(set int, m float64, e int, a, b, c uint8) {
	a, b, c = a&31, b&31, c&31
	setA, ma, ea := set|1<<a, m*w.m[a], e+w.e[a]
	mb, eb, mc, ec := w.m[b], w.e[b], w.m[c], w.e[c]
	w.add(setA|1<<b, ma*mb, ea+eb)
	w.add(setA|1<<c, ma*mc, ea+ec)
	w.add(set|1<<b|1<<c, m*mb*mc, e+eb+ec)
	w.add(setA|1<<b|1<<c, -ma*mb*mc, ea+eb+ec)
}
