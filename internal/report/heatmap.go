package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/scene"
)

// mostCells are the variables that heat maps have at most, those with the surest relations.
const mostCells = 60

// shown are the variables that heat maps have: all, or those with the greatest adjacency
// to any other, in the sequence of the columns.
func (c *Content) shown(all []relation) []int {
	best := make([]float64, len(c.Names))
	order := make([]int, len(c.Names))
	for v := range order {
		order[v] = v
	}
	if len(order) <= mostCells {
		return order
	}
	for _, r := range all {
		best[r.from], best[r.to] = math.Max(best[r.from], r.adjacent), math.Max(best[r.to], r.adjacent)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(best[b], best[a]) })
	kept := order[:mostCells]
	slices.Sort(kept)
	return kept
}

func (c *Content) adjacencyMap(variables []int) *scene.Scene {
	p := c.Marginals.Probabilities
	h := scene.HeatMap{Names: c.Names, Variables: variables, Fill: scene.Heat, On: scene.HeatText, Value: func(i, j int) float64 { return math.Min(1, p.At(i, j)+p.At(j, i)) }}
	h.Tip = func(i, j int) string {
		return fmt.Sprintf("%s — %s related: %s", scene.Clean(c.Names[i]), scene.Clean(c.Names[j]), scene.Percent(h.Value(i, j)))
	}
	return h.Draw()
}

// leastRelated is the adjacency from which the direction given adjacency is drawn: what
// hardly ever is there has no direction worth a look.
const leastRelated = 0.05

func (c *Content) directionMap(variables []int) *scene.Scene {
	p := c.Marginals.Probabilities
	h := scene.HeatMap{Names: c.Names, Variables: variables, Fill: scene.Turn, On: scene.TurnText, Rows: "cause", Columns: "effect"}
	h.Value = func(i, j int) float64 {
		if both := p.At(i, j) + p.At(j, i); both >= leastRelated {
			return p.At(i, j) / both
		}
		return math.NaN()
	}
	h.Tip = func(i, j int) string {
		return fmt.Sprintf("%s → %s: %s, if they are related", scene.Clean(c.Names[i]), scene.Clean(c.Names[j]), scene.Percent(h.Value(i, j)))
	}
	return h.Draw()
}

func (c *Content) matrixMap(m *mat.Dense, variables []int, rows, columns string, tip func(from, to, p string) string) *scene.Scene {
	h := scene.HeatMap{Names: c.Names, Variables: variables, Fill: scene.Heat, On: scene.HeatText, Rows: rows, Columns: columns, Value: func(i, j int) float64 { return math.Min(1, m.At(i, j)) }}
	h.Tip = func(i, j int) string {
		return tip(scene.Clean(c.Names[i]), scene.Clean(c.Names[j]), scene.Percent(m.At(i, j)))
	}
	return h.Draw()
}
