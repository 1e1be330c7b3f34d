package tobac

import (
	"fmt"
	"math"
	"slices"

	"tobac/diagnostics"
	"tobac/mcmc"
	"tobac/posterior"
	"tobac/sem"
	"tobac/tempering"
)

// Thresholds of the checks of a result: doubtful, then bad. docs/diagnostics.md has the runs that they were measured on.
var (
	limitRHat      = [2]float64{1.1, 1.3}
	limitESS       = [2]float64{100, 25}
	limitExchange  = [2]float64{0.05, 0.005}
	limitImbalance = [2]float64{0.02, 0.07}
	limitCrowding  = [2]float64{0.1, 0.8}
	limitCyclic    = [2]float64{0.1, 0.5}

	limitNeighbours = [2]float64{1.5, 1.1}

	limitOrders   = [2]float64{0.03, 0.08}
	limitTrend    = [2]float64{0.05, 0.2}
	limitDistance = [2]float64{0.1, 0.3}
	limitEvidence = [2]float64{0.05, 0.15}
	limitPrior    = [2]float64{0.1, 1}
	limitHalves   = [2]float64{0.15, 0.5}
	limitHeld     = [2]float64{0.9, 0.5}
	limitDraws    = [2]float64{fewDraws, fewDraws / 4}
)

// fewDraws is the effective sample size of draws below which what is computed from them is rough.
const fewDraws = 100

// drawChecks are about a posterior whose draws are weighted, and that may average over several orders.
func drawChecks(p *posterior.Posterior) (all []diagnostics.Check) {
	if n := len(p.Draws); n > 0 {
		ess := p.Empirical().EffectiveSampleSize()
		all = append(all, diagnostics.Below("draws", ess, limitDraws[0], limitDraws[1],
			fmt.Sprintf("the %d draws are worth %.0f independent ones: what is computed from draws, and not from the listed probabilities, is rough", n, ess)))
	}
	return append(all, orderChecks(p)...)
}

// orderChecks are about a posterior that averages over several orders.
func orderChecks(p *posterior.Posterior) []diagnostics.Check {
	errors := diagnostics.ComponentErrors(p)
	if errors == nil {
		return nil
	}
	v := diagnostics.MeanOff(errors)
	return []diagnostics.Check{diagnostics.Above("orders", v, limitOrders[0], limitOrders[1],
		fmt.Sprintf("that there are only %d orders moves the edge probabilities by a standard error of %.3f on average: more of them are needed", len(p.Components), v))}
}

// checks of particles.
func (p *particles) checks(post *posterior.Posterior) []diagnostics.Check {
	var all []diagnostics.Check
	_, scored := p.fits[0].model.(sem.Scored)
	neighbours, imbalance, crowding, stein := math.Inf(1), 0.0, 0.0, 1.0
	for k, f := range p.fits {
		w := 1.0
		if len(p.fits) > 1 {
			w = post.Components[k].Weight
		}
		neighbours = math.Min(neighbours, f.seen.neighbours)
		stein = math.Min(stein, f.seen.stein)
		imbalance += w * f.seen.imbalance
		crowding += w * f.seen.crowding
	}
	if p.fits[0].sampler.Particles > 1 {
		all = append(all, diagnostics.Below("neighbours", neighbours, limitNeighbours[0], limitNeighbours[1],
			fmt.Sprintf("a particle feels %.2f others: the kernel is so narrow that every particle climbs to a mode of its own", neighbours-1)))
		if !math.IsNaN(stein) {
			stein = math.Min(1, stein*float64(len(p.fits))) // the smallest of several p-values
			all = append(all, diagnostics.Fact("stein", stein))
		}
		limit := limitCrowding
		if !scored {
			limit = [2]float64{0.99, math.Inf(1)} // one graph may be all that the data allow
		}
		all = append(all, diagnostics.Above("crowding", crowding, limit[0], limit[1],
			fmt.Sprintf("the particles are crowded: %.0f %% of pairs have the same graph beyond chance", 100*crowding)))
	}
	if !p.fits[0].ordered() {
		cyclic := float64(post.Cyclic()) / float64(len(post.Draws))
		all = append(all, diagnostics.Above("cyclic", cyclic, limitCyclic[0], limitCyclic[1], fmt.Sprintf("%.0f %% of the particles have a cycle and are left out", 100*cyclic)))
	}
	if !math.IsNaN(imbalance) {
		all = append(all, imbalanceCheck(imbalance, "particles"))
	}
	var sets setChecks
	for _, f := range p.fits {
		sets = sets.worse(f.seenSets)
	}
	return append(append(all, sets.checks()...), orderChecks(post)...)
}

func imbalanceCheck(v float64, what string) diagnostics.Check {
	return diagnostics.Above("imbalance", v, limitImbalance[0], limitImbalance[1],
		fmt.Sprintf("the frequencies of edges among the %s are, beyond chance, by %.3f off what the data say given the rest of their graphs: the %[1]s are no sample of the posterior", what, v))
}

// chainChecks are about Markov chains over graphs.
func chainChecks(d *mcmc.Diagnostics) []diagnostics.Check {
	if math.IsNaN(d.MaxRHat()) {
		return []diagnostics.Check{diagnostics.Above("r_hat", d.MaxRHat(), limitRHat[0], limitRHat[1], fmt.Sprintf("%d samples are too few to tell whether the chains agree", d.Samples))}
	}
	worst := math.Max(d.MaxRHat(), d.LogP.RHat)
	all := []diagnostics.Check{
		diagnostics.Above("r_hat", worst, limitRHat[0], limitRHat[1], fmt.Sprintf("the chains disagree (R̂ up to %.2f): run longer", worst)),
		diagnostics.Below("ess", d.MinESS(), limitESS[0], limitESS[1], fmt.Sprintf("the least certain edges are worth %.0f independent samples: run longer", d.MinESS())),
	}
	least := math.Inf(1)
	for _, rung := range d.Rungs[:max(len(d.Rungs)-1, 0)] {
		least = math.Min(least, rung.Exchange)
	}
	if !math.IsInf(least, 1) {
		all = append(all, diagnostics.Below("exchange", least, limitExchange[0], limitExchange[1],
			fmt.Sprintf("only %.1f %% of the exchanges between two inverse temperatures succeed: use more of them", 100*least)))
	}
	return all
}

// temperedChecks are about the two chains of every variable, over all orders.
func temperedChecks(tempered []*tempering.Result, names []string) []diagnostics.Check {
	const apart = 0.05 // the difference between the probabilities of two chains from which on R̂ of an edge is looked at
	worst, least, edges, largest, edge := 1.0, 1.0, 0, 0.0, [2]int{}
	for _, t := range tempered {
		d, _ := t.RHat.Dims()
		for i := range d {
			for j := range d {
				v, rHat := t.Difference.At(i, j), t.RHat.At(i, j)
				if v <= apart {
					continue
				}
				worst = math.Max(worst, rHat)
				if rHat > limitRHat[0] {
					edges++
				}
				if rHat > limitRHat[0] && v > largest {
					largest, edge = v, [2]int{i, j}
				}
			}
		}
		for _, v := range t.Rejections {
			least = math.Min(least, 1-v)
		}
	}
	return []diagnostics.Check{
		diagnostics.Above("r_hat", worst, limitRHat[0], limitRHat[1], fmt.Sprintf("the two chains do not agree everywhere (number of edges with R̂ above %v: %d), most on %q → %q, where their probabilities differ by %.2f: more iterations or rungs are needed",
			limitRHat[0], edges, names[edge[0]], names[edge[1]], largest)),
		diagnostics.Below("exchange", least, limitExchange[0], limitExchange[1],
			fmt.Sprintf("only %.1f %% of the exchanges between two temperatures succeed: more rungs are needed", 100*least)),
	}
}

// trainingChecks are about a training.
func trainingChecks(t *Training) []diagnostics.Check {
	if t.Exact {
		return nil
	}
	var all []diagnostics.Check
	if !math.IsNaN(t.Distance) {
		all = append(all, diagnostics.Above("total_variation", t.Distance, limitDistance[0], limitDistance[1],
			fmt.Sprintf("the policy is far from the exact posterior, by a total variation of %.2f: more steps, or the policy exact, come nearer", t.Distance)))
	}
	if !math.IsNaN(t.Imbalance) {
		all = append(all, imbalanceCheck(t.Imbalance, "draws"))
	}
	values, quantity := make([]float64, len(t.Trace)), "trace"
	for k, p := range t.Trace {
		values[k], quantity = p.Value, p.Quantity
	}
	trend := diagnostics.Trend(values)
	text := fmt.Sprintf("the %s still moves, by %.0f %% of its way in the last quarter of the steps: train longer", quantity, 100*trend)
	if math.IsNaN(trend) {
		text = "the training is too short for a trace that tells whether it has ended"
	}
	return append(all, diagnostics.Above("trend", trend, limitTrend[0], limitTrend[1], text))
}

// checkWarnings are the checks that are not ok, as warnings.
func checkWarnings(all []diagnostics.Check) (w []string) {
	for _, c := range all {
		if c.Verdict != diagnostics.OK {
			w = append(w, c.Text)
		}
	}
	return w
}

// worse are the checks of two results of the same kind, of each name the one with the worse verdict.
func worse(a, b []diagnostics.Check) []diagnostics.Check {
	out := slices.Clone(a)
	for _, c := range b {
		k := slices.IndexFunc(out, func(o diagnostics.Check) bool { return o.Name == c.Name })
		switch {
		case k < 0:
			out = append(out, c)
		case c.Verdict > out[k].Verdict:
			out[k] = c
		}
	}
	return out
}
