package tobac_test

import (
	"math"
	"testing"

	"tobac"
	"tobac/autograd"
	"tobac/models"

	"github.com/google/go-cmp/cmp"
)

// The documented defaults, for a table where the default prior is capped, one
// where it just is not, and a larger one.
func TestConfigDefaults(t *testing.T) {
	for _, row := range []struct {
		name  string
		in    tobac.Config
		d     int
		edges float64
		rank  int
	}{
		{"d=2: half of the only pair", tobac.Config{}, 2, 0.25, 1},
		{"d=5: half of the pairs", tobac.Config{}, 5, 1, 4},
		{"d=9: the cap meets two edges per node", tobac.Config{}, 9, 2, 8},
		{"d=20", tobac.Config{}, 20, 2, 19},
		{"d=20 paper", tobac.Paper(), 20, 2, 19},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := row.in.WithDefaults(row.d)
			if err != nil {
				t.Fatal(err)
			}
			want := tobac.Config{
				Estimator: row.in.Estimator, Particles: 30, Steps: 1000, Samples: 128, Rank: row.rank,
				NoiseVariance: row.in.NoiseVariance, Start: row.in.Start, Readout: row.in.Readout, EdgesPerNode: row.edges, AlphaRate: 0.05,
				BandwidthZ: 5, BandwidthTheta: 500, StepSize: 0.005, Workers: 1,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("defaults (-want +got):\n%s", diff)
			}
			again, err := got.WithDefaults(row.d)
			if err != nil || cmp.Diff(got, again) != "" {
				t.Errorf("filling in defaults twice: error %v, difference %s", err, cmp.Diff(got, again))
			}
		})
	}
	if c := tobac.Paper(); c.NoiseVariance != 0.1 || c.Start != tobac.PriorStart {
		t.Errorf("paper's noise variance and start: got %v and %v, want 0.1 and prior", c.NoiseVariance, c.Start)
	}
	if got := (tobac.Config{}).Estimator; got != models.NodeWise {
		t.Errorf("zero estimator: got %v, want node-wise", got)
	}
	if got := tobac.Paper().Estimator; got != models.Joint {
		t.Errorf("paper's estimator: got %v, want joint", got)
	}
}

// What is set stays.
func TestConfigKeepsSettings(t *testing.T) {
	want := tobac.Config{
		Estimator: models.Joint, Particles: 1, Steps: 2, Samples: 3, Rank: 4, Seed: 5,
		NoiseVariance: 0.6, EdgesPerNode: 0.7, AlphaRate: 0.8, BandwidthZ: 9, BandwidthTheta: 10,
		StepSize: 0.11, Precision: autograd.Float32, Workers: 12,
	}
	got, err := want.WithDefaults(6)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings changed (-want +got):\n%s", diff)
	}
}

func TestConfigErrors(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  tobac.Config
		d    int
		want string
	}{
		{"one variable", tobac.Config{}, 1, "got 1 variable, want at least 2: a single variable has no edges to infer"},
		{"particles", tobac.Config{Particles: -1}, 5, "particles is -1, want at least 1"},
		{"steps", tobac.Config{Steps: -7}, 5, "steps is -7, want at least 1"},
		{"samples", tobac.Config{Samples: -2}, 5, "samples is -2, want at least 1"},
		{"rank", tobac.Config{Rank: -3}, 5, "rank is -3, want at least 1"},
		{"workers", tobac.Config{Workers: -4}, 5, "workers is -4, want at least 1"},
		{"noise variance", tobac.Config{NoiseVariance: -0.1}, 5, "noise variance is -0.1, want a finite positive number, or 0 to estimate it"},
		{"start", tobac.Config{Start: 7}, 5, "unknown start 7 of the weights"},
		{"readout", tobac.Config{Readout: 7}, 5, "unknown readout 7"},
		{"precision", tobac.Config{Precision: 7}, 5, "unknown precision Precision(7), want float64 or float32"},
		{"noise variance NaN", tobac.Config{NoiseVariance: math.NaN()}, 5, "noise variance is NaN, want a finite positive number, or 0 to estimate it"},
		{"noise variance infinite", tobac.Config{NoiseVariance: math.Inf(1)}, 5, "noise variance is +Inf, want a finite positive number, or 0 to estimate it"},
		{"edges per node", tobac.Config{EdgesPerNode: -1}, 5, "edges per node is -1, want a finite positive number"},
		{"alpha rate", tobac.Config{AlphaRate: -1}, 5, "alpha rate is -1, want a finite positive number"},
		{"bandwidth of Z", tobac.Config{BandwidthZ: -1}, 5, "bandwidth of Z is -1, want a finite positive number"},
		{"bandwidth of theta", tobac.Config{BandwidthTheta: -1}, 5, "bandwidth of theta is -1, want a finite positive number"},
		{"step size", tobac.Config{StepSize: -1}, 5, "step size is -1, want a finite positive number"},
		{"the paper's prior on five variables", tobac.Paper(), 5,
			"edges per node 2 on 5 variables makes the edge probability 1; want 0 < edges per node < 2"},
		{"more edges than pairs", tobac.Config{EdgesPerNode: 3}, 4,
			"edges per node 3 on 4 variables makes the edge probability 2; want 0 < edges per node < 1.5"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := row.cfg.WithDefaults(row.d)
			if err == nil || err.Error() != row.want {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
		})
	}
}
