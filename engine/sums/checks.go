package sums

import (
	"fmt"

	"tobac/diagnostics"
	"tobac/posterior"
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
			fmt.Sprintf("the %d draws have an effective sample size of %.0f: effects and other quantities computed from draws are rough, the listed probabilities are not", n, ess)))
	}
	return append(all, OrderChecks(p)...)
}

// OrderChecks are about a posterior that averages over several orders.
func OrderChecks(p *posterior.Posterior) []diagnostics.Check {
	errors := diagnostics.ComponentErrors(p)
	if errors == nil {
		return nil
	}
	v := diagnostics.MeanOff(errors)
	return []diagnostics.Check{diagnostics.Above("orders", v, limitOrders[0], limitOrders[1],
		fmt.Sprintf("averaging over only %d orders leaves a standard error of %.3f in the edge probabilities: use more, with order.count", len(p.Components), v))}
}
