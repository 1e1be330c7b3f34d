package autograd

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"tobac/internal/vector"
)

// unaryInstr is an element-wise function of one operand.
type unaryInstr struct {
	unaryKernel
	width  int
	runs   []run
	single []scalars // elements of one number that are in no run
}

func (in *unaryInstr) run(f *frame) error {
	w := in.width
	for i := range in.runs {
		r := &in.runs[i]
		a := r.src[0]
		dst := f.m[r.dst : r.dst+r.n*w]
		if a.width == w && (a.stride != 0 || r.n == 1) {
			in.vec(dst, f.m[a.off:a.off+r.n*w])
			continue
		}
		for e := range r.n {
			d, off := dst[e*w:(e+1)*w], a.off+e*a.stride
			if a.width == w {
				in.vec(d, f.m[off:off+w])
			} else {
				fill(d, in.f(f.m[off]))
			}
		}
	}
	for _, e := range in.single {
		f.m[e.dst] = in.f(f.m[e.a])
	}
	return nil
}

// binaryInstr is an element-wise function of two operands.
type binaryInstr struct {
	binaryKernel
	name   string
	width  int
	runs   []run
	single []scalars // elements of one number that are in no run
}

// scalars are the places of the result and the operands of one number.
type scalars struct{ dst, a, b int32 }

// shortRun is the length below which a run of single numbers is dealt with
// number by number.
const shortRun = 8

// singles takes the runs of single numbers that are short or whose operands are
// neither contiguous nor all the same out of the list.
func singles(runs []run, width, args int) (rest []run, single []scalars) {
	if width != 1 {
		return runs, nil
	}
	for _, r := range runs {
		if r.n >= shortRun {
			rest = append(rest, r)
			continue
		}
		for e := range r.n {
			s := scalars{dst: int32(r.dst + e), a: int32(r.src[0].off + e*r.src[0].stride)}
			if args > 1 {
				s.b = int32(r.src[1].off + e*r.src[1].stride)
			}
			single = append(single, s)
		}
	}
	return rest, single
}

// runSingles computes the elements that are in no run.
func (in *binaryInstr) runSingles(m []float64) {
	switch in.name {
	case "add":
		for _, e := range in.single {
			m[e.dst] = m[e.a] + m[e.b]
		}
	case "sub":
		for _, e := range in.single {
			m[e.dst] = m[e.a] - m[e.b]
		}
	case "mul":
		for _, e := range in.single {
			m[e.dst] = m[e.a] * m[e.b]
		}
	default:
		for _, e := range in.single {
			m[e.dst] = in.f(m[e.a], m[e.b])
		}
	}
}

func (in *binaryInstr) run(f *frame) error {
	w := in.width
	for i := range in.runs {
		r := &in.runs[i]
		a, b := r.src[0], r.src[1]
		dst := f.m[r.dst : r.dst+r.n*w]
		aVec := a.width == w && (a.stride != 0 || r.n == 1)
		bVec := b.width == w && (b.stride != 0 || r.n == 1)
		switch {
		case aVec && bVec:
			in.vv(dst, f.m[a.off:a.off+r.n*w], f.m[b.off:b.off+r.n*w])
		case aVec && b.width == 1 && b.stride == 0:
			in.vs(dst, f.m[a.off:a.off+r.n*w], f.m[b.off])
		case bVec && a.width == 1 && a.stride == 0:
			in.sv(dst, f.m[a.off], f.m[b.off:b.off+r.n*w])
		default:
			for e := range r.n {
				d, x, y := dst[e*w:(e+1)*w], a.off+e*a.stride, b.off+e*b.stride
				switch {
				case a.width == w && b.width == w:
					in.vv(d, f.m[x:x+w], f.m[y:y+w])
				case a.width == w:
					in.vs(d, f.m[x:x+w], f.m[y])
				case b.width == w:
					in.sv(d, f.m[x], f.m[y:y+w])
				default:
					fill(d, in.f(f.m[x], f.m[y]))
				}
			}
		}
	}
	in.runSingles(f.m)
	return nil
}

// whereInstr selects between two operands by a third.
type whereInstr struct {
	width int
	runs  []run
}

func (in *whereInstr) run(f *frame) error {
	for i := range in.runs {
		r := &in.runs[i]
		for e := range r.n {
			var at, step [3]int
			for k, s := range r.src {
				at[k] = s.off + e*s.stride
				if s.width > 1 {
					step[k] = 1
				}
			}
			dst := f.m[r.dst+e*in.width:][:in.width]
			for l := range dst {
				if f.m[at[0]+l*step[0]] != 0 {
					dst[l] = f.m[at[1]+l*step[1]]
				} else {
					dst[l] = f.m[at[2]+l*step[2]]
				}
			}
		}
	}
	return nil
}

// reduceInstr sums elements: element i of the result from sources start[i] up
// to start[i+1].
type reduceInstr struct {
	width int
	dst   []int
	start []int
	src   []operand
}

func (in *reduceInstr) run(f *frame) error {
	for i, off := range in.dst {
		src := in.src[in.start[i]:in.start[i+1]]
		if in.width == 1 {
			s := 0.0
			for _, a := range src {
				s += f.m[a.off]
			}
			f.m[off] = s
			continue
		}
		dst := f.m[off : off+in.width]
		clear(dst)
		for _, a := range src {
			if a.width == 1 {
				addVS(dst, dst, f.m[a.off])
			} else {
				addVV(dst, dst, f.m[a.off:a.off+in.width])
			}
		}
	}
	return nil
}

// logSumExpInstr is the shifted log-sum-exp of the same sources.
type logSumExpInstr struct{ reduceInstr }

func (in *logSumExpInstr) run(f *frame) error {
	for i, off := range in.dst {
		src := in.src[in.start[i]:in.start[i+1]]
		for l := range in.width {
			top := math.Inf(-1)
			for _, a := range src {
				top = math.Max(top, f.m[a.lane(l)])
			}
			if math.IsInf(top, 0) || math.IsNaN(top) {
				f.m[off+l] = top
				continue
			}
			s := 0.0
			for _, a := range src {
				s += math.Exp(f.m[a.lane(l)] - top)
			}
			f.m[off+l] = top + math.Log(s)
		}
	}
	return nil
}

// lane is the offset of lane l of the operand.
func (o operand) lane(l int) int {
	if o.width == 1 {
		return o.off
	}
	return o.off + l
}

// genericInstr gathers the operands of every lane and evaluates the rule.
type genericInstr struct {
	v      *value
	width  int
	shapes []Shape
}

func (in *genericInstr) run(f *frame) error {
	n := in.v.n
	for l := range in.width {
		buf := f.scratch
		args := f.args[:0]
		for _, a := range in.v.args {
			x := buf[:len(a.slot)]
			buf = buf[len(a.slot):]
			for e := range x {
				x[e] = f.m[operand{off: a.offset(e), width: a.width(e)}.lane(l)]
			}
			args = append(args, x)
		}
		out := buf[:n.shape.Len()]
		if err := n.op.eval(n.attr, out, n.shape, args, in.shapes); err != nil {
			return err
		}
		for e, live := range in.v.live {
			if live {
				f.m[in.v.offset(e)+l] = out[e]
			}
		}
	}
	return nil
}

// overInstr crosses a mapped axis: index i of it is i·inner lanes away.
type overInstr struct {
	v, arg      *value
	kind        overKind
	lanes       int
	inner, size int
}

func (in *overInstr) run(f *frame) error {
	switch in.kind {
	case overSum, overLogSumExp:
		reduce := sumStrided
		if in.kind == overLogSumExp {
			reduce = logSumExpStrided
		}
		for e, live := range in.v.live {
			if !live {
				continue
			}
			off := in.v.offset(e)
			if in.arg.slot[e] < 0 { // a structural zero in every lane
				fill(f.m[off:off+in.v.store.width], reduceZero(in.kind, in.size))
				continue
			}
			src := f.m[in.arg.offset(e):][:in.lanes]
			if in.v.store.width == 1 {
				f.m[off] = reduce(src, in.inner, in.size)
				continue
			}
			dst := f.m[off : off+in.lanes]
			for l := range dst {
				if digit := l / in.inner % in.size; digit == 0 {
					dst[l] = reduce(src[l:], in.inner, in.size)
				} else {
					dst[l] = dst[l-digit*in.inner]
				}
			}
		}
	case overExpand:
		for e, live := range in.v.live {
			if live {
				in.copyLanes(f, in.v.offset(e), in.v.store.width, operand{off: in.arg.offset(e), width: in.arg.width(e)})
			}
		}
	case overStack:
		size := len(in.arg.slot)
		for e, live := range in.v.live {
			if !live {
				continue
			}
			src := operand{off: in.arg.offset(e % size), width: in.arg.width(e % size)}
			in.pickLane(f, in.v.offset(e), src, e/size)
		}
	case overUnstack:
		size := len(in.v.slot)
		for e, live := range in.v.live {
			if !live {
				continue
			}
			off := in.v.offset(e)
			for l := range in.v.store.width {
				k := l/in.inner%in.size*size + e
				f.m[off+l] = f.m[operand{off: in.arg.offset(k), width: in.arg.width(k)}.lane(l)]
			}
		}
	}
	return nil
}

func reduceZero(kind overKind, size int) float64 {
	if kind == overLogSumExp {
		return math.Log(float64(size))
	}
	return 0
}

func (in *overInstr) copyLanes(f *frame, off, width int, src operand) {
	for l := range width {
		f.m[off+l] = f.m[src.lane(l)]
	}
}

// pickLane writes index i of the axis to every lane of the result.
func (in *overInstr) pickLane(f *frame, off int, src operand, i int) {
	for l := range in.v.store.width {
		base := l - l/in.inner%in.size*in.inner
		f.m[off+l] = f.m[src.lane(base+i*in.inner)]
	}
}

// sumStrided adds size numbers, inner apart, in four interleaved partial sums.
func sumStrided(x []float64, inner, size int) float64 {
	var s [4]float64
	i := 0
	for ; i+4 <= size; i += 4 {
		s[0] += x[i*inner]
		s[1] += x[(i+1)*inner]
		s[2] += x[(i+2)*inner]
		s[3] += x[(i+3)*inner]
	}
	for ; i < size; i++ {
		s[0] += x[i*inner]
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

func logSumExpStrided(x []float64, inner, size int) float64 {
	top := math.Inf(-1)
	for i := range size {
		top = math.Max(top, x[i*inner])
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	s := 0.0
	for i := range size {
		s += math.Exp(x[i*inner] - top)
	}
	return top + math.Log(s)
}

// matMulInstr is a matrix product as a list of products per result element:
// only those whose factors may both differ from zero.
type matMulInstr struct {
	width, aw, bw int
	k, n          int
	dst, end      []int
	pairs         []pair
}

type pair struct{ a, b int32 }

// A factor is an operand of a matrix product of single numbers as a whole.
type factor struct {
	rows, cols int
	at         int     // of element (0, 0), if elements lie regularly
	row, col   int     // and how far apart rows and columns are
	index      []int32 // else the offsets of all elements
}

// newFactor describes v. Its rows are contiguous, or gathered, if they have to be.
func newFactor(v *value, contiguous bool) factor {
	f := factor{rows: v.n.shape[0], cols: v.n.shape[1], at: v.offset(0), row: v.n.shape[1], col: 1}
	if f.cols > 1 {
		f.col = v.offset(1) - f.at
	}
	if f.rows > 1 {
		f.row = v.offset(f.cols) - f.at
	}
	regular := f.row > 0 && f.col > 0 && (!contiguous || f.col == 1 && f.row >= f.cols)
	for e := range v.slot {
		regular = regular && v.slot[e] >= 0 && v.offset(e) == f.at+e/f.cols*f.row+e%f.cols*f.col
	}
	if regular {
		return f
	}
	f.row, f.col, f.index = f.cols, 1, v.offsets()
	return f
}

// gather returns the elements in rows and columns and what is left of the scratch
// memory, of which it needs one number for each index.
func (g *factor) gather(m, scratch []float64) (x vector.Strided, rest []float64) {
	x = vector.Strided{Rows: g.rows, Cols: g.cols, Row: g.row, Col: g.col}
	if g.index == nil {
		x.Data = m[g.at:]
		return x, scratch
	}
	x.Data = scratch[:len(g.index)]
	kernels.Gather(x.Data, m, g.index)
	return x, scratch[len(g.index):]
}

// denseMatMul is a matrix product of single numbers as a whole. Its result has all
// elements, whether they are live or not.
type denseMatMul struct {
	a, b  factor
	at    int          // of the result
	exact *matMulInstr // nil if no element of an operand is known to be zero
}

func (in *denseMatMul) run(f *frame) error {
	a, rest := in.a.gather(f.m, f.scratch)
	b, _ := in.b.gather(f.m, rest)
	c := f.m[in.at:][:a.Rows*b.Cols]
	kernels.MulStrided(general(a.Rows, b.Cols, b.Cols, c), a, general(b.Rows, b.Cols, b.Row, b.Data))
	if in.exact != nil && !kernels.Finite(c) {
		// A structural zero may have met an infinity, a product that counts as
		// zero.
		return in.exact.run(f)
	}
	return nil
}

func general(rows, cols, stride int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}
}

func (in *matMulInstr) run(f *frame) error {
	at := 0
	for i, off := range in.dst {
		pairs := in.pairs[at:in.end[i]]
		at = in.end[i]
		if in.width == 1 {
			f.m[off] = dotPairsScalar(f.m, pairs)
			continue
		}
		dst := f.m[off : off+in.width]
		clear(dst)
		switch {
		case in.aw == 1:
			axpyLanes(f.m, dst, pairs)
		case in.bw == 1:
			axpyLanesSwapped(f.m, dst, pairs)
		default:
			for _, p := range pairs {
				mulAddVV(dst, f.m[p.a:int(p.a)+len(dst)], f.m[p.b:int(p.b)+len(dst)])
			}
		}
	}
	return nil
}

// dotPairsScalar is Σ m[a]·m[b] in four interleaved partial sums.
func dotPairsScalar(m []float64, pairs []pair) float64 {
	var s0, s1, s2, s3 float64
	for len(pairs) >= 4 {
		p := pairs[:4]
		pairs = pairs[4:]
		s0 += m[p[0].a] * m[p[0].b]
		s1 += m[p[1].a] * m[p[1].b]
		s2 += m[p[2].a] * m[p[2].b]
		s3 += m[p[3].a] * m[p[3].b]
	}
	for _, p := range pairs {
		s0 += m[p.a] * m[p.b]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpyLanes adds Σ scalar(a)·lanes(b) to dst, four products at a time.
func axpyLanes(m, dst []float64, pairs []pair) {
	n := len(dst)
	for len(pairs) >= 4 {
		p := pairs[:4]
		pairs = pairs[4:]
		mulAdd4(dst, m[p[0].a], m[p[0].b:][:n], m[p[1].a], m[p[1].b:][:n], m[p[2].a], m[p[2].b:][:n], m[p[3].a], m[p[3].b:][:n])
	}
	for _, p := range pairs {
		mulAddVS(dst, m[p.b:][:n], m[p.a])
	}
}

// axpyLanesSwapped adds Σ lanes(a)·scalar(b) to dst.
func axpyLanesSwapped(m, dst []float64, pairs []pair) {
	n := len(dst)
	for len(pairs) >= 4 {
		p := pairs[:4]
		pairs = pairs[4:]
		mulAdd4(dst, m[p[0].b], m[p[0].a:][:n], m[p[1].b], m[p[1].a:][:n], m[p[2].b], m[p[2].a:][:n], m[p[3].b], m[p[3].a:][:n])
	}
	for _, p := range pairs {
		mulAddVS(dst, m[p.a:][:n], m[p.b])
	}
}
