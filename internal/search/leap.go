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
	// Sifting is at most one in siftShare multiplications: of a thousand columns hundreds promise,
	// each of which would take as long as a climb of all.
	siftShare = 5
)

// A climb by single parents to a set of many ends with wrong ones in the place of others, each of
// which is of use only if all are there: where others tell almost all of a parent, these stand in
// its place. From all variables as parents, the wrong ones leave first. A few random parents more,
// which are held until the others have climbed, push out what stands in their place.
const (
	fewOfAll  = 16  // parents, below which that is not tried
	mostOfAll = 200 // variables, above which it takes too long
	heldTries = 40
	heldWork  = 4000 // tries times variables
	mostHeld  = 6    // parents
)

// leap climbs to the parents of j from sets far away, and returns the one that it began with unless
// another is better: from all those of s.open that promise to be parents, less the useless ones
// half by half, and, of many parents, from all of s.open, and from the best set with random ones
// that are held at first. It reads s.values of the last call of bestToggle.
func (s *Searcher) leap(j int, set []int, q float64) ([]int, float64) {
	if s.leapt[j] != nil && same(*s.leapt[j], set) {
		return set, q
	}
	s.leapt[j] = &set
	open, worth := slices.Clone(s.open), s.worth(set)
	best, highest := set, q
	try := func(far, held []int) {
		at := s.q(j, far)
		if math.IsInf(at, -1) {
			return
		}
		others := slices.DeleteFunc(slices.Clone(open), func(i int) bool {
			return slices.Contains(held, i)
		})
		for _, variables := range [2][]int{others, open} {
			for i := 0; i >= 0; {
				if at, i = s.bestToggle(j, far, at, variables, open); i >= 0 {
					far = nodescore.Toggled(far, i)
				}
			}
		}
		if at = s.exact(j, far, at); at > highest+slack(highest) {
			best, highest = far, at
		}
	}
	if begin := s.scores.work; s.sifting*siftShare <= max(begin, siftShare*enoughWork) {
		if far := s.promising(set, worth); far != nil {
			try(s.sift(j, far), nil)
		}
		s.sifting += s.scores.work - begin
	} else {
		s.leapt[j] = nil // another time
	}
	if len(set) >= fewOfAll && s.scores.rounded(set) { // else that takes too long
		if len(open) <= mostOfAll {
			try(open, nil)
		}
		for range min(heldTries, heldWork/len(open)) {
			far, held := best, []int(nil)
			for range mostHeld {
				i := open[s.rng.IntN(len(open))]
				far, held = with(far, i), append(held, i)
			}
			try(far, held)
		}
	}
	return best, highest
}

// worth is q with each other one of s.open as one more parent, by variable, and infinite for those
// that are parents.
func (s *Searcher) worth(set []int) []float64 {
	worth := make([]float64, s.d)
	for k, i := range s.open {
		worth[i] = s.values[k]
		if _, member := slices.BinarySearch(set, i); member {
			worth[i] = math.Inf(1)
		}
	}
	return worth
}

// promising is a set with all that promise to be parents of the same variable, nil if few do.
func (s *Searcher) promising(set []int, worth []float64) []int {
	price, others := math.Inf(1), 0
	for _, i := range s.open {
		if !math.IsInf(worth[i], 0) {
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

// sift takes the useless parents of j away half by half, and adds those that gain.
func (s *Searcher) sift(j int, far []int) []int {
	at := s.q(j, far)
	for range leapRounds {
		next := s.sifted(j, far, at)
		if slices.Equal(next, far) {
			break
		}
		far, at = next, s.q(j, next)
	}
	return far
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
