package svgd

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/pool"
)

// operationsEach is how many floating-point operations a worker must have to do: about a tenth
// of a millisecond, which is ten times what it costs to call it.
var operationsEach = float64(1 << 20)

// A team shares items out among workers. Nil is the caller alone.
type team struct {
	*pool.Pool
	do            func(worker, from, to int)
	n, size, used int
	part          func(worker int)
}

func newTeam(workers int) *team {
	t := &team{Pool: pool.New(workers)}
	t.part = t.pieces
	return t
}

// count is the number of workers.
func (t *team) count() int {
	if t == nil {
		return 1
	}
	return t.Workers()
}

// share calls do for pieces that cover the items 0 ≤ i < n, on as many workers as there are and as
// the operations are worth. A worker takes every workers-th piece of some size, or if size is 0 one
// piece, and may use separate memory. Items write to separate places, so that their bits do not
// depend on the number of workers. What do reads stands in the memory that it is a method of:
// closures would be allocated.
func (t *team) share(n, size int, operations float64, do func(worker, from, to int)) {
	used := int(min(float64(t.count()), operations/operationsEach, float64(n)))
	if used < 2 {
		do(0, 0, n)
		return
	}
	if size == 0 {
		size = (n + used - 1) / used
	}
	t.do, t.n, t.size, t.used = do, n, size, used
	t.Run(used, t.part)
	t.do = nil // of a sampler, which is not kept
}

func (t *team) pieces(worker int) {
	for from := worker * t.size; from < t.n; from += t.used * t.size {
		t.do(worker, from, min(from+t.size, t.n))
	}
}

// A product is dst = a·b, whose rows are shared out.
type product struct {
	dst, a, b blas64.General
	do        func(worker, from, to int)
}

func (p *product) multiply(t *team, dst, a, b *mat.Dense) {
	if p.do == nil {
		p.do = p.rows
	}
	p.dst, p.a, p.b = dst.RawMatrix(), a.RawMatrix(), b.RawMatrix()
	t.share(p.a.Rows, 0, 2*float64(p.a.Rows)*float64(p.a.Cols)*float64(p.b.Cols), p.do)
	p.dst, p.a, p.b = blas64.General{}, blas64.General{}, blas64.General{} // they are not kept
}

func (p *product) rows(_, from, to int) {
	kernels.Mul(rows(p.dst, from, to), rows(p.a, from, to), p.b)
}

// rows are those of x from one up to another.
func rows(x blas64.General, from, to int) blas64.General {
	x.Data, x.Rows = x.Data[from*x.Stride:], to-from
	return x
}
