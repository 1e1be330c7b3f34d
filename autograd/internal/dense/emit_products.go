package dense

import "tobac/autograd/internal/native"

// emit writes products in the order of [dotPairs], of neighbouring results together.
func (in *pairsInstr) emit(e *emission) bool {
	if in.width != 1 || len(in.pairs)+len(in.dst) > 2*mostCoded {
		return false
	}
	pairs := func(i int) []pair {
		if i == 0 {
			return in.pairs[:in.end[0]]
		}
		return in.pairs[in.end[i-1]:in.end[i]]
	}
	for i := 0; i < len(in.dst); {
		n := 1
		for n < 4 && i+n < len(in.dst) && in.dst[i+n] == in.dst[i]+n &&
			neighbours(pairs(i), pairs(i+1), pairs(i+n), int32(n)) {
			n++
		}
		n = fits(n)
		e.used = 0
		if last := pairs(i + n - 1); len(last) > 0 {
			e.products(int32(in.dst[i]), n, pairs(i), last)
		} else {
			e.each(native.Copy, n, in.dst[i], operand{off: ZeroOffset}, operand{})
		}
		i += n
	}
	return true
}

// neighbours reports whether the factors of results number 0, 1 and n are the same or
// neighbours of each other.
func neighbours(first, second, other []pair, n int32) bool {
	if len(first) != len(second) || len(first) != len(other) {
		return false
	}
	for k, p := range first {
		da, db := second[k].a-p.a, second[k].b-p.b
		if da != 0 && da != 1 || db != 0 && db != 1 || other[k] != (pair{p.a + n*da, p.b + n*db}) {
			return false
		}
	}
	return true
}

// products is n results from dst on, Σ m[a]·m[b] over the first pairs for the first and the
// last pairs for the last.
func (e *emission) products(dst int32, n int, first, last []pair) {
	vectors := n == 1
	for k := 0; k+4 <= len(first); k += 4 {
		for j := 1; j < 4; j++ {
			vectors = vectors && first[k+j] == pair{first[k].a + int32(j), first[k].b + int32(j)}
		}
	}
	product := e.temporary(4)
	s := e.partial(len(first), n, vectors, func(k, w int, to, sum int32) {
		a, b := first[k], last[k]
		e.ops = append(e.ops,
			native.Op{Code: native.Mul, N: uint8(w), Dst: product, A: a.a, B: a.b, AOne: n > 1 &&
				a.a == b.a, BOne: n > 1 && a.b == b.b},
			native.Op{Code: native.Add, N: uint8(w), Dst: to, A: sum, B: product,
				AOne: sum == ZeroOffset})
	})
	e.result(dst, n, s)
}

// emit writes the product in the order of Run.
func (in *vectorProduct) emit(e *emission) bool {
	if in.batch*in.rows*in.k*in.n > mostCoded {
		return false
	}
	if in.k > 1 {
		pairs := make([]pair, in.k)
		for i := range pairs {
			pairs[i] = pair{int32(in.a + i), int32(in.b + i)}
		}
		e.products(int32(in.dst), 1, pairs, pairs)
		return true
	}
	row := operand{off: in.b, stride: 1}
	if in.n == 1 {
		e.each(native.Mul, in.rows, in.dst, operand{off: in.a, stride: 1}, operand{off: in.b})
		return true
	}
	for i := range in.rows {
		e.each(native.Mul, in.n, in.dst+i*in.n, row, operand{off: in.a + i})
	}
	return true
}
