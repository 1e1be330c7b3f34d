package exec

import (
	"fmt"
	"io"
	"strings"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane"
	"tobac/autograd/internal/lane/vm"
	"tobac/internal/words"
)

// cost is the work of some operations: floating-point operations, a division or
// an elementary function counted as one, and bytes read and written.
type cost struct{ ops, flops, bytes int }

func (c *cost) add(flops, bytes int) {
	c.ops++
	c.flops += flops
	c.bytes += bytes
}

// String lists the program: its parts, then per stage the values that are computed as a
// whole, and the operations on lanes by kind, with the work of one outer index. Groups on
// selected lanes are counted at one vector of lanes, the least they can have.
func (p *Program) String() string {
	var s strings.Builder
	nodes := 0
	for _, q := range p.parts {
		nodes += len(q.f.Values)
	}
	fmt.Fprintf(&s, "program %q: %d values, %s, kernels %s\n", p.F.Name, nodes,
		words.Counted(len(p.parts), "part"), dense.Kernels)
	if p.Without != 0 {
		fmt.Fprintf(&s, "without %v\n", p.Without)
	}
	for i, q := range p.parts {
		q.list(&s, i)
	}
	return s.String()
}

// title says which indices a part goes through.
func (q *part) title() string {
	var loops []string
	for _, a := range q.layout.loops {
		loops = append(loops, fmt.Sprintf("%s=%d", a.Name(), a.Size()))
	}
	if len(loops) == 0 {
		loops = []string{"none"}
	}
	lanes := "no lanes"
	if q.layout.lane != nil {
		lanes = fmt.Sprintf("%d lanes of %s", q.plan.Count, q.layout.lane.Name())
	}
	return fmt.Sprintf("loop %s, %s", strings.Join(loops, " "), lanes)
}

func (q *part) list(s io.Writer, i int) {
	fmt.Fprintf(s, "part %d: %s\n", i, q.title())
	fmt.Fprintf(s, "arena %d bytes, of which constants %d\n", 8*q.plan.Arena,
		8*len(q.plan.Constant))
	if q.lane == nil {
		for _, run := range q.runs {
			if len(run.Steps) > 1 {
				fmt.Fprintf(s, "%s:\n", q.name(&run))
			}
			q.listSteps(s, run.Steps)
		}
		return
	}
	lp := q.lane
	fmt.Fprintf(s, "registers of %d lanes: %d of inputs and kept values, %d in all, %d packed\n",
		lp.Width, lp.Kept, max(lp.Full, lp.Kept), lp.Packed)
	for k, st := range lp.Stages {
		fmt.Fprintf(s, "stage %d\n", k)
		q.listSteps(s, st.Steps)
		for j := range st.Groups {
			listGroup(s, &st.Groups[j], lp.Width)
		}
	}
}

func (q *part) listSteps(w io.Writer, steps []dense.Step) {
	for _, st := range steps {
		live := 0
		for _, l := range st.V.Live {
			if l {
				live++
			}
		}
		fmt.Fprintf(w, "  %-32s %6d of %d elements\n", q.f.Describe(st.V), live, len(st.V.Live))
	}
}

// groupTitle says which lanes a group runs on.
func groupTitle(g *lane.Group) string {
	if g.Weight == nil {
		return "all lanes"
	}
	return fmt.Sprintf("lanes weighted by register %d", g.Weight.X)
}

func listGroup(w io.Writer, g *lane.Group, width int) {
	if g.Weight != nil {
		width = vm.VectorLen
	}
	var total cost
	kinds := make([]cost, vm.Codes)
	for i := range g.Code {
		if op := &g.Code[i]; op.Code != vm.End {
			flops, bytes := op.Cost(g.Args, width)
			kinds[op.Code].add(flops, bytes)
			total.add(flops, bytes)
		}
	}
	fmt.Fprintf(w, "  group on %s: %d operations, %d flops, %d bytes\n", groupTitle(g), total.ops,
		total.flops, total.bytes)
	for code, c := range kinds {
		if c.ops > 0 {
			fmt.Fprintf(w, "    %-16s %6d operations %10d flops %10d bytes\n", vm.Code(code), c.ops,
				c.flops, c.bytes)
		}
	}
}

// Explain says in words how each part is computed, why, and what would make it faster.
func (p *Program) Explain() string {
	var s strings.Builder
	fmt.Fprintf(&s, "program %q runs in %s, kernels %s\n", p.F.Name,
		words.Counted(len(p.parts), "part"), dense.Kernels)
	for i, q := range p.parts {
		q.explain(&s, i)
	}
	return s.String()
}

// coded says how many values are machine code.
func (q *part) coded() string {
	values, stretches := 0, 0
	for _, s := range q.runs {
		if s.Coded {
			values, stretches = values+len(s.Steps), stretches+1
		}
	}
	if stretches == 0 {
		return ""
	}
	return fmt.Sprintf(", of which %d as %s of machine code", values,
		words.Counted(stretches, "stretch"))
}

func (q *part) explain(s io.Writer, i int) {
	fmt.Fprintf(s, "part %d, %s:\n", i, q.title())
	if q.layout.why != "" {
		fmt.Fprintf(s, "  %s\n", q.layout.why)
	}
	steps, operations := q.steps, 0
	if q.lane != nil {
		for _, st := range q.lane.Stages {
			steps = append(steps, st.Steps...)
			for _, g := range st.Groups {
				operations += len(g.Code) - 1
			}
		}
		fmt.Fprintf(s, "  %s on registers, %s as whole arrays\n",
			words.Counted(operations, "operation"), words.Counted(len(steps), "value"))
	} else {
		fmt.Fprintf(s, "  %s as whole arrays%s\n", words.Counted(len(steps), "value"), q.coded())
	}
	opaque := map[string]int{}
	var names []string
	for _, st := range steps {
		if st.V.Class() == ir.Opaque && q.plan.Varies(st.V) {
			if opaque[st.V.Op.Name] == 0 {
				names = append(names, st.V.Op.Name)
			}
			opaque[st.V.Op.Name]++
		}
	}
	for _, name := range names {
		fmt.Fprintf(s, "  %q has no form for single elements: computed lane by lane between "+
			"element programs, %s\n", name, words.Counted(opaque[name], "time"))
	}
	if q.lane != nil && q.layout.strip == 0 && q.plan.Count%vm.VectorLen != 0 {
		fmt.Fprintf(s, "  %d lanes are rounded up to %d: a multiple of %d wastes none, and lets "+
			"uniform numbers be drawn where they are used\n", q.plan.Count, q.plan.Lanes,
			vm.VectorLen)
	}
	switch {
	case q.outer == 1:
		fmt.Fprint(s, "  one run: a single worker computes this part; independent evaluations "+
			"over a mapped axis would be shared out\n")
	case q.worth == 1:
		fmt.Fprintf(s, "  %d runs, too short to share out\n", q.outer)
	case q.worth < q.outer:
		fmt.Fprintf(s, "  %d runs are shared out among at most %d workers\n", q.outer, q.worth)
	default:
		fmt.Fprintf(s, "  %d runs are shared out among workers\n", q.outer)
	}
}
