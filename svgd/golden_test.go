package svgd_test

import (
	"encoding/json"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/svgd"
)

// golden is the part of tobac-linear.json that concerns a sampler. The file comes
// from the reference implementation of TOBAC (the authors' JAX program, in
// float64); it lies with the goldens of package models, whose SOURCE.md describes it.
type golden struct {
	BandwidthZ     float64 `json:"bandwidth_z"`
	BandwidthTheta float64 `json:"bandwidth_theta"`
	FirstStep      int     `json:"first_step"`
	Steps          []struct {
		Z                  tensor `json:"z"`
		Theta              struct{ Weights tensor }
		GradZLogLikelihood tensor                   `json:"grad_z_log_likelihood"`
		GradZLogPrior      tensor                   `json:"grad_z_log_prior"`
		GradTheta          struct{ Weights tensor } `json:"grad_theta"`
		Kernel             tensor                   `json:"kernel"`
		PhiZ               tensor                   `json:"phi_z"`
		PhiTheta           struct{ Weights tensor } `json:"phi_theta"`
		ZNext              tensor                   `json:"z_next"`
		ThetaNext          struct{ Weights tensor } `json:"theta_next"`
	} `json:"steps"`
}

// tensor is a nested array; rows holds its entries, flat below the first axis.
type tensor struct{ rows [][]float64 }

func (t *tensor) UnmarshalJSON(text []byte) error {
	var outer []any
	if err := json.Unmarshal(text, &outer); err != nil {
		return err
	}
	for _, v := range outer {
		t.rows = append(t.rows, flatten(nil, v))
	}
	return nil
}

func flatten(dst []float64, v any) []float64 {
	if f, ok := v.(float64); ok {
		return append(dst, f)
	}
	for _, e := range v.([]any) {
		dst = flatten(dst, e)
	}
	return dst
}

func (t tensor) matrix() *mat.Dense {
	m := mat.NewDense(len(t.rows), len(t.rows[0]), nil)
	for i, row := range t.rows {
		m.SetRow(i, row)
	}
	return m
}

// capture hands on an optimiser's work and keeps the direction it was given.
type capture struct {
	svgd.Optimizer
	phi []*mat.Dense
}

func (c *capture) Update(delta []*mat.Dense, s *svgd.State, t int) error {
	c.phi = clone(delta)
	return c.Optimizer.Update(delta, s, t)
}

// TestReference replays kernel, direction and RMSProp of the reference's three
// steps from its recorded scores.
func TestReference(t *testing.T) {
	text := must.Get(os.ReadFile("../models/testdata/golden/tobac-linear.json"))(t)
	var g golden
	must.Do(t, json.Unmarshal(text, &g))
	const tol = 1e-12 // reached; the file asks for 1e-9
	target := func(dst, _ []*mat.Dense, t int) error {
		step := g.Steps[t-g.FirstStep]
		dst[0].Add(step.GradZLogLikelihood.matrix(), step.GradZLogPrior.matrix())
		dst[1].Copy(step.GradTheta.Weights.matrix())
		return nil
	}
	kernel := svgd.Additive{Bandwidths: []float64{g.BandwidthZ, g.BandwidthTheta}}
	optimizer := &capture{Optimizer: svgd.RMSProp{}}
	s := svgd.Sampler{Target: svgd.ScorerFunc(target), Kernel: kernel, Optimizer: optimizer}
	x := []*mat.Dense{g.Steps[0].Z.matrix(), g.Steps[0].Theta.Weights.matrix()}
	for i, step := range g.Steps {
		gram, _ := evaluate(kernel, x)
		wantClose(t, "kernel", gram, step.Kernel.matrix(), tol)
		run(t, &s, x, g.FirstStep+i, g.FirstStep+i+1)
		wantClose(t, "phi_z", optimizer.phi[0], step.PhiZ.matrix(), tol)
		wantClose(t, "phi_theta", optimizer.phi[1], step.PhiTheta.Weights.matrix(), tol)
		wantClose(t, "z_next", x[0], step.ZNext.matrix(), tol)
		wantClose(t, "theta_next", x[1], step.ThetaNext.Weights.matrix(), tol)
	}
}
