package gflownet

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Comparison is of a policy with the exact flows.
type Comparison struct {
	// TotalVariation is ½ Σ_G |P(G) − R(G)/Z|, with P(G) the probability that the policy
	// stops in G, summed over all ways to G.
	TotalVariation float64
	// Loss is the mean of the loss over all transitions, each with the probability that
	// the exact policy takes it, by the network on both sides. It is 0 for the exact policy.
	Loss float64
	// Marginal is the largest difference of the probability of an edge.
	Marginal float64
	// Edges has the probabilities of edges by the policy, d×d.
	Edges *mat.Dense
}

// Compare computes, for at most [MaxExact] variables, how far the policy is from the exact
// one: an error of more variables. It evaluates the policy in every graph.
func (m *Model) Compare(ctx context.Context) (_ *Comparison, err error) {
	defer caught(&err)
	if d := m.Vars(); d > MaxExact {
		return nil, fmt.Errorf(
			"gflownet: comparison with exact flows of %d variables, want at most %d", d, MaxExact)
	}
	f, err := m.exactFlows(ctx)
	if err != nil {
		return nil, err
	}
	d := m.Vars()
	policies := make([][]float64, len(f.states))
	for i := range policies {
		policies[i] = make([]float64, d*d+1)
		if m.settings.Policy == Exact {
			f.logPolicy(policies[i], i)
		}
	}
	if m.settings.Policy != Exact {
		if err := m.learner.policies(ctx, policies, f.states); err != nil {
			return nil, err
		}
	}
	return f.compare(policies), nil
}

// policies writes the log policy of states.
func (l *learner) policies(ctx context.Context, dst [][]float64, states []state) error {
	p, err := l.wideProgram()
	if err != nil {
		return err
	}
	n := len(p.logEdges) / p.size
	for from := 0; from < len(states); from += wideBatch {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		some := states[from:min(from+wideBatch, len(states))]
		if err := l.evaluate(p, some, l.weights); err != nil {
			return err
		}
		for k := range some {
			copy(dst[from+k], p.logEdges[k*n:(k+1)*n])
			dst[from+k][n] = p.logStop[k]
		}
	}
	return nil
}

// compare compares log policies of all states.
func (f *Flows) compare(policies [][]float64) *Comparison {
	var (
		n       = len(policies[0]) - 1
		c       = &Comparison{}
		visits  = make([]float64, len(f.states)) // probability to pass
		exact   = make([]float64, len(f.states)) // the same of the exact policy
		ends    = make([]float64, len(f.states))
		logExit = make([]float64, n+1)
		weight  float64
	)
	visits[0], exact[0] = 1, 1
	for i := range f.states {
		ends[i] = visits[i] * math.Exp(policies[i][n])
		c.TotalVariation += 0.5 * math.Abs(ends[i]-f.Probability(i))
		f.logPolicy(logExit, i)
		back := math.Log(float64(f.reward.removable(&f.states[i]) + 1))
		for _, next := range f.next[i] {
			visits[next.state] += visits[i] * math.Exp(policies[i][next.action])
			p := exact[i] * math.Exp(logExit[next.action])
			exact[next.state] += p
			weight += p
			e := f.logR[next.state] - f.logR[i] - back - policies[i][next.action] +
				policies[i][n] - policies[next.state][n]
			c.Loss += p * huberLoss(e)
		}
	}
	if weight > 0 {
		c.Loss /= weight
	}
	c.Edges = f.marginals(ends)
	var difference mat.Dense
	difference.Sub(c.Edges, f.Edges())
	for _, v := range difference.RawMatrix().Data {
		c.Marginal = max(c.Marginal, math.Abs(v))
	}
	return c
}

// huberLoss is the loss of a residual: see huber.
func huberLoss(e float64) float64 {
	if a := math.Abs(e); a > 1 {
		return a - 0.5
	}
	return 0.5 * e * e
}
