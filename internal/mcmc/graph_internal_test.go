package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/nodescore"
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
		lists := make([][]int, d)
		for range 3 * d / 2 {
			i, j := rng.IntN(d), rng.IntN(d)
			if place[i] < place[j] && !slices.Contains(lists[j], i) {
				lists[j] = nodescore.Toggled(lists[j], i)
			}
		}
		tables := make([]*table, d)
		for j, list := range lists {
			tables[j] = &table{parents: list}
		}
		g.clear(tables)
		for j, list := range lists {
			g.set(j, 1<<len(list)-1)
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
				t.Errorf("d = %d: node %d with the parents %v and the degree %d has layer %d, "+
					"want %d", d, j, parents, g.degree[j], layer[j], want)
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
					t.Fatalf("d = %d, %d edges: %d is reached from %d: %v, want %v", d, edges, j,
						from, !want, want)
				}
			}
		}
	}
}

// A child has as many candidates as are asked for, or as are required, the most valuable, and never
// a forbidden one.
func TestCandidates(t *testing.T) {
	const d = 5
	prior := score.Uniform(d)
	prior.Require(4, 0)
	prior.Require(3, 0)
	prior.Forbid(1, 2)
	value := make([]float64, d*d)
	for k := range value {
		value[k] = float64(k%d) / 8 // of larger parents more
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

// Beyond the four best, worthless variables are no candidates, nor are certain parents where more
// than enough are likely.
func TestWorthlessCandidates(t *testing.T) {
	const d = 9
	m := &Sampler{problem: &problem{d: d, prior: score.Uniform(d)}, options: Options{Candidates: 8}}
	value := make([]float64, d*d)
	for i := range d {
		value[0*d+i] = worthless * float64(i) / 3 // 3 to 8 are worth it
		value[1*d+i] = worthless * float64(i) / 9
	}
	for i := range d {
		value[2*d+i] = 1 - float64(i)/100 // too many, of which 0 is certain
	}
	m.options.Candidates = 6
	lists := m.candidates(value)
	if got, want := fmt.Sprint(lists[:3]), "[[3 4 5 6 7 8] [5 6 7 8] [1 3 4 5 6 7]]"; got != want {
		t.Errorf("candidates %s, want %s", got, want)
	}
}
