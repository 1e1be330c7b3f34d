package score

import (
	"fmt"
	"math"
	"math/big"
	"sync"
)

// Sparse is the prior ln ρ_j(A) = |A| ln o whose odds o give acyclic graphs of d
// variables the expected number d·edgesPerNode of edges, each graph counted
// once. Along a known order, [ErdosRenyi] with the probability 2·edgesPerNode/(d−1)
// expects as many. It fails unless 0 < edgesPerNode < (d−1)/2.
func Sparse(d int, edgesPerNode float64) (*Prior, error) {
	if !(edgesPerNode > 0 && edgesPerNode < float64(d-1)/2) {
		return nil, fmt.Errorf("score: edges per node is %v with %d variables, want 0 < edges per node < %v", edgesPerNode, d, float64(d-1)/2)
	}
	type question struct {
		d     int
		edges float64
	}
	asked := question{d, float64(d) * edgesPerNode}
	odds, known := sparseOdds.Load(asked)
	if !known {
		odds = logOdds(asked.d, asked.edges)
		sparseOdds.Store(asked, odds)
	}
	q := newPrior(d)
	q.AddOdds(odds.(float64))
	return q, nil
}

// sparseOdds keeps the odds that were asked for: every model, table and part of a run asks for
// the same, and with 200 variables they take a second.
var sparseOdds sync.Map

// AddOdds adds c to odds(i, j) of every pair: it multiplies p(G) by e^c for
// each edge of G.
func (p *Prior) AddOdds(c float64) {
	for k := range p.size {
		p.size[k] += c * float64(k)
	}
}

// logOdds is ln o at which the expected number of edges is the given one, to nine
// digits: a root of ln(expected/edges), which grows with ln o, by the secant method
// with a bracket (the Illinois rule).
func logOdds(d int, edges float64) float64 {
	excess := func(logOdds float64) float64 { return math.Log(expectedEdges(d, logOdds) / edges) }
	pairs := float64(d*(d-1)) / 2
	// Along an order the odds would be edges/(pairs − edges); an edge of a pair that has two
	// directions needs down to half of that.
	high := math.Log(edges / (pairs - edges))
	low := high - math.Ln2
	above, below := excess(high), excess(low)
	for ; below > 0; below = excess(low) {
		low--
	}
	for ; above < 0; above = excess(high) {
		high++
	}
	for {
		x := (low*above - high*below) / (above - below)
		y := excess(x)
		if math.Abs(y) < 1e-9 {
			return x
		}
		if y > 0 {
			high, above = x, y
			below /= 2
		} else {
			low, below = x, y
			above /= 2
		}
	}
}

// expectedEdges is d ln a_d / d ln o of the weighted number of acyclic graphs
// (Robinson 1973),
//
//	a_n = Σ_{k=1..n} (−1)^{k+1} C(n,k) (1+o)^{k(n−k)} a_{n−k},   a_0 = 1,
//
// with o = e^logOdds. The sum alternates, and its terms exceed it by up to 2^n: it is
// computed with so many more bits, and its derivative along with it.
func expectedEdges(d int, logOdds float64) float64 {
	prec := uint(96 + 2*d)
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	odds := math.Exp(logOdds)
	base := num(1)
	base.Add(base, num(odds))
	growth := make([]*big.Float, d+1) // (1+o)^k
	growth[0] = num(1)
	for k := 1; k <= d; k++ {
		growth[k] = num(0)
		growth[k].Mul(growth[k-1], base)
	}
	a, slope := []*big.Float{num(1)}, []*big.Float{num(0)} // a_n and its derivative by ln o
	power := make([]*big.Float, d+1)                       // (1+o)^{k(n−k)}
	share := num(odds)                                     // derivative of ln(1+o) by ln o
	share.Quo(share, base)
	term, part, exponent := num(0), num(0), num(0)
	for n := 1; n <= d; n++ {
		power[n] = num(1)
		sum, sumSlope := num(0), num(0)
		choose := big.NewInt(1)
		for k := 1; k <= n; k++ {
			choose.Mul(choose, big.NewInt(int64(n-k+1)))
			choose.Quo(choose, big.NewInt(int64(k)))
			if k < n {
				power[k].Mul(power[k], growth[k])
			}
			term.SetInt(choose)
			term.Mul(term, power[k])
			if k%2 == 0 {
				term.Neg(term)
			}
			sum.Add(sum, part.Mul(term, a[n-k]))
			sumSlope.Add(sumSlope, part.Mul(part, exponent.Mul(share, num(float64(k*(n-k))))))
			sumSlope.Add(sumSlope, part.Mul(term, slope[n-k]))
		}
		a, slope = append(a, sum), append(slope, sumSlope)
	}
	e, _ := part.Quo(slope[d], a[d]).Float64()
	return e
}
