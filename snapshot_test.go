package tobac_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tobac"
	"tobac/autograd"
	"tobac/dataset"
	"tobac/models"
	"tobac/ordering"

	"gonum.org/v1/gonum/mat"
)

// A snapshot is refused by a run with other settings or data, in a line that
// names the first that differs; the run is left as it was.
func TestRestoreChecksSettings(t *testing.T) {
	data := chain(t, 40).Train
	order := ordering.Fixed{0, 1, 2, 3, 4}
	cfg := small
	cfg.Order = order
	first := newRun(t, data, cfg)
	advance(t, first, 3)
	s := first.Snapshot()
	half := mat.NewDense(5, 5, nil)
	for i := range 25 {
		half.RawMatrix().Data[i] = 0.5
	}
	prior, err := models.NewEdgePrior(half)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		change func(c *tobac.Config)
		want   string
	}{
		{"interventions", func(c *tobac.Config) { c.Interventions = mat.NewDense(40, 5, nil) }, "tobac: snapshot was made with the interventions none, the run has "},
		{"model", func(c *tobac.Config) { c.Model = tobac.BGe{} }, "tobac: snapshot was made with the model tobac.Linear{}, the run has tobac.BGe{AlphaMu:0 AlphaLambda:0}"},
		{"method", func(c *tobac.Config) { c.Method, c.Order = tobac.DiBS, nil }, "tobac: snapshot was made with the method tobac, the run has dibs"},
		{"prior", func(c *tobac.Config) { c.Prior = models.UniformPrior{} }, "tobac: snapshot was made with the prior Erdős–Rényi with edges per node, the run has models.UniformPrior{}"},
		{"prior with probabilities", func(c *tobac.Config) { c.Prior = prior }, "tobac: snapshot was made with the prior Erdős–Rényi with edges per node, the run has *models.EdgePrior "},
		{"edges per node", func(c *tobac.Config) { c.EdgesPerNode = 0.75 }, "tobac: snapshot was made with the edges per node 1, the run has 0.75"},
		{"gradient", func(c *tobac.Config) { c.Gradient = models.ScoreFunction }, "tobac: snapshot was made with the gradient reparam, the run has score"},
		{"estimator", func(c *tobac.Config) { c.Estimator = models.Joint }, "tobac: snapshot was made with the estimator nodewise, the run has joint"},
		{"particles", func(c *tobac.Config) { c.Particles = 12 }, "tobac: snapshot was made with the particles 11, the run has 12"},
		{"samples", func(c *tobac.Config) { c.Samples = 17 }, "tobac: snapshot was made with the samples 16, the run has 17"},
		{"rank", func(c *tobac.Config) { c.Rank = 3 }, "tobac: snapshot was made with the rank 4, the run has 3"},
		{"seed", func(c *tobac.Config) { c.Seed = 8 }, "tobac: snapshot was made with the seed 7, the run has 8"},
		{"seed before rank is not the first", func(c *tobac.Config) { c.Seed, c.Rank = 8, 3 }, "tobac: snapshot was made with the rank 4, the run has 3"},
		{"noise variance", func(c *tobac.Config) { c.NoiseVariance = 0.2 }, "tobac: snapshot was made with the noise variance 0, the run has 0.2"},
		{"start", func(c *tobac.Config) { c.Start = tobac.PriorStart }, "tobac: snapshot was made with the start regression, the run has prior"},
		{"alpha rate", func(c *tobac.Config) { c.AlphaRate = 0.25 }, "tobac: snapshot was made with the alpha rate 0.5, the run has 0.25"},
		{"bandwidth of Z", func(c *tobac.Config) { c.BandwidthZ = 6 }, "tobac: snapshot was made with the bandwidth of Z 5, the run has 6"},
		{"bandwidth of theta", func(c *tobac.Config) { c.BandwidthTheta = 6 }, "tobac: snapshot was made with the bandwidth of theta 500, the run has 6"},
		{"step size", func(c *tobac.Config) { c.StepSize = 0.125 }, "tobac: snapshot was made with the step size 0.005, the run has 0.125"},
		{"orders", func(c *tobac.Config) { c.Orders, c.Order = 3, nil }, "tobac: snapshot was made with the orders 0, the run has 3"},
		{"precision", func(c *tobac.Config) { c.Precision = autograd.Float32 }, "tobac: snapshot was made with the precision float64, the run has float32"},
		{"order", func(c *tobac.Config) { c.Order = ordering.Fixed{1, 0, 2, 3, 4} }, "tobac: snapshot has the order [0 1 2 3 4], the run has [1 0 2 3 4]"},
		// What changes nothing but the time, or what comes after.
		{"workers", func(c *tobac.Config) { c.Workers = 3 }, ""},
		{"progress", func(c *tobac.Config) { c.Progress = func(tobac.Progress) {} }, ""},
		{"steps", func(c *tobac.Config) { c.Steps = 20 }, ""},
		{"readout", func(c *tobac.Config) { c.Readout = tobac.ShareReadout }, ""},
		{"the same order found", func(c *tobac.Config) { c.Order = ordererOf{order} }, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			other := cfg
			row.change(&other)
			r := newRun(t, data, other)
			before := state(t, r)
			err := r.Restore(s)
			if row.want == "" {
				if err != nil || r.Step() != 3 {
					t.Errorf("at step %d: %v", r.Step(), err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
			if state(t, r) != before {
				t.Error("a refused snapshot changed the run")
			}
		})
	}
	for _, row := range []struct {
		name   string
		change func(x *mat.Dense, names []string)
	}{
		{"a number", func(x *mat.Dense, _ []string) { x.Set(7, 2, x.At(7, 2)*(1+1e-15)) }},
		{"a name", func(_ *mat.Dense, names []string) { names[4] = "other" }},
	} {
		t.Run(row.name, func(t *testing.T) {
			x, names := mat.DenseCopyOf(data.X), append([]string(nil), data.Names...)
			row.change(x, names)
			r := newRun(t, &dataset.Table{Names: names, X: x}, cfg)
			if err := r.Restore(s); err == nil || !strings.HasPrefix(err.Error(), "tobac: snapshot was made from other data (digest ") {
				t.Errorf("got error %v", err)
			}
		})
	}
	t.Run("no settings", func(t *testing.T) {
		bare := *s
		bare.Settings = nil
		if err := newRun(t, data, cfg).Restore(&bare); err == nil || err.Error() != "tobac: snapshot does not say with which settings it was made" {
			t.Errorf("got error %v", err)
		}
		bare.Settings = s.Settings[:3]
		if err := newRun(t, data, cfg).Restore(&bare); err == nil || err.Error() != "tobac: snapshot does not say which method it was made with, the run has tobac" {
			t.Errorf("got error %v", err)
		}
	})
}

// ordererOf finds an order that is written in it, as an estimator would.
type ordererOf struct{ order ordering.Fixed }

func (o ordererOf) Order(x mat.Matrix) (*ordering.Result, error) { return o.order.Order(x) }

// A snapshot over several orders is refused where its parts do not fit.
func TestRestoreErrorsOverOrders(t *testing.T) {
	data := noisy(t)
	r := newRun(t, data, several())
	advance(t, r, 2*small.Steps+3)
	before := state(t, r)
	for _, row := range []struct {
		name   string
		change func(s *tobac.Snapshot)
		want   string
	}{
		{"steps of another order", func(s *tobac.Snapshot) { s.Step = 3 }, "tobac: snapshot at step 3 has 2 finished orders of 12 steps, the run has "},
		{"finished orders missing", func(s *tobac.Snapshot) { s.Earlier = s.Earlier[:1] }, "tobac: snapshot at step 27 has 1 finished orders of 12 steps, the run has "},
		{"finished orders changed places", func(s *tobac.Snapshot) { s.Earlier[0], s.Earlier[1] = s.Earlier[1], s.Earlier[0] }, "tobac: snapshot has the order ["},
		{"particles of a finished order", func(s *tobac.Snapshot) { s.Earlier[1].Z = s.Earlier[1].Z[1:] }, "tobac: snapshot has 10 particles, want 11"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var s tobac.Snapshot
			if err := json.Unmarshal([]byte(before), &s); err != nil {
				t.Fatal(err)
			}
			row.change(&s)
			if err := r.Restore(&s); err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
			if state(t, r) != before {
				t.Error("a refused snapshot changed the run")
			}
		})
	}
	cfg := several()
	cfg.Steps = 20
	if err := newRun(t, data, cfg).Restore(r.Snapshot()); err == nil || err.Error() != "tobac: snapshot was made with the steps 12, the run has 20" {
		t.Errorf("other steps: got error %v", err)
	}
}
