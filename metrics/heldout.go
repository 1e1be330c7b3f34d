package metrics

import (
	"fmt"

	"tobac/posterior"
)

// LogDensity is the log density of held-out rows under one draw (G, Θ), in
// nats, summed over rows and variables.
type LogDensity struct {
	Prior float64 // log p(Θ | G); 0 for models without parameters
	Data  float64 // log p(D | G, Θ), or log p(D | G) for models without parameters
}

// joint returns log p(Θ | G) + log p(D | G, Θ).
func (l LogDensity) joint() float64 { return l.Prior + l.Data }

// HeldOut holds the log densities of held-out rows that Neg.LL averages.
type HeldOut struct {
	// Particles has one entry for each graph of the ensemble, cyclic or not;
	// the entries of graphs with a cycle are not looked at.
	Particles []LogDensity
	// Empty is the log density under the graph without edges and Θ = 0: the
	// baseline, and the value taken if every particle has a cycle.
	Empty LogDensity
}

// NewHeldOut pairs log p(Θ | G) and log p(D | G, Θ) of each graph; the last entry
// of both slices is that of the graph without edges. It panics if lengths differ
// or if there is no entry.
func NewHeldOut(prior, data []float64) *HeldOut {
	if len(prior) == 0 || len(prior) != len(data) {
		panic(fmt.Sprintf("metrics: %d log densities of parameters and %d of data", len(prior), len(data)))
	}
	all := make([]LogDensity, len(prior))
	for m := range all {
		all[m] = LogDensity{Prior: prior[m], Data: data[m]}
	}
	last := len(all) - 1
	return &HeldOut{Particles: all[:last:last], Empty: all[last]}
}

// negLL returns −Σ_m w_m ℓ_m, where ℓ_m is the log density of held-out rows
// under graph m. It averages log densities, not densities. It panics if the
// number of values is not that of graphs.
func negLL(e *posterior.Ensemble, logDensity []float64) float64 {
	if len(logDensity) != len(e.Graphs) {
		panic(fmt.Sprintf("metrics: %d log densities for %d graphs", len(logDensity), len(e.Graphs)))
	}
	sum := 0.0
	for m, w := range e.Weights() {
		sum -= w * logDensity[m]
	}
	return sum
}
