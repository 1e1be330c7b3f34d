package gorgonia_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tobac/autograd/gorgonia"
	"tobac/internal/must"
	"tobac/models"
	"tobac/svgd"
)

// TOBAC written with gorgonia's operations: the soft graph of Gumbel-softmax samples, a
// linear likelihood and a feed-forward network, for one particle and one sample, of d
// variables in causal order, with latent vectors of length k.

const noiseVariance = 0.1

// latents declares Z of shape (d−1, k, 2) and the noise of the pairs, and returns the
// logits of the pairs: α·u_i·v_j, the pair of child j and parent i ≤ j, child by child.
func latents(g *G.ExprGraph, name string, d, k int, alpha *G.Node) (z, noise, logits *G.Node) {
	rows, pairs := d-1, d*(d-1)/2
	z = G.NewTensor(g, G.Float64, 3, G.WithShape(rows, k, 2), G.WithName("Z "+name))
	noise = G.NewVector(g, G.Float64, G.WithShape(pairs), G.WithName("noise "+name))
	u, v := G.Must(G.Slice(z, nil, nil, G.S(0))), G.Must(G.Slice(z, nil, nil, G.S(1)))
	scores := G.Must(G.Ravel(G.Must(G.Mul(u, G.Must(G.Transpose(v))))))
	chosen := constant(g, "pairs "+name, pairs, rows*rows, func(p, cell int) bool {
		return cell == pairOf(d, p)/d*rows+pairOf(d, p)%d-1
	})
	return z, noise, G.Must(G.Mul(alpha, G.Must(G.Mul(chosen, scores))))
}

// adjacency places the pairs into a d×d matrix.
func adjacency(g *G.ExprGraph, name string, d int, pairs *G.Node) *G.Node {
	place := constant(g, "cells "+name, d*d, d*(d-1)/2, func(cell, p int) bool {
		return cell == pairOf(d, p)
	})
	return G.Must(G.Reshape(G.Must(G.Mul(place, pairs)), tensor.Shape{d, d}))
}

// softSample is σ(logit + ln u − ln(1 − u)), hardSample 1[u < σ(logit)].
func softSample(logits, u *G.Node) *G.Node {
	gumbel := G.Must(G.Sub(G.Must(G.Log(u)), G.Must(G.Log1p(G.Must(G.Neg(u))))))
	return G.Must(G.Sigmoid(G.Must(G.Add(logits, gumbel))))
}

func hardSample(logits, u *G.Node) *G.Node {
	return G.Must(G.Gt(G.Must(G.Sigmoid(logits)), u, true))
}

// lnNormal is the log density of N(0, variance) at each element.
func lnNormal(x *G.Node, variance float64) *G.Node {
	square := G.Must(G.Mul(G.Must(G.Square(x)), G.NewConstant(-1/(2*variance))))
	return G.Must(G.Add(square, G.NewConstant(-0.5*math.Log(2*math.Pi*variance))))
}

// logPrior is Σ lnN(Z; 0, 1/k) + log p(G) of Erdős–Rényi graphs at the edge probabilities.
func logPrior(z, logits *G.Node, k int, p float64) *G.Node {
	latent := G.Must(G.Sum(lnNormal(z, 1/float64(k))))
	probabilities := G.Must(G.Sigmoid(logits))
	pairs := float64(logits.Shape()[0])
	odds := G.Must(G.Mul(G.Must(G.Sum(probabilities)), G.NewConstant(math.Log(p)-math.Log1p(-p))))
	return G.Must(G.Add(G.Must(G.Add(latent, odds)), G.NewConstant(pairs*math.Log1p(-p))))
}

// linear are the terms log p(Θ_j|G) + log p(D_j|G,Θ_j) of the linear model.
func linear(data, graph, theta *G.Node) *G.Node {
	w := G.Must(G.Reshape(theta, graph.Shape()))
	prior := G.Must(G.Sum(G.Must(G.HadamardProd(graph, lnNormal(w, 1))), 0))
	residuals := G.Must(G.Sub(data, G.Must(G.Mul(data, G.Must(G.HadamardProd(graph, w))))))
	return G.Must(G.Add(prior, G.Must(G.Sum(lnNormal(residuals, noiseVariance), 0))))
}

// network are those of a network with one hidden layer of h rectified units for each
// variable: W₁ (d,d,h), b₁ (d,h), W₂ (d,h), b₂ (d).
func network(h int) func(data, graph, theta *G.Node) *G.Node {
	return func(data, graph, theta *G.Node) *G.Node {
		d := data.Shape()[1]
		part := func(from, rows, cols int) *G.Node {
			return G.Must(G.Reshape(G.Must(G.Slice(theta, G.S(from, from+rows*cols))),
				tensor.Shape{rows, cols}))
		}
		sum := func(x *G.Node) *G.Node { return G.Must(G.Sum(lnNormal(x, 1))) }
		var terms []*G.Node
		for j := range d {
			w1, b1 := part(j*d*h, d, h), part(d*d*h+j*h, 1, h)
			w2, b2 := part(d*d*h+d*h+j*h, h, 1), part(d*d*h+2*d*h+j, 1, 1)
			column := func(x *G.Node) *G.Node {
				return G.Must(G.Reshape(G.Must(G.Slice(x, nil, G.S(j))),
					tensor.Shape{x.Shape()[0], 1}))
			}
			parents := column(graph)
			masked := G.Must(G.BroadcastHadamardProd(parents, w1, []byte{1}, nil))
			hidden := G.Must(
				G.Rectify(G.Must(G.BroadcastAdd(G.Must(G.Mul(data, masked)), b1, nil, []byte{0}))))
			mean := G.Must(G.BroadcastAdd(G.Must(G.Mul(hidden, w2)), b2, nil, []byte{0}))
			gated := G.Must(G.BroadcastHadamardProd(parents, lnNormal(w1, 1), []byte{1}, nil))
			term := G.Must(G.Sum(lnNormal(G.Must(G.Sub(column(data), mean)), noiseVariance)))
			for _, prior := range []*G.Node{G.Must(G.Sum(gated)), sum(b1), sum(w2), sum(b2)} {
				term = G.Must(G.Add(term, prior))
			}
			terms = append(terms, G.Must(G.Reshape(term, tensor.Shape{1})))
		}
		return G.Must(G.Concat(0, terms...))
	}
}

// written is the target: the gradient of Z goes through soft graphs and holds Θ, that of Θ
// goes through hard graphs.
func written(x *mat.Dense, params, k, particles, samples int, p, rate float64, seed uint64,
	terms func(data, graph, theta *G.Node) *G.Node) (*gorgonia.Target, error) {
	n, d := x.Dims()
	g := G.NewGraph()
	data := G.NewMatrix(g, G.Float64, G.WithName("data"), G.WithShape(n, d),
		G.WithValue(tensor.New(tensor.WithShape(n, d),
			tensor.WithBacking(mat.DenseCopyOf(x).RawMatrix().Data))))
	alpha := G.NewScalar(g, G.Float64, G.WithName("alpha"))
	theta := G.NewVector(g, G.Float64, G.WithName("theta"), G.WithShape(params))
	held := G.NewVector(g, G.Float64, G.WithName("theta held"), G.WithShape(params))
	z, u, logits := latents(g, "soft", d, k, alpha)
	zHeld, v, logitsHeld := latents(g, "hard", d, k, alpha)
	soft := adjacency(g, "soft", d, softSample(logits, u))
	hard := adjacency(g, "hard", d, hardSample(logitsHeld, v))
	stream := func(purpose models.Purpose) func(step, particle int) uint64 {
		return func(step, particle int) uint64 {
			return models.StreamSeed(seed, purpose, step, particle)
		}
	}
	return gorgonia.NewTarget(gorgonia.TargetConfig{
		Particles: particles, Samples: samples,
		Blocks: []*G.Node{z, theta}, Held: map[*G.Node]int{zHeld: 0, held: 1},
		Steps: map[*G.Node]func(int) float64{alpha: func(step int) float64 {
			return rate * float64(step)
		}},
		Noise: map[*G.Node]func(step, particle int) uint64{u: stream(models.SoftGraphs),
			v: stream(models.HardGraphs)},
	}, terms(data, soft, held), terms(data, hard, theta), logPrior(z, logits, k, p))
}

// pairOf is the cell of pair p in a d×d matrix.
func pairOf(d, p int) int {
	for j := 1; j < d; j++ {
		if p < j {
			return p*d + j
		}
		p -= j
	}
	panic("no such pair")
}

// constant is a matrix of ones where on says so.
func constant(g *G.ExprGraph, name string, rows, cols int, on func(i, j int) bool) *G.Node {
	values := make([]float64, rows*cols)
	for e := range values {
		if on(e/cols, e%cols) {
			values[e] = 1
		}
	}
	return G.NewMatrix(g, G.Float64, G.WithName(name), G.WithShape(rows, cols),
		G.WithValue(tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(values))))
}

// both makes the target of a model from gorgonia's operations and by models.NewTOBAC.
func both(hidden, d, particles, samples int) (*gorgonia.Target, *models.TOBAC, error) {
	const edge, rate, k, seed = 0.4, 0.05, 3, 11
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	x := mat.NewDense(12, d, normals(rng, 12*d))
	var likelihood models.Likelihood
	terms := linear
	var err error
	if hidden > 0 {
		terms = network(hidden)
		likelihood, err = models.NewFeedForward(x, nil,
			models.FeedForwardOptions{NoiseVariance: noiseVariance, Hidden: []int{hidden}})
	} else {
		likelihood, err =
			models.NewLinear(x, nil, models.LinearOptions{NoiseVariance: noiseVariance})
	}
	if err != nil {
		return nil, nil, err
	}
	tobac, err := models.NewTOBAC(likelihood, models.TOBACConfig{Particles: particles,
		Samples: samples, Rank: k, AlphaRate: rate, Prior: models.ErdosRenyi(edge),
		Seed: seed})
	if err != nil {
		return nil, nil, err
	}
	target, err := written(x, likelihood.ParamLen(), k, particles, samples, edge, rate, seed, terms)
	return target, tobac, err
}

// TestTOBAC: scores of the graph written with gorgonia are those of models.NewTOBAC, and
// SVGD moves the particles to the same places.
func TestTOBAC(t *testing.T) {
	for _, c := range []struct {
		name                             string
		hidden, d, particles, samples, n int
	}{
		{"linear", 0, 4, 4, 8, 1000}, {"network", 3, 4, 3, 4, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			target, tobac := must.Two(both(c.hidden, c.d, c.particles, c.samples))(t)
			defer target.Close()
			defer tobac.Close()
			x, y := tobac.Init(), tobac.Init()
			want, got := tobac.Init(), tobac.Init()
			for _, step := range []int{1, 7, 40} {
				must.Do(t, tobac.Score(want, x, step))
				must.Do(t, target.Score(got, x, step))
				for b := range want {
					compare(t, fmt.Sprintf("step %d, score of block %d", step, b),
						got[b].RawMatrix().Data, want[b].RawMatrix().Data, 1e-12)
				}
			}
			if testing.Short() {
				c.n = 30
			}
			theirs, ours := svgd.Sampler{Target: tobac}, svgd.Sampler{Target: target}
			for step := range c.n {
				must.Do(t, theirs.Step(x, step))
				must.Do(t, ours.Step(y, step))
			}
			for b := range x {
				compare(t, fmt.Sprintf("after %d steps, block %d", c.n, b), y[b].RawMatrix().Data,
					x[b].RawMatrix().Data, 1e-9)
			}
		})
	}
}

// BenchmarkTOBAC is the gradient of all particles and samples: imported and compiled, and on
// gorgonia's TapeMachine, which runs the graph for one particle and one sample at a time.
func BenchmarkTOBAC(b *testing.B) {
	const d, k, particles, samples = 10, 9, 30, 16
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(100, d, normals(rng, 100*d))
	b.Run("engine=compiled", func(b *testing.B) {
		target := must.Get(written(x, d*d, k, particles, samples, 0.4, 0.05, 1, linear))(b)
		defer target.Close()
		at := []*mat.Dense{mat.NewDense(particles, (d-1)*k*2, normals(rng, particles*(d-1)*k*2)),
			mat.NewDense(particles, d*d, normals(rng, particles*d*d))}
		score := []*mat.Dense{mat.DenseCopyOf(at[0]), mat.DenseCopyOf(at[1])}
		for b.Loop() {
			must.Do(b, target.Score(score, at, 3))
		}
	})
	b.Run("engine=tape", func(b *testing.B) {
		g := G.NewGraph()
		data := G.NewMatrix(g, G.Float64, G.WithName("data"), G.WithShape(100, d),
			G.WithValue(tensor.New(tensor.WithShape(100, d),
				tensor.WithBacking(x.RawMatrix().Data))))
		theta := G.NewVector(g, G.Float64, G.WithName("theta"), G.WithShape(d*d))
		z, u, logits := latents(g, "soft", d, k, G.NewConstant(0.15))
		terms := linear(data, adjacency(g, "soft", d, softSample(logits, u)), theta)
		must.Get(G.Grad(G.Must(G.Add(G.Must(G.Sum(terms)), logPrior(z, logits, k, 0.4))), z,
			theta))(b)
		for _, leaf := range []*G.Node{z, u, theta} {
			values := normals(rng, leaf.Shape().TotalSize())
			for e := range values {
				values[e] = 0.5 + 0.1*values[e]
			}
			must.Do(b, G.Let(leaf, tensor.New(tensor.WithShape(leaf.Shape()...),
				tensor.WithBacking(values))))
		}
		m := G.NewTapeMachine(g)
		defer m.Close()
		for b.Loop() {
			for range particles * samples {
				must.Do(b, m.RunAll())
				m.Reset()
			}
		}
	})
}

// The linear model of TOBAC, written with gorgonia's operations, is a target of SVGD, with
// the scores of models.NewTOBAC.
func ExampleNewTarget() {
	target, tobac, err := both(0, 4, 4, 8)
	if err != nil {
		log.Fatal(err)
	}
	defer target.Close()
	defer tobac.Close()
	x, score, want := tobac.Init(), tobac.Init(), tobac.Init()
	if err := target.Score(score, x, 5); err != nil {
		log.Fatal(err)
	}
	if err := tobac.Score(want, x, 5); err != nil {
		log.Fatal(err)
	}
	for b := range score {
		score[b].Sub(score[b], want[b])
		fmt.Println("block", b, "agrees to 1e-12:", mat.Max(score[b]) < 1e-12*mat.Norm(want[b], 2))
	}
	sampler := svgd.Sampler{Target: target}
	for step := range 10 {
		if err := sampler.Step(x, step); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// block 0 agrees to 1e-12: true
	// block 1 agrees to 1e-12: true
}
