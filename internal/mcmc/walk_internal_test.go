package mcmc

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sets by their ranks give the sums that all subsets give.
func TestWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, scale := range []float64{0.1, 1, 10, 300} {
		q := make([]float64, 1<<13)
		for set := range q {
			q[set] = scale * rng.NormFloat64()
			if rng.IntN(10) == 0 {
				q[set] = math.Inf(-1)
			}
		}
		tab := &table{scores: q}
		for range 50 {
			before := uint32(rng.IntN(len(q))) | 0b1110100100101 // more than ten are walked by rank
			layer := before & uint32(rng.IntN(len(q))) & uint32(rng.IntN(len(q)))
			if rng.IntN(3) == 0 {
				layer = anySet
			}
			sum := func(into map[uint32]float64) func(uint32, float64) {
				return func(set uint32, w float64) { into[set] += w; into[1<<31] += w }
			}
			got, want := map[uint32]float64{}, map[uint32]float64{}
			best, wantBest := tab.walk(before, layer, sum(got)),
				walkAll(q, before, layer, sum(want))
			if best != wantBest {
				t.Fatalf("scale %v: best of %b with one of %b is %v, want %v", scale, before, layer,
					best, wantBest)
			}
			for set, w := range want {
				if !(math.Abs(got[set]-w) <= 1e-11*want[1<<31]) {
					t.Fatalf("scale %v: %b of %b with one of %b weighs %v, want %v", scale, set,
						before, layer, got[set], w)
				}
			}
		}
	}
}

// Few possible sets are visited as all subsets are, bit by bit.
func TestWalkFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	q := make([]float64, 1<<10)
	for set := range q {
		q[set] = math.Inf(-1)
		if bits.OnesCount(uint(set)) <= 2 {
			q[set] = 20 * rng.NormFloat64()
		}
	}
	few := possibleSets(q, len(q)/16)
	if len(few) != 1+10+45 || possibleSets(q[:64], 4) != nil {
		t.Fatalf("%d possible sets of 1024, want 56; %v of 64, want nil, as 22 are more than a "+
			"sixteenth", len(few), possibleSets(q[:64], 4))
	}
	tab := &table{scores: q, few: few}
	for range 200 {
		before := uint32(rng.IntN(len(q)))
		layer := before & uint32(rng.IntN(len(q)))
		if rng.IntN(3) == 0 {
			layer = anySet
		}
		var got, want []scoredSet
		into := func(list *[]scoredSet) func(uint32, float64) {
			return func(set uint32, w float64) { *list = append(*list, scoredSet{set, w}) }
		}
		best, wantBest := tab.walk(before, layer, into(&got)),
			walkAll(q, before, layer, into(&want))
		if best != wantBest || !slices.Equal(got, want) {
			t.Fatalf("%b with one of %b: %v of best %v, want %v of %v", before, layer, got, best,
				want, wantBest)
		}
	}
}
