package impute_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/impute"
	"tobac/internal/must"
	_ "tobac/internal/rapidseed"
)

// complete is Complete without an error.
func complete(t testing.TB, x *mat.Dense, s impute.Settings) *impute.Completed {
	t.Helper()
	return must.Get(impute.Complete(context.Background(), x, s))(t)
}

// correlated are n rows of d columns in which each depends on the one before, in units of their
// own.
func correlated(n, d int, rng *rand.Rand) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		before := 0.0
		for j := range d {
			before = 0.8*before + rng.NormFloat64()
			x.Set(i, j, float64(100*j)+math.Pow(10, float64(j%4-1))*before)
		}
	}
	return x
}

// punched is x without a part of its values, each missing with the same probability, but with one
// in every row and column.
func punched(x *mat.Dense, part float64, rng *rand.Rand) *mat.Dense {
	n, d := x.Dims()
	out := mat.DenseCopyOf(x)
	for i := range n {
		for j := range d {
			if rng.Float64() < part && j != i%d {
				out.Set(i, j, math.NaN())
			}
		}
	}
	return out
}

// sameBits reports whether two tables are equal bit by bit.
func sameBits(a, b *mat.Dense) bool {
	n, d := a.Dims()
	for i := range n {
		for j := range d {
			if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
				return false
			}
		}
	}
	return true
}
