package smooth

import (
	"math"
	"slices"
)

// How the mode of the amplitudes is found: each is followed upwards from 0, and given up where the
// first or the last but one has lost so many nats; products are tried for pairs whose
// own equation speaks for them by so many nats; each amplitude is visited so often.
const (
	lostNats    = 2
	likelyNats  = -1
	mostRounds  = 3
	enoughGains = 1e-3
)

// quick is the fit of a set of parents, all subsets of which with one parent less were fitted: the
// form of the best of these, with the amplitudes of the last parent at their mode.
func (s *Scorer) quick(w *regression, j int, parents []int) *fit {
	p := len(parents)
	if p == 0 {
		return &fit{parents: parents, mode: w.log(s, j, parents, form{})}
	}
	var best *fit
	at := 0
	rest := make([]int, 0, p)
	for a := range parents {
		rest = append(append(rest[:0], parents[:a]...), parents[a+1:]...)
		if f := s.of[j].find(rest); best == nil || f.score() > best.score() {
			best, at = f, a
		}
	}
	f := best.with(parents, at)
	s.settle(w, j, f, at)
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
func (s *Scorer) without(w *regression, j int, f *fit, at int) *fit {
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
	g.mode = w.log(s, j, g.parents, g.form) + g.form.logPrior()
	for a := range g.curves {
		g.curves[a] = s.along(w, j, g, &g.form.curves[a], curvePrior)
	}
	return g
}

// settle finds the amplitudes of parents[at] given those of the others, and the evidence.
func (s *Scorer) settle(w *regression, j int, f *fit, at int) {
	f.mode = w.log(s, j, f.parents, f.form) + f.form.logPrior()
	f.curves[at] = s.along(w, j, f, &f.form.curves[at], curvePrior)
	p := len(f.parents)
	for b := range f.parents {
		if b == at {
			continue
		}
		lo, hi := min(at, b), max(at, b)
		k := pairAt(lo, hi, p)
		if p == 2 || s.likely(j, f.parents[lo], f.parents[hi]) {
			f.pairs[k] = s.along(w, j, f, &f.form.products[k], productPrior)
		}
	}
}

// likely reports whether the equation with two parents alone speaks for their products.
func (s *Scorer) likely(j, i, k int) bool {
	f := s.of[j].find([]int{i, k})
	return f == nil || f.form.products[0] > 0 || f.pairs[0] > math.Log1p(math.Exp(likelyNats))
}

// along finds the mode along one amplitude of a fit, which is an element of its form, and returns
// ln Σ of the evidences over all values, less that of the mode.
func (s *Scorer) along(w *regression, j int, f *fit, value *uint8, prior []float64) float64 {
	began := *value
	without := f.mode - prior[began]
	best, highest := began, math.Inf(-1)
	var room [8]float64
	all := room[:0]
	for v := range prior {
		log := without
		if *value = uint8(v); *value != began {
			log = w.log(s, j, f.parents, f.form) + f.form.logPrior() - prior[v]
		}
		log += prior[v]
		all = append(all, log)
		if log > highest {
			best, highest = *value, log
		}
		if log < highest-lostNats && v >= int(began) && (v == 1 || v == len(prior)-2) {
			break
		}
	}
	*value, f.mode = best, highest
	sum := 0.0
	for _, v := range all {
		sum += math.Exp(v - highest)
	}
	return math.Log(sum)
}

// grown is the fit of a set of parents that depends on the fits of pairs alone: the best pair, to
// which the parent is added that gains most, in turn; then each amplitude is visited again.
func (s *Scorer) grown(w *regression, j int, parents []int) *fit {
	p := len(parents)
	if p == 0 {
		return s.quick(w, j, parents)
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
	for len(f.parents) < p {
		var best *fit
		highest, from := math.Inf(-1), 0
		for _, i := range parents {
			at, found := slices.BinarySearch(f.parents, i)
			if found {
				continue
			}
			g := f.with(slices.Insert(slices.Clone(f.parents), at, i), at)
			g.form.curves[at] = s.of[j].find([]int{i}).form.curves[0]
			if v := w.log(s, j, g.parents, g.form) + g.form.logPrior(); v > highest {
				best, highest, from = g, v, at
			}
		}
		f = best
		s.settle(w, j, f, from)
	}
	for range mostRounds {
		before := f.mode
		for a := range f.parents {
			f.curves[a] = s.along(w, j, f, &f.form.curves[a], curvePrior)
			for b := a + 1; b < p; b++ {
				k := pairAt(a, b, p)
				if p == 2 || f.form.products[k] > 0 || s.likely(j, f.parents[a], f.parents[b]) {
					f.pairs[k] = s.along(w, j, f, &f.form.products[k], productPrior)
				}
			}
		}
		if f.mode-before < enoughGains {
			break
		}
	}
	return f
}
