package vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/vector"
)

// Operations that draw compare and divide as if the numbers had been stored: bounds at
// a drawn number and beside it, and beyond the numbers that there are; every
// quotient rounded once, factors small enough to underflow included.
func TestFusedDraws(t *testing.T) {
	for _, set := range vector.Available() {
		t.Run(set.String()+"/less", func(t *testing.T) { testDrawLess(t, set) })
		t.Run(set.String()+"/shift", func(t *testing.T) { testDrawShift(t, set) })
	}
}

// drawn runs a drawing operation, and returns the numbers that it draws beside its
// results.
func drawn(t *testing.T, set vector.Set, code Code, arena ...float64) (got, u []float64) {
	t.Helper()
	const n = 3 * VectorLen
	x := New(set, arena, Size{Width: n, Full: 1, Streams: 1})
	stream := vector.NewStream(uint64(code))
	x.Streams[0] = stream
	u = make([]float64, n)
	set.Draw(u, &stream)
	x.Run(&Group{Code: []Op{{Code: code}, {Code: End}}}, n)
	if x.Streams[0] != stream {
		t.Fatalf("%v: the stream is at %v, want %v", code, x.Streams[0], stream)
	}
	return x.Full, u
}

func testDrawLess(t *testing.T, set vector.Set) {
	_, u := drawn(t, set, DrawLess, 0)
	bounds := []float64{0, math.Copysign(0, -1), 0x1p-53, math.Nextafter(0x1p-53, 1), 0x1p-1074, 1,
		math.Nextafter(1, 0), 2, -1, math.NaN(), math.Inf(1), math.Inf(-1)}
	for _, v := range u {
		bounds = append(bounds, math.Nextafter(v, 0), v, math.Nextafter(v, 1))
	}
	for _, p := range bounds {
		got, u := drawn(t, set, DrawLess, p)
		for i, v := range u {
			want := 0.0
			switch {
			case v < p:
				want = 1
			case p != p:
				want = p
			}
			if !same(got[i], want) {
				t.Errorf("1[%v < %v] is %v", v, p, got[i])
			}
		}
	}
}

func testDrawShift(t *testing.T, set vector.Set) {
	rng := rand.New(rand.NewPCG(7, 0))
	for round := range 4000 {
		p, q := 1.0, math.Exp(-5*rng.ExpFloat64())
		if round%8 == 0 {
			q = math.Exp(-720 * rng.Float64())
		}
		if round%2 == 0 {
			p, q = q, p
		}
		got, u := drawn(t, set, DrawShift, p, q)
		for i, v := range u {
			a := p * v
			fused, apart := a/math.FMA(q, 1-v, a), a/(a+q*(1-v))
			if set != vector.Portable && got[i] != fused || !(math.Abs(got[i]-apart) <= 1e-15) {
				t.Fatalf("p=%v, q=%v, u=%v: got %v, want %v", p, q, v, got[i], fused)
			}
		}
	}
}
