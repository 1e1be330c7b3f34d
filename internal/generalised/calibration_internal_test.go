package generalised

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/nodescore"
)

var long = flag.Bool("long", false, "draw 1500 tables of each mixture of kinds instead of 15")

// drawColumn draws a column of a kind from the prior of its equation, given columns.
func drawColumn(v Variable, parents []covariates, n int, rng *rand.Rand) []float64 {
	var columns [][]float64
	var variance []float64
	curved := rng.IntN(2) == 1
	for _, p := range parents {
		columns, variance = append(columns, p.straight...), append(variance, p.straightV...)
		if curved {
			columns, variance = append(columns, p.curved...), append(variance, p.curvedV...)
		}
	}
	weights := map[dataset.Kind][]float64{dataset.Real: normalWeights,
		dataset.Positive: normalWeights, dataset.Proportion: normalWeights,
		dataset.Count: logWeights}[v.Kind]
	if weights == nil {
		weights = logitWeights
	}
	tau2 := weights[rng.IntN(len(weights))]
	f := &Function{form: ofNormal, constants: []float64{rng.NormFloat64(), 1}}
	of := func(v float64) float64 { return v }
	switch v.Kind {
	case dataset.Positive:
		switch rng.IntN(3) {
		case 0:
			of = func(v float64) float64 { return 1e3 + v }
		case 1:
			of = math.Exp
		case 2:
			shape := shapePrior.mean + shapePrior.sd*rng.NormFloat64()
			g := gamma{level: normalPrior{0, levelSD}}
			f.form, f.family, f.constants = formOf(g), g, []float64{rng.NormFloat64(), shape}
			weights = logWeights
			tau2 = weights[rng.IntN(len(weights))]
		}
	case dataset.Proportion:
		if of = sigmoid; rng.IntN(2) == 0 {
			of = func(v float64) float64 { return 0.5 + v/1e4 }
		}
	case dataset.Binary, dataset.Categorical, dataset.Ordered:
		p, sum := make([]float64, v.Levels), 0.0
		for k := range p {
			p[k] = rng.ExpFloat64()
			sum += p[k]
		}
		f.values = v.values()
		if v.Kind == dataset.Ordered {
			f.family, f.constants = ordinal{v.Levels}, []float64{0}
			below := 0.0
			for _, q := range p[:v.Levels-1] {
				below += q / sum
				f.constants = append(f.constants, math.Log(below)-math.Log1p(-below))
			}
		} else {
			f.family, f.constants = newSoftmax(v.Levels), make([]float64, v.Levels-1)
			if v.Levels == 2 {
				f.constants[0] = math.Log(p[1] / p[0])
			} else {
				for l, q := range p {
					for a := range f.constants {
						f.constants[a] += f.family.(softmax).contrast[l*(v.Levels-1)+
							a] * math.Log(q)
					}
				}
			}
		}
	case dataset.Count:
		c := newCounted(0, rng.IntN(2) == 1, rng.IntN(2) == 1)
		f.family, f.constants = c, []float64{1 + 0.7*rng.NormFloat64()}
		if c.dispersed {
			f.constants = append(f.constants, sizePrior.mean+sizePrior.sd*rng.NormFloat64())
		}
		if c.excess {
			f.constants = append(f.constants, excessPrior.mean+excessPrior.sd*rng.NormFloat64())
		}
		f.form = formOf(c)
	}
	loaded := 1
	if f.family != nil {
		loaded = 0
		for _, q := range f.family.predictors() {
			if q.parents {
				loaded++
			}
		}
	}
	y, eta := make([]float64, n), make([][]float64, n)
	for i := range eta {
		eta[i] = append([]float64(nil), f.constants...)
	}
	for k, column := range columns {
		for q := range loaded {
			b := math.Sqrt(tau2*variance[k]) * rng.NormFloat64()
			for i, x := range column {
				eta[i][q] += b * x
			}
		}
	}
	for i := range y {
		switch {
		case f.family == nil:
			y[i] = of(eta[i][0] + rng.NormFloat64())
		case v.Kind == dataset.Count:
			y[i] = min(f.quantile(eta[i], rng.NormFloat64()), 1e6)
		case v.Kind == dataset.Positive:
			y[i] = max(f.quantile(eta[i], rng.NormFloat64()), 1e-300)
		default:
			y[i] = distuv.NewCategorical(f.levels(nil, eta[i]), rng).Rand()
		}
	}
	return y
}

// Of graphs and tables drawn from the prior, edges have the frequencies of their probabilities: the
// error, averaged over five groups of equal size, is at most 0.02 over 1500 tables of each mixture,
// and 0.14 over 15, where chance alone leaves 0.07.
func TestCalibration(t *testing.T) {
	tables, most := 15, 0.14
	if *long {
		tables, most = 1500, 0.02
	}
	const n, d = 60, 3
	var graphs [][d][]int // parents
	for code := range 1 << 6 {
		pairs := [6][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 0}, {2, 0}, {2, 1}}
		var g [d][]int
		reach := [d][d]bool{}
		for k, e := range pairs {
			if code>>k&1 == 1 {
				g[e[1]] = append(g[e[1]], e[0])
				reach[e[0]][e[1]] = true
			}
		}
		for k := range d {
			for i := range d {
				for j := range d {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		if !reach[0][0] && !reach[1][1] && !reach[2][2] {
			for j := range g {
				if len(g[j]) == 2 && g[j][0] > g[j][1] {
					g[j][0], g[j][1] = g[j][1], g[j][0]
				}
			}
			graphs = append(graphs, g)
		}
	}
	binary, category := Variable{Kind: dataset.Binary, Levels: 2},
		Variable{Kind: dataset.Categorical, Levels: 3}
	ordered, count, number := Variable{Kind: dataset.Ordered, Levels: 4},
		Variable{Kind: dataset.Count}, Variable{}
	positive, part := Variable{Kind: dataset.Positive}, Variable{Kind: dataset.Proportion}
	for name, all := range map[string][]Variable{
		"numbers and a category": {number, category, number},
		"a binary and a count":   {number, binary, count},
		"ordered and a category": {ordered, number, category},
		"counts":                 {count, count, ordered},
		"amounts and a part":     {positive, part, positive},
		"an amount and a level":  {positive, ordered, binary},
	} {
		rng := rand.New(rand.NewPCG(11, 3))
		var said, there []float64
		for range tables {
			g := graphs[rng.IntN(len(graphs))]
			x, made := mat.NewDense(n, d, nil), [d]bool{}
			covariate := make([]covariates, d)
			for made != [d]bool{true, true, true} {
				for j := range d {
					var given []covariates
					ready := !made[j]
					for _, i := range g[j] {
						given = append(given, covariate[i])
						ready = ready && made[i]
					}
					if ready {
						y := drawColumn(all[j], given, n, rng)
						x.SetCol(j, y)
						covariate[j], made[j] = newCovariates(y, all[j]), true
					}
				}
			}
			s := must.Get(New(x, nil, all, Options{Base: nodescore.NewPool(d)}))(t)
			logs := make([]float64, len(graphs))
			for k, h := range graphs {
				for j := range d {
					logs[k] += s.fitted(j, h[j])
				}
			}
			total := floats.LogSumExp(logs)
			for i := range d {
				for j := range d {
					if i == j {
						continue
					}
					p := 0.0
					for k, h := range graphs {
						for _, a := range h[j] {
							if a == i {
								p += math.Exp(logs[k] - total)
							}
						}
					}
					in := 0.0
					for _, a := range g[j] {
						if a == i {
							in = 1
						}
					}
					said, there = append(said, p), append(there, in)
				}
			}
		}
		stat.SortWeighted(said, there)
		const groups = 5
		off := 0.0
		for k := range groups {
			from, to := k*len(said)/groups, (k+1)*len(said)/groups
			off += math.Abs(stat.Mean(said[from:to], nil)-stat.Mean(there[from:to], nil)) / groups
			t.Logf("%s: said %.3f, there %.3f of %d", name, stat.Mean(said[from:to], nil),
				stat.Mean(there[from:to], nil), to-from)
		}
		t.Logf("%s: error %.3f", name, off)
		if off > most {
			t.Errorf("%s: calibration error %.3f over %d tables, want at most %v", name, off,
				tables, most)
		}
	}
}
