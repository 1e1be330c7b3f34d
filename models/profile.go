package models

import (
	"fmt"

	"tobac/autograd"

	"gonum.org/v1/gonum/mat"
)

// Profile measures where the time of a score of particles x at a step goes, on one worker and with
// the compiled engine; see [autograd.Program.Profile]. An acyclicity penalty is a second program,
// whose profile comes second.
func (t *TOBAC) Profile(x []*mat.Dense, step, rounds int) ([]*autograd.Profile, error) {
	if len(x) != t.blocks() {
		return nil, fmt.Errorf("models: TOBAC: got %d blocks, want %d", len(x), t.blocks())
	}
	t.at(step)
	own := x
	if t.flips != nil { // the flips are not part of the program
		own = x[:1]
	}
	p, err := t.scorer.profile(own, rounds)
	if err != nil {
		return nil, err
	}
	if t.penalty == nil {
		return []*autograd.Profile{p}, nil
	}
	t.penalty.at(step)
	q, err := t.penalty.scorer.profile(x[:1], rounds)
	if err != nil {
		return nil, err
	}
	return []*autograd.Profile{p, q}, nil
}

// Profile measures where the time of a score of particles x goes, on one worker and
// with the compiled engine; see [autograd.Program.Profile].
func (t *Target) Profile(x []*mat.Dense, rounds int) (*autograd.Profile, error) {
	if len(x) != len(t.inputs) {
		return nil, fmt.Errorf("models: target: got %d blocks, want %d", len(x), len(t.inputs))
	}
	return t.score.profile(x, rounds)
}

// profile compiles the expression again, for whatever engine it has.
func (s *scorer) profile(x []*mat.Dense, rounds int) (*autograd.Profile, error) {
	for i, m := range x {
		if err := s.bind(i, m); err != nil {
			return nil, err
		}
	}
	p, err := autograd.Compile(s.inputs, s.outputs)
	if err != nil {
		return nil, err
	}
	dst := make([][]float64, len(s.outputs))
	for i, n := range s.outputs {
		dst[i] = make([]float64, s.particles*n.Shape().Len())
	}
	return p.Profile(dst, s.src, rounds)
}
