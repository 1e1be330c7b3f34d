package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dataset"
	"tobac/metrics"
	"tobac/posterior"
)

// particlesFile is the name of the file that a posterior can be judged from.
const particlesFile = "particles.json"

// storedSettings are what densities of other rows need beside the posterior.
type storedSettings struct {
	Model  *modelSpec `json:"model,omitempty"`  // left out: linear
	Method string     `json:"method,omitempty"` // left out: tobac
}

// newPosterior is what a fit prints and saves.
func newPosterior(p *tobac.Posterior, model *modelSpec, s *posterior.Standardization) (*posterior.Posterior, error) {
	settings := storedSettings{Model: model}
	if p.Config.Method != tobac.TOBAC {
		settings.Method = p.Config.Method.String()
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	out := p.Value()
	out.Model, out.Settings, out.Standardization = model.String(), string(text), s
	return out, nil
}

// heldOut returns the log densities of scaled held-out rows under the draws and
// under the graph without edges; nil without rows. Interventions in the rows may
// be nil. It fails if there are no draws.
func heldOut(p *posterior.Posterior, t, interventions *dataset.Table) (*metrics.HeldOut, error) {
	if t == nil {
		return nil, nil
	}
	if len(p.Draws) == 0 {
		return nil, errors.New("the posterior has no graphs with parameters, hence no density of held-out rows")
	}
	var mask mat.Matrix
	if interventions != nil {
		mask = interventions.X
	}
	if p.Draws[0].Equations == nil || p.Draws[0].Equations.NoiseVariances == nil {
		q, err := fitted(p)
		if err != nil {
			return nil, err
		}
		prior, data, err := q.LogDensityIntervened(t, mask)
		if err != nil {
			return nil, err
		}
		return metrics.NewHeldOut(prior, data), nil
	}
	data, empty, err := p.LogDensity(t.X, mask)
	if err != nil {
		return nil, err
	}
	var prior []float64
	for _, draw := range p.Draws {
		prior = append(prior, draw.LogPrior)
	}
	return metrics.NewHeldOut(append(prior, 0), append(data, empty)), nil
}

// fitted is a posterior of a model without equations as the library fits it, as
// far as densities need it.
func fitted(p *posterior.Posterior) (*tobac.Posterior, error) {
	var settings storedSettings
	if err := json.Unmarshal([]byte(p.Settings), &settings); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	model, err := settings.Model.model()
	if err != nil {
		return nil, err
	}
	q := &tobac.Posterior{Config: tobac.Config{Model: model}, Names: p.Names, Order: p.Order(), Graphs: p.Graphs(), Parameters: p.ParameterMatrix()}
	switch settings.Method {
	case "":
	case tobac.DiBS.String():
		q.Config.Method = tobac.DiBS
	default:
		return nil, fmt.Errorf("unknown method %q", settings.Method)
	}
	for _, c := range p.Components {
		if !model.Marginal() && !(c.NoiseVariance > 0) {
			return nil, fmt.Errorf("noise variance is %v, want a number above 0", c.NoiseVariance)
		}
		q.Config.NoiseVariance = c.NoiseVariance
		if len(p.Components) > 1 {
			q.Orders = append(q.Orders, tobac.OrderShare{Order: c.Order, Weight: math.Exp(c.LogWeight), LogWeight: c.LogWeight, Particles: c.Draws, NoiseVariance: c.NoiseVariance})
		}
	}
	return q, nil
}
