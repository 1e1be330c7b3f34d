package gorgonia_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/internal/must"
	"tobac/models"
)

// TestExportModels: TOBAC's objectives, likelihoods and priors become gorgonia graphs, whose
// gradients by gorgonia.Grad are ours.
func TestExportModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	x := mat.NewDense(20, 4, normals(rng, 80))
	linear := must.Get(models.NewLinear(x, nil, models.LinearOptions{NoiseVariance: 0.1}))(t)
	network := must.Get(models.NewFeedForward(x, nil,
		models.FeedForwardOptions{Hidden: []int{2}, Activation: models.Tanh}))(t)
	bge := must.Get(models.NewBGe(x, nil, models.BGeOptions{}))(t)
	check := func(name string, e *models.ComputationGraph, output string, wrt ...string) {
		t.Run(name+"/"+output, func(t *testing.T) {
			loss := e.Outputs[output]
			for _, a := range loss.Axes() {
				loss = loss.SumOver(a)
			}
			var inputs []*ad.Node
			var at [][]float64
			for _, input := range append(wrt, "alpha", "uniform Z", "uniform theta") {
				if n := e.Inputs[input]; n != nil {
					values := make([]float64, sizeOf(n))
					for k := range values {
						values[k] = 0.05 + 0.9*rng.Float64()
					}
					inputs, at = append(inputs, n), append(at, values)
				}
			}
			sum := loss.Sum()
			want := eval(t, inputs, append(e.Builder.Grad(sum, inputs[:len(wrt)]...), sum), at,
				ad.Options{})
			exported := must.Get(gorgonia.Export(sum))(t)
			got := gorgoniaGradient(t, exported[0], inputs, wrt, at)
			for i := range want {
				compare(t, fmt.Sprint("result ", i), got[i], want[i], 1e-11)
			}
		})
	}
	for name, lik := range map[string]models.Likelihood{"linear": linear, "network": network} {
		target := must.Get(models.NewTOBAC(lik, models.TOBACConfig{Particles: 2, Samples: 3,
			Prior: models.ErdosRenyi(0.3)}))(t)
		defer target.Close()
		check(name, target.Graph(), "objective Z", "Z", "theta")
		check(name, target.Graph(), "objective theta", "theta", "Z")
		check(name, models.LikelihoodGraph(lik), "log prior", "graph", "theta")
		check(name, models.LikelihoodGraph(lik), "log likelihood", "graph", "theta")
	}
	check("BGe", models.LikelihoodGraph(bge), "log likelihood", "graph")
	for name, prior := range map[string]models.GraphPrior{
		"Erdős–Rényi": models.ErdosRenyi(0.3), "scale-free": models.ScaleFree(),
		"fair": models.FairPrior()} {
		check(name, models.PriorGraph(prior, 4), "log prior", "graph")
	}
}
