package dense

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// MostCoded is the number of elements of an array that becomes machine code.
const MostCoded = mostCoded

// CountRuns counts the runs of an element-wise operation, and their elements.
func CountRuns(p *Plan, v *ir.Value) (runs, elements int) {
	all := slices.Collect(p.runs(v))
	return len(all), runElements(all)
}

// IsWholeProduct reports whether an instruction multiplies whole matrices.
func IsWholeProduct(in Instruction) bool {
	_, whole := in.(*wholeProduct)
	return whole
}
