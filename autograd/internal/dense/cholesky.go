package dense

import (
	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// A triangularInstr is a Cholesky factorisation, or the solution of equations with a lower
// triangular matrix, in all lanes at once: each of its scalar operations runs on the lanes.
// Lanes without a factorisation are left to the operation itself, which says why.
type triangularInstr struct {
	*opaqueInstr
	form       ir.Form
	size, cols int // of a matrix, and columns of a right-hand side
	all        []triangular
	scratch    int // of which so many numbers hold elements that nothing reads
}

// A triangular matrix is factorised or solved. Where an axis has become a dimension there
// are several.
type triangular struct {
	a, b []laneSlice // the matrix, the right-hand side
	x    []laneSlice // the result
}

// A laneSlice is where the lanes of an element are.
type laneSlice struct {
	operand
	scratch bool // in scratch memory
	zero    bool // known to be zero
}

// MostTriangular is the size of matrices up to which lanes are computed at once. Larger ones
// leave the cache.
const MostTriangular = 48

// triangularOfLanes reports whether v is computed in all lanes at once.
func (p *Plan) triangularOfLanes(v *ir.Value) bool {
	switch v.Op.Form {
	case ir.Cholesky, ir.SolveLower, ir.SolveLowerT:
		return p.width(v) > 1 && v.Shape[len(v.Shape)-2] <= MostTriangular
	}
	return false
}

func (p *Plan) lowerTriangular(v *ir.Value) Instruction {
	rank := len(v.Shape)
	in := &triangularInstr{opaqueInstr: p.lowerOpaque(v), form: v.Op.Form, size: v.Shape[rank-2],
		cols: v.Shape[rank-1]}
	in.all = make([]triangular, v.Len()/max(in.size*in.cols, 1))
	// operands are the elements of a matrix of a; there may be one matrix for all.
	operands := func(a *ir.Value, k, own int) (list []laneSlice) {
		from := 0
		if a.Len() > own {
			from = k * own
		}
		for e := from; e < from+own; e++ {
			list = append(list,
				laneSlice{operand: p.operand(a, e), zero: p.places[a.ID].Slot[e] < 0})
		}
		return list
	}
	for k := range in.all {
		in.all[k].a = operands(v.Args[0], k, in.size*in.size)
		if len(v.Args) > 1 {
			in.all[k].b = operands(v.Args[1], k, in.size*in.cols)
		}
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
		t := &in.all[e/(in.size*in.cols)]
		t.x = append(t.x, s)
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
		vector.Fill(dst, f.M[x.off])
	}
}

// Run implements [Instruction].
func (in *triangularInstr) Run(f *Frame) {
	for k := range in.all {
		t := &in.all[k]
		switch in.form {
		case ir.Cholesky:
			in.factorise(f, t)
		case ir.SolveLower:
			for i := range in.size {
				in.solveRow(f, t, i, 0, i, in.size, 1)
			}
		default:
			for i := in.size - 1; i >= 0; i-- {
				in.solveRow(f, t, i, i+1, in.size, 1, in.size)
			}
		}
	}
	if in.form == ir.Cholesky {
		in.checkPivots(f)
	}
}

// solveRow computes row i of X: (b[i] − Σ l·x[k])/l[i,i] over k from first to last, where l
// is the element at i·row + k·col of the matrix.
func (in *triangularInstr) solveRow(f *Frame, t *triangular, i, first, last, row, col int) {
	for c := range in.cols {
		x := in.lanes(f, t.x[i*in.cols+c])
		in.set(f, x, t.b[i*in.cols+c])
		for k := first; k < last; k++ {
			l, other := t.a[i*row+k*col], in.lanes(f, t.x[k*in.cols+c])
			switch {
			case l.zero:
			case l.width == 1:
				Kernels.AddScaled(x, x, -f.M[l.off], other)
			default:
				Kernels.SubProduct(x, x, f.M[l.off:][:in.width], other)
			}
		}
		if d := t.a[i*(in.size+1)]; d.width == 1 {
			Kernels.DivScalar(x, x, f.M[d.off])
		} else {
			Kernels.Div(x, x, f.M[d.off:][:in.width])
		}
	}
}

// factorise computes column after column of L.
func (in *triangularInstr) factorise(f *Frame, t *triangular) {
	n := in.size
	at := func(i, j int) []float64 { return in.lanes(f, t.x[i*n+j]) }
	for j := range n {
		d := at(j, j)
		for i := j; i < n; i++ {
			s := at(i, j)
			in.set(f, s, t.a[i*n+j])
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
}

// checkPivots leaves lanes with a pivot that is not positive to the operation: its root is 0
// or NaN.
func (in *triangularInstr) checkPivots(f *Frame) {
	for l := range in.width {
		if !in.positive(f, l) {
			in.lane(f, l, f.Scratch[in.scratch:])
		}
	}
}

// positive reports whether all pivots of a lane are.
func (in *triangularInstr) positive(f *Frame, l int) bool {
	for k := range in.all {
		for j := range in.size {
			if x := in.all[k].x[j*(in.size+1)]; !(in.lanes(f, x)[l] > 0) {
				return false
			}
		}
	}
	return true
}

// Cost counts a fused multiplication and subtraction as two.
func (in *triangularInstr) Cost() (flops, bytes int) {
	_, bytes = in.opaqueInstr.Cost()
	n := in.size
	if in.form == ir.Cholesky {
		return len(in.all) * n * (n + 1) * (2*n + 1) / 6 * in.width, bytes
	}
	return len(in.all) * n * n * in.cols * in.width, bytes
}
