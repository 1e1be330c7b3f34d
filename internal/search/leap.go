package search

import (
	"math"
	"slices"

	"tobac/internal/nodescore"
)

// Where many parents explain little each, none of them is worth its price until most of the others
// are there: of k that explain all of a column together, one gains ln p by about n/2k, and costs
// several nats. What all others would gain one by one shows that. Without their prices, twice the
// gains of those that tell nothing about the column are χ² of one degree of freedom.
const (
	tellingGain = 1   // on average from which a leap may help; of chance ½
	promise     = 1   // least gain of a parent that leaps along
	mostLeaping = 600 // parents
	leapRounds  = 16  // in each of which the least useful half of the useless parents goes
)

// leap adds all those of s.open to the parents of j at once that promise to be parents, takes away
// the useless ones half by half, and climbs. It returns the set that it began with unless the other
// one is better. It reads s.values of the last call of bestToggle.
func (s *Searcher) leap(j int, set []int, q float64) ([]int, float64) {
	if s.leapt[j] != nil && same(*s.leapt[j], set) {
		return set, q
	}
	s.leapt[j] = &set
	far, open := s.promising(set), slices.Clone(s.open)
	if far == nil {
		return set, q
	}
	at := s.q(j, far)
	for range leapRounds {
		next := s.sifted(j, far, at)
		if slices.Equal(next, far) {
			break
		}
		far, at = next, s.q(j, next)
	}
	for {
		next, i := s.bestToggle(j, far, at, open, open)
		if i < 0 {
			break
		}
		far, at = nodescore.Toggled(far, i), next
	}
	if at = s.exact(j, far, at); !(at > q+slack(q)) {
		return set, q
	}
	return far, at
}

// promising is a set with all that promise to be parents of the same variable, nil if few do.
func (s *Searcher) promising(set []int) []int {
	price := math.Inf(1)
	worth, others := make([]float64, s.d), 0
	for k, i := range s.open {
		worth[i] = s.values[k]
		if _, member := slices.BinarySearch(set, i); member {
			worth[i] = math.Inf(1)
		} else if !math.IsInf(worth[i], -1) {
			price = min(price, worth[i])
			others++
		}
	}
	gain, far := 0.0, slices.Clone(set)
	for _, i := range s.open {
		if math.IsInf(worth[i], 0) {
			continue
		}
		gain += worth[i] - price
		if worth[i] > price+promise {
			far = append(far, i)
		}
	}
	if others < manyParents || gain < tellingGain*float64(others) {
		return nil
	}
	slices.Sort(far)
	return Best(far, worth, max(mostLeaping, len(set)))
}

// sifted is a set of parents of j with all others of s.open that gain, and without the half of its
// members that gains most by leaving, of those that do.
func (s *Searcher) sifted(j int, set []int, q float64) []int {
	values, least := s.values[:len(s.open)], q+slack(q)
	s.scores.toggled(values, j, set, s.open)
	var leaving []float64
	member := make([]bool, len(s.open))
	for k, i := range s.open {
		if _, member[k] = slices.BinarySearch(set, i); member[k] && values[k] > least {
			leaving = append(leaving, values[k])
		}
	}
	half := math.Inf(1)
	if len(leaving) > 0 {
		slices.Sort(leaving)
		half = leaving[len(leaving)/2]
	}
	var next []int
	for k, i := range s.open {
		if member[k] && values[k] < half || !member[k] && values[k] > least {
			next = append(next, i)
		}
	}
	return next
}
