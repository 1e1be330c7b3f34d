package lane

import (
	"fmt"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
)

// Verify reports the first operation of the program that does not keep to the registers,
// numbers and operands that there are, as [vm.Group.Verify] does: group by group, in the
// order in which they run. Inputs, and what steps compute, are written before.
func (p *Program) Verify() error {
	defined := make([]bool, p.size().Full)
	for _, in := range p.Inputs {
		for e := range in.V.Len() {
			if err := p.define(defined, int32(in.First+e)); err != nil {
				return fmt.Errorf("lane: input %s: %w", p.Plan.F.Describe(in.V), err)
			}
		}
	}
	bounds := vm.Bounds{Set: p.Set, Size: p.size(), Arena: p.Length, Defined: defined}
	for i := range p.Stages {
		st := &p.Stages[i]
		for _, step := range st.Steps {
			if err := p.verifyStep(defined, step.V); err != nil {
				return fmt.Errorf("lane: stage %d, step %s: %w", i, p.Plan.F.Describe(step.V), err)
			}
		}
		for j := range st.Groups {
			g := &st.Groups[j]
			if err := g.verifyWeight(defined, len(st.bounds)); err != nil {
				return fmt.Errorf("lane: stage %d, group %d: %w", i, j, err)
			}
			if len(g.Of) != len(g.Code) {
				return fmt.Errorf("lane: stage %d, group %d: got elements of %d operations, want %d", i, j, len(g.Of), len(g.Code))
			}
			if err := g.Verify(bounds, g.Weight != nil); err != nil {
				return fmt.Errorf("lane: stage %d, group %d: %w", i, j, err)
			}
		}
	}
	return p.verifyOutputs(defined)
}

// verifyStep checks that the registers that a step reads have been written, and marks
// those of its result.
func (p *Program) verifyStep(defined []bool, v *ir.Value) error {
	for i, a := range v.Args {
		for e, live := range a.Live {
			if r, ok := p.stacked(a, e); ok && live && (int(r) >= len(defined) || !defined[r]) {
				return fmt.Errorf("element %d of operand %d is in register %d, which nothing has written", e, i, r)
			}
		}
	}
	for e := range v.Live {
		if r, ok := p.stacked(v, e); ok {
			if err := p.define(defined, r); err != nil {
				return fmt.Errorf("element %d: %w", e, err)
			}
		}
	}
	return nil
}

// stacked is the register that element e of a value lies in as steps see it.
func (p *Program) stacked(v *ir.Value, e int) (r int32, ok bool) {
	if !p.Plan.Varies(v) || !p.Plan.Stored(v) || p.Plan.Offset(v, e) == dense.ZeroOffset {
		return none, false
	}
	return int32((p.Plan.Offset(v, e) - p.RegistersAt) / p.Width), true
}

// verifyWeight checks what the lanes of a group are selected by.
func (g *Group) verifyWeight(defined []bool, bounds int) error {
	w := g.Weight
	switch {
	case w == nil:
		return nil
	case w.X < 0 || int(w.X) >= len(defined) || !defined[w.X]:
		return fmt.Errorf("its weights are in register %d, which nothing has written", w.X)
	case w.bound < 0 || int(w.bound) >= bounds:
		return fmt.Errorf("bound %d, of which there are %d", w.bound, bounds)
	}
	return nil
}

// define marks a register that is kept.
func (p *Program) define(defined []bool, r int32) error {
	if r < 0 || int(r) >= p.Kept {
		return fmt.Errorf("register %d, want one of the %d that keep values", r, p.Kept)
	}
	defined[r] = true
	return nil
}

// verifyOutputs checks that what is read after the last group has been written.
func (p *Program) verifyOutputs(defined []bool) error {
	for _, v := range p.Plan.F.Outputs {
		if !p.Plan.Varies(v) {
			continue
		}
		for e := range v.Len() {
			if r := p.Register(v, e); r >= 0 && (int(r) >= p.Kept || !defined[r]) {
				return fmt.Errorf("lane: element %d of output %s is in register %d, which nothing has written", e, p.Plan.F.Describe(v), r)
			}
		}
	}
	return nil
}
