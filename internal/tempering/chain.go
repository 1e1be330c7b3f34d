package tempering

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sort"

	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
)

// A chain is one of the independent ones of a node: a state for each temperature.
type chain struct {
	*worker
	betas  []float64 // ascending, from 0 to 1
	states []*state
	rng    *rand.Rand

	// Of the pairs of neighbouring temperatures since the last change of these.
	refused []float64 // sums of probabilities that a swap is refused
	swaps   int

	// Of the second half.
	counts    [2][]int // by half of it and candidate: iterations in which it is a parent
	kept      [2]int   // iterations
	steps     []logSum // of exp((β_{k+1} − β_k) log p(y)) at β_k
	evidences mean     // of log p(y) at β = 1
	draws     []network
}

// A network is a draw of all parameters of a variable.
type network struct {
	parents []int     // columns
	weights []float64 // parent by unit
	biases  []float64 // of units
	output  []float64 // weights of the units, and the bias unless there is none
	logs    float64   // ln σ²
}

// A logSum adds numbers given by their logarithms.
type logSum struct {
	max, sum float64
	n        int
}

func (l *logSum) add(x float64) {
	switch l.n++; {
	case math.IsInf(x, -1): // adds nothing
	case l.sum == 0:
		l.sum, l.max = 1, x
	case x > l.max:
		l.sum, l.max = l.sum*math.Exp(l.max-x)+1, x
	default:
		l.sum += math.Exp(x - l.max)
	}
}

// logMean is the logarithm of the mean.
func (l *logSum) logMean() float64 { return l.max + math.Log(l.sum/float64(l.n)) }

// A mean is that of the numbers so far.
type mean struct{ n, value float64 }

func (m *mean) add(x float64) {
	m.n++
	m.value += (x - m.value) / m.n
}

// newChain starts every temperature at a draw from the prior.
func (v *node) newChain(number int) *chain {
	t := v.cfg.Temperatures
	c := &chain{worker: v.newWorker(), betas: make([]float64, t),
		rng:     stream.New(v.cfg.Seed, stream.TemperingMoves, v.column, number),
		refused: make([]float64, t-1), steps: make([]logSum, t-1)}
	for k := range c.betas {
		c.betas[k] = math.Pow(float64(k)/float64(t-1), 5)
		s := v.newState()
		c.start(s, c.rng)
		c.states = append(c.states, s)
	}
	for half := range c.counts {
		c.counts[half] = make([]int, len(v.candidates))
	}
	return c
}

// run takes all iterations: the first half moves the temperatures so that every swap is as likely
// as the others [2], the second is kept.
func (c *chain) run(ctx context.Context) error {
	total := c.cfg.Iterations
	first := total / 2
	perChain := (c.cfg.Draws + chains - 1) / chains
	for t := range total {
		if t%32 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for k, s := range c.states {
			c.sweep(s, c.betas[k], c.rng)
			if t%64 == 63 {
				c.refresh(s) // sums of many small changes are taken again
			}
		}
		c.exchange(t % 2)
		if last := c.states[len(c.states)-1]; t >= first/8 &&
			!(math.Abs(last.evidence) <= mostEvidence) {
			return ErrOverflow
		}
		switch {
		case t < first:
			if t == first/8 || t == first/4 || t == first/2 || t == first-1 {
				c.adapt()
			}
			continue
		case perChain > 0 && (t-first)*perChain/(total-first) != (t-first+1)*perChain/(total-first):
			c.draws = append(c.draws, c.draw())
		}
		c.record((t - first) * 2 / (total - first))
	}
	return nil
}

// record counts the states of an iteration in the first or the second half of what is kept.
func (c *chain) record(half int) {
	last := len(c.states) - 1
	c.kept[half]++
	for i, in := range c.states[last].in {
		if in {
			c.counts[half][i]++
		}
	}
	for k, s := range c.states[:last] {
		c.steps[k].add((c.betas[k+1] - c.betas[k]) * s.evidence)
	}
	c.evidences.add(c.states[last].evidence)
}

// mostEvidence is the largest log density whose rounding does not decide what is accepted.
const mostEvidence = 1e14

// ErrOverflow says that log densities of the data are so large that their rounding would decide, as
// with a noise variance that is too small.
var ErrOverflow = errors.New("tempering: log densities of the data are too large to be compared")

// exchange proposes to swap the states of every second pair of neighbouring temperatures.
func (c *chain) exchange(first int) {
	for k := first; k+1 < len(c.states); k += 2 {
		log := (c.betas[k] - c.betas[k+1]) * (c.states[k+1].evidence - c.states[k].evidence)
		if math.IsNaN(log) { // both have the density 0
			log = 0
		}
		u := 1 - c.rng.Float64()
		c.refused[k] += 1 - math.Exp(math.Min(0, log))
		if math.Log(u) <= log {
			c.states[k], c.states[k+1] = c.states[k+1], c.states[k]
		}
	}
	c.swaps++
}

// rejections are the frequencies with which swaps are refused.
func (c *chain) rejections() []float64 {
	r := make([]float64, len(c.refused))
	for k, v := range c.refused {
		r[k] = v / math.Max(1, float64(c.swaps/2))
	}
	return r
}

// adapt places the temperatures at equal distances of the barrier, the sum of rejections up to an
// inverse temperature, which is taken to be linear between the present ones [2].
func (c *chain) adapt() {
	last := len(c.betas) - 1
	barrier := make([]float64, last+1)
	for k, r := range c.rejections() {
		barrier[k+1] = barrier[k] + math.Max(r, 1e-3)
	}
	betas := make([]float64, last+1)
	betas[last] = 1
	for k := 1; k < last; k++ {
		at := barrier[last] * float64(k) / float64(last)
		i := sort.SearchFloat64s(barrier, at) - 1
		f := (at - barrier[i]) / (barrier[i+1] - barrier[i])
		betas[k] = c.betas[i] + f*(c.betas[i+1]-c.betas[i])
	}
	c.betas = betas
	clear(c.refused)
	c.swaps = 0
}

// draw is a network from the posterior: the state at β = 1 with a last layer given it.
func (c *chain) draw() network { return c.complete(c.states[len(c.states)-1], c.rng) }

// complete is the network of a state, whose last layer is drawn given the rest.
func (w *worker) complete(s *state, rng *rand.Rand) network {
	d := network{biases: append([]float64(nil), s.biases...), output: make([]float64, w.features),
		logs: s.logs}
	for i, in := range s.in {
		if in {
			d.parents = append(d.parents, w.candidates[i])
			d.weights = append(d.weights, s.weights[i*w.units:(i+1)*w.units]...)
		}
	}
	w.solver.LogEvidence(s.gram, w.n, math.Exp(s.logs))
	for a := range d.output {
		d.output[a] = rng.NormFloat64()
	}
	w.solver.Draw(d.output)
	floats.Scale(w.scale, d.output)
	return d
}

// logEvidence is log Σ_A ρ(A)/Σρ · p(y|A), by stepping stones [3].
func (c *chain) logEvidence() (sum float64) {
	for k := range c.steps {
		sum += c.steps[k].logMean()
	}
	return sum
}

// probability that candidate i is a parent.
func (c *chain) probability(i int) float64 {
	return float64(c.counts[0][i]+c.counts[1][i]) / float64(c.kept[0]+c.kept[1])
}
