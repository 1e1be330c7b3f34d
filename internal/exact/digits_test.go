package exact_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"tobac/internal/exact"
	"tobac/score"
)

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
