package mcmc

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/score"
)

// Descendants and longest paths of graphs of one, two and three words are those of relaxation.
func TestGraphsOfManyWords(t *testing.T) {
	for _, d := range []int{5, 63, 64, 65, 130} {
		rng := rand.New(rand.NewPCG(uint64(d), 1))
		g, order := newGraph(d), rng.Perm(d)
		place, edges := make([]int, d), 0
		for k, j := range order {
			place[j] = k
		}
		for range 3 * d / 2 {
			i, j := rng.IntN(d), rng.IntN(d)
			if place[i] < place[j] {
				g.toggle(i, j)
			}
		}
		layer := make([]int, d)
		g.layers(layer)
		for _, j := range order {
			parents := g.list(j)
			edges += len(parents)
			want := 0
			for _, i := range parents {
				want = max(want, layer[i]+1)
			}
			if layer[j] != want || g.degree[j] != len(parents) || !slices.IsSorted(parents) {
				t.Errorf("d = %d: node %d with the parents %v and the degree %d has layer %d, want %d", d, j, parents, g.degree[j], layer[j], want)
			}
		}
		for from := range d {
			reached := make([]bool, d)
			reached[from] = true
			for _, j := range order[place[from]:] {
				for _, i := range g.list(j) {
					reached[j] = reached[j] || reached[i]
				}
			}
			g.search(from)
			for j, want := range reached {
				if g.isReached(j) != want {
					t.Fatalf("d = %d, %d edges: %d is reached from %d: %v, want %v", d, edges, j, from, !want, want)
				}
			}
		}
	}
}

// The search climbs to the most probable graph, knows the probability of each edge given the others; and where it begins at one that no few changes lead to, it comes back to it from everywhere.
func TestClimb(t *testing.T) {
	p := small(t, 4, 3)
	all, _ := p.partitions()
	best := math.Inf(-1)
	for _, s := range all {
		total := 0.0
		for j := range p.d {
			largest := s.tables[j].scores[0]
			if s.layer[j] > 0 {
				largest = s.tables[j].walk(s.before[j], s.near[j], func(uint32, float64) {})
			}
			total += largest + s.tables[j].offset
		}
		best = max(best, total)
	}
	hidden := &problem{d: 6, prior: score.Uniform(6), scorer: score.NewFunc(6, func(j int, parents []int) float64 {
		if j > 2 && slices.Equal(parents, []int{0, 1, 2}) {
			return 50
		}
		return -float64(len(parents))
	})}
	for seed := range uint64(20) {
		c, h := newClimber(p, rand.New(rand.NewPCG(seed, 3))), newClimber(hidden, rand.New(rand.NewPCG(seed, 3)))
		for i := range 6 {
			for j := range 6 {
				if h.graph.has(i, j) != (i < 3 && j > 2) {
					h.graph.toggle(i, j)
				}
			}
		}
		for _, c := range []*climber{c, h} {
			if err := c.climb(context.Background()); err != nil {
				t.Fatal(err)
			}
			total := 0.0
			for j := range c.d {
				total += c.q(j, c.graph.list(j))
			}
			if want := map[int]float64{4: best, 6: 150}[c.d]; !(math.Abs(total-want) <= 1e-9) || !(math.Abs(c.total()-total) <= 1e-9) {
				t.Errorf("seed %d: ln p is %v of a graph of %d variables, %v by its changes, want %v", seed, total, c.d, c.total(), want)
			}
			values := make([]float64, c.d*c.d)
			c.addValues(values)
			for j := range c.d {
				c.graph.search(j)
				for i := range c.d {
					others := slices.DeleteFunc(slices.Clone(c.graph.list(j)), func(k int) bool { return k == i })
					want := 0.0 // of a cycle
					if i != j && !c.graph.isReached(i) {
						want = 1 / (1 + math.Exp(c.q(j, others)-c.q(j, insert(slices.Clone(others), i))))
					}
					if got := values[j*c.d+i]; !(math.Abs(got-want) <= 1e-12) {
						t.Errorf("seed %d: %d → %d has the probability %v, want %v", seed, i, j, got, want)
					}
				}
			}
		}
	}
}

// A child has as many candidates as are asked for, or as are required, the most valuable, and never a forbidden one.
func TestCandidates(t *testing.T) {
	const d = 5
	prior := score.Uniform(d)
	prior.Require(4, 0)
	prior.Require(3, 0)
	prior.Forbid(1, 2)
	value := make([]float64, d*d)
	for k := range value {
		value[k] = float64(k % d) // of larger parents more
	}
	value[0*d+4], value[0*d+3] = math.Inf(1), math.Inf(1)
	for most, want := range map[int][][]int{
		1: {{3, 4}, {4}, {4}, {4}, {3}},
		2: {{3, 4}, {3, 4}, {3, 4}, {2, 4}, {2, 3}},
		4: {{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 3, 4}, {0, 1, 2, 4}, {0, 1, 2, 3}},
	} {
		m := &Sampler{problem: &problem{d: d, prior: prior}, options: Options{Candidates: most}}
		for j, got := range m.candidates(value) {
			if !slices.Equal(got, want[j]) {
				t.Errorf("%d candidates of %d: %v, want %v", most, j, got, want[j])
			}
		}
	}
}
