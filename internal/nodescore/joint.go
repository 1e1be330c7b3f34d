package nodescore

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Joint is the score of categories and numbers under a joint distribution whose categories have
// tables of probabilities and whose numbers are normal given them, with linear equations and
// contrasts of the categories. A set S of variables, of which C are categories, has the evidence
//
//	L(S) = Categories(C) + Σ_{i∈S∖C} N(i) + ln mean_f exp g_f(S),
//	g_f(S) = N_f(S) − N_f(C) − Σ_{i∈S∖C} N_f(i),
//	score(j, A) = L(A ∪ {j}) − L(A),   N_f = Numbers_f,   N(i) = ln mean_f exp N_f(i),
//
// with the scales f of a prior of effects averaged over for each set, so that weak dependences are
// found beside strong ones. What a scale says of a number alone does not count: else numbers that
// do not depend on each other would seem to, since they share a scale. Numbers tell about a
// category what Bayes' rule says, and Markov equivalent graphs have the same score (Lauritzen and
// Wermuth 1989; Heckerman and Geiger 1995). A Joint is safe for concurrent use.
type Joint struct {
	Numbers    []*Blocks // of the same data with different scales
	Categories *Dirichlet
	// Place is that of every variable among the variables of Categories; −1: a number.
	Place []int
	// Constant is added to the scores of each variable; none means 0. It makes evidences of
	// different models comparable where a column stands for another.
	Constant []float64
	// Latent corrects the evidences of levels that are intervals of latent normal variables; nil
	// means that numbers are normal as they are.
	Latent *Latent
}

var (
	_ GivenScorer  = (*Joint)(nil)
	_ ToggleScorer = (*Joint)(nil)
)

// Vars implements [score.Scorer].
func (s *Joint) Vars() int { return len(s.Place) }

// categories are the places of those of some variables that are categories, and these.
func (s *Joint) categories(all []int) (places, variables, bit []int) {
	for k, i := range all {
		if s.Place[i] >= 0 {
			places, variables, bit = append(places, s.Place[i]), append(variables, i),
				append(bit, k)
		}
	}
	return places, variables, bit
}

// constant is that of a variable.
func (s *Joint) constant(j int) float64 {
	if len(s.Constant) == 0 {
		return 0
	}
	return s.Constant[j]
}

// alone is by scale what is added to the score of a variable: of a number alone the mean over the
// scales in place of what each says.
func (s *Joint) alone(j int) []float64 {
	of := make([]float64, len(s.Numbers))
	if s.Place[j] >= 0 {
		return of
	}
	for f, b := range s.Numbers {
		of[f] = b.LogScore(j, nil)
	}
	mean := floats.LogSumExp(of) - math.Log(float64(len(of)))
	for f := range of {
		of[f] = mean - of[f]
	}
	return of
}

// LogScore implements [score.Scorer].
func (s *Joint) LogScore(j int, parents []int) float64 {
	places, variables, _ := s.categories(parents)
	scales := len(s.Numbers)
	room := make([]float64, 2*scales)
	before, after := room[:scales], room[scales:]
	alone := s.alone(j)
	for f, b := range s.Numbers {
		of, joint := b.both(j, parents)
		ofTables, tables := of, joint
		if len(variables) < len(parents) {
			ofTables, tables = b.both(j, variables)
		}
		before[f] = joint - tables
		if after[f] = before[f] + of + alone[f]; s.Place[j] >= 0 {
			after[f] -= ofTables
		}
	}
	v := s.constant(j) + floats.LogSumExp(after) - floats.LogSumExp(before)
	if s.Place[j] >= 0 {
		v += s.Categories.LogScore(s.Place[j], places)
	}
	if s.Latent != nil {
		v += s.Latent.more(j, parents)
	}
	return v
}

// LogScores implements [score.SubsetScorer].
func (s *Joint) LogScores(dst []float64, j int, candidates []int) {
	s.LogScoresGiven(dst, j, candidates, nil)
}

// LogScoresGiven implements [GivenScorer].
func (s *Joint) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	places, variables, bit := s.categories(candidates)
	givenPlaces, givenVariables, _ := s.categories(given)
	among := make([]int32, len(dst)) // which of the tables below has a set's categories
	for k, b := range bit {
		for set := range among {
			among[set] |= int32(set >> b & 1 << k)
		}
	}
	category, scales := s.Place[j] >= 0, len(s.Numbers)
	tables, joints := make([]float64, 1<<len(bit)), make([]float64, len(dst))
	jointTables := make([]float64, len(tables))
	// By set and scale: the evidence of the parents, and with j, less those of the categories.
	before, after := make([]float64, scales*len(dst)), make([]float64, scales*len(dst))
	alone := s.alone(j)
	for f, b := range s.Numbers {
		b.logJoints(joints, dst, j, candidates, given)
		if category {
			b.logJoints(jointTables, tables, j, variables, givenVariables)
		} else {
			b.logJoints(jointTables, nil, j, variables, givenVariables)
		}
		for set, of := range among {
			joints[set] -= jointTables[of]
			dst[set] -= tables[of] // 0 for a number
		}
		for set, v := range dst {
			before[set*scales+f], after[set*scales+f] = joints[set], joints[set]+v+alone[f]
		}
	}
	if clear(tables); category {
		s.Categories.LogScoresGiven(tables, s.Place[j], places, givenPlaces)
	}
	for set := range dst {
		of := func(all []float64) float64 {
			return floats.LogSumExp(all[set*scales : (set+1)*scales])
		}
		dst[set] = s.constant(j) + of(after) - of(before) + tables[among[set]]
	}
	if s.Latent != nil {
		s.Latent.addGiven(dst, j, candidates, given)
	}
}

// LogScoresToggled implements [ToggleScorer].
func (s *Joint) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	places, categories, _ := s.categories(parents)
	others, toggled, bit := s.categories(variables)
	category, scales := s.Place[j] >= 0, len(s.Numbers)
	// The last element is that of the categories as they are, which numbers leave.
	same := len(toggled)
	among := make([]int, len(variables))
	for k := range among {
		among[k] = same
	}
	for k, b := range bit {
		among[b] = k
	}
	scores, joints := make([]float64, len(variables)), make([]float64, len(variables))
	ofTables, tables := make([]float64, same+1), make([]float64, same+1)
	before, after := make([]float64, scales*len(variables)), make([]float64, scales*len(variables))
	alone := s.alone(j)
	for f, b := range s.Numbers {
		b.toggled(scores, joints, j, parents, variables)
		b.toggled(ofTables[:same], tables[:same], j, categories, toggled)
		if same < len(variables) {
			ofTables[same], tables[same] = b.both(j, categories)
		}
		for k, v := range scores {
			at := among[k]
			if before[k*scales+f] = joints[k] - tables[at]; category {
				v -= ofTables[at]
			}
			after[k*scales+f] = before[k*scales+f] + v + alone[f]
		}
	}
	if clear(tables); category {
		LogScoresToggled(s.Categories, tables[:same], s.Place[j], places, others)
		if same < len(variables) {
			tables[same] = s.Categories.LogScore(s.Place[j], places)
		}
	}
	for k := range dst {
		of := func(all []float64) float64 {
			return floats.LogSumExp(all[k*scales : (k+1)*scales])
		}
		dst[k] = s.constant(j) + of(after) - of(before) + tables[among[k]]
	}
	if s.Latent != nil {
		for k, i := range variables {
			dst[k] += s.Latent.more(j, Toggled(parents, i))
		}
	}
}
