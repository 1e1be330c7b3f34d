package dense

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
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

// A sum is computed in the place of its first operand where the other has elements that are zero
// whatever the inputs, and all of the first are there.
func TestFindSums(t *testing.T) {
	shape := ir.Shape{4}
	for _, c := range []struct {
		first, second []int // elements of what is computed, −1 for zeros
		want          bool
	}{
		{nil, []int{0, -1, 2, -1}, true},
		{nil, []int{0, 1, 2, 3}, false},
		{[]int{0, 1, -1, 3}, []int{0, -1, 2, 3}, false},
	} {
		b := irtest.New()
		x, y := b.Input(shape), b.Input(shape)
		a, other := b.Map(irtest.Mul, x, y), b.View(b.Map(irtest.Exp, x), shape, c.second...)
		if c.first != nil {
			a = b.Map(irtest.Mul, b.View(x, shape, c.first...), y)
		}
		sum := b.Map(irtest.Add, a, other)
		f := b.Return(sum)
		if err := passes.Run(f, []passes.Pass{passes.Zeros, passes.Live}, nil); err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(f, nil, 1, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.FindSums(func(*ir.Value) bool { return false })
		if got := p.places[sum.ID].onto; got != c.want {
			t.Errorf("elements %v and %v: in the place of the first: %v, want %v", c.first,
				c.second, got, c.want)
		}
	}
}
