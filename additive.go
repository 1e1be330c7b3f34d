package tobac

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/additive"
	"tobac/dataset"
	"tobac/score"
)

// NonGaussian is the linear model with noise of any shape: for each equation normal, Student's t,
// sinh–arcsinh noise, noise of light tails, or normal noise whose scale changes with the parents,
// averaged by their evidence (package additive). Noise that is not normal tells directions (LiNGAM,
// Shimizu et al. 2006). Columns with repeated values have the scores of [BGe].
type NonGaussian struct {
	// MaxParents is the number of parents up to which equations are fitted; larger sets are
	// scored by their most important parents ([score.ExtendTable]). 0 means that equations are
	// fitted where they matter ([refine]).
	MaxParents int
}

// Additive is the model whose equations are sums of smooth functions of the parents, with noise
// as of [NonGaussian] (package additive).
type Additive struct {
	MaxParents int // as of [NonGaussian]
}

var (
	_ Scored       = NonGaussian{}
	_ Conditional  = NonGaussian{}
	_ Demanding    = NonGaussian{}
	_ SampledModel = NonGaussian{}
	_ Scored       = Additive{}
	_ Conditional  = Additive{}
	_ Demanding    = Additive{}
	_ SampledModel = Additive{}
)

// String implements [Model].
func (m NonGaussian) String() string { return text("linear-nongaussian", "max-parents", m.MaxParents) }

// String implements [Model].
func (m Additive) String() string { return text("additive", "max-parents", m.MaxParents) }

// All equations of more parents than one are fitted while they take no more than so many seconds
// of processor time, and those with smooth functions only where there are so many rows for each
// parent; others where they matter ([refine]).
const (
	additiveSeconds = 0.3
	rowsPerParent   = 20
)

// additiveOptions are the settings of the scores for some data.
func additiveOptions(data *dataset.Table, most int, linear bool) (additive.Options, error) {
	n, d := data.X.Dims()
	base, err := plainScores(data)
	opt := additive.Options{Linear: linear, Base: base, Plain: repeated(data), MaxParents: most}
	if most == 0 {
		if most = d - 1; !linear {
			most = max(2, min(most, n/rowsPerParent))
		}
		for opt.MaxParents = min(1, d-1); opt.MaxParents < most && additive.Seconds(n, d, opt.MaxParents+1, linear) <= additiveSeconds; {
			opt.MaxParents++
		}
	}
	if opt.MaxParents >= d-1 {
		opt.MaxParents = 0
	}
	return opt, err
}

// leastSeconds is about the processor time of the scores with at most one parent.
func leastSeconds(data *dataset.Table, linear bool) float64 {
	n, d := data.X.Dims()
	return additive.Seconds(n, d, min(1, d-1), linear)
}

// plainScores score columns whose noise has no density, and sets of more parents than are fitted.
func plainScores(data *dataset.Table) (score.SubsetScorer, error) {
	_, d := data.X.Dims()
	return score.NewBGe(data.X, data.Mask(), score.BGeOptions{AlphaLambda: float64(d+1) + 0.3})
}

// unsuitedScores says why a model is left out of a comparison whose scores take so many seconds of
// processor time, and rest on the density of noise; "" if it is not.
func unsuitedScores(data *dataset.Table, seconds float64, model string) string {
	d := len(data.Names)
	switch {
	case d > exactVariables:
		return fmt.Sprintf("its scores take too long for %d variables; --model %s computes them", d, model)
	case seconds > mostScoreSeconds:
		return fmt.Sprintf("its scores would take about %s of processor time; --model %s computes them", roughly(seconds), model)
	case len(repeated(data)) == d:
		return "the values of every column are repeated, so that their noise has no density"
	}
	return ""
}

// mostScoreSeconds is the processor time of the scores of a model that is compared with others.
const mostScoreSeconds = 60

// roughly is a time in words.
func roughly(seconds float64) string {
	switch {
	case seconds < 100:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 100*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.0f h", math.Ceil(seconds/3600))
}

// Unsuited implements [Demanding].
func (m NonGaussian) Unsuited(data *dataset.Table) string {
	return unsuitedScores(data, leastSeconds(data, true), "linear-nongaussian")
}

// Why a model is pointless.
const (
	noOtherNoise = "no equation gains from noise of another shape"
	noMore       = "neither curvature nor noise of another shape has more evidence than linear equations"
)

// Pointless implements [Conditional]: where neither curvature nor noise of another shape has
// more evidence than linear equations with normal noise, both together have not.
func (m Additive) Pointless(_ *dataset.Table, compared []Evidence) string {
	plain, more := math.Inf(-1), math.Inf(-1)
	for _, e := range compared {
		switch model, _ := ParseModel(e.Model); model.(type) {
		case Linear, BGe:
			plain = math.Max(plain, e.Log)
		case GaussianProcess, NonGaussian:
			switch {
			case e.Note == noOtherNoise:
			case math.IsNaN(e.Log): // left out: it may have more
				more = math.Inf(1)
			default:
				more = max(more, e.Log)
			}
		}
	}
	if more > plain-worthwhile {
		return ""
	}
	return noMore
}

// Pointless implements [Conditional]: where no equation without parents, and none with all
// other columns, gains from other noise than normal one of a single scale, none does.
func (m NonGaussian) Pointless(data *dataset.Table, _ []Evidence) string {
	opt, err := additiveOptions(data, m.MaxParents, true)
	if err != nil {
		return "" // the scores say what is wrong
	}
	s, err := additive.NewLinear(data.X, data.Mask(), opt)
	if err != nil {
		return ""
	}
	for j := range data.Names {
		others := slices.Delete(identity(len(data.Names)), j, j+1)
		if _, plain := slices.BinarySearch(opt.Plain, j); !plain && (s.Gain(j, nil) > someGain || s.Gain(j, others) > someGain) {
			return ""
		}
	}
	return noOtherNoise
}

// someGain is the evidence in nats from which one equation speaks for other noise.
const someGain = 2

// worthwhile is how far behind linear equations, in nats, a model may be for its extension to
// be compared too.
const worthwhile = 5

// Unsuited implements [Demanding].
func (m Additive) Unsuited(data *dataset.Table) string {
	return unsuitedScores(data, leastSeconds(data, false), "additive")
}

// Hypotheses implements [Scored].
func (m NonGaussian) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior, workers int) ([]Hypothesis, error) {
	opt, err := additiveOptions(data, m.MaxParents, true)
	if err != nil {
		return nil, err
	}
	s, err := additive.NewLinear(data.X, data.Mask(), opt)
	if err == nil && m.MaxParents == 0 {
		err = refine(ctx, s, prior, workers)
	}
	return []Hypothesis{{Scores: s}}, err
}

// Hypotheses implements [Scored].
func (m Additive) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior, workers int) ([]Hypothesis, error) {
	opt, err := additiveOptions(data, m.MaxParents, false)
	if err != nil {
		return nil, err
	}
	s, err := additive.New(data.X, data.Mask(), opt)
	if err == nil && m.MaxParents == 0 {
		err = refine(ctx, s, prior, workers)
	}
	return []Hypothesis{{Scores: s}}, err
}

// Sampled implements [SampledModel]: the linear model with a noise variance for each equation.
func (m NonGaussian) Sampled(compared bool) (Model, Scaling) {
	return Linear{Unequal: true}.Sampled(compared)
}

// Sampled implements [SampledModel]: networks, and the linear model for a comparison, since
// networks of many rows take minutes.
func (m Additive) Sampled(compared bool) (Model, Scaling) {
	if compared {
		return Linear{Unequal: true}.Sampled(compared)
	}
	return FeedForward{}.Sampled(compared)
}
