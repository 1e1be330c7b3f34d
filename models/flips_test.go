package models_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/dag"
	"tobac/internal/likelihoods"
	"tobac/internal/must"
	"tobac/models"
	"tobac/schedule"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// everyGraph is noise under which sample s of d variables with edge probabilities of ½ is graph s
// of all: the frequencies of the samples are their probabilities.
type everyGraph struct{ pairs int }

func (e everyGraph) Fill(dst []float64, _ models.Purpose, _, _ int) {
	n := 1 << e.pairs
	for p := range e.pairs {
		for s := range n {
			dst[p*n+s] = 0.75 - 0.5*float64(s>>p&1)
		}
	}
}

// noisyScores are node scores that are anything, some of them far apart.
func noisyScores(d int) *likelihoods.NodeScores {
	return likelihoods.NewNodeScores(d, func(j int, parents []int) float64 {
		v := float64(j)
		for k, i := range parents {
			v += 3 * math.Sin(float64((k+2)*(i+1)*(j+3)))
		}
		return v * v / 3
	})
}

// The score of a set of parents is computed once, wherever these stand in the order.
func TestNodeScoresAreKept(t *testing.T) {
	const d = 4
	calls := 0
	value := func(j int, parents []int) float64 {
		v := 1 + 10*float64(j)
		for _, i := range parents {
			v += math.Ldexp(1, -i)
		}
		return v
	}
	s := likelihoods.NewNodeScores(d, func(j int, parents []int) float64 {
		calls++
		return value(j, parents)
	})
	for range 2 {
		for j := range d {
			for set := range 1 << d {
				var parents []int
				for i := range d {
					if set>>i&1 == 1 {
						parents = append(parents, i)
					}
				}
				if set>>j&1 == 0 && s.At(j, parents) != value(j, parents) {
					t.Errorf("score of %d with %v: %v, want %v", j, parents, s.At(j, parents),
						value(j, parents))
				}
			}
		}
	}
	if want := d << (d - 1); calls != want {
		t.Errorf("%d scores were computed, want %d", calls, want)
	}
}

// exactFlips is ∂/∂logit of Σ_j ln E[f_j e^{ln ρ_j}] at the probabilities p, by enumeration of the
// parents of every child.
func exactFlips(d int, p func(i, j int) float64,
	term func(j int, parents []int) float64) *mat.Dense {
	out := mat.NewDense(d, d, nil)
	for j := range d {
		total, with := 0.0, make([]float64, j)
		for set := range 1 << j {
			var parents []int
			weight := 1.0
			for i := range j {
				if set>>i&1 == 1 {
					parents, weight = append(parents, i), weight*p(i, j)
				} else {
					weight *= 1 - p(i, j)
				}
			}
			f := weight * math.Exp(term(j, parents))
			total += f
			for _, i := range parents {
				with[i] += f
			}
		}
		for i, w := range with {
			out.Set(i, j, w/total-p(i, j))
		}
	}
	return out
}

// Over all graphs, each as often as it is probable, flips are the derivative of the exact log-mean.
func TestFlipsAreTheDerivativeOverAllGraphs(t *testing.T) {
	for _, d := range []int{3, 4} {
		pairs := d * (d - 1) / 2
		prior, lik := models.ErdosRenyi(0.3), noisyScores(d)
		want := exactFlips(d, func(int, int) float64 {
			return 0.5
		}, func(j int, parents []int) float64 {
			return lik.At(j, parents) + prior.Term(d, j, parents)
		})
		for _, l := range []models.Likelihood{lik, voluminous{lik}} {
			target, err := models.NewTOBAC(l, models.TOBACConfig{Particles: 1, Samples: 1 << pairs,
				Gradient: models.Flips, Latents: models.NormalScores,
				PriorPlace:     models.PriorInside,
				EdgeParameters: models.LaplaceEdges, Prior: prior, Alpha: schedule.Constant(2),
				Noise: everyGraph{pairs}})
			if err != nil {
				t.Fatal(err)
			}
			defer target.Close()
			x, got := []*mat.Dense{mat.NewDense(1, pairs, nil)},
				[]*mat.Dense{mat.NewDense(1, pairs, nil)}
			must.Do(t, target.Score(got, x, 0))
			at := 0
			for j := range d {
				for i := range j {
					if g, w := got[0].At(0, at), 2*want.At(i, j); !(math.Abs(g-w) <= 1e-12) {
						t.Errorf("%T, d = %d, edge %d → %d: gradient %.15g, want %.15g", l, d, i, j,
							g, w)
					}
					at++
				}
			}
		}
	}
}

// voluminous are node scores of which a part is called the volume of edges.
type voluminous struct{ *likelihoods.NodeScores }

func (v voluminous) Flipper() models.Flipper { return volumes{v.NodeScores.Flipper()} }

type volumes struct{ models.Flipper }

func (v volumes) Terms(dst []models.Term, j int, in []bool, flips []int) {
	v.Flipper.Terms(dst, j, in, flips)
	in = slices.Clone(in)
	move := func(to *models.Term) {
		for i, has := range in {
			if has {
				to.Data, to.Volume = to.Data-0.3*float64(i+1), to.Volume+0.3*float64(i+1)
			}
		}
	}
	move(&dst[0])
	for k, i := range flips {
		in[i] = !in[i]
		move(&dst[1+k])
		in[i] = !in[i]
	}
}

// With graphs given, the gradients of flippers are those of expressions.
func TestParameterTargetAgainstExpressions(t *testing.T) {
	x, mask, all := integratedCases(t)
	rng := rand.New(rand.NewPCG(3, 9))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		lik := must.Get(models.NewIntegrated(x, mask, all[name]))(t)
		if lik.Flipper() == nil {
			continue
		}
		graphs := []*dag.Graph{dag.New(4), dag.New(4), dag.New(4)}
		for _, e := range []dag.Edge{{From: 0, To: 1}, {From: 0, To: 3}, {From: 2, To: 3}} {
			graphs[1].Set(e.From, e.To, true)
			graphs[2].Set(e.From, 3, true)
		}
		theta := mat.NewDense(len(graphs), lik.ParamLen(), nil)
		theta.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, theta)
		var scores []*mat.Dense
		for _, l := range []models.Likelihood{lik, hidden{lik}} {
			target := must.Get(models.NewParameterTarget(l, graphs, models.Options{Workers: 2}))(t)
			defer target.Close()
			score := mat.NewDense(len(graphs), lik.ParamLen(), nil)
			must.Do(t, target.Score([]*mat.Dense{score}, []*mat.Dense{theta}, 0))
			scores = append(scores, score)
			if err := target.Score([]*mat.Dense{score},
				[]*mat.Dense{mat.NewDense(2, lik.ParamLen(), nil)}, 0); err == nil {
				t.Errorf("%s: parameters of two graphs instead of three: no error", name)
			}
		}
		if !mat.EqualApprox(scores[0], scores[1], 1e-8) {
			t.Errorf("%s: got\n%.6v\nwant, by expressions,\n%.6v", name, mat.Formatted(scores[0]),
				mat.Formatted(scores[1]))
		}
		one := must.Get(models.NewParameterTarget(lik, graphs[1:2], models.Options{}))(t)
		score := mat.NewDense(1, lik.ParamLen(), nil)
		if err := one.Score([]*mat.Dense{score},
			[]*mat.Dense{theta.Slice(1, 2, 0, lik.ParamLen()).(*mat.Dense)}, 0); err != nil ||
			!slices.Equal(score.RawRowView(0), scores[0].RawRowView(1)) {
			t.Errorf("%s: gradient of one graph %v, %v, want %v", name, score.RawRowView(0), err,
				scores[0].RawRowView(1))
		}
		break // TestFlippersAgainstExpressions has the others
	}
}

// At other probabilities the estimates approach the derivative as samples grow: the error of 40,000
// is below 0.02, five of its standard deviations (at most ½ divided by the root of their number,
// doubled for the ratio).
func TestFlipsApproachTheDerivative(t *testing.T) {
	const d, samples, alpha = 4, 40000, 1.5
	lik := noisyScores(d)
	target := must.Get(models.NewTOBAC(lik, models.TOBACConfig{Particles: 1, Samples: samples,
		Gradient: models.Flips, Latents: models.LogisticScores, PriorPlace: models.PriorInside,
		Prior: models.UniformPrior(), Alpha: schedule.Constant(alpha), Seed: 3}))(t)
	defer target.Close()
	x := target.Init()
	got := []*mat.Dense{mat.NewDense(1, 6, nil)}
	must.Do(t, target.Score(got, x, 0))
	z := x[0].RawRowView(0)
	place := func(i, j int) int { return j*(j-1)/2 + i }
	want := exactFlips(d, func(i, j int) float64 {
		return 1 / (1 + math.Exp(-alpha*z[place(i, j)]))
	}, lik.At)
	for j := range d {
		for i := range j {
			p := place(i, j)
			// with the derivative of the logistic prior
			w := alpha*want.At(i, j) - math.Tanh(z[p]/2)
			if g := got[0].At(0, p); !(math.Abs(g-w) <= 0.02*alpha) {
				t.Errorf("edge %d → %d: gradient %.4f, want %.4f", i, j, g, w)
			}
		}
	}
}

// hidden is a likelihood of which expressions evaluate the flips.
type hidden struct{ models.Likelihood }

// sameNoise draws the same numbers for all purposes.
type sameNoise struct{ models.Noise }

func (n sameNoise) Fill(dst []float64, _ models.Purpose, step, particle int) {
	n.Noise.Fill(dst, models.SoftGraphs, step, particle)
}

// Likelihoods evaluate flips and gradients as expressions do, with knowledge and a tempered
// likelihood.
func TestFlippersAgainstExpressions(t *testing.T) {
	x, mask, all := integratedCases(t)
	likelihoods := map[string]models.Likelihood{"node scores": noisyScores(4)}
	for name, opt := range all {
		lik := must.Get(models.NewIntegrated(x, mask, opt))(t)
		if lik.Flipper() != nil {
			likelihoods[name] = lik
		}
	}
	if len(likelihoods) != 6 {
		t.Fatalf("%d likelihoods evaluate flips, want 6", len(likelihoods))
	}
	edges := mat.NewDense(4, 4, []float64{0, 0.3, 1, 0.2, 0, 0, 0.6, 0, 0, 0, 0, 0.5, 0, 0, 0, 0})
	prior := must.Get(models.NewEdgePrior(edges))(t)
	for name, lik := range likelihoods {
		for latents := models.Factors; latents <= models.LogisticScores; latents++ {
			for place := models.PriorOutside; place <= models.PriorInside; place++ {
				if name != "node scores" &&
					(latents == models.NormalScores) != (place == models.PriorInside) {
					continue // each compiles a network
				}
				t.Run(fmt.Sprintf("%s, %v, %v", name, latents, place), func(t *testing.T) {
					cfg := models.TOBACConfig{Particles: 3, Samples: 6, Gradient: models.Flips,
						Latents: latents, PriorPlace: place, Prior: prior,
						Alpha: schedule.Constant(0.7), Temper: schedule.Constant(0.4), Seed: 5,
						Noise: sameNoise{models.SeededNoise(5)}}
					cfg.Workers = 2
					scores := make([][]*mat.Dense, 2)
					for k, l := range []models.Likelihood{lik, hidden{lik}} {
						target := must.Get(models.NewTOBAC(l, cfg))(t)
						defer target.Close()
						particles := target.Init()
						for _, b := range particles {
							r, c := b.Dims()
							scores[k] = append(scores[k], mat.NewDense(r, c, nil))
						}
						must.Do(t, target.Score(scores[k], particles, 4))
						if g := target.HardGraph(particles[0].RawRowView(0)); !g.Has(0, 2) ||
							g.Has(1, 3) {
							t.Errorf("graph %v breaks what the prior fixes", g.Edges())
						}
					}
					for b := range scores[0] {
						if !mat.EqualApprox(scores[0][b], scores[1][b], 1e-8) {
							t.Errorf("block %d: got\n%.6v\nwant, by expressions,\n%.6v", b,
								mat.Formatted(scores[0][b]), mat.Formatted(scores[1][b]))
						}
					}
				})
			}
		}
	}
}

// With whole graphs averaged, the flips of expressions are those of the joint mean: of two
// variables, one child, the same as node by node.
func TestFlipsOfWholeGraphs(t *testing.T) {
	var scores []*mat.Dense
	for _, e := range []models.Estimator{models.NodeWise, models.Joint} {
		target, err := models.NewTOBAC(noisyScores(2), models.TOBACConfig{Particles: 4, Samples: 5,
			Gradient: models.Flips, Latents: models.NormalScores, Estimator: e,
			PriorPlace: models.PriorInside,
			Prior:      models.ErdosRenyi(0.2), Alpha: schedule.Constant(1),
			Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer target.Close()
		s := mat.NewDense(4, 1, nil)
		must.Do(t, target.Score([]*mat.Dense{s}, target.Init(), 0))
		scores = append(scores, s)
	}
	if !mat.EqualApprox(scores[0], scores[1], 1e-12) {
		t.Errorf("node-wise %.9v, joint %.9v", mat.Formatted(scores[0]), mat.Formatted(scores[1]))
	}
}

// Without data, scores of edges leave p(G) as it is stated at every α: integrating the score of the
// only pair gives a density under which the edge has its prior probability.
func TestScoresOfEdgesLeaveThePrior(t *testing.T) {
	const n, reach, p = 4001, 30.0, 0.17
	for _, latents := range []models.Latents{models.NormalScores, models.LogisticScores} {
		for _, alpha := range []float64{0.01, 1, 40} {
			target, err := models.NewTOBAC(likelihoods.NewNodeScores(2, func(int, []int) float64 {
				return -3
			}), models.TOBACConfig{Particles: n, Samples: 1, Gradient: models.Flips,
				Latents:    latents,
				PriorPlace: models.PriorInside, Prior: models.ErdosRenyi(p),
				Alpha: schedule.Constant(alpha)})
			if err != nil {
				t.Fatal(err)
			}
			defer target.Close()
			z, score := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
			for k := range n {
				z.Set(k, 0, reach*(2*float64(k)/(n-1)-1))
			}
			must.Do(t, target.Score([]*mat.Dense{score}, []*mat.Dense{z}, 0))
			density, edge := make([]float64, n), make([]float64, n)
			for k := range density {
				if k > 0 {
					density[k] = density[k-1] + (score.At(k, 0)+score.At(k-1, 0))/2*2*reach/(n-1)
				}
				edge[k] = density[k] - math.Log1p((1-p)/p*math.Exp(-alpha*z.At(k, 0)))
			}
			// The trapezoidal rule with α = 40 crosses the slope at 0 in four points.
			if got := math.Exp(floats.LogSumExp(edge) -
				floats.LogSumExp(density)); !(math.Abs(got-p) <= 2e-3) {
				t.Errorf("%v, α = %v: the edge has probability %.4f, want %v", latents, alpha, got,
					p)
			}
		}
	}
}

// The terms of a prior sum to its log probability, and are the same as numbers.
func TestModularPriors(t *testing.T) {
	const d = 4
	edges := must.Get(models.NewEdgePrior(mat.NewDense(d, d,
		[]float64{0, 0.3, 1, 0.2, 0.7, 0, 0.6, 0, 0.1, 0.2, 0, 0.5, 0.4, 0.3, 0.2, 0})))(t)
	g := dag.New(d)
	for _, e := range []dag.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 0, To: 1},
		{From: 2, To: 3}} {
		g.Set(e.From, e.To, true)
	}
	for _, p := range []models.ModularPrior{models.ErdosRenyi(0.3),
		models.ScaleFree(), models.FairPrior(), models.UniformPrior(), edges} {
		values := priorAt(t, p, g)
		sum := 0.0
		for j := range d {
			if v := p.Term(d, j, g.Parents(j)); !(math.Abs(v-values[1+j]) <= 1e-12) {
				t.Errorf("%T: term %d is %v as a number, %v as an expression", p, j, v, values[1+j])
			}
			sum += values[1+j]
		}
		if !(math.Abs(sum-values[0]) <= 1e-12) {
			t.Errorf("%T: terms sum to %v, want %v", p, sum, values[0])
		}
	}
}

func TestFlipErrors(t *testing.T) {
	for name, c := range map[string]models.TOBACConfig{
		`unknown latents 7`: {
			Latents: 7},
		`unknown place of the graph prior 9`: {
			PriorPlace: 9},
		`unknown count of the parameters of edges 3`: {
			EdgeParameters: 3},
		`want one that is a product over variables: a ModularPrior`: {
			Gradient: models.Flips, PriorPlace: models.PriorInside,
			Prior: ownPrior{models.UniformPrior()}},
		`the likelihood is defined for graphs without soft edges only; use the score-funct`: {},
	} {
		if _, err := models.NewTOBAC(noisyScores(3), c); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("got error %v, want one with %q", err, name)
		}
	}
}

// ownPrior hides that a prior is modular.
type ownPrior struct{ models.GraphPrior }

// priorAt is the log probability of a graph and its terms.
func priorAt(t *testing.T, p models.ModularPrior, g *dag.Graph) []float64 {
	t.Helper()
	b, d := autograd.NewBuilder("prior"), g.Len()
	n := b.Input("g", autograd.Shape{d, d})
	out := evaluate(t, []*autograd.Node{n}, [][]float64{g.Matrix().RawMatrix().Data}, p.LogProb(n),
		p.Terms(n))
	return append(out[0], out[1]...)
}
