package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tobac/dataset"
	"tobac/gflownet"
	"tobac/sem"
	"tobac/setting"

	"gonum.org/v1/gonum/mat"
)

// flowFit is DAG-GFlowNet under the hypothesis that short chains have settled.
type flowFit struct {
	*gflownet.Model
	*settled
}

// newGFlowNet prepares the training of DAG-GFlowNet.
func newGFlowNet(_ context.Context, s *settled, cfg *Config) (stage, error) {
	cfg.doing(GFlowNet, "compiling the training, model "+s.model.String())
	m, err := gflownet.New(s.hypothesis.Scores, s.prior, cfg.gflownetSettings(), cfg.Workers, cfg.Seed)
	if err != nil {
		return nil, err
	}
	f := &flowFit{m, s}
	return &training[gflownet.State]{engine: GFlowNet, learner: f, point: f.point, read: f.inference}, nil
}

// Steps is the number of steps of the training, those taken if the tolerance has ended it.
func (f *flowFit) Steps() int {
	if f.Done() {
		return f.Step()
	}
	return f.Model.Steps()
}

// loss is what the training of DAG-GFlowNet lowers: 0 where the flows into every graph are those out of it.
const loss = "loss"

func (f *flowFit) point() TrainingPoint {
	if all := f.trace(); len(all) > 0 {
		return TrainingPoint{Step: f.Step(), Quantity: loss, Value: all[len(all)-1].Value}
	}
	return TrainingPoint{Step: f.Step()}
}

// trace has the mean loss of every hundred gradient steps, at the last of them.
func (f *flowFit) trace() []TrainingPoint {
	var all []TrainingPoint
	for k, v := range f.Trace() {
		all = append(all, TrainingPoint{Step: max(0, f.Settings().Prefill) + (k+1)*gflownet.TraceEvery, Quantity: loss, Value: v})
	}
	return all
}

// inference draws graphs by the policy that was trained. Exact flows have exact probabilities of edges beside them.
func (f *flowFit) inference(ctx context.Context, data *dataset.Table, cfg *Config) (*inference, error) {
	graphs, err := f.Draws(ctx, posteriorDraws)
	if err != nil {
		return nil, err
	}
	t := &Training{Trace: f.trace(), Skipped: f.Skipped(), Exact: f.Model.Settings().Policy == gflownet.Exact, Distance: math.NaN(), Imbalance: math.NaN()}
	var edges *mat.Dense
	if f.Vars() <= gflownet.MaxExact {
		c, err := f.Compare(ctx)
		if err != nil {
			return nil, err
		}
		if t.Distance = c.TotalVariation; t.Exact {
			edges = c.Edges
		}
	}
	inf, err := f.settled.inference(ctx, data, GFlowNet, graphs, edges, cfg)
	if err != nil {
		return nil, err
	}
	if inf.training = t; !t.Exact {
		t.Imbalance, err = imbalance(ctx, graphs, f.hypothesis.Scores, f.prior, cfg.Workers)
	}
	return inf, err
}

// GFlowNetSettings are those settings of Config.GFlowNet that have a text form of one line.
func (c *Config) GFlowNetSettings() []*setting.Setting {
	s := &c.GFlowNet
	return []*setting.Setting{
		setting.OneText(&s.Policy, "gflownet-policy", "how --method gflownet represents its flows: exactly, or by a network", "exact for at most 5 variables, else graph", gflownet.Policies()...),
		setting.OneText(&s.Logits, "gflownet-logits", "whether its network corrects what the scores of single edges say, or is alone", "guided; plain for the policy paper", gflownet.Guided, gflownet.Plain),
		setting.WholeNumber(&s.Environments, mostEnvironments, "gflownet-environments", "graphs that it builds side by side", "8"),
		setting.WholeNumber(&s.Batch, mostBatch, "gflownet-batch", "transitions of a step", "32"),
		setting.WholeNumber(&s.Buffer, mostBuffer, "gflownet-buffer", "transitions that it keeps", "100000"),
		setting.WholeNumber(&s.Prefill, mostSteps, "gflownet-prefill", "steps with random actions before the network learns, beside --steps", "100; 1000 for the policy paper"),
		setting.WholeNumber(&s.Width, mostWidth, "gflownet-width", "numbers for each variable in the network of the policy graph, a multiple of 4", "64"),
		setting.WholeNumber(&s.Refresh, mostSteps, "gflownet-refresh", "steps between two copies of the network into the target network", "100; 1000 for the policy paper"),
		setting.Fraction(&s.Exploit, "gflownet-exploit", "largest probability to act by the network rather than at random while it learns", "0.9"),
		setting.Positive(&s.Clip, "gflownet-clip", "largest norm of a gradient", "10"),
		setting.Fraction(&s.Tolerance, "gflownet-tolerance", "total variation from the exact posterior at which a training on at most 5 variables ends", "none"),
	}
}

// The largest settings of a training by [gflownet].
const (
	mostEnvironments = 10_000
	mostBuffer       = 100_000_000
	mostWidth        = 4096
)

// errGFlowNetElsewhere is about settings of DAG-GFlowNet that are those of the sampler.
var errGFlowNetElsewhere = errors.New("iterations and learning rate of DAG-GFlowNet are set as Sampler.Steps and Sampler.StepSize, and must be zero in Config.GFlowNet")

// gflownetDefaults fills in steps and learning rate for d variables.
func (c *Config) gflownetDefaults(d int) error {
	if c.GFlowNet.Iterations != 0 || c.GFlowNet.Rate != 0 {
		return errGFlowNetElsewhere
	}
	if _, scored := c.Model.(sem.Scored); c.Model != nil && !scored {
		return fmt.Errorf("the model %v has no node scores in closed form, which the method gflownet needs; allowed: the engine svgd", c.Model)
	}
	s := c.GFlowNet.WithDefaults(d)
	setting.Fill(&c.Sampler.Steps, s.Iterations)
	setting.Fill(&c.Sampler.StepSize, s.Rate)
	s.Iterations, s.Rate = 0, 0
	c.GFlowNet = s
	switch {
	case d > gflownet.MaxVariables:
		return fmt.Errorf("the method gflownet takes at most %d variables, got %d; allowed: the engines mcmc and svgd", gflownet.MaxVariables, d)
	case s.Policy == gflownet.Exact && d > gflownet.MaxExact:
		return fmt.Errorf("gflownet-policy exact takes at most %d variables, got %d; allowed: graph, small, paper", gflownet.MaxExact, d)
	case s.Tolerance > 0 && d > gflownet.MaxExact:
		return fmt.Errorf("gflownet-tolerance needs the exact posterior, of at most %d variables, got %d", gflownet.MaxExact, d)
	case s.Width%4 != 0:
		return fmt.Errorf("gflownet-width is %d; allowed: multiples of 4", s.Width)
	case s.Buffer < s.Batch:
		return fmt.Errorf("gflownet-buffer is %d, less than the gflownet-batch %d", s.Buffer, s.Batch)
	}
	return nil
}

// gflownetSettings are all settings of the training.
func (c *Config) gflownetSettings() gflownet.Settings {
	s := c.GFlowNet
	s.Iterations, s.Rate = c.Sampler.Steps, c.Sampler.StepSize
	return s
}
