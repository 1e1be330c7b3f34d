package models_test

import (
	"testing"

	"tobac/internal/must"
	"tobac/models"
	"tobac/schedule"

	"gonum.org/v1/gonum/mat"
)

// The published schedule is that of the rate, bit for bit; another one is used as it is.
func TestScheduleOfTheTarget(t *testing.T) {
	lik := linear(t)
	score := func(cfg models.TOBACConfig) []float64 {
		t.Helper()
		cfg.Particles, cfg.Samples, cfg.Seed = 2, 8, 3
		target := must.Get(models.NewTOBAC(lik, cfg))(t)
		defer target.Close()
		x, dst := target.Init(), target.Init()
		must.Do(t, target.Score(dst, x, 7))
		return dst[0].RawMatrix().Data
	}
	prior := models.ErdosRenyi(0.3)
	want := score(models.TOBACConfig{AlphaRate: 0.2, Prior: prior})
	check(t, "linear growth",
		score(models.TOBACConfig{Alpha: schedule.Growth(0.2), Prior: prior}), want, 0)
	constant := schedule.Constant(1.4000000000000001)
	check(t, "constant", score(models.TOBACConfig{Alpha: constant, Prior: prior}), want, 1e-12)
	_, err := models.NewTOBAC(lik, models.TOBACConfig{AlphaRate: 1, Alpha: constant, Prior: prior})
	checkError(t, "both", err,
		"models: TOBAC: alpha rate 1 beside a schedule of alpha, want one of the two")
}

func linear(t *testing.T) models.Likelihood {
	t.Helper()
	lik, err := models.NewLinear(mat.NewDense(4, 3, []float64{0.5, -1, 2, 1.5, 0.25, -0.75, -0.2,
		0.9, 0.4, 0.7, 0.1, -0.6}), nil, models.LinearOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return lik
}
