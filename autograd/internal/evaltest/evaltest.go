// Package evaltest, for tests, evaluates expressions on several engines and compares what they
// give.
package evaltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	ad "tobac/autograd"
)

// Normals are draws of the standard normal distribution.
func Normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// SizeOf is the number of values of a node over all its mapped axes.
func SizeOf(n *ad.Node) int {
	size := n.Shape().Len()
	for _, a := range n.Axes() {
		size *= a.Size()
	}
	return size
}

// Room is where the results of an evaluation go.
func Room(outputs []*ad.Node) [][]float64 {
	dst := make([][]float64, len(outputs))
	for i, n := range outputs {
		dst[i] = make([]float64, SizeOf(n))
	}
	return dst
}

// Feeds are inputs that are given by their data.
func Feeds(x [][]float64) []ad.Feed {
	src := make([]ad.Feed, len(x))
	for i := range x {
		src[i].Data = x[i]
	}
	return src
}

// Eval runs the outputs once.
func Eval(t testing.TB, inputs, outputs []*ad.Node, x [][]float64, opt ad.Options) [][]float64 {
	t.Helper()
	ev, err := ad.NewEvaluator(inputs, outputs, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer ev.Close()
	dst := Room(outputs)
	if err := ev.Eval(dst, Feeds(x)); err != nil {
		t.Fatal(err)
	}
	return dst
}

// RunEngines evaluates the outputs twice on every engine and compares all runs
// with the first one: within an engine bit by bit, between engines with a
// tolerance relative to the largest element. Inputs must stay as they are.
func RunEngines(t *testing.T, engines []ad.Engine, inputs, outputs []*ad.Node, x [][]float64,
	tolerance float64) [][]float64 {
	t.Helper()
	before := make([][]float64, len(x))
	for i := range x {
		before[i] = slices.Clone(x[i])
	}
	var first [][]float64
	for _, engine := range engines {
		ev, err := ad.NewEvaluator(inputs, outputs, ad.Options{Engine: engine})
		if err != nil {
			t.Fatalf("%v engine: %v", engine, err)
		}
		defer ev.Close()
		var again [][]float64
		for range 2 {
			dst := Room(outputs)
			if err := ev.Eval(dst, Feeds(x)); err != nil {
				t.Fatalf("%v engine: %v", engine, err)
			}
			for i := range x {
				if !SameBits(x[i], before[i]) {
					t.Fatalf("%v engine changed input %d: got %v, want %v", engine, i, x[i],
						before[i])
				}
			}
			for i := range dst {
				if again != nil && !SameBits(dst[i], again[i]) {
					t.Errorf("%v engine, second run, result %d: got %v, want %v as in the first",
						engine, i, dst[i], again[i])
				}
			}
			again = dst
		}
		if first == nil {
			first = again
		}
		for i := range first {
			Compare(t, engine.String()+" engine, result "+outputs[i].String(), again[i], first[i],
				tolerance)
		}
	}
	return first
}

// Compare reports elements that differ by more than the tolerance times the
// largest finite element wanted. Infinities and NaN match themselves.
func Compare(t testing.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", what, len(got), len(want))
	}
	if k := Mismatch(got, want, tolerance); k >= 0 {
		t.Errorf("%s, element %d: got %v, want %v", what, k, got[k], want[k])
	}
}

// Mismatch is the first element that differs, or -1.
func Mismatch(got, want []float64, tolerance float64) int {
	top := 0.0
	for _, w := range want {
		if !math.IsInf(w, 0) && !math.IsNaN(w) {
			top = max(top, math.Abs(w))
		}
	}
	for k, w := range want {
		g := got[k]
		switch {
		case g == w || math.IsNaN(g) && math.IsNaN(w):
		case math.Abs(g-w) <= tolerance*top:
		default:
			return k
		}
	}
	return -1
}

// SameBits reports whether numbers are equal bit by bit.
func SameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b)
	})
}
