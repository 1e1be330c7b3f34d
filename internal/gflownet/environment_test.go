package gflownet

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	_ "tobac/internal/rapidseed"
	"tobac/score"

	"pgregory.net/rapid"
)

// pseudo is a score of any sets of parents, with differences of both signs.
func pseudo(d int) score.Scorer {
	return score.NewFunc(d, func(j int, parents []int) float64 {
		h := uint64(j + 1)
		for _, i := range parents {
			h = (h*31 + uint64(i+1)) * 0x9e3779b97f4a7c15
		}
		return 3*float64(h>>40)/(1<<24) - float64(len(parents))
	})
}

// TestEnvironment builds graphs edge by edge: the allowed edges are those that a search for
// cycles allows, the differences add up to the difference of the log rewards, and to begin
// anew leaves nothing behind.
func TestEnvironment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 9).Draw(t, "variables")
		prior := score.Fair(d)
		prior.MaxParents(rapid.IntRange(1, d).Draw(t, "most parents"))
		if d > 2 {
			prior.Require(0, 2)
			prior.Forbid(1, 0)
		}
		r := must.Get(newReward(pseudo(d), prior))(t)
		s := newState(d)
		s.copy(&r.start)
		delta := make([]float64, d*d)
		sum := r.total(&s)
		for {
			g := s.graph()
			if got := r.logReward(g); !(math.Abs(got-sum) <= 1e-9) {
				t.Fatalf("log reward %v of %v, want the sum of the differences %v", got, g.Edges(),
					sum)
			}
			var allowed []int
			count := r.deltas(delta, &s)
			for i := range d {
				for j := range d {
					want := i != j && !g.Has(i, j) && !prior.Forbidden(i, j)
					if want {
						h := g.Clone()
						h.Set(i, j, true)
						want = h.Acyclic() && !math.IsInf(prior.LogPrior(j, h.Parents(j)), -1)
					}
					if got := !math.IsInf(delta[i*d+j], -1); got != want {
						t.Fatalf("%d → %d allowed after %v: got %v, want %v", i, j, g.Edges(), got,
							want)
					}
					if want {
						allowed = append(allowed, i*d+j)
					}
				}
			}
			if count != len(allowed) || r.removable(&s) != g.Size()-r.start.edges {
				t.Fatalf("got %d allowed and %d removable edges, want %d and %d", count,
					r.removable(&s), len(allowed), g.Size()-r.start.edges)
			}
			if len(allowed) == 0 {
				break
			}
			a := rapid.SampledFrom(allowed).Draw(t, "edge")
			sum += delta[a]
			s.add(a/d, a%d)
		}
		s.reset()
		if fresh := newState(d); s.edges != 0 || !s.graph().Equal(fresh.graph()) ||
			s.ancestors[0] != 1 {
			t.Fatal("a state that begins anew is not empty")
		}
	})
}

// TestReplay puts more transitions into a ring than it holds.
func TestReplay(t *testing.T) {
	const d, capacity = 5, 7
	r, rng := newRing(d, capacity), rand.New(rand.NewPCG(1, 2))
	var graphs []*dag.Graph
	var actions []int
	for k := range 20 {
		s := newState(d)
		for range 4 {
			if i, j := rng.IntN(d), rng.IntN(d); s.open(j)>>i&1 == 1 {
				s.add(i, j)
			}
		}
		graphs, actions = append(graphs, s.graph()), append(actions, k)
		r.put(&s, k)
	}
	s := newState(d)
	for k := range capacity {
		last := k + 14 // the ring holds 14 to 20
		if last > 19 {
			last -= capacity
		}
		if got := r.get(&s, k); got != actions[last] || !s.graph().Equal(graphs[last]) {
			t.Errorf("transition %d: got edge %d from %v, want %d from %v", k, got,
				s.graph().Edges(), actions[last], graphs[last].Edges())
		}
	}
	counts, chosen := make([]int, capacity), make([]int, 3)
	for range 7000 {
		r.sample(chosen, rng)
		if chosen[0] == chosen[1] || chosen[1] == chosen[2] || chosen[0] == chosen[2] {
			t.Fatalf("sample %v has a transition twice", chosen)
		}
		for _, k := range chosen {
			counts[k]++
		}
	}
	for k, n := range counts { // 3000 each; the standard deviation is 41
		if n < 2800 || n > 3200 {
			t.Errorf("transition %d was drawn %d times, want about 3000", k, n)
		}
	}
}

// TestOracle: every transition of the exact policy has the loss 0, and the exact
// policy compared with itself differs in nothing.
func TestOracle(t *testing.T) {
	for _, d := range []int{3, 4} {
		r := must.Get(newReward(pseudo(d), score.Fair(d)))(t)
		f := must.Get(newFlows(t.Context(), r, 1))(t)
		policies := make([][]float64, f.Graphs())
		for i := range policies {
			policies[i] = make([]float64, d*d+1)
			f.logPolicy(policies[i], i)
			total := 0.0
			for _, v := range policies[i] {
				total += math.Exp(v)
			}
			if !(math.Abs(total-1) <= 1e-12) {
				t.Errorf("d = %d, graph %d: the policy sums to %v, want 1", d, i, total)
			}
		}
		for i := range policies {
			for _, next := range f.next[i] {
				delta := f.logR[next.state] - f.logR[i]
				e := delta - math.Log(float64(1+f.states[i].edges)) - policies[i][next.action] +
					policies[i][d*d] - policies[next.state][d*d]
				if loss := huberLoss(e); loss > 1e-20 {
					t.Errorf("d = %d: loss %v of the edge %d after graph %d, want 0", d, loss,
						next.action, i)
				}
			}
		}
		if c := f.compare(policies); c.TotalVariation > 1e-12 || c.Loss > 1e-18 ||
			c.Marginal > 1e-12 {
			t.Errorf("d = %d: the exact policy differs from itself: %+v", d, c)
		}
	}
}

// TestTabular trains a policy that has a logit of its own for every action of every
// graph, by the loss on all transitions and a target that follows from time to time.
func TestTabular(t *testing.T) {
	const d = 3
	r := must.Get(newReward(pseudo(d), nil))(t)
	f := must.Get(newFlows(t.Context(), r, 1))(t)
	logits, policies := make([][]float64, f.Graphs()), make([][]float64, f.Graphs())
	for i := range logits {
		logits[i], policies[i] = make([]float64, d*d+1), make([]float64, d*d+1)
	}
	policy := func() {
		for i, next := range f.next {
			sum := 0.0
			for _, n := range next {
				sum += math.Exp(logits[i][n.action])
			}
			policies[i][d*d] = -softplus(-logits[i][d*d])
			if len(next) == 0 {
				policies[i][d*d] = 0
			}
			for _, n := range next {
				policies[i][n.action] = logits[i][n.action] - math.Log(sum) -
					softplus(logits[i][d*d])
			}
		}
	}
	policy()
	before := f.compare(policies)
	target := make([]float64, f.Graphs())
	for step := range 2000 {
		if step%10 == 0 {
			for i := range target {
				target[i] = policies[i][d*d]
			}
		}
		for i, next := range f.next {
			open := 1 - math.Exp(policies[i][d*d]) // to any edge
			gradient := make([]float64, d*d+1)
			for _, n := range next {
				e := f.logR[n.state] - f.logR[i] - math.Log(float64(1+f.states[i].edges)) -
					policies[i][n.action] + policies[i][d*d] - target[n.state]
				slope := max(-1, min(1, e))
				gradient[d*d] += slope
				gradient[n.action] -= slope
				for _, o := range next {
					gradient[o.action] += slope * math.Exp(policies[i][o.action]) / open
				}
			}
			for a, v := range gradient {
				logits[i][a] -= 0.2 * v
			}
		}
		policy()
	}
	if c := f.compare(policies); !(before.TotalVariation > 0.2) || c.TotalVariation > 1e-3 {
		t.Errorf("total variation %v before and %v after training, want more than 0.2 and less "+
			"than 0.001", before.TotalVariation, c.TotalVariation)
	}
}

// TestGuide: V₁ is at most the true value, V is at least V₁, and both are right where
// nothing follows the next edge.
func TestGuide(t *testing.T) {
	for _, d := range []int{2, 3, 4} {
		r := must.Get(newReward(pseudo(d), nil))(t)
		f := must.Get(newFlows(t.Context(), r, 1))(t)
		g, last := newGuide(r, Guided), 0
		for i := range f.states {
			s := &f.states[i]
			if r.deltas(g.delta, s) == 0 {
				continue
			}
			first, exact := nextValue(g.delta, s.edges), f.logF[i]-f.logR[i]
			v := g.value(s)
			if first > exact+1e-12 || v < first {
				t.Errorf("d = %d, graph %d: V₁ %v, V %v, exact %v, want V₁ below both", d, i, first,
					v, exact)
			}
			if s.edges == d*(d-1)/2-1 {
				last++
				if !(math.Abs(first-exact) <= 1e-12) {
					t.Errorf("d = %d, graph %d lacks one edge: V₁ %v, want %v", d, i, first, exact)
				}
			}
		}
		if last == 0 {
			t.Errorf("d = %d: no graph lacks one edge", d)
		}
	}
}
