package dense

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// room is the alignment of n numbers.
func room(n int) int { return min(1<<smallSize(n), arenaAlign) }

// Ranges in use never overlap, keep clear of what is reserved, and what has been freed is
// used again: the memory never exceeds what is in use by more than the gaps.
func TestPlanner(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	const reserved = 13
	p := newPlanner(reserved)
	type inUse struct{ off, n int }
	var used []inUse
	for range 4000 {
		if len(used) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(used))
			p.free(used[i].off, used[i].n)
			used[i] = used[len(used)-1]
			used = used[:len(used)-1]
			continue
		}
		n := 1 + rng.IntN(100)
		if rng.IntN(2) == 0 {
			n = 1 + rng.IntN(8)
		}
		x := inUse{p.alloc(n), n}
		if x.off < reserved || x.off%room(n) != 0 || x.off+n > p.size {
			t.Fatalf("range %v in memory of %d", x, p.size)
		}
		for _, y := range used {
			if x.off < y.off+y.n && y.off < x.off+n {
				t.Fatalf("ranges %v and %v overlap", x, y)
			}
		}
		used = append(used, x)
	}
	for i := 1; i < len(p.open); i++ {
		if p.open[i-1].off+p.open[i-1].n >= p.open[i].off {
			t.Errorf("gaps %v and %v are adjacent", p.open[i-1], p.open[i])
		}
	}
	for _, x := range used {
		p.free(x.off, x.n)
	}
	for k, free := range p.small { // whose lines stay theirs
		for _, off := range free {
			p.open = append(p.open, gap{off, 1 << k})
		}
	}
	slices.SortFunc(p.open, func(a, b gap) int { return a.off - b.off })
	for i := len(p.open) - 1; i > 0; i-- {
		if a := &p.open[i-1]; a.off+a.n == p.open[i].off {
			a.n += p.open[i].n
			p.open = p.open[:i]
		}
	}
	if size := p.size; p.alloc(size-alignUp(reserved)) != alignUp(reserved) || p.size != size {
		t.Error("memory that is free altogether is not one range")
	}
}
