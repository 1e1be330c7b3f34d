package trained

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/inference"
	"tobac/internal/problems"
)

// MostBatch bounds samples and transitions of a step of a training.
const MostBatch = 100_000

// trainingWarnings are reasons to distrust what was trained.
func trainingWarnings(t *engine.Training, steps int) (w []string) {
	if t.Skipped > 0 {
		w = append(w, fmt.Sprintf("%d of %d steps of the training changed nothing, because their "+
			"gradients were not finite", t.Skipped, steps))
	}
	return w
}

// A learner is what is trained step by step, with a state S.
type learner[S any] interface {
	Advance(ctx context.Context, to int) error
	Step() int
	Steps() int
	State() *S
	Restore(*S) error
	Close()
}

// Stage is the stage of an engine that trains a learner.
type Stage[S any] struct {
	Engine  engine.Engine
	Problem *engine.Problem
	Learner learner[S]
	Point   func() engine.TrainingPoint                        // where it is
	Read    func(ctx context.Context) (*engine.Outcome, error) // the posterior, after the last step
	outcome *engine.Outcome                                    // nil until then
}

// Steps implements [engine.Stage].
func (t *Stage[S]) Steps() (done, all int) { return t.Learner.Step(), t.Learner.Steps() }

// Advance implements [engine.Stage].
func (t *Stage[S]) Advance(ctx context.Context, to int) error {
	return engine.Timed(&t.Problem.Seconds.Infer, func() error {
		for t.Learner.Step() < min(to, t.Learner.Steps()) { // which a tolerance may lower
			if err := t.Learner.Advance(ctx, t.Learner.Step()+1); err != nil {
				return err
			}
			p := t.Point()
			t.Problem.Report(engine.Progress{Engine: t.Engine.Name(), Step: p.Step,
				Steps: t.Learner.Steps(), Training: &p})
		}
		return nil
	})
}

// Outcome implements [engine.Stage].
func (t *Stage[S]) Outcome(ctx context.Context) (_ *engine.Outcome, err error) {
	if done, all := t.Steps(); done < all {
		return nil, problems.BeforeEnd(all)
	}
	if t.outcome == nil {
		t.Problem.Doing(t.Engine.Name(), "drawing graphs from the trained distribution")
		if t.outcome, err = t.Read(ctx); err != nil {
			return nil, err
		}
		t.outcome.Checks = append(trainingChecks(t.outcome.Training),
			inference.DrawChecks(t.outcome.Posterior)...)
	}
	return t.outcome, nil
}

// Warnings implements [engine.Stage].
func (t *Stage[S]) Warnings() []string {
	if t.outcome == nil {
		return nil
	}
	return trainingWarnings(t.outcome.Training, t.Learner.Step())
}

// Save implements [engine.Stage].
func (t *Stage[S]) Save() (json.RawMessage, error) { return json.Marshal(t.Learner.State()) }

// Restore implements [engine.Stage].
func (t *Stage[S]) Restore(_ context.Context, state json.RawMessage) error {
	s := new(S)
	if err := json.Unmarshal(state, s); err != nil {
		return fmt.Errorf("the state of the training: %w", err)
	}
	return t.Learner.Restore(s)
}

// Close implements [engine.Stage].
func (t *Stage[S]) Close() { t.Learner.Close() }

// Approximate says what the probabilities of a trained distribution are worth.
func Approximate(draws int, from string) string {
	return fmt.Sprintf("The probabilities come from %d graphs drawn %s, an approximation of "+
		"unknown error: compare a run with another seed.", draws, from)
}

// Thresholds of the checks: doubtful, then bad. bench/notes/diagnostics.md has the runs that they
// were measured on.
var (
	limitTrend    = [2]float64{0.05, 0.2}
	limitDistance = [2]float64{0.1, 0.3}
)

// trainingChecks are about a training.
func trainingChecks(t *engine.Training) []diagnostics.Check {
	if t.Exact {
		return nil
	}
	var all []diagnostics.Check
	if !math.IsNaN(t.Distance) {
		all = append(all,
			diagnostics.Above("total_variation", t.Distance, limitDistance[0], limitDistance[1],
				fmt.Sprintf(
					"the policy is far from the exact posterior (total variation %.2f): take "+
						"more steps, or --set gflownet.policy=exact", t.Distance)))
	}
	if !math.IsNaN(t.Imbalance) {
		all = append(all, inference.ImbalanceCheck(t.Imbalance, "draws"))
	}
	values, quantity := make([]float64, len(t.Trace)), "trace"
	for k, p := range t.Trace {
		values[k], quantity = p.Value, p.Quantity
	}
	trend := diagnostics.Trend(values)
	text := fmt.Sprintf("the %s has not settled: %.0f %% of its change was in the last quarter "+
		"of the steps; train longer", quantity, 100*trend)
	if math.IsNaN(trend) {
		text = "the training is too short to tell whether it has converged"
	}
	return append(all, diagnostics.Above("trend", trend, limitTrend[0], limitTrend[1], text))
}
