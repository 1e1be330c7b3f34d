package mcmc_test

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

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

// enumerate sums over all acyclic graphs of d ≤ 5 variables: for each child in
// turn all sets of parents, with graphs that have a cycle left out.
func enumerate(s score.Scorer, p *score.Prior) posterior {
	d := s.Vars()
	q := make([][]float64, d)
	for j := range d {
		q[j] = make([]float64, 1<<d)
		for set := range q[j] {
			q[j][set] = math.Inf(-1)
			if set>>j&1 == 0 {
				list := members(set)
				q[j][set] = s.LogScore(j, list) + p.LogPrior(j, list)
			}
		}
	}
	type one struct {
		parents []int
		q       float64
	}
	var all []one
	parents := make([]int, d)
	best := math.Inf(-1)
	var visit func(j int, sum float64)
	visit = func(j int, sum float64) {
		if math.IsInf(sum, -1) {
			return
		}
		if j == d {
			if acyclic(parents) {
				all = append(all, one{append([]int(nil), parents...), sum})
				best = max(best, sum)
			}
			return
		}
		for set := range q[j] {
			parents[j] = set
			visit(j+1, sum+q[j][set])
		}
	}
	visit(0, 0)
	total := 0.
	for _, g := range all {
		total += math.Exp(g.q - best)
	}
	r := posterior{edges: mat.NewDense(d, d, nil), logZ: best + math.Log(total),
		logP: map[string]float64{}}
	for _, g := range all {
		w := math.Exp(g.q-best) / total
		for j, set := range g.parents {
			for _, i := range members(set) {
				r.edges.Set(i, j, r.edges.At(i, j)+w)
			}
		}
		r.logP[graphKey(g.parents)] = g.q - r.logZ
	}
	return r
}

func members(set int) []int {
	list := []int{}
	for i := 0; set>>i != 0; i++ {
		if set>>i&1 != 0 {
			list = append(list, i)
		}
	}
	return list
}

func graphKey(parents []int) string {
	b := make([]byte, len(parents))
	for j, set := range parents {
		b[j] = byte(set)
	}
	return string(b)
}

// acyclic removes sources until none is left.
func acyclic(parents []int) bool {
	gone, d := 0, len(parents)
	for range d {
		for j, set := range parents {
			if gone>>j&1 == 0 && set&^gone == 0 {
				gone |= 1 << j
			}
		}
	}
	return gone == 1<<d-1
}
