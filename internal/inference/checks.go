package inference

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/graphchecks"
	"tobac/internal/priors"
	"tobac/internal/refinement"
	"tobac/internal/words"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// Thresholds of the checks: doubtful, then bad. bench/notes/diagnostics.md has the runs that they
// were measured on.
var (
	limitOrders = [2]float64{0.03, 0.08}
	limitDraws  = [2]float64{FewDraws, FewDraws / 4}
)

// FewDraws is the effective sample size of draws below which what is computed from them is rough.
const FewDraws = 100

// DrawChecks are about a posterior whose draws are weighted, and that may average over several
// orders.
func DrawChecks(p *posterior.Posterior) (all []diagnostics.Check) {
	if n := len(p.Draws); n > 0 {
		ess := p.Empirical().EffectiveSampleSize()
		all = append(all, diagnostics.Below("draws", ess, limitDraws[0], limitDraws[1],
			fmt.Sprintf("the %d draws have an effective sample size of %.0f: effects and other "+
				"quantities computed from draws are rough, the listed probabilities are not", n,
				ess)))
	}
	return append(all, OrderChecks(p)...)
}

// OrderChecks are about a posterior that averages over several orders.
func OrderChecks(p *posterior.Posterior) []diagnostics.Check {
	errors := graphchecks.ComponentErrors(p)
	if errors == nil {
		return nil
	}
	d, _ := errors.Dims()
	v := (mat.Sum(errors) - mat.Trace(errors)) / float64(max(d*(d-1), 1))
	return []diagnostics.Check{diagnostics.Above("orders", v, limitOrders[0], limitOrders[1],
		fmt.Sprintf("averaging over only %d orders leaves a standard error of %.3f in the edge "+
			"probabilities: use more, with order.count", len(p.Components), v))}
}

// Against is the warning that data speak against what is known; "" if they do not. With K
// the statements,
//
//	ln p(D|K) − ln p(D) = ln [P(K|D) / P(K)]
//
// says how the data change their odds: both evidences are exact, under the model that was chosen
// given K. Below −ln 20 it is said, with the edges on which statements and data are at odds. It
// takes as long as the sums of the posterior itself, and is left out above mixedVariables.
func (inf *Inference) Against(ctx context.Context, data *dataset.Table,
	problem *engine.Problem) (string, error) {
	p, d := &problem.Prior, len(data.Names)
	if _, estimated := inf.Best.(Settled); estimated || p.Own != nil ||
		d > refinement.MixedVariables || priors.Statements(p) == 0 {
		return "", nil
	}
	open := *problem
	open.Prior = background.Prior{Kind: p.Kind, EdgesPerNode: p.EdgesPerNode,
		Probabilities: p.Probabilities, MaxParents: p.MaxParents, Odds: p.Odds,
		Exclusive: p.Exclusive}
	without, err := exactOver(ctx, data, inf.Best, inf.hypotheses, &open, inf.trust)
	if err != nil {
		return "", err
	}
	change := inf.logEvidence() - without.logEvidence()
	if change > -math.Log(20) {
		return "", nil
	}
	text := fmt.Sprintf("the data speak against the background knowledge, by %.1f nats", -change)
	if odd := atOdds(p.Fixed(d), without.edges(), data.Names); len(odd) > 0 {
		text += "; without it the data give " + words.Some(odd, 5)
	}
	return text + ": check what is known, since every probability rests on it", nil
}

// edges are the edge probabilities of all parts.
func (inf *Inference) edges() *mat.Dense {
	d, _ := inf.Parts[0].edges().Dims()
	sum, total := mat.NewDense(d, d, nil), inf.logEvidence()
	for k := range inf.Parts {
		var scaled mat.Dense
		scaled.Scale(math.Exp(inf.Parts[k].evidence-total), inf.Parts[k].edges())
		sum.Add(sum, &scaled)
	}
	return sum
}

// atOdds lists edges that are fixed at what has a probability below a tenth without the
// statements, those furthest from them first.
func atOdds(fixed, probabilities *mat.Dense, names []string) []string {
	type edge struct {
		i, j int
		gap  float64
	}
	var all []edge
	for i := range names {
		for j := range names {
			if gap := math.Abs(fixed.At(i, j) - probabilities.At(i, j)); i != j && gap > 0.9 {
				all = append(all, edge{i, j, gap})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b edge) int { return cmp.Compare(b.gap, a.gap) })
	out := make([]string, len(all))
	for k, e := range all {
		out[k] = fmt.Sprintf("%s → %s the probability %.2f", names[e.i], names[e.j],
			probabilities.At(e.i, e.j))
	}
	return out
}
