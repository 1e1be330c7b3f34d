package tobac_test

import (
	"context"
	"math"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/effects"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/drawn"
	"tobac/internal/must"
	"tobac/models"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
)

// A fit with the output layer integrated out has draws of whole networks: with the parameters of
// the model with it sampled, whose means follow the data where those of untrained networks do not;
// the same in every run, whatever the number of workers.
func TestIntegratedOutput(t *testing.T) {
	table := chainTable(3, 60, 4)
	for _, model := range []sem.FeedForward{
		{Hidden: []int{3}, Output: models.IntegratedOutput},
		{Hidden: []int{3, 2}, NoiseVariance: 0.3, Output: models.IntegratedOutput,
			Activation: models.Tanh},
		{Hidden: []int{}, NoiseVariance: 0.3, Output: models.IntegratedOutput},
	} {
		t.Run(model.String(), func(t *testing.T) {
			fit := func(workers int) *tobac.Result {
				return must.Get(tobac.Fit(context.Background(), table,
					tobac.Config{Model: model, Order: engine.Order{Known: []int{2, 0, 1}},
						Engine: &stein.SVGD{Particles: 4, Steps: 150, Samples: 8}, Workers: workers,
						Seed: 5}))(t)
			}
			r := fit(1)
			for m, draw := range fit(3).Draws {
				if diff := cmp.Diff(r.Draws[m].Parameters, draw.Parameters); diff != "" {
					t.Errorf("draw %d with 3 workers (-want +got):\n%s", m, diff)
				}
			}
			sampled := model
			sampled.Output = models.SampledOutput
			predictive, _ := sem.As[interface {
				Predictive(*dataset.Table) (models.Likelihood, error)
			}](sampled)
			lik := must.Get(predictive.Predictive(table))(t)
			if got := len(r.Draws[0].Parameters); got != lik.ParamLen() {
				t.Fatalf("%d parameters, want %d", got, lik.ParamLen())
			}
			// The rows of the fit are more probable than under the model without edges and weights.
			_, density := must.Two(drawn.LogDensity(r.Posterior, model, table))(t)
			empty := density[len(density)-1]
			if model.NoiseVariance == 0 {
				// standard normal columns, and weights that were drawn
				empty = -0.5*180*math.Log(2*math.Pi*math.E) - 30
			}
			for m, v := range density[:len(density)-1] {
				if !(v > empty) {
					t.Errorf("draw %d: log density %v, want more than %v", m, v, empty)
				}
			}
			if len(model.Hidden) == 0 {
				return // which no text of a model says
			}
			e := must.Get(r.Effects(context.Background()))(t)
			if _, err := e.Means([]effects.Setting{{Var: 0, Value: 1.5}}); err != nil {
				t.Error(err)
			}
		})
	}
}
