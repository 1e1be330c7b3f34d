package search

import (
	"math"
	"slices"

	"tobac/score"
)

// tie is a difference of ln p that counts as none, far above rounding: under a score of
// equivalence classes an edge and its reverse are often equally good. The first of them is taken,
// so that rounding, which changes with the units of the data, does not decide.
const tie = 1e-6

// update computes the score of j, and what each change of its parents gains.
func (s *Searcher) update(j int) {
	set := s.parents[j]
	q := s.q(j, set)
	s.score[j], s.top[j] = q, math.Inf(-1)
	gain := s.gain[j]
	s.toggled(gain, j, s.candidates[j])
	for k, v := range gain {
		gain[k] = change(q, v)
		s.top[j] = max(s.top[j], gain[k])
	}
}

// toggled writes q of j with one parent more or less, by variable.
func (s *Searcher) toggled(dst []float64, j int, variables []int) {
	set := s.parents[j]
	if s.screen.fast {
		score.LogWeightsToggled(s.screen.scorer, s.screen.prior, dst, j, set, variables)
		return
	}
	for k, i := range variables {
		s.buffer = score.Toggle(s.buffer[:0], set, i)
		dst[k] = s.q(j, s.buffer)
	}
}

// change is what is gained from one q to another. Nothing leads to a set of parents that the
// model does not have, from another such set neither: a variable may be there that has lost edges.
func change(from, to float64) float64 {
	if math.IsInf(to, -1) {
		return to
	}
	return to - from
}

// set gives j other parents, without an update.
func (s *Searcher) set(j int, parents []int) {
	for _, i := range s.parents[j] {
		s.children[i] = without(s.children[i], j)
	}
	for _, i := range parents {
		s.children[i] = with(s.children[i], j)
	}
	s.parents[j] = parents
}

// has reports whether i is a parent of j.
func (s *Searcher) has(i, j int) bool {
	_, found := slices.BinarySearch(s.parents[j], i)
	return found
}

// search marks the descendants of j as reached, but for those behind the edge j → cut alone.
func (s *Searcher) search(j, cut int) {
	s.stamp++
	s.stack = append(s.stack[:0], j)
	s.reached[j] = s.stamp
	for len(s.stack) > 0 {
		i := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		for _, c := range s.children[i] {
			if s.reached[c] != s.stamp && !(i == j && c == cut) {
				s.reached[c] = s.stamp
				s.stack = append(s.stack, c)
			}
		}
	}
}

// step makes the best change, and reports whether there was a better graph.
func (s *Searcher) step() bool {
	best, from, to, turn := 0.0, -1, -1, false
	for j, top := range s.top {
		if !(top > best+tie) {
			continue
		}
		searched := false
		for k, gain := range s.gain[j] {
			if !(gain > best+tie) {
				continue
			}
			i := s.candidates[j][k]
			if s.has(i, j) {
				best, from, to, turn = gain, i, j, false
				continue
			}
			if !searched {
				s.search(j, -1)
				searched = true
			}
			if s.reached[i] != s.stamp {
				best, from, to, turn = gain, i, j, false
			}
		}
	}
	for j, parents := range s.parents {
		for _, i := range parents {
			back, found := slices.BinarySearch(s.candidates[i], j)
			if !found {
				continue
			}
			k, _ := slices.BinarySearch(s.candidates[j], i)
			gain := s.gain[j][k] + s.gain[i][back]
			if !(gain > best+tie) { // NaN too: of sets without a score
				continue
			}
			if s.search(i, j); s.reached[j] != s.stamp {
				best, from, to, turn = gain, i, j, true
			}
		}
	}
	if from < 0 {
		return false
	}
	if s.has(from, to) {
		s.set(to, without(s.parents[to], from))
	} else {
		s.set(to, with(s.parents[to], from))
	}
	s.update(to)
	if turn {
		s.set(from, with(s.parents[from], to))
		s.update(from)
	}
	return true
}

// addRandom adds a random edge between v and a candidate parent of it, in a random direction, if
// it makes no cycle and the model has it. It returns the child, −1 if there is none.
func (s *Searcher) addRandom(v int) int {
	if len(s.candidates[v]) == 0 {
		return -1
	}
	i, j := s.candidates[v][s.rng.IntN(len(s.candidates[v]))], v
	if _, found := slices.BinarySearch(s.candidates[i], v); found && s.rng.IntN(2) == 0 {
		i, j = j, i
	}
	if s.search(j, -1); s.reached[i] == s.stamp || s.has(i, j) {
		return -1
	}
	more := with(s.parents[j], i)
	if math.IsInf(s.q(j, more), -1) {
		return -1
	}
	s.set(j, more)
	return j
}

// tear takes the edges of a random variable and of n−1 others away, each a random neighbour of
// one before, and gives each a random one. Required edges stay.
func (s *Searcher) tear(n int) {
	torn := append(s.torn[:0], s.rng.IntN(s.d))
	for len(torn) < n {
		u := torn[s.rng.IntN(len(torn))]
		near := len(s.parents[u]) + len(s.children[u])
		if near == 0 {
			break
		}
		if k := s.rng.IntN(near); k < len(s.parents[u]) {
			torn = append(torn, s.parents[u][k])
		} else {
			torn = append(torn, s.children[u][k-len(s.parents[u])])
		}
	}
	s.torn = torn
	s.changed = s.changed[:0]
	for _, v := range torn {
		for _, j := range slices.Clone(s.children[v]) {
			if !slices.Contains(s.screen.required[j], v) {
				s.set(j, without(s.parents[j], v))
				s.changed = append(s.changed, j)
			}
		}
		s.set(v, s.screen.required[v])
		s.changed = append(s.changed, v)
	}
	for _, v := range torn {
		if j := s.addRandom(v); j >= 0 {
			s.changed = append(s.changed, j)
		}
	}
	slices.Sort(s.changed)
	for _, j := range slices.Compact(s.changed) {
		s.update(j)
	}
}
