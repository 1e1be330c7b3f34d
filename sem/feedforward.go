package sem

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/effects"
	"tobac/models"
	"tobac/posterior"
	"tobac/setting"
)

// The largest sizes of networks: hidden layers, and units of one.
const (
	mostLayers = 100
	mostUnits  = 10_000
)

// FeedForward is the nonlinear Gaussian model whose equations are networks of the parents,
// [models.NewFeedForward], on columns scaled to variance 1 with a noise variance for each, so that
// multiplying or shifting a column changes nothing; or, with a NoiseVariance, on columns less their
// means, so that shifting one changes nothing.
type FeedForward struct {
	Hidden     []int             // units of each hidden layer; nil means one layer of 5
	Activation models.Activation // defaults to Relu
	NoBias     bool              // leave out all biases
	// of all equations, in squared units of the data; 0 means one for each, integrated out
	NoiseVariance float64
	// Raw leaves the columns as they are where NoiseVariance is given, as published: biases have to
	// make up for means, and functions bend near the origin.
	Raw bool
	// Output says whether the weights of the last layer are parameters of the particles, or
	// integrated out and drawn afterwards. A noise variance of each equation's own is then a
	// parameter. By default they are parameters, as published.
	Output models.OutputLayer
}

// String implements [Model].
func (m FeedForward) String() string { return text(m) }

func (m FeedForward) form() form {
	return form{"ffn", m, networkModel{m}, &m, []*setting.Setting{
		setting.Parsed(&m.Hidden, "hidden", "units of each hidden layer", "5", "N,N,...",
			fmt.Sprintf("whole numbers from 1 to %d, separated by commas, at most %d of them",
				mostUnits, mostLayers), joined, sizes),
		setting.OneOf(&m.Activation, "activation", "activation of the hidden layers", "",
			models.Relu, models.Tanh, models.Sigmoid, models.LeakyRelu),
		setting.Switch(&m.NoBias, true, "bias", "whether the networks have biases"),
		setting.Positive(&m.NoiseVariance, "noise-variance", noiseUsage, noiseDefault),
		setting.Switch(&m.Raw, false, "raw",
			"columns as they are where noise-variance is given, as published"),
		setting.OneOf(&m.Output, "output-layer",
			"whether svgd samples the last layer or integrates it out", "",
			models.SampledOutput, models.IntegratedOutput),
	}}
}

// networkModel is [FeedForward] with its powers.
type networkModel struct{ FeedForward }

var (
	_ Differentiable = networkModel{}
	_ Noisy          = networkModel{}
	_ SampledModel   = networkModel{}
)

// Noise implements [Noisy].
func (m networkModel) Noise() float64 { return m.NoiseVariance }

// WithNoise implements [Noisy].
func (m networkModel) WithNoise(variance float64) Model {
	m.NoiseVariance = variance
	return m
}

// Likelihood implements [Differentiable].
func (m networkModel) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	if m.Output == models.IntegratedOutput {
		return models.NewIntegratedNetwork(data.X, data.Mask(),
			m.options(models.VarianceParameters))
	}
	return models.NewFeedForward(data.X, data.Mask(), m.options(models.OwnVariances))
}

// options are those of a likelihood, with one noise variance for all if it is given, or else one
// for each.
func (m networkModel) options(own models.NoiseVariances) models.FeedForwardOptions {
	if m.NoiseVariance != 0 {
		own = models.CommonVariance
	}
	return models.FeedForwardOptions{NoiseVariances: own, NoiseVariance: m.NoiseVariance,
		Hidden: m.Hidden, Activation: m.Activation, NoBias: m.NoBias}
}

// Sampled implements [SampledModel].
func (m networkModel) Sampled(bool) (Model, Scaling) {
	switch {
	case m.NoiseVariance == 0:
		return m, Standardised
	case m.Raw:
		return m, AsGiven
	}
	return m, Centred
}

// Warnings is read where a fit says its warnings: columns that do not suit a common noise
// variance, and raw ones whose means are far from zero.
func (m networkModel) Warnings(data *dataset.Table) (w []string) {
	if m.NoiseVariance == 0 {
		return nil // the columns are scaled
	}
	w = commonNoise(data, m.NoiseVariance)
	const bias = 5 // standard deviations of its prior
	switch {
	case !m.Raw: // the columns are centred
	case m.NoBias:
		if text := meanWarning(data); text != "" {
			w = append(w, text)
		}
	default:
		if names := farMeans(data, func(float64) float64 { return bias }); names != "" {
			w = append(w, fmt.Sprintf("the means of %s are far from zero, where the prior has "+
				"the biases: centre or standardise the columns", names))
		}
	}
	return w
}

// Predictive is read where draws get noise variances: noise variances that were inferred are
// parameters, and so is the last layer.
func (m networkModel) Predictive(data *dataset.Table) (models.Likelihood, error) {
	return models.NewFeedForward(data.X, data.Mask(), m.options(models.VarianceParameters))
}

// hidden are the units of each hidden layer.
func (m networkModel) hidden() []int {
	if m.Hidden == nil {
		return []int{5}
	}
	return m.Hidden
}

// Bytes is read where memory is checked: the products of the rows through the first layers, and
// the activations of the others.
func (m networkModel) Bytes(n, d int) float64 {
	const perProduct = 160 // measured: 50 variables of 400 rows need 0.4 GB
	bytes, inputs := 0.0, float64(d)
	for _, units := range m.hidden() {
		bytes += perProduct * float64(n) * float64(d) * inputs * float64(units)
		inputs = 1 // products of later layers are not kept
	}
	return bytes
}

// Parameters is read where memory is checked.
func (m networkModel) Parameters(d int) float64 {
	sum, before, bias := 0.0, float64(d), 1.0
	if m.NoBias {
		bias = 0
	}
	for _, units := range append(slices.Clone(m.hidden()), 1) {
		sum += (before + bias) * float64(units)
		before = float64(units)
	}
	return float64(d) * sum
}

// units are those of all hidden layers together.
func (m networkModel) units() (sum float64) {
	for _, units := range m.hidden() {
		sum += float64(units)
	}
	return sum
}

// SampleBytes is read where memory is checked: activations and their gradients.
func (m networkModel) SampleBytes(n, _ int) float64 { return 8 * 8 * float64(n) * m.units() }

// Widest is read where memory is checked.
func (m networkModel) Widest() int { return slices.Max(append(slices.Clone(m.hidden()), 1)) }

// Narrowed is read where memory is checked.
func (m networkModel) Narrowed(units int) Model {
	m.Hidden = slices.Clone(m.hidden())
	for k := range m.Hidden {
		m.Hidden[k] = min(m.Hidden[k], units)
	}
	return m
}

// FirstLayer implements [Network].
func (m networkModel) FirstLayer() HiddenLayer {
	return HiddenLayer{m.hidden()[0], m.Activation, m.NoBias, m.NoiseVariance}
}

// Layers implements [Network].
func (m networkModel) Layers() int { return len(m.hidden()) }

// curvature is what a model with normal noise and curved relations rests its directions on.
const curvature = "the curvature of the relations, if the noise is additive and normal"

// Traits implements [Described].
func (m networkModel) Traits() Traits {
	if m.NoiseVariance > 0 {
		return Traits{DirectionsFrom: "the curvature of the relations and equal noise variances",
			SharesNoise: true, Formed: true}
	}
	return Traits{DirectionsFrom: curvature, Formed: true}
}

// Structure implements [Structural].
func (m networkModel) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error),
	error) {
	n, err := newNetworks(p, m)
	if err != nil {
		return nil, err
	}
	return n.draw, nil
}

var _ Network = networkModel{}

// OutputLayer implements [Network].
func (m networkModel) OutputLayer() models.OutputLayer { return m.Output }

// WithOutput implements [Network].
func (m networkModel) WithOutput(o models.OutputLayer) Network {
	m.Output = o
	return m
}

// Inferred implements [Network].
func (m networkModel) Inferred(noise float64, raw bool) Network {
	m.Raw, m.NoiseVariance = raw || m.Raw && m.NoiseVariance != 0, noise
	return m
}

// joined are sizes as text.
func joined(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// sizes is a list of positive whole numbers.
func sizes(text string) (list []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > mostUnits || len(list) == mostLayers {
			return nil, errors.New("no sizes")
		}
		list = append(list, n)
	}
	return list, nil
}
