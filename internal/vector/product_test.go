package vector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"tobac/internal/vector"
)

// canary is a signalling pattern of bits around matrices, which products must
// neither write nor let into a result.
var canary = math.Float64frombits(0x7ff8_0000_dead_beef)

// matrix draws a matrix between numbers that do not belong to it.
func matrix(rng *rand.Rand, rows, cols int, specials bool) blas64.General {
	x := blas64.General{Rows: rows, Cols: cols, Stride: cols + rng.IntN(4)}
	if rows == 0 || cols == 0 {
		return x
	}
	lead, size := rng.IntN(5), (rows-1)*x.Stride+cols
	all := make([]float64, lead+size+8)
	for i := range all {
		all[i] = canary
	}
	x.Data = all[lead:][:size]
	for i := range rows {
		copy(x.Data[i*x.Stride:], sample(rng, cols, specials))
	}
	return x
}

// copied is a copy of x with what surrounds it.
func copied(x blas64.General) blas64.General {
	all := make([]float64, cap(x.Data))
	copy(all, x.Data[:cap(x.Data)])
	x.Data = all[:len(x.Data)]
	return x
}

func at(x blas64.General, i, j int) float64 { return x.Data[i*x.Stride+j] }

// unchanged fails if something outside the matrix differs from before.
func unchanged(t *testing.T, what string, x, before blas64.General) {
	t.Helper()
	now, then := x.Data[:cap(x.Data)], before.Data[:cap(before.Data)]
	for i := range now {
		if inside := x.Stride > 0 && i%x.Stride < x.Cols && i < len(x.Data); !inside &&
			math.Float64bits(now[i]) != math.Float64bits(then[i]) {
			t.Fatalf("%s: number %d outside %d×%d with stride %d was written", what, i, x.Rows,
				x.Cols, x.Stride)
		}
	}
}

// term adds up a sum in plain order, beside the sum of absolute values.
func term(sum, scale *float64, a, b float64) {
	*sum += a * b
	*scale += math.Abs(a * b)
}

// checkSum compares a sum of k terms with one in plain order: any order of
// summing is within k+1 roundings of the sum of absolute values. A sum with a NaN
// or an infinity must agree in that.
func checkSum(t *testing.T, what string, got, want, scale float64, k int) {
	t.Helper()
	switch {
	case math.IsNaN(want) || math.IsInf(want, 0):
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	case !(math.Abs(got-want) <= float64(k+1)*(0x1p-53*scale*2+5e-324)):
		t.Fatalf("%s: got %v, want %v, sum of absolute values %v", what, got, want, scale)
	}
}

// tame replaces the largest numbers, whose products overflow or not depending on
// the order of summing.
func tame(xs ...blas64.General) {
	for _, x := range xs {
		for i, v := range x.Data {
			if math.Abs(v) == math.MaxFloat64 {
				x.Data[i] = math.Copysign(1e-320, v)
			}
		}
	}
}

// TestProducts compares products with three loops, over shapes from nothing to
// several tiles, strides, and special values, and looks for writes outside.
func TestProducts(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(8, 9))
		rounds := 800
		if testing.Short() {
			rounds = 300
		}
		for round := range rounds {
			m, n, k := rng.IntN(12), rng.IntN(40), rng.IntN(20)
			switch round % 10 {
			case 0:
				k = rng.IntN(300) // more than one range of terms
			case 1:
				n = rng.IntN(400) // and of columns
			}
			specials := round%3 == 0
			a, b, c := matrix(rng, m, k, specials), matrix(rng, k, n, specials),
				matrix(rng, m, n, specials)
			tame(a, b, c)
			got, sum := copied(c), copied(c)
			set.Mul(got, a, b)
			set.AddMul(sum, a, b)
			for i := range m {
				for j := range n {
					var want, scale float64
					for l := range k {
						term(&want, &scale, at(a, i, l), at(b, l, j))
					}
					what := fmt.Sprintf("%v: %d×%d×%d: element %d, %d", set, m, n, k, i, j)
					checkSum(t, what, at(got, i, j), want, scale, k)
					term(&want, &scale, at(c, i, j), 1)
					checkSum(t, what+" added", at(sum, i, j), want, scale, k+1)
				}
			}
			unchanged(t, set.String(), got, c)
			unchanged(t, set.String(), sum, c)
		}
	}
}

// TestMulVec compares products with a vector with loops, for rows that are contiguous, columns
// that are, and neither; equal rows have equal results, and nothing is written outside.
func TestMulVec(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(24, 25))
		for round := range 600 {
			m, k := rng.IntN(14), rng.IntN(30)
			if round%10 == 0 {
				k += rng.IntN(300)
			}
			a := vector.Strided{Rows: m, Cols: k, Row: max(k, 1) + rng.IntN(3), Col: 1}
			switch round % 3 {
			case 1:
				a.Row, a.Col = 1, max(m, 1)+rng.IntN(3)
			case 2:
				a.Row, a.Col = 2, 2*max(m, 1)+rng.IntN(3)
			}
			if m*k > 0 {
				a.Data = sample(rng, (m-1)*a.Row+(k-1)*a.Col+1, round%4 == 0)
			}
			x := matrix(rng, 1, k, false)
			tame(blas64.General{Rows: 1, Cols: len(a.Data), Data: a.Data}, x)
			for l := range k { // the last row equals the first
				if m > 1 {
					a.Data[(m-1)*a.Row+l*a.Col] = a.Data[l*a.Col]
				}
			}
			y := matrix(rng, 1, m, false)
			got := copied(y)
			set.MulVec(got.Data[:m], a, x.Data[:k])
			unchanged(t, set.String(), got, y)
			for i := range m {
				var want, scale float64
				for l := range k {
					term(&want, &scale, a.Data[i*a.Row+l*a.Col], x.Data[l])
				}
				checkSum(t, fmt.Sprintf("%v: %d×%d: row %d", set, m, k, i), got.Data[i], want,
					scale, k)
			}
			if m > 1 && math.Float64bits(got.Data[0]) != math.Float64bits(got.Data[m-1]) &&
				got.Data[0] == got.Data[0] {
				t.Fatalf("%v: %d×%d: equal rows: got %v and %v", set, m, k, got.Data[0],
					got.Data[m-1])
			}
		}
	}
}

// TestMulStrided: strides of A do not change a bit, be it transposed or part of
// something larger.
func TestMulStrided(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(22, 23))
		for round := range 300 {
			m, n, k := rng.IntN(12), rng.IntN(40), rng.IntN(100)
			a, b, c := matrix(rng, m, k, round%3 == 0), matrix(rng, k, n, false),
				matrix(rng, m, n, false)
			x := vector.Strided{Rows: m, Cols: k, Row: 1 + rng.IntN(3)}
			x.Col = x.Row*max(m, 1) + rng.IntN(3)
			if round%2 == 0 {
				x.Col = 1 + rng.IntN(3)
				x.Row = x.Col*k + rng.IntN(3)
			}
			if m*k > 0 {
				x.Data = make([]float64, (m-1)*x.Row+(k-1)*x.Col+1)
			}
			for i := range x.Data {
				x.Data[i] = canary
			}
			for i := range m {
				for j := range k {
					x.Data[i*x.Row+j*x.Col] = at(a, i, j)
				}
			}
			got, want := copied(c), copied(c)
			set.MulStrided(got, x, b)
			set.Mul(want, a, b)
			for i, v := range got.Data {
				if w := want.Data[i]; math.Float64bits(v) != math.Float64bits(w) &&
					!(math.IsNaN(v) && math.IsNaN(w)) {
					t.Fatalf("%v: %d×%d×%d with strides %d and %d: number %d is %v, want %v", set,
						m, n, k, x.Row, x.Col, i, v, w)
				}
			}
			unchanged(t, set.String(), got, c)
		}
	}
}

// TestGram compares inner products of rows with two loops, and sees that nothing
// but the lower triangle is written.
func TestGram(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(10, 11))
		rounds := 1000
		if testing.Short() {
			rounds = 100
		}
		for round := range rounds {
			m, k := rng.IntN(14), rng.IntN(40)
			if round%10 == 0 {
				k = rng.IntN(1500) // more than one range of columns
			}
			specials := round%3 == 0
			a, c := matrix(rng, m, k, specials), matrix(rng, m, m, specials)
			tame(a, c)
			got := copied(c)
			set.AddGram(got, a)
			pieces, cut := copied(c), rng.IntN(m+1)
			set.AddGramRows(pieces, a, cut, m)
			set.AddGramRows(pieces, a, 0, cut)
			unchanged(t, set.String()+": rows in two pieces", pieces, got)
			for i := range m {
				for j := range m {
					what := fmt.Sprintf("%v: %d rows of %d: element %d, %d", set, m, k, i, j)
					if j > i {
						if math.Float64bits(at(got, i, j)) != math.Float64bits(at(c, i, j)) {
							t.Fatalf("%s was written", what)
						}
						continue
					}
					want, scale := at(c, i, j), math.Abs(at(c, i, j))
					for l := range k {
						term(&want, &scale, at(a, i, l), at(a, j, l))
					}
					checkSum(t, what, at(got, i, j), want, scale, k+1)
				}
			}
			unchanged(t, set.String(), got, c)
		}
	}
}

// TestEqualRows: equal rows give equal bits, wherever they stand.
func TestEqualRows(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(12, 13))
		for m := 2; m < 12; m++ {
			for n := 2; n < 20; n++ {
				k := 1 + rng.IntN(300)
				a, b, c := matrix(rng, m, k, false), matrix(rng, k, n, false),
					matrix(rng, m, n, false)
				for i := range m {
					copy(a.Data[i*a.Stride:][:k], a.Data[:k])
					copy(c.Data[i*c.Stride:][:n], c.Data[:n])
				}
				gram := matrix(rng, m, m, false)
				for i := range gram.Data {
					gram.Data[i] = 3
				}
				set.AddMul(c, a, b)
				set.AddGram(gram, a)
				for i := range m {
					for j := range n {
						if at(c, i, j) != at(c, 0, j) {
							t.Fatalf("%v: %d×%d×%d: element %d, %d is %v, in the first of equal "+
								"rows %v", set, m, n, k, i, j, at(c, i, j), at(c, 0, j))
						}
					}
					for j := range i + 1 {
						if at(gram, i, j) != at(gram, 0, 0) {
							t.Fatalf("%v: %d equal rows of %d: inner product %d, %d is %v, the "+
								"first %v", set, m, k, i, j, at(gram, i, j), at(gram, 0, 0))
						}
					}
				}
			}
		}
	}
}

func TestProductPanics(t *testing.T) {
	of := func(rows, cols int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Data: make([]float64, rows*cols),
			Stride: cols}
	}
	short, narrow := of(2, 3), of(2, 3)
	short.Data, narrow.Stride = short.Data[:5], 2
	for _, c := range []struct {
		name string
		f    func()
		want string
	}{
		{"inner", func() { vector.Portable.Mul(of(2, 2), of(2, 3), of(2, 2)) },
			"vector: C of 2×2 is not A of 2×3 times B of 2×2"},
		{"rows", func() { vector.Portable.AddMul(of(1, 2), of(2, 3), of(3, 2)) },
			"vector: C of 1×2 is not A of 2×3 times B of 3×2"},
		{"columns", func() { vector.Portable.Mul(of(2, 1), of(2, 3), of(3, 2)) },
			"vector: C of 2×1 is not A of 2×3 times B of 3×2"},
		{"data", func() { vector.Portable.Mul(of(2, 2), short, of(3, 2)) },
			"vector: A of 2×3 has 5 numbers, want 6"},
		{"stride", func() { vector.Portable.Mul(narrow, of(2, 3), of(3, 3)) },
			"vector: C is 2×3 with stride 2"},
		{"strides", func() {
			vector.Portable.MulStrided(of(2, 2), vector.Strided{Rows: 2, Cols: 3}, of(3, 2))
		}, "vector: A is 2×3 with strides 0 and 0"},
		{"strided data", func() {
			vector.Portable.MulStrided(of(2, 2), vector.Strided{Rows: 2, Cols: 3, Row: 1, Col: 2,
				Data: make([]float64, 5)}, of(3, 2))
		}, "vector: A of 2×3 has 5 numbers, want 6"},
		{"gram", func() { vector.Portable.AddGram(of(3, 3), of(2, 3)) },
			"vector: C of 3×3 is not A of 2×3 times its transpose"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("panic %v, want %v", got, c.want)
				}
			}()
			c.f()
		})
	}
}

// TestNothingAllocates covers every kernel that takes more than one operand.
func TestNothingAllocates(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	a, b, c, gram := matrix(rng, 7, 9, false), matrix(rng, 9, 13, false), matrix(rng, 7, 13, false),
		matrix(rng, 7, 7, false)
	for _, set := range vector.Available() {
		if n := testing.AllocsPerRun(10, func() {
			var x, y [13]float64
			set.Exp(y[:], x[:])
			set.Sigmoid(y[:], x[:])
			set.FillUniform(x[:], 1)
			set.Mul(c, a, b)
			set.MulStrided(c, vector.Strided{Rows: 7, Cols: 9, Row: a.Stride, Col: 1, Data: a.Data},
				b)
			set.AddMul(c, a, b)
			set.AddGram(gram, a)
		}); n != 0 {
			t.Errorf("%v: %v allocations, want none", set, n)
		}
	}
}

// BenchmarkMul has products of the shapes of a sampler's step, of a small network
// and of a square, beside gonum's.
func BenchmarkMul(b *testing.B) {
	for _, shape := range [][3]int{{30, 760, 30}, {30, 400, 30}, {128, 8, 20}, {10, 10, 10},
		{19, 19, 19}, {200, 200, 200}} {
		m, n, k := shape[0], shape[1], shape[2]
		rng := rand.New(rand.NewPCG(16, 17))
		x, y, z := matrix(rng, m, k, false), matrix(rng, k, n, false), matrix(rng, m, n, false)
		name := fmt.Sprintf("%dx%dx%d/", m, n, k)
		flops := func(b *testing.B) {
			b.ReportMetric(2e-9*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds(), "GFLOP/s")
		}
		for _, set := range vector.Available() {
			b.Run(name+set.String(), func(b *testing.B) {
				for b.Loop() {
					set.Mul(z, x, y)
				}
				flops(b)
			})
		}
		b.Run(name+"gonum", func(b *testing.B) {
			for b.Loop() {
				blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z)
			}
			flops(b)
		})
		b.Run(name+"gonum-rows", func(b *testing.B) {
			for b.Loop() {
				for i := range m {
					row := func(x blas64.General) blas64.Vector {
						return blas64.Vector{N: x.Cols, Inc: 1, Data: x.Data[i*x.Stride:][:x.Cols]}
					}
					blas64.Gemv(blas.Trans, 1, y, row(x), 0, row(z))
				}
			}
			flops(b)
		})
	}
}

// BenchmarkGram has the inner products of a sampler's step.
func BenchmarkGram(b *testing.B) {
	rng := rand.New(rand.NewPCG(18, 19))
	x, z := matrix(rng, 30, 760, false), matrix(rng, 30, 30, false)
	for _, set := range vector.Available() {
		b.Run(set.String(), func(b *testing.B) {
			for b.Loop() {
				set.AddGram(z, x)
			}
		})
	}
	b.Run("gonum", func(b *testing.B) {
		sym := blas64.Symmetric{N: 30, Stride: z.Stride, Data: z.Data, Uplo: blas.Lower}
		for b.Loop() {
			blas64.Syrk(blas.NoTrans, 1, x, 1, sym)
		}
	})
}

// TestSetsAgree: what AVX2 computes, AVX-512 computes to the bit, for any length
// and shape.
func TestSetsAgree(t *testing.T) {
	if !slices.Contains(vector.Available(), vector.AVX512) {
		t.Skip("this processor has no AVX-512")
	}
	rng := rand.New(rand.NewPCG(20, 21))
	for round := range 300 {
		m, n, k := 1+rng.IntN(10), 1+rng.IntN(70), 1+rng.IntN(40)
		if round%10 == 0 {
			k = 1 + rng.IntN(300)
		}
		a, b, c, g := matrix(rng, m, k, false), matrix(rng, k, n, false), matrix(rng, m, n, false),
			matrix(rng, m, m, false)
		results := func(set vector.Set) []float64 {
			mul, sum, gram := copied(c), copied(c), copied(g)
			set.Mul(mul, a, b)
			set.AddMul(sum, a, b)
			set.AddGram(gram, a)
			top := set.Max(row(b, 0))
			all := []float64{top, set.SumExp(row(b, 0), top)}
			for i := range m {
				all = slices.Concat(all, row(mul, i), row(sum, i), row(gram, i)[:i+1])
			}
			return all
		}
		got, want := results(vector.AVX512), results(vector.AVX2)
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("%d×%d×%d: number %d: got %v, want %v", m, n, k, i, got[i], want[i])
			}
		}
	}
}

func row(x blas64.General, i int) []float64 { return x.Data[i*x.Stride:][:x.Cols] }
