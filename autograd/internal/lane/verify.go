package lane

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
)

// Verify reports the first operation of the program that does not keep to the registers,
// numbers and operands that there are, as [vm.Group.Verify] does, or that reads a register or
// a number which nothing has written: stage by stage, in the order in which they run.
func (p *Program) Verify() error {
	v := verifier{p, make([]bool, p.size().Full), make([]bool, p.RegistersAt)}
	v.write(0, len(p.Plan.Constant))
	v.write(p.panelsAt, len(p.panels))
	for _, in := range p.Inputs {
		for e := range in.V.Len() {
			if err := v.define(int32(in.First + e)); err != nil {
				return fmt.Errorf("lane: input %s: %w", p.Plan.F.Describe(in.V), err)
			}
		}
	}
	for _, in := range p.Plan.F.Inputs {
		if in == nil || p.Plan.Varies(in) {
			continue
		}
		for e := range in.Live {
			if off := p.Plan.Offset(in, e); off != dense.ZeroOffset {
				v.write(off, 1)
			}
		}
	}
	for i := range p.Stages {
		st := &p.Stages[i]
		for _, step := range st.Steps {
			if err := v.step(step.V); err != nil {
				return fmt.Errorf("lane: stage %d, step %s: %w", i, p.Plan.F.Describe(step.V), err)
			}
		}
		if err := v.prepare(st); err != nil {
			return fmt.Errorf("lane: stage %d, factors: %w", i, err)
		}
		for j := range st.Groups {
			if err := v.group(&st.Groups[j], len(st.bounds)); err != nil {
				return fmt.Errorf("lane: stage %d, group %d: %w", i, j, err)
			}
		}
	}
	return v.outputs()
}

// A verifier knows what has been written: registers of all lanes, and numbers of the arena.
type verifier struct {
	p                  *Program
	registers, numbers []bool
}

func (v *verifier) write(at, n int) {
	for i := range n {
		v.numbers[at+i] = true
	}
}

// read checks that n numbers from an offset on have been written, which may be registers.
func (v *verifier) read(at, n int) error {
	if p := v.p; at >= p.RegistersAt {
		for r := (at - p.RegistersAt) / p.Width; r*p.Width < at-p.RegistersAt+n; r++ {
			if r >= len(v.registers) || !v.registers[r] {
				return fmt.Errorf("register %d is read, which nothing has written", r)
			}
		}
		return nil
	}
	if i := slices.Index(v.numbers[at:][:n], false); i >= 0 {
		return fmt.Errorf("number %d is read, which nothing has written", at+i)
	}
	return nil
}

// step checks what an array is made of, and marks it.
func (v *verifier) step(value *ir.Value) error {
	plan := v.p.Plan
	for i, a := range value.Args {
		if !plan.Stored(a) {
			continue
		}
		for e, live := range a.Live {
			if !live {
				continue
			}
			if err := v.read(plan.Offset(a, e), 1); err != nil {
				return fmt.Errorf("element %d of operand %d: %w", e, i, err)
			}
		}
	}
	for e := range value.Live {
		off := plan.Offset(value, e)
		switch {
		case off == dense.ZeroOffset:
		case !plan.Varies(value):
			v.write(off, 1)
		default:
			if err := v.define(int32((off - v.p.RegistersAt) / v.p.Width)); err != nil {
				return fmt.Errorf("element %d: %w", e, err)
			}
		}
	}
	return nil
}

// prepare checks and marks what [Stage.Prepare] does.
func (v *verifier) prepare(st *Stage) error {
	var err error
	read := func(at, n int) {
		if err == nil {
			err = v.read(at, n)
		}
	}
	for i, x := range st.shifts {
		read(int(x), 1)
		v.write(int(st.shiftsAt)+2*i, 2)
	}
	for _, p := range st.products {
		read(int(p.a), 1)
		read(int(p.b), 1)
		v.write(int(p.at), 1)
	}
	rows := vm.RowsPerTile(v.p.Set)
	for i, s := range st.scales {
		read(int(s), 1)
		read(st.scaleFrom+i*rows, rows)
		v.write(st.scaleTo+i*rows, rows)
	}
	for _, p := range st.panels {
		for _, f := range p.factors {
			read(int(f), 1)
		}
		v.write(p.off, len(p.factors))
	}
	for _, b := range st.bounds {
		read(b.off, b.n)
	}
	return err
}

// group checks the operations, and what their lanes are selected by.
func (v *verifier) group(g *Group, bounds int) error {
	if len(g.Of) != len(g.Code) {
		return fmt.Errorf("got elements of %d operations, want %d", len(g.Of), len(g.Code))
	}
	if w := g.Weight; w != nil {
		switch {
		case w.X < 0 || int(w.X) >= len(v.registers) || !v.registers[w.X]:
			return fmt.Errorf("its weights are in register %d, which nothing has written", w.X)
		case w.bound < 0 || int(w.bound) >= bounds:
			return fmt.Errorf("bound %d, of which there are %d", w.bound, bounds)
		}
	}
	b := vm.Bounds{Set: v.p.Set, Size: v.p.size(), Defined: v.registers, Written: v.numbers}
	if err := g.Verify(b, g.Weight != nil); err != nil {
		return err
	}
	if g.Weight != nil {
		for _, at := range g.Weight.roots {
			if err := v.read(int(at), 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// define marks a register that is kept.
func (v *verifier) define(r int32) error {
	if r < 0 || int(r) >= v.p.Kept {
		return fmt.Errorf("register %d, want one of the %d that keep values", r, v.p.Kept)
	}
	v.registers[r] = true
	return nil
}

// outputs checks that what is read after the last group has been written.
func (v *verifier) outputs() error {
	p := v.p
	for _, out := range p.Plan.F.Outputs {
		for e := range out.Len() {
			at := p.Plan.Offset(out, e)
			if p.Plan.Varies(out) {
				r := p.Register(out, e)
				if r < 0 {
					continue
				}
				at = p.RegistersAt + int(r)*p.Width
			}
			if err := v.read(at, 1); err != nil {
				return fmt.Errorf("lane: element %d of output %s: %w", e, p.Plan.F.Describe(out),
					err)
			}
		}
	}
	return nil
}
