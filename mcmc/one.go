package mcmc

import (
	"context"
	"fmt"
)

// AdvanceOne brings chain k, 0 ≤ k < Chains, alone to iteration number to, for a sampler whose chains are
// advanced by different processes. Its state is then that which [Sampler.Advance] gives it, since chains
// know nothing of each other once the sampler is made. When ctx is done it stops
// between iterations and returns the error of ctx. It panics if there is no chain k.
func (m *Sampler) AdvanceOne(ctx context.Context, k, to int) error {
	c := m.one(k)
	for c.iteration < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.step()
	}
	return nil
}

// SnapshotOne copies the state of chain k. Those of all chains are a [Snapshot]. It
// panics if there is no chain k.
func (m *Sampler) SnapshotOne(k int) (ChainState, error) {
	s, err := m.one(k).state()
	if err != nil {
		return s, fmt.Errorf("mcmc: %w", err)
	}
	return s, nil
}

func (m *Sampler) one(k int) *chain {
	if k < 0 || k >= len(m.chains) {
		panic(fmt.Sprintf("mcmc: chain %d of %d", k, len(m.chains)))
	}
	return m.chains[k]
}

// Chains is the number of chains.
func (m *Sampler) Chains() int { return len(m.chains) }
