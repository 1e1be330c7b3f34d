package mcmc

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/must"
	"tobac/score"
)

// randomTable has six candidates whose scores spread over a range of about scale nats.
func randomTable(t *testing.T, scale float64, seed uint64) *table {
	t.Helper()
	s := score.NewFunc(8, func(j int, parents []int) float64 {
		set := uint64(0)
		for _, i := range parents {
			set |= 1 << i
		}
		return scale * rand.New(rand.NewPCG(seed, set)).NormFloat64()
	})
	p := score.Fair(8)
	p.MaxParents(5)
	base := must.Get(newTable(context.Background(), s, p, 0, []int{1, 2, 3, 4, 5, 6}))(t)
	if seed%2 == 0 {
		return base
	}
	return must.Get(base.with(context.Background(), s, p, 0, []int{7}))(t)
}

// allowed lists the sets of candidates before, with a member of layer.
func (t *table) allowed(before, layer uint32) (sets []uint32, logs []float64) {
	q := t.scores
	for set := range q {
		s := uint32(set) | t.given
		if s&^before == 0 && s&layer != 0 && !math.IsInf(q[set], -1) {
			sets, logs = append(sets, s), append(logs, q[set])
		}
	}
	return sets, logs
}

func logSum(logs []float64) float64 {
	if len(logs) == 0 {
		return math.Inf(-1)
	}
	best, sum := slices.Max(logs), 0.
	for _, l := range logs {
		sum += math.Exp(l - best)
	}
	return best + math.Log(sum)
}

// Sums over sets of parents, and the probabilities of edges, are those of going
// through the sets, for scores that spread over one or over thousands of nats.
func TestSums(t *testing.T) {
	for seed, scale := range []float64{1, 1, 30, 30, 1000, 1000, 20000, 20000} {
		tab := randomTable(t, scale, uint64(seed))
		full := tab.low | tab.given
		p := make([]float64, len(tab.parents))
		for before := range full + 1 {
			for _, layer := range []uint32{before, before & 0b101, before & 0b1000001,
				before & 0b100} {
				sets, logs := tab.allowed(before, layer)
				want, got := logSum(logs), tab.mass(before, layer).log()
				// Sums have 44 bits, and a difference may lose 23 of them.
				if !(math.Abs(got-want) <= 1e-6) && got != want {
					t.Fatalf("scale %v: sum before %b with one of %b is %v, want %v", scale, before,
						layer, got, want)
				}
				if len(sets) == 0 {
					continue
				}
				tab.marginals(p, before, layer)
				for k := range p {
					want := 0.
					for n, set := range sets {
						if set>>k&1 != 0 {
							want += math.Exp(logs[n] - logSum(logs))
						}
					}
					if !(math.Abs(p[k]-want) <= 1e-5) {
						t.Fatalf("scale %v: candidate %d before %b with one of %b has the "+
							"probability %v, want %v", scale, k, before, layer, p[k], want)
					}
				}
			}
		}
	}
}

// Sets of parents are drawn in proportion to their probabilities.
func TestDrawSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for seed, scale := range []float64{1, 1, 5, 5} {
		tab := randomTable(t, scale, uint64(seed))
		before := 0b0111011&tab.low | tab.given
		for _, layer := range []uint32{before & 0b10010, before, anySet} {
			sets, logs := tab.allowed(before, layer)
			if layer == anySet && tab.given == 0 { // and the empty set
				sets, logs = append(sets, 0), append(logs, tab.scores[0])
			}
			const n = 40000
			count := map[uint32]float64{}
			for range n {
				count[tab.draw(before, layer, rng)]++
			}
			total := 0.
			for k, set := range sets {
				p := math.Exp(logs[k] - logSum(logs))
				total += count[set]
				// About 400 comparisons: five standard errors.
				if !(math.Abs(count[set]/n-p) <= 5*math.Sqrt(p*(1-p)/n)+1e-4) {
					t.Errorf("scale %v: %b before %b with one of %b is drawn %v times of %d, "+
						"probability %v", scale, set, before, layer, count[set], n, p)
				}
			}
			if total != n {
				t.Errorf("scale %v: %v of %d sets before %b with one of %b are none", scale,
					n-total, n, before, layer)
			}
		}
	}
}

// Numbers far beyond float64 multiply, subtract and pack as their logarithms say.
func TestNumbers(t *testing.T) {
	for _, x := range []float64{-500000, -3000, -1.5, 0, 1, 400, 5000, 150000} {
		a := exponential(x)
		if got := a.log(); !(math.Abs(got-x) <= 1e-9*max(1, math.Abs(x))) {
			t.Errorf("ln exp %v = %v", x, got)
		}
		// 2^-44 is 6e-14.
		if got := a.pack().unpack(); !(math.Abs(got.over(a)-1) <= 1e-13) {
			t.Errorf("exp %v packed is off by %v", x, got.over(a)-1)
		}
		if got := a.times(exponential(-x)).log(); !(math.Abs(got) <= 1e-9*max(1, math.Abs(x))) {
			t.Errorf("exp %v · exp %v = exp %v", x, -x, got)
		}
		half, precise := a.minus(exponential(x - math.Ln2))
		if !precise || !(math.Abs(half.over(a)-0.5) <= 1e-9*max(1, math.Abs(x))) {
			t.Errorf("exp %v minus its half is %v of it", x, half.over(a))
		}
		if _, precise := a.minus(exponential(x * (1 - 1e-17))); precise {
			t.Errorf("the difference of exp %v and itself counts as precise", x)
		}
	}
	if z := (number{}); z.pack() != 0 || z.pack().unpack() != z || !math.IsInf(z.log(), -1) {
		t.Error("zero does not stay zero")
	}
}
