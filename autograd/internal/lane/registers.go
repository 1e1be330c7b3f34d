package lane

import "tobac/autograd/internal/passes"

// assign replaces virtual registers by physical ones, reusing a register after
// its last use, the most recently freed first. It returns their number.
func (em *emitter) assign(g *Group) int {
	count := int32(em.c.prog.Kept)
	if em.weight != none {
		count = 0
	}
	last := make([]int32, em.next)
	for i := range g.Code {
		g.Code[i].Registers(g.Args, func(r *int32) {
			if *r < keptBase {
				last[*r] = int32(i)
			}
		})
	}
	phys := make([]int32, em.next)
	for i := range phys {
		phys[i] = none
	}
	reuse := em.c.plan.Has(passes.MemoryReuse)
	var free, freed []int32
	for i := range g.Code {
		// Operands freed here are reused from the next operation on, because
		// some operations write the result before they have read everything.
		freed = freed[:0]
		g.Code[i].Registers(g.Args, func(r *int32) {
			v := *r
			if v >= keptBase {
				*r = v - keptBase
				return
			}
			if phys[v] < 0 {
				if n := len(free); n > 0 {
					phys[v] = free[n-1]
					free = free[:n-1]
				} else {
					phys[v] = count
					count++
				}
			}
			*r = phys[v]
			if last[v] == int32(i) && reuse {
				last[v] = none
				freed = append(freed, phys[v])
			}
		})
		free = append(free, freed...)
	}
	return int(count)
}
