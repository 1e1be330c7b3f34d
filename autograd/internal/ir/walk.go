package ir

import "slices"

// A Walk evaluates a function by definition: each operation on fresh numbers, once for every index
// of the mapped axes that its value carries. It knows the views and constants that passes make.
type Walk struct {
	F      *Func
	Values [][]float64 // by the number of the value; its mapped axes lead, outermost first
}

// NewWalk starts a walk from the numbers of the inputs.
func NewWalk(f *Func, in [][]float64) *Walk {
	w := &Walk{f, make([][]float64, len(f.Values))}
	for _, v := range f.Values {
		if v.IsInput() {
			w.Values[v.ID] = in[v.Input]
		}
	}
	return w
}

// Value computes a value from those before it. fail is called at every index at which an operation
// has no result, with the numbers that stand for it.
func (w *Walk) Value(v *Value, fail func(l int, y []float64, err error)) {
	lanes, size := v.Axes.Lanes(w.F.Axes), v.Len()
	out := make([]float64, lanes*size)
	w.Values[v.ID] = out
	if v.Class() == Crossing && v.Const == nil {
		w.cross(v, out)
		return
	}
	shapes, in := v.ArgShapes(), make([][]float64, len(v.Args))
	project := make([]func(int) int, len(v.Args))
	for i, a := range v.Args {
		project[i] = Projector(w.F.Axes, v.Axes, v.Axes&a.Axes)
	}
	for l := range lanes {
		for i, a := range v.Args {
			in[i] = w.Values[a.ID][project[i](l)*a.Len():][:a.Len()]
		}
		y := out[l*size:][:size]
		switch {
		case v.IsView():
			for e, k := range v.Index {
				if k >= 0 {
					y[e] = in[0][k]
				}
			}
		case v.Const != nil:
			copy(y, v.Const)
		default:
			if err := v.Op.Eval(v.Attr, y, v.Shape, in, shapes); err != nil {
				fail(l, y, err)
			}
		}
	}
}

// cross evaluates an operation that crosses a mapped axis.
func (w *Walk) cross(v *Value, out []float64) {
	x, all, axis := v.Args[0], w.F.Axes, AxisSet(0).With(v.Attr.Axis)
	in, size, from := w.Values[x.ID], v.Len(), x.Len()
	// members lists, for every index without the axis, the operand's that fall on it.
	rest := x.Axes.Minus(axis)
	members := make([][]int, rest.Lanes(all))
	fold := Projector(all, x.Axes, rest)
	for k := range x.Axes.Lanes(all) {
		members[fold(k)] = append(members[fold(k)], k)
	}
	own, along := Projector(all, v.Axes, rest), Projector(all, v.Axes, v.Axes&axis)
	var column []float64
	for k := range out {
		l, e := k/size, k%size
		m, index := members[own(l)], along(l)
		switch v.Op.Over {
		case OverExpand:
			out[k] = in[m[0]*from+min(e, from-1)]
			continue
		case OverStack:
			first, _, _ := v.Crossed(e)
			out[k] = in[m[v.StackIndex(e)]*from+first]
			continue
		case OverUnstack:
			first, step, _ := v.Crossed(e)
			out[k] = in[m[0]*from+first+index*step]
			continue
		}
		if index > 0 {
			continue // a softmax, of all indices at once
		}
		column = column[:0]
		for _, i := range m {
			column = append(column, in[i*from+e])
		}
		switch v.Op.Over {
		case OverSum:
			for _, y := range column {
				out[k] += y
			}
		case OverMax:
			out[k] = slices.Max(column)
		case OverLogSumExp:
			out[k] = LogSumExpOf(column)
		case OverSoftmax:
			SoftmaxOf(column)
			for i, n := range m {
				out[n*size+e] = column[i]
			}
		}
	}
}
