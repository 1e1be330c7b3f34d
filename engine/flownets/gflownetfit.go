package flownets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"tobac/engine"
	"tobac/internal/delimited"
	"tobac/internal/gflownet"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/problems"
	"tobac/internal/trained"
	"tobac/posterior"
	"tobac/setting"

	"gonum.org/v1/gonum/mat"
)

// GFlowNet is the engine gflownet: it trains DAG-GFlowNet, a policy that builds a graph edge by
// edge.
type GFlowNet struct {
	Training Settings
}

// Settings are those of the training: representation, iterations, replay, exploration.
type Settings = gflownet.Settings

// Engine implements [engine.Settings].
func (e *GFlowNet) Engine() engine.Engine { return flowEngine{e} }

type flowEngine struct{ *GFlowNet }

// StateKey implements [engine.Resumable].
func (e flowEngine) StateKey(*engine.Problem) string {
	return fmt.Sprintf("gflownet %+v", e.Training)
}

// SizeSettings is read where numbers overflow.
func (e flowEngine) SizeSettings(*engine.Problem) (names, given []string) {
	return []string{"step-size"}, nil
}

// Name implements [engine.Engine].
func (e flowEngine) Name() string { return "gflownet" }

// About implements [engine.Engine].
func (e flowEngine) About() string {
	return `DAG-GFlowNet: a policy that builds graphs edge by edge.
It takes the scores of every model but ffn. With at most 5 columns its flows are computed
exactly, unless gflownet.policy names a network.`
}

// Settings implements [engine.Engine].
func (e flowEngine) Settings() []*setting.Setting {
	s := &e.Training
	return []*setting.Setting{
		setting.OneOf(&s.Policy, "policy", "representation of the flows: exact, or by a network",
			"exact for at most 5 variables, else graph", gflownet.Policies()...),
		setting.OneOf(&s.Logits, "logits",
			"residual on the scores of single edges (guided), or unassisted (plain)",
			"guided; plain for the policy paper", gflownet.Guided, gflownet.Plain),
		setting.WholeNumber(&s.Iterations, engine.MostSteps, "steps", "steps of the training",
			"20000; 100000 for the policy paper"),
		setting.Positive(&s.Rate, "step-size", "learning rate",
			"0.001; 0.0003 for the policy small, 0.00001 for paper"),
		setting.WholeNumber(&s.Environments, mostEnvironments, "environments",
			"graphs built side by side", "8"),
		setting.WholeNumber(&s.Batch, trained.MostBatch, "batch", "transitions of a step", "32"),
		setting.WholeNumber(&s.Buffer, mostBuffer, "buffer", "transitions that are kept", "100000"),
		setting.WholeNumber(&s.Prefill, engine.MostSteps, "prefill",
			"steps with random actions before the network learns, in addition to steps",
			"100; 1000 for the policy paper"),
		setting.WholeNumber(&s.Width, mostWidth, "width",
			"numbers for each variable in the network of the policy graph, a multiple of 4", "64"),
		setting.WholeNumber(&s.Refresh, engine.MostSteps, "refresh",
			"steps between two copies of the network into the target network",
			"100; 1000 for the policy paper"),
		fraction(&s.Exploit, "exploit", "largest probability of an action of the network "+
			"rather than a random one during the training", "0.9"),
		setting.Positive(&s.Clip, "clip", "largest norm of a gradient", "10"),
		fraction(&s.Tolerance, "tolerance", "total variation from the exact posterior at "+
			"which a training on at most 5 variables ends", "none"),
	}
}

// fraction is a number above 0 and at most 1 whose zero stands for the default.
func fraction(v *float64, name, usage, byDefault string) *setting.Setting {
	return setting.Parsed(v, name, usage, byDefault, "X", "numbers above 0, at most 1",
		func(x float64) string {
			if x == 0 {
				return ""
			}
			return strconv.FormatFloat(x, 'g', -1, 64)
		}, func(text string) (float64, error) {
			x, ok := delimited.Number(text)
			if !ok || !(x > 0 && x <= 1) {
				return 0, errors.New("out of range")
			}
			return x, nil
		})
}

// Prepare implements [engine.Engine].
func (e flowEngine) Prepare(p *engine.Problem) (engine.Settings, error) {
	d := p.Vars()
	out := *e.GFlowNet
	if err := setting.Check(out.Engine().Settings()); err != nil {
		return nil, err
	}
	if err := problems.LearnsOrders(p, e); err != nil {
		return nil, err
	}
	if !p.Scored() {
		return nil, problems.NeedsScores(p, e)
	}
	out.Training = out.Training.WithDefaults(d)
	switch s := &out.Training; {
	case d > gflownet.MaxVariables:
		return nil, fmt.Errorf("the engine gflownet takes at most %d variables, got %d; allowed: "+
			"the engines mcmc and svgd", gflownet.MaxVariables, d)
	case s.Policy == gflownet.Exact && d > gflownet.MaxExact:
		return nil, fmt.Errorf("policy exact takes at most %d variables, got %d; allowed: graph, "+
			"small, paper", gflownet.MaxExact, d)
	case s.Tolerance > 0 && d > gflownet.MaxExact:
		return nil, fmt.Errorf("tolerance needs the exact posterior, of at most %d variables, "+
			"got %d", gflownet.MaxExact, d)
	case s.Width%4 != 0:
		return nil, fmt.Errorf("width is %d; allowed: multiples of 4", s.Width)
	case s.Buffer < s.Batch:
		return nil, fmt.Errorf("buffer is %d, less than the batch %d", s.Buffer, s.Batch)
	}
	return &out, nil
}

// Demands implements [engine.Engine]: those of the policy, and of the short chains that settle the
// model.
func (e flowEngine) Demands(p *engine.Problem, size engine.Size) []engine.Demand {
	s := e.Training.WithDefaults(size.Vars)
	all := []engine.Demand{engine.Needs(float64(gflownet.Bytes(size.Vars, s, p.Workers)),
		"the policy %s and %d transitions", s.Policy, s.Buffer), inference.DrawDemand(size)}
	return append(all, graphchains.Pilot.ChainDemands(size)...)
}

// Begin implements [engine.Engine].
func (e flowEngine) Begin(ctx context.Context, p *engine.Problem) (stage engine.Stage, err error) {
	err = engine.Timed(&p.Seconds.Infer, func() error {
		s, err := graphchains.Settle(ctx, p.Data, problems.ScoredModels(p), p, graphchains.Pilot,
			inference.TrustOf(p))
		if err != nil {
			return err
		}
		problems.SettleModel(p, s.Model, s.Evidence)
		p.Doing(e.Name(), "compiling the training, model "+s.Model.String())
		m, err := gflownet.New(s.Hypothesis.Scores, s.Prior, e.Training, p.Workers, p.Seed)
		if err != nil {
			return err
		}
		f := &flowFit{m, s, e, p}
		stage = &trained.Stage[gflownet.State]{Engine: e, Problem: p, Learner: f, Point: f.point,
			Read: f.outcome}
		return nil
	})
	return stage, err
}

// flowFit is DAG-GFlowNet under the hypothesis that short chains have settled.
type flowFit struct {
	*gflownet.Model
	*graphchains.Settled
	engine  flowEngine
	problem *engine.Problem
}

// Steps is the number of steps of the training, those taken if the tolerance has ended it.
func (f *flowFit) Steps() int {
	if f.Done() {
		return f.Step()
	}
	return f.Model.Steps()
}

// loss is what the training of DAG-GFlowNet lowers: 0 where the flows into every graph are those
// out of it.
const loss = "loss"

func (f *flowFit) point() engine.TrainingPoint {
	if all := f.trace(); len(all) > 0 {
		return engine.TrainingPoint{Step: f.Step(), Quantity: loss, Value: all[len(all)-1].Value}
	}
	return engine.TrainingPoint{Step: f.Step()}
}

// trace has the mean loss of every hundred gradient steps, at the last of them.
func (f *flowFit) trace() []engine.TrainingPoint {
	var all []engine.TrainingPoint
	for k, v := range f.Trace() {
		all = append(all, engine.TrainingPoint{Step: max(0, f.Settings().Prefill) +
			(k+1)*gflownet.TraceEvery, Quantity: loss, Value: v})
	}
	return all
}

// outcome draws graphs by the policy that was trained. Exact flows have exact probabilities of
// edges.
func (f *flowFit) outcome(ctx context.Context) (*engine.Outcome, error) {
	graphs, err := f.Draws(ctx, inference.Draws)
	if err != nil {
		return nil, err
	}
	t := &engine.Training{Trace: f.trace(), Skipped: f.Skipped(),
		Exact: f.Model.Settings().Policy == gflownet.Exact, Distance: math.NaN(),
		Imbalance: math.NaN()}
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
	inf, err := f.Settled.Inference(ctx, f.problem.Data, f.engine.Name(),
		posterior.Uniform(graphs), edges, f.problem)
	if err != nil {
		return nil, err
	}
	if !t.Exact {
		if t.Imbalance, err = inference.Imbalance(ctx, graphs, f.Hypothesis.Scores, f.Prior,
			f.problem.Workers); err != nil {
			return nil, err
		}
	}
	o := &inf.Outcome
	o.Training = t
	s := &f.engine.Training
	o.Method = fmt.Sprintf("gflownet, DAG-GFlowNet: policy %s, %d steps", s.Policy, s.Iterations)
	switch {
	case t.Exact:
		o.Method = "gflownet, DAG-GFlowNet: exact flows"
		o.Computation = "Edge probabilities are exact sums over the flows of all graphs."
	case !math.IsNaN(t.Distance):
		o.Computation = fmt.Sprintf("The probabilities come from %d graphs drawn by a policy "+
			"that was trained, whose total variation from the exact posterior is %.3f.",
			len(o.Draws), t.Distance)
	default:
		o.Computation = trained.Approximate(len(o.Draws), "by a policy that was trained")
	}
	return o, nil
}

// The largest settings of a training by [gflownet].
const (
	mostEnvironments = 10_000
	mostBuffer       = 100_000_000
	mostWidth        = 4096
)

// Given implements [engine.Settling]: the hypothesis that short chains settle.
func (e flowEngine) Given(ctx context.Context, p *engine.Problem,
	edgesPerNode float64) (*engine.Given, error) {
	return graphchains.Pilot.Given(ctx, p, edgesPerNode)
}
