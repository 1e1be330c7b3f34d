package autograd

import "slices"

// kernelKind says which instruction a rule becomes.
type kernelKind int

const (
	kernelGeneric kernelKind = iota
	kernelUnary
	kernelBinary
	kernelWhere
	kernelSum
	kernelLogSumExp
	kernelMatMul
	kernelOver
)

// An instruction reads and writes one frame.
type instruction interface {
	run(f *frame) error
	cost() (flops, bytes int)
}

// lower makes the instruction of v, with every offset resolved.
func (p *Program) lower(v *value) instruction {
	r := v.n.op
	switch r.kernel {
	case kernelUnary:
		runs, single := singles(v.runs(), p.width(v), 1)
		return &unaryInstr{unaryKernel: *v.unaryKernel(), width: p.width(v), runs: runs, single: single}
	case kernelBinary:
		runs, single := singles(v.runs(), p.width(v), 2)
		return &binaryInstr{binaryKernel: *r.binary, name: r.name, width: p.width(v), runs: runs, single: single}
	case kernelWhere:
		return &whereInstr{p.width(v), v.runs()}
	case kernelSum:
		return p.lowerReduce(v, false)
	case kernelLogSumExp:
		return &logSumExpInstr{*p.lowerReduce(v, true)}
	case kernelMatMul:
		return p.lowerMatMul(v)
	case kernelOver:
		return p.lowerOver(v)
	}
	return p.lowerGeneric(v)
}

// unaryKernel is the kernel of an element-wise function of one operand: the
// rule's, or one made for the parameters of the node.
func (v *value) unaryKernel() *unaryKernel {
	r := v.n.op
	if r.unary != nil {
		return r.unary
	}
	k := &unaryKernel{f: r.scalar(v.n.attr)}
	k.fill()
	return k
}

func (p *Program) width(v *value) int {
	if v.varying {
		return p.lanes
	}
	return 1
}

// A run is a stretch of elements of an element-wise instruction over which the
// result is contiguous and every operand advances by a fixed stride.
type run struct {
	dst, n int
	src    [3]operand
}

// An operand of a run: where its first element lies, how far apart elements
// are (0 if it is the same one), and how many lanes each has.
type operand struct{ off, stride, width int }

// runs lists the live elements of an element-wise value as few runs as
// possible.
func (v *value) runs() []run {
	var rs []run
	for e, live := range v.live {
		if !live || v.onto && v.args[1].slot[v.at(1, e)] < 0 {
			continue
		}
		next := run{dst: v.offset(e), n: 1}
		for i, a := range v.args {
			k := v.at(i, e)
			next.src[i] = operand{a.offset(k), 0, a.width(k)}
		}
		if len(rs) == 0 || !rs[len(rs)-1].extend(next, len(v.args), v.store.width) {
			rs = append(rs, next)
		}
	}
	return rs
}

// extend appends one element to r if it continues it.
func (r *run) extend(next run, args, width int) bool {
	if next.dst != r.dst+r.n*width {
		return false
	}
	for i := range args {
		a, b := &r.src[i], next.src[i]
		if a.width != b.width {
			return false
		}
		stride := a.stride
		if r.n == 1 {
			stride = b.off - a.off
			if stride != 0 && stride != a.width {
				return false
			}
		}
		if b.off != a.off+r.n*stride {
			return false
		}
	}
	for i := range args {
		if r.n == 1 {
			r.src[i].stride = next.src[i].off - r.src[i].off
		}
	}
	r.n++
	return true
}

// lowerReduce lists the sources of every live element. Zeros are left out of
// sums, and kept where they count.
func (p *Program) lowerReduce(v *value, keepZeros bool) *reduceInstr {
	a := v.args[0]
	in := &reduceInstr{width: p.width(v), start: []int{0}}
	for e, src := range v.n.op.sources(v.n.attr, v.n.shape, a.n.shape) {
		if !v.live[e] {
			continue
		}
		in.dst = append(in.dst, v.offset(e))
		for _, s := range src {
			if a.slot[s] >= 0 || keepZeros {
				in.src = append(in.src, operand{off: a.offset(s), width: a.width(s)})
			}
		}
		in.start = append(in.start, len(in.src))
	}
	return in
}

func (p *Program) lowerGeneric(v *value) instruction {
	g := &genericInstr{v: v, width: p.width(v)}
	size := v.n.shape.Len()
	for _, a := range v.args {
		size += a.n.shape.Len()
	}
	p.scratch = max(p.scratch, size)
	g.shapes = argShapes(v.n)
	return g
}

func (p *Program) lowerOver(v *value) instruction {
	o := &overInstr{v: v, arg: v.args[0], kind: v.n.op.over, lanes: p.lanes, inner: 1, size: v.n.attr.axis.size}
	for i := len(p.laneAxes) - 1; i >= 0 && p.laneAxes[i] != v.n.attr.axis; i-- {
		o.inner *= p.laneAxes[i].size
	}
	return o
}

func (p *Program) lowerMatMul(v *value) instruction {
	a, b := v.args[0], v.args[1]
	if v.dense && a.full() && b.full() {
		return p.lowerDense(v, nil)
	}
	m := &matMulInstr{width: p.width(v), k: a.n.shape[1], n: v.n.shape[1]}
	for e, live := range v.live {
		if !live {
			continue
		}
		i, j := e/m.n, e%m.n
		for l := range m.k {
			if x, y := i*m.k+l, l*m.n+j; a.slot[x] >= 0 && b.slot[y] >= 0 {
				m.pairs = append(m.pairs, pair{int32(a.offset(x)), int32(b.offset(y))})
			}
		}
		m.dst = append(m.dst, v.offset(e))
		m.end = append(m.end, len(m.pairs))
	}
	if a.store != nil && b.store != nil {
		m.aw, m.bw = a.store.width, b.store.width
	}
	if v.dense {
		return p.lowerDense(v, m)
	}
	return m
}

// denseProducts is the number of products from which a matrix product of single
// numbers is computed as a whole, if at least a quarter of its products count, or all
// if the result is one column.
const denseProducts = 200

// countsDense reports whether a value of single numbers is such a product. Its operands
// are placed.
func (v *value) countsDense() bool {
	if v.known != nil || v.n.op == nil || v.n.op.kernel != kernelMatMul {
		return false
	}
	a, b := v.args[0], v.args[1]
	k, n := a.n.shape[1], v.n.shape[1]
	pairs := 0
	for e, live := range v.live {
		for l := 0; live && l < k; l++ {
			if a.slot[e/n*k+l] >= 0 && b.slot[l*n+e%n] >= 0 {
				pairs++
			}
		}
	}
	all := len(v.live) * k
	return pairs >= denseProducts && (pairs == all || n > 1 && 4*pairs >= all)
}

// full reports whether every element is stored: none is known to be zero.
func (v *value) full() bool { return !slices.ContainsFunc(v.slot, func(s int) bool { return s < 0 }) }

// lowerDense makes the product as a whole; exact computes it product by product, if
// some are known to be zero.
func (p *Program) lowerDense(v *value, exact *matMulInstr) instruction {
	d := &denseMatMul{a: newFactor(v.args[0], false), b: newFactor(v.args[1], true), at: v.store.off, exact: exact}
	p.scratch = max(p.scratch, len(d.a.index)+len(d.b.index))
	return d
}
