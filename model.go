package tobac

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/models"
	"tobac/posterior"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// A Model is a structural equation model. What a fit can do with it depends on
// which of [Differentiable] and [Scored] it implements, and its likelihood on what that
// implements in turn. [Linear], [BGe], [GaussianProcess] and [FeedForward] are the
// models of this package.
type Model interface {
	// String is the text form of the model with its settings, under which
	// snapshots and summaries know it: equal texts mean equal models.
	String() string
}

// A Differentiable model has a likelihood that can be differentiated, which SVGD
// samples.
type Differentiable interface {
	Model
	// Likelihood prepares the model for data with the columns in causal order, or
	// as they are if the method knows no order.
	Likelihood(data *dataset.Table) (models.Likelihood, error)
}

// An Estimated model has quantities that are read off the data before its
// likelihood is prepared.
type Estimated interface {
	// Estimate returns the model with these quantities, for data with the columns
	// in causal order.
	Estimate(data *dataset.Table) (Model, error)
}

// A Noisy model has one noise variance for all equations.
type Noisy interface {
	// Noise is the noise variance, 0 if it is unknown.
	Noise() float64
	// WithNoise is the model with another one.
	WithNoise(variance float64) Model
}

// A Cautious model knows which data do not suit it.
type Cautious interface {
	// Doubts are reasons to distrust a fit to the data, as sentences for a reader.
	Doubts(data *dataset.Table) []string
}

// A Scored model has node scores in closed form, which the engines that infer
// orders use.
type Scored interface {
	Model
	// Hypotheses are the node scores of the model for data whose columns are as
	// the user gave them: one, or several with prior weights that sum to 1, such as those of a grid
	// over a noise variance, which are then averaged by their evidence. The
	// prior may be used to estimate what the scores take as given.
	Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior, workers int) ([]Hypothesis, error)
}

// A Hypothesis is a node score with everything fixed that it takes as given.
type Hypothesis struct {
	Scores    score.Scorer
	LogWeight float64 // of the prior
	// NoiseVariance is the one that all equations share, 0 if they do not.
	NoiseVariance float64
}

// Linear is the linear Gaussian model with one noise variance for all equations,
//
//	x_j = b_j + Σ_i w_ij x_i + ε_j,   ε_j ~ N(0, σ²),   w_ij ~ N(0, EdgeVariance).
//
// The equal variance is what tells directions apart, so that the units of the columns matter.
type Linear struct {
	// NoiseVariance σ², in squared units of the data. 0: estimated from the data;
	// without a causal order to estimate it under, as with DiBS, 0.1.
	NoiseVariance float64
	// EdgeVariance is the prior variance of a weight. 0: averaged over by the engines that
	// have evidences, above twelve variables estimated, unless NoiseVariance is given;
	// 1, as published, for SVGD.
	EdgeVariance float64
	// NoIntercept sets every b_j to 0, as published, instead of integrating it out.
	NoIntercept bool
	// Start says how SVGD draws the initial weights. Zero: RegressionStart.
	Start Start
}

// Start says how the initial edge weights of the particles are drawn.
type Start int

const (
	// RegressionStart draws them around the regression of every variable on all
	// earlier ones: see [models.RegressionStart].
	RegressionStart Start = iota
	// PriorStart draws them from N(0, 1), moved away from zero by ½, as
	// published. A particle whose weight starts with the wrong sign then often
	// gives up a true edge.
	PriorStart
)

// String is the name of the choice.
func (s Start) String() string { return name(s, "regression", "prior") }

// BGe is the linear Gaussian model with a noise variance for every equation, all
// parameters integrated out: the Bayesian Gaussian equivalent score, of columns
// scaled to variance 1 unless Raw. Graphs of one equivalence class have the same
// probability, and neither shifting nor multiplying a column changes one.
type BGe struct {
	AlphaMu float64 // strength of the prior mean; 0: 1
	// AlphaLambda is the degrees of freedom, above d+1, which set the scale of the prior.
	// 0: averaged over by the engines that have evidences (above 12 variables
	// estimated); d+2, as published, for SVGD and with Raw.
	AlphaLambda float64
	Raw         bool // columns as they are, with prior means of 0, as published
}

// FeedForward is the nonlinear Gaussian model whose equations are networks of the
// parents, [models.FeedForward]. The zero value is the published one.
type FeedForward struct {
	Hidden        []int             // units of each hidden layer; nil: one layer of 5
	Activation    models.Activation // zero: Relu
	NoBias        bool              // leave out all biases
	NoiseVariance float64           // of every equation; 0: 0.1
}

var (
	_ Differentiable = Linear{}
	_ Estimated      = Linear{}
	_ Equational     = Linear{}
	_ Scored         = Linear{}
	_ Differentiable = BGe{}
	_ Noisy          = Linear{}
	_ Cautious       = Linear{}
	_ Scored         = BGe{}
	_ Differentiable = FeedForward{}
	_ Noisy          = FeedForward{}
)

// text joins the settings of a model that are not zero.
func text(name string, settings ...any) string {
	words := []string{name}
	for k := 0; k < len(settings); k += 2 {
		switch v := settings[k+1].(type) {
		case float64:
			if v != 0 {
				words = append(words, fmt.Sprintf("%s=%v", settings[k], v))
			}
		case int:
			if v != 0 {
				words = append(words, fmt.Sprintf("%s=%d", settings[k], v))
			}
		case bool:
			if v {
				words = append(words, settings[k].(string))
			}
		case string:
			if v != "" {
				words = append(words, fmt.Sprintf("%s=%s", settings[k], v))
			}
		}
	}
	return strings.Join(words, " ")
}

// String implements [Model].
func (m Linear) String() string {
	return text("linear", "noise-variance", m.NoiseVariance, "edge-variance", m.EdgeVariance, "no-intercept", m.NoIntercept, "prior-start", m.Start == PriorStart)
}

// Likelihood implements [Differentiable].
func (m Linear) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	start := models.RegressionStart
	if m.Start == PriorStart {
		start = models.PriorStart
	}
	return models.NewLinear(data.X, data.Mask(), models.LinearOptions{
		NoiseVariance: m.NoiseVariance, EdgeVariance: m.EdgeVariance, Intercept: !m.NoIntercept, Start: start,
	})
}

// Estimate implements [Estimated]: the noise variance, if it is not given.
func (m Linear) Estimate(data *dataset.Table) (_ Model, err error) {
	if m.NoiseVariance == 0 {
		m.NoiseVariance, err = models.EstimateNoiseVariance(data.X, data.Mask(), models.LinearOptions{Intercept: !m.NoIntercept})
	}
	return m, err
}

// Hypotheses implements [Scored]. A noise variance that is not given is averaged
// over, up to twelve variables, or else estimated ([score.NoiseGrid]); an edge
// variance that is not given is averaged over.
func (m Linear) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior, _ int) ([]Hypothesis, error) {
	opt := score.LinearOptions{NoiseVariance: m.NoiseVariance, EdgeVariance: m.EdgeVariance, NoIntercept: m.NoIntercept}
	if m.NoiseVariance != 0 {
		s, err := score.NewLinear(data.X, data.Mask(), opt)
		return []Hypothesis{{Scores: s, NoiseVariance: m.NoiseVariance}}, err
	}
	v, err := score.EstimateNoiseVariance(ctx, data.X, data.Mask(), prior, opt)
	if err != nil {
		return nil, err
	}
	opt.NoiseVariance = v
	centre, err := score.NewLinear(data.X, data.Mask(), opt)
	if err != nil {
		return nil, err
	}
	_, d := data.X.Dims()
	grid := centre.NoiseGrid(gridPoints(d))
	edgeVariances := []float64{opt.EdgeVariance}
	if m.EdgeVariance == 0 {
		edgeVariances = linearEdgeVariances
	}
	var all []Hypothesis
	for _, opt.EdgeVariance = range edgeVariances {
		if centre, err = score.NewLinear(data.X, data.Mask(), opt); err != nil {
			return nil, err
		}
		all = append(all, onGrid(grid, -math.Log(float64(len(edgeVariances))), func(v float64) score.Scorer {
			s, err := centre.WithNoiseVariance(v)
			if err != nil {
				panic("tobac: " + err.Error()) // a grid around a positive number is positive
			}
			return s
		})...)
	}
	return all, nil
}

// Equations implements [Equational].
func (m Linear) Equations(data *dataset.Table, weights *mat.Dense) *posterior.Equations {
	d := len(data.Names)
	e := &posterior.Equations{Weights: weights, NoiseVariances: make([]float64, d)}
	for j := range d {
		e.NoiseVariances[j] = m.Noise()
	}
	if m.NoIntercept {
		return e
	}
	e.Intercepts = make([]float64, d)
	for j := range d {
		mean := data.ObservedMeans(j)
		e.Intercepts[j] = mean[j]
		for i := range d {
			e.Intercepts[j] -= weights.At(i, j) * mean[i]
		}
	}
	return e
}

// Doubts implements [Cautious]: columns whose means are far from zero, without an
// intercept.
func (m Linear) Doubts(data *dataset.Table) []string {
	if w := meanWarning(data); m.NoIntercept && w != "" {
		return []string{w}
	}
	return nil
}

// Noise implements [Noisy]: 0.1 unless it was given or estimated.
func (m Linear) Noise() float64 {
	if m.NoiseVariance == 0 {
		return 0.1
	}
	return m.NoiseVariance
}

// WithNoise implements [Noisy].
func (m Linear) WithNoise(variance float64) Model {
	m.NoiseVariance = variance
	return m
}

// String implements [Model].
func (m BGe) String() string {
	return text("bge", "alpha-mu", m.AlphaMu, "alpha-lambda", m.AlphaLambda, "raw", m.Raw)
}

// Likelihood implements [Differentiable]: of columns as they are.
func (m BGe) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	return models.NewBGe(data.X, data.Mask(), models.BGeOptions{AlphaMu: m.AlphaMu, AlphaLambda: m.AlphaLambda})
}

// Hypotheses implements [Scored].
func (m BGe) Hypotheses(_ context.Context, data *dataset.Table, _ *score.Prior, _ int) ([]Hypothesis, error) {
	if !m.Raw && m.AlphaLambda == 0 {
		return m.hypotheses(data)
	}
	opt := score.BGeOptions{AlphaMu: m.AlphaMu, AlphaLambda: m.AlphaLambda}
	if m.Raw {
		opt.Scale = score.Raw
	}
	s, err := score.NewBGe(data.X, data.Mask(), opt)
	return []Hypothesis{{Scores: s}}, err
}

// String implements [Model].
func (m FeedForward) String() string {
	hidden := ""
	if len(m.Hidden) > 0 {
		hidden = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(m.Hidden)), ","), "[]")
	}
	activation := ""
	if m.Activation != models.Relu {
		activation = m.Activation.String()
	}
	return text("ffn", "hidden", hidden, "activation", activation, "no-bias", m.NoBias, "noise-variance", m.NoiseVariance)
}

// Noise implements [Noisy].
func (m FeedForward) Noise() float64 {
	if m.NoiseVariance == 0 {
		return 0.1
	}
	return m.NoiseVariance
}

// WithNoise implements [Noisy].
func (m FeedForward) WithNoise(variance float64) Model {
	m.NoiseVariance = variance
	return m
}

// Likelihood implements [Differentiable].
func (m FeedForward) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	return models.NewFeedForward(data.X, data.Mask(), models.FeedForwardOptions{
		NoiseVariance: m.NoiseVariance, Hidden: m.Hidden, Activation: m.Activation, NoBias: m.NoBias,
	})
}

// meanWarning names the columns whose mean is more than five standard errors
// from zero: the model has no intercept.
func meanWarning(data *dataset.Table) string {
	mean, sd := data.Moments()
	n, _ := data.X.Dims()
	var names []string
	for j, m := range mean {
		if math.Abs(m) > 5*sd[j]/math.Sqrt(float64(n)) {
			names = append(names, strconv.Quote(data.Names[j]))
		}
	}
	if len(names) == 0 {
		return ""
	}
	const most = 5
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return fmt.Sprintf("the means of %s are far from zero, and the model has no intercept: centre or standardise the columns", strings.Join(names, ", "))
}
