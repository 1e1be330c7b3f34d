package mcmc

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tobac/score"
)

// Shared is what all chains share beside the scores, the prior and the options.
type Shared struct {
	Candidates [][]int  // parents of every variable, ascending
	Undecided  [][2]int // pairs, candidates of each other, whose edge chains often try to turn
	Apart      bool     // [Options.Apart]
}

// Shared copies what the chains share.
func (m *Sampler) Shared() Shared {
	s := Shared{Candidates: make([][]int, m.d), Apart: m.options.Apart,
		Undecided: slices.Clone(m.undecided)}
	for j, t := range m.tables {
		s.Candidates[j] = slices.Clone(t.parents)
	}
	return s
}

// NewAt makes a sampler that shares this with another one, of the same scores, prior and options.
// Its chains have no state: it is for [Sampler.Continue] and [Sampler.SetChain].
func NewAt(ctx context.Context, s score.Scorer, p *score.Prior, o Options,
	shared Shared) (*Sampler, error) {
	o, err := o.defaults(s.Vars())
	if err != nil {
		return nil, err
	}
	if len(shared.Candidates) != s.Vars() || p.Vars() != s.Vars() {
		return nil, fmt.Errorf("mcmc: candidates of %d variables and a prior of %d, want %d",
			len(shared.Candidates), p.Vars(), s.Vars())
	}
	m := &Sampler{
		problem: &problem{d: s.Vars(), scorer: s, prior: p.Clone(),
			tables: make([]*table, s.Vars())},
		options: o, chains: make([]*chain, o.Chains),
	}
	if err := m.tabulate(ctx, shared.Candidates); err != nil {
		return nil, err
	}
	for _, e := range shared.Undecided {
		if min(e[0], e[1]) < 0 || max(e[0], e[1]) >= m.d || !m.mutual(e) {
			return nil, fmt.Errorf("mcmc: got the pair %v, want candidates of each other", e)
		}
	}
	m.undecided, m.options.Apart = slices.Clone(shared.Undecided), shared.Apart
	for k := range m.chains {
		m.chains[k] = newChain(m.problem, o, k)
		m.chains[k].record = newRecord(m.problem, o.draws())
	}
	return m, nil
}

// Apart reports whether the chains began at graphs that are far behind others, too.
func (m *Sampler) Apart() bool { return m.options.Apart }

// Chain is the state of chain k as [Sampler.Continue] takes it: the same bytes for the same state.
func (m *Sampler) Chain(k int) ([]byte, error) { return m.chains[k].bytes() }

// SetChain gives chain k a state of [Sampler.Chain] or [Sampler.Continue].
func (m *Sampler) SetChain(k int, state []byte) error {
	c, err := m.chains[k].withBytes(state)
	if err == nil {
		*m.chains[k] = c
	}
	return err
}

// Continue is the state of a chain after iteration number to, given an earlier one: a function of
// its arguments and of what all chains share, which changes nothing. It is safe for concurrent use.
func (m *Sampler) Continue(ctx context.Context, state []byte, to int) ([]byte, error) {
	c, err := m.chains[0].withBytes(state)
	if err != nil {
		return nil, err
	}
	for c.iteration < to {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.step()
	}
	return c.bytes()
}

// chainHeader is the first line of the bytes of a chain. The sums of its series, of as many samples
// as Samples says, and Outside follow as binary numbers.
type chainHeader struct {
	State    ChainState `json:"state"`
	Samples  []int      `json:"samples"`   // of each block, the last of which fills
	LogScore float64    `json:"log_score"` // of the last graph, for [Sampler.Trace]
}

func (c *chain) bytes() ([]byte, error) {
	s, err := c.state()
	if err != nil {
		return nil, err
	}
	blocks, outside := append(s.Series.Blocks, s.Series.Last), s.Outside
	s.Series, s.Outside = series{PerBlock: s.Series.PerBlock}, nil
	h := chainHeader{State: s, LogScore: c.lastLogScore()}
	for _, b := range blocks {
		h.Samples = append(h.Samples, b.N)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	for _, b := range blocks {
		for _, numbers := range [][]float64{b.Sum, b.Squares} {
			if text, err = binary.Append(text, binary.LittleEndian, numbers); err != nil {
				return nil, err
			}
		}
	}
	return binary.Append(text, binary.LittleEndian, outside)
}

// withBytes is the chain in a state.
func (c *chain) withBytes(state []byte) (chain, error) {
	first, rest, found := bytes.Cut(state, []byte{'\n'})
	var h chainHeader
	if err := json.Unmarshal(first, &h); err != nil || !found || len(h.Samples) == 0 {
		return chain{}, errors.New("mcmc: got no state of a chain")
	}
	width, s := len(c.record.values), &h.State
	if want := 8 * (2*len(h.Samples)*width + c.d*c.d); len(rest) != want {
		return chain{}, fmt.Errorf("mcmc: state of a chain has %d bytes of numbers, want %d",
			len(rest), want)
	}
	take := func(n int) []float64 {
		list := make([]float64, n)
		read, err := binary.Decode(rest, binary.LittleEndian, list)
		if err != nil {
			panic("mcmc: " + err.Error()) // there are as many bytes
		}
		rest = rest[read:]
		return list
	}
	for _, n := range h.Samples {
		s.Series.Blocks = append(s.Series.Blocks,
			blockSums{N: n, Sum: take(width), Squares: take(width)})
	}
	last := len(h.Samples) - 1
	s.Series.Last, s.Series.Blocks = s.Series.Blocks[last], s.Series.Blocks[:last]
	s.Outside = take(c.d * c.d)
	out, err := c.with(s)
	if err != nil {
		return chain{}, fmt.Errorf("mcmc: state of a chain: %w", err)
	}
	out.restored = h.LogScore
	return out, nil
}
