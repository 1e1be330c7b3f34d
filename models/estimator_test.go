package models_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tobac/autograd/gradtest"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// testedLikelihoods are one of each kind for the same data with interventions, one
// variable being left without rows.
func testedLikelihoods(t *testing.T, seed uint64, n, d int) map[string]models.Likelihood {
	t.Helper()
	rng := newRand(seed)
	x, mask := mat.NewDense(n, d, normals(rng, n*d)), maskGroups(n, d)
	linear := must.Get(models.NewLinear(x, mask, models.LinearOptions{NoiseVariance: 1}))(t)
	network := must.Get(models.NewFeedForward(x, mask,
		models.FeedForwardOptions{NoiseVariance: 1, Hidden: []int{2}, Activation: models.Tanh}))(t)
	return map[string]models.Likelihood{"linear": linear, "feed-forward": network,
		"BGe": newBGe(t, x, mask, models.BGeOptions{})}
}

// settings are the priors and embeddings that a target is tested with; the edge
// prior fixes three edges.
func settings(t *testing.T, d int) map[string]models.TOBACConfig {
	t.Helper()
	p := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			p.Set(i, j, (1+float64(i)+2*float64(j))/(2+3*float64(d)))
		}
	}
	p.Set(0, 1, 1)
	p.Set(0, 2, 0)
	p.Set(1, 3, 0)
	edges := must.Get(models.NewEdgePrior(p))(t)
	return map[string]models.TOBACConfig{
		"TOBAC, Erdős–Rényi": {Prior: models.ErdosRenyi(0.3)},
		"TOBAC, edges":       {Prior: edges},
		"DiBS, scale free": {Prior: models.ScaleFree(), Embedding: models.AllPairs,
			Penalty: models.Penalty{Rate: 0.7, Samples: 3}},
		"DiBS, edges": {Prior: edges, Embedding: models.AllPairs, Rank: 2},
	}
}

// everyTarget calls f for each likelihood, prior, embedding and estimator.
func everyTarget(t *testing.T, cfg models.TOBACConfig,
	f func(t *testing.T, target *models.TOBAC, cfg models.TOBACConfig, x []*mat.Dense)) {
	const n, d = 7, 4
	for lik, l := range testedLikelihoods(t, 91, n, d) {
		for name, s := range settings(t, d) {
			for _, e := range []models.Estimator{models.NodeWise, models.Joint} {
				t.Run(fmt.Sprintf("%s/%s/%v", lik, name, e), func(t *testing.T) {
					s.Particles, s.Samples, s.AlphaRate, s.Tau = 2, 4, 0.4, cfg.Tau
					s.Estimator, s.Gradient, s.Seed = e, cfg.Gradient, 92
					target := newTOBAC(t, l, s)
					f(t, target, s, target.Init())
				})
			}
		}
	}
}

func arguments(o models.Objective, x []*mat.Dense, variable int) []gradtest.Argument {
	var args []gradtest.Argument
	for b, n := range o.Blocks {
		args = append(args,
			gradtest.Argument{Node: n, Values: x[b].RawMatrix().Data, Fixed: b != variable})
	}
	for i, n := range o.Fixed {
		args = append(args, gradtest.Argument{Node: n, Values: o.Values[i], Fixed: true})
	}
	return args
}

// TestTargetsAreDifferentiable finite-differences the whole target of every
// likelihood, prior, embedding and estimator, on the compiled and the reference
// engine, with interventions: Z through soft graphs, Θ at hard ones, the penalty
// of cycles. Noise is held fixed, so the estimates are functions.
func TestTargetsAreDifferentiable(t *testing.T) {
	const step = 3
	everyTarget(t, models.TOBACConfig{Tau: 1.5},
		func(t *testing.T, target *models.TOBAC, _ models.TOBACConfig, x []*mat.Dense) {
			for k, o := range target.Objectives(step) {
				variable := 0
				if k == 1 && len(x) == 2 {
					variable = 1 // Θ, at hard graphs, which have no derivative
				}
				if err := gradtest.CheckGraph(o.Y, arguments(o, x, variable),
					gradtest.Options{Directions: 3}); err != nil {
					t.Errorf("objective %d: %v", k, err)
				}
			}
		})
}

// A latentTwin computes, for one particle, what the expressions of Z do, by
// loops over pairs.
type latentTwin struct {
	d, k  int
	all   bool // every ordered pair
	z     []float64
	alpha float64
	probs []float64 // d×d edge probabilities
}

// eachPair calls f with the cell of the graph and the indices of u and v.
func (v *latentTwin) eachPair(f func(cell, i, j int)) {
	for i := range v.d {
		for j := range v.d {
			switch {
			case v.all && i != j:
				f(i*v.d+j, i, j)
			case !v.all && i < j:
				f(i*v.d+j, i, j-1)
			}
		}
	}
}

// contract adds to dz the gradient of a function of the scores with derivatives
// c at the cells, but for fixed edges.
func (v *latentTwin) contract(dz, c []float64) {
	u := func(i, l int) int { return (i*v.k + l) * 2 }
	v.eachPair(func(cell, i, j int) {
		if p := v.probs[cell]; p == 0 || p == 1 {
			return
		}
		for l := range v.k {
			dz[u(i, l)] += c[cell] * v.z[u(j, l)+1]
			dz[u(j, l)+1] += c[cell] * v.z[u(i, l)]
		}
	})
}

// scoreFunctionWeights are the weights of ∇ log p(G_s|Z), one vector for each
// child: softmax weights, less the mean weight of the other samples.
func scoreFunctionWeights(terms []float64, samples, d int, e models.Estimator,
	g models.Gradient) [][]float64 {
	w := make([][]float64, d)
	for j := range w {
		l := make([]float64, samples)
		for s := range l {
			l[s] = terms[s*d+j]
			if e == models.Joint {
				l[s] = floats.Sum(terms[s*d:][:d])
			}
		}
		w[j], _ = softmax(l)
		if g == models.ScoreFunctionLOO {
			for s, x := range w[j] {
				w[j][s] = x - (1-x)/float64(samples-1)
			}
		}
	}
	return w
}

// priorSlope is ∂ log p_graph/∂g at the edge probabilities.
func priorSlope(prior models.GraphPrior, d int, probs []float64) []float64 {
	out := make([]float64, d*d)
	if p, ok := prior.(models.FixedEdges); ok {
		for e := range out {
			q := p.EdgeProbabilities().At(e/d, e%d)
			out[e] = math.Log(q / (1 - q))
		}
	} else if p, ok := prior.(models.ModularPrior); ok && p == models.ScaleFree() {
		copy(out, scaleFreeSlope(probs))
	} else if ok {
		odds := math.Exp(p.Term(d, 0, []int{1}) - p.Term(d, 0, nil))
		copy(out, erdosRenyiSlope(odds/(1+odds))(probs))
	}
	return out
}

// TestScoreFunctionIsWeightedSum compares the score of Z with the equations:
// c_ij = α Σ_s w_s (G_s − p) contracted with Z, the Gaussian and the graph prior,
// and for DiBS the penalty −β mean_s ∂h/∂G τ α g(1−g) with ∂h/∂G = ((I+G/d)^(d−1))ᵀ.
func TestScoreFunctionIsWeightedSum(t *testing.T) {
	const step, d = 3, 4
	for _, gradient := range []models.Gradient{models.ScoreFunction, models.ScoreFunctionLOO} {
		t.Run(gradient.String(), func(t *testing.T) {
			everyTarget(t, models.TOBACConfig{Gradient: gradient, Tau: 1.3},
				func(t *testing.T, target *models.TOBAC, cfg models.TOBACConfig, x []*mat.Dense) {
					got := score(t, target, x, step)[0]
					blocks := [][]float64{x[0].RawMatrix().Data}
					if len(x) == 2 {
						blocks = append(blocks, x[1].RawMatrix().Data)
					}
					drawn := must.Get(target.Samples(blocks, step))(t)
					var penalised []float64
					all := cfg.Embedding == models.AllPairs
					if all {
						penalised = must.Get(target.PenaltyGraphsAt(blocks[0], step))(t)
					}
					_, width := x[0].Dims()
					rows := d - 1
					if all {
						rows = d
					}
					for m := range cfg.Particles {
						v := latentTwin{d: d, k: width / 2 / rows, all: all, z: x[0].RawRowView(m),
							alpha: target.Alpha(step), probs: drawn.EdgeProbs[m*d*d:][:d*d]}
						want := make([]float64, width)
						for i, z := range v.z {
							want[i] = -z * float64(v.k)
						}
						c := priorSlope(cfg.Prior, d, v.probs)
						for e, q := range v.probs {
							c[e] *= v.alpha * q * (1 - q)
						}
						w := scoreFunctionWeights(drawn.Terms[m*cfg.Samples*d:], cfg.Samples, d,
							cfg.Estimator, cfg.Gradient)
						for s := range cfg.Samples {
							for e, g := range drawn.Graphs[(m*cfg.Samples+s)*d*d:][:d*d] {
								c[e] += v.alpha * w[e%d][s] * (g - v.probs[e])
							}
						}
						for s := 0; penalised != nil &&
							s < len(penalised)/(d*d*cfg.Particles); s++ {
							samples := len(penalised) / (d * d * cfg.Particles)
							g := penalised[(m*samples+s)*d*d:][:d*d]
							slope := acyclicitySlope(g, d)
							beta := cfg.Penalty.Rate * step
							if beta == 0 {
								beta = step
							}
							for e, soft := range g {
								c[e] -= beta /
									float64(samples) * slope[e] * cfg.Tau * v.alpha * soft * (1 -
									soft)
							}
						}
						v.contract(want, c)
						check(t, fmt.Sprintf("particle %d", m), got.RawRowView(m), want, 1e-12)
					}
				})
		})
	}
}

// forcedGraphs makes hard samples the graphs of a list: particle m draws the
// graphs list[m].
type forcedGraphs struct {
	d    int
	list [][][]float64 // particle, sample, d×d
}

func (n forcedGraphs) Fill(dst []float64, _ models.Purpose, _, particle int) {
	s := len(n.list[particle])
	for e, cell := range pairCells(n.d) {
		for k, g := range n.list[particle] {
			dst[e*s+k] = 1 - g[cell] // 0 is below every probability, 1 above
		}
	}
}

// TestScoreFunctionExpectations lists all 8 graphs on three variables, and all
// 64 and 512 pairs and triples of them as samples, so that expectations of the
// estimators are exact. ∇ log p(G|Z) has mean 0; therefore
//
//	E[leave-one-out] = S/(S−1) E[plain],
//
// and both approach the exact gradient α(E[G|D] − p) as S grows, the
// leave-one-out estimate faster.
func TestScoreFunctionExpectations(t *testing.T) {
	const d = 3
	lik := newBGe(t, mat.NewDense(3, d, normals(newRand(95), 3*d)), nil, models.BGeOptions{})
	z := normals(newRand(96), (d-1)*(d-1)*2)
	var all [][]float64
	for list := allGraphs(d); len(list) > 0; list = list[d*d:] {
		all = append(all, list[:d*d])
	}
	exactTarget := newTOBAC(t, lik, models.TOBACConfig{Particles: 1, Samples: 1, AlphaRate: 1,
		Prior: models.UniformPrior(), Gradient: models.ScoreFunction})
	drawn := must.Get(exactTarget.Samples([][]float64{z}, 1))(t)
	twin := latentTwin{d: d, k: d - 1, z: z, alpha: 1, probs: drawn.EdgeProbs}
	prob := func(g []float64) float64 {
		p := 1.0
		twin.eachPair(func(cell, _, _ int) { p *= 1 - math.Abs(g[cell]-twin.probs[cell]) })
		return p
	}
	exact, evidence, c := make([]float64, len(z)), 0.0, make([]float64, d*d)
	for _, g := range all {
		w := prob(g) * math.Exp(floats.Sum(bgeTerms(t, lik, g)))
		evidence += w
		floats.AddScaled(c, w, g)
	}
	floats.Scale(1/evidence, c)
	floats.Sub(c, twin.probs)
	twin.contract(exact, c)
	distance := map[models.Gradient][]float64{}
	for _, s := range []int{2, 3} {
		tuples := [][][]float64{{}}
		for range s {
			var longer [][][]float64
			for _, tuple := range tuples {
				for _, g := range all {
					longer = append(longer, append(slices.Clone(tuple), g))
				}
			}
			tuples = longer
		}
		mean := map[models.Gradient][]float64{}
		for _, gradient := range []models.Gradient{models.ScoreFunction, models.ScoreFunctionLOO} {
			target := newTOBAC(t, lik, models.TOBACConfig{
				Particles: len(tuples), Samples: s, AlphaRate: 1, Estimator: models.Joint,
				Gradient: gradient,
				Prior:    models.UniformPrior(), Noise: forcedGraphs{d, tuples},
			})
			got := score(t, target, []*mat.Dense{repeat(z, len(tuples))}, 1)[0]
			sum := make([]float64, len(z))
			for m, tuple := range tuples {
				p := 1.0
				for _, g := range tuple {
					p *= prob(g)
				}
				floats.AddScaled(sum, p, got.RawRowView(m))
			}
			floats.AddScaled(sum, float64(d-1), z) // less the Gaussian prior's −k·Z
			mean[gradient] = sum
			distance[gradient] = append(distance[gradient], floats.Distance(sum, exact, 2))
		}
		want := slices.Clone(mean[models.ScoreFunction])
		floats.Scale(float64(s)/float64(s-1), want)
		check(t, fmt.Sprintf("S=%d: expectation of the leave-one-out estimate", s),
			mean[models.ScoreFunctionLOO], want, 1e-13)
	}
	for gradient, dist := range distance {
		if !(dist[1] < dist[0]) {
			t.Errorf("%v: distance of the expectation from the exact gradient %v for S = 2, 3, "+
				"want it to fall", gradient, dist)
		}
	}
	if plain, loo := distance[models.ScoreFunction],
		distance[models.ScoreFunctionLOO]; !(loo[0] < plain[0] && loo[1] < plain[1]) {
		t.Errorf("distances from the exact gradient: plain %v, leave-one-out %v, want less", plain,
			loo)
	}
}

// softless is a likelihood that is defined for zeros and ones only.
type softless struct{ models.Likelihood }

func (softless) HardOnly() bool { return true }

// TestHardOnly asserts that a likelihood without a soft form is refused by the
// gradient that needs one, and works with the others.
func TestHardOnly(t *testing.T) {
	lik := softless{testedLikelihoods(t, 98, 5, 3)["linear"]}
	cfg := models.TOBACConfig{Particles: 1, Samples: 2, Prior: models.UniformPrior()}
	_, err := models.NewTOBAC(lik, cfg)
	checkError(t, "reparameterised", err, "models: TOBAC: the likelihood is defined for graphs "+
		"without soft edges only; use the score-function gradient")
	for _, cfg.Gradient = range []models.Gradient{models.ScoreFunction, models.ScoreFunctionLOO} {
		newTOBAC(t, lik, cfg)
	}
}

// TestEveryTargetDoesNotAllocate allows nothing after the first call, whatever
// the likelihood, the embedding and the gradient, and asserts equal bits for any
// number of workers, for a repeated call, and for calls with other steps in between, which leave
// the particles as they were.
func TestEveryTargetDoesNotAllocate(t *testing.T) {
	for name, lik := range testedLikelihoods(t, 99, 8, 4) {
		for _, cfg := range []models.TOBACConfig{
			{}, {Tau: 2, Estimator: models.Joint}, {Gradient: models.ScoreFunction},
			{Gradient: models.ScoreFunctionLOO, Estimator: models.Joint},
			{Embedding: models.AllPairs, Estimator: models.Joint},
			{Embedding: models.AllPairs, Gradient: models.ScoreFunction},
		} {
			t.Run(fmt.Sprintf("%s/%v/%v/embedding=%d", name, cfg.Gradient, cfg.Estimator,
				cfg.Embedding), func(t *testing.T) {
				cfg.Particles, cfg.Samples, cfg.Prior = 5, 16,
					models.ErdosRenyi(0.3)
				var want []*mat.Dense
				for _, cfg.Workers = range []int{1, 2, 8} {
					target := newTOBAC(t, lik, cfg)
					x := target.Init()
					dst := score(t, target, x, 5)
					if want == nil {
						want = dst
					}
					score(t, target, x, 6)
					again, before := score(t, target, x, 5), target.Init()
					for b := range dst {
						if !mat.Equal(dst[b], want[b]) || !mat.Equal(again[b], want[b]) {
							t.Errorf("block %d differs between 1 and %d workers, or in the second "+
								"call", b, cfg.Workers)
						}
						if !mat.Equal(x[b], before[b]) {
							t.Errorf("%d workers: Score changed block %d of the particles",
								cfg.Workers, b)
						}
					}
					allocs := testing.AllocsPerRun(10, func() {
						must.Do(t, target.Score(dst, x, 5))
					})
					if allocs != 0 && !raceEnabled { // the race detector allocates
						t.Errorf("%d workers: %v allocations per call, want 0", cfg.Workers, allocs)
					}
				}
			})
		}
	}
}
