package stream_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/internal/must"
	"tobac/internal/stream"
)

// places are n small places that differ.
func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 5 + i
	}
	return list
}

// Seed, purpose and every place select a stream of their own, and the same ones
// give the same stream.
func TestStreamsDiffer(t *testing.T) {
	names := map[[2]uint64]string{}
	for _, p := range stream.Purposes() {
		at := [][]int{places(p.Places())}
		for k := range p.Places() {
			other := places(p.Places())
			other[k]++
			at = append(at, other)
		}
		for _, seed := range []uint64{0, 3, math.MaxUint64} {
			for _, place := range at {
				name := fmt.Sprintf("%v of seed %d at %v", p, seed, place)
				rng := stream.New(seed, p, place...)
				got := [2]uint64{rng.Uint64(), rng.Uint64()}
				if before, taken := names[got]; taken {
					t.Errorf("%s and %s are the same stream", before, name)
				}
				names[got] = name
				again := stream.New(seed, p, place...)
				if g := [2]uint64{again.Uint64(), again.Uint64()}; g != got {
					t.Errorf("%s begins with %x, then with %x", name, got, g)
				}
			}
		}
	}
}

// The texts of a keyed stream fill the key to the end at most, and hold no zero,
// on which the promise rests that keys differ.
func TestTextsFitTheKey(t *testing.T) {
	texts := map[string]bool{}
	for _, p := range stream.Purposes() {
		text := p.String()
		if text == "" || strings.ContainsRune(text, 0) || texts[text] {
			t.Errorf("purpose %d has the text %q, want one of its own without zero bytes", p, text)
		}
		texts[text] = true
		if n := 8 + 8*p.Places() + len(text); p.Keyed() && n > 32 {
			t.Errorf("the key of %q has %d bytes, want at most 32", text, n)
		}
	}
}

// The published values of SplitMix64: the first outputs for the state 1234567,
// from https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64.
func TestMixIsSplitMix64(t *testing.T) {
	want := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423,
		4593380528125082431, 16408922859458223821}
	state := uint64(1234567)
	for i, w := range want {
		if got := stream.Mix(state); got != w {
			t.Errorf("output %d: got %d, want %d", i, got, w)
		}
		state += 0x9e3779b97f4a7c15
	}
}

// A stream whose state is saved in the middle goes on where it was.
func TestSourceIsResumed(t *testing.T) {
	for _, p := range stream.Purposes() {
		at := places(p.Places())
		src := stream.NewSource(3, p, at...)
		for range 5 {
			src.Uint64()
		}
		state := must.Get(src.MarshalBinary())(t)
		again := stream.NewSource(4, p, at...)
		must.Do(t, again.UnmarshalBinary(state))
		for k := range 100 {
			if got, want := again.Uint64(), src.Uint64(); got != want {
				t.Fatalf("%v: number %d after the restored state is %d, want %d", p, k, got, want)
			}
		}
	}
}

func TestWrongPlacesPanic(t *testing.T) {
	for _, f := range []func(){
		func() { stream.New(1, stream.SimulatedGraph, 3) },
		func() { stream.Seed(1, stream.SoftGraphs, 3) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok ||
					!strings.HasPrefix(text, "stream: got 1 places for ") {
					t.Errorf("recovered %q, want a panic about places", text)
				}
			}()
			f()
		}()
	}
}

// A sampler asks for the seed of a step and particle in every step.
func TestSeedDoesNotAllocate(t *testing.T) {
	var sum uint64
	step := 0
	if got := testing.AllocsPerRun(100, func() {
		sum += stream.Seed(7, stream.SoftGraphs, step, 3)
		step++
	}); got > 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

// Choose draws every place as often as its weight says, and the last one where weights are cut off.
func TestChoose(t *testing.T) {
	rng := stream.New(1, stream.PosteriorOrders)
	weights, count := []float64{0, 0.25, 0.75}, make([]float64, 3)
	const n = 10_000
	for range n {
		count[stream.Choose(rng, weights)] += 1. / n
	}
	for k, w := range weights {
		if d := count[k] - w; d < -0.02 || d > 0.02 || w == 0 && d != 0 {
			t.Errorf("place %d: %v of the draws, want %v", k, count[k], w)
		}
	}
	if got := stream.Choose(rng, []float64{0, 0, 1e-300}); got != 2 {
		t.Errorf("place %d, want the last", got)
	}
}
