package langevin

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Scorer has the gradient of a log density, or an estimate of it at a step, for blocks of
// particles; a density.Model is one.
type Scorer interface {
	Score(dst, x []*mat.Dense, step int) error
}

// Sampler has the settings of a run.
type Sampler struct {
	Target Scorer
	Seed   uint64
	// Step sizes are Scale·(Offset + t)^−Decay at step t. Scale has no default; Decay defaults to
	// 0.55, Offset to 1, and a negative Decay means none.
	Scale, Offset, Decay float64
	Precondition         bool // by the root of a running mean of squared gradients
}

// State is where the particles are: particles × coordinates, each a chain.
type State struct {
	Step    int // done
	X       *mat.Dense
	Squares *mat.Dense // running means of squared gradients, with Precondition
}

func (s Sampler) filled() (Sampler, error) {
	switch {
	case s.Target == nil:
		return s, errors.New("langevin: no target")
	case !(s.Scale > 0) || math.IsInf(s.Scale, 1):
		return s, fmt.Errorf(
			"langevin: scale %v of the step sizes, want a positive number",
			s.Scale,
		)
	case !(s.Offset >= 0):
		return s, fmt.Errorf("langevin: offset %v, want at least 0", s.Offset)
	case s.Decay > 1:
		return s, fmt.Errorf("langevin: decay %v, want at most 1", s.Decay)
	}
	if s.Offset == 0 {
		s.Offset = 1
	}
	switch {
	case s.Decay == 0:
		s.Decay = 0.55
	case s.Decay < 0:
		s.Decay = 0
	}
	return s, nil
}

// StepSize is ε at a step.
func (s Sampler) StepSize(step int) float64 {
	f, err := s.filled()
	if err != nil {
		return math.NaN()
	}
	return f.size(step)
}

// size is ε at a step, of settings that are filled.
func (s Sampler) size(step int) float64 {
	return s.Scale * math.Pow(s.Offset+float64(step), -s.Decay)
}

// Begin starts at the rows of x, which it copies.
func (s Sampler) Begin(x *mat.Dense) (*State, error) {
	if _, err := s.filled(); err != nil {
		return nil, err
	}
	r, c := x.Dims()
	return &State{X: mat.DenseCopyOf(x), Squares: mat.NewDense(r, c, nil)}, nil
}

// step is one step. On an error the state is as it was.
func (s Sampler) step(state *State) error {
	f, err := s.filled()
	if err != nil {
		return err
	}
	n, d := state.X.Dims()
	grad := mat.NewDense(n, d, nil)
	if err := s.Target.Score([]*mat.Dense{grad}, []*mat.Dense{state.X}, state.Step); err != nil {
		return fmt.Errorf("langevin: step %d: %w", state.Step, err)
	}
	size := f.size(state.Step)
	for k := range n {
		rng := stream.New(s.Seed, stream.Langevin, state.Step, k)
		x, squares := state.X.RawRowView(k), state.Squares.RawRowView(k)
		for i, g := range grad.RawRowView(k) {
			p := 1.0
			if s.Precondition {
				squares[i] += 0.01 * (g*g - squares[i])
				debiased := squares[i] / (1 - math.Pow(0.99, float64(state.Step+1)))
				p = 1 / (math.Sqrt(debiased) + 1e-5)
			}
			x[i] += size/2*p*g + math.Sqrt(size*p)*rng.NormFloat64()
		}
	}
	state.Step++
	return nil
}

// Advance steps until a number of steps is done. observe sees every state; nil means none. The
// context is checked between steps.
func (s Sampler) Advance(ctx context.Context, state *State, steps int, observe func(*State)) error {
	for state.Step < steps {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := s.step(state); err != nil {
			return err
		}
		if observe != nil {
			observe(state)
		}
	}
	return nil
}
