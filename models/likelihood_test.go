package models_test

import (
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestLogJoint compares with the sums of the naive terms, for several graphs at
// once.
func TestLogJoint(t *testing.T) {
	rng := newRand(11)
	for _, c := range linearCases(t) {
		t.Run(c.name, func(t *testing.T) {
			d := c.vars()
			theta := mat.NewDense(3, d*d, normals(rng, 3*d*d))
			full := dag.New(d)
			for i := range d {
				for j := i + 1; j < d; j++ {
					full.Set(i, j, true)
				}
			}
			some := full.Clone()
			some.Set(0, 1, false)
			some.Set(2, 4, false)
			graphs := []*dag.Graph{full, dag.New(d), some}
			prior, data := must.Two(models.LogJoint(c.lik, graphs, theta))(t)
			var wantPrior, wantData []float64
			for m, g := range graphs {
				p, l := c.terms(g.Matrix().RawMatrix().Data, theta.RawRowView(m))
				wantPrior, wantData = append(wantPrior, floats.Sum(p)),
					append(wantData, floats.Sum(l))
			}
			check(t, "log p(Θ|G)", prior, wantPrior, 1e-12)
			check(t, "log p(D|G,Θ)", data, wantData, 1e-12)
		})
	}
}

func TestLogJointErrors(t *testing.T) {
	lik, err := models.NewLinear(mat.NewDense(2, 3, nil), nil, models.LinearOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if prior, data, err := models.LogJoint(lik, nil, nil); len(prior) != 0 || len(data) != 0 ||
		err != nil {
		t.Errorf("no graphs: got %v, %v, %v, want nothing", prior, data, err)
	}
	_, _, err = models.LogJoint(lik, []*dag.Graph{dag.New(3), dag.New(4)}, mat.NewDense(2, 9, nil))
	checkError(t, "graph size", err, "models: log joint: graph 1 has 4 variables, want 3")
	_, _, err = models.LogJoint(lik, []*dag.Graph{dag.New(3)}, mat.NewDense(2, 9, nil))
	checkError(t, "particles", err, "models: log joint: parameters: got 2×9, want 1×9")
	_, _, err = models.LogJoint(lik, []*dag.Graph{dag.New(3)}, mat.NewDense(1, 8, nil))
	checkError(t, "parameters", err, "models: log joint: parameters: got 1×8, want 1×9")
}
