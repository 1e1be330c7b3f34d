package autograd

import (
	"math"

	"tobac/autograd/internal/ir"
)

// Comparisons are 1 or 0, or NaN if an operand is NaN, and have no derivative.
func init() {
	register(
		elementwise2("equal", ir.Binary{Form: ir.Equal, VV: kernels.Equal}, nil),
		elementwise2("at_least", ir.Binary{Form: ir.AtLeast, VV: kernels.AtLeast}, nil),
		elementwise2("and", ir.Binary{F: compared(func(a, b float64) bool {
			return a != 0 && b != 0
		}), Zero: ir.ZeroEither}, nil),
		elementwise2("or", ir.Binary{F: compared(func(a, b float64) bool {
			return a != 0 || b != 0
		}), Zero: ir.ZeroBoth}, nil),
	)
}

func compared(holds func(a, b float64) bool) func(a, b float64) float64 {
	return func(a, b float64) float64 {
		switch {
		case math.IsNaN(a) || math.IsNaN(b):
			return math.NaN()
		case holds(a, b):
			return 1
		}
		return 0
	}
}
