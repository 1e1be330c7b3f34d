package bench_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmat"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/internal/parallel"
	"tobac/metrics"
	"tobac/score"
	"tobac/sem"
)

// A replicate is a data set whose graph and weights are known, with its posterior.
type replicate struct {
	truth   *dag.Graph
	weights *mat.Dense // of the truth; nil means unknown
	*tobac.Result
}

// A generator draws graph, parameters and data from a model's prior.
type generator struct {
	name  string
	model sem.Model // that the exact engine is given
	// equation draws the intercept, the weights and the noise variance of a
	// variable with p parents out of d.
	equation func(rng *rand.Rand, p, d int) (intercept float64, weights []float64, variance float64)
}

// equalVariances is the prior of sem.Linear with a known noise variance.
var equalVariances = generator{
	name: "equal variances", model: sem.Linear{NoiseVariance: 0.5, NoIntercept: true},
	equation: func(rng *rand.Rand, p, _ int) (float64, []float64, float64) {
		weights := make([]float64, p)
		for k := range weights {
			weights[k] = rng.NormFloat64()
		}
		return 0, weights, 0.5
	},
}

// normalWishart is the prior of sem.BGe on raw columns, with α_μ = 1, α_λ = d+2 and
// T = ½·I: the equation of a variable given its parents is that of a normal distribution
// with μ ~ N(0, W⁻¹/α_μ) and the precision matrix W ~ Wishart(α_λ, T⁻¹), drawn anew for each
// variable, because the parameters of different variables are independent.
var normalWishart = generator{
	name: "BGe", model: sem.BGe{Raw: true},
	equation: func(rng *rand.Rand, p, d int) (float64, []float64, float64) {
		scale := mat.NewSymDense(d, nil)
		for j := range d {
			scale.SetSym(j, j, 2)
		}
		w, ok := distmat.NewWishart(scale, float64(d+2), rng)
		if !ok {
			panic("bench_test: a multiple of the identity is positive definite")
		}
		var precision, lower mat.Cholesky
		w.RandCholTo(&precision)
		covariance := new(mat.SymDense)
		if err := precision.InverseTo(covariance); err != nil {
			panic(err)
		}
		mu := make([]float64, d)
		if !lower.Factorize(covariance) {
			panic("bench_test: a covariance matrix is not positive definite")
		}
		var factor mat.TriDense
		lower.LTo(&factor)
		for i := range d {
			e := rng.NormFloat64()
			for j := i; j < d; j++ {
				mu[j] += factor.At(j, i) * e
			}
		}
		// The child is number p, its parents are those before.
		intercept, variance := mu[p], covariance.At(p, p)
		weights := make([]float64, p)
		if p > 0 {
			var b mat.VecDense
			cov := mat.NewVecDense(p, nil)
			for i := range p {
				cov.SetVec(i, covariance.At(i, p))
			}
			if err := b.SolveVec(covariance.SliceSym(0, p), cov); err != nil {
				panic(err)
			}
			for i := range p {
				weights[i] = b.AtVec(i)
				intercept -= weights[i] * mu[i]
				variance -= weights[i] * cov.AtVec(i)
			}
		}
		return intercept, weights, variance
	},
}

// drawGraph draws from the prior p(G) ∝ o^|G| over acyclic graphs: edges in both
// directions are independent, and what has a cycle is drawn again.
func drawGraph(rng *rand.Rand, d int, odds float64) *dag.Graph {
	for {
		g := dag.New(d)
		for i := range d {
			for j := range d {
				if i != j && rng.Float64() < odds/(1+odds) {
					g.Set(i, j, true)
				}
			}
		}
		if g.Acyclic() {
			return g
		}
	}
}

// simulate draws n rows of a linear model on g, and its weights, whose equations are
// drawn in topological order.
func simulate(rng *rand.Rand, g *dag.Graph, n int, equation func(p int) (intercept float64,
	weights []float64, variance float64)) (x, all *mat.Dense, err error) {
	order, err := g.TopologicalOrder()
	if err != nil {
		return nil, nil, err
	}
	x, all = mat.NewDense(n, g.Len(), nil), mat.NewDense(g.Len(), g.Len(), nil)
	for _, j := range order {
		parents := g.Parents(j)
		intercept, weights, variance := equation(len(parents))
		for a, i := range parents {
			all.Set(i, j, weights[a])
		}
		for row := range n {
			v := intercept + math.Sqrt(variance)*rng.NormFloat64()
			for a, i := range parents {
				v += weights[a] * x.At(row, i)
			}
			x.Set(row, j, v)
		}
	}
	return x, all, nil
}

// replicates draws data sets of n rows from the generator, and infers each posterior
// with the exact engine under the same model and prior.
func (m generator) replicates(t *testing.T, count, d, n int, edgesPerNode float64,
	seed uint64) []replicate {
	t.Helper()
	prior := must.Get(score.Sparse(d, edgesPerNode))(t)
	odds := math.Exp(prior.LogPrior(0, []int{1}) - prior.LogPrior(0, nil))
	all := make([]replicate, count)
	must.Do(t, parallel.For(context.Background(), count, runtime.GOMAXPROCS(0), func(k int) error {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		r := replicate{truth: drawGraph(rng, d, odds)}
		var x *mat.Dense
		var err error
		x, r.weights, err = simulate(rng, r.truth, n, func(p int) (float64, []float64, float64) {
			return m.equation(rng, p, d)
		})
		if err != nil {
			return err
		}
		table := &dataset.Table{X: x}
		for j := range d {
			table.Names = append(table.Names, string(rune('a'+j)))
		}
		r.Result, err = tobac.Fit(context.Background(), table, tobac.Config{
			Model: m.model, Engine: &sums.Exact{},
			Prior: background.Prior{EdgesPerNode: edgesPerNode}, Seed: seed + uint64(k),
		})
		all[k] = r
		return err
	}))
	return all
}

// reliability compares edge probabilities with the edges of the truths in ten bins of
// equal width: the sum of (edge − probability) in each bin over its standard
// error, which is that of independent data sets, since the edges of one are not
// independent; 0 for a bin with fewer than ten expected edges or gaps. error is the
// expected calibration error of all probabilities together.
func reliability(all []replicate) (z []float64, calibrationError float64) {
	const bins = metrics.CalibrationBins
	sum, squares, edges, gaps := make([]float64, bins), make([]float64, bins),
		make([]float64, bins), make([]float64, bins)
	entries := 0
	for _, r := range all {
		own := make([]float64, bins)
		d := r.truth.Len()
		for i := range d {
			for j := range d {
				if i == j {
					continue
				}
				p := r.Probabilities.At(i, j)
				b := min(int(p*bins), bins-1)
				own[b] -= p
				if r.truth.Has(i, j) {
					own[b]++
				}
				edges[b] += p
				gaps[b] += 1 - p
				entries++
			}
		}
		for b, v := range own {
			sum[b] += v
			squares[b] += v * v
		}
	}
	z = make([]float64, bins)
	for b := range z {
		calibrationError += math.Abs(sum[b]) / float64(entries)
		if edges[b] >= 10 && gaps[b] >= 10 {
			z[b] = sum[b] / math.Sqrt(squares[b])
		}
	}
	return z, calibrationError
}

// weightRanks are the ranks, scaled to (0, 1), of true weights among those of the
// draws that have the edge. Only edges with a posterior probability of at least a fifth
// count, which leaves their distribution as it is: given any data, the weight of an edge
// that the truth has follows its posterior.
func weightRanks(all []replicate) (ranks []float64) {
	for k, r := range all {
		rng := rand.New(rand.NewPCG(uint64(k), 99))
		log := make([]float64, len(r.Draws))
		for m, w := range r.Empirical().LogWeights {
			log[m] = w
		}
		for _, e := range r.truth.Edges() {
			if r.Probabilities.At(e.From, e.To) < 0.2 {
				continue
			}
			below, total, heaviest := 0.0, 0.0, 0.0
			for m, draw := range r.Draws {
				if !draw.Graph.Has(e.From, e.To) {
					continue
				}
				w := math.Exp(log[m])
				total += w
				heaviest = max(heaviest, w)
				if draw.Equations.Weights.At(e.From, e.To) < r.weights.At(e.From, e.To) {
					below += w
				}
			}
			ranks = append(ranks, (below+rng.Float64()*heaviest)/(total+heaviest))
		}
	}
	return ranks
}

// chiSquare is Pearson's statistic of uniformity in ten bins.
func chiSquare(u []float64) float64 {
	const bins = 10
	counts := make([]float64, bins)
	for _, v := range u {
		counts[min(int(v*bins), bins-1)]++
	}
	expected, sum := float64(len(u))/bins, 0.0
	for _, c := range counts {
		sum += (c - expected) * (c - expected) / expected
	}
	return sum
}

// Simulation-based calibration: where graph, parameters and data are drawn from the prior
// that the exact engine is given, of the edges with probability p the share p is true,
// and the ranks of true weights among the drawn ones are uniform. Bounds: 4 standard
// errors for each of at most ten bins (two in ten thousand tests by chance, for fixed
// seeds), and 27.9 for χ² of nine degrees of freedom (one in a thousand).
func TestSimulationBasedCalibration(t *testing.T) {
	for _, row := range []struct {
		generator
		count, d, n int
		edges       float64 // per node
		seed        uint64
	}{
		{equalVariances, 150, 4, 15, 1, 1},
		{normalWishart, 150, 4, 25, 1, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			all := row.replicates(t, row.count, row.d, row.n, row.edges, row.seed)
			z, calibrationError := reliability(all)
			t.Logf("%d sets of %d variables: standard scores of edges in bins %.2f, calibration "+
				"error %.4f", row.count, row.d, z, calibrationError)
			for b, v := range z {
				if !(math.Abs(v) <= 4) {
					t.Errorf("edges with probabilities around %.2f: %.1f standard errors from "+
						"calibrated", (float64(b)+0.5)/10, v)
				}
			}
			ranks := weightRanks(all)
			x := chiSquare(ranks)
			t.Logf("ranks of %d weights: χ² %.1f", len(ranks), x)
			if len(ranks) < 200 || !(x <= 27.9) {
				t.Errorf("ranks of %d weights: χ² %.1f of nine degrees of freedom, want at least "+
					"200 weights and at most 27.9", len(ranks), x)
			}
		})
	}
}

// simulations are data sets with 5 to 8 variables, 100 rows, one expected edge per
// node and the noise variance 0.1, with the posterior under a configuration. Weights are
// those of package dataset, at least ½ in size, or drawn from N(0, 1) as the model has them;
// columns are as they are, or scaled to variance 1.
func simulations(t *testing.T, count int, cfg tobac.Config, normal, standardise bool) []replicate {
	t.Helper()
	all := make([]replicate, count)
	must.Do(t, parallel.For(context.Background(), count, runtime.GOMAXPROCS(0), func(k int) error {
		seed := uint64(1000 + k)
		g, err := dataset.SimulateER(dataset.ERConfig{Vars: 5 + k%4, EdgesPerNode: 1, Seed: seed})
		if err != nil {
			return err
		}
		s, err := dataset.SimulateLinear(g, dataset.LinearConfig{Seed: seed})
		if err != nil {
			return err
		}
		table := s.Train
		if normal {
			rng := rand.New(rand.NewPCG(seed, 1))
			x, _, err := simulate(rng, g, 100, func(p int) (float64, []float64, float64) {
				weights := make([]float64, p)
				for k := range weights {
					weights[k] = rng.NormFloat64()
				}
				return 0, weights, 0.1
			})
			if err != nil {
				return err
			}
			table = &dataset.Table{Names: table.Names, X: x}
		}
		if standardise {
			if table, err = table.Standardize(); err != nil {
				return err
			}
		}
		cfg := cfg
		cfg.Seed = seed
		r, err := tobac.Fit(context.Background(), table, cfg)
		all[k] = replicate{truth: g, Result: r}
		return err
	}))
	return all
}

// The listed probabilities on simulated sets are what they say. Where the weights are drawn from
// N(0, 1), the calibration error of all probabilities is at most 0.02, although number of edges,
// noise variance and scale of the weights are unknown to the fit, and although on standardised
// columns nothing says any more that the noise variances were equal. Package dataset makes no
// weights between −½ and ½, so that absent edges look like weak ones to a model whose weights are
// normal: the error is then larger, all of it in probabilities below one half of edges that are
// absent, on raw columns, and its bound is what was measured on 2026-11-22 (raw 0.028, standardised
// 0.036; of the first 32 sets 0.032 and 0.052) and a fifth or less. The short test looks at 32 of
// the sets, and names the model that the default would choose; with -long all 200, and it chooses:
//
//	go test ./bench -run TestListedProbabilities -long -v
func TestListedProbabilitiesAreCalibrated(t *testing.T) {
	for _, row := range []struct {
		name                string
		normal, standardise bool
		model               sem.Model
		bound               float64
	}{
		{"normal weights, raw", true, false, sem.Linear{}, 0.02},
		{"normal weights, standardised", true, true, sem.BGe{}, 0.02},
		{"weights of package dataset, raw", false, false, sem.Linear{}, 0.035},
		{"weights of package dataset, standardised", false, true, sem.BGe{}, 0.055},
	} {
		t.Run(row.name, func(t *testing.T) {
			if !*long && !row.normal {
				t.Skip("weights of another prior, whose probabilities TestListedInOwnUnits " +
					"judges too: -long")
			}
			cfg, count := tobac.Config{Model: row.model}, 32
			if *long {
				cfg.Model, count = nil, 200
			}
			all := simulations(t, count, cfg, row.normal, row.standardise)
			z, calibrationError := reliability(all)
			models, eshd, surplus := map[string]int{}, 0.0, 0.0
			for _, r := range all {
				models[r.Config.Model.String()]++
				eshd += metrics.ESHDOfEdges(r.Probabilities, r.truth) / float64(len(all))
				surplus += (mat.Sum(r.Probabilities) - float64(r.truth.Size())) / float64(len(all))
			}
			t.Logf("calibration error %.4f, standard scores of edges in bins %.1f, models %v, "+
				"per set E-SHD %.2f and %.2f edges too many", calibrationError, z, models, eshd,
				surplus)
			if !(calibrationError <= row.bound) {
				t.Errorf("calibration error %.4f, want at most %v", calibrationError, row.bound)
			}
		})
	}
}
