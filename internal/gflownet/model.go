package gflownet

import (
	"context"
	"errors"
	"math"

	"tobac/dag"
	"tobac/score"
	"tobac/svgd"
)

// A Model is a flow network over acyclic graphs and its training. It must not be used
// concurrently.
type Model struct {
	settings Settings
	workers  int
	seed     uint64
	reward   *reward
	flows    *Flows // of Exact, and of comparisons once they were asked for

	iteration int
	finished  bool // by the tolerance
	learner   *learner
}

// New makes a model of the graphs that the prior allows, nil for a uniform one, with
// settings whose zero values mean their defaults. workers goroutines share the work, which
// changes no bit of any result; everything random follows from the seed. Settings out
// of range, priors that no graph fulfils and too many variables are errors. Close ends
// the model.
func New(s score.Scorer, prior *score.Prior, set Settings, workers int, seed uint64) (_ *Model,
	err error) {
	defer caught(&err)
	r, err := newReward(s, prior)
	if err != nil {
		return nil, err
	}
	d := s.Vars()
	set = set.WithDefaults(d)
	if err := set.check(d); err != nil {
		return nil, err
	}
	m := &Model{settings: set, workers: max(1, workers), seed: seed, reward: r}
	if set.Policy != Exact {
		if m.learner, err = newLearner(r, set, m.workers, seed); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Close releases the goroutines of the model, which must not be used afterwards.
func (m *Model) Close() {
	if m.learner != nil {
		m.learner.close()
	}
}

// Settings are those of the model, defaults filled in.
func (m *Model) Settings() Settings { return m.settings }

// Vars is the number of variables d.
func (m *Model) Vars() int { return m.reward.scores.Vars() }

// Step is the number of iterations done.
func (m *Model) Step() int { return m.iteration }

// Steps is the number of iterations of the whole training, the prefill included, and 1
// for Exact.
func (m *Model) Steps() int { return m.settings.steps() }

// Done reports whether training is over: all iterations are done, or the tolerance was
// reached.
func (m *Model) Done() bool { return m.finished || m.iteration >= m.Steps() }

// Advance trains until so many iterations are done, at most [Model.Steps], or the
// tolerance is reached. When ctx is done it stops between two iterations, with the cause, and
// another call goes on from there. A score that is not a number is an error.
func (m *Model) Advance(ctx context.Context, to int) (err error) {
	defer caught(&err)
	for m.iteration < min(to, m.Steps()) && !m.finished {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if m.settings.Policy == Exact {
			if _, err := m.exactFlows(ctx); err != nil {
				return err
			}
			m.iteration++
			continue
		}
		finished := false
		if m.settings.Tolerance > 0 && (m.iteration+1)%m.settings.Look == 0 {
			// The look comes first: interrupted, it leaves the iteration undone.
			c, err := m.Compare(ctx)
			if err != nil {
				return err
			}
			finished = c.TotalVariation <= m.settings.Tolerance
		}
		if err := m.learner.iterate(m.iteration); err != nil {
			return err
		}
		m.iteration++
		m.finished = finished
	}
	return nil
}

// exactFlows are computed once.
func (m *Model) exactFlows(ctx context.Context) (*Flows, error) {
	if m.flows == nil {
		f, err := newFlows(ctx, m.reward, m.workers)
		if err != nil {
			return nil, err
		}
		m.flows = f
	}
	return m.flows, nil
}

// LogReward is ln R(G) = Σ_j ln p(x_j | x_pa) + ln ρ_j(pa_j) of a graph: −Inf if it is
// impossible. It panics if the graph has another number of vertices. Cycles are not
// looked for.
func (m *Model) LogReward(g *dag.Graph) float64 {
	if g.Len() != m.Vars() {
		panic("gflownet: graph with another number of vertices than the model")
	}
	return m.reward.logReward(g)
}

// Trace is the mean loss of every [TraceEvery] gradient steps.
func (m *Model) Trace() []float64 {
	if m.learner == nil {
		return nil
	}
	return append([]float64(nil), m.learner.trace...)
}

// Skipped is the number of gradient steps that were left out because a number was not
// finite.
func (m *Model) Skipped() int {
	if m.learner == nil {
		return 0
	}
	return m.learner.skipped
}

// LogEvidence is ln F(∅) = ln R(∅) − ln π(stop|∅), with the required edges for ∅: the
// log evidence under the prior as it is, not normalised over graphs. That of Exact is
// exact, that of a learned policy what it has learned.
func (m *Model) LogEvidence(ctx context.Context) (_ float64, err error) {
	defer caught(&err)
	if m.settings.Policy == Exact {
		f, err := m.exactFlows(ctx)
		if err != nil {
			return math.NaN(), err
		}
		return f.LogEvidence(), nil
	}
	p, err := m.learner.wideProgram()
	if err != nil {
		return math.NaN(), err
	}
	if err := m.learner.evaluate(p, []state{m.reward.start}, m.learner.weights); err != nil {
		return math.NaN(), err
	}
	return m.reward.total(&m.reward.start) - p.logStop[0], nil
}

// Flows are the exact flows of a model with at most [MaxExact] variables, of any
// policy, and an error of a larger one.
func (m *Model) Flows(ctx context.Context) (*Flows, error) {
	if m.Vars() > MaxExact {
		return nil, errors.New("gflownet: exact flows of more than 5 variables are not known")
	}
	return m.exactFlows(ctx)
}

// ascent is the optimiser with the learning rate of an iteration; it ascends what it is given.
func (s Settings) ascent(iteration int) svgd.Adam { return svgd.Adam{StepSize: s.rate(iteration)} }
