package tempering

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/internal/anneal"
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
	// Difference is between the totals of a variable by either of the two populations of every set: the error of a total is about half of it.
	Difference []float64

	halves [][][2]float64 // estimates of a set by both populations
}

// Of the second estimate of the sets that matter.
const (
	tableShare = 0.01 // probability of a set from which on it has one
	tableTimes = 8    // as many particles
)

// Enumerate estimates the evidence of every set of parents by sequential Monte Carlo [5] with Config.Particles particles, half of them in each of two
// populations: from one temperature to the next so that half of the effective sample size is left, each followed by Config.Sweeps sweeps over the
// units. Sets with a hundredth of the probability of a variable or more, to which an error matters, are then estimated again with eight times as many particles. Arguments are those of [Run].
func Enumerate(ctx context.Context, x, intervened mat.Matrix, order []int, prior Prior, cfg Config) (*Table, error) {
	nodes, err := newNodes(x, intervened, order, prior, &cfg)
	if err != nil {
		return nil, err
	}
	d := len(nodes)
	t := &Table{Candidates: make([][]int, d), LogEvidence: make([][]float64, d), Probabilities: mat.NewDense(d, d, nil), Total: make([]float64, d), Difference: make([]float64, d), halves: make([][][2]float64, d)}
	var items []tableItem
	for _, v := range nodes {
		if p := len(v.candidates); p > MostCandidates {
			return nil, fmt.Errorf("tempering: column %d has %d candidate parents, want at most %d to enumerate their sets", v.column, p, MostCandidates)
		}
		j, sets := v.column, 1<<len(v.candidates)
		t.Candidates[j], t.LogEvidence[j], t.halves[j] = v.candidates, make([]float64, sets), make([][2]float64, sets)
		for set := range sets {
			if t.LogEvidence[j][set] = math.NaN(); !math.IsInf(v.prior.LogPrior(j, v.parents(set)), -1) {
				items = append(items, tableItem{v, set, cfg.Particles})
			}
		}
	}
	if err := t.estimate(ctx, items, cfg.Workers); err != nil {
		return nil, err
	}
	items = items[:0]
	for _, v := range nodes {
		_, share := v.total(t.LogEvidence[v.column])
		for set, p := range share {
			if p >= tableShare {
				items = append(items, tableItem{v, set, tableTimes * cfg.Particles})
			}
		}
	}
	if err := t.estimate(ctx, items, cfg.Workers); err != nil {
		return nil, err
	}
	for _, v := range nodes {
		v.sum(t)
	}
	return t, nil
}

// A tableItem is a set to be estimated.
type tableItem struct {
	*node
	set, particles int
}

// estimate fills in the sets of a list.
func (t *Table) estimate(ctx context.Context, items []tableItem, workers int) error {
	return parallel.For(ctx, len(items), workers, func(k int) error {
		v, set := items[k].node, items[k].set
		w, h := v.newWorker(), &t.halves[v.column][set]
		for half := range h {
			rng := stream.New(v.cfg.Seed, stream.TemperingSets, v.column, key(v.parents(set), 2*items[k].particles+half))
			h[half], _ = w.population(set, max(2, items[k].particles/2), rng)
		}
		t.LogEvidence[v.column][set] = logMean(*h)
		return nil
	})
}

// logMean is the logarithm of the mean of two numbers given by their logarithms.
func logMean(logs [2]float64) float64 { return floats.LogSumExp(logs[:]) - math.Ln2 }

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

// total is log Σ_A ρ(A)/Σρ · p(y|A) of the evidences of all sets, NaN of those that the prior rules out, and the probability of each set.
func (v *node) total(evidence []float64) (total float64, share []float64) {
	var joint, prior []float64
	for set, e := range evidence {
		r := math.Inf(-1)
		if !math.IsNaN(e) {
			r = v.prior.LogPrior(v.column, v.parents(set))
			joint, prior = append(joint, r+e), append(prior, r)
		} else {
			joint = append(joint, r)
		}
	}
	total = floats.LogSumExp(joint)
	for _, e := range joint {
		share = append(share, math.Exp(e-total))
	}
	return total - floats.LogSumExp(prior), share
}

// sum fills in what follows from the evidences of the sets of a variable.
func (v *node) sum(t *Table) {
	j := v.column
	total, share := v.total(t.LogEvidence[j])
	t.Total[j] = total
	for k, i := range v.candidates {
		p := 0.0
		for set, s := range share {
			if set>>k&1 == 1 {
				p += s
			}
		}
		t.Probabilities.Set(i, j, math.Min(p, 1))
	}
	var totals [2]float64
	for half := range totals {
		one := make([]float64, len(t.halves[j]))
		for set, h := range t.halves[j] {
			if one[set] = h[half]; math.IsNaN(t.LogEvidence[j][set]) {
				one[set] = math.NaN()
			}
		}
		totals[half], _ = v.total(one)
	}
	t.Difference[j] = math.Abs(totals[0] - totals[1])
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
	logs, ratios := make([]float64, n), make([]float64, n)
	for beta := 0.0; beta < 1; {
		for k, s := range now {
			ratios[k] = s.evidence
		}
		to := anneal.Next(logs, ratios, beta)
		sum += floats.LogSumExp(logs) - math.Log(float64(n))
		for k, from := range anneal.Resample(logs, n, rng.Float64()) {
			now[from].copyTo(next[k])
		}
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
