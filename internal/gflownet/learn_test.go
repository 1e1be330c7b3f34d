package gflownet

import (
	"math"
	"slices"
	"testing"

	"tobac/internal/must"
)

// TestStep follows one step of the optimiser: the gradient of a batch against differences of
// the loss by the naive networks, and the first step of Adam by hand; what is not finite is
// left out and counted; a large gradient is cut.
func TestStep(t *testing.T) {
	for _, policy := range []Policy{Graph, Small} {
		const d = 3
		r := must.Get(newReward(pseudo(d), nil))(t)
		set := Settings{Policy: policy, Width: 8, Batch: 4, Prefill: 12, Iterations: 10, Clip: 1e-3,
			Refresh: 1}.WithDefaults(d)
		l := must.Get(newLearner(r, set, 1, 3))(t)
		defer l.close()
		for k := range 12 {
			must.Do(t, l.iterate(k))
		}
		c := newNetworkCase(set, d) // weights none of which is 0
		for k := range l.weights {
			copy(l.weights[k], c.weights[k])
		}
		copy(l.allTarget, l.all)
		must.Do(t, l.descend(12))
		after, target := slices.Clone(l.all), slices.Clone(l.allTarget)
		for k := range l.weights {
			copy(l.weights[k], c.weights[k]) // the loss program still has the batch
		}
		must.Do(t, l.loss.eval(l.weights))
		gradient := slices.Clone(l.loss.flat)
		if got, want := l.loss.loss[0], l.naiveLoss(c); !(math.Abs(got-want) <= 1e-10) {
			t.Errorf("%v: loss %v, want %v", policy, got, want)
		}
		norm := 0.0
		for _, v := range gradient {
			norm += v * v
		}
		norm = math.Sqrt(norm)
		at := 0
		for k := range c.weights {
			i := (7 * k) % len(c.weights[k])
			w, g := &c.weights[k][i], gradient[at+i]
			const h = 1e-5
			was := *w
			*w = was + h
			up := l.naiveLoss(c)
			*w = was - h
			down := l.naiveLoss(c)
			*w = was
			if want := (up - down) / (2 * h); !(math.Abs(g-want) <= 1e-6*(1+norm)) {
				t.Errorf("%v: derivative by weight %d of array %d is %v, differences say %v",
					policy, i, k, g, want)
			}
			cut := g * min(1, 1e-3/norm)
			if got, want := after[at+i]-was,
				-set.rate(12)*cut/(math.Abs(cut)+1e-8); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%v: weight %d of array %d moved by %v, want %v", policy, i, k, got, want)
			}
			at += len(c.weights[k])
		}
		if !slices.Equal(after, target) {
			t.Errorf("%v: the target network is not the network after a step that refreshes it",
				policy)
		}
		before := slices.Clone(l.all)
		l.loss.flat[2] = math.NaN()
		l.update(13)
		if l.skipped != 1 || l.optimiser.Count != 1 || !slices.Equal(l.all, before) {
			t.Errorf("%v: %d skipped, %d updates after a gradient that is no number, want 1 and "+
				"1, and the same weights", policy, l.skipped, l.optimiser.Count)
		}
	}
}

// naiveLoss is the mean loss of the batch by the naive network.
func (l *learner) naiveLoss(c *networkCase) (loss float64) {
	n, b := c.d*c.d, l.loss
	seen := len(b.seen) / b.size
	for k := range b.size {
		edges, stop := (&networkCase{set: c.set, d: c.d, weights: c.weights,
			seen: b.seen[k*seen : (k+1)*seen]}).naive()
		stop += b.stop[k]
		sum := 0.0
		for a := range edges {
			if edges[a] += b.base[k*n+a]; b.allowed[k*n+a] == 1 {
				sum += math.Exp(edges[a])
			}
		}
		logEdge := edges[int(b.action[k])] - math.Log(sum) - softplus(stop)
		loss += huberLoss(b.given[k]-logEdge-softplus(-stop)) / float64(b.size)
	}
	return loss
}

// TestSchedules: who acts when, and how fast the network learns.
func TestSchedules(t *testing.T) {
	paper := Settings{Policy: Paper}.WithDefaults(11)
	for _, c := range []struct {
		iteration     int
		exploit, rate float64
	}{{0, 0, 1e-5}, {999, 0, 1e-5}, {26_000, 0.45, 1e-5}, {51_000, 0.9, 1e-5},
		{100_999, 0.9, 1e-5}} {
		if got := paper.exploit(c.iteration); !(math.Abs(got-c.exploit) <= 1e-12) {
			t.Errorf("paper, iteration %d: exploit %v, want %v", c.iteration, got, c.exploit)
		}
		if got := paper.rate(c.iteration); got != c.rate {
			t.Errorf("paper, iteration %d: rate %v, want %v", c.iteration, got, c.rate)
		}
	}
	graph := Settings{Policy: Graph, Iterations: 1000, Prefill: -1}.WithDefaults(11)
	for _, c := range []struct {
		iteration     int
		exploit, rate float64
	}{{0, 0.9, 1e-3}, {500, 0.9, 1e-3}, {750, 0.9, 5e-4}, {1000, 0.9, 0}} {
		if got := graph.exploit(c.iteration); got != c.exploit {
			t.Errorf("graph, iteration %d: exploit %v, want %v", c.iteration, got, c.exploit)
		}
		if got := graph.rate(c.iteration); !(math.Abs(got-c.rate) <= 1e-15) {
			t.Errorf("graph, iteration %d: rate %v, want %v", c.iteration, got, c.rate)
		}
	}
}

// TestBytes: what is kept grows with the network, the batch and the buffer.
func TestBytes(t *testing.T) {
	last := int64(0)
	for _, set := range []Settings{{Policy: Exact}, {Policy: Graph},
		{Policy: Graph, Buffer: 1_000_000}, {Policy: Paper}} {
		got := Bytes(5, set, 1)
		if got <= last {
			t.Errorf("%v: %d bytes, want more than %d", set.Policy, got, last)
		}
		last = got
	}
	if got := Bytes(20, Settings{Policy: Paper}, 1); got < 4e9 {
		t.Errorf("the paper's network of twenty variables: %d bytes, want some gigabytes", got)
	}
}
