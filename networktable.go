package tobac

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/exact"
	"tobac/internal/parallel"
	"tobac/score"
	"tobac/tempering"

	"gonum.org/v1/gonum/mat"
)

// Of the sets of parents that a table of networks takes in.
const (
	firstSets     = 1500 // of each variable, with few parents, from the beginning
	growFrom      = 0.01 // probability from which on the sets with one parent more are looked at
	estimateFrom  = 1e-4 // probability from which on a set may be estimated
	leftOpen      = 0.01 // probability of the sets of a variable that may stay without an estimate
	growRounds    = 8    // in which sets are added, at most
	correctRounds = 12   // in which sets are estimated, at most
	refineRounds  = 2    // in which estimates become more precise where the halves do not agree, at most
	gaussRank     = 40   // of the Gaussian processes of more than gaussRows rows
	gaussRows     = 200
)

// precisions are the numbers of particles of an estimate, and the probabilities of a set from which on it has so many: sets that turn out to matter less cost less.
var precisions = []struct {
	particles int
	from      float64
}{{16, 0}, {64, 0.002}, {512, 0.02}}

// A networkTable has the node scores of networks: evidences that were estimated, and for sets without an estimate those of Gaussian processes, the
// relatives of networks with infinitely many units, moved by what the two differ by where both are known.
type networkTable struct {
	prior     *score.Prior
	workers   int
	gaussian  score.Scorer
	guess     *score.Pool       // Gaussian-process scores
	pool      *score.Pool       // what is used
	orders    *exact.Orders     // the sums over all orders under these
	estimates *networkEstimates // nil: none yet
	held      float64           // probability of the sets with an estimate, of the variable with the least
	constant  []float64         // log density of the units of a variable, to be added to its estimates
	apart     *mat.Dense        // how far the edge probabilities by either half of the particles differ
}

// newNetworkTable has the Gaussian-process scores of all small sets that the prior allows, and of those around the probable ones.
func newNetworkTable(ctx context.Context, gaussian score.Scorer, prior *score.Prior, workers int) (*networkTable, error) {
	d := gaussian.Vars()
	t := &networkTable{prior: prior, workers: workers, gaussian: gaussian, guess: score.NewPool(d)}
	var list []tempering.Parents
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
			if total += term; total > firstSets {
				break
			}
			most++
		}
		subsets(free, most, func(some []int) {
			list = append(list, tempering.Parents{Of: j, Set: slices.Sorted(slices.Values(slices.Concat(required, some)))})
		})
	}
	if err := t.score(ctx, list); err != nil {
		return nil, err
	}
	return t, t.grow(ctx)
}

// subsets visits those of at most k members, in a slice that the next one overwrites.
func subsets(of []int, k int, visit func([]int)) {
	var next func(chosen []int, from int)
	next = func(chosen []int, from int) {
		visit(chosen)
		if len(chosen) == k {
			return
		}
		for at := from; at < len(of); at++ {
			next(append(chosen, of[at]), at+1)
		}
	}
	next(make([]int, 0, k), 0)
}

// score adds the sets of a list that are new and that the prior allows.
func (t *networkTable) score(ctx context.Context, list []tempering.Parents) error {
	list = slices.DeleteFunc(list, func(p tempering.Parents) bool {
		return t.guess.Has(p.Of, p.Set) || math.IsInf(t.prior.LogPrior(p.Of, p.Set), -1)
	})
	// Sets with the same members, of different variables, share most of the work.
	slices.SortStableFunc(list, func(a, b tempering.Parents) int {
		return cmp.Or(cmp.Compare(len(a.Set), len(b.Set)), slices.Compare(a.Set, b.Set))
	})
	scores := make([]float64, len(list))
	var first []int // of the runs of equal sets
	for k, p := range list {
		if k == 0 || !slices.Equal(p.Set, list[k-1].Set) {
			first = append(first, k)
		}
	}
	err := parallel.For(ctx, len(first), t.workers, func(run int) error {
		end := len(list)
		if run+1 < len(first) {
			end = first[run+1]
		}
		for k := first[run]; k < end; k++ {
			p := list[k]
			if scores[k] = t.gaussian.LogScore(p.Of, p.Set); math.IsNaN(scores[k]) || math.IsInf(scores[k], 1) {
				return &score.VariableError{Variable: p.Of, Err: fmt.Errorf("log score of the parents %v is %v, want a finite number", p.Set, scores[k])}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, p := range list {
		t.guess.Put(p.Of, p.Set, scores[k])
	}
	t.fill()
	return nil
}

// rescore takes other Gaussian-process scores for the same sets, and for those around the probable ones.
func (t *networkTable) rescore(ctx context.Context, gaussian score.Scorer) error {
	var list []tempering.Parents
	for j := range t.guess.Vars() {
		for _, e := range t.guess.Sets(j) {
			list = append(list, tempering.Parents{Of: j, Set: e.Parents})
		}
	}
	t.gaussian, t.guess = gaussian, score.NewPool(gaussian.Vars())
	if err := t.score(ctx, list); err != nil {
		return err
	}
	return t.grow(ctx)
}

// fill computes the scores that are used.
func (t *networkTable) fill() {
	d := t.guess.Vars()
	if t.estimates == nil {
		t.pool = t.guess
		return
	}
	t.pool = score.NewPool(d)
	for j := range d {
		offset := t.offset(j)
		for _, e := range t.guess.Sets(j) {
			v := e.Score + offset(len(e.Parents))
			if known := t.estimates.of(j, e.Parents); known != nil {
				v = known.LogEvidence + t.constant[j]
			}
			t.pool.Put(j, e.Parents, v)
		}
	}
}

// offset is what estimates are above Gaussian-process scores, by the number of parents: a straight line through the estimates, whose slope is drawn to 0 where
// they are few.
func (t *networkTable) offset(j int) func(parents int) float64 {
	var sizes, above []float64
	for _, e := range t.guess.Sets(j) {
		if known := t.estimates.of(j, e.Parents); known != nil {
			sizes, above = append(sizes, float64(len(e.Parents))), append(above, known.LogEvidence+t.constant[j]-e.Score)
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

// sumOver are the sums over all orders under scores of the sets.
func (t *networkTable) sumOver(ctx context.Context, s score.Scorer) (*exact.Orders, error) {
	p, err := exact.New(ctx, s, t.prior, exact.Options{Workers: t.workers})
	if err != nil {
		return nil, err
	}
	return p.Orders(ctx)
}

// best is the most probable graph.
func (t *networkTable) best(ctx context.Context) (*dag.Graph, error) {
	return mostProbable(ctx, t.pool, t.prior, t.workers)
}

// A weightedSet is a set of parents with its posterior probability.
type weightedSet struct {
	tempering.Parents
	probability float64
}

// probable are the sets of each variable with their probabilities over all orders, those above a bound, the most probable first.
func (t *networkTable) probable(above float64) [][]weightedSet {
	d := t.guess.Vars()
	all := make([][]weightedSet, d)
	for j := range d {
		for set, p := range t.orders.ParentSets(j) {
			if p < above {
				continue
			}
			w := weightedSet{tempering.Parents{Of: j}, p}
			for k := range d - 1 {
				if set>>k&1 == 1 {
					i := k
					if k >= j {
						i++
					}
					w.Set = append(w.Set, i)
				}
			}
			all[j] = append(all[j], w)
		}
		slices.SortStableFunc(all[j], func(a, b weightedSet) int { return cmp.Compare(b.probability, a.probability) })
	}
	return all
}

// grow sums over all orders, and adds sets with one parent more than a probable one, in turn, until there are none.
func (t *networkTable) grow(ctx context.Context) (err error) {
	for range growRounds {
		if t.orders, err = t.sumOver(ctx, t.pool); err != nil {
			return err
		}
		before := t.size()
		if err := t.score(ctx, t.neighbours(t.probable(growFrom))); err != nil {
			return err
		}
		if t.size() == before {
			return nil
		}
	}
	t.orders, err = t.sumOver(ctx, t.pool)
	return err
}

// size is the number of sets of all variables.
func (t *networkTable) size() (n int) {
	for j := range t.guess.Vars() {
		n += len(t.guess.Sets(j))
	}
	return n
}

// neighbours are the sets with one parent more, without those with a forbidden edge.
func (t *networkTable) neighbours(all [][]weightedSet) (list []tempering.Parents) {
	d := t.guess.Vars()
	for j, sets := range all {
		listed := distinctSets{}
		for _, w := range sets {
			for i := range d {
				if i == j || slices.Contains(w.Set, i) || t.prior.Forbidden(i, j) {
					continue
				}
				set := toggled(w.Set, i)
				if listed.add(set) {
					list = append(list, tempering.Parents{Of: j, Set: set})
				}
			}
		}
	}
	return list
}

// correct estimates the sets that hold the probability, the more precisely the more they hold, and computes the posterior under their evidences, in
// turn.
func (t *networkTable) correct(ctx context.Context, say func(round, sets int)) error {
	for round := 1; ; round++ {
		all := t.probable(estimateFrom)
		work := make([][]tempering.Parents, len(precisions))
		work[0], t.held = t.open(all)
		sets := len(work[0])
		for level := 1; level < len(precisions); level++ {
			work[level] = t.coarse(all, level)
			sets += len(work[level])
		}
		if sets == 0 || round > correctRounds {
			return nil
		}
		say(round, sets)
		for level, list := range work {
			if _, err := t.estimates.estimate(ctx, list, precisions[level].particles); err != nil {
				return err
			}
		}
		t.fill()
		if err := t.grow(ctx); err != nil {
			return err
		}
	}
}

// settle corrects the table. Where the two halves of the particles do not agree on the parents of a variable, its sets get twice the particles and the sweeps,
// in turn.
func (t *networkTable) settle(ctx context.Context, say func(text string)) error {
	for round := 0; ; round++ {
		err := t.correct(ctx, func(round, sets int) {
			say(fmt.Sprintf("evidences of networks, round %d: %d sets of parents", round, sets))
		})
		if err != nil {
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

// refine estimates the most probable sets of the variables on whose parents the halves do not agree with a factor of the particles and the sweeps.
func (t *networkTable) refine(ctx context.Context, factor int, say func(text string)) error {
	finest := precisions[len(precisions)-1]
	var list []tempering.Parents
	for j, sets := range t.probable(finest.from) {
		if mat.Max(t.apart.ColView(j)) <= limitHalves[0] {
			continue
		}
		for _, w := range sets {
			if t.estimates.of(j, w.Set) != nil {
				list = append(list, w.Parents)
			}
		}
	}
	say(fmt.Sprintf("evidences of networks, more precisely: %d sets of parents", len(list)))
	if _, err := t.estimates.withSweeps(factor*setSweeps).estimate(ctx, list, factor*finest.particles); err != nil {
		return err
	}
	t.fill()
	return t.grow(ctx)
}

// compareHalves computes how far the edge probabilities by either half of the particles differ.
func (t *networkTable) compareHalves(ctx context.Context) error {
	var edges [2]*mat.Dense
	for k := range edges {
		o, err := t.sumOver(ctx, t.half(k))
		if err != nil {
			return err
		}
		edges[k] = o.Edges()
	}
	t.apart = new(mat.Dense)
	t.apart.Sub(edges[0], edges[1])
	t.apart.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, t.apart)
	return nil
}

// open are the sets without an estimate that hold too much of the probability, and what those with one hold of that of the variable of which it is least.
func (t *networkTable) open(all [][]weightedSet) (list []tempering.Parents, held float64) {
	held = 1
	for j, sets := range all {
		own := 0.0
		for _, w := range sets {
			if t.estimates.of(j, w.Set) != nil {
				own += w.probability
			}
		}
		held = min(held, own)
		for _, w := range sets {
			if 1-own < leftOpen {
				break
			}
			if t.estimates.of(j, w.Set) == nil {
				list = append(list, w.Parents)
				own += w.probability
			}
		}
	}
	return list, held
}

// coarse are the sets of a level whose estimates have fewer particles.
func (t *networkTable) coarse(all [][]weightedSet, level int) (list []tempering.Parents) {
	below := math.Inf(1)
	if level+1 < len(precisions) {
		below = precisions[level+1].from
	}
	for j, sets := range all {
		for _, w := range sets {
			known := t.estimates.of(j, w.Set)
			if w.probability >= precisions[level].from && w.probability < below && known != nil && known.Particles < precisions[level].particles {
				list = append(list, w.Parents)
			}
		}
	}
	return list
}

// half has the scores of one of the two populations of each set, number 0 or 1.
func (t *networkTable) half(number int) *score.Pool {
	p := score.NewPool(t.guess.Vars())
	for j := range t.guess.Vars() {
		for _, e := range t.pool.Sets(j) {
			v := e.Score
			if known := t.estimates.of(j, e.Parents); known != nil {
				v = known.Halves[number] + t.constant[j]
			}
			p.Put(j, e.Parents, v)
		}
	}
	return p
}
