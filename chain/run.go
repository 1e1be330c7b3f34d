package chain

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Target is a log density that is evaluated at several points at once, one for each chain.
type Target interface {
	// Dims are the number of points and the coordinates of each.
	Dims() (points, coordinates int)
	// LogDensity writes the log density at each row of x, points × coordinates, and its gradient to
	// the rows of grad. What is not finite is outside of the support. It must neither modify nor
	// keep x. A row's result depends on that row alone.
	LogDensity(logp []float64, grad, x *mat.Dense) error
}

// A Kernel is a way to move a chain that leaves the target's density invariant.
type Kernel interface {
	// Check reports settings that are out of range, by an error that names them.
	Check() error
	// Mass is the kind of metric that the warm-up learns.
	Mass() Metric
	// Moves prepares the iterations of one chain. The function does one of them: it moves
	// Walk.Chain, and reports false if an evaluation did ([Walk.Eval]).
	Moves(w *Walk) func() bool
}

// Sampler has the settings of a run: Sampler{Target: m, Kernel: nuts.Kernel{}} is the no-U-turn
// sampler on m.
type Sampler struct {
	Target Target
	Kernel Kernel
	Seed   uint64
	WarmUp int // iterations that adapt, defaults to 1000; negative: none
	// Start has a row for each chain, where it starts. Nil means points drawn uniformly from −2 to
	// 2 in all coordinates: the most probable of ten, or the first of a hundred with a finite
	// density and gradient if none of the ten has one. The points of every second chain are mirror
	// images of those of the chain before it: of two modes on either side of 0, such as of a sign
	// that the data do not tell, both are found.
	Start *mat.Dense
}

func (s Sampler) warmUp() int {
	switch {
	case s.WarmUp < 0:
		return 0
	case s.WarmUp == 0:
		return 1000
	}
	return s.WarmUp
}

func (s Sampler) check() error {
	switch {
	case s.Target == nil:
		return errors.New("chain: no target")
	case s.Kernel == nil:
		return errors.New("chain: no kernel")
	}
	if err := s.Kernel.Check(); err != nil || s.Kernel.Mass() != Dense {
		return err
	}
	_, d := s.Target.Dims()
	enough := s.warmUp()
	for enough > 0 && d > 1 && !can(longest(enough), d) {
		enough += 50
	}
	if enough > s.warmUp() {
		return fmt.Errorf(
			"chain: covariances of %d coordinates with a warm-up of %d, want at least %d",
			d, s.warmUp(), enough)
	}
	return nil
}

// candidates is the number of points of which a chain starts at the most probable one.
const candidates = 10

// Begin starts every chain, see Sampler.Start.
func (s Sampler) Begin() (*State, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.Start != nil {
		return s.beginAt(s.Start)
	}
	n, d := s.Target.Dims()
	x, grad, logp := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil), make([]float64, n)
	state := &State{Chains: make([]Chain, n)}
	steep := -1 // a coordinate with no finite slope at a point with a finite density
	for try, missing := 0, n; missing > 0 || try < candidates; try++ {
		switch {
		case try == 100 && steep >= 0:
			return nil, fmt.Errorf(
				"chain: the gradient of the log density is not finite at any of "+
					"100 starts of %d of %d chains, although the density is, for example by "+
					"coordinate %d: "+
					"is a branch of Where infinite where it is not taken?", missing, n, steep)
		case try == 100:
			return nil, fmt.Errorf("chain: the log density is not finite at any of 100 starts of "+
				"%d of %d chains%s", missing, n, Undefined(s.Target, x))
		}
		for k := range n {
			rng, side := stream.New(s.Seed, stream.NUTSStart, k-k%2, try), float64(1-2*(k%2))
			for i := range d {
				x.Set(k, i, side*(4*rng.Float64()-2))
			}
		}
		if err := s.Target.LogDensity(logp, grad, x); err != nil {
			return nil, err
		}
		for k := range n {
			c := &state.Chains[k]
			slope := slices.IndexFunc(grad.RawRowView(k), func(g float64) bool {
				return !finite(g)
			})
			if slope >= 0 && finite(logp[k]) {
				steep = slope
			}
			if slope >= 0 || !finite(logp[k]) ||
				c.X != nil && (try >= candidates || logp[k] <= c.LogDensity) {
				continue
			}
			if c.X == nil {
				missing--
			}
			*c = newChain(x.RawRowView(k))
			c.LogDensity = logp[k]
		}
	}
	return state, nil
}

// Undefined says why a target has no density at the first row of x, after a semicolon: for targets
// with a method Undefined, as density.Model has it. Otherwise it is empty.
func Undefined(target Target, x *mat.Dense) string {
	m, ok := target.(interface {
		Undefined(x *mat.Dense) (string, error)
	})
	if !ok {
		return ""
	}
	text, err := m.Undefined(x)
	if err != nil || text == "" {
		return ""
	}
	return "; at one of them " + text
}

// beginAt starts every chain at a row of x.
func (s Sampler) beginAt(x *mat.Dense) (*State, error) {
	n, d := s.Target.Dims()
	if r, c := x.Dims(); r != n || c != d {
		return nil, fmt.Errorf("chain: got %d×%d starts, want %d×%d", r, c, n, d)
	}
	logp, grad := make([]float64, n), mat.NewDense(n, d, nil)
	if err := s.Target.LogDensity(logp, grad, x); err != nil {
		return nil, err
	}
	state := &State{Chains: make([]Chain, n)}
	for k := range n {
		if !finite(logp[k]) || !finite(grad.RawRowView(k)...) {
			return nil, fmt.Errorf(
				"chain: the log density at the start of chain %d is %v, and it or its gradient "+
					"is not finite",
				k,
				logp[k],
			)
		}
		state.Chains[k] = newChain(x.RawRowView(k))
	}
	return state, nil
}

func finite(x ...float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Advance moves every chain until it has done a number of iterations, those of the warm-up
// included. observe is called after every iteration of a chain, in its goroutine; nil means none.
// On an error or at the end of the context the state is that of the iterations finished by each
// chain, from which Advance goes on to the same draws.
func (s Sampler) Advance(
	ctx context.Context,
	state *State,
	iterations int,
	observe func(chain int, c *Chain),
) error {
	if err := s.check(); err != nil {
		return err
	}
	n, d := s.Target.Dims()
	if len(state.Chains) != n {
		return fmt.Errorf("chain: a state of %d chains, want %d", len(state.Chains), n)
	}
	x, grad, logp := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil), make([]float64, n)
	next, stop := make([]func() (struct{}, bool), n), make([]func(), n)
	for k := range n {
		c := &state.Chains[k]
		if len(c.X) != d {
			return fmt.Errorf("chain: chain %d has %d coordinates, want %d", k, len(c.X), d)
		}
		next[k], stop[k] = iter.Pull(func(yield func(struct{}) bool) {
			w := &Walk{Chain: c, number: k, sampler: s, eval: func(p *Point) bool {
				copy(x.RawRowView(k), p.X)
				if !yield(struct{}{}) {
					return false
				}
				p.LogDensity = logp[k]
				copy(p.Grad, grad.RawRowView(k))
				return true
			}}
			move := s.Kernel.Moves(w)
			for c.Iteration < iterations && w.iterate(move) {
				if observe != nil {
					observe(k, c)
				}
			}
		})
		defer stop[k]()
		copy(x.RawRowView(k), c.X)
	}
	for {
		live := 0
		for k := range n {
			if next[k] == nil {
				continue
			}
			if _, more := next[k](); more {
				live++
			} else {
				next[k] = nil
			}
		}
		if live == 0 {
			return nil
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := s.Target.LogDensity(logp, grad, x); err != nil {
			return err
		}
	}
}

// Run begins and advances through the warm-up and a number of draws: one matrix for each chain,
// draws × coordinates. The chains of every draw, for their energies and divergences, are seen by
// observe; nil means none.
func (s Sampler) Run(
	ctx context.Context,
	draws int,
	observe func(chain int, c *Chain),
) ([]*mat.Dense, error) {
	if draws < 1 {
		return nil, fmt.Errorf("chain: %d draws, want at least 1", draws)
	}
	state, err := s.Begin()
	if err != nil {
		return nil, err
	}
	n, d := s.Target.Dims()
	out := make([]*mat.Dense, n)
	for k := range out {
		out[k] = mat.NewDense(draws, d, nil)
	}
	warm := s.warmUp()
	err = s.Advance(ctx, state, warm+draws, func(chain int, c *Chain) {
		if at := c.Iteration - 1 - warm; at >= 0 {
			out[chain].SetRow(at, c.X)
			if observe != nil {
				observe(chain, c)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
