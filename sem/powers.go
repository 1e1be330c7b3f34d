package sem

import (
	"context"
	"math/rand/v2"

	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/additive"
	"tobac/internal/nodescore"
	"tobac/internal/smooth"
	"tobac/models"
	"tobac/posterior"
	"tobac/score"
	"tobac/setting"
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

// chosen are the models of this package as users choose them: structs of settings, whose zero
// fields stand for defaults.
type chosen interface {
	Model
	form() form
}

// A form is a model of this package in its forms.
type form struct {
	family string // first word of the text form
	chosen Model
	// with its powers: a struct that embeds the settings. As methods of the settings the powers
	// would be 83 more public names, which only engines call.
	powers   Model
	changed  Model // a pointer to a copy, which settings change
	settings []*setting.Setting
}

// As is a model as one with the power T, such as As[Scored](m): what the settings of a model of
// this package choose, and any other model itself. It is false for a model that lacks the power.
func As[T any](m Model) (T, bool) {
	if c, ok := m.(chosen); ok {
		m = c.form().powers
	}
	t, ok := m.(T)
	return t, ok
}

// Given is a model as it is given: the settings of a model of this package, and any other model as
// it is. It undoes what [As] does.
func Given(m Model) Model {
	if c, ok := m.(chosen); ok {
		return c.form().chosen
	}
	return m
}

// A Differentiable model has a likelihood that can be differentiated, which SVGD
// samples.
type Differentiable interface {
	Model
	// Likelihood prepares the model for data with the columns in causal order, or
	// as they are if the method knows no order.
	Likelihood(data *dataset.Table) (models.Likelihood, error)
}

// Estimate is a model with the quantities that it reads off the data before its likelihood is
// prepared: what a method of this name gives, and a model without it as it is. ordered says whether
// the columns of data are in causal order; if not, no order is known.
func Estimate(ctx context.Context, m Model, data *dataset.Table, ordered bool) (Model, error) {
	type estimated interface {
		Estimate(ctx context.Context, data *dataset.Table, ordered bool) (Model, error)
	}
	if e, ok := As[estimated](m); ok {
		return e.Estimate(ctx, data, ordered)
	}
	return m, nil
}

// A Noisy model has one noise variance for all equations.
type Noisy interface {
	// Noise is the noise variance, 0 if it is unknown.
	Noise() float64
	// WithNoise is the model with another one.
	WithNoise(variance float64) Model
}

// A Scored model has node scores in closed form, which the engines that infer
// orders use.
type Scored interface {
	Model
	// Hypotheses are the node scores of the model for data whose columns are as
	// the user gave them: one, or several with prior weights that sum to 1, such as those of a grid
	// over a noise variance, which are then averaged by their evidence. The
	// prior may be used to estimate what the scores take as given.
	//
	// A score is a log density of the columns as given, so that evidences of models compare: a
	// score of transformed columns adds the logarithms of the derivatives. An equation
	// ([score.Weighted]) is in units of these columns. A score whose equations are not has none:
	// see [score.NewFunc].
	Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior,
		workers int) ([]Hypothesis, error)
}

// A Hypothesis is a node score with everything fixed that it takes as given.
type Hypothesis struct {
	Scores    score.Scorer
	LogWeight float64 // of the prior
	// NoiseVariance is the one that all equations share, 0 if they do not.
	NoiseVariance float64
	// InUnits says that the hypothesis is about the columns in the units given. Of a model that has
	// other hypotheses too, such ones are left out unless the data support them together more than
	// the others, so that units change nothing without evidence that these are the right ones.
	InUnits bool
	// Raw says that functions bend near 0 of the columns rather than near their means.
	Raw bool
	// Open says that equations which carry the posterior are still to be fitted, by the engine: of
	// several hypotheses of many variables only those of the one that it sums over. Custom models
	// leave it false.
	Open bool
}

// A SampledModel is a model that SVGD samples in another form, or on other columns.
type SampledModel interface {
	// Sampled is that form, and the columns that it takes;
	// compared asks for another model, with parameters, if this one has none: to compare its
	// particles with the posterior in closed form.
	Sampled(compared bool) (m Model, columns Scaling)
}

// A Scaling is what is done to columns before a model is sampled on them.
type Scaling int

const (
	AsGiven      Scaling = iota // nothing
	Centred                     // shifted to mean 0
	Standardised                // shifted to mean 0 and scaled to variance 1
)

// A Functional score draws the structural function of a variable given its parents from
// its posterior: a model that has one has total effects although its draws are graphs alone.
type Functional interface {
	// FunctionParameters are the function as numbers.
	FunctionParameters(j int, parents []int, rng *rand.Rand) []float64
}

var (
	_ Functional = (*nodescore.GPScorer)(nil)
	_ Functional = (*additive.Scorer)(nil)
	_ Functional = (*smooth.Scorer)(nil)
)

// Traits are facts about a model.
type Traits struct {
	// DirectionsFrom ends a sentence that begins "directions follow from"; "" means the assumptions
	// of the model.
	DirectionsFrom string
	Formed         bool // directions are read off the form of the equations
	AnyNoise       bool // noise has any shape, so that tails of columns do not refute the model
	SharesNoise    bool // all equations have one noise variance: the units of the columns matter
	Equivalent     bool // all graphs of a Markov equivalence class have the same probability
	Categories     bool // columns may be categories
	Marginal       bool // the likelihood has no parameters: they are integrated out
}

// A Described model has traits.
type Described interface{ Traits() Traits }

// TraitsOf are those of a model; none of one that is not [Described].
func TraitsOf(m Model) (t Traits) {
	if m, ok := As[Described](m); ok {
		t = m.Traits()
	}
	return t
}

// A Structural model reads the equations of draws off their parameters, so that they have effects.
type Structural interface {
	// Structure gives the equations of the draws of p, by their number.
	Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error), error)
}

// A Network has equations that are networks of the parents.
type Network interface {
	Differentiable
	Noisy
	SampledModel
	// Layers is the number of hidden layers.
	Layers() int
	// OutputLayer says whether particles have the weights of the last layer; WithOutput changes it.
	OutputLayer() models.OutputLayer
	WithOutput(o models.OutputLayer) Network
	// Inferred is the network with a noise variance that was inferred, 0 for one for each equation.
	// Columns are as they are if so inferred, or if the noise variance had been given.
	Inferred(noise float64, raw bool) Network
	// FirstLayer is the first hidden layer with what the equations have beside it.
	FirstLayer() HiddenLayer
}

// A HiddenLayer is the first hidden layer of the equations of a [Network].
type HiddenLayer struct {
	Units         int // of every equation
	Activation    models.Activation
	NoBias        bool
	NoiseVariance float64 // 0 if it is inferred, one for each equation
}
