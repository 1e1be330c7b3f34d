package sem

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"tobac/dataset"
	"tobac/internal/inspect"
	"tobac/models"
	"tobac/posterior"
	"tobac/score"
	"tobac/setting"

	"gonum.org/v1/gonum/mat"
)

// Linear is the linear Gaussian model with one noise variance for all equations,
//
//	x_j = b_j + Σ_i w_ij x_i + ε_j,   ε_j ~ N(0, σ²),   w_ij ~ N(0, EdgeVariance).
//
// The equal variance is what tells directions apart, so that the units of the columns matter. With
// Unequal every equation has its own variance, on columns scaled to variance 1, and multiplying or
// shifting a column changes nothing.
type Linear struct {
	// Unequal gives every equation its own noise variance, integrated out with the prior of
	// [models.OwnVariances]. Its node scores are those of [BGe].
	Unequal bool
	// NoiseVariance σ², in squared units of the data. 0 means estimated from the data. With Unequal
	// it is the scale of the prior, in squared units of the scaled columns; 0 means 0.1.
	NoiseVariance float64
	// EdgeVariance is the prior variance of a weight. 0 means averaged over by the engines that
	// have evidences, above twelve variables estimated, unless NoiseVariance is given;
	// 1, as published, for SVGD.
	EdgeVariance float64
	// NoIntercept sets every b_j to 0, as published, instead of integrating it out.
	NoIntercept bool
	// PriorStart draws the initial weights of SVGD from N(0, 1), moved away from zero by ½, as
	// published, instead of around the regression of every variable on all earlier ones. A particle
	// whose weight starts with the wrong sign then often gives up a true edge.
	PriorStart bool
}

// String implements [Model].
func (m Linear) String() string { return text(m) }

func (m Linear) form() form {
	return form{"linear", m, linearModel{m}, &m, []*setting.Setting{
		setting.Switch(&m.Unequal, false, "unequal",
			"a noise variance for each equation, on columns scaled to variance 1"),
		setting.Positive(&m.NoiseVariance, "noise-variance", noiseUsage, noiseDefault),
		setting.Positive(&m.EdgeVariance, "edge-variance", "prior variance of a weight",
			"averaged over; 1 with the engine svgd"),
		setting.Switch(&m.NoIntercept, true, "intercept", "whether equations have intercepts"),
		setting.Switch(&m.PriorStart, false, "prior-start",
			"initial weights of svgd from their prior, as published"),
	}}
}

// linearModel is [Linear] with its powers.
type linearModel struct{ Linear }

var (
	_ Differentiable = linearModel{}
	_ Scored         = linearModel{}
	_ Noisy          = linearModel{}
)

// The variances of weights that [Linear] averages over, equally probable.
// Weights have no unit, since equal noise variances mean columns in the same units.
var linearEdgeVariances = []float64{0.25, 1, 4, 16}

// Likelihood implements [Differentiable].
func (m linearModel) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	start := models.RegressionStart
	if m.PriorStart {
		start = models.PriorStart
	}
	noise := models.CommonVariance
	if m.Unequal {
		noise = models.OwnVariances
	}
	return models.NewLinear(data.X, data.Mask(), models.LinearOptions{
		NoiseVariances: noise, NoiseVariance: m.NoiseVariance, EdgeVariance: m.EdgeVariance,
		Intercept: !m.NoIntercept, Start: start,
	})
}

// Estimate is called by [Estimate]: the noise variance that all equations share, if it is not
// given. Without an order it is that of [score.EstimateNoiseVariance], under the prior
// [score.Fair].
func (m linearModel) Estimate(ctx context.Context, data *dataset.Table, ordered bool) (_ Model,
	err error) {
	switch {
	case m.NoiseVariance != 0 || m.Unequal:
	case ordered:
		m.NoiseVariance, err = models.EstimateNoiseVariance(data.X, data.Mask(),
			models.LinearOptions{Intercept: !m.NoIntercept})
	default:
		m.NoiseVariance, err = score.EstimateNoiseVariance(ctx, data.X, data.Mask(),
			score.Fair(len(data.Names)), score.LinearOptions{EdgeVariance: m.EdgeVariance,
				NoIntercept: m.NoIntercept}, runtime.GOMAXPROCS(0))
	}
	return m, err
}

// Hypotheses implements [Scored]. A noise variance that is not given is averaged
// over, up to twelve variables, or else estimated ([score.NoiseGrid]); an edge
// variance that is not given is averaged over.
func (m linearModel) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior,
	workers int) ([]Hypothesis, error) {
	if m.Unequal {
		return bgeModel{}.Hypotheses(ctx, data, prior, workers)
	}
	opt := score.LinearOptions{NoiseVariance: m.NoiseVariance, EdgeVariance: m.EdgeVariance,
		NoIntercept: m.NoIntercept}
	if m.NoiseVariance != 0 {
		s, err := score.NewLinear(data.X, data.Mask(), opt)
		return []Hypothesis{{Scores: s, NoiseVariance: m.NoiseVariance}}, err
	}
	v, err := score.EstimateNoiseVariance(ctx, data.X, data.Mask(), prior, opt, workers)
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
		if opt.EdgeVariance != 0 {
			centre = centre.WithEdgeVariance(opt.EdgeVariance)
		}
		all = append(all,
			onGrid(grid, -math.Log(float64(len(edgeVariances))), func(v float64) score.Scorer {
				s, err := centre.WithNoiseVariance(v)
				if err != nil {
					panic("sem: " + err.Error()) // a grid around a positive number is positive
				}
				return s
			})...)
	}
	return all, nil
}

// Equations is read where draws get equations.
func (m linearModel) Equations(data *dataset.Table, weights *mat.Dense) *posterior.Equations {
	d := len(data.Names)
	e := &posterior.Equations{Weights: weights, NoiseVariances: make([]float64, d)}
	if !m.NoIntercept {
		e.Intercepts = make([]float64, d)
		for j := range d {
			mean := data.ObservedMeans(j)
			e.Intercepts[j] = mean[j]
			for i := range d {
				e.Intercepts[j] -= weights.At(i, j) * mean[i]
			}
		}
	}
	for j := range d {
		e.NoiseVariances[j] = m.Noise()
	}
	return e
}

// Sampled implements [SampledModel].
func (m linearModel) Sampled(bool) (Model, Scaling) {
	if m.Unequal {
		return m, Standardised
	}
	return m, AsGiven // the intercept is integrated out, or 0 as asked for
}

// Unsuited is read by [Unsuited]: columns of few values have no normal noise, and columns of
// scales far apart none in common.
func (m linearModel) Unsuited(data *dataset.Table) string {
	if m.Unequal {
		return ""
	}
	if note := inspect.NoCommonUnit(data); note != "" {
		return note
	}
	return normalNoise(data)
}

// Warnings is read where a fit says its warnings: columns whose means are far from zero, without an
// intercept, and columns that do not suit a common noise variance.
func (m linearModel) Warnings(data *dataset.Table) (w []string) {
	if !m.Unequal {
		w = commonNoise(data, m.NoiseVariance)
	}
	if text := meanWarning(data); m.NoIntercept && text != "" {
		w = append(w, text)
	}
	return w
}

// meanWarning names the columns whose mean is more than five standard errors
// from zero: the model has no intercept.
func meanWarning(data *dataset.Table) string {
	n, _ := data.X.Dims()
	names := farMeans(data, func(sd float64) float64 { return 5 * sd / math.Sqrt(float64(n)) })
	if names == "" {
		return ""
	}
	return fmt.Sprintf("the means of %s are far from zero, and the model has no intercept: "+
		"centre or standardise the columns", names)
}

// farMeans names the columns whose mean is beyond a limit, which may depend on their standard
// deviation.
func farMeans(data *dataset.Table, limit func(sd float64) float64) string {
	mean, sd := data.Moments()
	var names []string
	for j, m := range mean {
		if math.Abs(m) > limit(sd[j]) {
			names = append(names, data.Names[j])
		}
	}
	return inspect.Quoted(names)
}

// Noise implements [Noisy].
func (m linearModel) Noise() float64 {
	if m.Unequal {
		return 0
	}
	return m.NoiseVariance
}

// WithNoise implements [Noisy].
func (m linearModel) WithNoise(variance float64) Model {
	m.NoiseVariance = variance
	return m
}

// Traits implements [Described].
func (m linearModel) Traits() Traits {
	if m.Unequal {
		return Traits{DirectionsFrom: independences}
	}
	return Traits{DirectionsFrom: "equal noise variances in the units of the data",
		SharesNoise: true}
}

// Plain is read by the engine bcd.
func (m linearModel) Plain() (Model, bool) {
	plain := linearModel{Linear{Unequal: m.Unequal}}
	return plain, m == plain
}
