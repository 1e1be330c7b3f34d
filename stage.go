package tobac

import (
	"context"
	"encoding/json"

	"tobac/dataset"
)

// A stage computes a posterior step by step: Markov chains, whose posterior SVGD may draw orders from, or the
// training of a distribution over graphs.
type stage interface {
	// at is the number of steps taken, and that of the whole stage.
	at() (step, steps int)
	// advance takes the steps up to number to, and reports them; it stops at a step boundary when ctx is done.
	advance(ctx context.Context, to int, report func(Progress)) error
	// inference reads the posterior off the state that the last step has left.
	inference(ctx context.Context, data *dataset.Table, cfg *Config) (*inference, error)
	// snapshot is the state with every bit, and restore continues from one.
	snapshot() (json.RawMessage, error)
	restore(state json.RawMessage) error
	close()
}

// stageSteps are those of the stage before SVGD; 0 if there is none.
func (r *Run) stageSteps() (step, steps int) {
	if r.stage == nil {
		return 0, 0
	}
	return r.stage.at()
}

// advanceStage takes the steps of the stage before SVGD up to number to, and reads its posterior after the last.
func (r *Run) advanceStage(ctx context.Context, to int) error {
	step, steps := r.stageSteps()
	if step < steps {
		err := timed(&r.seconds.Infer, func() error {
			return r.stage.advance(ctx, min(to, steps), func(p Progress) {
				p.Steps = r.Steps()
				r.report(p)
			})
		})
		if err != nil {
			return err
		}
	}
	if step, _ = r.stageSteps(); r.stage == nil || step < steps || r.inferred != nil {
		return nil
	}
	return r.endStage(ctx)
}

// endStage reads the posterior off the stage before SVGD, and begins SVGD if that is to follow.
func (r *Run) endStage(ctx context.Context) (err error) {
	if r.inferred, err = r.stage.inference(ctx, r.data, &r.cfg); err != nil {
		return err
	}
	if r.cfg.Engine == SVGD {
		return r.beginParticles(ctx)
	}
	return nil
}
