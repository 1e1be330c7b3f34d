package exact_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"
)

// firstRows are the first 100 rows of the first d columns of the Sachs data, all 853
// rows standardised with divisor n−1.
func firstRows(t *testing.T, d int) *mat.Dense {
	t.Helper()
	table, _ := must.Two(dataset.Sachs())(t)
	n, _ := table.X.Dims()
	x := mat.NewDense(100, d, nil)
	for j := range d {
		mean, square := 0.0, 0.0
		for r := range n {
			mean += table.X.At(r, j) / float64(n)
		}
		for r := range n {
			square += (table.X.At(r, j) - mean) * (table.X.At(r, j) - mean) / float64(n-1)
		}
		for r := range 100 {
			x.Set(r, j, (table.X.At(r, j)-mean)/math.Sqrt(square))
		}
	}
	return x
}

// Values of baselines.md, section 18: "Exact posterior, first 100 rows", found there by
// enumeration with another program. They have 8 decimals for probabilities, 10 for
// logarithms.
func TestGoldenPosterior(t *testing.T) {
	choose := func(n, k int) float64 {
		c := 1.0
		for i := range k {
			c *= float64(n-i) / float64(i+1)
		}
		return c
	}
	priors := map[string]func(d, size int) float64{
		"uniform":          func(int, int) float64 { return 0 },
		"fair as released": func(d, size int) float64 { return -math.Log(choose(d, size)) },
		"fair":             func(d, size int) float64 { return -math.Log(choose(d-1, size)) },
	}
	tests := []struct {
		d        int
		prior    string
		log      float64
		expected float64 // number of edges
		edges    map[[2]int]float64
	}{
		{3, "uniform", -412.7736307496, 1.2113364405,
			map[[2]int]float64{{0, 1}: .49989311, {1, 0}: .50010689, {0, 2}: .05578731,
				{2, 0}: .04846843, {1, 2}: .05730668, {2, 1}: .04977402}},
		{4, "uniform", -548.1944497014, 1.6914735682, map[[2]int]float64{{0, 1}: .49649392,
			{2, 3}: .16167212, {3, 2}: .16104655, {3, 0}: .05882205}},
		{5, "uniform", -623.7057193120, 3.2203655777, map[[2]int]float64{{0, 1}: .49421781,
			{3, 4}: .46866252, {4, 3}: .53133654, {4, 2}: .28014528, {2, 4}: .18226333}},
		{3, "fair as released", -413.9894294335, 1.1076309542,
			map[[2]int]float64{{0, 1}: .50016453, {0, 2}: .02090776}},
		{4, "fair as released", -550.0995437184, 1.2673395024,
			map[[2]int]float64{{0, 1}: .49557342, {2, 3}: .05525302}},
		{5, "fair as released", -627.9708987746, 2.4992630190,
			map[[2]int]float64{{0, 1}: .49383595, {3, 4}: .49591875}},
		{3, "fair", -413.5088924314, 1.1774129463,
			map[[2]int]float64{{0, 1}: .5003713, {0, 2}: .0310596}},
		{4, "fair", -549.7068594792, 1.3714670884,
			map[[2]int]float64{{0, 1}: .4931971, {2, 3}: .07188841}},
		{5, "fair", -627.3803160892, 2.6346445360,
			map[[2]int]float64{{0, 1}: .49164625, {3, 4}: .49687963}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%d %s", test.d, test.prior), func(t *testing.T) {
			bge := must.Get(score.NewBGe(firstRows(t, test.d), nil,
				score.BGeOptions{Scale: score.Raw}))(t)
			s := score.NewFunc(test.d, func(j int, parents []int) float64 {
				return bge.LogScore(j, parents) + priors[test.prior](test.d, len(parents))
			})
			_, o := posterior(t, s, score.Uniform(test.d), exact.Options{})
			g := graphs(t, o)
			edges := g.Edges()
			nearNumber(t, "log evidence", g.LogEvidence(), test.log, 2e-10)
			nearNumber(t, "expected number of edges", mat.Sum(edges), test.expected, 1e-9)
			for e, want := range test.edges {
				nearNumber(t, fmt.Sprintf("P(%d → %d)", e[0], e[1]), edges.At(e[0], e[1]), want,
					1e-8)
			}
		})
	}
}

// manyDigits is Σ_G Π_j e^{q(j, pa_j)−c} by the recursion of Tian and He in numbers of
// 256 bits, for graphs without the edges without[j], a mask, to j.
func manyDigits(q [][]float64, without []int) *big.Float {
	d := len(q)
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(256).SetFloat64(x) }
	a := make([][]*big.Float, d)
	for j := range a {
		a[j] = make([]*big.Float, 1<<d)
		top := math.Inf(-1)
		for _, v := range q[j] {
			top = max(top, v)
		}
		for m := range a[j] {
			if a[j][m] = number(0); m>>j&1 == 0 && m&without[j] == 0 {
				a[j][m] = number(math.Exp((q[j][m] - top) / 8)) // which is in range
				for range 3 {
					a[j][m].Mul(a[j][m], a[j][m])
				}
			}
		}
		for bit := 1; bit < 1<<d; bit *= 2 {
			for m := range a[j] {
				if m&bit != 0 {
					a[j][m].Add(a[j][m], a[j][m&^bit])
				}
			}
		}
	}
	h := make([]*big.Float, 1<<d)
	h[0] = number(1)
	product := make([]*big.Float, 1<<d) // of A_k(T) over k in S
	for set := 1; set < 1<<d; set++ {
		h[set] = number(0)
	}
	for set := range h {
		outside := 1<<d - 1 - set
		product[0] = number(1).Neg(h[set])
		for s := (0 - outside) & outside; s != 0; s = (s - outside) & outside {
			k := bits.TrailingZeros(uint(s))
			product[s] = number(0).Mul(product[s&(s-1)], a[k][set])
			product[s].Neg(product[s])
			h[set|s].Add(h[set|s], product[s])
		}
	}
	return h[1<<d-1]
}

// Rounding costs the sums with signs next to nothing at 11 variables: against numbers
// of 256 bits. Scores around −1000 have an ulp of 1e-13, which is common to both.
func TestGraphsInManyDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	const d = 9
	bge := sachs(t)
	scorers := map[string]score.Scorer{
		"Sachs":     score.NewFunc(d, bge.LogScore),
		"random":    randomTable(d, -700, 2, 3),
		"undecided": randomTable(d, 0, 1e-3, 4),
	}
	for name, s := range scorers {
		for kind, prior := range map[string]*score.Prior{"fair": score.Fair(d),
			"uniform": score.Uniform(d)} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				q := make([][]float64, d)
				for j := range q {
					q[j] = make([]float64, 1<<d)
					for m := range q[j] {
						if q[j][m] = math.Inf(-1); m>>j&1 == 0 {
							q[j][m] = s.LogScore(j, members(m)) + prior.LogPrior(j, members(m))
						}
					}
				}
				_, o := posterior(t, s, prior, exact.Options{})
				g := graphs(t, o).Edges()
				whole := manyDigits(q, make([]int, d))
				for _, edge := range [][2]int{{0, 1}, {1, 0}, {3, 4}, {8, 2}} {
					without := make([]int, d)
					without[edge[1]] = 1 << edge[0]
					ratio, _ := new(big.Float).Quo(manyDigits(q, without), whole).Float64()
					nearNumber(t, fmt.Sprintf("P(%d → %d)", edge[0], edge[1]),
						g.At(edge[0], edge[1]), 1-ratio, 1e-12)
				}
			})
		}
	}
}
