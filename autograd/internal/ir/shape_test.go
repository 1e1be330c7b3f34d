package ir_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/autograd/internal/ir"
)

// Every pair of shapes of up to three dimensions has the common shape that both expand to, and no
// other, if there is one.
func TestBroadcast(t *testing.T) {
	all, from := []ir.Shape{{}}, 0
	for range 3 {
		until := len(all)
		for _, s := range all[from:until] {
			for d := 1; d <= 3; d++ {
				all = append(all, append(s[:len(s):len(s)], d))
			}
		}
		from = until
	}
	for _, s := range all {
		for _, u := range all {
			got, ok := ir.Broadcast(s, u)
			var common []ir.Shape
			for _, c := range all {
				if len(c) == max(len(s), len(u)) && s.ExpandsTo(c) && u.ExpandsTo(c) &&
					(c.Len() <= s.Len()*u.Len()) {
					common = append(common, c)
				}
			}
			least := -1
			for k, c := range common {
				if least < 0 || c.Len() < common[least].Len() {
					least = k
				}
			}
			if ok != (least >= 0) || ok && !got.Equal(common[least]) {
				t.Errorf("%v and %v: %v, %v, want one of %v", s, u, got, ok, common)
			}
		}
	}
}

// Rows of bits have the bits that they were packed from, alone and together.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, cols := range []int{1, 63, 64, 65, 127, 128, 129, 200} {
		const rows = 3
		set := make([][]bool, rows)
		for i := range set {
			set[i] = make([]bool, cols)
			for j := range set[i] {
				set[i][j] = rng.IntN(3) == 0
			}
		}
		r := ir.PackRows(rows, cols, slices.Concat(set...))
		either, some := make([]uint64, len(r.Row(0))), make([]uint64, len(r.Row(0)))
		ir.Or(either, r.Row(0))
		ir.Or(either, r.Row(1))
		any := ir.OrAnd(some, r.Row(1), r.Row(2))
		both, wantEither := 0, 0
		for j := range cols {
			for i := range rows {
				if r.Has(i, j) != set[i][j] {
					t.Errorf("%d columns: bit %d of row %d is %v", cols, j, i, !set[i][j])
				}
			}
			if set[1][j] && set[2][j] {
				both++
			}
			if set[0][j] || set[1][j] {
				wantEither++
			}
		}
		count := func(words []uint64) (n int) {
			for _, w := range words {
				n += bits.OnesCount64(w)
			}
			return n
		}
		if any != (both > 0) || count(some) != both || ir.CountAnd(r.Row(1), r.Row(2)) != both ||
			count(either) != wantEither {
			t.Errorf("%d columns: %d shared bits, %d, %v, want %d; %d of either, want %d", cols,
				count(some), ir.CountAnd(r.Row(1), r.Row(2)), any, both, count(either), wantEither)
		}
	}
}
