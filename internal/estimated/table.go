package estimated

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/inference"
	"tobac/internal/mcmc"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/refinement"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Of the sets of parents that a table takes in.
const (
	FirstSets  = 1500 // of each variable, with few parents, from the beginning: of networks
	growFrom   = 0.01 // probability from which on the sets with one parent more are looked at
	growRounds = 8    // in which sets are added, at most
	gaussRank  = 40   // of the Gaussian processes of more than gaussRows rows
	GaussRows  = 200
)

// A table has node scores: evidences that were estimated, and for sets without an estimate guesses,
// moved by what the two differ by where both are known. Guesses of networks are the scores of
// Gaussian processes, the relatives of networks with infinitely many units.
type table struct {
	prior     *score.Prior
	options   mcmc.Options // of chains, where sums over all orders cost too much
	guesses   guesser
	guess     *nodescore.Pool // what was guessed
	pool      *nodescore.Pool // what is used
	graphs    tablePosterior  // over the graphs under these
	behind    bool            // sets were added that are not in the posterior yet
	estimates estimator       // nil means none yet
	// probability of the sets with an estimate, of the variable with the least
	held float64
	// log density of the units of a variable, to be added to its estimates
	constant []float64
	// how far the edge probabilities by either half of the particles differ
	apart *mat.Dense
}

// newNetworkTable begins with the Gaussian-process scores of small sets.
func newNetworkTable(ctx context.Context, gaussian score.Scorer, prior *score.Prior,
	options mcmc.Options) (*table, error) {
	return newTable(ctx, gaussian.Vars(), scoredBy(gaussian, options.Workers), prior, options,
		FirstSets)
}

// newTable has guesses of all small sets that the prior allows, about as many of each variable as
// asked for, and of those around the probable ones.
func newTable(ctx context.Context, d int, guesses guesser, prior *score.Prior, options mcmc.Options,
	first float64) (*table, error) {
	t := &table{prior: prior, options: options, guesses: guesses, guess: nodescore.NewPool(d)}
	var list []nodescore.Family
	for j := range d {
		var required, free []int
		for i := range d {
			switch {
			case i == j || prior.Forbidden(i, j):
			case prior.Required(i, j):
				required = append(required, i)
			default:
				free = append(free, i)
			}
		}
		most, total, term := 0, 1.0, 1.0
		for most < len(free) {
			term *= float64(len(free)-most) / float64(most+1)
			if total += term; total > first {
				break
			}
			most++
		}
		inference.Subsets(free, most, func(some []int) {
			list = append(list, nodescore.Family{Of: j,
				Set: slices.Sorted(slices.Values(slices.Concat(required, some)))})
		})
	}
	if err := t.score(ctx, list); err != nil {
		return nil, err
	}
	return t, t.grow(ctx)
}

// score adds the sets of a list that are new and that the prior allows.
func (t *table) score(ctx context.Context, list []nodescore.Family) error {
	list = slices.DeleteFunc(list, func(p nodescore.Family) bool {
		return t.guess.Has(p.Of, p.Set) || math.IsInf(t.prior.LogPrior(p.Of, p.Set), -1)
	})
	// Sets with the same members, of different variables, share most of the work.
	slices.SortStableFunc(list, func(a, b nodescore.Family) int {
		return cmp.Or(cmp.Compare(len(a.Set), len(b.Set)), slices.Compare(a.Set, b.Set))
	})
	scores, err := t.guesses(ctx, list)
	if err != nil {
		return err
	}
	for k, p := range list {
		t.guess.Put(p.Of, p.Set, scores[k])
	}
	t.fill()
	return nil
}

// scoredBy has node scores for guesses.
func scoredBy(s score.Scorer, workers int) guesser {
	return func(ctx context.Context, list []nodescore.Family) ([]float64, error) {
		scores := make([]float64, len(list))
		var first []int // of the runs of equal sets
		for k, p := range list {
			if k == 0 || !slices.Equal(p.Set, list[k-1].Set) {
				first = append(first, k)
			}
		}
		return scores, parallel.For(ctx, len(first), workers, func(run int) error {
			end := len(list)
			if run+1 < len(first) {
				end = first[run+1]
			}
			for k := first[run]; k < end; k++ {
				p := list[k]
				if r, ok := s.(refinement.Refinable); ok && !r.Known(p.Of, p.Set) {
					r.Refine(p.Of, p.Set)
				}
				if scores[k] = s.LogScore(p.Of, p.Set); math.IsNaN(scores[k]) ||
					math.IsInf(scores[k], 1) {
					return &score.VariableError{Variable: p.Of,
						Err: fmt.Errorf("log score of the parents %v is %v, want a finite number",
							p.Set, scores[k])}
				}
			}
			return nil
		})
	}
}

// rescore takes other Gaussian-process scores for the same sets, and for those around the probable
// ones.
func (t *table) rescore(ctx context.Context, gaussian score.Scorer) error {
	var list []nodescore.Family
	for j := range t.guess.Vars() {
		for _, e := range t.guess.Sets(j) {
			list = append(list, nodescore.Family{Of: j, Set: e.Parents})
		}
	}
	t.guesses, t.guess = scoredBy(gaussian, t.options.Workers), nodescore.NewPool(gaussian.Vars())
	if err := t.score(ctx, list); err != nil {
		return err
	}
	return t.grow(ctx)
}

// fill computes the scores that are used.
func (t *table) fill() {
	d := t.guess.Vars()
	if t.estimates == nil {
		t.pool = t.guess
		return
	}
	t.pool = nodescore.NewPool(d)
	for j := range d {
		offset := t.offset(j)
		for _, e := range t.guess.Sets(j) {
			v := e.Score + offset(len(e.Parents))
			if known, ok := t.estimates.of(j, e.Parents); ok {
				v = known.log + t.constant[j]
			}
			t.pool.Put(j, e.Parents, v)
		}
	}
}

// offset is what estimates are above Gaussian-process scores, by the number of parents: a straight
// line through the estimates, whose slope is drawn to 0 where they are few.
func (t *table) offset(j int) func(parents int) float64 {
	var sizes, above []float64
	for _, e := range t.guess.Sets(j) {
		if known, ok := t.estimates.of(j, e.Parents); ok {
			sizes, above = append(sizes, float64(len(e.Parents))),
				append(above, known.log+t.constant[j]-e.Score)
		}
	}
	if len(above) == 0 {
		return func(int) float64 { return 0 }
	}
	n := float64(len(above))
	var x, y, xx, xy float64
	for k, v := range above {
		x += sizes[k] / n
		y += v / n
	}
	for k, v := range above {
		xx += (sizes[k] - x) * (sizes[k] - x)
		xy += (sizes[k] - x) * (v - y)
	}
	slope := xy / (xx + 2)
	return func(parents int) float64 { return y + slope*(float64(parents)-x) }
}

// A weightedSet is a set of parents with its posterior probability.
type weightedSet struct {
	nodescore.Family
	probability float64
}

// probable are the sets of each variable with their probabilities, those above a bound, the most
// probable first.
func (t *table) probable(above float64) [][]weightedSet {
	all := make([][]weightedSet, t.guess.Vars())
	for j := range all {
		all[j] = t.graphs.probable(j, above)
		slices.SortStableFunc(all[j], func(a, b weightedSet) int {
			return cmp.Compare(b.probability, a.probability)
		})
	}
	return all
}

// grow computes the posterior, and adds sets around the probable ones, in turn, until there are
// none.
func (t *table) grow(ctx context.Context) (err error) {
	for range growRounds {
		if err := t.sum(ctx); err != nil || !t.behind {
			return err
		}
	}
	t.behind = false
	t.graphs, err = t.under(ctx, t.pool)
	return err
}

// sum computes the posterior, and adds sets with one parent more than a probable one, and than
// those of them that may be probable: more or less than what they extend by the ratio of their
// densities, and among the sets of the variable.
func (t *table) sum(ctx context.Context) (err error) {
	t.graphs = nil // makes room
	if t.graphs, err = t.under(ctx, t.pool); err != nil {
		return err
	}
	before := t.size()
	for around := slices.Concat(t.probable(growFrom)...); len(around) > 0; {
		list, of := t.neighbours(around)
		if err := t.score(ctx, slices.Clone(list)); err != nil { // which sorts them
			return err
		}
		totals := t.totals()
		next := around[:0:0]
		for k, p := range list {
			log := t.logDensity(p)
			v := of[k].probability * math.Exp(log-t.logDensity(of[k].Family))
			if min(v, math.Exp(log-totals[p.Of])) >= growFrom {
				next = append(next, weightedSet{p, min(v, 1)})
			}
		}
		around = next
	}
	t.behind = t.size() > before
	return nil
}

// totals are the log densities of all sets of each variable together.
func (t *table) totals() []float64 {
	all := make([]float64, t.guess.Vars())
	for j := range all {
		var logs []float64
		for _, e := range t.pool.Sets(j) {
			logs = append(logs, t.logDensity(nodescore.Family{Of: j, Set: e.Parents}))
		}
		all[j] = floats.LogSumExp(logs)
	}
	return all
}

// logDensity is the score of a set with its prior.
func (t *table) logDensity(p nodescore.Family) float64 {
	return t.pool.LogScore(p.Of, p.Set) + t.prior.LogPrior(p.Of, p.Set)
}

// size is the number of sets of all variables.
func (t *table) size() (n int) {
	for j := range t.guess.Vars() {
		n += len(t.guess.Sets(j))
	}
	return n
}

// neighbours are the sets with one parent more that the table does not have, without those with a
// forbidden edge, and what they extend.
func (t *table) neighbours(all []weightedSet) (list []nodescore.Family, of []weightedSet) {
	d := t.guess.Vars()
	listed := make([]nodescore.DistinctSets, d)
	for j := range listed {
		listed[j] = nodescore.DistinctSets{}
	}
	for _, w := range all {
		j := w.Of
		for i := range d {
			if i == j || slices.Contains(w.Set, i) || t.prior.Forbidden(i, j) {
				continue
			}
			set := nodescore.Toggled(w.Set, i)
			if !t.guess.Has(j, set) && listed[j].Add(set) {
				list, of = append(list, nodescore.Family{Of: j, Set: set}), append(of, w)
			}
		}
	}
	return list, of
}
