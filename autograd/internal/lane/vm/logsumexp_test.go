package vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/must"
	"tobac/internal/vector"
)

// plainParts are the largest number and what is left of ln Σ eˣ: 0 where the largest is
// no finite number.
func plainParts(x []float64) (top, rest float64) {
	top = math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top, 0
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - top)
	}
	return top, math.Log(s)
}

// wantParts compares a log-sum-exp and its parts with the definition: the largest to the
// bit, the rest and their sum to rounding.
func wantParts(t *testing.T, what string, x []float64, sum, top, rest float64) {
	t.Helper()
	wantTop, wantRest := plainParts(x)
	if wantTop == 0 { // of zeros of both signs either is the largest
		top += 0
		wantTop += 0
	}
	if !same(top, wantTop) || !closeTo(rest, wantRest, 4e-15, 1) || !same(sum, top+rest) {
		t.Errorf("%s of %v: got %v = %v + %v, want %v + %v", what, x, sum, top, rest, wantTop,
			wantRest)
	}
}

// Log-sum-exps over registers and over lanes, which leave the largest number and the rest
// as well, on special numbers too; lanes that do not count are none.
func TestLogSumExpParts(t *testing.T) {
	const n, sources = 2 * VectorLen, 5
	const total = sources // register of the result
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(11, 0))
		for round := range 200 {
			count := 1 + rng.IntN(n)
			x := New(set, []float64{8: 0}, Size{Width: n, Full: sources + 1})
			copy(x.Full, sample(rng, sources*n, round%2 == 1))
			g := &Group{Args: []int32{0, 1, 2, 3, 4}, Code: []Op{
				{Code: LogSumExpOf, Dst: total, A: 0, B: sources},
				{Code: LogSumExp, Dst: 0, A: 2, B: 1},
				{Code: MaxLanes, Dst: 3, A: 2},
				{Code: ShiftConst, Dst: 4, A: 3, B: 5},
				{Code: End},
			}}
			bounds := Bounds{Set: set, Size: Size{Width: n, Full: sources + 1},
				Numbers: len(x.Arena)}
			must.Do(t, g.Verify(bounds, false))
			x.Run(g, count)
			for l := range n {
				var column []float64
				for r := range sources {
					column = append(column, x.Full[r*n+l])
				}
				top, rest := plainParts(column)
				if got, want := x.Full[total*n+l], top+rest; !same(got, want) &&
					!(math.Abs(got-want) <= 1e-14*(math.Abs(top)+rest)) {
					t.Errorf("%v: registers of %v: got %v, want %v", set, column, got, want)
				}
			}
			m, lanes := x.Arena, x.Full[2*n:][:count]
			wantParts(t, "lanes", lanes, m[0], m[1], m[2])
			if largest, _ := plainParts(lanes); m[3] != largest && !same(m[3], largest) {
				t.Errorf("%v: the largest of %v is %v, want %v", set, lanes, m[3], largest)
			}
			if log := math.Log(float64(count)); !same(m[5], m[3]) || m[6] != log ||
				!same(m[4], m[3]+log) {
				t.Errorf("%v: %v in %d lanes: got %v = %v + %v", set, m[3], count, m[4], m[5], m[6])
			}
		}
	}
}
