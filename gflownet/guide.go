package gflownet

import (
	"context"
	"math"
	"math/bits"

	"tobac/internal/parallel"
)

// A guide computes what a network sees of states, and for guided logits a policy
// without parameters, to which the network's logits are added. It is working memory of
// one goroutine.
//
// With δ the differences that the allowed edges of a state s make to the log reward, an edge
// has the logit ln σ(δ), which would be the log probability of the edge if it were the only one, and
// to stop has the probability e^−V. V is a first guess of ln F(s) − ln R(s), over the next
// edges or, if that is more, over the graph G that edges of the largest positive δ, one after the
// other, lead to, with e(s) the number of removable edges:
//
//	V₁(s) = ln(1 + Σ e^δ/(1+e(s)))   at most the true one, and equal where nothing follows the next edge
//	V(s)  = max(V₁(s), ln R(G) − ln R(s) − ln C(e(G), e(s)) + V₁(G))
//
// The binomial coefficient is the number of subsets of the edges of G, of which the
// backward policy passes one of this size.
type guide struct {
	reward *reward
	logits Logits
	delta  []float64 // of the state, d×d
	ahead  []float64 // of its completion

	completion state
	rows       [][]float64 // of the completion, by target
	best       []int       // source of the largest difference by target, −1: none is positive
}

func newGuide(r *reward, logits Logits) *guide {
	d := len(r.start.parents)
	return &guide{reward: r, logits: logits, delta: make([]float64, d*d), ahead: make([]float64, d*d), completion: newState(d),
		rows: make([][]float64, d), best: make([]int, d)}
}

// fill writes what is seen of state s to place k of a batch.
func (g *guide) fill(b *batch, k int, s *state) {
	d := len(s.parents)
	n := d * d
	open := g.reward.deltas(g.delta, s) > 0
	channels := g.logits.channels()
	seen, allowed, base := b.seen[k*channels*n:(k+1)*channels*n], b.allowed[k*n:(k+1)*n], b.base[k*n:(k+1)*n]
	clear(seen)
	b.open[k], b.stop[k] = open, 0
	if open && g.logits == Guided {
		v := g.value(s)
		b.stop[k] = -v - math.Log(-math.Expm1(-v)) // the logit of e^−v
	}
	for at, v := range g.delta {
		seen[at] = float64(s.parents[at%d] >> (at / d) & 1)
		allowed[at], base[at] = 0, 0
		if math.IsInf(v, -1) {
			continue
		}
		allowed[at], seen[n+at] = 1, 1
		if g.logits == Guided {
			base[at] = -softplus(-v)
			seen[2*n+at], seen[3*n+at] = math.Exp(base[at]), math.Asinh(v)/5
		}
	}
}

// value is V of a state whose differences are those of the guide.
func (g *guide) value(s *state) float64 {
	from := g.reward.removable(s)
	gain := g.complete(s)
	g.reward.deltas(g.ahead, &g.completion)
	to := g.reward.removable(&g.completion)
	return max(nextValue(g.delta, from), gain-logChoose(to, from)+nextValue(g.ahead, to))
}

// complete adds edges to s and returns the difference that they make.
func (g *guide) complete(s *state) (gain float64) {
	c, d := &g.completion, len(s.parents)
	c.copy(s)
	for j := range d {
		g.rows[j] = g.reward.row(j, c.parents[j])
		g.best[j] = -1
		largest := 0.0
		for i := range d {
			if v := g.delta[i*d+j]; v > largest {
				largest, g.best[j] = v, i
			}
		}
	}
	for {
		target, largest := -1, 0.0
		for j, i := range g.best {
			if i >= 0 && c.ancestors[i]>>j&1 == 1 { // closes a cycle by now
				g.best[j] = g.next(j)
				i = g.best[j]
			}
			if i >= 0 && g.rows[j][i] > largest {
				target, largest = j, g.rows[j][i]
			}
		}
		if target < 0 {
			return gain
		}
		gain += largest
		c.add(g.best[target], target)
		g.rows[target] = g.reward.row(target, c.parents[target])
		g.best[target] = g.next(target)
	}
}

// next is the source of the largest positive difference into a target of the completion.
func (g *guide) next(target int) (best int) {
	best = -1
	largest := 0.0
	for open := g.completion.open(target); open != 0; open &= open - 1 {
		i := bits.TrailingZeros64(open)
		if v := g.rows[target][i]; v > largest {
			largest, best = v, i
		}
	}
	return best
}

// nextValue is ln(1 + Σ e^δ/(1+removable)).
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
