package nodescore

import "tobac/score"

// Each is a score with a scorer for each variable, nil where the variable has no rows and scores 0.
type Each struct{ Of []score.SubsetScorer }

var _ score.SubsetScorer = (*Each)(nil)

// Vars implements [score.Scorer].
func (s *Each) Vars() int { return len(s.Of) }

// LogScore implements [score.Scorer].
func (s *Each) LogScore(j int, parents []int) float64 {
	if s.Of[j] == nil {
		return 0
	}
	return s.Of[j].LogScore(j, parents)
}

// LogScores implements [score.SubsetScorer].
func (s *Each) LogScores(dst []float64, j int, candidates []int) {
	if s.Of[j] == nil {
		clear(dst)
		return
	}
	s.Of[j].LogScores(dst, j, candidates)
}
