package search

import (
	"iter"
	"math"
	"slices"

	"tobac/internal/nodescore"
)

// fit climbs from a set of parents of j, with its q: it adds or removes the candidate before j
// that gains most until none does.
func (s *Searcher) fit(j int, set []int, q float64) ([]int, float64) {
	before, from := s.open[:0], s.hash[j][0]
	for _, i := range s.candidates[j] {
		if s.key[i] < s.key[j] {
			before = append(before, i)
			from += s.hash[i][1]
		}
	}
	for _, i := range set {
		from += s.hash[i][2]
	}
	s.open = before
	if f, known := s.fits[from]; known {
		return f.set, f.q
	}
	for {
		next, i := s.bestToggle(j, set, q, before, s.candidates[j])
		if i < 0 {
			break
		}
		set, q = nodescore.Toggled(set, i), next
	}
	if len(s.fits) == mostFits {
		clear(s.fits)
	}
	s.fits[from] = fitted{set, q}
	return set, q
}

// A fitted is the end of a climb of fit. Where variables walk again and again in an order of which
// little has changed, most climbs are known. They are found by a hash of 64 bits of the variable,
// its candidates before it and the parents that the climb begins with.
type fitted struct {
	set []int
	q   float64
}

// mostFits is the largest number of climbs that a searcher keeps.
const mostFits = 1 << 17

// bestToggle is the largest q of j with one of some variables more or less as parent, and that
// variable, −1 if none gains. The variables and the set are among the candidates; nil takes longer,
// and is exact.
func (s *Searcher) bestToggle(
	j int, set []int, q float64, variables, candidates []int,
) (best float64, which int) {
	best, which = q, -1
	least := q + slack(q)
	values := s.values[:len(variables)]
	if candidates == nil {
		s.scores.toggled(values, j, set, variables)
	} else {
		least = q + s.slack(q, set)
		s.scores.next(values, j, set, variables, candidates)
	}
	for k, v := range values {
		if v > least && (which < 0 || v > best+tie) {
			best, which = v, variables[k]
		}
	}
	return best, which
}

// q is the score of a set of parents, ascending.
func (s *Searcher) q(j int, set []int) float64 { return s.scores.q(j, set) }

// exact is q without the rounding of a factor.
func (s *Searcher) exact(j int, set []int, q float64) float64 {
	if s.scores.rounded(set) {
		return s.q(j, set)
	}
	return q
}

// passed are the neighbours of v on one side in the order, the nearest first.
func (s *Searcher) passed(v int, right bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		if len(s.near[v]) == s.d-1 { // the order has them sorted
			by, end := -1, -1
			if right {
				by, end = 1, s.d
			}
			for k := s.key[v]/2 + by; k != end && yield(s.order[k]); k += by {
			}
			return
		}
		past := s.past[:0]
		for _, u := range s.near[v] {
			if s.key[u] > s.key[v] == right {
				past = append(past, u)
			}
		}
		slices.SortFunc(past, func(a, b int) int {
			if right {
				a, b = b, a
			}
			return s.key[b] - s.key[a]
		})
		s.past = past
		for _, u := range past {
			if !yield(u) {
				return
			}
		}
	}
}

// A step passes a neighbour, which then has the given parents.
type step struct {
	neighbour int
	parents   []int
	score     float64
	walker    []int   // parents of the variable that walks
	gain      float64 // of ln p since the walk began
}

// A place is a better one of a variable: behind so many steps to the left or to the right.
type place struct {
	gain    float64
	key     int
	parents []int // of the variable there
	score   float64
	steps   []step // of neighbours whose parents change
}

// along walks with v to one side, and returns the best place on the way.
func (s *Searcher) along(v int, right bool) place {
	home := s.key[v]
	s.steps = s.steps[:0]
	set, q := s.parents[v], s.score[v]
	total, best := 0.0, place{key: home}
	count := 0
	for u := range s.passed(v, right) {
		at := step{neighbour: u, parents: s.parents[u], score: s.score[u]}
		before := total
		if !right && s.hopeless(v, u, set, at.parents, q, at.score, total-best.gain) ||
			right && s.hopeless(u, v, at.parents, set, at.score, q, total-best.gain) {
			break
		}
		if right {
			s.key[v] = s.key[u] + 1
			at.parents, at.score, total = s.lose(u, v, at.parents, at.score, total)
			set, q, total = s.take(v, u, set, q, total)
		} else {
			s.key[v] = s.key[u] - 1
			set, q, total = s.lose(v, u, set, q, total)
			at.parents, at.score, total = s.take(u, v, at.parents, at.score, total)
		}
		at.walker, at.gain = set, total
		s.steps = append(s.steps, at)
		if total < best.gain-s.barrier || math.IsInf(total, -1) || math.IsNaN(total) {
			break
		}
		if total > before && total > best.gain+tie {
			best = place{gain: total, key: s.key[v], parents: set, score: q}
			count = len(s.steps)
		}
	}
	s.key[v] = home
	for _, at := range s.steps[:count] {
		if !slices.Equal(at.parents, s.parents[at.neighbour]) {
			best.steps = append(best.steps, at)
		}
	}
	return best
}

// Detours visits the sets of parents that variables have where one of them walks along the order,
// as in the steps of a search, as long as ln p does not fall by more than 50. The loss is how far
// it has to fall until a graph has these parents. They must not be changed.
func (s *Searcher) Detours(visit func(loss float64, j int, parents []int)) {
	s.barrier = lowBarrier
	for v := range s.d {
		for _, right := range [2]bool{false, true} {
			s.along(v, right)
			loss := math.Inf(1)
			for _, at := range slices.Backward(s.steps) {
				loss = min(loss, -at.gain)
				visit(loss, at.neighbour, at.parents)
				visit(-at.gain, v, at.walker)
			}
		}
	}
}

// lose takes i, which is now behind j, from its parents, and adds what that gains to total.
func (s *Searcher) lose(j, i int, set []int, q, total float64) ([]int, float64, float64) {
	if _, found := slices.BinarySearch(set, i); !found {
		return set, q, total
	}
	less, next := s.without(j, i, set)
	less, next = s.fit(j, less, next)
	return less, next, total + change(q, next)
}

// without is a set of parents of j less i, and its q.
func (s *Searcher) without(j, i int, set []int) ([]int, float64) {
	less := nodescore.Toggled(set, i)
	if same(set, s.parents[j]) || s.scores.rounded(set) {
		at, _ := slices.BinarySearch(s.candidates[j], i)
		return less, s.joined(j, at, set)
	}
	return less, s.q(j, less)
}

// Sets of more than manyParents parents climb slowly: one that loses a parent, which gains at most
// j itself as its parent then, does not climb if ln p is lower by a barrier after that, and by
// several low ones.
const (
	manyParents = 40
	barriers    = 4
)

// hopeless reports whether a walk ends where j, of many parents, loses i.
func (s *Searcher) hopeless(j, i int, set, other []int, q, otherQ, total float64) bool {
	if len(set) <= manyParents {
		return false
	}
	if _, found := slices.BinarySearch(set, i); !found {
		return false
	}
	_, less := s.without(j, i, set)
	total += change(q, less)
	if at, candidate := slices.BinarySearch(s.candidates[i], j); candidate {
		total += max(change(otherQ, s.joined(i, at, other)), 0)
	}
	return total < -max(barriers*lowBarrier, s.barrier)
}

// take makes i, which is now before j, a parent of it if that gains, which it adds to total.
func (s *Searcher) take(j, i int, set []int, q, total float64) ([]int, float64, float64) {
	at, candidate := slices.BinarySearch(s.candidates[j], i)
	if !candidate {
		return set, q, total
	}
	next := s.joined(j, at, set)
	if !(next > q+s.slack(q, set)) {
		return set, q, total
	}
	set, next = s.fit(j, nodescore.Toggled(set, i), next)
	return set, next, total + change(q, next)
}

// joined is q of j with a set of parents and its candidate of a number, or without it.
func (s *Searcher) joined(j, number int, set []int) float64 {
	if same(set, s.parents[j]) {
		return s.neighbour(&s.around[j], j, set, number)
	}
	return s.neighbour(&s.aside, j, set, number)
}

// An around has q of a variable with one of its candidates more or less as parent.
type around struct {
	of      int
	parents []int
	values  []float64 // by candidate
}

// neighbour is q of j with the candidate of a number more or less as parent. On a walk past many
// variables each of them asks for it, most of them about parents that stay.
func (s *Searcher) neighbour(a *around, j int, set []int, number int) float64 {
	all := s.candidates[j]
	if a.of != j || !same(a.parents, set) || len(a.values) != len(all) {
		a.of, a.parents, a.values = j, set, slices.Grow(a.values[:0], len(all))[:len(all)]
		s.scores.next(a.values, j, set, all, all)
	}
	return a.values[number]
}

// same reports whether two sets, which are never changed in place, are one.
func same(a, b []int) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// reinsert moves v to the place in the order that gains most, if there is a better one. The
// variables that this concerns come into the queue.
func (s *Searcher) reinsert(v int) {
	best := s.along(v, false)
	if other := s.along(v, true); other.gain > best.gain+tie {
		best = other
	}
	least := s.slack(s.score[v], best.parents)
	for _, at := range best.steps {
		least += s.slack(s.score[at.neighbour], at.parents)
	}
	if best.gain <= least {
		return
	}
	s.move(v, best.key)
	s.replace(v, best.parents, best.score)
	for _, at := range best.steps {
		s.replace(at.neighbour, at.parents, at.score)
	}
	s.refit(v, s.parents[v])
	for _, at := range best.steps {
		s.refit(at.neighbour, at.parents)
	}
}

// replace gives j other parents. It, the old and the new ones, and its candidates may have better
// places then.
func (s *Searcher) replace(j int, parents []int, q float64) {
	for _, i := range s.parents[j] {
		s.push(i)
	}
	for _, i := range parents {
		s.push(i)
	}
	s.push(j)
	s.parents[j], s.score[j] = parents, s.exact(j, parents, q)
}

// move puts v at the place of a key in the order: right before or behind the variable of the next
// even one.
func (s *Searcher) move(v, key int) {
	from, to := s.key[v]/2, 0
	if key < s.key[v] {
		to = (key + 1) / 2
		copy(s.order[to+1:from+1], s.order[to:from])
	} else {
		to = (key - 1) / 2
		copy(s.order[from:to], s.order[from+1:to+1])
	}
	s.order[to] = v
	s.number(min(from, to), max(from, to)+1)
}

// disturb moves a random variable and n−1 others, each a random neighbour of one before in the
// graph, to random places of the order.
func (s *Searcher) disturb(n int) {
	moved := []int{s.rng.IntN(s.d)}
	for len(moved) < n {
		u := moved[s.rng.IntN(len(moved))]
		near := slices.Clone(s.parents[u])
		for _, j := range s.near[u] {
			if _, found := slices.BinarySearch(s.parents[j], u); found {
				near = append(near, j)
			}
		}
		if len(near) == 0 {
			break
		}
		moved = append(moved, near[s.rng.IntN(len(near))])
	}
	for _, v := range moved {
		s.throw(v)
	}
}

// throw puts v next to a random neighbour in the order, unless a required edge forbids that. Every
// variable that it passes loses it as parent, or it them.
func (s *Searcher) throw(v int) {
	if len(s.candidates[v]) == 0 {
		return
	}
	u := s.near[v][s.rng.IntN(len(s.near[v]))]
	from, to := s.key[v], s.key[u]
	for _, w := range s.near[v] {
		if s.key[w] >= min(from, to) && s.key[w] <= max(from, to) &&
			(s.screen.prior.Required(v, w) || s.screen.prior.Required(w, v)) {
			return
		}
	}
	if to > from {
		s.move(v, to+1)
	} else {
		s.move(v, to-1)
	}
	s.refit(v, s.seed(v))
	for _, w := range s.near[v] {
		if k := s.key[w]; k >= min(from, to)-2 && k <= max(from, to)+2 {
			s.refit(w, s.parents[w])
		}
	}
}

// seed is a set of parents to begin anew with: the required ones, and a random candidate.
func (s *Searcher) seed(j int) []int {
	set := s.screen.required[j]
	more := with(set, s.candidates[j][s.rng.IntN(len(s.candidates[j]))])
	if math.IsInf(s.q(j, more), -1) {
		return set
	}
	return more
}

// refit climbs from those of some parents of j that are before it.
func (s *Searcher) refit(j int, set []int) {
	after := func(i int) bool { return s.key[i] > s.key[j] }
	set = slices.DeleteFunc(slices.Clone(set), after)
	set, q := s.fit(j, set, s.q(j, set))
	if !slices.Equal(set, s.parents[j]) {
		s.replace(j, set, q)
	}
	s.push(j)
}
