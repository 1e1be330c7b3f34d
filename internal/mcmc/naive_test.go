package mcmc_test

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/scoretest"
	"tobac/internal/scoring"
	"tobac/score"
)

// A listed scorer has random scores: for every variable and set of parents an
// independent normal number times scale.
type listed struct {
	d     int
	scale float64
	seed  uint64
}

var _ score.Scorer = listed{}

func (l listed) Vars() int { return l.d }

func (l listed) LogScore(j int, parents []int) float64 {
	set := uint64(0)
	for _, i := range parents {
		set |= 1 << i
	}
	rng := rand.New(rand.NewPCG(l.seed, set<<8|uint64(j)))
	return l.scale * rng.NormFloat64()
}

// A posterior is what enumeration of all acyclic graphs gives.
type posterior struct {
	edges *mat.Dense
	logZ  float64
	logP  map[string]float64 // ln p(G | D) by graphKey
}

// enumerate sums over all acyclic graphs of d ≤ 5 variables.
func enumerate(s score.Scorer, p *score.Prior) posterior {
	d := s.Vars()
	var q scoring.Memory[float64]
	graphs := scoretest.Graphs(d)
	logs := make([]float64, len(graphs))
	for k, g := range graphs {
		for j := range d {
			parents := g.Parents(j)
			logs[k] += q.Of(j, parents, func() float64 {
				return s.LogScore(j, parents) + p.LogPrior(j, parents)
			})
		}
	}
	r := posterior{edges: mat.NewDense(d, d, nil), logZ: floats.LogSumExp(logs),
		logP: map[string]float64{}}
	for k, g := range graphs {
		if math.IsInf(logs[k], -1) {
			continue
		}
		parents := make([]int, d)
		for _, e := range g.Edges() {
			parents[e.To] |= 1 << e.From
			r.edges.Set(e.From, e.To, r.edges.At(e.From, e.To)+math.Exp(logs[k]-r.logZ))
		}
		r.logP[graphKey(parents)] = logs[k] - r.logZ
	}
	return r
}

func graphKey(parents []int) string {
	b := make([]byte, len(parents))
	for j, set := range parents {
		b[j] = byte(set)
	}
	return string(b)
}
