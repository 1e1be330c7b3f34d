package tobac

import (
	"context"
	"encoding/json"
	"fmt"

	"tobac/dataset"
	"tobac/setting"
)

// trainedEngines are the engines of the methods that train a distribution over graphs, from which graphs are then drawn.
var trainedEngines = map[Method]Engine{BCDNets: BCD, DAGGFlowNet: GFlowNet}

// Method is the one that is asked for, by its own name or by that of its engine.
func (c *Config) Method() Method {
	for m, e := range trainedEngines {
		if c.Engine == e && c.Sampler.Method == TOBAC {
			return m
		}
	}
	return c.Sampler.Method
}

// Trained reports whether the method trains a distribution over graphs.
func (c *Config) Trained() bool { return trainedEngines[c.Method()] != Auto }

// A TrainingPoint says how far a training is.
type TrainingPoint struct {
	Step     int     // steps taken
	Quantity string  // what Value is: ELBO, a lower bound on the log evidence in nats, or loss, whose bound is 0; "": nothing is known yet
	Value    float64 // mean over the samples of a step or over several steps
}

// A Training says how a distribution over graphs was trained. That all steps were taken does not say that it has converged.
type Training struct {
	Trace   []TrainingPoint // ascending
	Skipped int             // steps that changed nothing, because a gradient was not finite
	Starts  []float64       // ELBO at the ends of the starts of BCD Nets, of which the highest was kept; nil: a single start
	Exact   bool            // nothing had to be trained: the distribution is the posterior
	// Distance is the total variation ½ Σ_G |q(G) − p(G|D)| of what was trained from the exact posterior under the same scores and prior,
	// which DAG-GFlowNet knows of at most five variables; NaN: unknown.
	Distance float64
	// Imbalance of the draws of DAG-GFlowNet under linear node scores, see [diagnostics.Imbalance]; NaN: unknown.
	Imbalance float64
}

// warnings are reasons to distrust what was trained.
func (t *Training) warnings(steps int) (w []string) {
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

// training is the stage that trains a learner.
type training[S any] struct {
	engine  Engine
	learner learner[S]
	point   func() TrainingPoint // where it is
	read    func(ctx context.Context, data *dataset.Table, cfg *Config) (*inference, error)
}

func (t *training[S]) at() (step, steps int) { return t.learner.Step(), t.learner.Steps() }

func (t *training[S]) advance(ctx context.Context, to int, report func(Progress)) error {
	for t.learner.Step() < min(to, t.learner.Steps()) { // which a tolerance may lower
		if err := t.learner.Advance(ctx, t.learner.Step()+1); err != nil {
			return err
		}
		p := t.point()
		report(Progress{Stage: t.engine, Step: p.Step, Training: &p})
	}
	return nil
}

func (t *training[S]) inference(ctx context.Context, data *dataset.Table, cfg *Config) (*inference, error) {
	cfg.doing(t.engine, "drawing graphs from the trained distribution")
	return t.read(ctx, data, cfg)
}

func (t *training[S]) snapshot() (json.RawMessage, error) { return json.Marshal(t.learner.State()) }

func (t *training[S]) restore(state json.RawMessage) error {
	s := new(S)
	if err := json.Unmarshal(state, s); err != nil {
		return fmt.Errorf("the state of the training: %w", err)
	}
	return t.learner.Restore(s)
}

func (t *training[S]) close() { t.learner.Close() }

// trainedDefaults finds what the method, which trains a distribution over graphs, does not take, and fills in what it does.
func (c *Config) trainedDefaults(d int) error {
	engine := trainedEngines[c.Sampler.Method]
	method := c.Sampler.Method
	if err := setting.Check(append(c.BCDSettings(), c.GFlowNetSettings()...)); err != nil {
		return err
	}
	switch {
	case c.Engine != Auto && c.Engine != engine:
		return fmt.Errorf("the method %v trains an engine of its own, got the engine %v", method, c.Engine)
	case c.Order.Method != nil || c.Order.Count != 0 || c.Order.Weights != 0:
		return fmt.Errorf("the method %v learns what orders are probable, and takes none that a method finds or that are drawn from a posterior", method)
	case method == BCDNets:
		return c.bcdDefaults()
	}
	return c.gflownetDefaults(d)
}
