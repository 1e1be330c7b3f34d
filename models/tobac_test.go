package models_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// TestInit checks the initial particles against their definition: entries of Z
// have variance 1/k, so E‖Z−Z'‖² = 4(d−1); weights keep the gap, and
// E‖Θ−Θ'‖² = 2d²·E w² with E w² = 1.25 + √(2/π). 4.5 standard errors, the latter
// estimated from the pairs.
func TestInit(t *testing.T) {
	const d, m = 12, 400
	lik := must.Get(models.NewLinear(mat.NewDense(1, d, nil), nil, models.LinearOptions{}))(t)
	target := newTOBAC(t, lik, models.TOBACConfig{Particles: m, Samples: 1, Rank: 15, Seed: 71})
	x := target.Init()
	for block, want := range []float64{4 * (d - 1), 2 * d * d * (1.25 + math.Sqrt(2/math.Pi))} {
		var sum, squares float64
		for i := 0; i < m; i += 2 {
			distance := 0.0
			for k, v := range x[block].RawRowView(i) {
				distance += (v - x[block].At(i+1, k)) * (v - x[block].At(i+1, k))
			}
			sum += distance / (m / 2)
			squares += distance * distance / (m / 2)
		}
		if se := math.Sqrt((squares - sum*sum) / (m / 2)); !(math.Abs(sum-want) <= 4.5*se) {
			t.Errorf("block %d: mean squared distance %v, want %v ± %v", block, sum, want, se)
		}
	}
	for _, w := range x[1].RawMatrix().Data {
		if math.Abs(w) < 0.5 {
			t.Fatalf("initial weight %v is closer to zero than 0.5", w)
		}
	}
	// A particle's initial value depends on the seed and on its number alone.
	fewer := newTOBAC(t, lik,
		models.TOBACConfig{Particles: 2, Samples: 1, Rank: 15, Seed: 71}).Init()
	other := newTOBAC(t, lik,
		models.TOBACConfig{Particles: 2, Samples: 1, Rank: 15, Seed: 72}).Init()
	for b := range x {
		if !slices.Equal(fewer[b].RawRowView(1), x[b].RawRowView(1)) {
			t.Errorf("block %d: particle 1 of 2 differs from particle 1 of %d", b, m)
		}
		if slices.Equal(other[b].RawRowView(1), x[b].RawRowView(1)) {
			t.Errorf("block %d: seeds 71 and 72 start alike", b)
		}
	}
}

func TestTOBACDefaults(t *testing.T) {
	lik := must.Get(models.NewLinear(mat.NewDense(1, 7, nil), nil, models.LinearOptions{}))(t)
	target := newTOBAC(t, lik, models.TOBACConfig{})
	x := target.Init()
	for b, want := range [][2]int{{30, 6 * 6 * 2}, {30, 49}} {
		if r, c := x[b].Dims(); r != want[0] || c != want[1] {
			t.Errorf("block %d is %d×%d, want %d×%d", b, r, c, want[0], want[1])
		}
	}
	if a := target.Alpha(100); a != 5 {
		t.Errorf("α at step 100 is %v, want 5", a)
	}
	if a := newTOBAC(t, noisyScores(7),
		models.TOBACConfig{Gradient: models.Flips}).Alpha(100); a != 100 {
		t.Errorf("without parameters α at step 100 is %v, want 100", a)
	}
	// Without a prior: two edges per variable.
	same := newTOBAC(t, lik, models.TOBACConfig{Samples: 128, Rank: 6, AlphaRate: 0.05, Tau: 1,
		Prior: models.ErdosRenyi(2. * 2 / 6)})
	got, want := score(t, target, x, 50), score(t, same, x, 50)
	for b := range got {
		check(t, fmt.Sprintf("block %d with defaults", b), got[b].RawMatrix().Data,
			want[b].RawMatrix().Data, 0)
	}
}

func TestTOBACErrors(t *testing.T) {
	linear := func(d int) models.Likelihood {
		lik := must.Get(models.NewLinear(mat.NewDense(1, d, nil), nil, models.LinearOptions{}))(t)
		return lik
	}
	tests := []struct {
		name string
		d    int
		cfg  models.TOBACConfig
		want string
	}{
		{"one variable", 1, models.TOBACConfig{},
			"models: TOBAC needs at least 2 variables, got 1"},
		{"particles", 6, models.TOBACConfig{Particles: -1},
			"models: TOBAC: particles -1, want at least 1"},
		{"samples", 6, models.TOBACConfig{Samples: -5},
			"models: TOBAC: samples -5, want at least 1"},
		{"rank", 6, models.TOBACConfig{Rank: -2}, "models: TOBAC: rank -2, want at least 1"},
		{"workers", 6, models.TOBACConfig{Options: models.Options{Workers: -3}},
			"models: TOBAC: workers -3, want at least 1"},
		{"estimator", 6, models.TOBACConfig{Estimator: 5}, "models: TOBAC: unknown estimator 5"},
		{"alpha", 6, models.TOBACConfig{AlphaRate: -0.1},
			"models: TOBAC: alpha rate -0.1 and tau 1, want finite positive numbers"},
		{"tau", 6, models.TOBACConfig{Tau: math.Inf(1)},
			"models: TOBAC: alpha rate 0.05 and tau +Inf, want finite positive numbers"},
		{"no number", 6, models.TOBACConfig{AlphaRate: math.NaN()},
			"models: TOBAC: alpha rate NaN and tau 1, want finite positive numbers"},
		{"prior", 4, models.TOBACConfig{}, "models: TOBAC: edges per node 2 on 4 variables makes " +
			"the edge probability 1.333; want 0 < edges per node < 1.5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := models.NewTOBAC(linear(tt.d), tt.cfg)
			checkError(t, "NewTOBAC", err, tt.want)
		})
	}
	for e, want := range map[models.Estimator]string{models.NodeWise: "nodewise",
		models.Joint: "joint", 4: "models.Estimator(4)"} {
		if got := e.String(); got != want {
			t.Errorf("got name %q, want %q", got, want)
		}
	}
}
