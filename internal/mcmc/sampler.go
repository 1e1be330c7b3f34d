package mcmc

import (
	"context"
	"fmt"

	"tobac/internal/parallel"
	"tobac/score"
)

// A Sampler draws from the posterior over acyclic graphs with several chains. It
// must not be used concurrently.
type Sampler struct {
	*problem
	options Options
	chains  []*chain
	detours []float64  // of edges i → j, at j·d+i; see addDetours. Released by New
	turned  [][][2]int // by start, the pairs of addTurned. Released by New
}

// New searches for a probable graph for each chain, chooses candidate parents by these
// graphs and short chains, and scores all subsets of them. It stops when ctx is
// done, and returns its error.
// Settings out of range, a prior of another number of variables, and one that
// allows no graph are errors.
func New(ctx context.Context, s score.Scorer, p *score.Prior, o Options) (*Sampler, error) {
	o, err := o.defaults(s.Vars())
	if err != nil {
		return nil, err
	}
	if p.Vars() != s.Vars() {
		return nil, fmt.Errorf("mcmc: prior of %d variables, want %d as the scores have", p.Vars(),
			s.Vars())
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	m := &Sampler{
		problem: &problem{d: s.Vars(), scorer: s, prior: p.Clone(),
			tables: make([]*table, s.Vars())},
		options: o, chains: make([]*chain, o.Chains),
	}
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	if !m.complete() {
		if err := m.refine(ctx); err != nil {
			return nil, err
		}
	}
	m.undecided = m.undecidedOf(m.turned)
	m.detours, m.turned = nil, nil
	for _, c := range m.chains {
		c.record = newRecord(m.problem, o.draws())
		c.clearCounts()
	}
	return m, nil
}

// Iterations is the number of iterations that every chain has made.
func (m *Sampler) Iterations() int {
	least := m.chains[0].iteration
	for _, c := range m.chains {
		least = min(least, c.iteration)
	}
	return least
}

// Advance brings every chain to Iterations() + n iterations. When ctx is done it
// stops between iterations and returns the error of ctx: chains may then have
// made different numbers of iterations, and another call goes on from there to
// the same results as without the interruption. It panics if n is negative.
func (m *Sampler) Advance(ctx context.Context, n int) error {
	if n < 0 {
		panic(fmt.Sprintf("mcmc: %d iterations", n))
	}
	to := m.Iterations() + n
	return parallel.For(ctx, len(m.chains), m.options.Workers, func(k int) error {
		for c := m.chains[k]; c.iteration < to; {
			if err := ctx.Err(); err != nil {
				return err
			}
			c.step()
		}
		return nil
	})
}
