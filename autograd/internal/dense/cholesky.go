package dense

import "tobac/autograd/internal/ir"

// A triangularInstr is a Cholesky factorisation, or the solution of equations with a lower
// triangular matrix, in all lanes at once: each of its scalar operations runs on the lanes.
// Lanes without a factorisation are left to the operation itself, which says why.
type triangularInstr struct {
	*opaqueInstr
	form       ir.Form
	size, cols int         // of the matrix, and columns of the right-hand side
	a, b       []laneSlice // the matrix, the right-hand side
	x          []laneSlice // the result
	scratch    int         // of which so many numbers hold elements that nothing reads
}

// A laneSlice is where the lanes of an element are.
type laneSlice struct {
	operand
	scratch bool // in scratch memory
	zero    bool // known to be zero
}

// mostTriangular is the size of matrices up to which lanes are computed at once. Larger ones
// leave the cache.
const mostTriangular = 48

// triangularOfLanes reports whether v is computed in all lanes at once.
func (p *Plan) triangularOfLanes(v *ir.Value) bool {
	switch v.Op.Form {
	case ir.Cholesky, ir.SolveLower, ir.SolveLowerT:
		return p.width(v) > 1 && len(v.Shape) == 2 && v.Shape[0] <= mostTriangular
	}
	return false
}

func (p *Plan) lowerTriangular(v *ir.Value) Instruction {
	in := &triangularInstr{opaqueInstr: p.lowerOpaque(v), form: v.Op.Form, size: v.Shape[0], cols: v.Shape[1]}
	operands := func(a *ir.Value) (list []laneSlice) {
		for e := range a.Len() {
			list = append(list, laneSlice{operand: p.operand(a, e), zero: p.places[a.ID].Slot[e] < 0})
		}
		return list
	}
	in.a = operands(v.Args[0])
	if len(v.Args) > 1 {
		in.b = operands(v.Args[1])
	}
	w := in.width
	for e, live := range v.Live {
		s := laneSlice{operand: operand{width: w}, scratch: !live}
		if live {
			s.operand = p.operand(v, e)
		} else {
			s.off = in.scratch
			in.scratch += w
		}
		in.x = append(in.x, s)
	}
	p.Scratch = max(p.Scratch, in.scratch+in.room)
	return in
}

// lanes are those of an element of the result.
func (in *triangularInstr) lanes(f *Frame, s laneSlice) []float64 {
	if s.scratch {
		return f.Scratch[s.off:][:in.width]
	}
	return f.M[s.off:][:in.width]
}

// set is dst = x.
func (in *triangularInstr) set(f *Frame, dst []float64, x laneSlice) {
	if x.width == in.width {
		copy(dst, f.M[x.off:][:in.width])
	} else {
		fill(dst, f.M[x.off])
	}
}

// Run implements [Instruction].
func (in *triangularInstr) Run(f *Frame) {
	switch in.form {
	case ir.Cholesky:
		in.factorise(f)
	case ir.SolveLower:
		for i := range in.size {
			in.solveRow(f, i, 0, i, in.size, 1)
		}
	default:
		for i := in.size - 1; i >= 0; i-- {
			in.solveRow(f, i, i+1, in.size, 1, in.size)
		}
	}
}

// solveRow computes row i of X: (b[i] − Σ l·x[k])/l[i,i] over k from first to last, where l
// is the element at i·row + k·col of the matrix.
func (in *triangularInstr) solveRow(f *Frame, i, first, last, row, col int) {
	for c := range in.cols {
		x := in.lanes(f, in.x[i*in.cols+c])
		in.set(f, x, in.b[i*in.cols+c])
		for k := first; k < last; k++ {
			l, other := in.a[i*row+k*col], in.lanes(f, in.x[k*in.cols+c])
			switch {
			case l.zero:
			case l.width == 1:
				Kernels.AddScaled(x, x, -f.M[l.off], other)
			default:
				Kernels.SubProduct(x, x, f.M[l.off:][:in.width], other)
			}
		}
		if d := in.a[i*(in.size+1)]; d.width == 1 {
			Kernels.DivScalar(x, x, f.M[d.off])
		} else {
			Kernels.Div(x, x, f.M[d.off:][:in.width])
		}
	}
}

// factorise computes column after column of L.
func (in *triangularInstr) factorise(f *Frame) {
	n := in.size
	at := func(i, j int) []float64 { return in.lanes(f, in.x[i*n+j]) }
	for j := range n {
		d := at(j, j)
		for i := j; i < n; i++ {
			s := at(i, j)
			in.set(f, s, in.a[i*n+j])
			for k := range j {
				Kernels.SubProduct(s, s, at(i, k), at(j, k))
			}
			if i == j {
				Kernels.Sqrt(d, d)
			} else {
				Kernels.Div(s, s, d)
			}
		}
		for i := range j {
			clear(at(i, j))
		}
	}
	// A pivot that is not positive has a root that is not: 0 or NaN.
	for l := range in.width {
		for j := range n {
			if !(at(j, j)[l] > 0) {
				in.lane(f, l, f.Scratch[in.scratch:])
				break
			}
		}
	}
}

// Cost counts a fused multiplication and subtraction as two.
func (in *triangularInstr) Cost() (flops, bytes int) {
	_, bytes = in.opaqueInstr.Cost()
	n := in.size
	if in.form == ir.Cholesky {
		return n * (n + 1) * (2*n + 1) / 6 * in.width, bytes
	}
	return n * n * in.cols * in.width, bytes
}
