package gflownet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A State is that of the training of a [Model] between iterations. It is plain data, and its
// JSON keeps every bit. It belongs to the scores, the prior, the settings and the seed that the
// model was made with, which the snapshot of a run has; the number of workers may be another.
// Numbers are 8 bytes each, little-endian; graphs are one bit for each pair of variables,
// transitions such graphs with 2 bytes for the edge.
type State struct {
	Iteration int  `json:"iteration"`
	Finished  bool `json:"finished,omitempty"` // by the tolerance

	Weights []byte `json:"weights,omitempty"`
	Target  []byte `json:"target,omitempty"`
	First   []byte `json:"first,omitempty"`  // moments of the optimiser
	Second  []byte `json:"second,omitempty"` //
	Updates int    `json:"updates,omitempty"`
	Skipped int    `json:"skipped,omitempty"`
	// graphs of the environments, as transitions without an edge
	Episodes []byte `json:"episodes,omitempty"`
	Replay   []byte `json:"replay,omitempty"`
	Next     int    `json:"next,omitempty"` // where the next transition goes

	Trace   []float64 `json:"trace,omitempty"`
	Sum     float64   `json:"sum,omitempty"` // of the losses since the last number of the trace
	Counted int       `json:"counted,omitempty"`
}

// State copies the state of the training.
func (m *Model) State() *State {
	s := &State{Iteration: m.iteration, Finished: m.finished}
	l := m.learner
	if l == nil {
		return s
	}
	s.Weights, s.Target = pack(l.all), pack(l.allTarget)
	if l.optimiser.Count > 0 {
		s.First, s.Second = pack(l.optimiser.First[0]), pack(l.optimiser.Second[0])
	}
	s.Updates, s.Skipped = l.updates, l.skipped
	episodes := newRing(m.Vars(), len(l.environments))
	for k := range l.environments {
		episodes.put(&l.environments[k], 0)
	}
	s.Episodes, s.Replay, s.Next = episodes.bytes, slices.Clone(l.replay.bytes), l.replay.next
	s.Trace, s.Sum, s.Counted = slices.Clone(l.trace), l.sum, l.counted
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
	weights, err1 := unpack("weights", s.Weights, len(l.all))
	target, err2 := unpack("target", s.Target, len(l.all))
	first, second := [][]float64(nil), [][]float64(nil)
	var err3, err4 error
	if s.Updates > 0 {
		var a, b []float64
		a, err3 = unpack("first moments", s.First, len(l.all))
		b, err4 = unpack("second moments", s.Second, len(l.all))
		first, second = [][]float64{a}, [][]float64{b}
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
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
	copy(l.all, weights)
	copy(l.allTarget, target)
	l.optimiser.First, l.optimiser.Second, l.optimiser.Count = first, second, s.Updates
	l.updates, l.skipped = s.Updates, s.Skipped
	for k := range l.environments {
		environments.get(&l.environments[k], k)
	}
	l.replay = replay
	l.trace, l.sum, l.counted = slices.Clone(s.Trace), s.Sum, s.Counted
	m.iteration, m.finished = s.Iteration, s.Finished
	return nil
}

// fits finds numbers of a state that cannot be.
func (m *Model) fits(s *State) error {
	if s.Iteration < 0 || s.Iteration > m.Steps() {
		return fmt.Errorf("gflownet: damaged state: iteration %d, want 0 to %d", s.Iteration,
			m.Steps())
	}
	if s.Updates < 0 || s.Skipped < 0 || s.Updates+s.Skipped > s.Iteration || s.Counted < 0 ||
		s.Counted >= TraceEvery || len(s.Trace) != s.Updates/TraceEvery ||
		s.Counted != s.Updates%TraceEvery {
		return fmt.Errorf("gflownet: damaged state: %d updates, %d skipped, %d numbers of the "+
			"trace at iteration %d", s.Updates, s.Skipped, len(s.Trace), s.Iteration)
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

func pack(v []float64) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic("gflownet: " + err.Error()) // numbers have bytes
	}
	return b
}

func unpack(name string, b []byte, count int) ([]float64, error) {
	v := make([]float64, count)
	if n, err := binary.Decode(b, binary.LittleEndian, v); err != nil || n != len(b) {
		return nil, fmt.Errorf("gflownet: damaged state: %s have %d bytes, want %d", name, len(b),
			8*count)
	}
	if slices.ContainsFunc(v, func(x float64) bool { return x-x != 0 }) {
		return nil, fmt.Errorf("gflownet: damaged state: %s hold NaN or an infinity", name)
	}
	return v, nil
}
