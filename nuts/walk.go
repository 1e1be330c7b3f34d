package nuts

import (
	"math"

	"tobac/chain"
	"tobac/internal/hamiltonian"

	"gonum.org/v1/gonum/floats"
)

// A span of a trajectory: the momenta and velocities at its ends, the sum of all momenta, the log
// of the sum of weights.
type span struct {
	first, last, firstV, lastV, sum []float64
	weight                          float64
}

func newSpan(d int) span {
	return span{
		make([]float64, d),
		make([]float64, d),
		make([]float64, d),
		make([]float64, d),
		make([]float64, d),
		0,
	}
}

// frame is the memory of one depth of the tree.
type frame struct {
	left, right span
	proposal    chain.Point
}

// A walk moves one chain.
type walk struct {
	*hamiltonian.System
	c       *chain.Chain
	deepest int

	direction    float64
	start        float64 // energy
	accepted     float64
	forward      chain.Point
	back         chain.Point
	sample       chain.Point
	proposal     chain.Point
	whole, added span
	joined       span
	frames       []frame
	sum          []float64
}

func newWalk(k Kernel, w *chain.Walk) *walk {
	d := len(w.Chain.X)
	return &walk{System: hamiltonian.New(w, k.Acceptance), c: w.Chain, deepest: k.Depth,
		forward: chain.NewPoint(
			d,
		), back: chain.NewPoint(d), sample: chain.NewPoint(d), proposal: chain.NewPoint(d),
		whole: newSpan(d), added: newSpan(d), joined: newSpan(d), sum: make([]float64, d)}
}

// join makes one span of two, and reports whether it has not turned.
func (w *walk) join(dst, a, b *span) bool {
	floats.AddTo(w.sum, a.sum, b.first)
	straight := ahead(a.firstV, b.firstV, w.sum)
	floats.AddTo(w.sum, b.sum, a.last)
	straight = straight && ahead(a.lastV, b.lastV, w.sum)
	floats.AddTo(dst.sum, a.sum, b.sum)
	straight = straight && ahead(a.firstV, b.lastV, dst.sum)
	copy(dst.first, a.first)
	copy(dst.firstV, a.firstV)
	copy(dst.last, b.last)
	copy(dst.lastV, b.lastV)
	dst.weight = logAdd(a.weight, b.weight)
	return straight
}

func ahead(a, b, sum []float64) bool { return floats.Dot(a, sum) > 0 && floats.Dot(b, sum) > 0 }

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// tree adds 2^depth points behind z, which moves to the last. It reports whether they may count:
// none diverged, no part turned.
func (w *walk) tree(depth int, z *chain.Point, out *span, proposal *chain.Point) bool {
	if depth == 0 {
		w.Leap(z, w.direction*w.c.Step)
		if w.Stopped() {
			return false
		}
		change := w.start - z.Energy
		w.accepted += math.Exp(math.Min(0, change))
		if change < -1000 {
			w.c.Divergent = true
			return false
		}
		out.weight = change
		copy(out.first, z.P)
		copy(out.last, z.P)
		copy(out.sum, z.P)
		v := w.Velocity(z.P)
		copy(out.firstV, v)
		copy(out.lastV, v)
		proposal.Set(z)
		return true
	}
	for len(w.frames) < depth {
		d := len(z.X)
		w.frames = append(w.frames, frame{newSpan(d), newSpan(d), chain.NewPoint(d)})
	}
	f := &w.frames[depth-1]
	left, right := f.left, f.right
	if !w.tree(depth-1, z, &left, proposal) || !w.tree(depth-1, z, &right, &f.proposal) {
		return false
	}
	straight := w.join(out, &left, &right)
	if w.Rand.Float64() < math.Exp(right.weight-out.weight) {
		proposal.Set(&f.proposal)
	}
	return straight
}

// iterate does one iteration; false: the run was stopped in it.
func (w *walk) iterate() bool {
	c := w.c
	if !w.Begin() {
		return false
	}
	w.accepted = 0
	z := &w.sample
	z.Set(w.Here())
	w.Momentum(z)
	w.start = z.Energy
	w.forward.Set(z)
	w.back.Set(z)
	whole, added, joined := &w.whole, &w.added, &w.joined
	whole.weight = 0
	for _, v := range [][]float64{whole.first, whole.last, whole.sum} {
		copy(v, z.P)
	}
	v := w.Velocity(z.P)
	copy(whole.firstV, v)
	copy(whole.lastV, v)
	for c.Depth < w.deepest {
		end := &w.forward
		w.direction = 1
		if w.Rand.Uint64()&1 == 0 {
			end, w.direction = &w.back, -1
		}
		sound := w.tree(c.Depth, end, added, &w.proposal)
		if w.Stopped() {
			return false
		}
		if !sound {
			break
		}
		c.Depth++
		if w.Rand.Float64() < math.Exp(added.weight-whole.weight) {
			z.Set(&w.proposal)
		}
		var straight bool
		if w.direction > 0 {
			straight = w.join(joined, whole, added)
		} else {
			added.first, added.last, added.firstV, added.lastV = added.last, added.first,
				added.lastV, added.firstV
			straight = w.join(joined, added, whole)
		}
		whole, joined = joined, whole
		if !straight {
			break
		}
	}
	c.Accepted, c.Energy = w.accepted/float64(c.Leaps), z.Energy
	w.Move(z)
	return w.Adapt()
}
