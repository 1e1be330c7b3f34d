package diagnostics

import (
	"cmp"
	"math"
	"slices"
)

// GraphChains say how far to trust Markov chains over graphs.
type GraphChains struct {
	Samples   int            // of all chains
	LogP      Quantity       // ln p(D, partition)
	Uncertain []EdgeQuantity // the least certain edges, at most 100, least certain first
	Rungs     []Rung         // averages over chains
}

// An EdgeQuantity is the probability of an edge along the chains.
type EdgeQuantity struct {
	From, To int
	Quantity
}

// A Rung is what happened at an inverse temperature.
type Rung struct {
	InverseTemperature float64
	// Parts of the proposals that changed the partition, or turned an edge around.
	Relocate, Swap, SplitMerge, Reverse float64
	// Exchange is the part of the exchanges with the next rung that were accepted; zero
	// for the last.
	Exchange float64
}

// A Quantity is the mean of a number along the chains.
type Quantity struct {
	Mean float64
	// StandardError is the Monte Carlo standard error of the mean, from ESS.
	StandardError float64
	RHat          float64 // split R̂; NaN with fewer than four samples per chain
	ESS           float64 // effective sample size
	Range         float64 // largest difference between the means of two chains
}

// A GraphTrace says where Markov chains over graphs are, for a reader who waits for them.
type GraphTrace struct {
	// LogP is the mean over the chains of ln p(D, G) of their current graphs.
	LogP float64
	// RHat is the split R̂ of ln p(D, G) over what has been recorded; NaN with fewer
	// than four blocks of samples per chain.
	RHat float64
	// Acceptance is the part of the proposals at inverse temperature 1 that changed the partition
	// or turned an edge around, over all chains; NaN without proposals.
	Acceptance float64
}

// Probabilities of edges that differ by less between chains, or are known better, are
// not looked at: R̂ of an edge that hardly any sample has says nothing.
// Where the chains stand still, each at a probability of its own, R̂ is infinite and one sample is
// worth as much as all: then the difference of these probabilities is what counts.
const (
	smallRange = 0.01
	smallError = 0.005
	stillRange = 0.05
)

// settled reports whether chains that stand still agree on an edge.
func (e EdgeQuantity) settled() bool { return math.IsInf(e.RHat, 1) && e.Range < stillRange }

// MaxRHat is the largest R̂ of those of the least certain edges whose probabilities differ by 0.01
// or more between two chains, 0.05 where each stands still, at least 1; NaN if there are too few
// samples.
func (d GraphChains) MaxRHat() float64 {
	largest := 1.
	for _, e := range d.Uncertain {
		if !(e.Range < smallRange) && !e.settled() {
			largest = math.Max(largest, e.RHat) // NaN stays
		}
	}
	return largest
}

// MinESS is the smallest effective sample size of those of the least certain edges whose
// standard error is 0.005 or more, and else the number of samples; NaN if there are
// too few samples.
func (d GraphChains) MinESS() float64 {
	smallest := float64(d.Samples)
	for _, e := range d.Uncertain {
		if !(e.StandardError < smallError) && !e.settled() {
			smallest = math.Min(smallest, e.ESS)
		}
	}
	return smallest
}

// Apart are those of the least certain edges on which the chains disagree: R̂ is above 1.1, unless
// all probabilities are near each other. Those come first that differ most between two chains.
func (d GraphChains) Apart() []EdgeQuantity {
	var all []EdgeQuantity
	for _, e := range d.Uncertain {
		if e.RHat > 1.1 && e.Range >= smallRange && !e.settled() {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b EdgeQuantity) int { return cmp.Compare(b.Range, a.Range) })
	return all
}
