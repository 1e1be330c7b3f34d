package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/dag"
	"tobac/internal/nodescore"
)

// tie is a difference of ln p that counts as none, far above rounding: under a score of
// equivalence classes an edge and its reverse are often equally good. The first of them is taken,
// so that rounding, which changes with the units of the data, does not decide.
const tie = 1e-6

// slack is what a change must gain from q to count: more than rounding of large numbers gives.
func slack(q float64) float64 {
	if math.IsInf(q, -1) {
		return 0
	}
	return tie + 1e-9*math.Abs(q)
}

// slack is what a change of a set must gain from its q to count.
func (s *Searcher) slack(q float64, set []int) float64 {
	if s.scores.rounded(set) {
		return nodescore.NearSlack + slack(q)
	}
	return slack(q)
}

// A Searcher looks for a probable graph. It must not be used concurrently.
type Searcher struct {
	screen  *Screen
	rng     *rand.Rand
	d       int
	few     view    // its own
	all     view    // few again, where the screen has no wider one
	view            // few, or all
	order   []int   // parents first
	key     []int   // twice the place of each variable in the order
	parents [][]int // ascending; never changed in place
	score   []float64
	scores  scores
	fits    map[uint64]fitted
	hash    [][3]uint64 // of each variable: as child, before it, and as parent to begin with

	steps   []step // of a walk of a variable along the order
	past    []int  // neighbours on the way
	around  []around
	aside   around   // of another set of parents than the present one
	leapt   []*[]int // sets of parents from which leaps have been tried
	sifting int      // work of the leaps from all that promise
	barrier float64  // by how much ln p may be lower on the way to a better place
	first   float64  // the barrier of the first climb
	queue   []int
	queued  []bool
	reached []bool
	open    []int
	values  []float64
	saved   saved
}

// saved is a state to go back to.
type saved struct {
	order   []int
	parents [][]int
	score   []float64
}

// mostMoved is the largest number of neighbours that get other places at once.
const mostMoved = 5

// New begins at a random order, in which each variable climbs to a set of parents, or at one that
// grows from its beginning, if that is better.
func New(c *Screen, rng *rand.Rand) *Searcher {
	s := empty(c, rng)
	perm := rng.Perm(s.d)
	s.grow(perm)
	s.keep()
	grown := s.LogScore()
	copy(s.parents, c.required)
	s.sort(perm)
	for j := range s.d {
		s.parents[j], s.score[j] = s.fit(j, s.parents[j], s.q(j, s.parents[j]))
	}
	if grown > s.LogScore() {
		s.restore()
	}
	for j, set := range s.parents {
		s.score[j] = s.exact(j, set, s.score[j])
	}
	return s
}

// At begins at a graph, which must be acyclic, and looks for better ones near it first; nil means
// as [New].
func At(c *Screen, rng *rand.Rand, g *dag.Graph) *Searcher {
	if g == nil {
		return New(c, rng)
	}
	s := empty(c, rng)
	s.first = s.walls()
	for j := range s.d {
		s.parents[j] = g.Parents(j)
		for _, i := range s.parents[j] {
			s.few.add(i, j)
		}
		s.score[j] = s.q(j, s.parents[j])
	}
	s.sort(dag.Identity(s.d))
	return s
}

// Through looks for a probable graph under each of some scores in turn, as [Searcher.Run] does, and
// begins at that of the one before, the first as [At]. Scores whose modes are few and wide lead to
// those whose best mode a search from anywhere else would not find.
func Through(ctx context.Context, screens []*Screen, rng *rand.Rand, tries int,
	from *dag.Graph) (*Searcher, error) {
	var s *Searcher
	for _, c := range screens {
		if s != nil {
			from = s.Graph()
		}
		s = At(c, rng, from)
		if err := s.Run(ctx, tries); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Back are the scores that a search goes through again from where it ended under the last ones:
// all but the first few, under which it would forget all that it has found.
func Back(screens []*Screen) []*Screen { return screens[min(forgetting, len(screens)-1):] }

// forgetting is how many scores a search that begins again leaves out.
const forgetting = 2

// empty is at no order yet.
func empty(c *Screen, rng *rand.Rand) *Searcher {
	s := &Searcher{
		screen: c, rng: rng, d: c.d, few: c.few.clone(), key: make([]int, c.d),
		parents: slices.Clone(c.required), score: make([]float64, c.d), scores: newScores(c),
		queued: make([]bool, c.d), reached: make([]bool, c.d), values: make([]float64, c.d),
		first: math.Inf(1), fits: map[uint64]fitted{}, hash: make([][3]uint64, c.d),
		around: make([]around, c.d), aside: around{of: -1}, leapt: make([]*[]int, c.d),
	}
	hash := rand.NewPCG(uint64(c.d), 0) // any numbers do
	for j := range s.hash {
		s.hash[j] = [3]uint64{hash.Uint64(), hash.Uint64(), hash.Uint64()}
	}
	if s.all = c.all; s.all.candidates == nil {
		s.all = s.few
	}
	s.view = s.few
	return s
}

// grow makes an order from its beginning: next comes the variable that those before explain best,
// the first of perm where several are. With equal noise variances this is close to a causal order.
// Where directions do not count, what each variable scores without parents does not either: that
// changes with the units of its column.
func (s *Searcher) grow(perm []int) {
	s.order = s.order[:0]
	alone := make([]float64, s.d)
	for j := range s.d {
		s.key[j], s.score[j] = 2*s.d, s.q(j, s.parents[j])
		if s.screen.undirected {
			alone[j] = s.score[j]
		}
	}
	waits := func(i int) bool { return s.key[i] == 2*s.d }
	for len(s.order) < s.d {
		next := -1
		for _, j := range perm {
			if waits(j) && (next < 0 || s.score[j]-alone[j] > s.score[next]-alone[next]+tie) &&
				!slices.ContainsFunc(s.screen.required[j], waits) {
				next = j
			}
		}
		s.key[next] = 2 * len(s.order)
		s.order = append(s.order, next)
		for _, u := range s.near[next] {
			if waits(u) {
				s.parents[u], s.score[u], _ = s.take(u, next, s.parents[u], s.score[u], 0)
			}
		}
	}
}

// sort makes an order of the parents of all variables, in which each comes as early as in another
// one as its parents let it.
func (s *Searcher) sort(like []int) {
	s.order = s.order[:0]
	clear(s.reached)
	rank := make([]int, s.d)
	for k, j := range like {
		rank[j] = k
	}
	var visit func(j int)
	visit = func(j int) {
		if s.reached[j] {
			return
		}
		s.reached[j] = true
		before := slices.Clone(s.parents[j])
		slices.SortFunc(before, func(a, b int) int { return rank[a] - rank[b] })
		for _, i := range before {
			visit(i)
		}
		s.order = append(s.order, j)
	}
	for _, j := range like {
		visit(j)
	}
	s.number(0, s.d)
}

// number sets the keys of a part of the order.
func (s *Searcher) number(from, to int) {
	for k := from; k < to; k++ {
		s.key[s.order[k]] = 2 * k
	}
}

// mostTries is how often a search among d variables is worth going on after a disturbance at most.
func mostTries(d int) int { return max(min(4*d, 20_000/d), 20) }

// enoughWork is the work of the disturbances that a search may always do; see scores.work. It is
// about a tenth of a second.
const enoughWork = 1e8

// Run climbs, then moves a few variables at random and climbs anew so many times. 0 stands for as
// often as it is worth: four times for each variable, with more than 70 of them fewer, at least 20,
// but for no more work than the climb was, unless that was little. When ctx is done
// it stops, and returns its error; the graph is then the present one.
func (s *Searcher) Run(ctx context.Context, tries int) error {
	if err := s.climb(ctx, s.first); err != nil {
		return err
	}
	now := s.LogScore()
	begin := s.scores.work
	limit, worth := max(enoughWork, begin), tries == 0
	if worth {
		tries = mostTries(s.d)
	}
	for try := range tries {
		done := float64(try) / float64(tries)
		if worth {
			done = max(done, float64(s.scores.work-begin)/float64(limit))
		}
		if done >= 1 {
			break
		}
		s.keep()
		s.barrier = lowBarrier
		s.disturb(1 + try%mostMoved)
		if err := s.settle(ctx); err != nil {
			return err
		}
		margin := 3 * max(0, 1-1.25*done)
		if next := s.LogScore(); next >= now-margin*s.rng.ExpFloat64()-tie {
			now = next
			continue
		}
		s.restore()
	}
	return s.climb(ctx, s.walls())
}

// keep saves the present state, to which restore goes back.
func (s *Searcher) keep() {
	s.saved.order = append(s.saved.order[:0], s.order...)
	s.saved.parents = append(s.saved.parents[:0], s.parents...)
	s.saved.score = append(s.saved.score[:0], s.score...)
}

func (s *Searcher) restore() {
	copy(s.order, s.saved.order)
	copy(s.parents, s.saved.parents)
	copy(s.score, s.saved.score)
	s.number(0, s.d)
}

// Barriers of walks that are not the first ones: lowBarrier after a disturbance and where all
// variables are candidates from the beginning, since long walks past all of them cost more than
// they find there; else highBarrier. Dense graphs of a thousand columns leave columns with so
// little noise that most ways to a better order lead through places that are hundreds of nats
// worse.
const (
	lowBarrier  = 50
	highBarrier = 500
)

// walls is the barrier of climbs.
func (s *Searcher) walls() float64 {
	if s.screen.all.candidates == nil {
		return lowBarrier
	}
	return highBarrier
}

// climb settles all variables, first with few candidates and a barrier, then with all, and again as
// long as any edge more or less improves the graph.
func (s *Searcher) climb(ctx context.Context, barrier float64) error {
	for _, v := range []view{s.few, s.all} {
		s.view, s.barrier = v, barrier
		barrier = s.walls()
		for _, j := range s.rng.Perm(s.d) {
			s.push(j)
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	for s.widen() {
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	s.view = s.few
	s.admit()
	return ctx.Err()
}

// admit makes candidates of all parents.
func (s *Searcher) admit() {
	for j, parents := range s.parents {
		for _, i := range parents {
			s.few.add(i, j)
		}
	}
}

// push puts a variable into the queue of those that may have a better place.
func (s *Searcher) push(j int) {
	if !s.queued[j] {
		s.queued[j] = true
		s.queue = append(s.queue, j)
	}
}

// settle moves the variables of the queue, and their neighbours where that changed something, until
// none has a better place.
func (s *Searcher) settle(ctx context.Context) error {
	for at := 0; at < len(s.queue); at++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := s.queue[at]
		s.queued[v] = false
		s.reinsert(v)
		if at == s.d {
			s.queue = append(s.queue[:0], s.queue[at+1:]...)
			at = -1
		}
	}
	s.queue = s.queue[:0]
	return nil
}

// widen makes the best change of the parents of each variable by one that is no descendant, also by
// one that is no candidate, or else by many of them, and reports whether there was any. Of many
// variables it begins at a random one, since leaps end where they have taken too long.
func (s *Searcher) widen() bool {
	wider, first := false, 0
	if s.screen.all.candidates != nil {
		first = s.rng.IntN(s.d)
	}
	for k := range s.d {
		j := (first + k) % s.d
		clear(s.reached)
		s.reached[j] = true
		for _, v := range s.order[s.key[j]/2+1:] {
			s.reached[v] = slices.ContainsFunc(s.parents[v], func(i int) bool {
				return s.reached[i]
			})
		}
		s.open = s.open[:0]
		for i, reached := range s.reached {
			if !reached && !s.screen.prior.Forbidden(i, j) {
				s.open = append(s.open, i)
			}
		}
		set, q := s.parents[j], s.score[j]
		if best, i := s.bestToggle(j, set, q, s.open, nil); i >= 0 {
			set, q = nodescore.Toggled(set, i), best
		} else if set, q = s.leap(j, set, q); same(set, s.parents[j]) {
			continue
		}
		wider = true
		for _, i := range set {
			s.few.add(i, j)
			s.push(i)
		}
		s.parents[j], s.score[j] = set, q
		s.sort(slices.Clone(s.order))
		s.push(j)
	}
	return wider
}

// LogScore is ln p(D, G) of the present graph.
func (s *Searcher) LogScore() float64 {
	sum := 0.0
	for _, q := range s.score {
		sum += q
	}
	return sum
}

// Parents are those of every variable in the present graph, ascending. They must not be changed.
func (s *Searcher) Parents() [][]int { return slices.Clone(s.parents) }

// Graph is the present graph.
func (s *Searcher) Graph() *dag.Graph {
	g := dag.New(s.d)
	for j, set := range s.parents {
		for _, i := range set {
			g.Set(i, j, true)
		}
	}
	return g
}

// change is what is gained from one q to another. Nothing leads to a set of parents that the
// model does not have, from another such set neither: a variable may be there that has lost edges.
func change(from, to float64) float64 {
	if math.IsInf(to, -1) {
		return to
	}
	return to - from
}
