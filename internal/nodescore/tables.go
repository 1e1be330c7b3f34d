package nodescore

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
)

// EquivalentSizes are the equivalent sample sizes that are averaged over: small ones ask for few
// edges, large ones smooth the tables.
var EquivalentSizes = []float64{0.5, 1, 2, 5, 10, 20, 50}

// A TableDraw is the distribution of a category given its parents: drawn from its posterior, or its
// mean.
type TableDraw struct {
	Levels  int   // of the category
	Parents []int // numbers of levels of the parents
	// Rows are probabilities by the configuration of the parents, of which the last changes
	// fastest. Configurations that did not occur have no row: their probabilities are all alike.
	Rows map[int][]float64
}

// DrawTable draws the probabilities of variable j given parents from their posterior. Of
// configurations of the parents that did not occur it takes the means. It panics as LogScore does.
func (s *Dirichlet) DrawTable(j int, parents []int, rng *rand.Rand) *TableDraw {
	t, pseudo := s.counted(j, parents)
	for _, at := range slices.Sorted(maps.Keys(t.Rows)) { // the sequence of random numbers
		drawDirichlet(t.Rows[at], pseudo, rng)
	}
	return t
}

// MeanTable has the posterior means of the probabilities of variable j given parents. It panics as
// LogScore does.
func (s *Dirichlet) MeanTable(j int, parents []int) *TableDraw {
	t, pseudo := s.counted(j, parents)
	for _, row := range t.Rows {
		floats.AddConst(pseudo, row)
		floats.Scale(1/floats.Sum(row), row)
	}
	return t
}

// counted has the counts of variable j given parents in place of probabilities, and the
// pseudo-count of each cell.
func (s *Dirichlet) counted(j int, parents []int) (t *TableDraw, pseudo float64) {
	scoring.CheckParents(s.Vars(), j, parents)
	t = &TableDraw{Levels: s.data.levels[j], Rows: map[int][]float64{}}
	q := 1.0
	for _, i := range parents {
		t.Parents = append(t.Parents, s.data.levels[i])
		q *= float64(s.data.levels[i])
	}
	for u, weight := range s.data.weight {
		if s.data.set != nil && s.data.set[j][u] {
			continue
		}
		at := 0
		for _, i := range parents {
			at = at*s.data.levels[i] + int(s.data.code[i][u])
		}
		if t.Rows[at] == nil {
			t.Rows[at] = make([]float64, t.Levels)
		}
		t.Rows[at][s.data.code[j][u]] += float64(weight)
	}
	switch s.opt.PseudoCounts {
	case BDs:
		return t, s.opt.Alpha / (float64(max(1, len(t.Rows))) * float64(t.Levels))
	case BDJ:
		return t, 0.5
	default:
		return t, s.opt.Alpha / (q * float64(t.Levels))
	}
}

// drawDirichlet replaces counts by probabilities drawn given them.
func drawDirichlet(row []float64, pseudo float64, rng *rand.Rand) {
	highest := math.Inf(-1)
	for k, n := range row {
		// ln of a gamma number, whose shape may be so small that the number underflows
		row[k] = math.Log(scoring.Gamma(n+pseudo+1, rng)) + math.Log(1-rng.Float64())/(n+pseudo)
		highest = max(highest, row[k])
	}
	sum := 0.0
	for k, v := range row {
		row[k] = math.Exp(v - highest)
		sum += row[k]
	}
	for k := range row {
		row[k] /= sum
	}
}

// Row are the probabilities given levels of the parents, by their numbers.
func (t *TableDraw) Row(levels []int) []float64 {
	at := 0
	for k, l := range levels {
		if l < 0 || l >= t.Parents[k] {
			panic(fmt.Sprintf("score: level %d of %d of parent %d", l, t.Parents[k], k+1))
		}
		at = at*t.Parents[k] + l
	}
	if row := t.Rows[at]; row != nil {
		return row
	}
	return slices.Repeat([]float64{1 / float64(t.Levels)}, t.Levels)
}
