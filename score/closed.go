package score

import (
	"slices"

	"tobac/internal/scoring"
)

// closed are the scores of variables whose closed forms are [gaussian]: what [NewBGe] and
// [NewLinear] have in common. Methods with parents or candidates panic unless these are ascending
// variables other than j.
type closed struct {
	d     int
	of    []int // group of each variable
	group []rowGroup
	// ln of the units of columns that were scaled, since log scores are densities of the raw data;
	// nil means none was
	logScales []float64
}

// A rowGroup is what the variables observed in the same rows have in common. Without rows they
// score 0.
type rowGroup struct {
	scoring.Gram
	matrix   []float64 // d×d, of M = matrix + ridge·I
	ridge    float64
	gaussian gaussian

	children int
	shared   *determinants
}

// Vars implements [Scorer].
func (c *closed) Vars() int { return c.d }

// at is the group of a variable, with what is added to its scores.
func (c *closed) at(j int) (g *rowGroup, offset float64) {
	g = &c.group[c.of[j]]
	if c.logScales != nil {
		offset = -float64(g.N) * c.logScales[j]
	}
	return g, offset
}

// LogScore implements [Scorer].
func (c *closed) LogScore(j int, parents []int) float64 {
	scoring.CheckParents(c.d, j, parents)
	g, offset := c.at(j)
	if g.N == 0 {
		return 0
	}
	var room [190]float64
	m := gather(room[:], g.matrix, c.d, j, parents, g.ridge)
	return g.gaussian.score(m, len(parents)) + offset
}

// LogScores implements [SubsetScorer].
func (c *closed) LogScores(dst []float64, j int, candidates []int) {
	c.LogScoresGiven(dst, j, candidates, nil)
}

// LogScoresGiven writes the log scores of every subset of the candidates with all given parents.
func (c *closed) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	scoring.CheckRoom(dst, candidates)
	scoring.CheckParents(c.d, j, candidates)
	scoring.CheckParents(c.d, j, given)
	g, offset := c.at(j)
	switch {
	case g.N == 0:
		clear(dst)
	case len(given) == 0 &&
		g.gaussian.share(g.matrix, c.d, len(candidates), g.children, g.ridge):
		g.shared.once.Do(func() { g.shared.make(&g.gaussian, g.matrix, c.d, g.ridge) })
		g.gaussian.scoresOf(dst, g.shared, j, g.matrix[j*c.d+j]+g.ridge, g.ridge, offset)
	default:
		m := gather(nil, g.matrix, c.d, j, slices.Concat(candidates, given), g.ridge)
		g.gaussian.scoresGiven(dst, m, len(candidates), len(given), offset)
	}
}

// LogScoresToggled writes to dst[k] the log score of variable j given the parents without
// variables[k] if it is one of them, and with it if not, in one pass.
func (c *closed) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	checkToggled(c.d, dst, j, parents, variables)
	g, offset := c.at(j)
	if g.N == 0 {
		clear(dst)
		return
	}
	g.gaussian.toggled(dst, g.matrix, c.d, j, parents, variables, g.ridge, offset)
}

// Neighbours is LogScoresToggled of variable j, faster for sets of many parents that come one after
// the other and differ by few. All parents and variables are among the candidates, which are
// ascending. The scores of a set depend on the sets before, by rounding. The function belongs to
// one goroutine.
func (c *closed) Neighbours(j int, candidates []int) func(dst []float64, parents, variables []int) {
	g, offset := c.at(j)
	m := gramian{a: g.matrix, d: c.d, j: j, ridge: g.ridge, floor: g.gaussian.floor}
	return g.gaussian.neighbours(m, candidates, g.N, offset)
}
