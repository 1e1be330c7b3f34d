package networks

import (
	"context"
	"fmt"
	"math"

	"tobac/internal/exact"
	"tobac/internal/nodescore"

	"gonum.org/v1/gonum/mat"
)

// Of the estimates that correct a table of networks.
const (
	estimateFrom  = 1e-4 // probability from which on a set may be estimated
	leftOpen      = 0.01 // probability of the sets of a variable that may stay without an estimate
	correctRounds = 12   // in which sets are estimated, at most
	// the same under chains, whose probabilities are never quite the same; half and a third of them
	// where estimates became more precise
	sampledRounds = 6
	// in which estimates become more precise where the halves do not agree, at most
	refineRounds = 2
)

// correct estimates the sets that hold the probability, the more precisely the more they hold, and
// computes the posterior under their evidences, in turn.
func (t *table) correct(ctx context.Context, rounds int, say func(text string)) error {
	for round := 1; ; round++ {
		all, precisions := t.probable(estimateFrom), t.estimates.precisions()
		work := make([][]nodescore.Family, len(precisions))
		work[0], t.held = t.open(all)
		sets := len(work[0])
		for level := 1; level < len(precisions); level++ {
			work[level] = t.coarse(all, level)
			sets += len(work[level])
		}
		if sets == 0 || round > rounds {
			if !t.behind {
				return nil
			}
			if err := t.grow(ctx); err != nil {
				return err
			}
			continue
		}
		say(fmt.Sprintf("%s, round %d: %d sets of parents", t.estimates.about().evidences, round,
			sets))
		for level, list := range work {
			if err := t.estimates.estimate(ctx, list, precisions[level].points, 1); err != nil {
				return err
			}
		}
		t.fill()
		if err := t.sum(ctx); err != nil {
			return err
		}
	}
}

// settle corrects the table. Where the two halves of the particles do not agree on the parents of a
// variable, its sets get twice the particles and the sweeps, in turn.
func (t *table) settle(ctx context.Context, say func(text string)) error {
	for round := 0; ; round++ {
		rounds := correctRounds
		if t.guess.Vars() > exact.Affordable {
			rounds = sampledRounds / (round + 1)
		}
		if err := t.correct(ctx, rounds, say); err != nil {
			return err
		}
		say("the two halves of the estimates compared")
		if err := t.compareHalves(ctx); err != nil {
			return err
		}
		if round == refineRounds || mat.Max(t.apart) <= limitHalves[0] {
			return nil
		}
		if err := t.refine(ctx, 2<<round, say); err != nil {
			return err
		}
	}
}

// refine estimates the most probable sets of the variables on whose parents the halves do not agree
// with a factor of the particles and the sweeps.
func (t *table) refine(ctx context.Context, factor int, say func(text string)) error {
	precisions := t.estimates.precisions()
	finest := precisions[len(precisions)-1]
	var list []nodescore.Family
	for j, sets := range t.probable(finest.from) {
		if mat.Max(t.apart.ColView(j)) <= limitHalves[0] {
			continue
		}
		for _, w := range sets {
			if _, ok := t.estimates.of(j, w.Set); ok {
				list = append(list, w.Family)
			}
		}
	}
	say(fmt.Sprintf("%s, more precisely: %d sets of parents", t.estimates.about().evidences,
		len(list)))
	if err := t.estimates.estimate(ctx, list, factor*finest.points, factor); err != nil {
		return err
	}
	t.fill()
	return t.grow(ctx)
}

// compareHalves computes how far the edge probabilities by either half of the particles differ.
func (t *table) compareHalves(ctx context.Context) error {
	var edges [2]*mat.Dense
	for k := range edges {
		p, err := t.under(ctx, t.half(k))
		if err != nil {
			return err
		}
		edges[k] = p.edges()
	}
	t.apart = new(mat.Dense)
	t.apart.Sub(edges[0], edges[1])
	t.apart.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, t.apart)
	return nil
}

// open are the sets without an estimate that hold too much of the probability, and what those with
// one hold of that of the variable of which it is least.
func (t *table) open(all [][]weightedSet) (list []nodescore.Family, held float64) {
	held = 1
	for j, sets := range all {
		own := 0.0
		for _, w := range sets {
			if _, ok := t.estimates.of(j, w.Set); ok {
				own += w.probability
			}
		}
		held = min(held, own)
		for _, w := range sets {
			if 1-own < leftOpen {
				break
			}
			if _, ok := t.estimates.of(j, w.Set); !ok {
				list = append(list, w.Family)
				own += w.probability
			}
		}
	}
	return list, held
}

// coarse are the sets of a level whose estimates have fewer particles.
func (t *table) coarse(all [][]weightedSet, level int) (list []nodescore.Family) {
	below, precisions := math.Inf(1), t.estimates.precisions()
	if level+1 < len(precisions) {
		below = precisions[level+1].from
	}
	for j, sets := range all {
		for _, w := range sets {
			known, ok := t.estimates.of(j, w.Set)
			if w.probability >= precisions[level].from && w.probability < below && ok &&
				known.points < precisions[level].points {
				list = append(list, w.Family)
			}
		}
	}
	return list
}

// half has the scores of one of the two populations of each set, number 0 or 1.
func (t *table) half(number int) *nodescore.Pool {
	p := nodescore.NewPool(t.guess.Vars())
	for j := range t.guess.Vars() {
		for _, e := range t.pool.Sets(j) {
			v := e.Score
			if known, ok := t.estimates.of(j, e.Parents); ok {
				v = known.halves[number] + t.constant[j]
			}
			p.Put(j, e.Parents, v)
		}
	}
	return p
}
