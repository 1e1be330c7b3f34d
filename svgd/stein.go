package svgd

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Stein is the kernelised Stein discrepancy of M particles from a density that is known by its
// score g = ∇ log p, with the inverse multiquadric k of [IMQ] as base kernel [5]. It rests on the
// kernel
//
//	k_p(x, y) = g(x)·g(y) k + g(x)·∇_y k + g(y)·∇_x k + ∇_x·∇_y k                (6)
//
// whose mean over x and y ~ q is 0 for q = p and positive otherwise. The discrepancy has the unit
// of a squared score; it is not comparable between densities, or between bandwidths.
type Stein struct {
	// V is the V-statistic 1/M² Σ_{r,m} k_p(x_r, x_m), the squared discrepancy of the particles as
	// a discrete distribution. It is never negative, and about k_p's mean diagonal/M for
	// independent draws from p.
	V float64
	// U is the U-statistic 1/(M(M−1)) Σ_{r≠m} k_p(x_r, x_m), an unbiased estimate of the squared
	// discrepancy of the distribution that independent particles come from: 0 on average for draws
	// from p. NaN for a single particle.
	U float64
	// Bandwidth is the h that was used.
	Bandwidth float64

	pairs *mat.Dense // k_p
}

// Discrepancy computes [Stein] with k as base kernel for the particles x, at which the scores are
// score; blocks count jointly, as for [IMQ.Evaluate]. With β below 1 a discrepancy that vanishes
// means weak convergence for targets with light tails [5]. It panics if the shapes differ or c or β
// is negative. Time and memory grow with M².
func (k IMQ) Discrepancy(score, x []*mat.Dense) *Stein {
	n := checkBlocks(x)
	if len(score) != len(x) {
		panic(fmt.Sprintf("svgd: %d blocks of scores, want %d", len(score), len(x)))
	}
	p := 0
	for b, xb := range x {
		rows, cols := xb.Dims()
		if r, c := score[b].Dims(); r != rows || c != cols {
			panic(fmt.Sprintf("svgd: scores of block %d are %d×%d, want %d×%d", b, r, c, rows,
				cols))
		}
		p += cols
	}
	q := k.profile(nil).(multiquadric)
	sq := mat.NewDense(n, n, nil)
	for r := range n {
		for m := range r {
			for _, xb := range x {
				sq.Set(r, m, sq.At(r, m)+squaredDistance(xb.RawRowView(r), xb.RawRowView(m)))
			}
		}
	}
	s := &Stein{Bandwidth: bandwidth(k.Bandwidth, sq), pairs: mat.NewDense(n, n, nil),
		U: math.NaN()}
	checkBandwidth(s.Bandwidth)
	off, diagonal := 0.0, 0.0
	for r := range n {
		for m := range r {
			v := q.stein(score, x, r, m, sq.At(r, m)/s.Bandwidth, s.Bandwidth, p)
			s.pairs.Set(r, m, v)
			s.pairs.Set(m, r, v)
			off += 2 * v
		}
		v := q.stein(score, x, r, r, 0, s.Bandwidth, p)
		s.pairs.Set(r, r, v)
		diagonal += v
	}
	s.V = (off + diagonal) / float64(n*n)
	if n > 1 {
		s.U = off / float64(n*(n-1))
	}
	return s
}

// stein is equation (6) for particles r and m of p coordinates, with u = ‖x_r − x_m‖²/h. With t =
// c² + u it is
//
//	g·g' t^−β + (2β/h) t^(−β−1) [ (g − g')·(x_r − x_m) + p ] − (4uβ(β+1)/h) t^(−β−2)
func (q multiquadric) stein(score, x []*mat.Dense, r, m int, u, h float64, p int) float64 {
	inner, along := 0.0, 0.0
	for b, xb := range x {
		gr, gm, xr, xm := score[b].RawRowView(r), score[b].RawRowView(m), xb.RawRowView(r),
			xb.RawRowView(m)
		inner += floats.Dot(gr, gm)
		for i, g := range gr {
			along += (g - gm[i]) * (xr[i] - xm[i])
		}
	}
	t := q.c2 + u
	k := math.Pow(t, -q.beta)
	slope := 2 * q.beta / h * k / t
	return inner*k + slope*(along+float64(p)) - 2*u*(q.beta+1)*slope/t
}

// PValue is the probability that as many independent draws from the density have a larger
// U-statistic, by the wild bootstrap of [6]: the frequency of
//
//	1/(M(M−1)) Σ_{r≠m} w_r w_m k_p(x_r, x_m),    w_r = ±1 with probability ½ each,
//
// not below U in a number of rounds, counting U itself as one more. Independent draws from p have
// p-values that are nearly uniform (normal density in 4 dimensions: 5.7, 5.3 and 6.3 % of 2000 sets
// of 20, 60 and 100 draws are below 0.05). The particles of SVGD repel each other, and are more
// even than independent draws: a small p-value says that they are further from the density than
// independent draws would be, while a large one proves nothing. It panics unless there are two
// particles and a round.
func (s *Stein) PValue(rng *rand.Rand, rounds int) float64 {
	n, _ := s.pairs.Dims()
	if n < 2 || rounds < 1 {
		panic(fmt.Sprintf("svgd: p-value of %d particles in %d rounds, want at least 2 and 1", n,
			rounds))
	}
	larger := 1
	w := make([]float64, n)
	for range rounds {
		for m := range w {
			w[m] = float64(2*rng.IntN(2) - 1)
		}
		sum := 0.0
		for r, wr := range w {
			if wr != 0 {
				row := s.pairs.RawRowView(r)
				sum += wr * (floats.Dot(w, row) - wr*row[r])
			}
		}
		if sum/float64(n*(n-1)) >= s.U {
			larger++
		}
	}
	return float64(larger) / float64(rounds+1)
}
