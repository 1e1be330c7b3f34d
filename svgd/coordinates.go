package svgd

import "gonum.org/v1/gonum/mat"

// coordinates is the memory of a radial kernel for each coordinate of a block: what the definition
// computes for each coordinate in turn is computed for a strip of them at a time, pair by pair of
// particles.
type coordinates struct {
	profile   profile
	gaps      gaps
	transpose []float64      // p×M: the values of each coordinate
	inverse   []float64      // p: 1/h
	pair      *mat.Dense     // M×M, for custom bandwidth rules
	strips    []stripScratch // a worker's
	found     []float64      // of each strip: the sum of its numbers of neighbours

	do                           func(worker, from, to int) // strips, of these
	driving, repulsive, score, x *mat.Dense
}

// stripScratch is memory for a strip.
type stripScratch struct {
	lines [4][]float64
	sums  [2]*mat.Dense // M×strip: Σ_r k(x_r, x_m), −Σ_r k(x_r, x_m)²
}

// strip is how many coordinates are done at a time, so that they stay in the nearest cache.
const strip = 256

// fit gives c memory for n particles of p coordinates.
func (c *coordinates) fit(n, p, workers int) {
	if len(c.transpose) != n*p || len(c.inverse) != p {
		*c = coordinates{transpose: make([]float64, n*p), inverse: make([]float64, p),
			found: make([]float64, (p+strip-1)/strip)}
		c.do = c.some
	}
	width := min(strip, p)
	for len(c.strips) < workers {
		s := stripScratch{sums: [2]*mat.Dense{mat.NewDense(n, width, nil),
			mat.NewDense(n, width, nil)}}
		for k := range s.lines {
			s.lines[k] = make([]float64, width)
		}
		c.strips = append(c.strips, s)
	}
}

// apply is [Kernel.Apply] with k for each coordinate of x, but returns the sum of the numbers of
// neighbours over all coordinates.
//
// A particle takes the others in the sequence of their numbers, so that particles at one place stay
// together.
func (c *coordinates) apply(k radial, driving, repulsive, score, x *mat.Dense,
	t *team) (neighbours float64) {
	n, p := x.Dims()
	c.fit(n, p, t.count())
	c.bandwidths(k.rule(), x)
	c.profile = k.profile(c.profile)
	c.driving, c.repulsive, c.score, c.x = driving, repulsive, score, x
	const operations = 20 // of a pair in a coordinate
	t.share(len(c.found), 1, operations*float64(n)*float64(n)/2*float64(p), c.do)
	c.driving, c.repulsive, c.score, c.x = nil, nil, nil, nil // inputs are not kept
	for _, sum := range c.found {
		neighbours += sum
	}
	return neighbours
}

// bandwidths computes 1/h of all coordinates.
func (c *coordinates) bandwidths(rule BandwidthRule, x *mat.Dense) {
	n, p := x.Dims()
	if h, ok := rule.(Fixed); ok {
		checkBandwidth(float64(h))
		for i := range c.inverse {
			c.inverse[i] = 1 / float64(h)
		}
		return
	}
	for m := range n {
		for i, v := range x.RawRowView(m) {
			c.transpose[i*n+m] = v
		}
	}
	_, median := rule.(Median)
	for i := range p {
		values := c.transpose[i*n : (i+1)*n]
		var h float64
		if median || rule == nil {
			h = c.gaps.bandwidth(values, i, p)
		} else {
			if c.pair == nil {
				c.pair = mat.NewDense(n, n, nil)
			}
			for r, v := range values {
				for m, w := range values[:r] {
					c.pair.Set(r, m, (v-w)*(v-w))
				}
			}
			h = rule.Bandwidth(c.pair)
		}
		checkBandwidth(h)
		c.inverse[i] = 1 / h
	}
}

// some does strips first, …, end−1 in the memory of a worker.
func (c *coordinates) some(worker, first, end int) {
	_, p := c.x.Dims()
	for s := first; s < end; s++ {
		c.found[s] = c.strip(s*strip, min((s+1)*strip, p), &c.strips[worker])
	}
}

// strip does the coordinates from, …, to−1.
func (c *coordinates) strip(from, to int, scratch *stripScratch) (neighbours float64) {
	k, driving, repulsive, score, x := c.profile, c.driving, c.repulsive, c.score, c.x
	n, _ := x.Dims()
	inverse := c.inverse[from:to]
	var s [4][]float64
	for i := range s {
		s[i] = scratch.lines[i][:to-from]
	}
	diff, u, value, slope := s[0], s[1], s[2], s[3]
	row := func(m *mat.Dense, r int) []float64 { return m.RawRowView(r)[from:to] }
	sum := func(i, r int) []float64 { return scratch.sums[i].RawRowView(r)[:to-from] }
	diagonal := k.diagonal()
	for r := range n {
		clear(row(driving, r))
		clear(row(repulsive, r))
		clear(sum(0, r))
		clear(sum(1, r))
	}
	// Sums of products are taken with the sign that SubProduct gives them.
	for r := range n {
		xr, gr, dr, fr := row(x, r), row(score, r), row(driving, r), row(repulsive, r)
		for m := range r {
			dm, fm := row(driving, m), row(repulsive, m)
			kernels.Sub(diff, xr, row(x, m))
			kernels.MulEach(u, diff, inverse)
			kernels.MulEach(u, u, diff)
			v, w := k.at(value, slope, u)
			kernels.SubProduct(dr, dr, v, row(score, m))
			kernels.SubProduct(dm, dm, v, gr)
			kernels.MulEach(diff, diff, w)
			kernels.Add(fr, fr, diff)
			kernels.Sub(fm, fm, diff)
			kernels.Add(sum(0, r), sum(0, r), v)
			kernels.Add(sum(0, m), sum(0, m), v)
			kernels.SubProduct(sum(1, r), sum(1, r), v, v)
			kernels.SubProduct(sum(1, m), sum(1, m), v, v)
		}
		kernels.AddScaled(dr, dr, -diagonal, gr)
	}
	kernels.Scale(u, inverse, 2)
	for r := range n {
		kernels.MulEach(row(repulsive, r), row(repulsive, r), u)
		kernels.Scale(row(driving, r), row(driving, r), -1)
		squares := sum(1, r)
		for i, total := range sum(0, r) {
			total += diagonal
			neighbours += total * total / (diagonal*diagonal - squares[i])
		}
	}
	return neighbours / float64(n)
}
