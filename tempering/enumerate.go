package tempering

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/internal/parallel"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// MostCandidates is how many candidate parents a variable may have for [Enumerate].
const MostCandidates = 14

// A Table has the evidence of every set of parents.
type Table struct {
	// Candidates of each variable, by column: ascending columns. Bit k of a set stands for the k-th.
	Candidates [][]int
	// LogEvidence is log p(x_j|x_A) by column j and set A; NaN of sets that the prior rules out.
	LogEvidence [][]float64
	// Probabilities of edges, and log Σ_A ρ(A)/Σρ · p(x_j|x_A) by column, under the prior.
	Probabilities *mat.Dense
	Total         []float64
}

// Enumerate estimates the evidence of every set of parents by sequential Monte Carlo [5] with Config.Particles particles: from one
// temperature to the next so that half of the effective sample size is left, each followed by Config.Sweeps sweeps over the
// units. Arguments are those of [Run].
func Enumerate(ctx context.Context, x, intervened mat.Matrix, order []int, prior Prior, cfg Config) (*Table, error) {
	nodes, err := newNodes(x, intervened, order, prior, &cfg)
	if err != nil {
		return nil, err
	}
	d := len(nodes)
	t := &Table{Candidates: make([][]int, d), LogEvidence: make([][]float64, d), Probabilities: mat.NewDense(d, d, nil), Total: make([]float64, d)}
	type item struct {
		*node
		set int
	}
	var items []item
	for _, v := range nodes {
		if p := len(v.candidates); p > MostCandidates {
			return nil, fmt.Errorf("tempering: column %d has %d candidate parents, want at most %d to enumerate their sets", v.column, p, MostCandidates)
		}
		t.Candidates[v.column], t.LogEvidence[v.column] = v.candidates, make([]float64, 1<<len(v.candidates))
		for set := range t.LogEvidence[v.column] {
			items = append(items, item{v, set})
		}
	}
	err = parallel.For(ctx, len(items), cfg.Workers, func(k int) error {
		v, set := items[k].node, items[k].set
		e := math.NaN()
		if !math.IsInf(v.prior.LogPrior(v.column, v.parents(set)), -1) {
			e = v.setEvidence(set, stream.New(cfg.Seed, stream.TemperingMoves, v.column, chains+set))
		}
		t.LogEvidence[v.column][set] = e
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, v := range nodes {
		v.sum(t)
	}
	return t, nil
}

// parents are the columns of a set.
func (v *node) parents(set int) []int {
	var all []int
	for k, i := range v.candidates {
		if set>>k&1 == 1 {
			all = append(all, i)
		}
	}
	return all
}

// sum fills in what follows from the evidences of the sets of a variable.
func (v *node) sum(t *Table) {
	var joint, prior []float64
	var sets []int
	for set, e := range t.LogEvidence[v.column] {
		if r := v.prior.LogPrior(v.column, v.parents(set)); !math.IsInf(r, -1) {
			joint, prior, sets = append(joint, r+e), append(prior, r), append(sets, set)
		}
	}
	total := floats.LogSumExp(joint)
	t.Total[v.column] = total - floats.LogSumExp(prior)
	for k, i := range v.candidates {
		p := 0.0
		for at, set := range sets {
			if set>>k&1 == 1 {
				p += math.Exp(joint[at] - total)
			}
		}
		t.Probabilities.Set(i, v.column, math.Min(p, 1))
	}
}

// setEvidence is the log evidence of a set of parents.
func (v *node) setEvidence(set int, rng *rand.Rand) float64 {
	e, _ := v.newWorker().population(set, v.cfg.Particles, rng)
	return e
}

// population moves particles, whose parents are a set of the candidates, from the prior to the posterior [5]: the estimate of the log evidence, and the particles.
func (w *worker) population(set, n int, rng *rand.Rand) (sum float64, now []*state) {
	now = make([]*state, n)
	next := make([]*state, n)
	for k := range now {
		now[k], next[k] = w.newState(), w.newState()
		for i := range w.candidates {
			now[k].in[i] = set>>i&1 == 1
		}
		w.fromPrior(now[k], rng)
	}
	logs := make([]float64, n)
	for beta := 0.0; beta < 1; {
		to := nextTemperature(now, beta, logs)
		sum += floats.LogSumExp(logs) - math.Log(float64(n))
		resample(next, now, logs, rng)
		now, next, beta = next, now, to
		for range w.cfg.Sweeps {
			for _, s := range now {
				for a := range w.units {
					w.turn(s, a, beta, rng)
				}
				if w.cfg.NoiseVariance == 0 {
					w.noise(s, beta, rng)
				}
			}
		}
	}
	return sum, now
}

// nextTemperature is the inverse temperature at which the weights of the states have an effective sample size of half
// their number, or 1; their logarithms are written to logs.
func nextTemperature(all []*state, beta float64, logs []float64) float64 {
	weigh := func(to float64) float64 { // the effective sample size
		for k, s := range all {
			logs[k] = (to - beta) * s.evidence
		}
		largest, sum, squares := floats.Max(logs), 0.0, 0.0
		for _, l := range logs {
			e := math.Exp(l - largest)
			sum += e
			squares += e * e
		}
		return sum * sum / squares
	}
	half := float64(len(all)) / 2
	if weigh(1) >= half {
		return 1
	}
	low, high := beta, 1.0
	for range 50 {
		if mid := (low + high) / 2; weigh(mid) >= half {
			low = mid
		} else {
			high = mid
		}
	}
	if low == beta { // all weight is on less than half of them at any distance
		low = high
	}
	weigh(low)
	return low
}

// resample draws states in proportion to their weights, systematically.
func resample(dst, src []*state, logs []float64, rng *rand.Rand) {
	total, n := floats.LogSumExp(logs), float64(len(src))
	at, sum, u := 0, math.Exp(logs[0]-total), rng.Float64()
	for k := range dst {
		for sum < (float64(k)+u)/n && at < len(src)-1 {
			at++
			sum += math.Exp(logs[at] - total)
		}
		src[at].copyTo(dst[k])
	}
}
