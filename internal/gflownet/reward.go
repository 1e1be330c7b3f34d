package gflownet

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"tobac/dag"
	"tobac/internal/nodescore"
	"tobac/score"
)

// A reward is log R(G) = Σ_j q(j, pa_j), with q the log score of a variable given
// its parents plus the log prior of these parents. It remembers the differences that
// edges into a variable make, by variable and parents. It is safe for concurrent use.
type reward struct {
	scores score.Scorer
	prior  *score.Prior
	start  state // the required edges, where every episode begins

	limit int // rows that are remembered
	mu    sync.RWMutex
	rows  map[rowKey][]float64
}

// A rowKey says which parents a variable has.
type rowKey struct {
	target  int
	parents uint64
}

// cacheBytes bounds the memory of the rows that a reward remembers.
const cacheBytes = 128 << 20

func newReward(s score.Scorer, prior *score.Prior) (*reward, error) {
	d := s.Vars()
	if prior == nil {
		prior = score.Uniform(d)
	}
	if d < 1 || d > MaxVariables {
		return nil, fmt.Errorf("gflownet: got %d variables, want 1 to %d", d, MaxVariables)
	}
	if got := prior.Vars(); got != d {
		return nil, fmt.Errorf("gflownet: got a prior of %d variables, want %d as the scores", got,
			d)
	}
	if err := prior.Check(); err != nil {
		return nil, fmt.Errorf("gflownet: %w", err)
	}
	r := &reward{scores: s, prior: prior.Clone(), start: newState(d),
		limit: max(1024, cacheBytes/rowBytes(d)), rows: map[rowKey][]float64{}}
	for j := range d {
		for i := range d {
			if prior.Required(i, j) {
				r.start.add(i, j)
			}
		}
	}
	if math.IsInf(r.total(&r.start), -1) {
		return nil, errors.New("gflownet: the graph of the required edges alone has probability " +
			"0, so that no graph can be built from it edge by edge")
	}
	return r, nil
}

// rowBytes is about the memory of a remembered row of d variables.
func rowBytes(d int) int { return 8*(d+1) + 100 }

// total is log R of a state. A score that is not a number is a panic of a wrong score
// that Model turns into an error: see checked.
func (r *reward) total(s *state) float64 {
	sum := 0.0
	for j, set := range s.parents {
		row := r.row(j, set)
		sum += row[len(row)-1]
	}
	return sum
}

// row has the differences q(j, A∪{i}) − q(j, A) at i < d, −Inf for an edge that the
// prior or the model does not have, whatever the graph; and q(j, A) at d. Callers
// must not modify it.
func (r *reward) row(target int, parents uint64) []float64 {
	key := rowKey{target, parents}
	r.mu.RLock()
	row := r.rows[key]
	r.mu.RUnlock()
	if row != nil {
		return row
	}
	row = r.differences(target, parents)
	r.mu.Lock()
	if len(r.rows) >= r.limit {
		clear(r.rows) // what is asked for again is computed again, to the same numbers
	}
	r.rows[key] = row
	r.mu.Unlock()
	return row
}

func (r *reward) differences(target int, parents uint64) []float64 {
	d := r.scores.Vars()
	row := make([]float64, d+1)
	set := members(make([]int, 0, d), parents)
	row[d] = r.local(target, set)
	with := make([]int, len(set)+1)
	for i := range d {
		row[i] = math.Inf(-1)
		if i == target || parents>>i&1 == 1 || r.prior.Forbidden(i, target) {
			continue
		}
		before := bits.OnesCount64(parents & (1<<i - 1))
		copy(with, set[:before])
		with[before] = i
		copy(with[before+1:], set[before:])
		row[i] = r.local(target, with) - row[d]
	}
	return row
}

// local is q(j, A): −Inf for a set that the prior does not allow, of which the model is not asked.
func (r *reward) local(j int, parents []int) float64 {
	q := nodescore.LogWeight(r.scores, r.prior, j, parents)
	if math.IsNaN(q) || math.IsInf(q, 1) {
		panic(scoreFault{fmt.Errorf("gflownet: the log score of variable %d given the variables "+
			"%v is %v, want a number below +Inf", j+1, onesBased(parents), q)})
	}
	return q
}

// A scoreFault carries a score that is not a number out of computations that have no
// errors; see caught.
type scoreFault struct{ error }

// Unwrap is the error.
func (f scoreFault) Unwrap() error { return f.error }

// caught turns the panic of a score that is not a number into an error.
func caught(err *error) {
	switch v := recover().(type) {
	case nil:
	case error:
		var fault scoreFault
		if !errors.As(v, &fault) {
			panic(v)
		}
		*err = fault.error
	default:
		panic(v)
	}
}

func onesBased(variables []int) []int {
	out := make([]int, len(variables))
	for k, v := range variables {
		out[k] = v + 1
	}
	return out
}

// deltas writes the differences that the allowed edges of a state make, by source and
// target, d×d, and −Inf elsewhere, and returns the number of allowed ones.
func (r *reward) deltas(dst []float64, s *state) (allowed int) {
	d := len(s.parents)
	for j := range d {
		row, open := r.row(j, s.parents[j]), s.open(j)
		for i := range d {
			dst[i*d+j] = math.Inf(-1)
			if open>>i&1 == 1 && !math.IsInf(row[i], -1) {
				dst[i*d+j] = row[i]
				allowed++
			}
		}
	}
	return allowed
}

// removable is the number of edges of a state that are not required, of which the
// backward policy takes each away with the same probability.
func (r *reward) removable(s *state) int { return s.edges - r.start.edges }

// logReward is log R of a graph, −Inf if it is impossible.
func (r *reward) logReward(g *dag.Graph) float64 {
	sum := 0.0
	for j := range g.Len() {
		sum += r.local(j, g.Parents(j))
	}
	return sum
}
