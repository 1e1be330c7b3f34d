package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
)

// knownScores are scores that were computed before: a search for graphs asks for the
// same ones again and again. It is safe for concurrent use.
type knownScores struct {
	mu sync.RWMutex
	of map[string]float64 // by variable and parents
}

func newKnownScores() *knownScores { return &knownScores{of: map[string]float64{}} }

func (k *knownScores) find(key []byte) (float64, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	v, ok := k.of[string(key)]
	return v, ok
}

func (k *knownScores) keep(key []byte, v float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of[string(key)] = v
}

// appendKey appends three bytes for each variable.
func appendKey(key []byte, variables ...int) []byte {
	for _, i := range variables {
		key = append(key, byte(i), byte(i>>8), byte(i>>16))
	}
	return key
}

// A Query asks for the scores of some children given the same parents. Both are ascending.
type Query struct {
	Parents  []int `json:"parents"`
	Children []int `json:"children"`
}

// Unknown lists the scores of families that s has not computed and that take time, each once, the
// small sets first. It panics if a family has other variables than s.
func (s *GPScorer) Unknown(families []Family) []Query {
	at := map[string]int{}
	var list []Query
	var room, parents []int
	for _, f := range families {
		checkParents(s.gp.d, f.Child, f.Candidates)
		checkParents(s.gp.d, f.Child, f.Given)
		if s.gp.group[s.gp.of[f.Child]].n == 0 {
			continue
		}
		most := len(f.Candidates)
		if f.Most > 0 {
			most = min(most, f.Most)
		}
		if m := s.gp.opt.MaxParents; m > 0 {
			most = min(most, m-len(f.Given))
		}
		for size := range most + 1 {
			room = slices.Grow(room[:0], size)
			combinations(f.Candidates, room, size, func(set []int) {
				parents = append(append(parents[:0], set...), f.Given...)
				slices.Sort(parents)
				var letters [64]byte
				key := appendKey(appendKey(letters[:0], f.Child), parents...)
				if _, ok := s.known.find(key); ok {
					return
				}
				k, ok := at[string(key[3:])]
				if !ok {
					k = len(list)
					at[string(key[3:])] = k
					list = append(list, Query{Parents: slices.Clone(parents)})
				}
				list[k].Children = append(list[k].Children, f.Child)
			})
		}
	}
	for k := range list {
		slices.Sort(list[k].Children)
		list[k].Children = slices.Compact(list[k].Children)
	}
	slices.SortFunc(list, func(a, b Query) int {
		return cmp.Or(cmp.Compare(len(a.Parents), len(b.Parents)), slices.Compare(a.Parents, b.Parents))
	})
	return list
}

// combinations calls visit for the subsets of a list with so many more members than chosen.
func combinations(list, chosen []int, more int, visit func(set []int)) {
	if more == 0 {
		visit(chosen)
		return
	}
	for k := 0; k+more <= len(list); k++ {
		combinations(list[k+1:], append(chosen, list[k]), more-1, visit)
	}
}

// Keep takes the scores of a query, in the sequence of its children, that an equal scorer has computed. A
// number of scores other than that of the children, and one that is no log score, are errors.
func (s *GPScorer) Keep(q Query, scores []float64) error {
	if len(scores) != len(q.Children) {
		return fmt.Errorf("score: %d scores of %d variables given %v", len(scores), len(q.Children), q.Parents)
	}
	for k, j := range q.Children {
		if v := scores[k]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("score: the log score of variable %d given %v is %v, want a finite number", j, q.Parents, v)
		}
		s.known.keep(appendKey(appendKey(nil, j), q.Parents...), scores[k])
	}
	return nil
}

// Seconds is about the processor time of the scores of a query: a reduction for each
// set of parents, or for each child beyond 24 variables, and an integral over the noise variance for each child.
func (s *GPScorer) Seconds(q Query) float64 {
	outside, reductions := float64(len(q.Children)), 1.
	if s.gp.d > sharedVars {
		reductions = outside
	}
	n := 0
	for _, j := range q.Children {
		n = max(n, s.gp.group[s.gp.of[j]].n)
	}
	return s.gp.opt.seconds(n, len(q.Parents), reductions, outside)
}

// ScoreSeconds is about the processor time of one score with n rows and two parents, beyond 24 variables.
func (o GPOptions) ScoreSeconds(n int) float64 { return o.seconds(n, 2, 1, 1) }

// seconds were measured on one core of an AMD EPYC with 60 to 400 rows.
func (o GPOptions) seconds(n, parents int, reductions, children float64) float64 {
	const perOperation, perIntegral = 3e-10, 7e-7
	return reductions*perOperation*o.reduction(float64(n), float64(parents), children/reductions) + children*perIntegral*float64(o.size(n))
}
