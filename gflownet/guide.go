package gflownet

import (
	"context"
	"math"

	"tobac/internal/parallel"
)

// A guide computes what a network sees of states. It is working memory of one goroutine.
type guide struct {
	reward *reward
	logits Logits
	delta  []float64 // of the state
	ahead  []float64 // of those on the way to its completion
	way    state
}

func newGuide(r *reward, logits Logits) *guide {
	d := len(r.start.parents)
	return &guide{reward: r, logits: logits, delta: make([]float64, d*d), ahead: make([]float64, d*d), way: newState(d)}
}

// fill writes what is seen of state s to place k of a batch.
func (g *guide) fill(b *batch, k int, s *state) {
	d := len(s.parents)
	n := d * d
	g.reward.deltas(g.delta, s)
	channels := g.logits.channels()
	seen, allowed, base := b.seen[k*channels*n:(k+1)*channels*n], b.allowed[k*n:(k+1)*n], b.base[k*n:(k+1)*n]
	clear(seen)
	b.open[k], b.stop[k] = false, 0
	for at, v := range g.delta {
		seen[at] = float64(s.parents[at%d] >> (at / d) & 1)
		allowed[at], base[at] = 0, 0
		if math.IsInf(v, -1) {
			continue
		}
		b.open[k], allowed[at], seen[n+at] = true, 1, 1
		if g.logits == Guided {
			base[at] = -softplus(-v)
			seen[2*n+at], seen[3*n+at] = math.Exp(base[at]), math.Asinh(v)/5
		}
	}
	if g.logits == Guided && b.open[k] {
		v := g.value(s)
		b.stop[k] = -v - math.Log(-math.Expm1(-v)) // the logit of e^−v
	}
}

// value is a first guess V of ln F(s) − ln R(s), whose δ are those of the state: over
// the next edges, or over the graph G that single edges of the largest positive δ lead to,
// whichever is more:
//
//	V₁(s) = ln(1 + Σ e^δ/(1+removable(s)))   exact where nothing follows the next edge
//	V(s)  = ln R(G) − ln R(s) − ln C(removable(G), removable(s)) + V₁(G)
//
// The binomial coefficient is the number of subsets of the edges of G, of which the
// backward policy passes one of this size.
func (g *guide) value(s *state) float64 {
	r := g.reward
	from := r.removable(s)
	first := nextValue(g.delta, from)
	g.way.copy(s)
	copy(g.ahead, g.delta)
	gain, d := 0.0, len(s.parents)
	for {
		best, at := 0.0, -1
		for a, v := range g.ahead {
			if v > best {
				best, at = v, a
			}
		}
		if at < 0 {
			break
		}
		gain += best
		g.way.add(at/d, at%d)
		r.deltas(g.ahead, &g.way)
	}
	to := r.removable(&g.way)
	return max(first, gain-logChoose(to, from)+nextValue(g.ahead, to))
}

// nextValue is V₁ of a state with these δ.
func nextValue(delta []float64, removable int) float64 {
	largest := 0.0
	for _, v := range delta {
		largest = max(largest, v)
	}
	sum := 0.0
	for _, v := range delta {
		sum += math.Exp(v - largest)
	}
	return softplus(largest + math.Log(sum) - math.Log(float64(1+removable)))
}

// softplus is ln(1+e^x).
func softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// logChoose is the logarithm of the binomial coefficient n over k.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// fillAll fills a batch with states.
func fillAll(r *reward, logits Logits, b *batch, states []state, workers int) (err error) {
	defer caught(&err)
	return parallel.ForWith(context.Background(), len(states), workers, func() *guide { return newGuide(r, logits) }, func(g *guide, k int) error {
		g.fill(b, k, &states[k])
		return nil
	})
}
