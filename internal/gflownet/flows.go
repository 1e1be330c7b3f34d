package gflownet

import (
	"context"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"tobac/dag"
	"tobac/internal/parallel"
)

// MaxExact is the largest number of variables of [Flows]: there are 29,281 graphs of five.
const MaxExact = 5

// Flows are the exact flows of the network of all acyclic graphs of at most
// [MaxExact] variables, in which an edge leads from a graph s to s' wherever s'
// has one edge more. From the graphs without successors down,
//
//	F(s) = R(s) + Σ_{s'} F(s')/removable(s'),
//
// where removable(s') counts the edges of s' that are not required, each of which is
// taken away with the same probability. The policy that stops in s with the
// probability R(s)/F(s) and goes on to s' with the probability F(s')/(removable(s') F(s)) ends
// in G with the probability R(G)/F(∅): it is an exact sampler, and F(∅) is the
// evidence. Flows are safe for concurrent use.
type Flows struct {
	reward *reward
	states []state // by number of edges, then as they were found
	logR   []float64
	logF   []float64
	next   [][]successor
}

// A successor is what the edge action = source·d + target leads to.
type successor struct{ action, state int }

// newFlows computes the flows of all graphs that the prior of r allows. Scores that are not numbers
// are errors. It stops when ctx is done.
func newFlows(ctx context.Context, r *reward, workers int) (f *Flows, err error) {
	defer caught(&err)
	f = &Flows{reward: r}
	if err := f.enumerate(ctx); err != nil {
		return nil, err
	}
	n := len(f.states)
	f.logR, f.logF = make([]float64, n), make([]float64, n)
	if err := parallel.For(ctx, n, workers, func(i int) error {
		f.logR[i] = r.total(&f.states[i])
		return nil
	}); err != nil {
		return nil, err
	}
	var terms []float64
	for i := n - 1; i >= 0; i-- {
		terms = append(terms[:0], f.logR[i])
		back := math.Log(float64(r.removable(&f.states[i]) + 1))
		for _, next := range f.next[i] {
			terms = append(terms, f.logF[next.state]-back)
		}
		f.logF[i] = floats.LogSumExp(terms)
	}
	return f, nil
}

// graphKey is all edges of a graph of at most eight variables.
func graphKey(s *state) (key uint64) {
	for j, set := range s.parents {
		key |= set << (j * len(s.parents))
	}
	return key
}

// enumerate lists the graphs, those with fewer edges first.
func (f *Flows) enumerate(ctx context.Context) error {
	d := len(f.reward.start.parents)
	first := newState(d)
	first.copy(&f.reward.start)
	f.states = []state{first}
	found := map[uint64]int{graphKey(&first): 0}
	delta := make([]float64, d*d)
	for i := 0; i < len(f.states); i++ {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		f.reward.deltas(delta, &f.states[i])
		var next []successor
		for action, v := range delta {
			if math.IsInf(v, -1) {
				continue
			}
			s := newState(d)
			s.copy(&f.states[i])
			s.add(action/d, action%d)
			at, seen := found[graphKey(&s)]
			if !seen {
				at = len(f.states)
				found[graphKey(&s)] = at
				f.states = append(f.states, s)
			}
			next = append(next, successor{action, at})
		}
		f.next = append(f.next, next)
	}
	return nil
}

// Graphs is the number of graphs that the prior allows.
func (f *Flows) Graphs() int { return len(f.states) }

// Levels counts them by their number of edges.
func (f *Flows) Levels() []int {
	var levels []int
	for i := range f.states {
		for len(levels) <= f.states[i].edges {
			levels = append(levels, 0)
		}
		levels[f.states[i].edges]++
	}
	return levels
}

// LogEvidence is ln F(∅) = ln Σ_G R(G), in nats, with the prior as it is, not
// normalised over graphs.
func (f *Flows) LogEvidence() float64 { return f.logF[0] }

// Graph is graph number i, those with fewer edges first.
func (f *Flows) Graph(i int) *dag.Graph { return f.states[i].graph() }

// Probability is the posterior probability of graph number i.
func (f *Flows) Probability(i int) float64 { return math.Exp(f.logR[i] - f.logF[0]) }

// Edges is the d×d matrix of P(i → j).
func (f *Flows) Edges() *mat.Dense {
	p := make([]float64, len(f.states))
	for i := range p {
		p[i] = f.Probability(i)
	}
	return f.marginals(p)
}

// marginals are those of graphs with the probabilities p.
func (f *Flows) marginals(p []float64) *mat.Dense {
	d := len(f.reward.start.parents)
	m := mat.NewDense(d, d, nil)
	for k := range f.states {
		for j, set := range f.states[k].parents {
			for ; set != 0; set &= set - 1 {
				i := bits.TrailingZeros64(set)
				m.Set(i, j, m.At(i, j)+p[k])
			}
		}
	}
	return m
}

// StopProbability is the probability of the exact policy to stop in graph number i.
func (f *Flows) StopProbability(i int) float64 { return math.Exp(f.logR[i] - f.logF[i]) }

// logPolicy writes the log probabilities of the exact policy in state number i: of all
// actions, d² edges by source and target and then to stop; −Inf where there are none.
func (f *Flows) logPolicy(dst []float64, i int) {
	for a := range dst {
		dst[a] = math.Inf(-1)
	}
	back := math.Log(float64(f.reward.removable(&f.states[i]) + 1))
	for _, next := range f.next[i] {
		dst[next.action] = f.logF[next.state] - back - f.logF[i]
	}
	dst[len(dst)-1] = f.logR[i] - f.logF[i]
}
