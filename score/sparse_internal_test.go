package score

import (
	"math"
	"math/big"
	"testing"
)

// alternatingEdges is the expected number of edges by the other sum of Robinson (1973),
//
//	a_n = Σ_{k=1..n} (−1)^{k+1} C(n,k) (1+o)^{k(n−k)} a_{n−k},   a_0 = 1,
//
// as d ln a_d / d ln o. It alternates, and its terms exceed it by up to 2^n: it is computed with so
// many more bits.
func alternatingEdges(d int, logOdds float64) float64 {
	prec := uint(96 + 2*d)
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	odds := math.Exp(logOdds)
	base := num(1)
	base.Add(base, num(odds))
	share := num(odds) // derivative of ln(1+o) by ln o
	share.Quo(share, base)
	a, slope := []*big.Float{num(1)}, []*big.Float{num(0)}
	for n := 1; n <= d; n++ {
		sum, sumSlope := num(0), num(0)
		for k := 1; k <= n; k++ {
			term := num(1)
			for range k * (n - k) {
				term.Mul(term, base)
			}
			term.Mul(term, num(0).SetInt(new(big.Int).Binomial(int64(n), int64(k))))
			if k%2 == 0 {
				term.Neg(term)
			}
			part := num(0).Mul(term, a[n-k])
			sum.Add(sum, part)
			sumSlope.Add(sumSlope, part.Mul(part, num(0).Mul(share, num(float64(k*(n-k))))))
			sumSlope.Add(sumSlope, part.Mul(term, slope[n-k]))
		}
		a, slope = append(a, sum), append(slope, sumSlope)
	}
	e, _ := num(0).Quo(slope[d], a[d]).Float64()
	return e
}

// Two sums over acyclic graphs agree, from next to no edges to next to all.
func TestExpectedEdges(t *testing.T) {
	for _, d := range []int{1, 2, 3, 7, 20, 45} {
		for _, logOdds := range []float64{-30, -8, -4, -2, 0, 3, 12} {
			got, want := expectedEdges(d, logOdds), alternatingEdges(d, logOdds)
			if !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("%d variables, log odds %v: %v expected edges, want %v", d, logOdds, got,
					want)
			}
		}
	}
}
