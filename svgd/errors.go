package svgd

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
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

// checkFinite returns a *NonFiniteError for the first non-finite entry, by
// block, particle and coordinate, or nil.
func checkFinite(what string, x []*mat.Dense) error {
	for b, xb := range x {
		rows, _ := xb.Dims()
		for r := range rows {
			if err := checkFiniteRow(what, b, r, xb.RawRowView(r)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFiniteRow is checkFinite for row r of block b.
func checkFiniteRow(what string, b, r int, row []float64) error {
	if i := nonFinite(row); i >= 0 {
		return &NonFiniteError{What: what, Block: b, Particle: r, Coordinate: i, Value: row[i]}
	}
	return nil
}

// nonFinite returns the index of the first NaN or infinity in v, or -1.
func nonFinite(v []float64) int {
	if kernels.Finite(v) {
		return -1
	}
	for i, f := range v {
		if f-f != 0 {
			return i
		}
	}
	return -1
}
