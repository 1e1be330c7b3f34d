package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/bcd"
	"tobac/dataset"
	"tobac/internal/inspect"
	"tobac/posterior"
	"tobac/sem"
	"tobac/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// bcdFit is BCD Nets on a table: the linear model with normal noise, whose variance is the same for all equations
// or, with the model Linear{Unequal: true}, one for each. Like [sem.Linear] without Unequal it sees columns in their units, shifted to mean 0, and
// like Linear with Unequal columns scaled to variance 1.
type bcdFit struct {
	*bcd.Model
	scale   *posterior.Standardization // of the columns
	unequal bool
}

// newBCD prepares the training of BCD Nets.
func newBCD(_ context.Context, data *dataset.Table, cfg *Config) (stage, error) {
	if err := bcdData(data); err != nil {
		return nil, err
	}
	cfg.doing(BCD, "compiling the training")
	f := &bcdFit{unequal: !sharesVariance(cfg.Model)}
	mean, sd := data.Moments()
	if !f.unequal {
		for j := range sd {
			sd[j] = 1
		}
	}
	f.scale = &posterior.Standardization{Mean: mean, SD: sd}
	var err error
	if f.Model, err = bcd.New(f.scale.Apply(data.X), cfg.bcdSettings(len(data.Names)), cfg.Workers, cfg.Seed); err != nil {
		return nil, err
	}
	return &training[bcd.State]{engine: BCD, learner: f, point: f.point, read: f.inference}, nil
}

// BCDSettings are those settings of Config.BCD that have a text form of one line.
func (c *Config) BCDSettings() []*setting.Setting {
	s := &c.BCD
	return []*setting.Setting{
		setting.WholeNumber(&s.Batch, mostBatch, "bcd-batch", "Monte Carlo samples of a step of --method bcd", "64"),
		setting.WholeNumber(&s.Starts, 1000, "bcd-starts", "fits of --method bcd from different parameters that share --steps, of which that with the highest ELBO is kept", "one for every 6000 steps, at most 3"),
		setting.Parsed(&s.Schedule, "bcd-temperature", "temperature of its permutations, alone or in stages of which each ends at a fraction of the steps", "30:0.05,10:0.1,1:0.2,0.5:0.6,0.25:1",
			"T:END,...", "temperatures from 0.001 to 1000000, alone or as in 10:0.2,0.25:1, the last stage ending at 1", bcd.Schedule.String, bcd.ParseSchedule),
		setting.Positive(&s.EvaluationTemperature, "bcd-draw-temperature", "temperature of the permutations that it draws at the end", "that of the last stage"),
		setting.Positive(&s.HorseshoeScale, "bcd-scale", "scale of its horseshoe prior of the weights", "from --edges-per-node"),
		setting.Positive(&s.L2, "bcd-l2", "coefficient of half the squared parameters of its permutations", "none"),
		setting.Parsed(&s.Edges, "bcd-edges", "which weights that it draws are edges: above X in units, above X times the largest, or of one sign in a fraction X of the draws", "columns:0.3, that is units:0.3, and largest:0.3 of columns scaled to variance 1",
			"BASIS:X", "columns, units, largest or signs, alone or with a number as in largest:0.3", edgeRule, bcd.ParseEdgeRule),
	}
}

// mostBatch bounds samples and transitions of a step of a training.
const mostBatch = 100_000

// edgeRule is the text form of a rule; "" stands for the default.
func edgeRule(r bcd.EdgeRule) string {
	if r == (bcd.EdgeRule{}) {
		return ""
	}
	return r.String()
}

// bcdSettings are all settings of the training, for d variables.
func (c *Config) bcdSettings(d int) bcd.Settings {
	s := c.BCD
	s.Steps, s.LearningRate, s.EdgesPerNode, s.UnequalVariances = c.Sampler.Steps, c.Sampler.StepSize, c.Prior.EdgesPerNodeFor(d), !sharesVariance(c.Model)
	setting.Fill(&s.TraceEvery, max(1, min(400, s.Steps/100)))
	return s
}

// point is the last one of the trace; before the first there is none to show.
func (f *bcdFit) point() TrainingPoint {
	p := TrainingPoint{Step: f.Step(), Quantity: elbo}
	if all := f.Trace(); len(all) > 0 {
		p.Value = all[len(all)-1].Hard
	}
	return p
}

// elbo is what the training of BCD Nets raises, a lower bound on the log evidence.
const elbo = "ELBO"

// inference draws graphs with their equations from what was trained.
func (f *bcdFit) inference(ctx context.Context, data *dataset.Table, cfg *Config) (*inference, error) {
	draws, err := f.Draws(ctx, posteriorDraws)
	if err != nil {
		return nil, err
	}
	p := &posterior.Posterior{Names: slices.Clone(data.Names), Engine: BCD.String(), Model: cfg.Model.String(), Kind: posterior.Draws, Standardization: f.scale,
		Draws: draws, Warnings: slices.Clone(f.Warnings())}
	p.Components = []posterior.Component{{Draws: len(draws), Weight: 1, LogEvidence: math.NaN(), Empty: f.empty(data)}}
	p.Marginals = p.Frequencies()
	t := &Training{Distance: math.NaN(), Imbalance: math.NaN(), Starts: f.ELBOs()} // the model warns of skipped steps
	for _, at := range f.Trace() {
		t.Trace = append(t.Trace, TrainingPoint{Step: at.Step, Quantity: elbo, Value: at.Hard})
	}
	return &inference{post: inDataUnits(p, data), reason: "as asked for", density: cfg.Prior.EdgesPerNodeFor(len(data.Names)), training: t}, nil
}

// empty are the most probable equations without edges: a normal distribution of each column, with one variance for all if
// the model has one.
func (f *bcdFit) empty(data *dataset.Table) *posterior.Equations {
	d := len(data.Names)
	variances := make([]float64, d)
	_, sd := data.Moments()
	for j, s := range sd {
		variances[j] = s * s / (f.scale.SD[j] * f.scale.SD[j])
	}
	if !f.unequal {
		mean := floats.Sum(variances) / float64(d)
		for j := range variances {
			variances[j] = mean
		}
	}
	return &posterior.Equations{Weights: mat.NewDense(d, d, nil), NoiseVariances: variances}
}

// Settings of BCD Nets that are those of other parts of the configuration.
var errBCDElsewhere = errors.New("steps, learning rate, edges per node and unequal variances of BCD Nets are set as Sampler.Steps, Sampler.StepSize, Prior.EdgesPerNode and the model, and must be zero in Config.BCD")

// bcdDefaults settles the model of BCD Nets, and finds what has no place in its prior.
func (c *Config) bcdDefaults() error {
	if s := &c.BCD; s.Steps != 0 || s.LearningRate != 0 || s.EdgesPerNode != 0 || s.UnequalVariances {
		return errBCDElsewhere
	}
	if err := c.BCD.Check(); err != nil {
		return err
	}
	defaults := bcd.Settings{}.WithDefaults(2, 2)
	setting.Fill(&c.Sampler.Steps, defaults.Steps)
	setting.Fill(&c.Sampler.StepSize, defaults.LearningRate)
	setting.Fill(&c.BCD.Batch, defaults.Batch)
	if c.BCD.Starts > c.Sampler.Steps {
		return fmt.Errorf("%d starts of the method bcd share %d steps; allowed: as many starts as steps, or fewer", c.BCD.Starts, c.Sampler.Steps)
	}
	switch m := c.Model.(type) {
	case nil:
		c.Model = sem.Linear{}
	case sem.LinearGaussian:
		plain, ok := m.Plain()
		if !ok {
			return fmt.Errorf("the method bcd learns the noise variances and has a prior of its own for weights, and takes no settings of the model; got %v", m)
		}
		c.Model = plain
	default:
		return fmt.Errorf("the method bcd has linear equations, got the model %v; allowed: linear, with equal or unequal noise variances", c.Model)
	}
	switch p := &c.Prior; {
	case c.Order.Known != nil:
		return errors.New("the method bcd learns a distribution over all orders, and takes no known one; allowed: the methods tobac and gflownet, and the engine exact")
	case p.Own != nil || p.Kind != background.Sparse || p.Probabilities != nil:
		return errors.New("the method bcd has a horseshoe prior, of which only the expected edges per node can be set; allowed: the method gflownet, and the engines exact and mcmc")
	case p.Exclusive != nil:
		return errors.New("the method bcd cannot rule out edges between columns that code one variable; allowed: the method gflownet, and the engines exact, mcmc and svgd")
	case p.Forbidden != nil || p.Required != nil || p.Tiers != nil || p.Sinks != nil || p.Sources != nil || p.Odds != nil || p.MaxParents != 0:
		return errors.New("the method bcd takes no knowledge about edges; allowed: the method gflownet, and the engines exact, mcmc and svgd")
	}
	return nil
}

// bcdData says why data do not suit the method bcd; nil: they do.
func bcdData(data *dataset.Table) error {
	if data.Intervened != nil {
		n, d := data.Intervened.Dims()
		for i := range n {
			for j := range d {
				if data.Intervened.At(i, j) != 0 {
					return fmt.Errorf("the method bcd takes observations alone, but column %q was set by intervention in row %d; allowed: the method gflownet, and the engines exact, mcmc and svgd", data.Names[j], i+1)
				}
			}
		}
	}
	if column := inspect.Discrete(data); column != "" {
		return fmt.Errorf("the method bcd needs continuous columns, but %s; allowed: the method gflownet, and the engines exact and mcmc", column)
	}
	return nil
}
