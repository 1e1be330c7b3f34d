package gflownet

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/dag"
	"tobac/internal/stream"
)

// Draws runs the policy, without exploration, for count episodes and returns the graphs
// that they stop in. Draw number k depends on the model, the seed and k alone. Every episode
// that was begun counts: to take the first so many that stop, of several side by side, would
// favour short ones. It stops when ctx is done, with the cause.
func (m *Model) Draws(ctx context.Context, count int) (_ []*dag.Graph, err error) {
	defer caught(&err)
	if count < 0 {
		return nil, fmt.Errorf("gflownet: got %d draws, want 0 or more", count)
	}
	if m.settings.Policy == Exact {
		f, err := m.exactFlows(ctx)
		if err != nil {
			return nil, err
		}
		return f.draws(ctx, count, m.seed)
	}
	return m.learner.draws(ctx, count)
}

// draws of the exact policy.
func (f *Flows) draws(ctx context.Context, count int, seed uint64) ([]*dag.Graph, error) {
	graphs := make([]*dag.Graph, count)
	for k := range graphs {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		graphs[k] = f.states[f.episode(stream.New(seed, stream.GFlowNetDraw, k))].graph()
	}
	return graphs, nil
}

// episode is the state in which an episode of the exact policy stops.
func (f *Flows) episode(rng *rand.Rand) (at int) {
	for {
		u := rng.Float64() - f.StopProbability(at)
		back := math.Log(float64(f.reward.removable(&f.states[at]) + 1))
		next := -1
		for _, s := range f.next[at] {
			if u < 0 {
				break
			}
			next = s.state
			u -= math.Exp(f.logF[s.state] - back - f.logF[at])
		}
		if next < 0 {
			return at
		}
		at = next
	}
}

// draws of a learned policy: as many episodes side by side as the program takes.
func (l *learner) draws(ctx context.Context, count int) ([]*dag.Graph, error) {
	p, err := l.wideProgram()
	if err != nil {
		return nil, err
	}
	type episode struct {
		number int
		rng    *rand.Rand
	}
	var (
		graphs   = make([]*dag.Graph, count)
		d        = l.reward.scores.Vars()
		episodes []episode
		states   []state
		begun    int
	)
	begin := func() (episode, bool) {
		if begun == count {
			return episode{}, false
		}
		begun++
		return episode{begun - 1, stream.New(l.seed, stream.GFlowNetDraw, begun-1)}, true
	}
	for len(episodes) < wideBatch {
		e, ok := begin()
		if !ok {
			break
		}
		s := newState(d)
		s.copy(&l.reward.start)
		episodes, states = append(episodes, e), append(states, s)
	}
	for len(episodes) > 0 {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := l.evaluate(p, states, l.weights); err != nil {
			return nil, err
		}
		kept := 0
		for k, e := range episodes {
			s := states[k]
			if action := p.choose(k, e.rng); action < d*d {
				s.add(action/d, action%d)
			} else {
				graphs[e.number] = s.graph()
				next, ok := begin()
				if !ok {
					continue
				}
				e = next
				s.copy(&l.reward.start)
			}
			states[k], states[kept] = states[kept], s
			episodes[kept] = e
			kept++
		}
		episodes, states = episodes[:kept], states[:kept]
	}
	return graphs, nil
}
