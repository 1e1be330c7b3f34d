package gflownet

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"tobac/internal/stream"
	"tobac/svgd"
)

// TraceEvery is the number of gradient steps of which [Model.Trace] has the mean loss.
const TraceEvery = 100

// A learner is the network of a policy and its training.
type learner struct {
	settings Settings
	workers  int
	seed     uint64
	reward   *reward

	parameters      []parameter
	weights, target [][]float64 // views of flat slices
	all, allTarget  []float64
	optimiser       svgd.State // whose count is that of the updates, skipped ones left out
	skipped         int

	environments []state
	replay       *ring
	trace        []float64
	sum          float64 // of the losses of the last, unfinished stretch of the trace

	act  *policyProgram
	stop *policyProgram // at the ends of transitions, by the target network
	wide *policyProgram // of draws and comparisons; nil until it is needed
	loss *lossProgram

	chosen      []int // numbers of transitions
	from, after []state
}

func newLearner(r *reward, set Settings, workers int, seed uint64) (*learner, error) {
	d := r.scores.Vars()
	l := &learner{settings: set, workers: workers, seed: seed, reward: r,
		replay: newRing(d, set.Buffer), chosen: make([]int, set.Batch)}
	var err error
	if l.loss, l.parameters, err = set.lossProgram(d, workers); err != nil {
		return nil, err
	}
	if l.stop, err = set.policyProgram(d, set.Batch, workers, true); err != nil {
		l.close()
		return nil, err
	}
	if l.act, err = set.policyProgram(d, set.Environments, workers, false); err != nil {
		l.close()
		return nil, err
	}
	l.weights, l.all = arrays(l.parameters)
	l.target, l.allTarget = arrays(l.parameters)
	for k, w := range draw(l.parameters, seed) {
		copy(l.weights[k], w)
	}
	copy(l.allTarget, l.all)
	for range set.Environments {
		s := newState(d)
		s.copy(&r.start)
		l.environments = append(l.environments, s)
	}
	for range set.Batch {
		l.from, l.after = append(l.from, newState(d)), append(l.after, newState(d))
	}
	return l, nil
}

func (l *learner) close() {
	for _, p := range []*policyProgram{l.act, l.stop, l.wide} {
		if p != nil {
			p.run.Close()
		}
	}
	l.loss.run.Close()
}

// wideBatch is the number of states of which draws and comparisons evaluate the policy at a time.
const wideBatch = 64

func (l *learner) wideProgram() (*policyProgram, error) {
	if l.wide == nil {
		p, err := l.settings.policyProgram(l.reward.scores.Vars(), wideBatch, l.workers, false)
		if err != nil {
			return nil, err
		}
		l.wide = p
	}
	return l.wide, nil
}

// evaluate the policy with some weights in states, at most as many as the program takes.
func (l *learner) evaluate(p *policyProgram, states []state, weights [][]float64) error {
	if err := fillAll(l.reward, l.settings.Logits, p.batch, states, l.workers); err != nil {
		return err
	}
	return p.eval(weights)
}

// iterate is an iteration: one step of every environment, and a gradient step.
func (l *learner) iterate(iteration int) error {
	if err := l.step(iteration); err != nil {
		return err
	}
	if iteration < l.settings.prefill() || l.replay.count < l.settings.Batch {
		return nil
	}
	if err := l.descend(iteration); err != nil {
		return err
	}
	return nil
}

// step takes an action in every environment.
func (l *learner) step(iteration int) error {
	exploit := l.settings.exploit(iteration)
	rngs := make([]*rand.Rand, len(l.environments))
	follow := make([]bool, len(rngs))
	any := false
	for e := range rngs {
		rngs[e] = stream.New(l.seed, stream.GFlowNetAction, iteration, e)
		follow[e] = rngs[e].Float64() < exploit
		any = any || follow[e]
	}
	if any {
		if err := l.evaluate(l.act, l.environments, l.weights); err != nil {
			return err
		}
	}
	d := l.reward.scores.Vars()
	delta := make([]float64, d*d)
	for e := range rngs {
		s := &l.environments[e]
		action := d * d
		if follow[e] {
			action = l.act.choose(e, rngs[e])
		} else if n := l.reward.deltas(delta, s); n > 0 {
			action = nthAllowed(delta, rngs[e].IntN(n+1))
		}
		if action == d*d {
			s.copy(&l.reward.start)
			continue
		}
		l.replay.put(s, action)
		s.add(action/d, action%d)
	}
	return nil
}

// nthAllowed is the edge number n of the allowed ones, or to stop, len(delta), if there are not as
// many.
func nthAllowed(delta []float64, n int) int {
	for a, v := range delta {
		if !math.IsInf(v, -1) {
			if n == 0 {
				return a
			}
			n--
		}
	}
	return len(delta)
}

// choose draws an action in state k by the policy: an edge, or to stop, d².
func (p *policyProgram) choose(k int, rng *rand.Rand) int {
	n := len(p.logEdges) / p.size
	if !p.open[k] {
		return n
	}
	u := rng.Float64()
	for a, v := range p.logEdges[k*n : (k+1)*n] {
		if p.allowed[k*n+a] == 1 {
			if u -= math.Exp(v); u < 0 {
				return a
			}
		}
	}
	return n
}

// descend is a gradient step on a batch of transitions.
func (l *learner) descend(iteration int) error {
	d := l.reward.scores.Vars()
	l.replay.sample(l.chosen, stream.New(l.seed, stream.GFlowNetBatch, iteration))
	for k, number := range l.chosen {
		action := l.replay.get(&l.from[k], number)
		l.loss.action[k] = float64(action)
		l.after[k].copy(&l.from[k])
		l.after[k].add(action/d, action%d)
	}
	if err := l.evaluate(l.stop, l.after, l.target); err != nil {
		return err
	}
	if err := fillAll(l.reward, l.settings.Logits, l.loss.batch, l.from, l.workers); err != nil {
		return err
	}
	for k := range l.chosen {
		s, action := &l.from[k], int(l.loss.action[k])
		delta := l.reward.row(action%d, s.parents[action%d])[action/d]
		l.loss.given[k] = delta - math.Log(float64(1+l.reward.removable(s))) - l.stop.logStop[k]
	}
	if err := l.loss.eval(l.weights); err != nil {
		return err
	}
	l.update(iteration)
	return nil
}

// update changes the weights by the gradient, which is cut to the largest norm, unless
// a number of it is not finite.
func (l *learner) update(iteration int) {
	g := l.loss.flat
	norm := blas64.Nrm2(blas64.Vector{N: len(g), Inc: 1, Data: g})
	if loss := l.loss.loss[0]; math.IsNaN(norm+loss) || math.IsInf(norm+loss, 0) {
		l.skipped++
		return
	}
	scale := -1.0 // the optimiser ascends
	if clip := l.settings.Clip; clip > 0 && norm > clip {
		scale = -clip / norm
	}
	for i := range g {
		g[i] *= scale
	}
	increment := mat.NewDense(1, len(g), g)
	if err := l.settings.ascent(iteration).Update([]*mat.Dense{increment}, &l.optimiser,
		iteration); err != nil {
		panic("gflownet: " + err.Error()) // the state is that of this network: Restore looks
	}
	for i, v := range g {
		l.all[i] += v
	}
	if l.optimiser.Count%l.settings.Refresh == 0 {
		copy(l.allTarget, l.all)
	}
	l.sum += l.loss.loss[0]
	if l.optimiser.Count%TraceEvery == 0 {
		l.trace = append(l.trace, l.sum/TraceEvery)
		l.sum = 0
	}
}
