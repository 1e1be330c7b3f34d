package models_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/autograd"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// The parameters of a variable are those that its term depends on, by the gradient of every term at
// a random place, and the latents of a variable those that the probabilities of its edges depend
// on.
func TestGroupsAreWhatTermsDependOn(t *testing.T) {
	const n, d = 9, 4
	rng := rand.New(rand.NewPCG(5, 6))
	data := mat.NewDense(n, d, nil)
	data.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, data)
	var all []models.Likelihood
	add := func(lik models.Likelihood, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lik)
	}
	add(models.NewLinear(data, nil, models.LinearOptions{}))
	add(models.NewFeedForward(data, nil,
		models.FeedForwardOptions{Hidden: []int{3, 2}, Activation: models.Tanh}))
	add(models.NewFeedForward(data, nil, models.FeedForwardOptions{Activation: models.Tanh,
		NoBias: true, NoiseVariances: models.VarianceParameters}))
	add(models.NewIntegrated(data, nil, models.FeedForwardOptions{Hidden: []int{3},
		Activation: models.Tanh, NoiseVariances: models.VarianceParameters}))
	for _, lik := range all {
		b := autograd.NewBuilder("owners")
		edges := make([]float64, d*d)
		for j := range d {
			for i := range d {
				if i != j {
					edges[i*d+j] = 1 // every parameter counts
				}
			}
		}
		theta := b.Input("theta", autograd.Shape{lik.ParamLen()})
		prior, like := lik.Terms(b.Constant(edges, autograd.Shape{d, d}), theta)
		terms := prior.Add(like)
		var grads []*autograd.Node
		for j := range d {
			grads = append(grads, b.Grad(terms.Index(0, j), theta)...)
		}
		run := must.Get(autograd.NewEvaluator([]*autograd.Node{theta}, grads,
			autograd.Options{}))(t)
		x, out := make([]float64, lik.ParamLen()), make([][]float64, d)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for j := range out {
			out[j] = make([]float64, len(x))
		}
		must.Do(t, run.Eval(out, []autograd.Feed{{Data: x}}))
		run.Close()
		owners := lik.(models.Separate).Owners()
		if len(owners) != lik.ParamLen() {
			t.Fatalf("%T: %d owners of %d parameters", lik, len(owners), lik.ParamLen())
		}
		for k, owner := range owners {
			for j := range d {
				if j != owner && out[j][k] != 0 {
					t.Errorf("%T: parameter %d is %d's, but term %d depends on it", lik, k, owner,
						j)
				}
			}
		}
		for _, embedding := range []models.Embedding{models.OrderedPairs, models.AllPairs} {
			target := newTOBAC(t, lik, models.TOBACConfig{Particles: 1, Samples: 2, Rank: 3,
				Embedding: embedding, Prior: models.UniformPrior()})
			x := target.Init()
			for b := range target.Blocks() {
				groups, ok := target.Groups(b)
				_, width := x[b].Dims()
				if !ok || len(groups) != d {
					t.Errorf("%T: groups %v, %v of block %d", lik, groups, ok, b)
				}
				if all := slices.Sorted(slices.Values(slices.Concat(groups...))); len(
					all) != width || all[0] != 0 || all[width-1] != width-1 {
					t.Errorf("%T: groups of block %d are no partition of %d: %v", lik, b, width,
						groups)
				}
			}
			edges := func(z []float64) *mat.Dense {
				p := mat.NewDense(d, d, nil)
				for _, e := range target.HardGraph(z).Edges() {
					p.Set(e.From, e.To, 1)
				}
				return p
			}
			// Turning round all latents of a variable turns edges at this variable alone.
			latents, _ := target.Groups(0)
			for j, list := range latents {
				z := slices.Clone(x[0].RawRowView(0))
				before := edges(z)
				for _, k := range list {
					z[k] = -z[k]
				}
				after := edges(z)
				for i := range d {
					for c := range d {
						turned := before.At(i, c) != after.At(i, c)
						possible := i != c && (i < c || embedding == models.AllPairs)
						if want := possible && (i == j || c == j); turned != want {
							t.Errorf("%T, embedding %d: the latents of %d turn %d → %d: %v", lik,
								embedding, j, i, c, turned)
						}
					}
				}
			}
		}
	}

	// A score belongs to the child of its edge, and the parameters of a likelihood that does not
	// say so to no variable.
	for _, embedding := range []models.Embedding{models.OrderedPairs, models.AllPairs} {
		target := newTOBAC(t, hidden{all[0]}, models.TOBACConfig{Particles: 1, Samples: 2,
			Latents: models.NormalScores, Embedding: embedding, Prior: models.UniformPrior()})
		if groups, ok := target.Groups(1); ok || groups != nil {
			t.Errorf("groups %v of parameters that may belong to several variables", groups)
		}
		z := slices.Clone(target.Init()[0].RawRowView(0))
		groups, _ := target.Groups(0)
		before, turned := target.HardGraph(z), 0
		for _, list := range groups {
			for _, k := range list {
				z[k] = -z[k]
			}
			after := target.HardGraph(z)
			children := map[int]bool{}
			for i := range d {
				for c := range d {
					if before.Has(i, c) != after.Has(i, c) {
						children[c] = true
						turned++
					}
				}
			}
			if len(children) != 1 {
				t.Errorf("embedding %d: the scores of one variable turn edges into %v", embedding,
					children)
			}
			before = after
		}
		if want := map[models.Embedding]int{models.OrderedPairs: d * (d - 1) / 2,
			models.AllPairs: d * (d - 1)}[embedding]; turned != want {
			t.Errorf("embedding %d: %d edges have turned, want %d", embedding, turned, want)
		}
	}
}
