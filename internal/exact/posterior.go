package exact

import (
	"context"
	"fmt"
	"runtime"

	"tobac/dag"
	"tobac/internal/parallel"
	"tobac/internal/vector"
	"tobac/score"
)

// MaxVariables is the largest number of variables of a [Posterior], which needs an
// [Options.Memory] above the default then: see [Memory].
const MaxVariables = 24

// defaultMemory is the number of bytes that a computation may use unless
// [Options.Memory] says otherwise: enough for 21 variables.
const defaultMemory = 1 << 30

// Options are settings of [New] and [GivenOrder]. The zero value is ready to use.
type Options struct {
	// goroutines at a time, 0 means as many as runtime.GOMAXPROCS. It changes no bit of a result.
	Workers int
	Memory  int64 // bytes that may be used, 0 means defaultMemory
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Memory is about the number of bytes that the posterior of d variables and
// everything computed from it need at a time: 4·d tables of 2^(d−1) numbers, levels
// of as many sums, and a few lists of 2^d numbers for all and for each worker.
func Memory(d int) int64 {
	subsets := int64(1) << d
	return int64(d)*subsets/2*(4*8+2) + 6*16*subsets + 8*subsets*int64(runtime.GOMAXPROCS(0))
}

// check refuses what needs more memory than the options allow.
func (o Options) check(d int, needs int64, variables int) error {
	limit := o.Memory
	if limit == 0 {
		limit = defaultMemory
	}
	switch {
	case d < 1:
		return fmt.Errorf("exact: %d variables, want at least 1", d)
	case d > variables:
		return fmt.Errorf("exact: %d variables, want at most %d; package mcmc takes more", d,
			variables)
	case needs > limit:
		return fmt.Errorf("exact: %d variables need %d MiB of memory, more than the limit of %d "+
			"MiB; package mcmc takes problems of any size", d, needs>>20, limit>>20)
	}
	return nil
}

// A Posterior holds the scores of all sets of parents of all variables, from which
// the posterior over orders and graphs is computed. It is safe for concurrent use.
type Posterior struct {
	tables  []*table
	workers int
	kernels vector.Set
}

// New scores every set of parents of every variable: d·2^(d−1) sets. It stops when
// ctx is done. It is an error if there are too many variables for the memory
// allowed, if a score is not finite, and if no graph has a positive prior
// probability. It panics if score and prior differ in the number of variables.
func New(ctx context.Context, s score.Scorer, prior *score.Prior, opt Options) (*Posterior, error) {
	d := s.Vars()
	if prior.Vars() != d {
		panic(fmt.Sprintf("exact: scores of %d variables with a prior of %d", d, prior.Vars()))
	}
	if err := opt.check(d, Memory(min(max(d, 0), 40)), MaxVariables); err != nil {
		return nil, err
	}
	if err := prior.Check(); err != nil {
		return nil, fmt.Errorf("exact: %w", err)
	}
	kernels, err := vector.Default()
	if err != nil {
		return nil, fmt.Errorf("exact: %w", err)
	}
	p := &Posterior{tables: make([]*table, d), workers: opt.workers(), kernels: kernels}
	err = parallel.For(ctx, d, p.workers, func(j int) error {
		t, err := scores(ctx, s, prior, j, dag.AllBut(d, j), kernels)
		p.tables[j] = t
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// scores is the table of child j for all subsets of candidates.
func scores(ctx context.Context, s score.Scorer, prior *score.Prior, j int, candidates []int,
	kernels vector.Set) (*table, error) {
	q := make([]float64, 1<<len(candidates))
	if err := score.LogScores(ctx, s, q, j, candidates); err != nil {
		return nil, err
	}
	prior.AddTo(q, j, candidates)
	t, err := newTable(q, kernels)
	if err != nil {
		return nil, &score.VariableError{Variable: j, Err: err}
	}
	return t, nil
}

// Vars is the number of variables d.
func (p *Posterior) Vars() int { return len(p.tables) }

// shift is the sum of the shifts of all tables.
func (p *Posterior) shift() float64 {
	sum := 0.0
	for _, t := range p.tables {
		sum += t.shift
	}
	return sum
}
