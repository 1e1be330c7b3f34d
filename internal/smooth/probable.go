package smooth

import (
	"context"
	"math"
	"slices"

	"tobac/dag"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/search"
	"tobac/internal/stream"
	"tobac/score"
)

// mostSearched bounds the parents of a variable in a graph of [Scorer.Probable].
const mostSearched = 8

// A fitting is a score that fits the equations that it is asked for, one parent after the other.
type fitting struct {
	*Scorer
	workers int
}

var _ nodescore.ToggleScorer = fitting{}

// LogScore implements [score.Scorer].
func (s fitting) LogScore(j int, parents []int) float64 {
	if !s.Known(j, parents) && !s.lessen(j, parents) {
		s.Refine(j, parents)
	}
	return s.Scorer.LogScore(j, parents)
}

// lessen fits an equation from one that was fitted with a parent more: the first there is, if any.
func (s fitting) lessen(j int, parents []int) bool {
	for i := range s.data.d {
		at, found := slices.BinarySearch(parents, i)
		if found || i == j {
			continue
		}
		if f := s.of[j].find(nodescore.Toggled(parents, i)); f != nil {
			s.of[j].keep(s.without(new(system), j, f, at))
			return true
		}
	}
	return false
}

// LogScoresToggled implements [nodescore.ToggleScorer].
func (s fitting) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	s.LogScore(j, parents)
	allowed := slices.Clone(variables)
	if len(parents) >= mostSearched {
		allowed = slices.DeleteFunc(allowed, func(i int) bool {
			return !slices.Contains(parents, i)
		})
	}
	s.refineNeighbours(j, parents, allowed, s.workers)
	for k, i := range variables {
		dst[k] = math.Inf(-1)
		if slices.Contains(allowed, i) {
			dst[k] = s.LogScore(j, nodescore.Toggled(parents, i))
		}
	}
}

// RefineNeighbours fits sets with one parent more or less than a fitted one, as far as they were
// not fitted, from its equation: the amplitudes of a parent more are found given those of the
// others.
func (s *Scorer) RefineNeighbours(j int, parents, toggled []int) {
	s.refineNeighbours(j, parents, toggled, 1)
}

func (s *Scorer) refineNeighbours(j int, parents, toggled []int, workers int) {
	if s.linear(j) {
		return
	}
	from := s.of[j].find(parents)
	var open []int
	for _, i := range toggled {
		if !s.Known(j, nodescore.Toggled(parents, i)) {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return
	}
	var base system
	base.of(s, j, from)
	fits := make([]*fit, len(open))
	_ = parallel.ForWith(context.Background(), len(open), workers, // without errors
		func() *system { return new(system) }, func(y *system, k int) error {
			set := nodescore.Toggled(parents, open[k])
			at, more := slices.BinarySearch(set, open[k])
			if !more {
				fits[k] = s.without(y, j, from, at)
				return nil
			}
			fits[k] = from.with(set, at)
			y.copy(&base)
			s.settle(y, fits[k], at)
			return nil
		})
	for _, f := range fits {
		s.of[j].keep(f)
	}
}

// Probable is a probable graph, by package search: from a graph, or from one that is probable with
// straight lines. It fits the equations that it compares.
func (s *Scorer) Probable(
	ctx context.Context, prior *score.Prior, from *dag.Graph, workers int,
) (*dag.Graph, error) {
	if prior == nil {
		prior = score.Fair(s.data.d)
	}
	climb := func(under score.Scorer, tries int) error {
		screen, err := search.NewScreen(ctx, under, prior, workers)
		if err != nil {
			return err
		}
		at := search.At(screen, stream.New(0, stream.GraphSearch), from)
		err = at.Run(ctx, tries)
		from = at.Graph()
		return err
	}
	if from == nil {
		from = prior.RequiredEdges()
		if err := climb(s.base, 0); err != nil {
			return nil, err
		}
	}
	return from, climb(fitting{s, workers}, s.data.d) // each try fits hundreds of equations
}

// FitGraph fits the equations of a graph.
func (s *Scorer) FitGraph(g *dag.Graph) {
	y := new(system)
	for j := range s.data.d {
		if s.linear(j) {
			continue
		}
		parents := g.Parents(j)
		for size := range min(len(parents), 2) + 1 {
			combinations(parents, size, func(some []int) {
				s.of[j].keep(s.quick(y, j, slices.Clone(some)))
			})
		}
		s.Refine(j, parents)
	}
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
