package nodescore

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/internal/parallel"
	"tobac/internal/scoring"
	"tobac/score"
)

// Symmetric makes a score under which Markov equivalent graphs have the same probability of one
// that reads directions off the form of its equations. The joint evidence of a set of variables is
// the mean over all sequences in which their equations may follow each other,
//
//	L(S) = ln mean_π Π_k e^score(π_k, {π_1 … π_k−1}),   score'(j, A) = L(A ∪ {j}) − L(A),
//
// so that what depends on the form alone cancels. A Symmetric is safe for concurrent use.
type Symmetric struct {
	d     int
	joint []float64 // L by set of variables
	form  float64   // highest score of an acyclic graph under the form
}

var _ GivenScorer = (*Symmetric)(nil)

// NewSymmetric computes the joint evidences of all sets of at most [MostSymmetric] variables by so
// many goroutines. An error is that of ctx, or names a score that is not finite.
func NewSymmetric(ctx context.Context, s score.Scorer, workers int) (*Symmetric, error) {
	d := s.Vars()
	if d > MostSymmetric {
		return nil, fmt.Errorf("score: symmetric scores of %d variables, want at most %d", d,
			MostSymmetric)
	}
	tables := make([][]float64, d)
	err := parallel.For(ctx, d, workers, func(j int) error {
		tables[j] = make([]float64, 1<<(d-1))
		return score.LogScores(ctx, s, tables[j], j, dag.AllBut(d, j))
	})
	if err != nil {
		return nil, err
	}
	q := &Symmetric{d: d, joint: make([]float64, 1<<d)}
	terms := make([]float64, 0, d)
	for set := 1; set < len(q.joint); set++ {
		terms = terms[:0]
		most := math.Inf(-1)
		for j := range d {
			if set>>j&1 == 0 {
				continue
			}
			rest := set &^ (1 << j)
			v := q.joint[rest] + tables[j][rest&(1<<j-1)|rest>>(j+1)<<j]
			terms = append(terms, v)
			most = max(most, v)
		}
		if math.IsInf(most, -1) {
			q.joint[set] = most
			continue
		}
		sum := 0.0
		for _, v := range terms {
			sum += math.Exp(v - most)
		}
		q.joint[set] = most + math.Log(sum/float64(len(terms)))
	}
	q.form = highest(tables)
	return q, nil
}

// MostSymmetric is the largest number of variables of a [Symmetric], whose memory and time double
// with each.
const MostSymmetric = 20

// Vars implements [score.Scorer].
func (s *Symmetric) Vars() int { return s.d }

// of is the score of a set of parents as bits.
func (s *Symmetric) of(j, parents int) float64 {
	if math.IsInf(s.joint[parents], -1) {
		return math.Inf(-1)
	}
	return s.joint[parents|1<<j] - s.joint[parents]
}

// Surplus is how much more the highest score of an acyclic graph is than that under the form. Where
// the form fits every set of variables in some sequence, it is not much above 0. Where it does not
// fit, a set of parents has too little evidence, and a variable given them too much.
func (s *Symmetric) Surplus() float64 {
	tables := make([][]float64, s.d)
	for j := range tables {
		tables[j] = make([]float64, 1<<(s.d-1))
		for set := range tables[j] {
			below := set & (1<<j - 1)
			tables[j][set] = s.of(j, below|(set&^below)<<1)
		}
	}
	return highest(tables) - s.form
}

// highest is the highest score of an acyclic graph, from the scores of each variable by subset of
// the others. It replaces them with the highest of all subsets of each subset.
func highest(tables [][]float64) float64 {
	for _, table := range tables {
		for bit := 1; bit < len(table); bit <<= 1 {
			for set := range table {
				if set&bit != 0 {
					table[set] = max(table[set], table[set^bit])
				}
			}
		}
	}
	all := make([]float64, 1<<len(tables)) // by the set of the first variables of an order
	for set := 1; set < len(all); set++ {
		all[set] = math.Inf(-1)
		for j, table := range tables {
			if rest := set &^ (1 << j); rest != set {
				all[set] = max(all[set], all[rest]+table[rest&(1<<j-1)|rest>>(j+1)<<j])
			}
		}
	}
	return all[len(all)-1]
}

// LogScore implements [score.Scorer].
func (s *Symmetric) LogScore(j int, parents []int) float64 {
	scoring.CheckParents(s.d, j, parents)
	set := 0
	for _, i := range parents {
		set |= 1 << i
	}
	return s.of(j, set)
}

// LogScores implements [score.SubsetScorer].
func (s *Symmetric) LogScores(dst []float64, j int, candidates []int) {
	s.LogScoresGiven(dst, j, candidates, nil)
}

// LogScoresGiven implements [GivenScorer].
func (s *Symmetric) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	scoring.CheckRoom(dst, candidates)
	scoring.CheckParents(s.d, j, candidates)
	scoring.CheckParents(s.d, j, given)
	base := 0
	for _, i := range given {
		base |= 1 << i
	}
	for set := range dst {
		parents := base
		for k, i := range candidates {
			parents |= set >> k & 1 << i
		}
		dst[set] = s.of(j, parents)
	}
}
