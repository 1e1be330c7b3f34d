package exec

import (
	"math"
	"slices"

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
	w := walk{reference: r, values: make([][]float64, len(r.f.Values)),
		failed: FailedError{Graph: r.f.Name}}
	if r.loop != nil {
		w.failed.Axis = r.loop.Name()
	}
	for i, v := range r.f.Inputs {
		w.values[v.ID] = Materialise(r.f, v, src[i], nil, nil)
	}
	for _, v := range r.f.Values {
		switch {
		case v.Const != nil:
			w.values[v.ID] = v.Const
			continue
		case v.Op != nil && v.Op.Over != ir.Within:
			w.values[v.ID] = w.cross(v)
		case v.Op != nil:
			w.values[v.ID] = w.each(v)
		}
		if r.check {
			w.checkFinite(v)
		}
	}
	for i, v := range r.f.Outputs {
		copy(dst[i], w.values[v.ID])
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

// A walk holds the values of one evaluation, their mapped axes leading.
type walk struct {
	*reference
	values [][]float64
	failed FailedError
}

// index of the loop that lane l of a value belongs to.
func (w *walk) index(v *ir.Value, l int) int {
	if w.loop == nil || !v.Axes.Has(w.loop) {
		return 0
	}
	return l / (v.Axes.Lanes(w.f.Axes) / w.loop.Size())
}

// each evaluates an operation at every index.
func (w *walk) each(v *ir.Value) []float64 {
	lanes, size := v.Axes.Lanes(w.f.Axes), v.Len()
	out := make([]float64, lanes*size)
	shapes, in := v.ArgShapes(), make([][]float64, len(v.Args))
	project := make([]func(int) int, len(v.Args))
	for i, a := range v.Args {
		project[i] = ir.Projector(w.f.Axes, v.Axes, a.Axes)
	}
	for l := range lanes {
		for i, a := range v.Args {
			in[i] = w.values[a.ID][project[i](l)*a.Len():][:a.Len()]
		}
		y := out[l*size:][:size]
		if err := v.Op.Eval(v.Attr, y, v.Shape, in, shapes); err != nil {
			w.failed.add(w.index(v, l), causeOf(w.f, failureOf(v, err)))
			fillNaN(y)
		}
	}
	return out
}

// cross evaluates an operation that crosses a mapped axis, by its definition.
func (w *walk) cross(v *ir.Value) []float64 {
	x, axis := v.Args[0], v.Attr.Axis
	in, size, from := w.values[x.ID], v.Len(), x.Len()
	out := make([]float64, v.Axes.Lanes(w.f.Axes)*size)
	all, of := w.f.Axes, ir.AxisSet(0).With(axis)
	switch v.Op.Over {
	case ir.OverExpand, ir.OverUnstack:
		back, index := ir.Projector(all, v.Axes, x.Axes), ir.Projector(all, v.Axes, of)
		for l := range len(out) / max(size, 1) {
			src := in[back(l)*from:][:from]
			if v.Op.Over == ir.OverUnstack {
				src = src[index(l)*size:][:size]
			}
			copy(out[l*size:][:size], src)
		}
		return out
	}
	// members lists, for every index without the axis, the operand's that fall on it.
	rest := x.Axes.Without(axis)
	members := make([][]int, rest.Lanes(all))
	fold := ir.Projector(all, x.Axes, rest)
	for k := range x.Axes.Lanes(all) {
		members[fold(k)] = append(members[fold(k)], k)
	}
	column := make([]float64, axis.Size())
	for l, m := range members {
		for e := range from {
			for i, k := range m {
				column[i] = in[k*from+e]
			}
			switch v.Op.Over {
			case ir.OverSum:
				for _, y := range column {
					out[l*size+e] += y
				}
			case ir.OverMax:
				out[l*size+e] = slices.Max(column)
			case ir.OverLogSumExp:
				out[l*size+e] = ir.LogSumExpOf(column)
			case ir.OverSoftmax:
				ir.SoftmaxOf(column)
				for i, k := range m {
					out[k*from+e] = column[i]
				}
			case ir.OverStack:
				for i, y := range column {
					out[l*size+i*from+e] = y
				}
			}
		}
	}
	return out
}

func (w *walk) checkFinite(v *ir.Value) {
	size := max(v.Len(), 1)
	for k, x := range w.values[v.ID] {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			l := k / size
			index, lane := w.index(v, l), l
			if w.loop != nil && v.Axes.Has(w.loop) {
				lane = l % (v.Axes.Lanes(w.f.Axes) / w.loop.Size())
			}
			w.failed.add(index, &NonFiniteError{Op: w.f.Describe(v), Element: k % size, Lane: lane,
				Outer: index, Value: x})
		}
	}
}
