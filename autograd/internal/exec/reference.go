package exec

import (
	"math"

	"tobac/autograd/internal/ir"
)

// reference walks a function by definition: each operation on fresh values, once for every
// index of the mapped axes that its value carries.
type reference struct {
	f     *ir.Func
	check bool
	loop  *ir.Axis // the outermost axis, if nothing crosses it: failures are its indices'
}

// NewReference prepares the walk.
func NewReference(f *ir.Func, checkFinite bool) Evaluator {
	r := &reference{f: f, check: checkFinite}
	var used ir.AxisSet
	for _, v := range f.Values {
		used |= v.Axes
	}
	if axes := used.Of(f.Axes); len(axes) > 0 && Separable(f, axes[0]) {
		r.loop = axes[0]
	}
	return r
}

// Separable reports whether nothing crosses an axis, other than by repeating a value along
// it, and every output carries it, so that its indices can be computed one after the other.
func Separable(f *ir.Func, a *ir.Axis) bool {
	for _, v := range f.Values {
		if v.Op != nil && v.Op.Over != ir.Within && v.Op.Over != ir.OverExpand && v.Attr.Axis == a {
			return false
		}
	}
	for _, v := range f.Outputs {
		if !v.Axes.Has(a) {
			return false
		}
	}
	return true
}

// Close does nothing.
func (r *reference) Close() {}

// Eval implements [Evaluator].
func (r *reference) Eval(dst [][]float64, src []Feed) error {
	if err := CheckCall(r.f, dst, src); err != nil {
		return err
	}
	w := walk{reference: r, failed: FailedError{Graph: r.f.Name}}
	if r.loop != nil {
		w.failed.Axis = r.loop.Name()
	}
	in := make([][]float64, len(src))
	for i, v := range r.f.Inputs {
		in[i] = Materialise(r.f, v, src[i], nil, nil)
	}
	w.Walk = ir.NewWalk(r.f, in)
	for _, v := range r.f.Values {
		if !v.IsInput() {
			w.Value(v, func(l int, y []float64, err error) {
				w.failed.add(w.index(v, l), causeOf(w.f, failureOf(v, err)))
				fillNaN(y)
			})
		}
		if r.check && v.Const == nil {
			w.checkFinite(v)
		}
	}
	for i, v := range r.f.Outputs {
		copy(dst[i], w.Values[v.ID])
	}
	if len(w.failed.Indices) == 0 {
		return nil
	}
	for i := range r.f.Outputs {
		for _, k := range w.failed.Indices {
			n := len(dst[i])
			if r.loop != nil {
				n /= r.loop.Size()
			}
			fillNaN(dst[i][k*n:][:n])
		}
	}
	return &w.failed
}

// A walk is one evaluation.
type walk struct {
	*reference
	*ir.Walk
	failed FailedError
}

// index of the loop that lane l of a value belongs to.
func (w *walk) index(v *ir.Value, l int) int {
	if w.loop == nil || !v.Axes.Has(w.loop) {
		return 0
	}
	return l / (v.Axes.Lanes(w.f.Axes) / w.loop.Size())
}

func (w *walk) checkFinite(v *ir.Value) {
	size := max(v.Len(), 1)
	for k, x := range w.Values[v.ID] {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			l := k / size
			index, lane := w.index(v, l), l
			if w.loop != nil && v.Axes.Has(w.loop) {
				lane = l % (v.Axes.Lanes(w.f.Axes) / w.loop.Size())
			}
			w.failed.add(index, &NonFiniteError{Op: w.f.Describe(v), Element: k % size,
				At: indexOf(w.f, v, w.loop, index, lane), Value: x})
		}
	}
}
