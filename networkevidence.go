package tobac

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/stream"
	"tobac/tempering"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Sequential Monte Carlo in two passes: a short one, of the particles' sets and their neighbours, and of the neighbours of what weighs most among them; and one with the default settings of the sets that it leaves within reach.
const (
	shortParticles = 32
	shortSweeps    = 2
	withinReach    = 10.0 // nats behind the best
	weighty        = 4.0  // nats behind the best, of sets whose neighbours are looked at too
)

// networkEvidences estimates ln ρ(A) + log p(x_j|x_A) of sets of parents of variable j for the model of the fit, networks with one hidden layer, and
// returns the sets that remain.
func (f *particleFit) networkEvidences(ctx context.Context, j int, sets [][]int, logPrior func([]int) float64) ([][]int, []float64, error) {
	m, ok := f.model.(FeedForward)
	if !ok || len(m.hidden()) != 1 {
		return nil, nil, fmt.Errorf("the model %v has neither node scores nor networks with one hidden layer, whose sets of parents could be reweighted; allowed: the read-outs conditional and frequency", f.asked)
	}
	cfg := tempering.Config{Hidden: m.hidden()[0], Activation: m.Activation, NoBias: m.NoBias, NoiseVariance: m.NoiseVariance, Workers: f.workers}
	short := cfg
	short.Particles, short.Sweeps = shortParticles, shortSweeps
	q, err := f.weighted(ctx, j, sets, logPrior, short, 0)
	if err != nil {
		return nil, nil, err
	}
	if more := beyond(j, sets, q, logPrior); len(more) > 0 {
		extra, err := f.weighted(ctx, j, more, logPrior, short, 1)
		if err != nil {
			return nil, nil, err
		}
		sets, q = append(sets, more...), append(q, extra...)
	}
	best := floats.Max(q)
	var kept [][]int
	for k, set := range sets {
		if q[k] >= best-withinReach {
			kept = append(kept, set)
		}
	}
	q, err = f.weighted(ctx, j, kept, logPrior, cfg, 2)
	return kept, q, err
}

// beyond are the sets one edge away from those of greatest weight that are not among the sets.
func beyond(j int, sets [][]int, q []float64, logPrior func([]int) float64) (more [][]int) {
	known, best := map[string]bool{}, floats.Max(q)
	for _, set := range sets {
		known[fmt.Sprint(set)] = true
	}
	for k, set := range sets {
		if q[k] < best-weighty {
			continue
		}
		for i := range j {
			other := toggled(set, i)
			if key := fmt.Sprint(other); !known[key] && !math.IsInf(logPrior(other), -1) {
				known[key] = true
				more = append(more, other)
			}
		}
	}
	return more
}

// weighted are evidences with the prior of the sets.
func (f *particleFit) weighted(ctx context.Context, j int, sets [][]int, logPrior func([]int) float64, c tempering.Config, pass int) ([]float64, error) {
	c.Seed = stream.Seed(f.order.seed, stream.ReweightedEvidence, j, pass)
	q, err := f.evidences(ctx, j, sets, c)
	for k, set := range sets {
		if err == nil {
			q[k] += logPrior(set)
		}
	}
	return q, err
}

// evidences are log p(x_j|x_A) of sets of parents, in as many tables as their columns need.
func (f *particleFit) evidences(ctx context.Context, j int, sets [][]int, c tempering.Config) ([]float64, error) {
	out := make([]float64, len(sets))
	for left := identity(len(sets)); len(left) > 0; {
		var columns, taken, rest []int
		for _, k := range left {
			union := slices.Compact(slices.Sorted(slices.Values(slices.Concat(columns, sets[k]))))
			if len(union) > tempering.MostCandidates && len(taken) > 0 {
				rest = append(rest, k)
				continue
			}
			columns, taken = union, append(taken, k)
		}
		if len(columns) > tempering.MostCandidates {
			return nil, fmt.Errorf("a set of %d parents, more than the %d of which evidences are estimated", len(columns), tempering.MostCandidates)
		}
		if err := f.tabled(ctx, j, sets, columns, taken, c, out); err != nil {
			return nil, err
		}
		left = rest
	}
	return out, nil
}

// tabled does some of the sets, whose parents are among the columns.
func (f *particleFit) tabled(ctx context.Context, j int, sets [][]int, columns, taken []int, c tempering.Config, out []float64) error {
	n, _ := f.data.X.Dims()
	last := len(columns)
	x, marks := mat.NewDense(n, last+1, nil), mat.NewDense(n, last+1, nil)
	for a, i := range append(slices.Clone(columns), j) {
		x.SetCol(a, mat.Col(nil, i, f.data.X))
		for r := range n { // the equations of the parents are not asked for: all of their rows are left out
			if a < last || f.data.Intervened != nil && f.data.Intervened.At(r, j) != 0 {
				marks.Set(r, a, 1)
			}
		}
	}
	only := onlySets{last: last, index: map[int]int{0: -1}} // the table must have the empty set
	for _, k := range taken {
		bits := 0
		for _, i := range sets[k] {
			at, _ := slices.BinarySearch(columns, i)
			bits |= 1 << at
		}
		only.index[bits] = k
	}
	t, err := tempering.Enumerate(ctx, x, marks, identity(last+1), only, c)
	if err != nil {
		return err
	}
	for bits, k := range only.index {
		if k >= 0 {
			out[k] = t.LogEvidence[last][bits]
		}
	}
	return nil
}

// onlySets is a prior that allows some sets of parents of the last variable, all alike, and no parents of others.
type onlySets struct {
	last  int
	index map[int]int // by the bits of the set
}

var _ tempering.Prior = onlySets{}

// LogPrior implements [tempering.Prior].
func (p onlySets) LogPrior(j int, parents []int) float64 {
	bits := 0
	for _, i := range parents {
		bits |= 1 << i
	}
	if _, ok := p.index[bits]; ok && (j == p.last || bits == 0) {
		return 0
	}
	return math.Inf(-1)
}

// Forbidden implements [tempering.Prior].
func (p onlySets) Forbidden(_, j int) bool { return j != p.last }

// Required implements [tempering.Prior].
func (p onlySets) Required(int, int) bool { return false }
