package dense

import (
	"math"

	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// groupsInstr reduces groups of elements, all of one size, to their log-sum-exp or by a
// function of two operands, or normalises e^x within them. Many groups of single numbers
// are computed side by side: the first elements of all are a row, and so on.
type groupsInstr struct {
	class  ir.Class
	fold   *ir.Binary
	width  int
	size   int // elements of a group
	count  int // groups
	src    []operand
	joined bool // made of several
	// results: of each group, or of each element, without lanes if nothing reads it
	dst []operand

	side  int     // groups side by side; 0: single numbers one group after the other, or lanes
	index []int32 // places of the elements: of groups that are side by side, row by row
	to    []int32 // of a softmax all of whose elements are read, where they are stored, row by row
	at    []int   // of a row that is one range, where it starts; else -1
	toAt  []int   // of a softmax whose rows of results are ranges, where they start
}

// Groups of fewer elements than these are computed side by side, as many at a time as have
// about so many elements.
const (
	sideBySide  = 32
	sideNumbers = 2048
)

// lowerGroups returns nil for groups of different sizes or of nothing.
func (p *Plan) lowerGroups(v *ir.Value) Instruction {
	in := &groupsInstr{class: v.Op.Class, width: p.width(v)}
	if in.class == ir.Fold {
		in.fold = v.Binary()
	}
	for g, sources := range v.Sources() {
		if len(sources) == 0 || in.size > 0 && len(sources) != in.size {
			return nil
		}
		in.size = len(sources)
		results := []int{g}
		if in.class == ir.Softmax {
			results = sources
		}
		var dst []operand
		live := false
		for _, e := range results {
			o := operand{}
			if v.Live[e] {
				o, live = p.operand(v, e), true
			}
			dst = append(dst, o)
		}
		if !live {
			continue
		}
		in.count++
		in.dst = append(in.dst, dst...)
		for _, s := range sources {
			in.src = append(in.src, p.operand(v.Args[0], s))
		}
	}
	in.lay(p)
	return in
}

// lay chooses how many groups are side by side, and lists the places of single numbers.
func (in *groupsInstr) lay(p *Plan) {
	if in.width > 1 {
		p.Scratch = max(p.Scratch, (2*in.size+3)*in.width)
		return
	}
	step := 1
	if in.size < sideBySide && in.count > 1 {
		in.side = min(in.count, max(sideNumbers/in.size, 8))
		step = in.side
	}
	for from := 0; from < in.count; from += step {
		n := min(step, in.count-from)
		for k := range in.size {
			first, contiguous := in.src[from*in.size+k].off, true
			for g := range n {
				off := in.src[(from+g)*in.size+k].off
				in.index = append(in.index, int32(off))
				contiguous = contiguous && off == first+g
			}
			if !contiguous {
				first = -1
			}
			in.at = append(in.at, first)
		}
	}
	if in.class == ir.Softmax && in.side > 0 {
		in.layResults()
	}
	if in.side == 0 {
		p.Scratch = max(p.Scratch, in.size)
	} else {
		p.Scratch = max(p.Scratch, (2*in.size+3)*in.side)
	}
}

// layResults lists where a softmax is stored.
func (in *groupsInstr) layResults() {
	for _, d := range in.dst {
		if d.width == 0 {
			return
		}
	}
	ranges := true
	for from := 0; from < in.count; from += in.side {
		n := min(in.side, in.count-from)
		for k := range in.size {
			for g := range n {
				in.to = append(in.to, int32(in.dst[(from+g)*in.size+k].off))
			}
			if row := in.to[len(in.to)-n:]; ranges && contiguous(row) {
				in.toAt = append(in.toAt, int(row[0]))
			} else {
				ranges, in.toAt = false, nil
			}
		}
	}
}

// contiguous reports whether places are one behind the other.
func contiguous(places []int32) bool {
	for i, at := range places {
		if at != places[0]+int32(i) {
			return false
		}
	}
	return true
}

// Run implements [Instruction].
func (in *groupsInstr) Run(f *Frame) {
	switch {
	case in.width > 1:
		for g := range in.count {
			in.lanes(f, g)
		}
	case in.side > 0:
		for from := 0; from < in.count; from += in.side {
			in.rows(f, from, min(in.side, in.count-from))
		}
	default:
		for g := range in.count {
			in.one(f, g)
		}
	}
}

// lanes computes a group in all lanes.
func (in *groupsInstr) lanes(f *Frame, g int) {
	w := in.width
	rows, free := f.args[:0], f.Scratch
	take := func() []float64 {
		x := free[:w]
		free = free[w:]
		return x
	}
	for _, s := range in.src[g*in.size:][:in.size] {
		x := f.M[s.off:][:s.width]
		if s.width < w {
			x = take()
			vector.Fill(x, f.M[s.off])
		}
		rows = append(rows, x)
	}
	if in.class != ir.Softmax {
		in.reduce(f.M[in.dst[g].off:][:w], rows)
		f.args = rows
		return
	}
	for _, d := range in.dst[g*in.size:][:in.size] {
		if d.width > 0 {
			rows = append(rows, f.M[d.off:][:w])
		} else {
			rows = append(rows, take())
		}
	}
	normalise(rows[in.size:], rows[:in.size], take(), take())
	f.args = rows
}

// rows computes n groups side by side.
func (in *groupsInstr) rows(f *Frame, from, n int) {
	rows, free := f.args[:0], f.Scratch
	take := func() []float64 {
		x := free[:n]
		free = free[n:]
		return x
	}
	index := in.index[from*in.size:]
	for k, at := range in.at[from/in.side*in.size:][:in.size] {
		if at >= 0 {
			rows = append(rows, f.M[at:][:n])
			continue
		}
		x := take()
		Kernels.Gather(x, f.M, index[k*n:][:n])
		rows = append(rows, x)
	}
	if in.class != ir.Softmax {
		x := take()
		in.reduce(x, rows)
		for i, d := range in.dst[from:][:n] {
			f.M[d.off] = x[i]
		}
		f.args = rows
		return
	}
	direct := in.toAt != nil
	for k := range in.size {
		if direct {
			rows = append(rows, f.M[in.toAt[from/in.side*in.size+k]:][:n])
		} else {
			rows = append(rows, take())
		}
	}
	normalise(rows[in.size:], rows[:in.size], take(), take())
	if direct {
		f.args = rows
		return
	}
	if in.to != nil {
		to := in.to[from*in.size:]
		for _, row := range rows[in.size:] {
			for i, at := range to[:n] {
				f.M[at] = row[i]
			}
			to = to[n:]
		}
		f.args = rows
		return
	}
	for i := range n {
		for k, d := range in.dst[(from+i)*in.size:][:in.size] {
			if d.width > 0 {
				f.M[d.off] = rows[in.size+k][i]
			}
		}
	}
	f.args = rows
}

// reduce computes dst from the rows.
func (in *groupsInstr) reduce(dst []float64, rows [][]float64) {
	if in.class == ir.LogSumExp {
		Kernels.LogSumExpRows(dst, rows)
		return
	}
	copy(dst, rows[0])
	for _, x := range rows[1:] {
		in.fold.VV(dst, dst, x)
	}
}

// normalise is dst = e^(x − max)/Σ e^(x − max) over the rows x. The largest is made finite, so
// that infinite ones become NaN and, beside them, finite ones 0.
func normalise(dst, x [][]float64, top, sum []float64) {
	copy(top, x[0])
	for _, row := range x[1:] {
		Kernels.Larger(top, top, row)
	}
	Kernels.MaximumScalar(top, top, -math.MaxFloat64)
	Kernels.MinimumScalar(top, top, math.MaxFloat64)
	clear(sum)
	for k, row := range x {
		Kernels.Sub(dst[k], row, top)
		Kernels.Exp(dst[k], dst[k])
		Kernels.Add(sum, sum, dst[k])
	}
	for _, row := range dst {
		Kernels.Div(row, row, sum)
	}
}

// one computes a group of single numbers.
func (in *groupsInstr) one(f *Frame, g int) {
	x := f.Scratch[:in.size]
	Kernels.Gather(x, f.M, in.index[g*in.size:][:in.size])
	switch in.class {
	case ir.LogSumExp:
		f.M[in.dst[g].off] = LogSumExp(x)
	case ir.Fold:
		f.M[in.dst[g].off] = in.foldOf(x)
	default:
		top := max(min(Kernels.Max(x), math.MaxFloat64), -math.MaxFloat64)
		Kernels.Shift(x, x, -top)
		Kernels.Exp(x, x)
		Kernels.DivScalar(x, x, Kernels.Sum(x))
		for k, d := range in.dst[g*in.size:][:in.size] {
			if d.width > 0 {
				f.M[d.off] = x[k]
			}
		}
	}
}

// foldOf combines all numbers of x, which it overwrites: halves, where the order does not
// matter.
func (in *groupsInstr) foldOf(x []float64) float64 {
	if in.fold.Form == ir.Larger || in.fold.Form == ir.Smaller {
		for len(x) > 1 {
			half := len(x) / 2
			rest := len(x) - half
			in.fold.VV(x[:half], x[:half], x[rest:])
			x = x[:rest]
		}
		return x[0]
	}
	for k := 1; k < len(x); k++ {
		in.fold.VV(x[:1], x[:1], x[k:k+1])
	}
	return x[0]
}

// Cost counts a maximum, an exponential and a sum of every source, one operation for
// functions of two operands, and what a softmax divides.
func (in *groupsInstr) Cost() (flops, bytes int) {
	n := in.count * in.size * in.width
	switch in.class {
	case ir.Fold:
		flops = n
	case ir.LogSumExp:
		flops = 3 * n
	default:
		flops = 5 * n
	}
	return flops, 8 * (n + len(in.dst)*in.width)
}
