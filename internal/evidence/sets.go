package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/dag"
	"tobac/internal/anneal"
	"tobac/internal/nodescore"
	"tobac/internal/stream"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
)

// Config are the settings of estimates. The zero value is the default.
type Config struct {
	Seed    uint64
	Workers int // goroutines; results do not depend on it. Defaults to 1
}

// Sets estimates the evidence of sets of parents under one likelihood. It serves one goroutine at a
// time.
type Sets struct {
	lik    models.Likelihood
	cfg    Config
	begins [][]float64 // initial parameters, of the seed; nil until they are needed
	common *common
	modes  map[string]*mode // by [nodescore.FamilyKey]: of the sets that were guessed
}

// A common is what estimates with different seeds have in common.
type common struct {
	program *program // nil means not compiled yet
	owners  []int    // of parameters that counted somewhere; −1: of none so far
	asked   []bool   // by variable: its parameters were looked for
}

// An Estimate is what is known of the parameters of a variable with one set of parents.
type Estimate struct {
	Of  int
	Set []int
	// LogEvidence is ln p(x_j|S), the logarithm of the mean of two independent estimates, Halves
	// are these, and StandardError is its own. It is 0 where no parameters are left to integrate
	// over.
	LogEvidence   float64
	Halves        [2]float64
	StandardError float64
	// EffectiveSize is the effective sample size of the weights that points had, as a part of their
	// number: the least of all weightings.
	EffectiveSize float64
	// Broad says that points came from around the maximum of the prior, since there were several
	// maxima, or the density had too little in common with its normal approximation: estimates that
	// are rougher than others, and worse than their standard error where a narrow maximum is far
	// from all points.
	Broad bool
	// Temperatures is the number of weightings, 1 for plain importance sampling.
	Temperatures int

	active []int
	base   []float64
	draws  [][]float64
}

// Of every set.
const (
	searches = 6  // for maxima, each from other initial parameters
	setDraws = 64 // of the parameters, which are kept
)

// New prepares estimates. Close releases what they take. A negative number of workers is an error.
func New(lik models.Likelihood, cfg Config) (*Sets, error) {
	if cfg.Workers < 0 {
		return nil, fmt.Errorf("evidence: %d workers, want at least 0", cfg.Workers)
	}
	c := &common{owners: make([]int, lik.ParamLen()), asked: make([]bool, lik.Vars())}
	for k := range c.owners {
		c.owners[k] = -1
	}
	return &Sets{lik: lik, cfg: cfg, common: c, modes: map[string]*mode{}}, nil
}

// WithSeed makes estimates with another seed by the same compiled program: the two serve one
// goroutine at a time together, and Close of either closes both.
func (s *Sets) WithSeed(seed uint64) *Sets {
	other := *s
	other.cfg.Seed, other.begins, other.modes = seed, nil, map[string]*mode{}
	return &other
}

// Close releases the workers.
func (s *Sets) Close() {
	if p := s.common.program; p != nil {
		p.run.Close()
	}
	s.common.program = nil
}

// Estimate estimates the evidence of each of some sets of parents, ascending and without their
// variable, with a number of points for each, half of them in each of two populations. An estimate
// does not depend on the other sets but for rounding. A cancelled context is returned as its cause.
// It panics on sets that are none of other variables, and on less than 8 points.
func (s *Sets) Estimate(ctx context.Context, list []nodescore.Family, points int) ([]*Estimate,
	error) {
	if points < 8 {
		panic(fmt.Sprintf("evidence: %d points of a set of parents, want at least 8", points))
	}
	out := make([]*Estimate, len(list))
	return out, s.each(ctx, list, func(k int, g *given, ask asker) (err error) {
		out[k], err = s.estimate(&target{given: g, ask: ask}, points)
		return err
	})
}

// each runs a task for each of some sets, in turn for different variables.
func (s *Sets) each(ctx context.Context, list []nodescore.Family,
	run func(k int, g *given, ask asker) error) error {
	all, err := s.givens(ctx, list)
	if err != nil {
		return err
	}
	place := make([]int, len(list)) // among those of its variable
	next := make([]int, s.lik.Vars())
	variables := 0
	for k, f := range list {
		place[k] = next[f.Of]
		if next[f.Of]++; place[k] == 0 {
			variables++
		}
	}
	sequence := dag.Identity(len(list))
	slices.SortStableFunc(sequence, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	tasks := make([]func(asker) error, len(list))
	for at, k := range sequence {
		tasks[at] = func(ask asker) error { return run(k, all[k], ask) }
	}
	return s.common.program.together(ctx, variables, tasks)
}

// LogPriorMasses are ln ∫ p(θ_j|S) dθ_j of some sets with their standard errors: 0 for a prior that
// is a density. It fails for one that has no integral.
func (s *Sets) LogPriorMasses(ctx context.Context, list []nodescore.Family, points int) (logs,
	standardErrors []float64, err error) {
	logs, standardErrors = make([]float64, len(list)), make([]float64, len(list))
	return logs, standardErrors, s.each(ctx, list, func(k int, g *given, ask asker) error {
		t := &target{given: g, ask: ask, prior: true}
		if len(t.active) == 0 {
			return nil
		}
		from, _, err := t.laplace()
		if err != nil {
			return err
		}
		if from == nil {
			return t.fail("the prior density has more than %d maxima", mostMaxima)
		}
		halves, err := s.halves(t, from, points, 0)
		if err == nil {
			logs[k], standardErrors[k] = both(halves)
		}
		return err
	})
}

// givens compiles the program and finds the parameters that count under each set.
func (s *Sets) givens(ctx context.Context, list []nodescore.Family) ([]*given, error) {
	d := s.lik.Vars()
	all := make([]*given, len(list))
	for k, f := range list {
		if f.Of < 0 || f.Of >= d {
			panic(fmt.Sprintf("evidence: variable %d, want 0 to %d", f.Of, d-1))
		}
		before := -1
		for _, i := range f.Set {
			if i <= before || i >= d || i == f.Of {
				panic(fmt.Sprintf("evidence: parents %v of variable %d, want ascending ones "+
					"below %d without itself", f.Set, f.Of, d))
			}
			before = i
		}
		all[k] = &given{j: f.Of, set: f.Set}
	}
	if s.common.program == nil {
		p, err := newProgram(s.lik, s.cfg.Workers)
		if err != nil {
			return nil, err
		}
		s.common.program = p
	}
	if s.lik.ParamLen() == 0 {
		return all, nil
	}
	return all, s.activate(ctx, all)
}

// starts are initial parameters, all but the first with a little noise.
func (s *Sets) starts() ([][]float64, error) {
	starts := make([][]float64, searches)
	for k := range starts {
		starts[k] = make([]float64, s.lik.ParamLen())
		rng := stream.New(s.cfg.Seed, stream.SetStart, k)
		s.lik.InitParams(starts[k], rng)
		// of initial parameters that are all the same, or 0, gradients may vanish together
		if k > 0 {
			for i, v := range starts[k] {
				starts[k][i] += 0.1 * math.Max(1, math.Abs(v)) * rng.NormFloat64()
			}
		}
		if floats.HasNaN(starts[k]) {
			return nil, errors.New("evidence: initial parameters are NaN, want finite numbers")
		}
	}
	return starts, nil
}

// estimate is that of one set.
func (s *Sets) estimate(t *target, points int) (*Estimate, error) {
	if len(t.active) == 0 {
		return t.withoutParameters()
	}
	var normal, broad *Estimate // nil means there are too many maxima
	from, trusted, err := t.laplace()
	if err != nil {
		return nil, err
	}
	if trusted {
		var plain float64
		if normal, plain, err = s.from(t, from, points, 0); err != nil || len(from.parts) == 1 &&
			plain >= fits {
			return normal, err
		}
	}
	prior := *t
	prior.prior = true
	if from, trusted, err = prior.laplace(); err != nil {
		return nil, err
	}
	if trusted {
		if broad, _, err = s.from(t, from, points, 2); err != nil {
			return nil, err
		}
		broad.Broad = true
	}
	switch {
	case normal == nil && broad == nil:
		return nil, t.fail("the posterior density of the parameters has many maxima, and so has " +
			"their prior density")
	case normal == nil:
		return broad, nil
	case broad == nil:
		return normal, nil
	}
	return better(normal, broad), nil
}

// withoutParameters is the estimate where the terms depend on none.
func (t *target) withoutParameters() (*Estimate, error) {
	all, err := t.at([]float64{})
	if err != nil {
		return nil, err
	}
	log := all[0].log
	if math.IsInf(log, -1) {
		return nil, t.fail("the log density is not finite")
	}
	return &Estimate{Of: t.j, Set: slices.Clone(t.set), LogEvidence: log,
		Halves: [2]float64{log, log}, EffectiveSize: 1, base: t.base, draws: [][]float64{{}}}, nil
}

// better is the larger of two estimates that differ by more than twice their standard error, else
// the one with the smaller error.
func better(a, b *Estimate) *Estimate {
	larger, smaller := a, b
	if b.LogEvidence > a.LogEvidence {
		larger, smaller = b, a
	}
	if agree := larger.LogEvidence-smaller.LogEvidence < 2*math.Hypot(a.StandardError,
		b.StandardError); agree && smaller.StandardError < larger.StandardError {
		return smaller
	}
	return larger
}

// fits is the effective sample size, as a part of the number of points, from which on a normal
// approximation has enough in common with the density.
const fits = 0.2

// from is an estimate by points from a distribution, with the effective sample size of these as a
// part of their number.
func (s *Sets) from(t *target, from *mixture, points, number int) (e *Estimate, plain float64,
	err error) {
	halves, err := s.halves(t, from, points, number)
	if err != nil {
		return nil, 0, err
	}
	e = &Estimate{Of: t.j, Set: slices.Clone(t.set), EffectiveSize: 1, active: t.active,
		base: t.base}
	e.LogEvidence, e.StandardError = both(halves)
	for k, h := range halves {
		e.Halves[k] = h.log
		e.EffectiveSize = math.Min(e.EffectiveSize, h.effective)
		e.Temperatures = max(e.Temperatures, h.steps)
	}
	e.draws = parameters(halves, s.rng(t, points, number+4))
	return e, math.Min(halves[0].plain, halves[1].plain), nil
}

// rng is a stream of a set and a number of points.
func (s *Sets) rng(t *target, points, number int) *rand.Rand {
	return stream.New(s.cfg.Seed, stream.SetPoints, t.j,
		stream.Place(append(slices.Clone(t.set), points, number)...))
}

// halves are two populations, of which the first has a number.
func (s *Sets) halves(t *target, from *mixture, points, number int) (all [2]*population,
	err error) {
	for k := range all {
		if all[k], err = t.sample(from, points/2, s.rng(t, points, number+k)); err != nil {
			return all, err
		}
	}
	return all, nil
}

// both is the logarithm of the mean of two estimates, with its standard error.
func both(all [2]*population) (log, standardError float64) {
	log = floats.LogSumExp([]float64{all[0].log, all[1].log}) - math.Ln2
	return log, math.Max(math.Sqrt((all[0].variance+all[1].variance)/4),
		math.Abs(all[0].log-all[1].log)/2)
}

// parameters are draws from both populations, in a random sequence.
func parameters(all [2]*population, rng *rand.Rand) (draws [][]float64) {
	logs := floats.LogSumExp([]float64{all[0].log, all[1].log})
	var weights []float64
	var points [][]float64
	for _, p := range all {
		w := slices.Clone(p.weights)
		floats.AddConst(p.log-logs-floats.LogSumExp(w), w)
		weights = append(weights, w...)
		for k := range p.weights {
			points = append(points, p.points.RawRowView(k))
		}
	}
	for _, k := range anneal.Resample(weights, setDraws, rng.Float64()) {
		draws = append(draws, points[k])
	}
	rng.Shuffle(len(draws), func(a, b int) { draws[a], draws[b] = draws[b], draws[a] })
	return draws
}

// Draw is a graph with a row of parameters: the parents that the estimates have, one for each
// variable and in their sequence, and draw number k of each from its posterior. Draws of a set are
// few, and come again. Parameters that do not count are initial ones.
func (s *Sets) Draw(parents []*Estimate, k int) (*dag.Graph, []float64) {
	g, theta := dag.New(len(parents)), make([]float64, s.lik.ParamLen())
	for j, e := range parents {
		if j == 0 {
			copy(theta, e.base)
		}
		for _, i := range e.Set {
			g.Set(i, j, true)
		}
	}
	for _, e := range parents {
		draw := e.draws[k%len(e.draws)]
		for a, i := range e.active {
			theta[i] = draw[a]
		}
	}
	return g, theta
}
