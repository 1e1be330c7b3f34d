package tobac

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/models"
	"tobac/score"
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
	// Estimate returns the model with these quantities. ordered says whether the
	// columns of data are in causal order; if not, no order is known.
	Estimate(ctx context.Context, data *dataset.Table, ordered bool) (Model, error)
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
	// Warnings are reasons to distrust a fit to the data, as sentences for a reader.
	Warnings(data *dataset.Table) []string
}

// A Demanding model does not take part in every comparison of models.
type Demanding interface {
	// Unsuited says why the model is left out of a comparison for these
	// data; "" if it is not.
	Unsuited(data *dataset.Table) string
}

// A Conditional model takes part in a comparison only where those before it leave it a chance.
type Conditional interface {
	// Pointless says why it has none, for data and the evidences of the models before; "" if it has one.
	Pointless(data *dataset.Table, compared []Evidence) string
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
	// InUnits says that the hypothesis is about the columns in the units given. Of a model that has other hypotheses
	// too, such ones are left out unless the data support them together more than the others, so that units
	// change nothing without evidence that these are the right ones.
	InUnits bool
}

// ParseModel is the model of this package with the text form text.
func ParseModel(text string) (Model, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, errors.New("tobac: no model in an empty text")
	}
	value := map[string]string{}
	for _, w := range words[1:] {
		name, v, _ := strings.Cut(w, "=")
		value[name] = v
	}
	var failed error
	number := func(name string) (v float64) {
		if t, ok := value[name]; ok {
			delete(value, name)
			var err error
			if v, err = strconv.ParseFloat(t, 64); err != nil {
				failed = fmt.Errorf("tobac: model %q: %s is no number", text, name)
			}
		}
		return v
	}
	flag := func(name string) bool {
		_, ok := value[name]
		delete(value, name)
		return ok
	}
	var m Model
	switch words[0] {
	case "linear":
		l := Linear{Unequal: flag("unequal"), NoiseVariance: number("noise-variance"), EdgeVariance: number("edge-variance"), NoIntercept: flag("no-intercept")}
		if flag("prior-start") {
			l.Start = PriorStart
		}
		m = l
	case "bge":
		m = BGe{AlphaMu: number("alpha-mu"), AlphaLambda: number("alpha-lambda"), Raw: flag("raw")}
	case "gp":
		m = GaussianProcess{MaxParents: int(number("max-parents")), Rank: int(number("rank"))}
	case "linear-nongaussian":
		m = NonGaussian{MaxParents: int(number("max-parents"))}
	case "additive":
		m = Additive{MaxParents: int(number("max-parents"))}
	case "ffn":
		f := FeedForward{NoBias: flag("no-bias"), NoiseVariance: number("noise-variance"), Raw: flag("raw")}
		if t, ok := value["hidden"]; ok {
			delete(value, "hidden")
			for _, w := range strings.Split(t, ",") {
				n, err := strconv.Atoi(w)
				if err != nil {
					failed = fmt.Errorf("tobac: model %q: hidden units %q are no whole numbers", text, t)
				}
				f.Hidden = append(f.Hidden, n)
			}
		}
		if t, ok := value["activation"]; ok {
			delete(value, "activation")
			found := false
			for _, a := range []models.Activation{models.Relu, models.Tanh, models.Sigmoid, models.LeakyRelu} {
				if a.String() == t {
					f.Activation, found = a, true
				}
			}
			if !found {
				failed = fmt.Errorf("tobac: model %q: unknown activation %q", text, t)
			}
		}
		if t, ok := value["output-layer"]; ok {
			delete(value, "output-layer")
			if f.Output = models.IntegratedOutput; t != f.Output.String() {
				failed = fmt.Errorf("tobac: model %q: unknown output layer %q", text, t)
			}
		}
		m = f
	default:
		return nil, fmt.Errorf("tobac: unknown model %q; allowed: linear, linear-nongaussian, bge, additive, gp, ffn", words[0])
	}
	if failed == nil && len(value) > 0 {
		failed = fmt.Errorf("tobac: model %q has unknown settings", text)
	}
	return m, failed
}
