package nuts

import (
	"context"
	"fmt"

	"tobac/chain"

	"gonum.org/v1/gonum/mat"
)

// Sampler has the settings of a run. The zero value of each is the usual one.
type Sampler struct {
	Target     chain.Target
	Seed       uint64
	WarmUp     int        // iterations that adapt, defaults to 1000; negative: none
	Acceptance float64    // mean acceptance aimed at, defaults to 0.8
	Depth      int        // greatest number of doublings, defaults to 10
	Dense      bool       // metric with covariances
	Start      *mat.Dense // see chain.Sampler.Start
}

// Chains is the sampler as package chain runs it.
func (s Sampler) Chains() chain.Sampler {
	k := Kernel{s.Acceptance, s.Depth, s.Dense}
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

// Kernel is the no-U-turn move as a [chain.Kernel]. Its zero value has the defaults of
// [Sampler].
type Kernel struct {
	Acceptance float64
	Depth      int
	Covariance bool
}

var _ chain.Kernel = Kernel{}

// Check implements [chain.Kernel].
func (k Kernel) Check() error {
	if k.Depth < 0 || k.Depth > 30 {
		return fmt.Errorf("nuts: depth %d, want 1 to 30", k.Depth)
	}
	return chain.CheckAcceptance("nuts", k.Acceptance)
}

// Dense implements [chain.Kernel].
func (k Kernel) Dense() bool { return k.Covariance }

// Moves implements [chain.Kernel].
func (k Kernel) Moves(w *chain.Walk) func() bool {
	if k.Acceptance == 0 {
		k.Acceptance = 0.8
	}
	if k.Depth == 0 {
		k.Depth = 10
	}
	return newWalk(k, w).iterate
}
