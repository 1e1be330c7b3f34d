package mcmc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tobac/internal/stream"
)

// A Snapshot is the state of a [Sampler] between iterations. Its JSON form keeps
// every bit. It belongs to the scores, the prior and the options that the sampler was
// made with, the number of workers apart.
type Snapshot struct {
	Chains []ChainState `json:"chains"`
}

// A ChainState is the state of one chain.
type ChainState struct {
	Iteration int          `json:"iteration"`
	Source    []byte       `json:"source"` // state of the random numbers
	Betas     []float64    `json:"betas"`
	Rungs     []RungState  `json:"rungs"`
	Counts    []moveCounts `json:"counts"`
	Swaps     []counter    `json:"swaps"`
	Recent    []counter    `json:"recent"`
	Series    series       `json:"series"`
	Outside   []float64    `json:"outside"`
	Looks     []int        `json:"looks"`
	Draws     []draw       `json:"draws"`
	Every     int          `json:"every"`
	Samples   int          `json:"samples"`
}

// A RungState is the partition at one inverse temperature.
type RungState struct {
	Layer []int `json:"layer"` // of each node
	// Extras are the parents of each node that are no candidates, ascending.
	Extras [][]int `json:"extras"`
}

// Snapshot copies the state of the sampler.
func (m *Sampler) Snapshot() (*Snapshot, error) {
	s := new(Snapshot)
	for _, c := range m.chains {
		state, err := c.state()
		if err != nil {
			return nil, fmt.Errorf("mcmc: %w", err)
		}
		s.Chains = append(s.Chains, state)
	}
	return s, nil
}

func (c *chain) state() (s ChainState, err error) {
	r := &c.record
	s = ChainState{Iteration: c.iteration, Betas: slices.Clone(c.betas),
		Counts: slices.Clone(c.counts), Swaps: slices.Clone(c.swaps),
		Recent: slices.Clone(c.recent),
		Series: r.series.clone(), Outside: slices.Clone(r.outside), Looks: slices.Clone(r.looks),
		Draws: slices.Clone(r.draws), Every: r.every, Samples: r.samples}
	if s.Source, err = c.source.MarshalBinary(); err != nil {
		return s, err
	}
	for _, p := range c.rungs {
		rung := RungState{Layer: slices.Clone(p.layer)}
		for _, t := range p.tables {
			rung.Extras = append(rung.Extras, append([]int{}, t.extras...))
		}
		s.Rungs = append(s.Rungs, rung)
	}
	return s, nil
}

// clone copies a series.
func (s *series) clone() series {
	copied := func(b blockSums) blockSums {
		return blockSums{N: b.N, Sum: slices.Clone(b.Sum), Squares: slices.Clone(b.Squares)}
	}
	out := series{PerBlock: s.PerBlock, Last: copied(s.Last)}
	for _, b := range s.Blocks {
		out.Blocks = append(out.Blocks, copied(b))
	}
	return out
}

// Restore continues from a snapshot. A snapshot of a sampler with other scores, prior
// or options is an error, as far as it shows; after an error the sampler is as it was.
func (m *Sampler) Restore(s *Snapshot) error {
	if len(s.Chains) != len(m.chains) {
		return fmt.Errorf("mcmc: snapshot has %d chains, want %d", len(s.Chains), len(m.chains))
	}
	restored := make([]chain, len(m.chains))
	for k, c := range m.chains {
		var err error
		if restored[k], err = c.with(&s.Chains[k]); err != nil {
			return fmt.Errorf("mcmc: snapshot, chain %d: %w", k+1, err)
		}
	}
	for k := range restored {
		*m.chains[k] = restored[k]
	}
	return nil
}

// with is the chain in a state.
func (c *chain) with(s *ChainState) (chain, error) {
	out := *c
	if s.Iteration < 0 || s.Every < 1 || s.Samples < 0 {
		return out, fmt.Errorf("got %d iterations and %d samples, one draw for every %d; want "+
			"numbers from 0, and at least 1", s.Iteration, s.Samples, s.Every)
	}
	r := newRecord(c.problem, 0)
	switch {
	case len(s.Betas) != len(c.betas) || len(s.Rungs) != len(c.betas) ||
		len(s.Counts) != len(c.counts) || len(s.Swaps) != len(c.swaps) ||
		len(s.Recent) != len(c.recent):
		return out, fmt.Errorf("got %d inverse temperatures, want %d", len(s.Rungs), len(c.betas))
	case !s.Series.of(len(r.values)):
		return out, fmt.Errorf("got a record of other numbers, want %d of them", len(r.values))
	case len(s.Outside) != len(r.outside) || len(s.Looks) != len(r.looks):
		return out, fmt.Errorf("got %d edges from outside the candidates, want %d", len(s.Outside),
			len(r.outside))
	}
	for _, d := range s.Draws {
		if err := c.checkDraw(d); err != nil {
			return out, err
		}
	}
	out.source = stream.NewSource(0, stream.MCMCMoves, 0) // of any seed
	if out.source.UnmarshalBinary(s.Source) != nil {
		return out, errors.New("got no state of random numbers")
	}
	out.mover = newMover(c.problem, rand.New(out.source))
	out.rungs = nil
	for k := range s.Rungs {
		p, err := c.partition(&s.Rungs[k])
		if err != nil {
			return out, fmt.Errorf("inverse temperature %d: %w", k, err)
		}
		out.rungs = append(out.rungs, p)
	}
	out.iteration = s.Iteration
	out.betas, out.counts, out.swaps, out.recent = slices.Clone(s.Betas), slices.Clone(s.Counts),
		slices.Clone(s.Swaps), slices.Clone(s.Recent)
	r.series, r.outside, r.looks = s.Series.clone(), slices.Clone(s.Outside), slices.Clone(s.Looks)
	r.draws, r.every, r.samples, r.maximum = slices.Clone(s.Draws), s.Every, s.Samples,
		c.record.maximum
	out.record = r
	return out, nil
}

// of reports whether the series is one of n numbers.
func (s *series) of(n int) bool {
	whole := func(b blockSums) bool { return len(b.Sum) == n && len(b.Squares) == n && b.N >= 0 }
	for _, b := range s.Blocks {
		if !whole(b) {
			return false
		}
	}
	return s.PerBlock >= 1 && whole(s.Last) && len(s.Blocks) < maxBlocks
}

// checkDraw finds a draw that is not a graph of the problem.
func (p *problem) checkDraw(d draw) error {
	if len(d.Parents) != p.d {
		return fmt.Errorf("got a graph of %d variables, want %d", len(d.Parents), p.d)
	}
	for j, parents := range d.Parents {
		for _, i := range parents {
			if i < 0 || i >= p.d || i == j {
				return fmt.Errorf("got the parent %d of variable %d, want another of %d variables",
					i, j, p.d)
			}
		}
	}
	return nil
}

// partition is the partition of a rung.
func (p *problem) partition(s *RungState) (*partition, error) {
	if len(s.Layer) != p.d || len(s.Extras) != p.d {
		return nil, fmt.Errorf("got layers of %d variables and extra parents of %d, want %d",
			len(s.Layer), len(s.Extras), p.d)
	}
	out := newPartition(p)
	occupied := make([]bool, p.d)
	last := 0
	for j, l := range s.Layer {
		if l < 0 || l >= p.d {
			return nil, fmt.Errorf("got layer %d of variable %d, want 0 to %d", l, j, p.d-1)
		}
		occupied[l], last = true, max(last, l)
		if err := p.checkExtras(j, s.Extras[j]); err != nil {
			return nil, err
		}
		out.tables[j] = p.widerTable(j, s.Extras[j])
	}
	if slices.Contains(occupied[:last+1], false) {
		return nil, errors.New("got a layer without variables")
	}
	copy(out.layer, s.Layer)
	out.fill()
	return out, nil
}

// checkExtras finds parents that are not outside the candidates of j, or not in sequence.
func (p *problem) checkExtras(j int, extras []int) error {
	for k, i := range extras {
		if _, found := slices.BinarySearch(p.open[j], i); !found || k > 0 && i <= extras[k-1] {
			return fmt.Errorf("got the extra parents %v of variable %d, want some of those "+
				"outside its candidates, ascending", extras, j)
		}
	}
	return nil
}
