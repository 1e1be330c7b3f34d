package models_test

import (
	"math"
	"slices"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"
	"tobac/models/modeltest"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// noisyTable has n rows of d variables, the last two of which depend on others.
func noisyTable(seed uint64, n, d int) *mat.Dense {
	rng := newRand(seed)
	x := mat.NewDense(n, d, normals(rng, n*d))
	for i := range n {
		x.Set(i, d-2, x.At(i, d-2)/3+x.At(i, 0))
		x.Set(i, d-1, x.At(i, d-1)/5-x.At(i, 1)+1)
	}
	return x
}

func TestOwnVariancesContract(t *testing.T) {
	x, mask := noisyTable(1, 7, 4), mat.NewDense(7, 4, nil)
	for i := range 7 {
		mask.Set(i, 2, 1) // a variable without rows
	}
	mask.Set(3, 1, 1)
	linear, err := models.NewLinear(x, mask,
		models.LinearOptions{NoiseVariances: models.OwnVariances, Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := modeltest.Likelihood(linear, 1); err != nil {
		t.Error(err)
	}
	for _, kind := range []models.NoiseVariances{models.OwnVariances, models.VarianceParameters} {
		network := must.Get(models.NewFeedForward(x, mask,
			models.FeedForwardOptions{NoiseVariances: kind, Hidden: []int{2},
				Activation: models.Tanh}))(t)
		if err := modeltest.Likelihood(network, 2); err != nil {
			t.Errorf("kind %d: %v", kind, err)
		}
	}
	_, err = models.NewLinear(x, nil,
		models.LinearOptions{NoiseVariances: models.VarianceParameters})
	checkError(t, "variances as parameters", err,
		"models: linear model: noise 2, want a common variance or integrated ones")
	_, err = models.NewFeedForward(x, nil, models.FeedForwardOptions{NoiseVariances: 3})
	checkError(t, "unknown kind", err, "models: feed-forward model: unknown kind of noise 3")
}

// TestVariancesIntegrated integrates the model with variances as parameters over
// one of them, numerically, for every variable, and compares it with the model that
// integrates them out in closed form. The geometric mean of the variance is the
// moment of the same integrand.
func TestVariancesIntegrated(t *testing.T) {
	x := noisyTable(3, 6, 3)
	mask := mat.NewDense(6, 3, nil)
	mask.Set(0, 1, 1)
	opt := models.FeedForwardOptions{NoiseVariances: models.OwnVariances, NoiseVariance: 0.2,
		Hidden: []int{2}}
	own := must.Get(models.NewFeedForward(x, mask, opt))(t)
	opt.NoiseVariances = models.VarianceParameters
	explicit := must.Get(models.NewFeedForward(x, mask, opt))(t)
	n := own.ParamLen()
	theta := mat.NewDense(1, n, nil)
	own.InitParams(theta.RawRowView(0), newRand(5))
	g := dag.New(3)
	g.Set(0, 1, true)
	g.Set(0, 2, true)
	g.Set(1, 2, true)
	_, want := must.Two(models.LogJoint(own, []*dag.Graph{g}, theta))(t)
	inferred := must.Get(models.InferredNoise(own.(models.Gaussian), []*dag.Graph{g}, theta))(t)
	ownPrior, _ := must.Two(models.LogJoint(own, []*dag.Graph{g}, theta))(t)
	// The joint density factorises over the variables: integrate over one ln σ_j² with
	// the others at 0, and divide by the density there, which is in the last row.
	const points, d = 400, 3
	at, weight := make([]float64, points), make([]float64, points)
	quad.Legendre{}.FixedLocations(at, weight, -8, 20)
	rows, graphs := mat.NewDense(d*points+1, n+d, nil), slices.Repeat([]*dag.Graph{g}, d*points+1)
	for r := range graphs {
		copy(rows.RawRowView(r), theta.RawRowView(0))
		if r < d*points {
			rows.Set(r, n+r/points, at[r%points])
		}
	}
	prior, data := must.Two(models.LogJoint(explicit, graphs, rows))(t)
	zero := prior[d*points] + data[d*points]
	got := zero - ownPrior[0]
	for j := range d {
		mass, mean := 0.0, 0.0
		for k, s := range at {
			density := weight[k] * math.Exp(prior[j*points+k]+data[j*points+k]-zero)
			mass, mean = mass+density, mean+s*density
		}
		got += math.Log(mass)
		if v := inferred.At(0, j); !(math.Abs(math.Log(v)-mean/mass) <= 1e-4) {
			t.Errorf("variable %d: noise variance %v, want %v", j, v, math.Exp(mean/mass))
		}
	}
	if !(math.Abs(got-want[0]) <= 1e-4) {
		t.Errorf("integrated numerically %v, in closed form %v", got, want[0])
	}
}
