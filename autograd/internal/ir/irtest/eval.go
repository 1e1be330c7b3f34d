package irtest

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// Eval computes the outputs of a function for the numbers of its inputs by definition,
// also after passes have made results views or constants. Of everything the mapped axes
// lead, outermost first.
func Eval(f *ir.Func, in [][]float64) (out [][]float64, err error) {
	x := evaluation{f: f, values: make([][]float64, len(f.Values))}
	for _, v := range f.Values {
		if v.IsInput() {
			x.values[v.ID] = in[v.Input]
			continue
		}
		y := make([]float64, Size(f, v))
		if err := x.value(v, y); err != nil {
			return nil, err
		}
		x.values[v.ID] = y
	}
	for _, v := range f.Outputs {
		out = append(out, x.values[v.ID])
	}
	return out, nil
}

type evaluation struct {
	f      *ir.Func
	values [][]float64
}

// value writes v at every index of its mapped axes.
func (x *evaluation) value(v *ir.Value, y []float64) error {
	size := max(v.Len(), 1)
	for l := range len(y) / size {
		to := y[l*size:][:size]
		switch {
		case v.IsView():
			from := x.at(v, 0, l)
			for e, k := range v.Index {
				if k >= 0 {
					to[e] = from[k]
				}
			}
		case v.Const != nil:
			copy(to, v.Const)
		case v.Class() == ir.Crossing:
			x.cross(v, l, to)
		default:
			var in [][]float64
			for i := range v.Args {
				in = append(in, x.at(v, i, l))
			}
			if err := v.Op.Eval(v.Attr, to, v.Shape, in, v.ArgShapes()); err != nil {
				return err
			}
		}
	}
	return nil
}

// at is operand i of v where v is at lane l.
func (x *evaluation) at(v *ir.Value, i, l int) []float64 {
	a := v.Args[i]
	lane := ir.Projector(x.f.Axes, v.Axes, v.Axes&a.Axes)(l)
	return x.values[a.ID][lane*a.Len():][:a.Len()]
}

// along lists the operand of v at all indices of the axis that v crosses.
func (x *evaluation) along(v *ir.Value, l int) (all [][]float64, index int) {
	a, axis := v.Args[0], ir.AxisSet(0).With(v.Attr.Axis)
	rest := a.Axes.Minus(axis)
	own := ir.Projector(x.f.Axes, v.Axes, rest)(l)
	back := ir.Projector(x.f.Axes, a.Axes, rest)
	for k := range a.Axes.Lanes(x.f.Axes) {
		if back(k) == own {
			all = append(all, x.values[a.ID][k*a.Len():][:a.Len()])
		}
	}
	return all, ir.Projector(x.f.Axes, v.Axes, v.Axes&axis)(l)
}

// cross writes what crosses a mapped axis at lane l.
func (x *evaluation) cross(v *ir.Value, l int, to []float64) {
	all, index := x.along(v, l)
	for e := range to {
		var column []float64
		for _, a := range all {
			column = append(column, a[min(e, len(a)-1)])
		}
		switch v.Op.Over {
		case ir.OverSum:
			for _, c := range column {
				to[e] += c
			}
		case ir.OverLogSumExp:
			to[e] = ir.LogSumExpOf(column)
		case ir.OverMax:
			to[e] = slices.Max(column)
		case ir.OverSoftmax:
			ir.SoftmaxOf(column)
			to[e] = column[index]
		case ir.OverExpand:
			to[e] = column[0]
		case ir.OverStack:
			first, _, _ := v.Crossed(e)
			to[e] = all[v.StackIndex(e)][first]
		case ir.OverUnstack:
			first, step, _ := v.Crossed(e)
			to[e] = all[0][first+index*step]
		}
	}
}
