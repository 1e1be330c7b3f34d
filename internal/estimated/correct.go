package estimated

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

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
	// in which sets near the probable ones are estimated, of the variables whose guesses are so
	// many nats from the estimates, and so many of each
	doubtRounds  = 4
	doubtFrom    = 5
	mostDoubtful = 12
)

// correct estimates the sets that hold the probability, the more precisely the more they hold, and
// computes the posterior under their evidences, in turn.
func (t *table) correct(ctx context.Context, rounds int, say func(text string)) error {
	tried := 0
	for round := 1; ; round++ {
		all, precisions := t.probable(estimateFrom), t.estimates.precisions()
		work := make([][]nodescore.Family, len(precisions))
		work[0], t.held = t.open(all)
		sets := len(work[0])
		if sets == 0 && tried < doubtRounds {
			tried++
			list, err := t.doubtful(ctx, all)
			if err != nil {
				return err
			}
			work[len(work)-2] = list
			sets = len(list)
		}
		for level := 1; level < len(precisions); level++ {
			coarse := t.coarse(all, level)
			work[level] = append(work[level], coarse...)
			sets += len(coarse)
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

// doubtful are the sets one parent away from the probable ones of the variables whose guesses are
// far from their estimates, of which they may be as probable for all that is known.
func (t *table) doubtful(ctx context.Context, all [][]weightedSet) ([]nodescore.Family, error) {
	finest := t.estimates.precisions()
	d := t.guess.Vars()
	var near []weightedSet // with the probable set that each is near to
	var list []nodescore.Family
	wide := make([]float64, d)
	for j, sets := range all {
		if wide[j] = t.deviation(j); wide[j] < doubtFrom {
			continue
		}
		listed := nodescore.DistinctSets{}
		for _, w := range sets {
			if w.probability < finest[len(finest)-1].from {
				break
			}
			for i := range d {
				if i == j {
					continue
				}
				set := nodescore.Toggled(w.Set, i)
				if _, ok := t.estimates.of(j, set); !ok && listed.Add(set) &&
					!math.IsInf(t.prior.LogPrior(j, set), -1) {
					near, list = append(near, w), append(list, nodescore.Family{Of: j, Set: set})
				}
			}
		}
	}
	if err := t.score(ctx, slices.Clone(list)); err != nil { // which sorts them
		return nil, err
	}
	hopeful := make([][]nodescore.Family, d)
	for k, p := range list {
		if t.logDensity(p)+2*wide[p.Of] >= t.logDensity(near[k].Family) {
			hopeful[p.Of] = append(hopeful[p.Of], p)
		}
	}
	list = list[:0:0]
	for _, some := range hopeful {
		slices.SortStableFunc(some, func(a, b nodescore.Family) int {
			return cmp.Compare(t.logDensity(b), t.logDensity(a))
		})
		list = append(list, some[:min(len(some), mostDoubtful)]...)
	}
	return list, nil
}

// deviation is the standard deviation of the estimates of a variable from what guesses say.
func (t *table) deviation(j int) float64 {
	offset := t.offset(j)
	n, square := 0.0, 0.0
	for _, e := range t.guess.Sets(j) {
		if known, ok := t.estimates.of(j, e.Parents); ok {
			v := known.log + t.constant[j] - e.Score - offset(len(e.Parents))
			n, square = n+1, square+v*v
		}
	}
	if n < 3 {
		return 0
	}
	return math.Sqrt(square / n)
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
