package irtest

import "tobac/autograd/internal/ir"

// Eval computes the outputs of a function for the numbers of its inputs by definition,
// also after passes have made results views or constants. Of everything the mapped axes
// lead, outermost first.
func Eval(f *ir.Func, in [][]float64) (out [][]float64, err error) {
	w := ir.NewWalk(f, in)
	for _, v := range f.Values {
		if v.IsInput() {
			continue
		}
		if w.Value(v, func(_ int, _ []float64, cause error) { err = cause }); err != nil {
			return nil, err
		}
	}
	for _, v := range f.Outputs {
		out = append(out, w.Values[v.ID])
	}
	return out, nil
}
