package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Optimizer turns an ascent direction into the increment of the particles.
type Optimizer interface {
	// Update overwrites delta, which holds φ (blocks M×p_b) on entry, with the
	// increment to be added to the particles, and advances the state s. t is the
	// number of the step. An error means that s does not fit delta or this
	// optimiser; delta and s are then undefined, and the [Sampler] restores s.
	Update(delta []*mat.Dense, s *State, t int) error
}

// State is what an optimiser remembers from step to step. The zero value is the
// state before the first step. It is plain data: JSON keeps every bit of it.
type State struct {
	// Count is the number of updates since the zero state.
	Count int `json:"count"`
	// First and Second hold running means of φ and φ², one slice for each block,
	// row-major, M·p_b numbers. Nil where the optimiser does not use them.
	First  [][]float64 `json:"first,omitempty"`
	Second [][]float64 `json:"second,omitempty"`
}

// Clone returns a copy that shares no memory with s.
func (s *State) Clone() State {
	var c State
	c.assign(s)
	return c
}

// assign makes s a deep copy of from, in the memory of s where it fits.
func (s *State) assign(from *State) {
	s.Count = from.Count
	s.First = assignMoment(s.First, from.First)
	s.Second = assignMoment(s.Second, from.Second)
}

func assignMoment(dst, src [][]float64) [][]float64 {
	if src == nil {
		return nil
	}
	if len(dst) != len(src) {
		dst = make([][]float64, len(src))
	}
	for b := range src {
		dst[b] = append(dst[b][:0], src[b]...)
	}
	return dst
}

// fitMoment returns moment m if it fits the blocks, and zeros if the state is
// new. count is the state's.
func fitMoment(m [][]float64, count int, blocks []*mat.Dense) ([][]float64, error) {
	if m == nil && count == 0 {
		m = make([][]float64, len(blocks))
		for b, d := range blocks {
			r, c := d.Dims()
			m[b] = make([]float64, r*c)
		}
		return m, nil
	}
	if m == nil {
		return nil, fmt.Errorf("%w: moment missing after %d updates by another optimizer", ErrState,
			count)
	}
	if len(m) != len(blocks) {
		return nil, fmt.Errorf("%w: moment of %d blocks, want %d", ErrState, len(m), len(blocks))
	}
	for b, d := range blocks {
		if r, c := d.Dims(); len(m[b]) != r*c {
			return nil, fmt.Errorf("%w: moment of block %d has %d entries, want %d×%d", ErrState, b,
				len(m[b]), r, c)
		}
	}
	return m, nil
}

// scale multiplies all blocks by f. Unlike [mat.Dense.Scale] in place, it does
// not allocate.
func scale(f float64, x []*mat.Dense) {
	for _, xb := range x {
		rows, _ := xb.Dims()
		for r := range rows {
			floats.Scale(f, xb.RawRowView(r))
		}
	}
}

// positive returns v, or the default where v is zero. It panics unless the
// result is positive.
func positive(name string, v, zero float64) float64 {
	if v == 0 {
		v = zero
	}
	if !(v > 0) {
		panic(fmt.Sprintf("svgd: %s %v is not positive", name, v))
	}
	return v
}

// fraction is positive with the further condition v < 1.
func fraction(name string, v, zero float64) float64 {
	if v = positive(name, v, zero); v >= 1 {
		panic(fmt.Sprintf("svgd: %s %v is not below 1", name, v))
	}
	return v
}

// checkFinite returns a *NonFiniteError for the first non-finite moment, or nil.
// The shapes of x say which particle it belongs to.
func (s *State) checkFinite(x []*mat.Dense) error {
	for _, moment := range [...][][]float64{s.First, s.Second} {
		for b, m := range moment {
			if i := nonFinite(m); i >= 0 {
				_, cols := x[b].Dims()
				return &NonFiniteError{What: "optimizer state", Block: b, Particle: i / cols,
					Coordinate: i % cols, Value: m[i]}
			}
		}
	}
	return nil
}
