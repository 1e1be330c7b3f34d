package svgd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ErrNonFinite says that a NaN or an infinity appeared. The error that wraps it
// is a [NonFiniteError], which says where.
var ErrNonFinite = errors.New("non-finite value")

// ErrState says that an optimiser's state has other shapes than the particles,
// or was made by another kind of optimiser.
var ErrState = errors.New("optimizer state does not fit")

// StepError is what [Sampler.Run] and [Sampler.Step] return when they stop
// early. The particles and the optimiser's state are those before the step Step,
// so that Run(ctx, x, e.Step, to) takes the run up again.
type StepError struct {
	// Step is the first step that was not taken.
	Step int
	// Err is the reason: the context's error, the target's, [ErrState], or a
	// [NonFiniteError].
	Err error
}

// Error implements error.
func (e *StepError) Error() string { return fmt.Sprintf("svgd: step %d: %v", e.Step, e.Err) }

// Unwrap returns the reason.
func (e *StepError) Unwrap() error { return e.Err }

// NonFiniteError locates a NaN or an infinity. It wraps [ErrNonFinite].
type NonFiniteError struct {
	// What is the quantity: "particle" or "score" before the step, or what the
	// step would have made, "direction", "optimizer state" or "next particle".
	What string
	// Block, Particle and Coordinate say where it stands: x[Block][Particle, Coordinate].
	Block, Particle, Coordinate int
	// Value is the offending number.
	Value float64
}

// Error implements error.
func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("%v: %s is %v at block %d, particle %d, coordinate %d",
		ErrNonFinite, e.What, e.Value, e.Block, e.Particle, e.Coordinate)
}

// Unwrap returns [ErrNonFinite].
func (e *NonFiniteError) Unwrap() error { return ErrNonFinite }

// The quantities that must be finite, in the order in which errors are reported.
const (
	theParticle = iota
	theScore
	theDirection
	theFirst
	theSecond
	theNext
)

var quantities = [...]string{theParticle: "particle", theScore: "score", theDirection: "direction", theFirst: "optimizer state", theSecond: "optimizer state", theNext: "next particle"}

// A fault is the place of a non-finite number, or of none. Faults are ordered by
// quantity, block and particle.
type fault struct {
	found                                 bool
	quantity, block, particle, coordinate int
	value                                 float64
}

// check replaces f by the first non-finite number of a row, if there is one and it is
// before f.
func (f *fault) check(quantity, block, particle int, row []float64) {
	if kernels.Finite(row) {
		return
	}
	i := slices.IndexFunc(row, func(x float64) bool { return x-x != 0 })
	f.merge(fault{true, quantity, block, particle, i, row[i]})
}

// merge replaces f by g if that is before it.
func (f *fault) merge(g fault) {
	if g.found && (!f.found || cmp.Or(cmp.Compare(g.quantity, f.quantity), cmp.Compare(g.block, f.block), cmp.Compare(g.particle, f.particle)) < 0) {
		*f = g
	}
}

// err is the fault as a *NonFiniteError, or nil.
func (f *fault) err() error {
	if !f.found {
		return nil
	}
	return &NonFiniteError{What: quantities[f.quantity], Block: f.block, Particle: f.particle, Coordinate: f.coordinate, Value: f.value}
}
