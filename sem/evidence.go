package sem

import (
	"slices"
	"strings"
)

// Evidence is the log marginal likelihood of a model, or the reason why it is unknown.
type Evidence struct {
	Model string
	// Log is the log marginal likelihood of the data, in nats, everything else averaged out: over
	// graphs or orders, numbers of edges and noise variances. NaN means unknown.
	Log float64
	// Note says why it is unknown, or what it leaves out; "" if there is nothing to say.
	Note string
}

// The first words of the text forms of models that others are compared with.
const (
	familyBGe         = "bge"
	familyNonGaussian = "linear-nongaussian"
	familyAdditive    = "additive"
)

// family is the first word of the text form of the model.
func (e Evidence) family() string {
	name, _, _ := strings.Cut(e.Model, " ")
	return name
}

// Why models are pointless.
const (
	noOtherNoise = "no equation gains from noise of another shape"
	noCurvature  = "no equation gains from noise of another shape, and none with one parent " +
		"from curvature"
	curvesInSmooth = "no equation gains from noise of another shape, and smooth has the curves"
	straight       = "no column depends on another by a curve, as far as its regression on all " +
		"others shows"
	noOrder = "the order of the levels explains less of the dependence of pairs than tables of " +
		"probabilities"
	noMore = "neither curvature nor noise of another shape has more evidence than linear " +
		"equations"
	noGraph = "on the most probable graph of the best model before, and with one parent more " +
		"where that helps, it has over 40 nats less"
	noShape = "smooth equations with normal noise have over 100 nats less than those with " +
		"noise of any shape"
	farTails = "half of the columns have rows so far out (an excess kurtosis above 20) " +
		"that the noise is not normal"
)

// Pointless reports whether the model was left out because those before it left it no chance.
func (e Evidence) Pointless() bool {
	return slices.Contains([]string{noOtherNoise, noCurvature, curvesInSmooth, straight, noMore,
		noShape, noGraph, farTails, noOrder}, e.Note)
}
