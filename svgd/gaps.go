package svgd

import (
	"math"
	"slices"
)

// gaps finds the bandwidths of [Median] for numbers, coordinate by coordinate. It remembers where
// it found them, to find them sooner the next time; that changes no result.
type gaps struct {
	sequence []int32   // p×M: of the numbers, when they were last sorted
	found    []float64 // p: the last medians
	sorted   []float64 // M
	squares  []float64 // of distances, among which the median is
}

// bandwidth is [Median.Bandwidth] for the numbers at coordinate i of p.
func (g *gaps) bandwidth(values []float64, i, p int) float64 {
	n := len(values)
	if len(g.sorted) != n || len(g.found) != p {
		*g = gaps{sequence: make([]int32, p*n), found: make([]float64, p),
			sorted: make([]float64, n)}
		for k := range g.sequence {
			g.sequence[k] = int32(k % n)
		}
	}
	g.sort(values, g.sequence[i*n:(i+1)*n])
	zeros := g.coincident()
	pairs := n*(n-1)/2 - zeros
	if pairs == 0 {
		return 1
	}
	// The lower of the middle two has this rank, the upper one the next.
	rank := zeros + (pairs+1)/2
	for _, width := range [...]float64{1.04, 1.2, math.Inf(1)} {
		low, high := g.found[i]/width, g.found[i]*width
		if math.IsInf(width, 1) || g.found[i] == 0 {
			low, high = 0, math.Inf(1)
		}
		below := g.between(low, high)
		if below >= rank || below+len(g.squares) < min(rank+1, n*(n-1)/2) {
			continue
		}
		slices.Sort(g.squares)
		median := g.squares[rank-1-below]
		g.found[i] = median
		if pairs%2 == 0 {
			median += (g.squares[rank-below] - median) / 2
		}
		return median / math.Log(float64(n)+1)
	}
	panic("svgd: distances that are not numbers") // which the sampler refuses
}

// sort writes the values in ascending sequence. The last sequence is nearly that of the next ones.
func (g *gaps) sort(values []float64, sequence []int32) {
	for k, at := range sequence {
		v := values[at]
		for ; k > 0 && g.sorted[k-1] > v; k-- {
			g.sorted[k], sequence[k] = g.sorted[k-1], sequence[k-1]
		}
		g.sorted[k], sequence[k] = v, at
	}
}

// coincident counts the pairs whose squared distance is 0.
func (g *gaps) coincident() (count int) {
	for k, v := range g.sorted {
		for first := k - 1; first >= 0 && square(v-g.sorted[first]) == 0; first-- {
			count++
		}
	}
	return count
}

// between collects the squared distances above low, at most high, and counts those up to low.
func (g *gaps) between(low, high float64) (below int) {
	g.squares = g.squares[:0]
	first := 0
	for k, v := range g.sorted {
		for first < k && square(v-g.sorted[first]) > high {
			first++
		}
		at := first
		for ; at < k; at++ {
			sq := square(v - g.sorted[at])
			if !(sq > low) {
				break
			}
			g.squares = append(g.squares, sq)
		}
		below += k - at
	}
	return below
}

func square(x float64) float64 { return x * x }
