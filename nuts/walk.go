package nuts

import (
	"math"
	"math/rand/v2"

	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A point of a trajectory.
type point struct {
	x, p, grad  []float64
	log, energy float64
}

func newPoint(d int) point {
	return point{x: make([]float64, d), p: make([]float64, d), grad: make([]float64, d)}
}

func (p *point) set(q *point) {
	copy(p.x, q.x)
	copy(p.p, q.p)
	copy(p.grad, q.grad)
	p.log, p.energy = q.log, q.energy
}

// A span of a trajectory: the momenta and velocities at its ends, the sum of all momenta, the log of the sum of weights.
type span struct {
	first, last, firstV, lastV, sum []float64
	weight                          float64
}

func newSpan(d int) span {
	return span{make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), 0}
}

// frame is the memory of one depth of the tree.
type frame struct {
	left, right span
	proposal    point
}

// A walk moves one chain.
type walk struct {
	s      Sampler
	number int
	c      *Chain
	eval   func(*point) bool // false: the run stops
	rng    *rand.Rand

	stopped      bool
	ready        bool // the density at c.X is known
	direction    float64
	start        float64 // energy
	accepted     float64
	factor       mat.Cholesky // of the dense metric
	hasFactor    bool
	forward      point
	back         point
	sample       point
	proposal     point
	whole, added span
	joined       span
	frames       []frame
	sum, v       []float64
}

func newWalk(s Sampler, number int, c *Chain, eval func(*point) bool) *walk {
	d := len(c.X)
	return &walk{s: s, number: number, c: c, eval: eval, forward: newPoint(d), back: newPoint(d), sample: newPoint(d), proposal: newPoint(d),
		whole: newSpan(d), added: newSpan(d), joined: newSpan(d), sum: make([]float64, d), v: make([]float64, d)}
}

// velocity is the metric times a momentum.
func (w *walk) velocity(dst, p []float64) {
	d := len(p)
	if !w.s.Dense {
		floats.MulTo(dst, w.c.Metric, p)
		return
	}
	for i := range d {
		dst[i] = floats.Dot(w.c.Metric[i*d:][:d], p)
	}
}

// momentum draws from the normal distribution whose covariance is the inverse of the metric.
func (w *walk) momentum(p []float64) {
	for i := range p {
		p[i] = w.rng.NormFloat64()
	}
	d := len(p)
	if !w.s.Dense {
		for i := range p {
			p[i] /= math.Sqrt(w.c.Metric[i])
		}
		return
	}
	if !w.hasFactor {
		if !w.factor.Factorize(mat.NewSymDense(d, append([]float64(nil), w.c.Metric...))) {
			panic("nuts: the metric is not positive definite") // regularised covariances are
		}
		w.hasFactor = true
	}
	var upper mat.TriDense
	w.factor.UTo(&upper)
	x := mat.NewVecDense(d, nil)
	if err := x.SolveVec(&upper, mat.NewVecDense(d, append([]float64(nil), p...))); err != nil {
		return
	}
	copy(p, x.RawVector().Data)
}

func (w *walk) energy(z *point) {
	w.velocity(w.v, z.p)
	z.energy = floats.Dot(w.v, z.p)/2 - z.log
	if math.IsNaN(z.energy) {
		z.energy = math.Inf(1)
	}
}

// leap is one leapfrog step.
func (w *walk) leap(z *point, step float64) {
	floats.AddScaled(z.p, step/2, z.grad)
	w.velocity(w.v, z.p)
	floats.AddScaled(z.x, step, w.v)
	if !w.eval(z) {
		w.stopped = true
		z.energy = math.Inf(1)
		return
	}
	floats.AddScaled(z.p, step/2, z.grad)
	w.energy(z)
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

// tree adds 2^depth points behind z, which moves to the last. It reports whether they may count: none diverged, no part turned.
func (w *walk) tree(depth int, z *point, out *span, proposal *point) bool {
	if depth == 0 {
		w.leap(z, w.direction*w.c.Step)
		if w.stopped {
			return false
		}
		w.c.Leaps++
		change := w.start - z.energy
		w.accepted += math.Exp(math.Min(0, change))
		if change < -1000 {
			w.c.Divergent = true
			return false
		}
		out.weight = change
		copy(out.first, z.p)
		copy(out.last, z.p)
		copy(out.sum, z.p)
		copy(out.firstV, w.v)
		copy(out.lastV, w.v)
		proposal.set(z)
		return true
	}
	for len(w.frames) < depth {
		d := len(z.x)
		w.frames = append(w.frames, frame{newSpan(d), newSpan(d), newPoint(d)})
	}
	f := &w.frames[depth-1]
	left, right := f.left, f.right
	if !w.tree(depth-1, z, &left, proposal) || !w.tree(depth-1, z, &right, &f.proposal) {
		return false
	}
	straight := w.join(out, &left, &right)
	if w.rng.Float64() < math.Exp(right.weight-out.weight) {
		proposal.set(&f.proposal)
	}
	return straight
}

// iterate does one iteration; false: the run was stopped in it, and the chain is where it was.
func (w *walk) iterate() bool {
	c := w.c
	before := *c
	w.rng = stream.New(w.s.Seed, stream.NUTSMoves, w.number, c.Iteration)
	z := &w.sample
	if !w.ready {
		copy(z.x, c.X)
		if !w.eval(z) {
			return false
		}
		w.ready = true
	}
	if c.Step == 0 {
		if c.Step = 1; !w.firstStep() {
			*c = before
			return false
		}
		c.Averaging = Averaging{Center: math.Log(10 * c.Step)}
	}
	c.Leaps, c.Depth, c.Divergent, w.accepted = 0, 0, false, 0
	w.momentum(z.p)
	w.energy(z)
	w.start = z.energy
	w.forward.set(z)
	w.back.set(z)
	whole, added, joined := &w.whole, &w.added, &w.joined
	whole.weight = 0
	for _, v := range [][]float64{whole.first, whole.last, whole.sum} {
		copy(v, z.p)
	}
	copy(whole.firstV, w.v)
	copy(whole.lastV, w.v)
	depth := w.s.Depth
	if depth == 0 {
		depth = 10
	}
	for c.Depth < depth {
		end := &w.forward
		w.direction = 1
		if w.rng.Uint64()&1 == 0 {
			end, w.direction = &w.back, -1
		}
		sound := w.tree(c.Depth, end, added, &w.proposal)
		if w.stopped {
			*c = before
			return false
		}
		if !sound {
			break
		}
		c.Depth++
		if w.rng.Float64() < math.Exp(added.weight-whole.weight) {
			z.set(&w.proposal)
		}
		var straight bool
		if w.direction > 0 {
			straight = w.join(joined, whole, added)
		} else {
			added.first, added.last, added.firstV, added.lastV = added.last, added.first, added.lastV, added.firstV
			straight = w.join(joined, added, whole)
		}
		whole, joined = joined, whole
		if !straight {
			break
		}
	}
	c.Accepted, c.Energy = w.accepted/float64(c.Leaps), z.energy
	c.X, c.Grad, c.LogDensity = append([]float64(nil), z.x...), append([]float64(nil), z.grad...), z.log
	if !w.adapt() {
		*c = before
		return false
	}
	c.Iteration++
	return true
}

// firstStep doubles or halves the step size until the acceptance of one step crosses 0.8.
func (w *walk) firstStep() bool {
	z, c := &w.forward, w.c
	sign := 0.0
	for range 100 {
		z.set(&w.sample)
		w.momentum(z.p)
		w.energy(z)
		before := z.energy
		if w.leap(z, c.Step); w.stopped {
			return false
		}
		s := -1.0
		if before-z.energy > math.Log(0.8) {
			s = 1
		}
		if sign != 0 && s != sign {
			return true
		}
		sign = s
		c.Step *= math.Exp2(s)
	}
	return true
}
