package mcmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac/internal/must"
	"tobac/score"
)

// A tree is a random whose draws are enumerated: [tree.leaves] runs a move along all of its
// branches.
type tree struct {
	script []float64 // what the draws are: a number below n, or one below 1
	at     int
}

// A pending is a draw beyond the script, with panic: n is 0 for Float64.
type pending struct{ n int }

func (r *tree) next(n int) float64 {
	if r.at == len(r.script) {
		panic(pending{n})
	}
	r.at++
	return r.script[r.at-1]
}

func (r *tree) IntN(n int) int   { return int(r.next(n)) }
func (r *tree) Float64() float64 { return r.next(0) }

// leaves returns the probabilities of the states that a move leads to, by name; move begins
// with the state that it moves. By what is changed at the next draw the numbers in [0, 1) with
// one effect are told from others, and their bounds found by bisection.
func (r *tree) leaves(move func(), name, changed func() string) map[string]float64 {
	out := map[string]float64{}
	run := func(script []float64) (state string, next *pending) {
		r.script, r.at = script, 0
		defer func() {
			if p := recover(); p != nil {
				wait, ok := p.(pending)
				if !ok {
					panic(p)
				}
				next = &wait
				state = fmt.Sprint(wait.n, changed())
			}
		}()
		move()
		return name(), nil
	}
	var branch func(script []float64, weight float64)
	branch = func(script []float64, weight float64) {
		script = slices.Clip(script)
		state, next := run(script)
		if next == nil {
			out[state] += weight
			return
		}
		for k := range next.n {
			branch(append(script, float64(k)), weight/float64(next.n))
		}
		if next.n > 0 {
			return
		}
		at := func(u float64) string { state, _ := run(append(script, u)); return state }
		var split func(low, high float64, first, last string) (ends []float64)
		split = func(low, high float64, first, last string) []float64 {
			middle := (low + high) / 2
			switch {
			case first == last:
				return nil
			case high-low < 1e-9:
				return []float64{middle}
			}
			m := at(middle)
			return append(split(low, middle, first, m), split(middle, high, m, last)...)
		}
		low, top := 0.0, math.Nextafter(1, 0)
		for _, high := range append(split(0, top, at(0), at(top)), 1) {
			branch(append(script, (low+high)/2), weight*(high-low))
			low = high
		}
	}
	branch(nil, 1)
	return out
}

// small is a problem of d variables with random node scores, whose tables have the first
// candidates of every variable; the others are extra parents.
func small(t *testing.T, d, candidates int) *problem {
	t.Helper()
	s := score.NewFunc(d, func(j int, parents []int) float64 {
		set := uint64(0)
		for _, i := range parents {
			set |= 1 << i
		}
		return 1.5 * rand.New(rand.NewPCG(uint64(j), set)).NormFloat64()
	})
	p := &problem{d: d, scorer: s, prior: score.Uniform(d), tables: make([]*table, d)}
	for j := range d {
		var list []int
		for k := 1; k < d && len(list) < candidates; k++ {
			list = append(list, (j+k)%d)
		}
		slices.Sort(list)
		p.tables[j] = must.Get(newTable(context.Background(), s, p.prior, j, list))(t)
	}
	p.divide()
	return p
}

// partitions are all of a problem that have a positive probability, with the logarithms of
// these by definition: sums over all sets of parents.
func (p *problem) partitions() (all []*partition, logs []float64) {
	layer, extra := make([]int, p.d), make([][]int, p.d)
	var visit func(j int)
	visit = func(j int) {
		if j < p.d {
			for layer[j] = 0; layer[j] < p.d; layer[j]++ {
				for set := range 1 << len(p.open[j]) {
					extra[j] = nil
					for _, k := range members(set) {
						extra[j] = append(extra[j], p.open[j][k])
					}
					visit(j + 1)
				}
			}
			return
		}
		for l := range slices.Max(layer) {
			if !slices.Contains(layer, l) {
				return
			}
		}
		total := 0.0
		s := newPartition(p)
		copy(s.layer, layer)
		for j := range p.d {
			s.tables[j] = p.widerTable(j, extra[j])
			sum := 0.0
			for set := range 1 << p.d {
				latest, fits := -1, set>>j&1 == 0
				for i := range p.d {
					if set>>i&1 == 1 {
						latest = max(latest, layer[i])
						fits = fits && (slices.Contains(extra[j], i) || p.tables[j].bit(i) != 0)
					} else {
						fits = fits && !slices.Contains(extra[j], i)
					}
				}
				if fits && latest == layer[j]-1 {
					sum += math.Exp(p.q(j, members(set)))
				}
			}
			total += math.Log(sum)
		}
		if !math.IsInf(total, -1) {
			s.fill()
			all, logs = append(all, s), append(logs, total)
		}
	}
	visit(0)
	return all, logs
}

func members(set int) (list []int) {
	for i := 0; set>>i != 0; i++ {
		if set>>i&1 != 0 {
			list = append(list, i)
		}
	}
	return list
}

// name is the state of a chain.
func (s *partition) name() string {
	b := make([]byte, 0, 2*len(s.layer))
	for j, l := range s.layer {
		b = append(b, byte('0'+l))
		for _, i := range s.tables[j].extras {
			b = append(b, byte('a'+i))
		}
	}
	return string(b)
}

// stale reports whether sizes, masks or weights are not those of the layers.
func (s *partition) stale(p *problem) bool {
	t := newPartition(p)
	t.copyFrom(s)
	t.fill()
	return !slices.Equal(s.size, t.size) || !slices.Equal(s.before, t.before) ||
		!slices.Equal(s.near, t.near) ||
		!slices.EqualFunc(s.weight, t.weight, func(a, b number) bool {
			return math.Abs(a.log()-b.log()) < 1e-6
		})
}

// flows are the probabilities of moves between states.
type flows map[string]map[string]float64

// check compares the flow into each state with its probability, given its logarithm up to a
// constant; in detailed balance, each with the flow back.
func (f flows) check(t *testing.T, logs map[string]float64, detailed bool) {
	t.Helper()
	total := 0.0
	for _, l := range logs {
		total += math.Exp(l)
	}
	into, moved := map[string]float64{}, false
	for x, to := range f {
		for y, p := range to {
			if _, ok := logs[y]; !ok {
				t.Fatalf("%s → %s, which has no probability", x, y)
			}
			forth, back := math.Exp(logs[x])/total*p, math.Exp(logs[y])/total*f[y][x]
			into[y] += forth
			moved = moved || x != y
			if detailed && !(math.Abs(forth-back) <= 1e-7) {
				t.Fatalf("flow %s → %s is %.9f, back %.9f", x, y, forth, back)
			}
		}
	}
	if !moved || len(f) != len(logs) {
		t.Fatalf("%d of %d states, or none moves", len(f), len(logs))
	}
	for y, p := range into {
		if want := math.Exp(logs[y]) / total; !(math.Abs(p-want) <= 1e-7) {
			t.Errorf("%s is reached with the probability %.9f, want %.9f", y, p, want)
		}
	}
}

// Every move of partitions, alone, leaves p(partition)^β as it is: the probabilities of all
// moves between all partitions are computed, with all parents as candidates and with one that
// is none. The masks and weights that a move leaves are those of its layers.
func TestMovesOfPartitions(t *testing.T) {
	for _, c := range []struct{ d, candidates, edges int }{{4, 3, 0}, {4, 2, 1}, {3, 2, 2},
		{3, 1, 0}} {
		p := small(t, c.d, c.candidates)
		all, logs := p.partitions()
		var pairs [][2]int
		for i := range c.d {
			for j := range i {
				if p.mutual([2]int{i, j}) {
					pairs = append(pairs, [2]int{j, i})
				}
			}
		}
		moves := map[string]func(c *mover, s *partition, beta float64){
			"swap": func(c *mover, s *partition, beta float64) { c.swap(s, beta) },
			"split or merge": func(c *mover, s *partition, beta float64) {
				c.splitOrMerge(s, beta)
			},
		}
		for v := range c.d {
			moves[fmt.Sprint("relocate ", v)] = func(c *mover, s *partition, beta float64) {
				c.relocate(s, v, beta)
			}
		}
		if c.candidates < c.d-1 {
			moves["edges outside"] = func(c *mover, s *partition, beta float64) {
				c.edgeMoves(s, 0, 1, beta, &moveCounts{})
			}
		}
		if len(pairs) > 0 {
			moves["edges, an aimed one"] = func(c *mover, s *partition, beta float64) {
				c.undecided = pairs
				c.edgeMoves(s, 1, 0, beta, &moveCounts{})
				c.undecided = nil
			}
		}
		for n := 1; n <= c.edges; n++ {
			moves[fmt.Sprint("edges ", n)] = func(c *mover, s *partition, beta float64) {
				c.edgeMoves(s, n, 0, beta, &moveCounts{})
			}
		}
		for name, move := range moves {
			for _, beta := range []float64{1, 0.3} {
				t.Run(fmt.Sprintf("%d of %d candidates, %s, β = %v", c.candidates, c.d-1, name,
					beta), func(t *testing.T) {
					r, got, want := &tree{}, flows{}, map[string]float64{}
					m, s := newMover(p, r), newPartition(p)
					for k, from := range all {
						want[from.name()] = beta * logs[k]
						got[from.name()] = r.leaves(func() {
							s.copyFrom(from)
							move(m, s, beta)
							if s.stale(p) {
								t.Fatalf("%s → %s: masks or weights are not those of the layers",
									from.name(), s.name())
							}
						}, s.name, func() string { return s.name() + fmt.Sprint(m.graph.parents) })
					}
					got.check(t, want, !strings.HasPrefix(name, "edges"))
				})
			}
		}
	}
}

// Exchanges leave the product of the tempered distributions of two rungs as it is.
func TestExchange(t *testing.T) {
	p := small(t, 3, 2)
	all, logs := p.partitions()
	r, got, want := &tree{}, flows{}, map[string]float64{}
	c := &chain{mover: newMover(p, r), betas: []float64{1, 0.3}, swaps: make([]counter, 1),
		recent: make([]counter, 1)}
	name := func() string { return c.rungs[0].name() + c.rungs[1].name() }
	for i, cold := range all {
		for k, hot := range all {
			pair := []*partition{cold, hot}
			key := cold.name() + hot.name()
			want[key] = logs[i] + 0.3*logs[k]
			got[key] = r.leaves(func() { c.rungs = slices.Clone(pair); c.exchange(0) }, name, name)
		}
	}
	got.check(t, want, true)
}
