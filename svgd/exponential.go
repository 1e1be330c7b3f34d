package svgd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// near divides the pairs of particles. Those which are far apart,
//
//	‖x_r − x_m‖² > near·(‖x_r − x_0‖² + ‖x_m − x_0‖²)                   (4)
//
// go through products with matrices of inner products and of weights, in which
// cancellation then costs at most four bits; the others go through their direct
// differences.
const near = 1. / 16

// The strict lower triangle of the Gram matrix holds the squared distances of the
// exponential at hand, its strict upper triangle the sum of the exponentials
// already done.

// A scratch is the memory in which squared exponentials are evaluated, for
// particles of one shape.
type scratch struct {
	centred []*mat.Dense // x_b − row 0 of x_b
	norms   []float64    // M: ‖x_r − x_0‖² in the blocks at hand
	weights []weights    // of each exponential

	arg, exp []float64 // M: of the exponentials of a row
}

// weights are (2/h)·exp(−‖x_r − x_m‖²/h) of the pairs of particles, 0 where they do not
// apply.
type weights struct {
	far, near *mat.Dense // M×M, symmetric: minus the weights of far pairs, those of near ones
	crowded   bool       // there are near pairs
}

// A rowKernel is a kernel whose repulsion is computed row by row, in memory of the
// caller.
type rowKernel interface {
	// weigh computes gram, and in s what repel needs.
	weigh(gram *mat.Dense, x []*mat.Dense, s *scratch)
	// repel overwrites rows from, …, to−1 of repulsion.
	repel(repulsion, x []*mat.Dense, s *scratch, from, to int)
}

// evaluate is [Kernel] for a rowKernel.
func evaluate(k rowKernel, gram *mat.Dense, repulsion, x []*mat.Dense) {
	n := checkKernelArgs(gram, repulsion, x)
	var s scratch
	k.weigh(gram, x, &s)
	k.repel(repulsion, x, &s, 0, n)
}

// centre computes x_r − x_0 for all blocks, for a sum of exponentials.
func (s *scratch) centre(x []*mat.Dense, exponentials int) {
	n, _ := x[0].Dims()
	if len(s.norms) != n || len(s.centred) != len(x) || len(s.weights) != exponentials {
		*s = scratch{
			centred: make([]*mat.Dense, len(x)), norms: make([]float64, n), weights: make([]weights, exponentials),
			arg: make([]float64, n), exp: make([]float64, n),
		}
		for e := range s.weights {
			s.weights[e] = weights{far: mat.NewDense(n, n, nil), near: mat.NewDense(n, n, nil)}
		}
	}
	for b, xb := range x {
		_, p := xb.Dims()
		if c := s.centred[b]; c == nil || c.RawMatrix().Cols != p {
			const line = 8 // numbers, at a multiple of which rows start
			s.centred[b] = mat.NewDense(n, (p+line-1)&^(line-1), nil).Slice(0, n, 0, p).(*mat.Dense)
		}
		origin := xb.RawRowView(0)
		for r := range n {
			kernels.AddScaled(s.centred[b].RawRowView(r), xb.RawRowView(r), -1, origin)
		}
	}
}

// far reports whether particles r and m with squared distance sq satisfy (4). It
// is false where norms overflow.
func (s *scratch) far(sq float64, r, m int) bool { return sq > near*(s.norms[r]+s.norms[m]) }

// squaredDistances writes ‖x_r − x_m‖² over the blocks of x into the strict lower
// triangle of gram, for exponential e. centred belongs to the same blocks.
func (s *scratch) squaredDistances(e int, gram *mat.Dense, x, centred []*mat.Dense) {
	inner := s.weights[e].far // until addExponential
	inner.Zero()
	for _, y := range centred {
		kernels.AddGram(inner.RawMatrix(), y.RawMatrix())
	}
	for r := range s.norms {
		inner, row := inner.RawRowView(r), gram.RawRowView(r)[:r]
		s.norms[r] = inner[r]
		for m := range row {
			sq := s.norms[r] + s.norms[m] - 2*inner[m]
			if !s.far(sq, r, m) {
				sq = 0
				for _, xb := range x {
					sq += squaredDistance(xb.RawRowView(r), xb.RawRowView(m))
				}
			}
			row[m] = sq
		}
	}
}

// squaredDistance returns ‖a − b‖² as four interleaved sums, which are more
// accurate than one and do not wait for each other.
func squaredDistance(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for i := 3; i < len(a); i += 4 { // this form needs no bounds checks
		d0 := a[i-3] - b[i-3]
		d1 := a[i-2] - b[i-2]
		d2 := a[i-1] - b[i-1]
		d3 := a[i] - b[i]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for i := len(a) &^ 3; i < len(a); i++ {
		d := a[i] - b[i]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

// addExponential takes the squared distances in the strict lower triangle of gram,
// computes the weights of exponential e and adds it to the strict upper triangle. It
// panics unless its bandwidth h > 0.
func (s *scratch) addExponential(e int, gram *mat.Dense, h float64) {
	w := &s.weights[e]
	if !(h > 0) {
		panic(fmt.Sprintf("svgd: bandwidth %v is not positive", h))
	}
	w.far.Zero()
	w.near.Zero()
	w.crowded = false
	for r := range s.norms {
		row := gram.RawRowView(r)[:r]
		s.exponentials(row, h)
		for m, sq := range row {
			gram.RawRowView(m)[r] += s.exp[m]
			v, to := 2/h*s.exp[m], w.near
			if s.far(sq, r, m) {
				v, to = -v, w.far
			}
			w.crowded = w.crowded || to == w.near && v != 0
			to.RawRowView(r)[m], to.RawRowView(m)[r] = v, v
		}
	}
}

// repel overwrites rows from, …, to−1 of repulsion with the gradients of an
// exponential e of weights w in block x,
//
//	repulsion_m = Σ_r ∇_{x_r} e_rm = Σ_r w_rm·(x_m − x_r)
//
// centred belongs to x.
func (w *weights) repel(repulsion, x, centred *mat.Dense, from, to int) {
	// Far pairs: (Σ_r w_rm)·y_m − Σ_r w_rm·y_r with y = x − x_0.
	kernels.Mul(rows(repulsion, from, to), rows(w.far, from, to), centred.RawMatrix())
	for m := from; m < to; m++ {
		sum := 0.0
		for _, v := range w.far.RawRowView(m) {
			sum -= v
		}
		f := repulsion.RawRowView(m)
		kernels.AddScaled(f, f, sum, centred.RawRowView(m))
		if !w.crowded {
			continue
		}
		for r, v := range w.near.RawRowView(m) {
			if v != 0 {
				addRepulsion(f, v, x.RawRowView(m), x.RawRowView(r))
			}
		}
	}
}

// rows is rows from, …, to−1 of x.
func rows(x *mat.Dense, from, to int) blas64.General {
	m := x.RawMatrix()
	return blas64.General{Rows: to - from, Cols: m.Cols, Stride: m.Stride, Data: m.Data[from*m.Stride:]}
}

// exponentials writes exp(−sq/h) to the start of s.exp. The vector kernel takes no
// arguments below −708, at which results would depend on their neighbours.
func (s *scratch) exponentials(sq []float64, h float64) {
	const least = -708
	arg, exp := s.arg[:len(sq)], s.exp[:len(sq)]
	for m, v := range sq {
		arg[m] = max(-v/h, least)
	}
	kernels.Exp(exp, arg)
	for m, x := range arg {
		if x == least {
			exp[m] = math.Exp(-sq[m] / h)
		}
	}
}

// addRepulsion is f += w·(x − y). Particles at one point receive the same bits, so that
// they stay together.
func addRepulsion(f []float64, w float64, x, y []float64) {
	x, y = x[:len(f)], y[:len(f)]
	for i, v := range x {
		f[i] += w * (v - y[i])
	}
}

// mirror copies the strict upper triangle of gram to the lower one and sets the
// diagonal.
func mirror(gram *mat.Dense, diagonal float64) {
	n, _ := gram.Dims()
	for r := range n {
		row := gram.RawRowView(r)
		row[r] = diagonal
		for m := range r {
			row[m] = gram.At(m, r)
		}
	}
}
