package hmc

import (
	"context"
	"fmt"
	"math"

	"tobac/chain"

	"gonum.org/v1/gonum/mat"
)

// Sampler has the settings of a run. The zero value of each is the usual one.
type Sampler struct {
	Target     chain.Target
	Seed       uint64
	WarmUp     int        // iterations that adapt, defaults to 1000; negative: none
	Acceptance float64    // mean acceptance aimed at, defaults to 0.8; to 0.574 for one leap
	Leaps      int        // greatest number of leapfrog steps, defaults to 20
	Dense      bool       // metric with covariances
	Start      *mat.Dense // see chain.Sampler.Start
}

// MALA is the Metropolis-adjusted Langevin algorithm.
func MALA(target chain.Target, seed uint64) Sampler {
	return Sampler{Target: target, Seed: seed, Leaps: 1}
}

// Chains is the sampler as package chain runs it.
func (s Sampler) Chains() chain.Sampler {
	k := Kernel{s.Acceptance, s.Leaps, s.Dense}
	return chain.Sampler{
		Target: s.Target,
		Kernel: k,
		Seed:   s.Seed,
		WarmUp: s.WarmUp,
		Start:  s.Start,
	}
}

// Begin is [chain.Sampler.Begin].
func (s Sampler) Begin() (*chain.State, error) { return s.Chains().Begin() }

// Advance is [chain.Sampler.Advance].
func (s Sampler) Advance(
	ctx context.Context,
	state *chain.State,
	iterations int,
	observe func(number int, c *chain.Chain),
) error {
	return s.Chains().Advance(ctx, state, iterations, observe)
}

// Run is [chain.Sampler.Run].
func (s Sampler) Run(
	ctx context.Context, draws int, observe func(number int, c *chain.Chain),
) ([]*mat.Dense, error) {
	return s.Chains().Run(ctx, draws, observe)
}

// Kernel is the move as a [chain.Kernel]. Its zero value has the defaults of [Sampler].
type Kernel struct {
	Acceptance float64
	Leaps      int
	Covariance bool
}

var _ chain.Kernel = Kernel{}

// Check implements [chain.Kernel].
func (k Kernel) Check() error {
	if k.Leaps < 0 {
		return fmt.Errorf("hmc: %d leaps, want at least 1", k.Leaps)
	}
	return chain.CheckAcceptance("hmc", k.Acceptance)
}

// Dense implements [chain.Kernel].
func (k Kernel) Dense() bool { return k.Covariance }

// Moves implements [chain.Kernel].
func (k Kernel) Moves(w *chain.Walk) func() bool {
	if k.Leaps == 0 {
		k.Leaps = 20
	}
	if k.Acceptance == 0 {
		if k.Acceptance = 0.8; k.Leaps == 1 {
			k.Acceptance = 0.574
		}
	}
	h, z := chain.NewHamiltonian(w, k.Acceptance), chain.NewPoint(len(w.Chain.X))
	return func() bool {
		c := w.Chain
		if !h.Begin() {
			return false
		}
		z.Set(w.Here())
		h.Momentum(&z)
		start := z.Energy
		for range 1 + w.Rand.IntN(k.Leaps) {
			if h.Leap(&z, c.Step); w.Stopped() {
				return false
			}
			if z.Energy-start > 1000 {
				c.Divergent = true
				break
			}
		}
		c.Accepted, c.Energy = math.Exp(math.Min(0, start-z.Energy)), start
		if accept := w.Rand.Float64() < c.Accepted; accept && !c.Divergent {
			c.Energy = z.Energy
			w.Move(&z)
		} else {
			here := *w.Here()
			w.Move(&here)
		}
		return h.Adapt()
	}
}
