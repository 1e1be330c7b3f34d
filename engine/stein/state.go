package stein

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// A particleState is the state of SVGD.
type particleState struct {
	Step  int         `json:"step"`  // under the current order
	Order []int       `json:"order"` // column indices, sources first; empty with DiBS
	Z     [][]float64 `json:"z"`     // one row per particle
	// one row per particle; none for a model without parameters
	Theta     [][]float64 `json:"theta,omitempty"`
	Optimizer svgd.State  `json:"optimizer"`
	// Earlier are the finished orders of a run over several.
	Earlier []finishedOrder `json:"earlier,omitempty"`
}

// A finishedOrder holds the particles under an order that has taken all its steps.
type finishedOrder struct {
	Order []int       `json:"order"`
	Z     [][]float64 `json:"z"`
	Theta [][]float64 `json:"theta,omitempty"`
}

// snapshot copies the state of the sampling.
func (p *particles) snapshot() *particleState {
	f := p.current()
	s := &particleState{Step: f.step, Order: slices.Clone(f.order.Order),
		Optimizer: f.svgd.State.Clone()}
	s.Z, s.Theta = f.rows()
	for _, e := range p.fits[:len(p.done)] {
		z, theta := e.rows()
		s.Earlier = append(s.Earlier,
			finishedOrder{Order: slices.Clone(e.order.Order), Z: z, Theta: theta})
	}
	return s
}

// rows copies the blocks of particles; theta is nil for a model without parameters.
func (f *particleFit) rows() (z, theta [][]float64) {
	z = rows(f.x[0])
	if len(f.x) == 2 {
		theta = rows(f.x[1])
	}
	return z, theta
}

func rows(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = slices.Clone(m.RawRowView(i))
	}
	return out
}

// restore continues from a state.
func (p *particles) restore(ctx context.Context, s *particleState) error {
	if err := p.check(s); err != nil {
		return err
	}
	for k, e := range s.Earlier {
		f := p.fits[k]
		if k > 0 {
			if err := p.begin(ctx); err != nil {
				return err
			}
		}
		f.set(e.Z, e.Theta)
		f.step = f.sampler.Steps
		post, err := f.posterior(ctx)
		if err != nil {
			return err
		}
		f.release()
		p.done = append(p.done, post)
	}
	if len(s.Earlier) > 0 {
		if err := p.begin(ctx); err != nil {
			return err
		}
	}
	f := p.current()
	f.set(s.Z, s.Theta)
	f.svgd.State = s.Optimizer.Clone()
	f.step = s.Step
	return nil
}

// set overwrites the particles.
func (f *particleFit) set(z, theta [][]float64) {
	for b, block := range [][][]float64{z, theta}[:len(f.x)] {
		for i, row := range block {
			f.x[b].SetRow(i, row)
		}
	}
}

// check finds what does not belong to these fits.
func (p *particles) check(s *particleState) error {
	if len(p.done) > 0 || p.current().step > 0 {
		return errors.New("a run that has begun cannot be restored; want a new one")
	}
	at, most := len(s.Earlier), p.fits[0].sampler.Steps
	if at >= len(p.fits) || s.Step < 0 || s.Step > most {
		return fmt.Errorf("snapshot at step %d under order %d, the run has %d orders of %d steps",
			s.Step, at+1, len(p.fits), most)
	}
	if s.Optimizer.Count != s.Step {
		return fmt.Errorf("snapshot at step %d, its optimiser has made %d", s.Step,
			s.Optimizer.Count)
	}
	for k, e := range s.Earlier {
		if err := p.checkBlocks(p.fits[k], e.Order, e.Z, e.Theta); err != nil {
			return err
		}
	}
	return p.checkBlocks(p.fits[at], s.Order, s.Z, s.Theta)
}

// checkBlocks finds an order other than the fit's, blocks of another size, and numbers that are not
// finite.
func (p *particles) checkBlocks(f *particleFit, order []int, z, theta [][]float64) error {
	if !slices.Equal(order, f.order.Order) {
		return fmt.Errorf("snapshot has the order %v, the run has %v", order, f.order.Order)
	}
	current := p.current().x // all orders have blocks of the same sizes
	if len(current) == 1 && len(theta) > 0 {
		return errors.New("snapshot has parameters, the run's model has none")
	}
	for b, block := range [][][]float64{z, theta}[:len(current)] {
		n, size := current[b].Dims()
		if len(block) != n {
			return fmt.Errorf("snapshot has %d particles, want %d", len(block), n)
		}
		for i, row := range block {
			if len(row) != size {
				return fmt.Errorf("snapshot block %d, particle %d has %d values, want %d", b+1, i+1,
					len(row), size)
			}
			for _, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("snapshot block %d, particle %d has the value %v, want "+
						"finite numbers", b+1, i+1, v)
				}
			}
		}
	}
	return nil
}
