package nodescore

// Joint is the score of categories and numbers under a joint distribution whose categories have
// tables of probabilities and whose numbers are normal given them, with linear equations and
// contrasts of the categories: for a number j and a category k with parents A, of which C are
// categories,
//
//	score(j, A) = Numbers(j, A),   score(k, A) = Categories(k, C) + Numbers(k, A) − Numbers(k, C),
//
// so that numbers tell about a category what Bayes' rule says. Markov equivalent graphs have the
// same score (Lauritzen and Wermuth 1989; Heckerman and Geiger 1995). A Joint is safe for
// concurrent use.
type Joint struct {
	Numbers    *Blocks
	Categories *Dirichlet
	// Place is that of every variable among the variables of Categories; −1: a number.
	Place []int
	// Constant is added to the scores of each variable; none means 0. It makes evidences of
	// different models comparable where a column stands for another.
	Constant []float64
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

// LogScore implements [score.Scorer].
func (s *Joint) LogScore(j int, parents []int) float64 {
	v := s.constant(j) + s.Numbers.LogScore(j, parents)
	if s.Place[j] < 0 {
		return v
	}
	places, variables, _ := s.categories(parents)
	return v + s.Categories.LogScore(s.Place[j], places) - s.Numbers.LogScore(j, variables)
}

// LogScores implements [score.SubsetScorer].
func (s *Joint) LogScores(dst []float64, j int, candidates []int) {
	s.LogScoresGiven(dst, j, candidates, nil)
}

// LogScoresGiven implements [GivenScorer].
func (s *Joint) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	s.Numbers.LogScoresGiven(dst, j, candidates, given)
	for set := range dst {
		dst[set] += s.constant(j)
	}
	if s.Place[j] < 0 {
		return
	}
	places, variables, bit := s.categories(candidates)
	givenPlaces, givenVariables, _ := s.categories(given)
	tables, normal := make([]float64, 1<<len(bit)), make([]float64, 1<<len(bit))
	s.Categories.LogScoresGiven(tables, s.Place[j], places, givenPlaces)
	s.Numbers.LogScoresGiven(normal, j, variables, givenVariables)
	for k := range tables {
		tables[k] -= normal[k]
	}
	for set := range dst {
		among := 0
		for k, b := range bit {
			among |= set >> b & 1 << k
		}
		dst[set] += tables[among]
	}
}

// LogScoresToggled implements [ToggleScorer].
func (s *Joint) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	s.Numbers.LogScoresToggled(dst, j, parents, variables)
	for k := range dst {
		dst[k] += s.constant(j)
	}
	if s.Place[j] < 0 {
		return
	}
	places, categories, _ := s.categories(parents)
	others, toggled, bit := s.categories(variables)
	tables, normal := make([]float64, len(bit)+1), make([]float64, len(bit)+1)
	same := len(bit) // the place of the parents as they are, for numbers
	LogScoresToggled(s.Categories, tables[:same], s.Place[j], places, others)
	s.Numbers.LogScoresToggled(normal[:same], j, categories, toggled)
	if len(bit) < len(variables) {
		tables[same], normal[same] = s.Categories.LogScore(s.Place[j], places),
			s.Numbers.LogScore(j, categories)
	}
	at := 0
	for k, i := range variables {
		if s.Place[i] < 0 {
			dst[k] += tables[same] - normal[same]
			continue
		}
		dst[k] += tables[at] - normal[at]
		at++
	}
}
