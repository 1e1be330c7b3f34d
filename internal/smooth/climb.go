package smooth

import (
	"context"
	"math"
	"slices"

	"tobac/dag"
	"tobac/internal/parallel"
	"tobac/score"
)

// mostClimbed bounds the parents of a variable in a graph of [Scorer.Climb], and least the gain in
// nats of a step.
const (
	mostClimbed = 8
	least       = 1e-6
)

// A climber has the graph that a search is at.
type climber struct {
	s     *Scorer
	prior *score.Prior
	graph *dag.Graph
	now   []float64   // score of each variable with its prior
	with  [][]float64 // with[j][i]: the same with the edge i → j toggled; −Inf: not allowed
	work  []*regression
}

// Climb adds, takes out and reverses edges, each time what gains most, until nothing gains: from
// the edges that are required, or from a graph that has them. It fits the equations that it compares.
func (s *Scorer) Climb(
	ctx context.Context, prior *score.Prior, from *dag.Graph, workers int,
) (*dag.Graph, error) {
	d := s.data.d
	if prior == nil {
		prior = score.Fair(d)
	}
	if from == nil {
		from = prior.RequiredEdges()
	}
	c := &climber{s: s, prior: prior, graph: from.Clone()}
	c.now, c.with = make([]float64, d), make([][]float64, d)
	for range d {
		c.work = append(c.work, new(regression))
	}
	err := parallel.For(ctx, d, workers, func(j int) error {
		c.look(j)
		return ctx.Err()
	})
	for err == nil {
		changed := c.step()
		if changed == nil {
			break
		}
		err = parallel.For(ctx, len(changed), workers, func(k int) error {
			c.look(changed[k])
			return ctx.Err()
		})
	}
	return c.graph, err
}

// value is the score of a set of parents with its prior.
func (c *climber) value(j int, parents []int) float64 {
	return score.LogWeight(c.s, c.prior, j, parents)
}

// look computes the scores around the parents of variable j.
func (c *climber) look(j int) {
	s, parents := c.s, c.graph.Parents(j)
	if !s.Known(j, parents) {
		s.Refine(j, parents)
	}
	c.now[j] = c.value(j, parents)
	c.with[j] = make([]float64, s.data.d)
	for i := range s.data.d {
		c.with[j][i] = math.Inf(-1)
		if i == j || c.prior.Forbidden(i, j) {
			continue
		}
		set := score.Toggled(parents, i)
		if len(set) > max(mostClimbed, len(parents)) {
			continue
		}
		if !s.Known(j, set) {
			if len(set) > len(parents) {
				at, _ := slices.BinarySearch(set, i)
				f := s.of[j].find(parents).with(set, at)
				s.settle(c.work[j], j, f, at)
				s.of[j].keep(f)
			} else {
				s.Refine(j, set)
			}
		}
		c.with[j][i] = c.value(j, set)
	}
}

// step makes the change that gains most, and returns the variables whose parents it changes; nil
// if none gains.
func (c *climber) step() (changed []int) {
	best, from, to := least, -1, -1
	reverse := false
	d := c.s.data.d
	for j := range d {
		for i := range d {
			gain := c.with[j][i] - c.now[j]
			switch {
			case i == j:
			case c.graph.Has(i, j):
				if gain > best {
					best, from, to, reverse = gain, i, j, false
				}
				if both := gain + c.with[i][j] - c.now[i]; both > best && !c.reaches(i, j, i, j) {
					best, from, to, reverse = both, i, j, true
				}
			case gain > best && !c.reaches(j, i, -1, -1):
				best, from, to, reverse = gain, i, j, false
			}
		}
	}
	if from < 0 {
		return nil
	}
	c.graph.Set(from, to, !c.graph.Has(from, to))
	if reverse {
		c.graph.Set(to, from, true)
		return []int{from, to}
	}
	return []int{to}
}

// reaches reports whether a path leads from a to b, without the edge i → j.
func (c *climber) reaches(a, b, i, j int) bool {
	d := c.s.data.d
	seen, stack := make([]bool, d), []int{a}
	seen[a] = true
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v == b {
			return true
		}
		for w := range d {
			if !seen[w] && c.graph.Has(v, w) && (v != i || w != j) {
				seen[w] = true
				stack = append(stack, w)
			}
		}
	}
	return false
}

// UnderForms is the log density of a graph under the settings of another scorer of the same data,
// with the forms of the equations of s, as far as they depend on these settings.
func (s *Scorer) UnderForms(g *dag.Graph, other *Scorer) float64 {
	w, sum := new(regression), 0.0
	for j := range s.data.d {
		parents := g.Parents(j)
		if s.linear(j) {
			sum += other.base.LogScore(j, parents)
			continue
		}
		if !s.Known(j, parents) {
			s.Refine(j, parents)
		}
		f := s.of[j].find(parents)
		sum += w.log(other, j, parents, f.form) + f.form.logPrior()
	}
	return sum
}

// Again fits the equations of s with the settings of another scorer of the same data, which has
// none, in the forms that they have under s.
func (s *Scorer) Again(ctx context.Context, other *Scorer, workers int) error {
	room := func() *regression { return new(regression) }
	return parallel.ForWith(ctx, s.data.d, workers, room, func(w *regression, j int) error {
		for _, f := range s.of[j].list {
			g := *f
			g.form = f.form.clone()
			g.mode = w.log(other, j, g.parents, g.form) + g.form.logPrior()
			other.of[j].keep(&g)
		}
		return ctx.Err()
	})
}
