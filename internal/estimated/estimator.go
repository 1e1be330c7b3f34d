package estimated

import (
	"context"

	"tobac/dag"
	"tobac/internal/nodescore"
	"tobac/posterior"
)

// A guesser has approximate scores of sets of parents, in their sequence.
type guesser func(ctx context.Context, list []nodescore.Family) ([]float64, error)

// An estimator estimates evidences of sets of parents, and keeps what it estimated.
type estimator interface {
	// of is the estimate of a set of parents of variable j, if there is one.
	of(j int, set []int) (v estimated, ok bool)
	// estimate estimates sets with a number of points, and with so many times the usual work for
	// each, in place of what was known of them.
	estimate(ctx context.Context, list []nodescore.Family, points, work int) error
	count() int // of the sets that have an estimate
	// equip gives draws of graphs parameters of the sets of parents that they have, in turn, with
	// their log densities.
	equip(p *posterior.Posterior) error
	precisions() []precision
	about() words
	close()
}

// An estimated evidence is the logarithm of the mean of two independent estimates, the halves, by
// a number of points of both together.
type estimated struct {
	log    float64
	halves [2]float64
	points int
}

// words of an estimator.
type words struct {
	evidences, points, guesses string
}

// A precision is a number of points of an estimate, and the probability of a set from which on it
// has so many: sets that turn out to matter less cost less.
type precision struct {
	points int
	from   float64
}

// missing are the sets of parents in graphs that have no estimate, each once.
func missing(e estimator, graphs []*dag.Graph) (list []nodescore.Family) {
	listed := map[string]bool{}
	for _, g := range graphs {
		for j := range g.Len() {
			set := g.Parents(j)
			_, ok := e.of(j, set)
			if k := nodescore.FamilyKey(j, set); !ok && !listed[k] {
				listed[k] = true
				list = append(list, nodescore.Family{Of: j, Set: set})
			}
		}
	}
	return list
}
