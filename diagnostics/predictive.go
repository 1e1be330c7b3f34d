package diagnostics

import (
	"errors"
	"fmt"
	"math"

	"tobac/internal/pareto"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Predictive is an estimate of how well a model predicts data that it has not seen: the
// expected log predictive density, elpd, summed over the values of the data.
type Predictive struct {
	ELPD, Error float64   // and its standard error
	Effective   float64   // number of parameters
	Each        []float64 // elpd of each value
	// Shapes are, for leave-one-out, those of the importance weights of each value: above 0.7 its
	// elpd cannot be trusted. For WAIC they are variances of the log likelihood, which have the
	// same meaning above 0.4.
	Shapes []float64
}

// LeaveOneOut estimates the log density of each value given the others, by Pareto smoothed
// importance sampling from the log densities of all values at all draws, draws × values for
// each chain (Vehtari, Gelman and Gabry, Statistics and Computing 27 (2017) 1413–1432).
func LeaveOneOut(likelihoods []*mat.Dense) (*Predictive, error) {
	return predictive(likelihoods, func(logs []float64) (elpd, shape float64) {
		weights := make([]float64, len(logs))
		floats.SubTo(weights, weights, logs)
		shape = pareto.Smooth(weights)
		floats.Add(weights, logs)
		return floats.LogSumExp(weights), shape
	})
}

// WAIC is the widely applicable information criterion, on the scale of elpd: the log predictive
// density less the variances of the log likelihood. [LeaveOneOut] is the better estimate.
func WAIC(likelihoods []*mat.Dense) (*Predictive, error) {
	return predictive(likelihoods, func(logs []float64) (elpd, shape float64) {
		v := stat.Variance(logs, nil)
		return floats.LogSumExp(logs) - math.Log(float64(len(logs))) - v, v
	})
}

func predictive(
	likelihoods []*mat.Dense,
	one func(logs []float64) (elpd, shape float64),
) (*Predictive, error) {
	if len(likelihoods) == 0 {
		return nil, errors.New("diagnostics: no chains")
	}
	_, n := likelihoods[0].Dims()
	p := &Predictive{}
	within := 0.0
	for i := range n {
		var logs []float64
		for k, c := range likelihoods {
			if _, columns := c.Dims(); columns != n {
				return nil, fmt.Errorf(
					"diagnostics: chain %d has log densities of %d values, want %d",
					k,
					columns,
					n,
				)
			}
			logs = append(logs, mat.Col(nil, i, c)...)
		}
		for _, l := range logs {
			if math.IsNaN(l) || math.IsInf(l, 0) {
				return nil, fmt.Errorf(
					"diagnostics: a log density of value %d is %v, want a finite number",
					i,
					l,
				)
			}
		}
		if len(logs) < 2 {
			return nil, fmt.Errorf("diagnostics: %d draws, want at least 2", len(logs))
		}
		elpd, shape := one(logs)
		within += floats.LogSumExp(logs) - math.Log(float64(len(logs)))
		p.Each, p.Shapes = append(p.Each, elpd), append(p.Shapes, shape)
	}
	p.ELPD = floats.Sum(p.Each)
	p.Effective = within - p.ELPD
	p.Error = math.Sqrt(float64(n)) * stat.StdDev(p.Each, nil)
	return p, nil
}

// Beyond counts values whose shape is above a threshold, such as 0.7 for leave-one-out.
func (p *Predictive) Beyond(threshold float64) (count int) {
	for _, s := range p.Shapes {
		if s > threshold {
			count++
		}
	}
	return count
}

// Less is the difference of elpd of p and another model's on the same data, with its standard
// error. It panics if they are of different numbers of values.
func (p *Predictive) Less(other *Predictive) (difference, standardError float64) {
	if len(p.Each) != len(other.Each) {
		panic(
			fmt.Sprintf(
				"diagnostics: %d values, and %d of the other model",
				len(p.Each),
				len(other.Each),
			),
		)
	}
	each := make([]float64, len(p.Each))
	floats.SubTo(each, p.Each, other.Each)
	return floats.Sum(each), math.Sqrt(float64(len(each))) * stat.StdDev(each, nil)
}
