package svgd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The squared exponentials share one M×M matrix: its strict lower triangle holds
// the exponential at hand (first as squared distances), its strict upper triangle
// the sum of those already done. This needs no memory beyond the Gram matrix.

// squaredDistances writes ‖x_r − x_m‖² over the blocks of x into the strict
// lower triangle of gram.
func squaredDistances(gram *mat.Dense, x []*mat.Dense) {
	n, _ := gram.Dims()
	for r := range n {
		row := gram.RawRowView(r)[:r]
		clear(row)
		for _, xb := range x {
			xr := xb.RawRowView(r)
			for m := range row {
				row[m] += squaredDistance(xr, xb.RawRowView(m))
			}
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

// addExponential replaces the squared distances in the strict lower triangle of
// gram by e = exp(−·/h), adds them to the strict upper triangle, and overwrites
// repulsion with their gradients,
//
//	repulsion_m = Σ_r ∇_{x_r} e_rm = −(2/h) Σ_r (x_r − x_m)·e_rm
//
// It panics unless h > 0.
func addExponential(gram *mat.Dense, repulsion, x []*mat.Dense, h float64) {
	if !(h > 0) {
		panic(fmt.Sprintf("svgd: bandwidth %v is not positive", h))
	}
	for _, f := range repulsion {
		f.Zero()
	}
	n, _ := gram.Dims()
	for r := range n {
		row := gram.RawRowView(r)[:r]
		for m, sq := range row {
			e := math.Exp(-sq / h)
			row[m] = e
			gram.RawRowView(m)[r] += e
		}
		for b, xb := range x {
			fr, xr := repulsion[b].RawRowView(r), xb.RawRowView(r)
			for m, e := range row {
				repel(fr, repulsion[b].RawRowView(m), xr, xb.RawRowView(m), 2/h*e)
			}
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
