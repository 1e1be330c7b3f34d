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
		elementwise2("and", ir.Binary{F: compared(func(a, b float64) bool { return a != 0 && b != 0 }), Zero: ir.ZeroEither}, nil),
		elementwise2("or", ir.Binary{F: compared(func(a, b float64) bool { return a != 0 || b != 0 }), Zero: ir.ZeroBoth}, nil),
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

// Equal is 1 where n = m, else 0; NaN where one of them is. It has no derivative.
func (n *Node) Equal(m *Node) *Node { return n.elementwise("equal", m) }

// AtLeast is 1 where n ≥ m, else 0; NaN where one of them is. It has no derivative.
func (n *Node) AtLeast(m *Node) *Node { return n.elementwise("at_least", m) }

// And is 1 where neither n nor m is 0, else 0; NaN where one of them is. It has no
// derivative.
func (n *Node) And(m *Node) *Node { return n.elementwise("and", m) }

// Or is 1 where n or m is not 0, else 0; NaN where one of them is. It has no
// derivative.
func (n *Node) Or(m *Node) *Node { return n.elementwise("or", m) }
