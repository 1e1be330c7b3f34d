package smooth

import (
	"math"
	"slices"
)

// How the mode of the amplitudes is found: products are tried for pairs whose own equation speaks
// for them by so many nats; each amplitude is visited so often.
const (
	likelyNats  = -1
	mostRounds  = 3
	enoughGains = 1e-3
)

// quick is the fit of a set of parents, all subsets of which with one parent less were fitted: the
// form of the best of these, with the amplitudes of the last parent at their mode.
func (s *Scorer) quick(y *system, j int, parents []int) *fit {
	if len(parents) == 0 {
		y.begin(s, j)
		return &fit{parents: parents, mode: y.log(0)}
	}
	var best *fit
	at := 0
	rest := make([]int, 0, len(parents))
	for a := range parents {
		rest = append(append(rest[:0], parents[:a]...), parents[a+1:]...)
		if f := s.of[j].find(rest); best == nil || f.score() > best.score() {
			best, at = f, a
		}
	}
	f := best.with(parents, at)
	y.of(s, j, best)
	s.settle(y, f, at)
	return f
}

// with is a fit with a parent more, parents[at], whose amplitudes are 0.
func (f *fit) with(parents []int, at int) *fit {
	p := len(parents)
	g := &fit{parents: parents, curves: make([]float64, p), pairs: make([]float64, p*(p-1)/2)}
	g.form = form{make([]uint8, p), make([]uint8, p*(p-1)/2)}
	old := func(a int) int {
		if a > at {
			return a - 1
		}
		return a
	}
	for a := range p {
		if a == at {
			continue
		}
		g.curves[a], g.form.curves[a] = f.curves[old(a)], f.form.curves[old(a)]
		for b := a + 1; b < p; b++ {
			if b != at {
				to, from := pairAt(a, b, p), pairAt(old(a), old(b), p-1)
				g.pairs[to], g.form.products[to] = f.pairs[from], f.form.products[from]
			}
		}
	}
	return g
}

// without is a fit without parents[at]: the curves of the others are at their modes, one after the
// other, and their products as they were.
func (s *Scorer) without(y *system, j int, f *fit, at int) *fit {
	p := len(f.parents)
	g := &fit{parents: slices.Delete(slices.Clone(f.parents), at, at+1)}
	for a := range p {
		if a == at {
			continue
		}
		g.curves, g.form.curves = append(g.curves, 0), append(g.form.curves, f.form.curves[a])
		for b := a + 1; b < p; b++ {
			if k := pairAt(a, b, p); b != at {
				g.pairs = append(g.pairs, f.pairs[k])
				g.form.products = append(g.form.products, f.form.products[k])
			}
		}
	}
	y.of(s, j, g)
	for a := range g.curves {
		g.curves[a] = y.along(g, s.data.curve(g.parents[a]), &g.form.curves[a], curvePrior)
	}
	if len(g.parents) == 0 {
		g.mode = y.log(0)
	}
	return g
}

// settle takes an equation without parents[at] to one with it, whose amplitudes it finds given
// those of the others.
func (s *Scorer) settle(y *system, f *fit, at int) {
	p := len(f.parents)
	y.enter(line(f.parents[at]), 0)
	f.curves[at] = y.along(f, s.data.curve(f.parents[at]), &f.form.curves[at], curvePrior)
	for b := range f.parents {
		if b == at {
			continue
		}
		lo, hi := min(at, b), max(at, b)
		if k := pairAt(lo, hi, p); p == 2 || s.likely(y.j, f.parents[lo], f.parents[hi]) {
			f.pairs[k] = s.alongPair(y, f, lo, hi)
		}
	}
}

// alongPair finds the mode along the amplitude of the products of the parents number a and b.
func (s *Scorer) alongPair(y *system, f *fit, a, b int) float64 {
	k := pairAt(a, b, len(f.parents))
	return y.along(f, s.data.product(f.parents[a], f.parents[b]), &f.form.products[k], productPrior)
}

// likely reports whether the equation with two parents alone speaks for their products.
func (s *Scorer) likely(j, i, k int) bool {
	f := s.of[j].find([]int{i, k})
	return f == nil || f.form.products[0] > 0 || f.pairs[0] > math.Log1p(math.Exp(likelyNats))
}

// grown is the fit of a set of parents that depends on the fits of pairs alone: the best pair, to
// which the parent is added that gains most, in turn; then each amplitude is visited again.
func (s *Scorer) grown(y *system, j int, parents []int) *fit {
	p := len(parents)
	if p == 0 {
		return s.quick(y, j, parents)
	}
	var f *fit
	for a, i := range parents {
		if p == 1 {
			f = s.of[j].find(parents)
		}
		for _, k := range parents[a+1:] {
			if g := s.of[j].find([]int{i, k}); f == nil || g.score() > f.score() {
				f = g
			}
		}
	}
	f = &fit{parents: f.parents, form: f.form.clone(), mode: f.mode,
		curves: slices.Clone(f.curves), pairs: slices.Clone(f.pairs)}
	y.of(s, j, f)
	for len(f.parents) < p {
		best, highest := 0, math.Inf(-1)
		for _, i := range parents {
			if _, found := slices.BinarySearch(f.parents, i); found {
				continue
			}
			c, alone := y.beside(s.data.whole(i)), s.of[j].find([]int{i}).form.curves[0]
			y.tried = s.rootsOf(y.tried[:0], s.data.whole(i), int(alone))
			half, rest := c.with(y.tried)
			v := s.evidence(j, len(f.parents)+1, half, y.floor(rest)) + curvePrior[alone]
			if v > highest {
				best, highest = i, v
			}
		}
		at, _ := slices.BinarySearch(f.parents, best)
		f = f.with(slices.Insert(slices.Clone(f.parents), at, best), at)
		s.settle(y, f, at)
	}
	for range mostRounds {
		before := f.mode
		for a := range f.parents {
			f.curves[a] = y.along(f, s.data.curve(f.parents[a]), &f.form.curves[a], curvePrior)
			for b := a + 1; b < p; b++ {
				if p == 2 || f.form.products[pairAt(a, b, p)] > 0 ||
					s.likely(j, f.parents[a], f.parents[b]) {
					f.pairs[pairAt(a, b, p)] = s.alongPair(y, f, a, b)
				}
			}
		}
		if f.mode-before < enoughGains {
			break
		}
	}
	return f
}
