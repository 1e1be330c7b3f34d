package exec

import (
	"fmt"
	"math"
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
	"tobac/autograd/internal/passes"
)

const drawInPlace = passes.DrawInPlace

// causeOf is the error of a failed operation of a function.
func causeOf(f *ir.Func, x dense.Failure) error {
	if _, ok := x.Err.(*NonFiniteError); ok {
		return x.Err
	}
	return fmt.Errorf("%s: %w", f.Describe(x.V), x.Err)
}

func fillNaN(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}

// runChecked runs a part operation by operation and notes the first number that is not
// finite.
func (c *evaluator) runChecked(f *frame, q *part) {
	k := checker{q: q, f: f}
	for i := range q.inputs {
		if v := q.inputs[i].v; v != nil && q.inputs[i].draw < 0 {
			k.value(v)
		}
	}
	if q.lane == nil {
		for i := range q.steps {
			q.steps[i].Run(f.dense)
			k.value(q.steps[i].V)
		}
		return
	}
	for i := range q.lane.Stages {
		st := &q.lane.Stages[i]
		for j := range st.Steps {
			st.Steps[j].Run(f.dense)
			k.value(st.Steps[j].V)
		}
		st.Prepare(f.state)
		for j := range st.Groups {
			g := &st.Groups[j]
			count := q.plan.Count
			if g.Weight != nil {
				q.lane.RunGroup(f.state, g) // which chooses the lanes
				count = len(f.state.Lanes)
			}
			f.state.Machine.Each(&g.Group, g.Weight != nil, f.state.Lanes, count, func(op int) {
				k.operation(g.Of[op], &g.Group, op, g.Weight != nil, count)
			})
		}
	}
}

// A checker looks for the first number that is not finite at every index of the loop.
type checker struct {
	q     *part
	f     *frame
	found []int // indices at which one has been found
}

func (k *checker) report(v *ir.Value, e, l int, x float64) {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		return
	}
	index := k.q.index(k.f, l)
	if slices.Contains(k.found, index) {
		return
	}
	k.found = append(k.found, index)
	element, lane := k.q.locate(k.f, v, e, l)
	var first *ir.Axis
	if loops := k.q.layout.loops; len(loops) > 0 {
		first = loops[0]
	}
	err := &NonFiniteError{Op: k.q.f.Describe(v), Element: element,
		At: indexOf(k.q.f, v, first, index, lane), Value: x}
	k.f.dense.Failed = append(k.f.dense.Failed, dense.Failure{V: v, Lane: l, Err: err})
}

// locate is the element of a value as its users know it, and the flat index over its
// mapped axes within one index of the outermost loop.
func (q *part) locate(f *frame, v *ir.Value, e, l int) (element, lane int) {
	own := v.Len()
	if v.Flat != 0 {
		own /= v.Flat.Lanes(q.f.Axes)
	}
	element, copies := e%own, e/own
	axes := (v.Axes | v.Flat).Of(q.f.Axes)
	step := 1
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		k := 0
		switch loop := slices.Index(q.layout.loops, a); {
		case loop == 0:
			continue
		case loop > 0:
			k = f.at[loop]
		case v.Flat.Has(a):
			k = copies % a.Size()
			copies /= a.Size()
		case a == q.layout.lane:
			k = l
		}
		lane += k * step
		step *= a.Size()
	}
	return element, lane
}

// value checks what is stored of a value.
func (k *checker) value(v *ir.Value) {
	if v.Const != nil {
		return
	}
	plan := k.q.plan
	at := plan.Place(v)
	if at.Store == nil {
		return
	}
	_, count := k.q.lanes(k.f)
	for e, s := range at.Slot {
		if s < 0 {
			continue
		}
		off := plan.Offset(v, e)
		for l := range min(at.Store.Width, count) {
			k.report(v, e, l, k.f.dense.M[off+l])
		}
	}
}

// operation checks what an operation has written.
func (k *checker) operation(element int32, g *vm.Group, op int, packed bool, count int) {
	// with a number that has been looked at, or a constant
	if element < 0 || g.Code[op].Code == vm.Fill {
		return
	}
	v, e := k.q.lane.Element(element)
	_, lanes := k.q.lanes(k.f)
	k.f.state.Machine.Written(g, op, packed, func(x []float64, register bool) {
		for l, y := range x[:min(len(x), count)] {
			at := l
			if packed && register {
				at = int(k.f.state.Lanes[l])
			}
			if at < lanes || !register {
				k.report(v, e, at, y)
			}
		}
	})
}

func failureOf(v *ir.Value, err error) dense.Failure { return dense.Failure{V: v, Err: err} }
