package graphchains_test

import (
	"context"
	"math"
	"testing"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/must"
	"tobac/sem"
)

// Columns in one unit with equal noise variances are found to have them, after the other model has
// been compared. Scaled, they are far from that, which two short searches show: no chains run.
func TestOneNoiseVarianceIsGlimpsedAt(t *testing.T) {
	truth := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: 30, Seed: 3, EdgesPerNode: 2}))(t)
	sim := must.Get(dataset.SimulateLinear(truth, dataset.LinearConfig{Seed: 3, Rows: 500}))(t)
	var models []sem.Scored
	for _, m := range []sem.Model{sem.Linear{}, sem.BGe{}} {
		s, _ := sem.As[sem.Scored](m)
		models = append(models, s)
	}
	for _, c := range []struct {
		name, want string
		scaled     bool
	}{{"as they are", "linear", false}, {"scaled", "bge", true}} {
		t.Run(c.name, func(t *testing.T) {
			data := sim.Train
			if c.scaled {
				data = must.Get(data.Standardize())(t)
			}
			p := &engine.Problem{Data: data, Workers: 2, Report: func(engine.Progress) {}}
			s := must.Get(graphchains.Settle(context.Background(), data, models, p,
				graphchains.Pilot, inference.TrustOf(p)))(t)
			if got := s.Model.String(); got != c.want {
				t.Errorf("the model is %s, want %s", got, c.want)
			}
			linear, bge := s.Evidence[0], s.Evidence[1]
			if linear.Model != "linear" || bge.Model != "bge" {
				t.Errorf("the models are %s and %s", linear.Model, bge.Model)
			}
			if glimpsed := linear.Note == inference.ByGraph; glimpsed != c.scaled ||
				math.IsNaN(linear.Log) {
				t.Errorf("%s: %.1f nats, %s", linear.Model, linear.Log, linear.Note)
			}
		})
	}
}
