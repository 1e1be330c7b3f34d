package dense

import (
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/native"
)

// smallTriangular is a Cholesky factorisation, or the solution of equations with a lower
// triangular matrix, of single numbers, for machine code. By itself it is the operation.
type smallTriangular struct {
	*opaqueInstr
	form       ir.Form
	size, cols int
	// places of all elements of the operands and the result; −1: nothing reads it
	a, b, x []int32
	count   int // matrices
}

// isSmallTriangular reports whether v is one.
func (p *Plan) isSmallTriangular(v *ir.Value) bool {
	return p.width(v) == 1 && codableTriangular(v)
}

// codableTriangular reports whether v is a factorisation or solution that is small.
func codableTriangular(v *ir.Value) bool {
	switch v.Op.Form {
	case ir.Cholesky, ir.SolveLower, ir.SolveLowerT:
		n := v.Shape[len(v.Shape)-2]
		return n <= mostRows && v.Len() > 0 && v.Len()*(n+1)/2 <= 2*mostCoded
	}
	return false
}

func (p *Plan) lowerSmallTriangular(v *ir.Value) Instruction {
	rank := len(v.Shape)
	in := &smallTriangular{opaqueInstr: p.lowerOpaque(v), form: v.Op.Form, size: v.Shape[rank-2],
		cols: v.Shape[rank-1]}
	in.count = v.Len() / (in.size * in.cols)
	for k := range in.count {
		in.a = p.appendPlaces(in.a, v.Args[0], k, in.size*in.size)
		if len(v.Args) > 1 {
			in.b = p.appendPlaces(in.b, v.Args[1], k, in.size*in.cols)
		}
	}
	for e, live := range v.Live {
		at := int32(-1)
		if live {
			at = int32(p.Offset(v, e))
		}
		in.x = append(in.x, at)
	}
	return in
}

// appendPlaces appends where the own elements of matrix k of v are, which may be one for all.
func (p *Plan) appendPlaces(list []int32, v *ir.Value, k, own int) []int32 {
	from := 0
	if v.Len() > own {
		from = k * own
	}
	for e := from; e < from+own; e++ {
		list = append(list, int32(p.Offset(v, e)))
	}
	return list
}

// emit writes out what the operation does, in its order, of some matrices at a time if their
// elements neighbour.
func (in *smallTriangular) emit(e *emission) bool {
	n, m := in.size, in.cols
	for k := 0; k < in.count; {
		w := fits(in.count - k)
		for w > 1 && !in.neighbours(k, w) {
			w /= 2
		}
		e.used, e.wide = 0, uint8(w)
		x := make([]int32, n*m)
		for i := range x {
			if x[i] = in.x[k*n*m+i]; x[i] < 0 {
				x[i] = e.temporary(int32(w))
			}
		}
		product := e.temporary(int32(w))
		if in.form == ir.Cholesky {
			in.factorise(e, in.a[k*n*n:][:n*n], in.x[k*n*n:][:n*n], x, product)
		} else {
			in.solve(e, in.a[k*n*n:][:n*n], in.b[k*n*m:][:n*m], x, product)
		}
		k += w
	}
	if in.form == ir.Cholesky {
		return in.guard(e)
	}
	return true
}

// neighbours reports whether each element of w matrices from the first on has its place beside
// that of the matrix before. Zeros lie in one place.
func (in *smallTriangular) neighbours(first, w int) bool {
	beside := func(places []int32, own int) bool {
		for i := first * own; i < (first+1)*own; i++ {
			for j := 1; j < w; j++ {
				if at := places[i+j*own]; at != places[i]+int32(j) &&
					(places[i] > 0 || at != places[i]) {
					return false
				}
			}
		}
		return true
	}
	n, m := in.size, in.cols
	return beside(in.a, n*n) && (in.b == nil || beside(in.b, n*m)) && beside(in.x, n*m)
}

// guard lists the pivots, which are looked at when the stretch has run.
func (in *smallTriangular) guard(e *emission) bool {
	for k := range in.count {
		for j := range in.size {
			at := in.x[(k*in.size+j)*in.size+j]
			if at < 0 {
				return false
			}
			e.pivots = append(e.pivots, at)
		}
	}
	return true
}

// matrices appends an operation on one number of each of the present matrices.
func (e *emission) matrices(code native.Code, dst, a, b int32) {
	e.ops = append(e.ops, native.Op{Code: code, N: e.wide, Dst: dst, A: a, B: b,
		AOne: a == ZeroOffset, BOne: b == ZeroOffset})
}

// subtract is s = from − a·b.
func (e *emission) subtract(s, from, a, b, product int32) {
	e.matrices(native.Mul, product, a, b)
	e.matrices(native.Sub, s, from, product)
}

func (in *smallTriangular) factorise(e *emission, a, live, x []int32, product int32) {
	n := in.size
	for j := range n {
		for i := j; i < n; i++ {
			s, from := x[i*n+j], a[i*n+j]
			for k := range j {
				e.subtract(s, from, x[i*n+k], x[j*n+k], product)
				from = s
			}
			if i == j {
				e.matrices(native.Sqrt, s, from, 0)
			} else {
				e.matrices(native.Div, s, from, x[j*n+j])
			}
		}
		for i := range j {
			if live[i*n+j] >= 0 {
				e.matrices(native.Copy, x[i*n+j], ZeroOffset, 0)
			}
		}
	}
}

func (in *smallTriangular) solve(e *emission, l, b, x []int32, product int32) {
	n, m := in.size, in.cols
	row := func(i, first, last int, at func(k int) int32) {
		for c := range m {
			s, from := x[i*m+c], b[i*m+c]
			for k := first; k < last; k++ {
				e.subtract(s, from, at(k), x[k*m+c], product)
				from = s
			}
			e.matrices(native.Div, s, from, l[i*n+i])
		}
	}
	if in.form == ir.SolveLower {
		for i := range n {
			row(i, 0, i, func(k int) int32 { return l[i*n+k] })
		}
		return
	}
	for i := n - 1; i >= 0; i-- {
		row(i, i+1, n, func(k int) int32 { return l[k*n+i] })
	}
}
