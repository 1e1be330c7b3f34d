package svgd

import "gonum.org/v1/gonum/mat"

// near divides the pairs of particles. Those which are far apart,
//
//	‖x_r − x_m‖² > near·(‖x_r − x_0‖² + ‖x_m − x_0‖²)                   (4)
//
// go through products with matrices of inner products and of weights, in which
// cancellation then costs at most four bits; the others go through their direct
// differences.
const near = 1. / 16

// One matrix holds all values: the strict lower triangle of the Gram matrix
// belongs to the radial function at hand (first squared distances, then the weights
// of near pairs), its strict upper triangle is the sum of those
// already done.

// A scratch is the memory in which radial functions are evaluated, for
// particles of one shape.
type scratch struct {
	centred []*mat.Dense // x_b − row 0 of x_b
	norms   []float64    // M: ‖x_r − x_0‖² in the blocks at hand
	pairs   *mat.Dense   // M×M: inner products, then minus the weights
	team    *team

	rows []rowScratch // a worker's

	// What is shared out among the workers, and what that reads.
	inner, distances, weights func(worker, from, to int)
	product                   product
	gram                      *mat.Dense
	x, y                      []*mat.Dense
	profile                   profile
	h                         float64
}

// rowScratch is memory for the profile of a row of M.
type rowScratch struct{ arg, value, slope []float64 }

// triangle is how many rows of a triangle a worker takes at a time: an even number, for tiles.
const triangle = 8

// centre computes x_r − x_0 for all blocks.
func (s *scratch) centre(x []*mat.Dense) {
	n, _ := x[0].Dims()
	if len(s.norms) != n || len(s.centred) != len(x) {
		*s = scratch{
			centred: make([]*mat.Dense, len(x)), norms: make([]float64, n),
			pairs: mat.NewDense(n, n, nil), team: s.team,
		}
		s.inner, s.distances, s.weights = s.innerRows, s.distanceRows, s.weighRows
	}
	for len(s.rows) < s.team.count() {
		s.rows = append(s.rows, rowScratch{make([]float64, n), make([]float64, n),
			make([]float64, n)})
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
// triangle of gram. centred belongs to the same blocks.
func (s *scratch) squaredDistances(gram *mat.Dense, x, centred []*mat.Dense) {
	s.pairs.Zero()
	s.gram, s.x, s.y = gram, x, centred
	n, p := len(s.norms), 0
	for _, xb := range x {
		p += xb.RawMatrix().Cols
	}
	operations := float64(n) * float64(n) * float64(p)
	s.team.share(n, triangle, operations, s.inner)
	s.team.share(n, triangle, operations, s.distances)
	s.gram, s.x, s.y = nil, nil, nil // inputs are not kept
}

// innerRows computes rows of the inner products.
func (s *scratch) innerRows(_, from, to int) {
	for _, y := range s.y {
		kernels.AddGramRows(s.pairs.RawMatrix(), y.RawMatrix(), from, to)
	}
	for r := from; r < to; r++ {
		s.norms[r] = s.pairs.At(r, r)
	}
}

// distanceRows computes rows of the squared distances.
func (s *scratch) distanceRows(_, from, to int) {
	for r := from; r < to; r++ {
		inner, row := s.pairs.RawRowView(r), s.gram.RawRowView(r)[:r]
		for m := range row {
			sq := s.norms[r] + s.norms[m] - 2*inner[m]
			if !s.far(sq, r, m) {
				sq = 0
				for _, xb := range s.x {
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

// addRadial takes the squared distances in the strict lower triangle of gram, adds
// e = k(·/h) to the strict upper triangle, and overwrites repulsion with the gradients of e,
//
//	repulsion_m = Σ_r ∇_{x_r} e_rm = Σ_r w_rm·(x_m − x_r),    w_rm = −(2/h)·k′(‖x_r − x_m‖²/h)
//
// centred belongs to the same blocks as x. It panics unless h > 0.
func (s *scratch) addRadial(k profile, gram *mat.Dense, repulsion, x, centred []*mat.Dense,
	h float64) {
	checkBandwidth(h)
	s.weigh(k, gram, h)
	for b, y := range centred {
		// Far pairs: (Σ_r w_rm)·y_m − Σ_r w_rm·y_r with y = x − x_0.
		fb := repulsion[b]
		s.product.multiply(s.team, fb, s.pairs, y)
		for m := range s.norms {
			sum := 0.0
			for _, w := range s.pairs.RawRowView(m) {
				sum -= w
			}
			f := fb.RawRowView(m)
			kernels.AddScaled(f, f, sum, y.RawRowView(m))
		}
		for r := range s.norms {
			for m, w := range gram.RawRowView(r)[:r] {
				if w != 0 {
					repel(fb.RawRowView(r), fb.RawRowView(m), x[b].RawRowView(r),
						x[b].RawRowView(m), w)
				}
			}
		}
	}
}

// weigh replaces the squared distances in the strict lower triangle of gram by
// the weights w of near pairs, adds the kernel's values to the strict upper one, and
// writes minus the weights of far pairs, symmetric, into s.pairs. Both are zero where
// they do not apply.
func (s *scratch) weigh(k profile, gram *mat.Dense, h float64) {
	s.pairs.Zero()
	s.profile, s.gram, s.h = k, gram, h
	const operations = 20 // of a pair
	n := len(s.norms)
	s.team.share(n, triangle, operations*float64(n)*float64(n)/2, s.weights)
	s.gram = nil
}

// weighRows is weigh for rows of the lower triangle.
func (s *scratch) weighRows(worker, from, to int) {
	memory := &s.rows[worker]
	for r := from; r < to; r++ {
		row := s.gram.RawRowView(r)[:r]
		u := memory.arg[:r]
		for m, sq := range row {
			u[m] = sq / s.h
		}
		value, slope := s.profile.at(memory.value[:r], memory.slope[:r], u)
		for m, sq := range row {
			s.gram.RawRowView(m)[r] += value[m]
			w := 2 / s.h * slope[m]
			if s.far(sq, r, m) {
				s.pairs.RawRowView(r)[m], s.pairs.RawRowView(m)[r] = -w, -w
				w = 0
			}
			row[m] = w
		}
	}
}

// repel pushes the pair (x, y) apart: fx += w·(x − y), fy −= w·(x − y). Particles
// at one point receive the same bits, so that they stay together.
func repel(fx, fy, x, y []float64, w float64) {
	y, fx, fy = y[:len(x)], fx[:len(x)], fy[:len(x)]
	for i, v := range x {
		d := w * (v - y[i])
		fx[i] += d
		fy[i] -= d
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
