package autograd

import (
	"fmt"
	"io"
	"strings"

	"tobac/autograd/internal/lane/vm"
)

// cost is the work of some operations: floating-point operations, a division or
// an elementary function counted as one, and bytes read and written.
type cost struct{ ops, flops, bytes int }

func (c *cost) add(flops, bytes int) {
	c.ops++
	c.flops += flops
	c.bytes += bytes
}

// String lists the program: its layout, then per level the values that are the
// same in all lanes, and the operations on lanes by kind, with the work of one
// outer index. Packed groups are counted at one vector of lanes, the least they
// can have.
func (p *Program) String() string {
	var s strings.Builder
	loop := "none"
	if p.loop != nil {
		loop = fmt.Sprintf("%s=%d", p.loop.name, p.loop.size)
	}
	fmt.Fprintf(&s, "program %q: %d nodes, loop %s, %d lanes, kernels %s\n", p.b.name, len(p.values), loop, p.lanes, Kernels())
	if p.without != 0 {
		fmt.Fprintf(&s, "without %v\n", p.without)
	}
	fmt.Fprintf(&s, "arena %d bytes, of which constants %d\n", 8*p.arena, 8*len(p.constant))
	if p.lane == nil {
		listSteps(&s, p.steps)
		return s.String()
	}
	lp := p.lane
	fmt.Fprintf(&s, "registers of %d lanes: %d of inputs and kept values, %d in all, %d packed\n", lp.width, lp.stored, max(lp.full, lp.stored), lp.packed)
	for i, lv := range lp.levels {
		fmt.Fprintf(&s, "level %d\n", i)
		listSteps(&s, lv.uniform)
		for _, g := range lv.groups {
			g.list(&s, lp.width)
		}
	}
	return s.String()
}

func listSteps(w io.Writer, steps []step) {
	for _, st := range steps {
		live := 0
		for _, l := range st.v.live {
			if l {
				live++
			}
		}
		fmt.Fprintf(w, "  %-32s %6d of %d elements\n", st.v.n, live, len(st.v.live))
	}
}

func (g *laneGroup) list(w io.Writer, width int) {
	title := "all lanes"
	if g.mask != nil {
		title, width = fmt.Sprintf("lanes of weight above 2^-53, register %d", g.mask.x), vm.VectorLen
	}
	var total cost
	kinds := map[vm.Code]*cost{}
	for i := range g.Code {
		op := &g.Code[i]
		if op.Code == vm.End {
			continue
		}
		if kinds[op.Code] == nil {
			kinds[op.Code] = &cost{}
		}
		flops, bytes := op.Cost(g.Args, width)
		kinds[op.Code].add(flops, bytes)
		total.add(flops, bytes)
	}
	fmt.Fprintf(w, "  group on %s: %d operations, %d flops, %d bytes\n", title, total.ops, total.flops, total.bytes)
	for code := vm.Copy; code < vm.Codes; code++ {
		if c := kinds[code]; c != nil {
			fmt.Fprintf(w, "    %-16s %6d operations %10d flops %10d bytes\n", code, c.ops, c.flops, c.bytes)
		}
	}
}
