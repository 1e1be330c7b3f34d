package mcmc

import (
	"math"

	"tobac/diagnostics"
)

// maxBlocks is the largest number of blocks of a series.
const maxBlocks = 64

// A series has means and variances of some numbers along a chain, in blocks of
// equally many samples. When there are maxBlocks, pairs become one. All fields
// are exported for the snapshot.
type series struct {
	PerBlock int         // samples in a block
	Blocks   []blockSums // full ones
	Last     blockSums   // the block that fills
}

// blockSums are sums over the samples of a block, and of the squares, of each number.
type blockSums struct {
	N            int
	Sum, Squares []float64
}

func newBlock(n int) blockSums {
	return blockSums{Sum: make([]float64, n), Squares: make([]float64, n)}
}

func newSeries(n int) series { return series{PerBlock: 1, Last: newBlock(n)} }

// add takes one sample of the numbers.
func (s *series) add(x []float64) {
	b := &s.Last
	for k, v := range x {
		b.Sum[k] += v
		b.Squares[k] += v * v
	}
	b.N++
	if b.N < s.PerBlock {
		return
	}
	s.Blocks = append(s.Blocks, *b)
	if len(s.Blocks) < maxBlocks {
		s.Last = newBlock(len(x))
		return
	}
	for k := range maxBlocks / 2 {
		s.Blocks[k] = s.Blocks[2*k].plus(s.Blocks[2*k+1])
	}
	clear(s.Blocks[maxBlocks/2:])
	s.Blocks = s.Blocks[:maxBlocks/2]
	s.PerBlock *= 2
	s.Last = newBlock(len(x))
}

// plus adds c to b and returns b.
func (b blockSums) plus(c blockSums) blockSums {
	for k := range b.Sum {
		b.Sum[k] += c.Sum[k]
		b.Squares[k] += c.Squares[k]
	}
	b.N += c.N
	return b
}

// samples is the number of samples.
func (s *series) samples() int { return len(s.Blocks)*s.PerBlock + s.Last.N }

// sum adds to dst the sums of all samples.
func (s *series) sum(dst []float64) {
	for _, b := range s.Blocks {
		for k, v := range b.Sum {
			dst[k] += v
		}
	}
	for k, v := range s.Last.Sum {
		dst[k] += v
	}
}

// quantity describes number k along the chains, given its mean: split R̂ (Gelman and
// others 2013, chapter 11.4), effective sample size, standard error and range. They take
// full blocks only, and are NaN where a chain has fewer than four.
//
// With n samples in each half of a chain, W the mean of the variances within
// halves and B/n the variance of their means, R̂² = ((n−1)/n W + B/n)/W. With b
// samples in a block, the effective sample size of N samples is N V/(b V_b), where V
// is the variance of the samples and V_b that of the blocks' means.
func quantity(chains []series, k int, mean float64) diagnostics.Quantity {
	var within, halves, blocks, all moments
	low, high := math.Inf(1), math.Inf(-1)
	n, total := 0, 0
	for i := range chains {
		s := &chains[i]
		count := len(s.Blocks) / 2 * 2
		if count < 4 {
			nan := math.NaN()
			return diagnostics.Quantity{Mean: mean, StandardError: nan, RHat: nan, ESS: nan,
				Range: nan}
		}
		both := 0.
		for h := range 2 {
			sum, squares, m := 0., 0., 0
			for _, b := range s.Blocks[h*count/2 : (h+1)*count/2] {
				sum, squares, m = sum+b.Sum[k], squares+b.Squares[k], m+b.N
				blocks.add(b.Sum[k] / float64(b.N))
			}
			average := sum / float64(m)
			halves.add(average)
			both += average / 2
			within.add(max(squares-sum*average, 0) / float64(m-1))
			all.n, all.sum, all.squares = all.n+float64(m), all.sum+sum, all.squares+squares
			n, total = m, total+m
		}
		low, high = min(low, both), max(high, both)
	}
	q := diagnostics.Quantity{Mean: mean, RHat: 1, ESS: float64(total), Range: high - low}
	w, between := within.sum/within.n, halves.variance()
	switch {
	case w+between <= 1e-14*mean*mean: // the same number, but for rounding
	case w > 0:
		q.RHat = math.Sqrt((float64(n-1)/float64(n)*w + between) / w)
		// not where samples differ by rounding alone
		if v := float64(total) / blocks.n * blocks.variance(); v > 0 {
			q.ESS = min(q.ESS, q.ESS*all.variance()/v)
		}
	default:
		q.RHat, q.ESS = math.Inf(1), 1
	}
	q.StandardError = math.Sqrt(all.variance() / q.ESS)
	return q
}

// moments sums numbers and their squares.
type moments struct{ n, sum, squares float64 }

func (s *moments) add(v float64) {
	s.n++
	s.sum += v
	s.squares += v * v
}

// variance is the sample variance, never negative.
func (s *moments) variance() float64 {
	return max(s.squares-s.sum*s.sum/s.n, 0) / (s.n - 1)
}
