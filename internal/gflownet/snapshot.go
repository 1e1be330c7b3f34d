package gflownet

import (
	"errors"
	"fmt"
	"slices"

	"tobac/svgd"
)

// A State is that of the training of a [Model] between iterations. It is plain data, and its
// JSON keeps every bit. It belongs to the scores, the prior, the settings and the seed that the
// model was made with, which the snapshot of a run has; the number of workers may be another.
// Graphs are one bit for each pair of variables, transitions such graphs with 2 bytes for the edge.
type State struct {
	Iteration int  `json:"iteration"`
	Finished  bool `json:"finished,omitempty"` // by the tolerance

	Weights   []float64  `json:"weights,omitempty"`
	Target    []float64  `json:"target,omitempty"`
	Optimiser svgd.State `json:"optimiser"`
	Skipped   int        `json:"skipped,omitempty"`
	// graphs of the environments, as transitions without an edge
	Episodes []byte `json:"episodes,omitempty"`
	Replay   []byte `json:"replay,omitempty"`
	Next     int    `json:"next,omitempty"` // where the next transition goes

	Trace []float64 `json:"trace,omitempty"`
	Sum   float64   `json:"sum,omitempty"` // of the losses since the last number of the trace
}

// State copies the state of the training.
func (m *Model) State() *State {
	s := &State{Iteration: m.iteration, Finished: m.finished}
	l := m.learner
	if l == nil {
		return s
	}
	s.Weights, s.Target = slices.Clone(l.all), slices.Clone(l.allTarget)
	s.Optimiser, s.Skipped = l.optimiser.Clone(), l.skipped
	episodes := newRing(m.Vars(), len(l.environments))
	for k := range l.environments {
		episodes.put(&l.environments[k], 0)
	}
	s.Episodes, s.Replay, s.Next = episodes.bytes, slices.Clone(l.replay.bytes), l.replay.next
	s.Trace, s.Sum = slices.Clone(l.trace), l.sum
	return s
}

// Restore continues from a state, to the same bits as without the interruption. After an error, of
// a state that is damaged or does not fit, the model is as it was.
func (m *Model) Restore(s *State) error {
	if err := m.fits(s); err != nil {
		return err
	}
	l := m.learner
	if l == nil {
		m.iteration, m.finished = s.Iteration, s.Finished
		return nil
	}
	parts := []part{{"weights", s.Weights}, {"target", s.Target}}
	if s.Optimiser.Count > 0 {
		if len(s.Optimiser.First) != 1 || len(s.Optimiser.Second) != 1 {
			return errors.New("gflownet: damaged state: moments are missing")
		}
		parts = append(parts, part{"first moments", s.Optimiser.First[0]},
			part{"second moments", s.Optimiser.Second[0]})
	}
	for _, p := range parts {
		if err := p.check(len(l.all)); err != nil {
			return err
		}
	}
	environments, replay := newRing(l.replay.d, len(l.environments)),
		newRing(l.replay.d, l.replay.capacity)
	if err := environments.restore(s.Episodes, 0, m.reward, false); err != nil {
		return fmt.Errorf("gflownet: damaged state: episodes: %w", err)
	}
	if got, want := environments.count, len(l.environments); got != want {
		return fmt.Errorf("gflownet: damaged state: got %d episodes, want %d", got, want)
	}
	if err := replay.restore(s.Replay, s.Next, m.reward, true); err != nil {
		return fmt.Errorf("gflownet: damaged state: replay: %w", err)
	}
	copy(l.all, s.Weights)
	copy(l.allTarget, s.Target)
	l.optimiser, l.skipped = s.Optimiser.Clone(), s.Skipped
	for k := range l.environments {
		environments.get(&l.environments[k], k)
	}
	l.replay = replay
	l.trace, l.sum = slices.Clone(s.Trace), s.Sum
	m.iteration, m.finished = s.Iteration, s.Finished
	return nil
}

// fits finds numbers of a state that cannot be.
func (m *Model) fits(s *State) error {
	if s.Iteration < 0 || s.Iteration > m.Steps() {
		return fmt.Errorf("gflownet: damaged state: iteration %d, want 0 to %d", s.Iteration,
			m.Steps())
	}
	if n := s.Optimiser.Count; n < 0 || s.Skipped < 0 || n+s.Skipped > s.Iteration ||
		len(s.Trace) != n/TraceEvery {
		return fmt.Errorf("gflownet: damaged state: %d updates, %d skipped, %d numbers of the "+
			"trace at iteration %d", n, s.Skipped, len(s.Trace), s.Iteration)
	}
	return nil
}

// restore takes transitions over, each of which must be one between graphs that the
// reward allows; whole says whether the edges count.
func (r *ring) restore(bytes []byte, next int, reward *reward, whole bool) error {
	size := transitionBytes(r.d)
	count := len(bytes) / size
	if len(bytes)%size != 0 || count > r.capacity || next < 0 || next > count ||
		count < r.capacity && whole && next != count {
		return fmt.Errorf("got %d bytes and place %d, want transitions of %d bytes, at most %d",
			len(bytes), next, size, r.capacity)
	}
	r.bytes, r.count, r.next = slices.Clone(bytes), count, next
	s := newState(r.d)
	for k := range count {
		action, ok := r.read(&s, k)
		for j, required := range reward.start.parents {
			ok = ok && s.parents[j]&required == required
		}
		if whole {
			ok = ok && action < r.d*r.d && s.open(action%r.d)>>(action/r.d)&1 == 1 &&
				!reward.prior.Forbidden(action/r.d, action%r.d)
		}
		if !ok {
			return fmt.Errorf("transition %d is not one between acyclic graphs", k)
		}
	}
	return nil
}

// A part is a list of numbers, one for each weight of the network.
type part struct {
	name   string
	values []float64
}

func (p part) check(count int) error {
	if len(p.values) != count {
		return fmt.Errorf("gflownet: damaged state: %d %s, want %d", len(p.values), p.name, count)
	}
	if slices.ContainsFunc(p.values, func(x float64) bool { return x-x != 0 }) {
		return fmt.Errorf("gflownet: damaged state: %s hold NaN or an infinity", p.name)
	}
	return nil
}
