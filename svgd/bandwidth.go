package svgd

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// BandwidthRule chooses the bandwidth h of a squared exponential, equation (3).
type BandwidthRule interface {
	// Bandwidth returns h > 0 for the M particles whose squared distances stand
	// in the strict lower triangle of the M×M matrix sq. The other entries mean
	// nothing, and sq must not be modified.
	Bandwidth(sq *mat.Dense) float64
}

// Fixed is the bandwidth h itself, whatever the particles. It must be positive.
type Fixed float64

var _ BandwidthRule = Fixed(0)

// Bandwidth returns h.
func (h Fixed) Bandwidth(*mat.Dense) float64 { return float64(h) }

// Median is the median heuristic: for M particles
//
//	h = median{ ‖x_r − x_m‖² : r < m, x_r ≠ x_m } / ln(M + 1)
//
// The median is taken of squares, over distinct pairs; of an even number it is
// the mean of the middle two. Then the kernel values that a particle receives
// from M others at the median distance add up to M/(M+1), about its own.
// Coinciding pairs do not count. Where no pair is left (a single particle, or
// all at one point) every h > 0 gives the same kernel, and h = 1.
//
// Implementations differ here: [1] in the package comment divides by ln M, some
// square the median, count the M zeros, or insert a factor 2 or ½.
type Median struct{}

var _ BandwidthRule = Median{}

// Bandwidth returns h.
func (Median) Bandwidth(sq *mat.Dense) float64 {
	n, _ := sq.Dims()
	pairs := countBelow(sq, math.Inf(1)) - countBelow(sq, 0)
	if pairs == 0 {
		return 1
	}
	// The lower of the middle two has rank (pairs+1)/2 among the positive ones.
	rank := countBelow(sq, 0) + (pairs+1)/2
	median := ranked(sq, rank)
	if pairs%2 == 0 && countBelow(sq, median) == rank {
		median += (smallestAbove(sq, median) - median) / 2
	}
	return median / math.Log(float64(n)+1)
}

// ranked returns the entry of the strict lower triangle whose rank, from 1 on, is that.
// Non-negative floating point numbers are ordered as their bits, which are found in groups from the
// top: each pass counts the entries that begin with the bits so far.
func ranked(sq *mat.Dense, rank int) float64 {
	const width = 11
	n, _ := sq.Dims()
	found := uint64(0)
	for low := 64; low > 0; {
		high := low
		low = max(low-width, 0)
		var counts [1 << width]int
		for r := range n {
			for _, s := range sq.RawRowView(r)[:r] {
				// Shifts of 64 give 0: all entries begin alike.
				if bits := math.Float64bits(s); bits>>high == found>>high {
					counts[bits>>low&(1<<(high-low)-1)]++
				}
			}
		}
		digit := uint64(0)
		for ; rank > counts[digit]; digit++ {
			rank -= counts[digit]
		}
		found |= digit << low
	}
	return math.Float64frombits(found)
}

// countBelow returns how many entries of the strict lower triangle are ≤ v.
func countBelow(sq *mat.Dense, v float64) int {
	n, _ := sq.Dims()
	count := 0
	for r := range n {
		for _, s := range sq.RawRowView(r)[:r] {
			if s <= v {
				count++
			}
		}
	}
	return count
}

// smallestAbove returns the smallest entry > v of the strict lower triangle.
func smallestAbove(sq *mat.Dense, v float64) float64 {
	n, _ := sq.Dims()
	least := math.Inf(1)
	for r := range n {
		for _, s := range sq.RawRowView(r)[:r] {
			if s > v && s < least {
				least = s
			}
		}
	}
	return least
}
