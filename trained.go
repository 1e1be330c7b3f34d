package tobac

import (
	"context"
	"encoding/json"
	"fmt"
)

// trainingWarnings are reasons to distrust what was trained.
func trainingWarnings(t *Training, steps int) (w []string) {
	if t.Skipped > 0 {
		w = append(w, fmt.Sprintf("%d of %d steps of the training changed nothing, because their gradients were not finite", t.Skipped, steps))
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

// training is the stage of an engine that trains a learner.
type training[S any] struct {
	engine  Engine
	problem *Problem
	learner learner[S]
	point   func() TrainingPoint                        // where it is
	read    func(ctx context.Context) (*Outcome, error) // the posterior, after the last step
	outcome *Outcome                                    // nil until then
}

// Steps implements [Stage].
func (t *training[S]) Steps() (done, all int) { return t.learner.Step(), t.learner.Steps() }

// Advance implements [Stage].
func (t *training[S]) Advance(ctx context.Context, to int) error {
	return timed(&t.problem.Seconds.Infer, func() error {
		for t.learner.Step() < min(to, t.learner.Steps()) { // which a tolerance may lower
			if err := t.learner.Advance(ctx, t.learner.Step()+1); err != nil {
				return err
			}
			p := t.point()
			t.problem.Report(Progress{Engine: t.engine.Name(), Step: p.Step, Steps: t.learner.Steps(), Training: &p})
		}
		return nil
	})
}

// Outcome implements [Stage].
func (t *training[S]) Outcome(ctx context.Context) (_ *Outcome, err error) {
	if done, all := t.Steps(); done < all {
		return nil, BeforeEnd(all)
	}
	if t.outcome == nil {
		t.problem.doing(t.engine, "drawing graphs from the trained distribution")
		if t.outcome, err = t.read(ctx); err != nil {
			return nil, err
		}
		t.outcome.Checks = append(trainingChecks(t.outcome.Training), drawChecks(t.outcome.Posterior)...)
	}
	return t.outcome, nil
}

// Warnings implements [Stage].
func (t *training[S]) Warnings() []string {
	if t.outcome == nil {
		return nil
	}
	return trainingWarnings(t.outcome.Training, t.learner.Step())
}

// Save implements [Stage].
func (t *training[S]) Save() (json.RawMessage, error) { return json.Marshal(t.learner.State()) }

// Restore implements [Stage].
func (t *training[S]) Restore(_ context.Context, state json.RawMessage) error {
	s := new(S)
	if err := json.Unmarshal(state, s); err != nil {
		return fmt.Errorf("the state of the training: %w", err)
	}
	return t.learner.Restore(s)
}

// Close implements [Stage].
func (t *training[S]) Close() { t.learner.Close() }

// approximate says what the probabilities of a trained distribution are worth.
func approximate(draws int, from string) string {
	return fmt.Sprintf("The probabilities come from %d graphs drawn %s, an approximation: nothing says how near it comes, and a run with another seed shows how far the numbers hold.", draws, from)
}
