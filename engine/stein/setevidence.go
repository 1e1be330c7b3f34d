package stein

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/diagnostics"
	"tobac/internal/estimated"
	"tobac/internal/evidence"
	"tobac/internal/nodescore"
	"tobac/internal/problems"
	"tobac/internal/stream"
	"tobac/internal/tempering"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A setEstimator estimates the evidences of sets of parents of a model without node scores, in
// order coordinates.
type setEstimator interface {
	// logEvidences are ln p(x_j|x_A) of sets of parents of variable j, of a short pass or of a long
	// one, which it remembers.
	logEvidences(ctx context.Context, j int, sets [][]int, long bool) ([]float64, error)
	// rounds is how often neighbours of the sets of greatest weight are looked at too.
	rounds() int
	// examine looks at what the long pass has left of a variable.
	examine(f *particleFit, j int, p parentPool)
	// equip gives the draws, of graphs from the sets of the long pass, their parameters and log
	// densities.
	equip(f *particleFit, p *posterior.Posterior) error
	close()
}

// prepareSets makes the estimator that the reweighting will need, if any: networks with one hidden
// layer have their own. Of others it notes before the first step whether the priors of parameters
// are densities.
func (f *particleFit) prepareSets(ctx context.Context) (err error) {
	if _, scored := sem.As[sem.Scored](f.model); scored ||
		f.sampler.Marginals != ReweightedMarginals {
		return nil
	}
	if m, ok := sem.As[sem.Network](f.model); ok && m.Layers() == 1 {
		f.sets, err = f.newNetworkSets(m)
		return err
	}
	seed := func(pass int) uint64 {
		return stream.Seed(f.order.Seed, stream.ReweightedEvidence, pass)
	}
	short, err := evidence.New(f.lik, evidence.Config{Seed: seed(0), Workers: f.workers})
	if err != nil {
		return err
	}
	s := &likelihoodSets{short: short, long: short.WithSeed(seed(1)),
		known: map[string]*evidence.Estimate{}, names: f.data.Names}
	f.sets = s
	return f.checkPriors(ctx, s.long)
}

// checkPriors notes whether the priors of parameters are densities, of every variable with all of
// its possible parents.
func (f *particleFit) checkPriors(ctx context.Context, sets *evidence.Sets) error {
	widest := make([]nodescore.Family, len(f.names))
	for j := range widest {
		widest[j] = nodescore.Family{Of: j, Set: f.target.Widest().Parents(j)}
	}
	f.seenSets = setChecks{}
	var err error
	f.seenSets.mass, f.seenSets.massOf, err = estimated.PriorMass(ctx, sets, widest, f.data.Names)
	return err
}

// estimatedPool estimates ln ρ(A) + log p(x_j|x_A) of sets of parents of variable j, and of
// neighbours of the best, by a short pass, and once more by a long one of the sets that it leaves
// within reach, which are kept.
func (f *particleFit) estimatedPool(ctx context.Context, j int, sets [][]int,
	logPrior func([]int) float64) (parentPool, error) {
	if f.doing != nil {
		f.doing(fmt.Sprintf("estimating evidences of sets of parents, variable %d of %d", j+1,
			len(f.names)))
	}
	weighted := func(sets [][]int, long bool) ([]float64, error) {
		q, err := f.sets.logEvidences(ctx, j, sets, long)
		for k := range q {
			q[k] += logPrior(sets[k])
		}
		return q, err
	}
	q, err := weighted(sets, false)
	if err != nil {
		return parentPool{}, err
	}
	for range f.sets.rounds() {
		more := beyond(j, sets, q, logPrior)
		if len(more) == 0 {
			break
		}
		extra, err := weighted(more, false)
		if err != nil {
			return parentPool{}, err
		}
		sets, q = append(sets, more...), append(q, extra...)
	}
	best := floats.Max(q)
	var kept [][]int
	for k, set := range sets {
		if q[k] >= best-withinReach {
			kept = append(kept, set)
		}
	}
	if q, err = weighted(kept, true); err != nil {
		return parentPool{}, err
	}
	p := newParentPool(kept, q)
	f.sets.examine(f, j, p)
	return p, nil
}

// beyond are the sets one edge away from those of greatest weight that are not among the sets.
func beyond(j int, sets [][]int, q []float64, logPrior func([]int) float64) (more [][]int) {
	known, best := nodescore.DistinctSets{}, floats.Max(q)
	for _, set := range sets {
		known.Add(set)
	}
	for k, set := range sets {
		if q[k] < best-weighty {
			continue
		}
		for i := range j {
			other := nodescore.Toggled(set, i)
			if known.Add(other) && !math.IsInf(logPrior(other), -1) {
				more = append(more, other)
			}
		}
	}
	return more
}

// Points of an evidence in the two passes.
const (
	shortPoints = 64
	longPoints  = 512
)

// likelihoodSets estimates evidences under any likelihood.
type likelihoodSets struct {
	short, long *evidence.Sets                // which share their programs
	known       map[string]*evidence.Estimate // of the long pass
	names       []string                      // in order coordinates
}

var _ setEstimator = (*likelihoodSets)(nil)

func (s *likelihoodSets) rounds() int { return 4 }

func (s *likelihoodSets) close() { s.long.Close() }

func (s *likelihoodSets) logEvidences(ctx context.Context, j int, sets [][]int,
	long bool) ([]float64, error) {
	pass, points := s.short, shortPoints
	if long {
		pass, points = s.long, longPoints
	}
	all, err := pass.Estimate(ctx, nodescore.Families(j, sets...), points)
	if err != nil {
		return nil, problems.WithName(err, s.names)
	}
	logs := make([]float64, len(all))
	for k, e := range all {
		logs[k] = e.LogEvidence
		if long {
			s.known[nodescore.FamilyKey(j, e.Set)] = e
		}
	}
	return logs, nil
}

// examine notes how far the errors of the evidences move probabilities of edges.
func (s *likelihoodSets) examine(f *particleFit, j int, p parentPool) {
	seen := &f.seenSets
	seen.estimated = true
	for i := range j {
		probability, variance := 0.0, 0.0
		for k, set := range p.sets {
			if slices.Contains(set, i) {
				probability += p.probs[k]
			}
		}
		for k, set := range p.sets {
			off := -probability
			if slices.Contains(set, i) {
				off++
			}
			off *= p.probs[k] * s.known[nodescore.FamilyKey(j, set)].StandardError
			variance += off * off
		}
		if v := math.Sqrt(variance); v > seen.edge {
			seen.edge, seen.edgeOf = v, [2]string{s.names[i], s.names[j]}
		}
	}
}

// setChecks are what estimated evidences say about themselves.
type setChecks struct {
	estimated bool
	// logarithm of the integral of the prior of a variable's parameters, where it is farthest from
	// 0 beyond its error
	mass   float64
	massOf string
	edge   float64 // largest standard error of the probability of an edge
	edgeOf [2]string
}

// worse are those of two orders.
func (c setChecks) worse(o setChecks) setChecks {
	c.estimated = c.estimated || o.estimated
	if math.Abs(o.mass) > math.Abs(c.mass) {
		c.mass, c.massOf = o.mass, o.massOf
	}
	if o.edge > c.edge {
		c.edge, c.edgeOf = o.edge, o.edgeOf
	}
	return c
}

// checks are none where no evidence was estimated.
func (c setChecks) checks() []diagnostics.Check {
	if !c.estimated {
		return nil
	}
	return []diagnostics.Check{
		diagnostics.Above("evidence", c.edge, LimitEvidence[0], LimitEvidence[1],
			fmt.Sprintf("the estimated evidences are imprecise: the probability of %q → %q has a "+
				"standard error of %.2f", c.edgeOf[0], c.edgeOf[1], c.edge)),
		estimated.PriorCheck(c.mass, c.massOf),
	}
}

// equip gives the draws parameters of the sets that they have.
func (s *likelihoodSets) equip(f *particleFit, p *posterior.Posterior) error {
	d := len(s.names)
	graphs := make([]*dag.Graph, len(p.Draws))
	rows := make([][]float64, len(p.Draws))
	for k, draw := range p.Draws {
		parents := make([]*evidence.Estimate, d)
		for j := range parents {
			parents[j] = s.known[nodescore.FamilyKey(j, draw.Graph.Parents(j))]
		}
		graphs[k], rows[k] = s.long.Draw(parents, k)
	}
	var theta *mat.Dense
	if n := f.lik.ParamLen(); n > 0 {
		theta = mat.NewDense(len(rows), n, nil)
		for k, row := range rows {
			theta.SetRow(k, row)
		}
	}
	return f.withParameters(p, graphs, theta)
}

// LimitEvidence has the thresholds of the check of estimated evidences: doubtful, then bad.
var LimitEvidence = [2]float64{0.05, 0.15}

// Evidences of networks are estimated in two passes. A short one estimates the particles' sets,
// their neighbours, and the neighbours of the most probable sets. A longer one repeats the sets
// whose probability is not negligible after the first.
const (
	shortParticles = 64
	longParticles  = 512
	withinReach    = 10.0 // nats behind the best
	weighty        = 4.0  // nats behind the best, of sets whose neighbours are looked at too
)

// networkSets estimates the evidences of networks of a fit, in order coordinates.
type networkSets struct {
	short *tempering.Sets
	long  *estimated.Estimates
}

var _ setEstimator = (*networkSets)(nil)

func (f *particleFit) newNetworkSets(m sem.Network) (*networkSets, error) {
	short := estimated.ChainSettings(m, stream.Seed(f.order.Seed, stream.ReweightedEvidence, 0),
		f.workers)
	long := estimated.ChainSettings(m, stream.Seed(f.order.Seed, stream.ReweightedEvidence, 1),
		f.workers)
	s := &networkSets{}
	var err error
	if s.short, err = tempering.NewSets(f.data.X, f.data.Mask(), short); err != nil {
		return nil, err
	}
	s.long, err = estimated.NewEstimates(m, f.data, long)
	return s, err
}

func (s *networkSets) rounds() int { return 1 }

func (s *networkSets) close() {}

func (s *networkSets) examine(*particleFit, int, parentPool) {}

func (s *networkSets) logEvidences(ctx context.Context, j int, sets [][]int, long bool) ([]float64,
	error) {
	estimate, particles := s.short.Estimate, shortParticles
	if long {
		estimate, particles = s.long.Estimate, longParticles
	}
	estimates, err := estimate(ctx, nodescore.Families(j, sets...), particles)
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(sets))
	for k, e := range estimates {
		logs[k] = e.LogEvidence
	}
	return logs, nil
}

// equip gives the draws networks of the sets of parents that they have.
func (s *networkSets) equip(_ *particleFit, p *posterior.Posterior) error {
	return s.long.Equip(p.Draws)
}
