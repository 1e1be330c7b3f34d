package mcmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/score"
)

// Options are the settings of a [Sampler]. The zero value is the documented default.
type Options struct {
	Candidates int     // candidate parents per variable at most, up to [score.MaxCandidates]; 0: as [DefaultCandidates]
	Chains     int     // independent chains; 0: 4
	Rungs      int     // inverse temperatures per chain, 1 for no tempering; 0: as [DefaultRungs]
	Hottest    float64 // smallest inverse temperature, in (0, 1); 0: exp(−min(1.2, 30/d)), so that neighbours exchange states
	WarmUp     int     // iterations of each chain before it records; 0: 300
	Draws      int     // least number of graphs that a long run keeps, −1 for none; 0: 1000
	Seed       uint64
	Workers    int // goroutines; 0: one per processor. Results do not depend on it.
}

// Memory of tables: bytes for each set, the most that they take by default, and the most that
// those with parents from outside the candidates take.
const (
	tableBytes   = 20
	defaultBytes = 64 << 20
	widerBytes   = 64 << 20
)

// Bytes is the memory that the tables of d variables with k candidates each take at most.
func Bytes(d, k int) int64 {
	k = min(k, d-1)
	b := int64(d) << k * tableBytes
	if k < d-1 {
		b += widerBytes
	}
	return b
}

// DefaultCandidates is the largest number of candidates of a variable: so many that tables of
// all of them would take at most 64 MiB, 15 at most: 14 of 200 variables, 11 of 1,000. It is at
// least 4 where there are as many others. Most variables have fewer candidates.
func DefaultCandidates(d int) int {
	k := min(4, d-1)
	for k < min(d-1, mostCandidates) && int64(d)<<(k+1)*tableBytes <= defaultBytes {
		k++
	}
	return k
}

// DefaultRungs is the number of inverse temperatures of a chain over d variables: 4, or 1 of more
// than 60, since temperatures that exchange states are then too close to 1 to help.
func DefaultRungs(d int) int {
	if d > 60 {
		return 1
	}
	return 4
}

// mostCandidates is the largest default.
const mostCandidates = 15

func (o Options) defaults(d int) (Options, error) {
	set := func(v *int, value int) {
		if *v == 0 {
			*v = value
		}
	}
	set(&o.Candidates, DefaultCandidates(d))
	set(&o.Chains, 4)
	set(&o.Rungs, DefaultRungs(d))
	set(&o.WarmUp, 300)
	set(&o.Draws, 1000)
	set(&o.Workers, runtime.GOMAXPROCS(0))
	if o.Hottest == 0 {
		o.Hottest = math.Exp(-min(1.2, 30/float64(d)))
	}
	switch {
	case o.Candidates < 1 || o.Candidates > score.MaxCandidates:
		return o, fmt.Errorf("mcmc: %d candidates, want 1 to %d", o.Candidates, score.MaxCandidates)
	case o.Chains < 1:
		return o, fmt.Errorf("mcmc: %d chains, want at least 1", o.Chains)
	case o.Rungs < 1:
		return o, fmt.Errorf("mcmc: %d inverse temperatures, want at least 1", o.Rungs)
	case !(o.Hottest > 0 && o.Hottest < 1):
		return o, fmt.Errorf("mcmc: smallest inverse temperature is %v, want 0 < value < 1", o.Hottest)
	case o.WarmUp < 1:
		return o, fmt.Errorf("mcmc: warm-up of %d iterations, want at least 1", o.WarmUp)
	case o.Draws < -1:
		return o, fmt.Errorf("mcmc: %d draws, want −1, 0 or more", o.Draws)
	case o.Workers < 1:
		return o, fmt.Errorf("mcmc: %d workers, want at least 1", o.Workers)
	}
	return o, nil
}

// A Sampler draws from the posterior over acyclic graphs with several chains. It
// must not be used concurrently.
type Sampler struct {
	*problem
	options Options
	chains  []*chain
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
		return nil, fmt.Errorf("mcmc: prior of %d variables, want %d as the scores have", p.Vars(), s.Vars())
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	m := &Sampler{
		problem: &problem{d: s.Vars(), scorer: s, prior: p.Clone(), tables: make([]*table, s.Vars())},
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
	for _, c := range m.chains {
		c.record = newRecord(m.problem, (max(o.Draws, 0)+o.Chains-1)/o.Chains)
		c.clearCounts()
	}
	return m, nil
}

// complete reports whether every allowed parent is a candidate.
func (p *problem) complete() bool {
	for _, open := range p.open {
		if len(open) > 0 {
			return false
		}
	}
	return true
}

func newChain(p *problem, o Options, k int) *chain {
	c := &chain{
		source: stream.NewSource(o.Seed, stream.MCMCMoves, k),
		warmUp: o.WarmUp, betas: make([]float64, o.Rungs), counts: make([]moveCounts, o.Rungs),
		swaps: make([]counter, o.Rungs-1), recent: make([]counter, o.Rungs-1),
	}
	c.mover = newMover(p, rand.New(c.source))
	for r := range o.Rungs {
		c.betas[r] = 1
		if o.Rungs > 1 { // geometric
			c.betas[r] = math.Pow(o.Hottest, float64(r)/float64(o.Rungs-1))
		}
	}
	return c
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
