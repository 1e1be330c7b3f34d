package passes

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/ir"
)

// Fold evaluates what depends on constants only. A view of a constant stays one,
// and shares its storage.
var Fold = Pass{Name: "constant-folding", Gives: Folded, Run: func(f *ir.Func) error {
	for _, v := range f.Values {
		if !foldable(v) {
			continue
		}
		if slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !isKnown(a) }) {
			continue
		}
		if v.IsView() && v.Len() > mostCopied {
			continue
		}
		in := make([][]float64, len(v.Args))
		for i, a := range v.Args {
			in[i] = known(a)
		}
		result := make([]float64, v.Len())
		if err := v.Op.Eval(v.Attr, result, v.Shape, in, v.ArgShapes()); err != nil {
			return fmt.Errorf("%s of constants: %w", f.Describe(v), err)
		}
		v.Const = result
	}
	return nil
}}

// foldable reports whether the operation of v is evaluated when its operands are known.
func foldable(v *ir.Value) bool {
	return v.Op != nil && v.Op.Over == ir.Within && v.Op.Eval != nil && len(v.Args) > 0 &&
		(v.Attr.More == nil || v.Attr.More.Any == nil)
}

// mostCopied is the number of elements from which views of constants are not copied, but where
// an operation on constants reads them: the transpose of all data, for example.
const mostCopied = 1 << 14

// isKnown reports whether v is a constant, or shows elements of one.
func isKnown(v *ir.Value) bool {
	for v.Const == nil && v.IsView() {
		v = v.Args[0]
	}
	return v.Const != nil
}

// known are the elements of a value that is known.
func known(v *ir.Value) []float64 {
	if v.Const != nil {
		return v.Const
	}
	of := known(v.Args[0])
	elements := make([]float64, v.Len())
	for e, i := range v.Index {
		if i >= 0 {
			elements[e] = of[i]
		}
	}
	return elements
}
