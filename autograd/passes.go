package autograd

import "strings"

// A Pass is a step of the compiler that can be left out. What remains computes
// the same up to rounding. Passes are joined by |.
type Pass uint

const (
	// ConstantFolding evaluates what depends on constants only.
	ConstantFolding Pass = 1 << iota
	// AlgebraicSimplification leaves out operations with zeros and ones, joins
	// constant factors, and multiplies uniform factors with each other rather than
	// with lanes.
	AlgebraicSimplification
	// StructuralZeros infers which elements are zero whatever the inputs, from
	// constants and layouts, and neither stores nor computes them. A product
	// with such a zero is zero, also if the other factor is infinite.
	StructuralZeros
	// ElementLiveness computes only the elements that some output reads.
	ElementLiveness
	// ElementSchedule turns the part of the graph that differs between lanes
	// into a list of operations on single elements, depth first, so that values
	// are used while they are in the cache. Without it the graph is run value
	// by value, and the passes that follow do nothing, but for MemoryReuse.
	ElementSchedule
	// CommonSubexpressions computes equal operations on elements once. (Equal
	// nodes are one node from the start.)
	CommonSubexpressions
	// Fusion joins products, squares and scalings with the sums they go into.
	Fusion
	// SparseCotangents leaves out samples whose softmax weight is below 2⁻⁵³ of
	// the largest, where everything is proportional to the weight, and computes
	// forward values again for the remaining ones rather than keep all.
	SparseCotangents
	// MemoryReuse lets values share memory when their lives do not overlap.
	MemoryReuse
	// DrawInPlace draws uniform numbers where they are used, rather than all of
	// them before.
	DrawInPlace
)

var passNames = []string{
	"constant-folding", "algebraic-simplification", "structural-zeros", "element-liveness", "element-schedule",
	"common-subexpressions", "fusion", "sparse-cotangents", "memory-reuse",
	"draw-in-place",
}

// Passes lists every pass, in the order in which they run.
func Passes() []Pass {
	ps := make([]Pass, len(passNames))
	for i := range ps {
		ps[i] = 1 << i
	}
	return ps
}

// String is the name of the pass, or the names of several joined by |.
func (p Pass) String() string {
	var names []string
	for i, name := range passNames {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// runs reports whether the pass is not left out.
func (p *Program) runs(pass Pass) bool { return p.without&pass == 0 }
