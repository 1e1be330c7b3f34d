package models

import (
	"fmt"
	"math"

	"tobac/autograd"
	"tobac/dag"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// NoiseVariances says what is known of the noise variances of the equations.
type NoiseVariances int

const (
	// CommonVariance is one known variance for all equations, as published.
	CommonVariance NoiseVariances = iota
	// OwnVariances gives every equation j a separate variance with the prior
	//
	//	σ_j² ~ inverse gamma of shape a = ½ and scale b = s²/2,
	//
	// a scaled inverse χ² of one degree of freedom with the given noise variance as
	// s², and integrates it out: with ν_j rows (one less with an intercept that is
	// integrated out) and the sum of squares r_j of the residuals,
	//
	//	log p(D_j|G,Θ) = a ln b − lnΓ(a) + lnΓ(a + ν_j/2) − ν_j/2 ln 2π − (a + ν_j/2) ln(b + r_j/2).
	//
	// On columns of variance 1 this depends on no unit.
	OwnVariances
	// VarianceParameters is the same model with the ln σ_j² as the last d parameters,
	// for the density of rows that were not used to infer them.
	VarianceParameters
)

// noiseShape is a.
const noiseShape = 0.5

// noiseModel turns sums of squared residuals into log likelihoods.
type noiseModel struct {
	kind     NoiseVariances
	variance float64   // σ², or s²
	rows     []float64 // ν of each variable
}

func (m noiseModel) check() error {
	if m.kind < CommonVariance || m.kind > VarianceParameters {
		return fmt.Errorf("unknown kind of noise %d", int(m.kind))
	}
	return nil
}

// params is the number of parameters that are logarithms of variances.
func (m noiseModel) params() int {
	if m.kind == VarianceParameters {
		return len(m.rows)
	}
	return 0
}

// scale is b.
func (m noiseModel) scale() float64 { return m.variance / 2 }

// term is log p(D|G,Θ) by variable from the sums of squared residuals, a vector of
// d; logs are the ln σ_j² of VarianceParameters.
func (m noiseModel) term(residuals, logs *autograd.Node) *autograd.Node {
	b := residuals.Builder()
	d := len(m.rows)
	constant, factor := make([]float64, d), make([]float64, d)
	for j, n := range m.rows {
		constant[j] = -0.5 * n * math.Log(2*math.Pi)
		switch m.kind {
		case CommonVariance:
			constant[j] -= 0.5 * n * math.Log(m.variance)
		case OwnVariances:
			constant[j] += m.normalisation() + lnGamma(noiseShape+n/2)
			factor[j] = -(noiseShape + n/2)
		case VarianceParameters:
			factor[j] = -0.5 * n
		}
	}
	c := b.Constant(constant, autograd.Shape{d})
	switch m.kind {
	case OwnVariances:
		return residuals.Scale(0.5).AddScalar(m.scale()).Log().Mul(b.Constant(factor,
			autograd.Shape{d})).Add(c)
	case VarianceParameters:
		return residuals.Scale(-0.5).Mul(logs.Neg().Exp()).Add(
			logs.Mul(b.Constant(factor, autograd.Shape{d}))).Add(c)
	}
	return residuals.Scale(-1 / (2 * m.variance)).Add(c)
}

// prior is the log density of the ln σ_j² of VarianceParameters, by variable.
func (m noiseModel) prior(logs *autograd.Node) *autograd.Node {
	return logs.Scale(-noiseShape).Sub(logs.Neg().Exp().Scale(m.scale())).AddScalar(
		m.normalisation())
}

// normalisation is a ln b − lnΓ(a).
func (m noiseModel) normalisation() float64 {
	return noiseShape*math.Log(m.scale()) - lnGamma(noiseShape)
}

// expected is e^E[ln σ_j²] given the sum of squared residuals of variable j.
func (m noiseModel) expected(j int, residuals float64) float64 {
	if m.kind == CommonVariance {
		return m.variance
	}
	return (m.scale() + residuals/2) / math.Exp(mathext.Digamma(noiseShape+m.rows[j]/2))
}

// A Gaussian likelihood is one of sums of squared residuals.
type Gaussian interface {
	Likelihood
	// Residuals builds the sums of squared residuals of all equations, a vector of d,
	// over the rows that count for each.
	Residuals(g, theta *autograd.Node) *autograd.Node
	// NoiseVariance is that of variable j, given its sum of squared residuals if it is inferred:
	// then e^E[ln σ_j²].
	NoiseVariance(j int, residuals float64) float64
}

var (
	_ Gaussian = (*linear)(nil)
	_ Gaussian = (*feedForward)(nil)
)

// InferredNoise are the noise variances of the equations, one row for each graph with its
// row of parameters, as for [LogJoint].
func InferredNoise(lik Gaussian, graphs []*dag.Graph, theta *mat.Dense) (*mat.Dense, error) {
	out, err := evaluate("noise variances", lik.Vars(), lik.ParamLen(), graphs, theta,
		func(g, t *autograd.Node) []*autograd.Node {
			return []*autograd.Node{lik.Residuals(g, t)}
		})
	if err != nil || len(graphs) == 0 {
		return nil, err
	}
	v := mat.NewDense(len(graphs), lik.Vars(), out[0])
	v.Apply(func(_, j int, r float64) float64 { return lik.NoiseVariance(j, r) }, v)
	return v, nil
}
