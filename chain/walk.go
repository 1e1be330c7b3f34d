package chain

import (
	"math/rand/v2"

	"tobac/internal/stream"
)

// A Walk is what the kernel knows of one chain while it moves.
type Walk struct {
	Chain *Chain
	// Rand has numbers for this iteration only.
	Rand *rand.Rand

	number  int
	sampler Sampler
	eval    func(*Point) bool
	stopped bool
	here    *Point // the chain's point with its density; nil means not known yet
}

// A Point is a place with its density, and a momentum where a kernel has them.
type Point struct {
	X, P, Grad         []float64
	LogDensity, Energy float64
}

// NewPoint is a point of d coordinates.
func NewPoint(d int) Point {
	return Point{X: make([]float64, d), P: make([]float64, d), Grad: make([]float64, d)}
}

// Set copies a point.
func (p *Point) Set(q *Point) {
	copy(p.X, q.X)
	copy(p.P, q.P)
	copy(p.Grad, q.Grad)
	p.LogDensity, p.Energy = q.LogDensity, q.Energy
}

// Eval computes density and gradient of a point. It reports false if the run stops: the
// iteration then has to end.
func (w *Walk) Eval(p *Point) bool {
	if !w.stopped {
		w.stopped = !w.eval(p)
	}
	return !w.stopped
}

// Stopped reports whether an evaluation has told that the run stops.
func (w *Walk) Stopped() bool { return w.stopped }

// Here is the point of the chain, with its density and gradient. It must not be changed.
func (w *Walk) Here() *Point { return w.here }

// Move puts the chain to a point.
func (w *Walk) Move(p *Point) {
	w.here.Set(p)
	w.Chain.X = append([]float64(nil), p.X...)
	w.Chain.Grad = append([]float64(nil), p.Grad...)
	w.Chain.LogDensity = p.LogDensity
}

// iterate does one iteration; false: the run was stopped in it, and the chain is where it was.
func (w *Walk) iterate(move func() bool) bool {
	c := w.Chain
	before := *c
	w.Rand = stream.New(w.sampler.Seed, stream.NUTSMoves, w.number, c.Iteration)
	if w.here == nil {
		p := NewPoint(len(c.X))
		copy(p.X, c.X)
		if !w.Eval(&p) {
			return false
		}
		w.here = &p
	}
	c.Leaps, c.Depth, c.Divergent = 0, 0, false
	if !move() || w.stopped {
		*c = before
		return false
	}
	c.Iteration++
	return true
}

// Learn counts the chain's point for the metric, and reports whether a window has ended with
// it, after which the metric is new. After a jump to a more probable place windows begin anew
// there.
func (w *Walk) Learn() bool {
	c, warm := w.Chain, w.sampler.warmUp()
	if c.Iteration >= warm {
		return false
	}
	length, end := window(warm-c.Since, c.Iteration-c.Since)
	if length > 0 {
		c.Window.X, c.Window.Grad = append(c.Window.X, c.X), append(c.Window.Grad, c.Grad)
	}
	c.Densities = append(c.Densities, c.LogDensity)
	if !end && jumped(c.Densities) && len(c.Window.X) >= firstWindow {
		n := len(c.Window.X) - firstWindow
		c.Window.X, c.Window.Grad = c.Window.X[n:], c.Window.Grad[n:]
		c.Since, c.Densities, end = c.Iteration+1-2*firstWindow, nil, true
	}
	if c.Iteration+1 == warm {
		c.Densities = nil
	}
	if end {
		c.Metric, c.Window = c.Window.learned(w.sampler.Kernel.Mass(), c.Metric), Window{}
	}
	return end
}

// Warming reports whether the iteration is one that adapts, and whether it is the last of them.
func (w *Walk) Warming() (warming, last bool) {
	warm := w.sampler.warmUp()
	return w.Chain.Iteration < warm, w.Chain.Iteration+1 == warm
}
