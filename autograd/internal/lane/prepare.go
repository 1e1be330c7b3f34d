package lane

import (
	"math"

	"tobac/autograd/internal/ir"
)

// A bound is log₂ of an upper bound of the magnitude of the elements of a value in
// any lane, computed in every run from those of other values and from what is stored.
type bound struct {
	kind boundKind
	a, b int32     // numbers of other bounds
	c    float64   // constant
	of   []int32   // numbers of other bounds
	v    *ir.Value // whose stored elements are measured
	off  int
	n    int
}

const (
	boundConstant boundKind = iota // c
	boundMeasured                  // the largest of n numbers from off on
	boundProduct                   // a + b + c: a product, summed over 2^c terms
	boundSum                       // max(a, b) + c
	boundExp                       // e^a
	boundWithin                    // c, if a and b say that all operands are finite
	boundLargest                   // the largest of others
)

// log2 evaluates a bound whose operands have been.
func (b *bound) log2(s *State) float64 {
	switch b.kind {
	case boundMeasured:
		return log2Max(s.M[b.off:][:b.n])
	case boundProduct:
		return s.bounds[b.a] + s.bounds[b.b] + b.c
	case boundSum:
		return max(s.bounds[b.a], s.bounds[b.b]) + b.c
	case boundLargest:
		largest := math.Inf(-1)
		for _, n := range b.of {
			largest = max(largest, s.bounds[n])
		}
		return largest
	case boundExp:
		return math.Exp2(min(s.bounds[b.a], 1023)) * math.Log2E
	case boundWithin:
		if max(s.bounds[b.a], s.bounds[b.b]) > 1024 {
			return math.Inf(1)
		}
	}
	return b.c
}

// log2Max is at least log₂ of the largest magnitude, by its exponent, and +∞ if that is
// infinite or a number is NaN.
func log2Max(x []float64) float64 {
	const magnitude = 1<<63 - 1
	var a, b uint64
	for len(x) >= 2 {
		a, b = max(a, math.Float64bits(x[0])&magnitude), max(b, math.Float64bits(x[1])&magnitude)
		x = x[2:]
	}
	if len(x) > 0 {
		a = max(a, math.Float64bits(x[0])&magnitude)
	}
	if e := int(max(a, b) >> 52); e < 2047 {
		return float64(e - 1022)
	}
	return math.Inf(1)
}

type boundKind uint8

// A uniformProduct is ±m[a]·m[b] of the uniform arena.
type uniformProduct struct {
	a, b int32
	neg  bool
}

// A storedProduct is one that is stored at an offset of the arena.
type storedProduct struct {
	uniformProduct
	at int32
}

// A panel is a list of factors that tiles read one after the other, those of all
// rows for a term beside each other. It is part of the arena: copied there once if
// all factors are constants. Else it is made in every run, as constants times one
// number for each term if it can be, as copies if not.
type panel struct {
	factors   []int32 // offsets of the numbers
	level     int     // of the groups that read it
	off       int     // in the arena
	constants []float64
	scales    []int32 // offsets of the numbers that constants are multiplied with; nil if none
}

// Prepare computes the numbers that operations of the stage take in another
// form: factors of sigmoid shifts, products, panels, and bounds.
func (st *Stage) Prepare(s *State) {
	if len(st.shifts) > 0 {
		s.Machine.ShiftFactors(st.shiftsAt, st.shifts)
	}
	for _, p := range st.products {
		x := s.M[p.a] * s.M[p.b]
		if p.neg {
			x = -x
		}
		s.M[p.at] = x
	}
	s.Machine.ScalePanels(st.scaleTo, st.scaleFrom, st.scales)
	for _, p := range st.panels {
		to := s.M[p.off:][:len(p.factors)]
		for i, f := range p.factors {
			to[i] = s.M[f]
		}
	}
	for i := range st.bounds {
		s.bounds[i] = st.bounds[i].log2(s)
	}
}

// Cost of what Prepare computes: three operations for the two factors of a
// sigmoid shift.
func (st *Stage) Cost(rows int) (flops, bytes int) {
	factors, measured := 0, 0
	for _, p := range st.panels {
		factors += len(p.factors)
	}
	for _, b := range st.bounds {
		measured += b.n
	}
	scaled := rows * len(st.scales)
	return 3*len(st.shifts) + len(st.products) + scaled + measured,
		24*(len(st.shifts)+len(st.products)+scaled) + 16*factors + 8*measured
}
