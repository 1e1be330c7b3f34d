package score

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// Sparse is the prior ln ρ_j(A) = |A| ln o whose odds o give acyclic graphs of d
// variables the expected number d·edgesPerNode of edges, each graph counted
// once. Along a known order, [ErdosRenyi] with the probability 2·edgesPerNode/(d−1)
// expects as many. It fails unless 0 < edgesPerNode < (d−1)/2.
func Sparse(d int, edgesPerNode float64) (*Prior, error) {
	if !(edgesPerNode > 0 && edgesPerNode < float64(d-1)/2) {
		return nil, fmt.Errorf("score: edges per node is %v with %d variables, want 0 < edges "+
			"per node < %v", edgesPerNode, d, float64(d-1)/2)
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
// the same, and with 1,000 variables they take seconds.
var sparseOdds sync.Map

// logOdds is ln o at which the expected number of edges is the given one, to eleven
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
	for before := 0.0; ; {
		x := (low*above - high*below) / (above - below)
		y := excess(x)
		if math.Abs(y) < 1e-11 {
			return x
		}
		again := y*before > 0 // the other end stayed
		if before = y; y > 0 {
			if high, above = x, y; again {
				below /= 2
			}
		} else {
			if low, below = x, y; again {
				above /= 2
			}
		}
	}
}

// expectedEdges is the mean number of edges of acyclic graphs of d variables, each weighted by
// o^edges, o = e^logOdds.
//
// Graphs are counted by their sources, the variables without parents, as Robinson (1970) has it:
// without its k sources a graph of n variables is one of m = n − k with s sources, each of which
// has one of the k as a parent at least, while the other m − s may have any. With q = 1 + o and u =
// 1 − q^−k
//
//	a(n,k) = C(n,k) q^{km} a(m) Σ_s P(s|m) u^s,   P(s|m) = a(m,s) / a(m),   a(m) = Σ_s a(m,s).
//
// All terms are positive, so that no digits are lost. A graph of these has k(m − s) o/q + ks o/(qu)
// more edges on average than the rest of it.
func expectedEdges(d int, logOdds float64) float64 {
	odds := math.Exp(logOdds)
	logQ, share := math.Log1p(odds), odds/(1+odds)
	logFactorial := make([]float64, d+1)
	for n := 2; n <= d; n++ {
		logFactorial[n] = logFactorial[n-1] + math.Log(float64(n))
	}
	logCount := make([]float64, d+1) // ln a(n)
	rest := make([]*bySources, d+1)
	edges := 0.0
	for n := 1; n <= d; n++ {
		// ln a(n,k), and the mean number of edges given k sources
		logs, own := make([]float64, n+1), make([]float64, n+1)
		logs[0] = math.Inf(-1)
		for k := 1; k < n; k++ {
			m := n - k
			logSum, mean := rest[m].attach(-math.Expm1(-float64(k)*logQ), share*float64(k))
			logs[k] = logFactorial[n] - logFactorial[k] - logFactorial[m] +
				float64(k)*float64(m)*logQ + logCount[m] + logSum
			own[k] = mean
		}
		// Of n sources there is the graph without edges alone, ln a(n,n) = 0.
		logCount[n] = floats.LogSumExp(logs)
		if n == d {
			for k, v := range logs {
				edges += math.Exp(v-logCount[n]) * own[k]
			}
			break
		}
		rest[n] = newBySources(logs, own, logCount[n])
	}
	return edges
}

// bySources are the graphs of a number of variables by their number of sources, from 1.
type bySources struct {
	ratios []float64 // P(s+1) / P(s)
	edges  []float64 // the mean number of edges given s
	at     int       // near the largest term of the last sum
	logAt  float64   // ln P(at)
}

func newBySources(logs, edges []float64, logCount float64) *bySources {
	b := &bySources{ratios: make([]float64, len(logs)), edges: edges, at: 1,
		logAt: logs[1] - logCount}
	for s := 1; s+1 < len(logs); s++ {
		b.ratios[s] = math.Exp(logs[s+1] - logs[s])
	}
	return b
}

// attach is ln Σ_s P(s) u^s, and the mean number of edges of graphs to which new sources are
// attached that have cut edges to another variable on average, if nothing is known of it. The terms
// have one maximum, around which those count that are not negligible beside it.
func (b *bySources) attach(u, cut float64) (logSum, edges float64) {
	const negligible = 1e-18
	m := len(b.ratios) - 1
	for ; b.at < m && b.ratios[b.at]*u > 1; b.at++ {
		b.logAt += math.Log(b.ratios[b.at])
	}
	for ; b.at > 1 && b.ratios[b.at-1]*u < 1; b.at-- {
		b.logAt -= math.Log(b.ratios[b.at-1])
	}
	// the edges of all to the new ones, and how many more a source has
	every, source := cut*float64(m), cut*(1/u-1)
	sum, mean := 1.0, b.edges[b.at]+source*float64(b.at)
	for s, w := b.at+1, 1.0; s <= m; s++ {
		if w *= b.ratios[s-1] * u; w < negligible {
			break
		}
		sum += w
		mean += w * (b.edges[s] + source*float64(s))
	}
	for s, w := b.at-1, 1.0; s >= 1; s-- {
		if w /= b.ratios[s] * u; w < negligible {
			break
		}
		sum += w
		mean += w * (b.edges[s] + source*float64(s))
	}
	return b.logAt + float64(b.at)*math.Log(u) + math.Log(sum), every + mean/sum
}
