package exact_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/score"
)

// A tableScorer has one number for every child and set of parents, by mask of
// variables.
type tableScorer [][]float64

func (s tableScorer) Vars() int { return len(s) }

func (s tableScorer) LogScore(j int, parents []int) float64 { return s[j][mask(parents)] }

func mask(set []int) int {
	m := 0
	for _, i := range set {
		m |= 1 << i
	}
	return m
}

func members(m int) []int {
	list := []int{}
	for ; m != 0; m &= m - 1 {
		list = append(list, bits.TrailingZeros(uint(m)))
	}
	return list
}

// randomTable has normal scores with the given standard deviation around offset.
func randomTable(d int, offset, deviation float64, seed uint64) tableScorer {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := make(tableScorer, d)
	for j := range s {
		s[j] = make([]float64, 1<<d)
		for m := range s[j] {
			s[j][m] = offset + deviation*rng.NormFloat64()
		}
	}
	return s
}

// relabel makes variable perm[i] of the result what variable i is in s.
func (s tableScorer) relabel(perm []int) tableScorer {
	r := make(tableScorer, len(s))
	for j := range s {
		r[perm[j]] = make([]float64, len(s[j]))
		for m, v := range s[j] {
			to := 0
			for _, i := range members(m) {
				to |= 1 << perm[i]
			}
			r[perm[j]][to] = v
		}
	}
	return r
}

// A parentMasks is a graph: the parents of each variable as a mask.
type parentMasks []int

// remaining is what is left of the graph when variables without remaining parents
// are taken away as long as there are any.
func (g parentMasks) remaining() int {
	left := 1<<len(g) - 1
	for again := true; again; {
		again = false
		for j, p := range g {
			if left>>j&1 != 0 && p&left == 0 {
				left &^= 1 << j
				again = true
			}
		}
	}
	return left
}

// extensions counts linear extensions by trying every variable as the first.
func (g parentMasks) extensions(left int) float64 {
	if left == 0 {
		return 1
	}
	n := 0.0
	for _, j := range members(left) {
		if g[j]&left == 0 {
			n += g.extensions(left &^ (1 << j))
		}
	}
	return n
}

func (g parentMasks) graph() *dag.Graph {
	h := dag.New(len(g))
	for j, p := range g {
		for _, i := range members(p) {
			h.Set(i, j, true)
		}
	}
	return h
}

var allGraphs = [6]func() []parentMasks{
	1: sync.OnceValue(func() []parentMasks { return listGraphs(1) }),
	2: sync.OnceValue(func() []parentMasks { return listGraphs(2) }),
	3: sync.OnceValue(func() []parentMasks { return listGraphs(3) }),
	4: sync.OnceValue(func() []parentMasks { return listGraphs(4) }),
	5: sync.OnceValue(func() []parentMasks { return listGraphs(5) }),
}

func listGraphs(d int) []parentMasks {
	var list []parentMasks
	g := make(parentMasks, d)
	var extend func(j int)
	extend = func(j int) {
		if j == d {
			if g.remaining() == 0 {
				list = append(list, slices.Clone(g))
			}
			return
		}
		for p := range 1 << d {
			if p>>j&1 == 0 {
				g[j] = p
				extend(j + 1)
			}
		}
	}
	extend(0)
	return list
}

// largest is the number of variables up to which tests enumerate: all 29,281 graphs
// of five, or 543 of four in short runs.
func largest() int {
	if testing.Short() {
		return 4
	}
	return 5
}

func TestNumberOfGraphs(t *testing.T) {
	for d, want := range []int{1: 1, 2: 3, 3: 25, 4: 543, 5: 29281} {
		if d > 0 && len(allGraphs[d]()) != want {
			t.Errorf("%d graphs with %d vertices, want %d", len(allGraphs[d]()), d, want)
		}
	}
}

// A reference is a posterior by summation over all graphs.
type reference struct {
	logEvidence      float64
	edges, ancestors *mat.Dense
	parents          [][]float64 // by child and mask of variables
	best             parentMasks
	bestLog          float64 // ln of its probability
}

// enumerate weighs every graph with Π e^q, times its number of linear extensions if
// orders are counted.
func enumerate(s score.Scorer, prior *score.Prior, orders bool) reference {
	d := s.Vars()
	q := make([][]float64, d)
	for j := range q {
		q[j] = make([]float64, 1<<d)
		for m := range q[j] {
			if m>>j&1 == 0 {
				q[j][m] = s.LogScore(j, members(m)) + prior.LogPrior(j, members(m))
			}
		}
	}
	logs := make([]float64, len(allGraphs[d]()))
	r := reference{edges: mat.NewDense(d, d, nil), ancestors: mat.NewDense(d, d, nil),
		bestLog: math.Inf(-1)}
	r.parents = make([][]float64, d)
	for j := range r.parents {
		r.parents[j] = make([]float64, 1<<d)
	}
	top := math.Inf(-1)
	for n, g := range allGraphs[d]() {
		for j, p := range g {
			logs[n] += q[j][p]
		}
		if logs[n] > r.bestLog {
			r.best, r.bestLog = g, logs[n]
		}
		if orders {
			logs[n] += math.Log(g.extensions(1<<d - 1))
		}
		top = max(top, logs[n])
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	r.logEvidence = top + math.Log(sum)
	r.bestLog -= r.logEvidence
	for n, g := range allGraphs[d]() {
		w := math.Exp(logs[n] - r.logEvidence)
		for j, p := range g {
			r.parents[j][p] += w
			for _, i := range members(p) {
				r.edges.Set(i, j, r.edges.At(i, j)+w)
			}
			for _, i := range members(g.above(j)) {
				r.ancestors.Set(i, j, r.ancestors.At(i, j)+w)
			}
		}
	}
	return r
}

// above is the mask of the ancestors of j.
func (g parentMasks) above(j int) int {
	a := g[j]
	for again := true; again; {
		again = false
		for _, i := range members(a) {
			if g[i]&^a != 0 {
				a |= g[i]
				again = true
			}
		}
	}
	return a
}

// near compares matrices entry by entry, absolutely.
func near(t *testing.T, what string, got, want mat.Matrix, tolerance float64) {
	t.Helper()
	rows, cols := want.Dims()
	for i := range rows {
		for j := range cols {
			if diff := math.Abs(got.At(i, j) - want.At(i, j)); !(diff <= tolerance) {
				t.Errorf("%s (%d, %d) is %v, want %v within %v", what, i, j, got.At(i, j),
					want.At(i, j), tolerance)
			}
		}
	}
}

func nearNumber(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}
