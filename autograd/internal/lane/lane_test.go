package lane_test

import (
	"testing"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/lane"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
	_ "tobac/internal/unwritten"
)

// compile makes the element program of a function of one mapped axis.
func compile(t *testing.T, f *ir.Func, axis *ir.Axis, without passes.Set) *lane.Program {
	t.Helper()
	must.Do(t, passes.Run(f, passes.Standard(without), nil))
	p := must.Get(lane.Compile(f, lane.Axes{Lane: axis}, without))(t)
	must.Do(t, p.Verify())
	return p
}

// run evaluates a program, of whose inputs none is drawn.
func run(p *lane.Program, in [][]float64) (s *lane.State, out [][]float64) {
	s = p.NewState()
	f, count := p.Plan.F, p.Plan.Count
	for _, v := range f.Inputs {
		for k, x := range in[v.Input] {
			if e := k % v.Len(); !p.Plan.Varies(v) && p.Plan.Stored(v) &&
				p.Plan.Place(v).Slot[e] >= 0 {
				s.M[p.Plan.Offset(v, e)] = x
			}
		}
	}
	for _, input := range p.Inputs {
		v := input.V
		for e := range v.Len() {
			for l := range p.Width {
				from := l
				if l >= count { // lanes that round up to whole vectors
					from = 0
				}
				s.Machine.Full[(input.First+e)*p.Width+l] = in[v.Input][from*v.Len()+e]
			}
		}
	}
	p.Run(s)
	for _, v := range f.Outputs {
		y := make([]float64, irtest.Size(f, v))
		for k := range y {
			e, l := k%v.Len(), k/v.Len()
			if !p.Plan.Varies(v) {
				y[k] = s.M[p.Plan.Offset(v, e)]
			} else if r := p.Register(v, e); r >= 0 {
				y[k] = s.Machine.Full[int(r)*p.Width+l]
			}
		}
		out = append(out, y)
	}
	return s, out
}

// Faults of a program are found.
func TestVerifyFindsFaults(t *testing.T) {
	fresh := func() *lane.Program {
		b := irtest.New(16)
		x := b.Input(ir.Shape{4}, 0)
		w := b.Over(irtest.Crossing(ir.OverSoftmax, ir.Weight), 0,
			b.Reduce(irtest.Sum, b.Map(irtest.Square, x)))
		y := b.Over(irtest.Crossing(ir.OverSum, ir.Other), 0,
			b.Map(irtest.Mul, w, b.Map(irtest.Tanh, x)))
		return compile(t, b.Return(y), b.Axis(0), 0)
	}
	for _, tt := range []struct {
		name  string
		spoil func(p *lane.Program)
	}{
		{"a group does not end", func(p *lane.Program) {
			g := &p.Stages[0].Groups[0]
			g.Code = g.Code[:len(g.Code)-1]
		}},
		{"a register is beyond all", func(p *lane.Program) {
			p.Stages[0].Groups[0].Code[0].Dst = int32(p.Full + p.Kept)
		}},
		{"an element is missing", func(p *lane.Program) {
			g := &p.Stages[0].Groups[0]
			g.Of = g.Of[1:]
		}},
		{"weights are in no register", func(p *lane.Program) {
			for i := range p.Stages {
				for j := range p.Stages[i].Groups {
					if w := p.Stages[i].Groups[j].Weight; w != nil {
						w.X = -1
					}
				}
			}
		}},
	} {
		p := fresh()
		tt.spoil(p)
		if err := p.Verify(); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
}
