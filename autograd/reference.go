package autograd

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
)

// reference is the plain walk over the graph: each op's Do on fresh values,
// once for every index of the mapped axes that its node carries.
type reference struct {
	*spec
	opt  Options
	last map[*Node]int // position of the last node that reads it
}

func newReference(inputs, outputs []*Node, opt Options) (*reference, error) {
	s, err := newSpec(inputs, outputs)
	if err != nil {
		return nil, err
	}
	r := &reference{spec: s, opt: opt, last: map[*Node]int{}}
	for i, n := range s.nodes {
		for _, a := range n.args {
			r.last[a] = i
		}
	}
	for _, n := range s.outputs {
		r.last[n] = len(s.nodes)
	}
	return r, nil
}

// Close does nothing.
func (r *reference) Close() {}

// Eval implements [Evaluator].
func (r *reference) Eval(dst [][]float64, src []Feed) error {
	if err := r.checkCall(dst, src); err != nil {
		return err
	}
	data := make([][]float64, len(src))
	for i, f := range src {
		data[i] = r.materialise(r.inputs[i], f)
	}
	for outer := range r.loopSize() {
		if err := r.evalOuter(dst, data, outer); err != nil {
			return err
		}
	}
	return nil
}

// evalOuter evaluates one index of the loop axis.
func (r *reference) evalOuter(dst, data [][]float64, outer int) error {
	values := make(map[*Node][]G.Value, len(r.nodes))
	for i, n := range r.inputs {
		values[n] = r.inputValues(n, data[i], outer)
	}
	for at, n := range r.nodes {
		switch {
		case n.isInput():
		case n.isConstant():
			values[n] = []G.Value{newValue(n.shape, append([]float64{}, n.value...))}
		default:
			v, err := r.evalNode(n, values)
			if err != nil {
				return fmt.Errorf("autograd: graph %q: %v: %w", r.b.name, n, err)
			}
			values[n] = v
		}
		if r.opt.CheckFinite && !n.isConstant() { // a constant is as its author wants it
			if err := r.checkFinite(n, values[n], outer); err != nil {
				return err
			}
		}
		for _, a := range n.args {
			if r.last[a] == at {
				delete(values, a)
			}
		}
	}
	for i, n := range r.outputs {
		lanes := r.laneAxes(n).lanes(r.b)
		size := n.shape.Len()
		base := 0
		if r.loop != nil {
			base = outer * lanes * size
		}
		for l, v := range values[n] {
			d, err := valueData(v)
			if err != nil {
				return err
			}
			copy(dst[i][base+l*size:][:size], d)
		}
	}
	return nil
}

// inputValues cuts the values of one input at one index of the loop axis.
func (r *reference) inputValues(n *Node, data []float64, outer int) []G.Value {
	lanes, size := r.laneAxes(n).lanes(r.b), n.shape.Len()
	base := 0
	if r.loop != nil && n.axes.has(r.loop) {
		base = outer * lanes * size
	}
	out := make([]G.Value, lanes)
	for l := range out {
		out[l] = newValue(n.shape, append([]float64{}, data[base+l*size:][:size]...))
	}
	return out
}

func (r *reference) evalNode(n *Node, values map[*Node][]G.Value) ([]G.Value, error) {
	axes := r.laneAxes(n)
	out := make([]G.Value, axes.lanes(r.b))
	if n.op.over != within {
		return out, r.crossAxis(n, out, values[n.args[0]])
	}
	proj := make([]func(int) int, len(n.args))
	for i, a := range n.args {
		proj[i] = projector(r.b, axes, r.laneAxes(a))
	}
	operands := make([]G.Value, len(n.args))
	for l := range out {
		for i, a := range n.args {
			operands[i] = values[a][proj[i](l)]
		}
		v, err := n.g.Op().Do(operands...)
		if err != nil {
			return nil, err
		}
		out[l] = v
	}
	return out, nil
}

// crossAxis evaluates the rules that cross a mapped axis, by their definition.
func (r *reference) crossAxis(n *Node, out, in []G.Value) error {
	x := make([][]float64, len(in))
	for i, v := range in {
		d, err := valueData(v)
		if err != nil {
			return err
		}
		x[i] = d
	}
	y := make([][]float64, len(out))
	for l := range y {
		y[l] = make([]float64, n.shape.Len())
	}
	from, to := r.laneAxes(n.args[0]), r.laneAxes(n)
	// members lists, for every result, the operand's lanes that fall on it.
	members := make([][]int, len(out))
	fold := projector(r.b, from, to)
	for k := range in {
		members[fold(k)] = append(members[fold(k)], k)
	}
	switch n.op.over {
	case overSum:
		for l, m := range members {
			for e := range y[l] {
				for _, k := range m {
					y[l][e] += x[k][e]
				}
			}
		}
	case overLogSumExp:
		for l, m := range members {
			for e := range y[l] {
				top := math.Inf(-1)
				for _, k := range m {
					top = math.Max(top, x[k][e])
				}
				if math.IsInf(top, 0) || math.IsNaN(top) {
					y[l][e] = top
					continue
				}
				s := 0.0
				for _, k := range m {
					s += math.Exp(x[k][e] - top)
				}
				y[l][e] = top + math.Log(s)
			}
		}
	case overStack:
		index := projector(r.b, from, axisSet(0).with(n.attr.axis))
		for l, m := range members {
			for _, k := range m {
				copy(y[l][index(k)*len(x[k]):], x[k])
			}
		}
	case overExpand, overUnstack:
		back := projector(r.b, to, from)
		index := projector(r.b, to, axisSet(0).with(n.attr.axis))
		for l := range y {
			src := x[back(l)]
			if n.op.over == overUnstack {
				src = src[index(l)*len(y[l]):][:len(y[l])]
			}
			copy(y[l], src)
		}
	}
	for l := range out {
		out[l] = newValue(n.shape, y[l])
	}
	return nil
}

func (r *reference) checkFinite(n *Node, lanes []G.Value, outer int) error {
	for l, v := range lanes {
		d, err := valueData(v)
		if err != nil {
			return err
		}
		for e, x := range d {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return &NonFiniteError{Op: n.String(), Element: e, Lane: l, Outer: outer, Value: x}
			}
		}
	}
	return nil
}
