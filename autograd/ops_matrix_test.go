package autograd_test

import (
	"math"
	"math/rand/v2"

	ad "tobac/autograd"
)

// Plain Go for square matrices, independent of gonum.

func plainMul(a, b []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				c[i*n+j] += a[i*k+l] * b[l*n+j]
			}
		}
	}
	return c
}

func plainTranspose(a []float64, rows, cols int) []float64 {
	t := make([]float64, 0, len(a))
	for j := range cols {
		for i := range rows {
			t = append(t, a[i*cols+j])
		}
	}
	return t
}

// minorDet is the determinant by expansion along the first row.
func minorDet(a []float64, n int) float64 {
	if n == 0 {
		return 1
	}
	d, sign := 0.0, 1.0
	for j := range n {
		var minor []float64
		for i := 1; i < n; i++ {
			for k := range n {
				if k != j {
					minor = append(minor, a[i*n+k])
				}
			}
		}
		d += sign * a[j] * minorDet(minor, n-1)
		sign = -sign
	}
	return d
}

// cramer is X of A X = B, each element a quotient of determinants.
func cramer(a, b []float64, n, m int) []float64 {
	x := make([]float64, n*m)
	for c := range m {
		for k := range n {
			replaced := append([]float64{}, a...)
			for i := range n {
				replaced[i*n+k] = b[i*m+c]
			}
			x[k*m+c] = minorDet(replaced, n) / minorDet(a, n)
		}
	}
	return x
}

// seriesExp is Σ Aᵏ/k!, and seriesFrechet its derivative in the direction E by
// (AᵏE)′ = (Aᵏ⁻¹)′ A + Aᵏ⁻¹ E, for matrices of moderate size.
func seriesExp(a []float64, n int) []float64 {
	y, _ := seriesFrechet(a, make([]float64, n*n), n)
	return y
}

func seriesFrechet(a, e []float64, n int) (exponential, derivative []float64) {
	power, slope := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		power[i*(n+1)] = 1
	}
	y, d := append([]float64{}, power...), make([]float64, n*n)
	for k := 1; k < 80; k++ {
		first, second := plainMul(slope, a, n, n, n), plainMul(power, e, n, n, n)
		power = plainMul(power, a, n, n, n)
		for i := range power {
			slope[i] = (first[i] + second[i]) / float64(k)
			power[i] /= float64(k)
			y[i] += power[i]
			d[i] += slope[i]
		}
	}
	return y, d
}

// regular draws operand 0 as a matrix of n×n that is far from singular, with
// determinants of both signs and, mostly, exchanges of rows.
func regular(n int) func(rng *rand.Rand, i, size int) []float64 {
	return func(rng *rand.Rand, i, size int) []float64 {
		for {
			x := normals(rng, size)
			if i > 0 || !(math.Abs(minorDet(x, n)) <= 0.3) {
				return x
			}
		}
	}
}

func matrixRows() []row {
	return []row{productRow(), luRow(), luSolveRow(), logAbsDetRow(), expmRow(), frechetRow()}
}

func productRow() row {
	r := row{op: "matmul"}
	for _, shapes := range [][2]ad.Shape{
		{{2, 2, 3}, {2, 3, 4}}, {{2, 1, 3}, {2, 3, 1}}, {{1, 2, 2}, {1, 2, 2}},
		{{2, 3, 1, 2}, {2, 3, 2, 2}},
		{{3, 1, 2, 2}, {2, 2, 1}}, {{2, 3}, {2, 3, 2}}, {{1, 1, 1}, {1, 1, 1}},
		{{2, 3}, {3, 4}}, {{1, 3}, {3, 2}}, {{2, 1}, {1, 3}}, {{3, 2}, {2, 1}}, {{1, 1}, {1, 1}},
		{{1, 4}, {4, 1}},
	} {
		r.cases = append(r.cases, opCase{
			name: shapes[0].String() + shapes[1].String(), shapes: shapes[:],
			build: two((*ad.Node).MatMul),
			want: func(x [][]float64) []float64 {
				return plainBatch(x[0], x[1], shapes[0], shapes[1])
			},
		})
	}
	return r
}

// plainBatch multiplies the last two dimensions; the leading ones broadcast.
func plainBatch(a, b []float64, s, t ad.Shape) []float64 {
	rank := max(len(s), len(t)) - 2
	lead := make(ad.Shape, rank)
	dim := func(u ad.Shape, i int) int { // leading dimension i of rank, 1 if there is none
		if k := i - rank + len(u) - 2; k >= 0 {
			return u[k]
		}
		return 1
	}
	for i := range lead {
		lead[i] = max(dim(s, i), dim(t, i))
	}
	m, k, n := s[len(s)-2], s[len(s)-1], t[len(t)-1]
	y := []float64{}
	eachIndex(lead, func(index []int) {
		at := func(u ad.Shape) int {
			e := 0
			for i, v := range index {
				e = e*dim(u, i) + min(v, dim(u, i)-1)
			}
			return e
		}
		y = append(y, plainMul(a[at(s)*m*k:][:m*k], b[at(t)*k*n:][:k*n], m, k, n)...)
	})
	return y
}

func luRow() row {
	r := row{op: "lu", constant: true}
	for _, n := range []int{3, 2, 1} {
		r.cases = append(r.cases, opCase{
			name: ad.Shape{n, n}.String(), shapes: []ad.Shape{{n, n}}, sample: regular(n),
			build: one(func(x *ad.Node) *ad.Node { sign, _ := x.SLogDet(); return sign }),
			want: func(x [][]float64) []float64 {
				return []float64{math.Copysign(1, minorDet(x[0], n))}
			},
		})
	}
	r.spots = []spot{{name: "an exchange of rows", shapes: []ad.Shape{{2, 2}},
		at: [][]float64{{0, 1, 1, 0}}, want: []float64{-1}}}
	return r
}

func logAbsDetRow() row {
	logDet := one(func(x *ad.Node) *ad.Node { _, l := x.SLogDet(); return l })
	r := row{op: "log_abs_det"}
	for _, n := range []int{3, 2, 1, 4} {
		r.cases = append(r.cases, opCase{
			name: ad.Shape{n, n}.String(), shapes: []ad.Shape{{n, n}}, sample: regular(n),
			build: logDet,
			want: func(x [][]float64) []float64 {
				return []float64{math.Log(math.Abs(minorDet(x[0], n)))}
			},
		})
	}
	r.spots = []spot{
		{name: "a determinant that overflows", shapes: []ad.Shape{{2, 2}},
			at:   [][]float64{{0, 1e200, -1e200, 0}},
			want: []float64{400 * math.Ln10}, grad: [][]float64{{0, 1e-200, -1e-200, 0}}},
		{name: "a determinant that underflows", shapes: []ad.Shape{{2, 2}},
			at: [][]float64{{1e-200, 0, 0, 1e-200}}, want: []float64{-400 * math.Ln10}},
	}
	return r
}

func luSolveRow() row {
	r := row{op: "lu_solve"}
	for _, d := range [][2]int{{3, 2}, {2, 1}, {1, 1}, {1, 3}, {4, 2}} {
		n, m := d[0], d[1]
		r.cases = append(r.cases, opCase{
			name:   ad.Shape{n, n}.String() + ad.Shape{n, m}.String(),
			shapes: []ad.Shape{{n, n}, {n, m}}, sample: regular(n),
			build: two((*ad.Node).Solve),
			want:  func(x [][]float64) []float64 { return cramer(x[0], x[1], n, m) },
		})
	}
	transposed := r.cases[0]
	transposed.name += " transposed"
	transposed.build = two((*ad.Node).SolveT)
	transposed.want = func(x [][]float64) []float64 {
		return cramer(plainTranspose(x[0], 3, 3), x[1], 3, 2)
	}
	r.cases = append(r.cases, transposed)
	r.other = &transposed
	r.spots = []spot{{
		name: "a zero first pivot", shapes: []ad.Shape{{2, 2}, {2, 1}},
		at:   [][]float64{{0, 2, 4, 0}, {6, 8}},
		want: []float64{2, 3}, grad: [][]float64{{-1, -1.5, -0.5, -0.75}, {0.5, 0.25}},
	}}
	return r
}

func expmRow() row {
	r := row{op: "expm"}
	for _, n := range []int{3, 2, 1} {
		r.cases = append(r.cases, opCase{
			name: ad.Shape{n, n}.String(), shapes: []ad.Shape{{n, n}}, build: one((*ad.Node).Expm),
			want: func(x [][]float64) []float64 { return seriesExp(x[0], n) },
		})
	}
	turn := math.Pi / 2
	r.spots = []spot{
		{name: "zero", shapes: []ad.Shape{{2, 2}}, at: [][]float64{{0, 0, 0, 0}},
			want: []float64{1, 0, 0, 1}, grad: [][]float64{{1, 1, 1, 1}}},
		{name: "a nilpotent matrix", shapes: []ad.Shape{{2, 2}}, at: [][]float64{{0, 3, 0, 0}},
			want: []float64{1, 3, 0, 1}, grad: [][]float64{{2.5, 1, 5.5, 2.5}}},
		{name: "a quarter turn", shapes: []ad.Shape{{2, 2}}, at: [][]float64{{0, -turn, turn, 0}},
			want: []float64{0, -1, 1, 0}},
		{name: "sizes far apart", shapes: []ad.Shape{{2, 2}}, at: [][]float64{{-700, 0, 0, 300}},
			want: []float64{math.Exp(-700), 0, 0, math.Exp(300)}},
		{name: "+Inf", shapes: []ad.Shape{{2, 2}}, at: [][]float64{{inf, 0, 0, 0}},
			want: []float64{nan, nan, nan, nan}, grad: [][]float64{{nan, nan, nan, nan}}},
		{name: "NaN", shapes: []ad.Shape{{2, 2}}, at: [][]float64{{0, nan, 0, 0}},
			want: []float64{nan, nan, nan, nan}},
	}
	return r
}

func frechetRow() row {
	r := row{op: "expm_frechet"}
	for _, n := range []int{3, 2, 1} {
		r.cases = append(r.cases, opCase{
			name: ad.Shape{n, n}.String(), shapes: []ad.Shape{{n, n}, {n, n}},
			build: two((*ad.Node).ExpmFrechet),
			want:  func(x [][]float64) []float64 { _, d := seriesFrechet(x[0], x[1], n); return d },
		})
	}
	r.spots = []spot{
		{name: "a huge direction", shapes: []ad.Shape{{1, 1}, {1, 1}},
			at: [][]float64{{1}, {1e300}}, want: []float64{math.E * 1e300}},
		{name: "a tiny direction", shapes: []ad.Shape{{1, 1}, {1, 1}},
			at: [][]float64{{1}, {1e-300}}, want: []float64{math.E * 1e-300}},
	}
	return r
}
