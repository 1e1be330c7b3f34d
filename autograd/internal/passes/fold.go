package passes

import (
	"fmt"

	"tobac/autograd/internal/ir"
)

// Fold evaluates what depends on constants only. A view of a constant stays one,
// and shares its storage.
var Fold = Pass{Name: "constant-folding", Gives: Folded, Run: func(f *ir.Func) error {
	for _, v := range f.Values {
		if v.Op == nil || v.Op.Over != ir.Within || v.Op.Eval == nil || len(v.Args) == 0 || v.Attr.Any != nil {
			continue
		}
		in := make([][]float64, len(v.Args))
		constant := true
		for i, a := range v.Args {
			in[i] = a.Const
			constant = constant && a.Const != nil
		}
		if !constant {
			continue
		}
		known := make([]float64, v.Len())
		if err := v.Op.Eval(v.Attr, known, v.Shape, in, v.ArgShapes()); err != nil {
			return fmt.Errorf("%s of constants: %w", f.Describe(v), err)
		}
		v.Const = known
	}
	return nil
}}
