package exact

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"tobac/dag"
	"tobac/score"
)

// flat is a scorer of data that say nothing.
type flat int

func (f flat) Vars() int { return int(f) }

func (flat) LogScore(int, []int) float64 { return 0 }

func (flat) LogScores(dst []float64, _ int, _ []int) { clear(dst) }

// LogPriorOrders is ln Σ_orders Σ_G Π_j ρ_j(pa_j) over the graphs G along each order: the
// normaliser of the prior beside [Orders.LogEvidence]. It needs as much memory as a
// [Posterior], unless the prior depends on the number of parents alone.
func LogPriorOrders(ctx context.Context, prior *score.Prior, opt Options) (float64, error) {
	if rho, ok := exchangeable(prior); ok {
		orders, _ := exchangeableSums(rho)
		return orders, nil
	}
	o, err := priorOrders(ctx, prior, opt)
	if err != nil {
		return 0, err
	}
	return o.LogEvidence(), nil
}

// LogPriorGraphs is ln Σ_G Π_j ρ_j(pa_j) over all acyclic graphs G: the normaliser of
// the prior beside [Graphs.LogEvidence]. Unless the prior depends on the number of
// parents alone, it needs as much memory as a [Posterior] and much time above 15
// variables: without data no term of the sum is small.
func LogPriorGraphs(ctx context.Context, prior *score.Prior, opt Options) (float64, error) {
	if rho, ok := exchangeable(prior); ok {
		_, graphs := exchangeableSums(rho)
		return graphs, nil
	}
	o, err := priorOrders(ctx, prior, opt)
	if err != nil {
		return 0, err
	}
	g, err := o.Graphs(ctx)
	if err != nil {
		return 0, err
	}
	return g.LogEvidence(), nil
}

func priorOrders(ctx context.Context, prior *score.Prior, opt Options) (*Orders, error) {
	p, err := New(ctx, flat(prior.Vars()), prior, opt)
	if err != nil {
		return nil, fmt.Errorf("exact: normaliser of the prior: %w", err)
	}
	return p.Orders(ctx)
}

// exchangeable returns ln ρ by the number of parents if ρ depends on nothing else.
func exchangeable(prior *score.Prior) (rho []float64, ok bool) {
	d := prior.Vars()
	for i := range d {
		for j := range d {
			if i != j && (prior.Odds(i, j) != prior.Odds(0, 1) || prior.Required(i, j)) {
				return nil, false
			}
		}
	}
	rho = make([]float64, d)
	for m := range rho {
		rho[m] = prior.LogPrior(0, dag.AllBut(d, 0)[:m])
	}
	return rho, true
}

// exchangeableSums returns ln Σ_orders Σ_G Π ρ(|pa_j|) and ln Σ_G Π ρ(|pa_j|). With a_k =
// Σ_m C(k, m) ρ(m) they are ln d! Π_k a_k and, by the recursion of Robinson (1973),
//
//	H_n = Σ_{k=1}^n (−1)^{k+1} C(n, k) a_{n−k}^k H_{n−k},   H_0 = 1,
//
// in which many digits cancel.
func exchangeableSums(rho []float64) (orders, graphs float64) {
	d := len(rho)
	const precision = 2000 // bits; about 2·d are lost
	number := func() *big.Float { return new(big.Float).SetPrec(precision) }
	choose := func(n, k int) *big.Float {
		return number().SetInt(new(big.Int).Binomial(int64(n), int64(k)))
	}
	a, h := make([]*big.Float, d), make([]*big.Float, d+1)
	h[0] = number().SetInt64(1)
	for n := range d {
		a[n] = number()
		for m := range n + 1 {
			if !math.IsInf(rho[m], -1) {
				a[n].Add(a[n], number().Mul(choose(n, m), bigExp(rho[m])))
			}
		}
		orders += math.Log(float64(n+1)) + bigLog(a[n])
	}
	for n := 1; n <= d; n++ {
		h[n] = number()
		for k := n; k >= 1; k-- {
			term := number().Mul(choose(n, k), h[n-k])
			for range k {
				term.Mul(term, a[n-k])
			}
			if k%2 == 0 {
				term.Neg(term)
			}
			h[n].Add(h[n], term)
		}
	}
	return orders, bigLog(h[d])
}

// bigExp is e^x in the range of a big.Float.
func bigExp(x float64) *big.Float {
	e := math.Floor(x / math.Ln2)
	f := big.NewFloat(math.Exp(x - e*math.Ln2))
	return f.SetMantExp(f, int(e))
}

func bigLog(x *big.Float) float64 {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64()
	return math.Log(f) + float64(e)*math.Ln2
}
