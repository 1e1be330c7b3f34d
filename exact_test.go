package tobac_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/inference"
	"tobac/internal/must"
	"tobac/internal/scoretest"
	"tobac/models"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// enumerated is a posterior by a sum over all acyclic graphs.
type enumerated struct {
	edges    *mat.Dense
	mean, sd *mat.Dense // of the weights where the edge is there
	evidence float64
	density  float64 // posterior mean of the edges per node of the prior
}

// enumerate sums over all graphs of the list, hypotheses and priors. Each prior is
// normalised over the graphs, and all are equally probable.
func enumerate(graphs []*dag.Graph, hypotheses []sem.Hypothesis, priors []*score.Prior,
	densities []float64) enumerated {
	d := graphs[0].Len()
	logScore := func(g *dag.Graph, q func(j int, parents []int) float64) float64 {
		sum := 0.0
		for j := range d {
			sum += q(j, g.Parents(j))
		}
		return sum
	}
	type term struct {
		graph   *dag.Graph
		h       sem.Hypothesis
		density float64
		log     float64
	}
	var terms []term
	var logs []float64
	for k, p := range priors {
		var normal []float64
		for _, g := range graphs {
			normal = append(normal, logScore(g, p.LogPrior))
		}
		z := floats.LogSumExp(normal)
		for _, h := range hypotheses {
			for m, g := range graphs {
				v := logScore(g, h.Scores.LogScore) + normal[m] - z +
					h.LogWeight - math.Log(float64(len(priors)))
				terms, logs = append(terms, term{g, h, densities[k], v}), append(logs, v)
			}
		}
	}
	out := enumerated{edges: mat.NewDense(d, d, nil), mean: mat.NewDense(d, d, nil),
		sd: mat.NewDense(d, d, nil), evidence: floats.LogSumExp(logs)}
	for _, t := range terms {
		w := math.Exp(t.log - out.evidence)
		out.density += w * t.density
		for j := range d {
			parents := t.graph.Parents(j)
			for a, i := range parents {
				out.edges.Set(i, j, out.edges.At(i, j)+w)
				if s, ok := t.h.Scores.(score.Weighted); ok {
					q := s.Equation(j, parents)
					out.mean.Set(i, j, out.mean.At(i, j)+w*q.Mean[a])
					out.sd.Set(i, j, out.sd.At(i, j)+w*(q.Mean[a]*q.Mean[a]+q.Cov.At(a, a)))
				}
			}
		}
	}
	out.mean.DivElem(out.mean, out.edges)
	out.sd.DivElem(out.sd, out.edges)
	out.sd.Apply(func(i, j int, v float64) float64 {
		return math.Sqrt(v - out.mean.At(i, j)*out.mean.At(i, j))
	}, out.sd)
	return out
}

// settled are the hypotheses without those in the units of the data, if the others have
// the greater evidence.
func settled(all []sem.Hypothesis, evidence func([]sem.Hypothesis) float64) []sem.Hypothesis {
	var in, free []sem.Hypothesis
	for _, h := range all {
		if h.InUnits {
			in = append(in, h)
		} else {
			free = append(free, h)
		}
	}
	if len(in) > 0 && len(free) > 0 && evidence(in) <= evidence(free) {
		return free
	}
	return all
}

// numbersOfEdges are those per node that the documentation says are averaged over.
func numbersOfEdges(d int) []float64 {
	most := float64(d-1) / 4
	var all []float64
	for _, e := range []float64{0.25, 0.5, 1, 2} {
		if e < most {
			all = append(all, e)
		}
	}
	return append(all, min(most, 2))
}

// Up to four variables the exact engine is the sum over all graphs: probabilities,
// evidence, and the number of edges that the data support, for every model and family
// of priors. What is more than twelve nats behind is left out, at most e⁻¹² of the sum.
func TestExactIsTheSumOverGraphs(t *testing.T) {
	most := 4
	if testing.Short() {
		most = 3
	}
	for d := 2; d <= most; d++ {
		data := weak(20, d, uint64(d))
		graphs := scoretest.Graphs(d)
		if want := map[int]int{2: 3, 3: 25, 4: 543}[d]; len(graphs) != want {
			t.Fatalf("%d graphs on %d variables, want %d", len(graphs), d, want)
		}
		sparse := func(e float64) *score.Prior {
			return must.Get(score.Sparse(d, e))(t)
		}
		probabilities := mat.NewDense(d, d, nil)
		probabilities.Apply(func(i, j int, _ float64) float64 { return float64(1+i+2*j) / 12 },
			probabilities)
		edgewise := must.Get(score.EdgeProbabilities(d, probabilities.At))(t)
		fixed := 0.3 * float64(d-1)
		var mixed []*score.Prior
		for _, e := range numbersOfEdges(d) {
			mixed = append(mixed, sparse(e))
		}
		byDefault := min(2, float64(d-1)/4)
		for _, row := range []struct {
			name      string
			prior     background.Prior
			sum       []*score.Prior
			densities []float64
		}{
			{"number of edges averaged over", background.Prior{}, mixed, numbersOfEdges(d)},
			{"number of edges fixed", background.Prior{EdgesPerNode: fixed},
				[]*score.Prior{sparse(fixed)}, []float64{fixed}},
			{"fair", background.Prior{Kind: background.Fair}, []*score.Prior{score.Fair(d)},
				[]float64{byDefault}},
			{"scale-free", background.Prior{Kind: background.ScaleFree},
				[]*score.Prior{score.ScaleFree(d)}, []float64{byDefault}},
			{"uniform", background.Prior{Kind: background.Uniform},
				[]*score.Prior{score.Uniform(d)}, []float64{byDefault}},
			{"probabilities", background.Prior{Probabilities: probabilities},
				[]*score.Prior{edgewise}, []float64{byDefault}},
		} {
			for _, model := range []sem.Model{sem.Linear{NoiseVariance: 0.7}, sem.Linear{},
				sem.BGe{}, sem.BGe{AlphaLambda: 7}, sem.BGe{Raw: true, AlphaMu: 2},
				sem.GaussianProcess{}} {
				t.Run(fmt.Sprintf("d=%d/%s/%v", d, row.name, model), func(t *testing.T) {
					res := fit(t, data, tobac.Config{Model: model, Prior: row.prior})
					hypotheses := must.Get(nodeScores(model).Hypotheses(context.Background(), data,
						row.sum[len(row.sum)-1], 1))(t)
					last := len(row.sum) - 1
					hypotheses = settled(hypotheses, func(h []sem.Hypothesis) float64 {
						return enumerate(graphs, h, row.sum[last:], row.densities[last:]).evidence
					})
					want := enumerate(graphs, hypotheses, row.sum, row.densities)
					tolerance := 1e-9
					if len(hypotheses)*len(row.sum) > 1 {
						tolerance = 1e-5 * float64(len(hypotheses)*len(row.sum))
					}
					if diff := largest(res.Probabilities, want.edges); !(diff <= tolerance) {
						t.Errorf("probabilities differ by up to %v:\n%.4f\nwant\n%.4f", diff,
							mat.Formatted(res.Probabilities), mat.Formatted(want.edges))
					}
					if _, ok := hypotheses[0].Scores.(score.Weighted); !ok {
						if res.WeightMean != nil {
							t.Error("there are weights of a model without linear equations")
						}
					} else if mean, sd := largest(res.WeightMean, want.mean),
						largest(res.WeightSD, want.sd); !(mean <= 1e-4 && sd <= 1e-4) {
						t.Errorf("mean weights differ by up to %v, standard deviations by %v", mean,
							sd)
					}
					if len(res.Evidence) != 1 ||
						!(math.Abs(res.Evidence[0].Log-want.evidence) <= tolerance) {
						t.Errorf("evidence %+v, want %v", res.Evidence, want.evidence)
					}
					if math.Abs(res.EdgesPerNode-want.density) > tolerance {
						t.Errorf("edges per node %v, want %v", res.EdgesPerNode, want.density)
					}
				})
			}
		}
	}
}

// Given an order the sum is over the graphs along it.
func TestExactAlongAnOrder(t *testing.T) {
	data := weak(20, 4, 9)
	order := []int{2, 0, 3, 1}
	graphs := slices.DeleteFunc(scoretest.Graphs(4), func(g *dag.Graph) bool {
		return !follows(g, order)
	})
	if len(graphs) != 64 {
		t.Fatalf("%d graphs along an order, want 64", len(graphs))
	}
	independent := func(e float64) *score.Prior {
		return must.Get(score.ErdosRenyi(4, 2*e/3))(t)
	}
	densities := numbersOfEdges(4)
	var mixed []*score.Prior
	for _, e := range densities {
		mixed = append(mixed, independent(e))
	}
	for _, row := range []struct {
		prior     background.Prior
		sum       []*score.Prior
		densities []float64
	}{
		{background.Prior{}, mixed, densities},
		{background.Prior{EdgesPerNode: 0.6}, []*score.Prior{independent(0.6)}, []float64{0.6}},
	} {
		for _, model := range []sem.Model{sem.Linear{NoiseVariance: 0.7}, sem.BGe{AlphaLambda: 7},
			sem.BGe{}} {
			res := fit(t, data,
				tobac.Config{Model: model, Prior: row.prior, Order: engine.Order{Known: order}})
			hypotheses :=
				must.Get(nodeScores(model).Hypotheses(context.Background(), data, nil, 1))(t)
			want := enumerate(graphs, hypotheses, row.sum, row.densities)
			if diff := largest(res.Probabilities, want.edges); !(diff <= 1e-4) ||
				len(row.sum)*len(hypotheses) == 1 && diff > 1e-9 {
				t.Errorf("%v: probabilities differ by up to %v", model, diff)
			}
			if math.Abs(res.Evidence[0].Log-want.evidence) > 1e-4 {
				t.Errorf("%v: evidence %v, want %v", model, res.Evidence[0].Log, want.evidence)
			}
			if !slices.Equal(res.Order(), order) {
				t.Errorf("order %v, want %v", res.Order(), order)
			}
		}
	}
}

// Draws follow the probabilities, within 4.5 standard errors of frequencies, twice
// that for the weights that make draws of orders those of graphs.
func TestExactDraws(t *testing.T) {
	data := weak(20, 4, 5)
	graphs := scoretest.Graphs(4)
	for _, model := range []sem.Model{sem.Linear{NoiseVariance: 1}, sem.BGe{}} {
		res := fit(t, data,
			tobac.Config{Model: model, Prior: background.Prior{Kind: background.Fair}, Seed: 3})
		shares := res.Frequencies()
		n := res.Empirical().EffectiveSampleSize()
		if len(res.Draws) != 1000 || n < 300 {
			t.Errorf("%v: %d draws, effectively %v", model, len(res.Draws), n)
		}
		hypotheses := must.Get(nodeScores(model).Hypotheses(context.Background(), data, nil, 1))(t)
		want := enumerate(graphs, hypotheses, []*score.Prior{score.Fair(4)}, []float64{0})
		for i := range 4 {
			for j := range 4 {
				p := want.edges.At(i, j)
				se := math.Sqrt(p*(1-p)/n) + 1e-12
				if got := shares.Probabilities.At(i, j); math.Abs(got-p) > 4.5*se {
					t.Errorf("%v: fraction of %d → %d is %.3f, want %.3f ± %.3f", model, i, j, got,
						p, se)
				}
			}
		}
		for k, d := range res.Draws {
			if !d.Graph.Acyclic() || d.Equations == nil {
				t.Fatalf("%v: draw %d: %v", model, k, d.Graph.Edges())
			}
		}
	}
}

// Neither the unit of a column nor its origin changes a probability, with any model that has
// a noise variance for each equation, and any engine.
func TestUnitsChangeNothing(t *testing.T) {
	data := noisy(t)
	for name, cfg := range map[string]tobac.Config{
		"exact":          {Model: sem.BGe{}},
		"given an order": {Model: sem.BGe{}, Order: engine.Order{Known: []int{0, 1, 2, 3, 4}}},
		"particles under an order": {Order: engine.Order{Known: []int{0, 1, 2, 3, 4}},
			Engine: &small},
		"particles": {Model: sem.Linear{Unequal: true},
			Order: engine.Order{Known: []int{4, 2, 0, 3, 1}}, Engine: &small},
		"networks": {Model: sem.FeedForward{},
			Order: engine.Order{Known: []int{0, 1, 2, 3, 4}}, Engine: &small},
		"DiBS": {Engine: &stein.DiBS{SVGD: stein.SVGD{Particles: 5, Samples: 8,
			Steps: 10}}},
	} {
		want := fit(t, data, cfg)
		scaled := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
		factor := []float64{1e-6, 1, 1e3, 1e6, -1e2}
		shift := []float64{0, 5, -3e3, 1e6, 7}
		if want.Kind == posterior.Particles {
			// the initial weights of particles have signs that do not follow those of the columns
			factor[4] = 1e2
		}
		scaled.X.Apply(func(_, j int, v float64) float64 { return factor[j]*v + shift[j] },
			scaled.X)
		got := fit(t, scaled, cfg)
		if diff := largest(got.Probabilities, want.Probabilities); !(diff <= 1e-7) {
			t.Errorf("%s: probabilities differ by up to %v", name, diff)
		}
		for i := range 5 {
			for j := range 5 { // weights change with the units
				if want.WeightMean == nil {
					continue
				}
				g, w := got.WeightMean.At(i, j), want.WeightMean.At(i, j)*factor[j]/factor[i]
				if !(math.Abs(g-w) <= 1e-6*math.Abs(w)) && !math.IsNaN(g) {
					t.Errorf("%s: mean weight of %d → %d is %v, want %v", name, i, j, g, w)
				}
			}
		}
	}
}

// Without a model the evidence decides: data with one noise variance are taken as
// linear with equal variances in their own units, and not once they are standardised.
// What is chosen has the largest evidence, and its posterior is the one that it has
// alone.
func TestEvidenceChoosesTheModel(t *testing.T) {
	raw := chain(t, 100).Train
	scaled := standardised(t, raw)
	for _, row := range []struct {
		name string
		data *dataset.Table
		want sem.Model
	}{{"raw", raw, sem.Linear{}}, {"standardised", scaled, sem.BGe{}}} {
		t.Run(row.name, func(t *testing.T) {
			res := fit(t, row.data, tobac.Config{Seed: 7})
			if res.Config.Model != row.want || res.Model != row.want.String() || res.Reason == "" {
				t.Errorf("model %v because %q, want %v; evidence %+v", res.Config.Model, res.Reason,
					row.want, res.Evidence)
			}
			best, _ := inference.BestTwo(res.Evidence)
			if best.Model != res.Model || len(res.Evidence) < 3 {
				t.Errorf("model %s of the evidences %+v", res.Model, res.Evidence)
			}
			alone := fit(t, row.data, tobac.Config{Seed: 7, Model: row.want})
			sameDraws(t, res.Posterior, alone.Posterior)
			if alone.Evidence[0] != best {
				t.Errorf("evidence %+v alone, %+v compared", alone.Evidence[0], best)
			}
		})
	}
}

// naiveMarginal is log p(D|G) of the linear model without intercept by its
// definition: column j is normal with covariance σ²I + X_pa X_paᵀ.
func naiveMarginal(x *mat.Dense, g *dag.Graph, variance float64) float64 {
	n, d := x.Dims()
	total := 0.0
	for j := range d {
		c := mat.NewSymDense(n, nil)
		for r := range n {
			for s := r; s < n; s++ {
				v := 0.0
				for _, i := range g.Parents(j) {
					v += x.At(r, i) * x.At(s, i)
				}
				if r == s {
					v += variance
				}
				c.SetSym(r, s, v)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(c) {
			return math.NaN()
		}
		y := mat.NewVecDense(n, mat.Col(nil, j, x))
		var solved mat.VecDense
		if err := chol.SolveVecTo(&solved, y); err != nil {
			return math.NaN()
		}
		total -= 0.5 * (float64(n)*math.Log(2*math.Pi) + chol.LogDet() + mat.Dot(y, &solved))
	}
	return total
}

// The evidence is the marginal likelihood by its definition, not only the sum of
// the module's own scores: for the linear model by covariance matrices, for BGe by the
// likelihood that SVGD samples.
func TestEvidenceByDefinition(t *testing.T) {
	data := weak(14, 3, 6)
	graphs := scoretest.Graphs(3)
	bge := must.Get(models.NewBGe(data.X, nil, models.BGeOptions{}))(t)
	_, byBGe := must.Two(models.LogJoint(bge, graphs, nil))(t)
	var byLinear []float64
	for _, g := range graphs {
		byLinear = append(byLinear, naiveMarginal(data.X, g, 0.8))
	}
	for _, row := range []struct {
		model sem.Model
		logs  []float64
	}{{sem.Linear{NoiseVariance: 0.8, NoIntercept: true}, byLinear}, {sem.BGe{Raw: true}, byBGe}} {
		want := floats.LogSumExp(row.logs) - math.Log(float64(len(graphs)))
		res := fit(t, data,
			tobac.Config{Model: row.model, Prior: background.Prior{Kind: background.Uniform}})
		if got := res.Evidence[0].Log; !near(got, want) {
			t.Errorf("%v: evidence %v, want %v", row.model, got, want)
		}
	}
}
