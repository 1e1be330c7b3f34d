package handwritten

import "math"

// soft writes σ(x + ln(u/(1−u))) = p·u/(p·u + q·(1−u)) for eˣ = p/q.
func soft(dst, u []float64, p, q float64) {
	u = u[:len(dst)]
	for s, v := range u {
		dst[s] = p * v / (p*v + q*(1-v))
	}
}

// softTempered writes σ(τ·(x + ln(u/(1−u)))).
func softTempered(dst, u []float64, x, tau float64) {
	u = u[:len(dst)]
	for s, v := range u {
		dst[s] = 1 / (1 + math.Exp(-tau*(x+math.Log(v/(1-v)))))
	}
}

// hard writes 1 where u < p, else 0: the sign of u − p without a branch, which
// the processor could not predict.
func hard(dst, u []float64, p float64) {
	const one = 0x3ff0000000000000 // bits of 1.0
	u = u[:len(dst)]
	for s, v := range u {
		negative := uint64(int64(math.Float64bits(v-p)) >> 63)
		dst[s] = math.Float64frombits(negative & one)
	}
}

// accumulate adds Σ_i c_i·g_i to dst, where g_i is row i of g.
func accumulate(dst, c, g []float64) {
	n := len(dst)
	for ; len(c) >= 4; c, g = c[4:], g[4*n:] {
		c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
		g0, g1, g2, g3 := g[:n], g[n:][:n], g[2*n:][:n], g[3*n:][:n]
		for s := range dst {
			dst[s] += c0*g0[s] + c1*g1[s] + c2*g2[s] + c3*g3[s]
		}
	}
	for i, ci := range c {
		for s, v := range g[i*n:][:n] {
			dst[s] += ci * v
		}
	}
}

// accumulate2 is accumulate for two results at once: it adds Σ_i b_i·g_i to x and
// Σ_i c_i·g_i to y.
func accumulate2(x, y, b, c, g []float64) {
	n := len(x)
	y = y[:n]
	for ; len(b) >= 4 && len(c) >= 4; b, c, g = b[4:], c[4:], g[4*n:] {
		b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
		c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
		g0, g1, g2, g3 := g[:n], g[n:][:n], g[2*n:][:n], g[3*n:][:n]
		for s := range x {
			v0, v1, v2, v3 := g0[s], g1[s], g2[s], g3[s]
			x[s] += b0*v0 + b1*v1 + b2*v2 + b3*v3
			y[s] += c0*v0 + c1*v1 + c2*v2 + c3*v3
		}
	}
	for i, bi := range b {
		ci := c[i]
		for s, v := range g[i*n:][:n] {
			x[s] += bi * v
			y[s] += ci * v
		}
	}
}

// subtractSquares subtracts a² + b² from dst.
func subtractSquares(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for s := range dst {
		dst[s] -= a[s]*a[s] + b[s]*b[s]
	}
}

// dot returns Σ_i a_i·b_i as two interleaved sums, which do not wait for each
// other.
func dot(a, b []float64) float64 {
	var s0, s1 float64
	b = b[:len(a)]
	for i := 1; i < len(a); i += 2 {
		s0 += a[i-1] * b[i-1]
		s1 += a[i] * b[i]
	}
	if n := len(a); n%2 == 1 {
		s0 += a[n-1] * b[n-1]
	}
	return s0 + s1
}

// addScaled adds c·x to dst.
func addScaled(dst []float64, c float64, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] += c * v
	}
}

// scale writes c·x.
func scale(dst []float64, c float64, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = c * v
	}
}

// fill writes c everywhere.
func fill(dst []float64, c float64) {
	for i := range dst {
		dst[i] = c
	}
}

// sum returns Σ_i x_i.
func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// addPresent adds the rows of g to dst whose c is not zero, four at a time.
func addPresent(dst, c, g []float64) {
	n := len(dst)
	var rows [4][]float64
	k := 0
	for i, ci := range c {
		if ci == 0 {
			continue
		}
		rows[k] = g[i*n:][:n]
		if k++; k < 4 {
			continue
		}
		k = 0
		g0, g1, g2, g3 := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
		for s := range dst {
			dst[s] += (g0[s] + g1[s]) + (g2[s] + g3[s])
		}
	}
	for _, row := range rows[:k] {
		row = row[:n]
		for s := range dst {
			dst[s] += row[s]
		}
	}
}

// relu returns max(x, 0) without a branch, which the processor could not predict.
func relu(x float64) float64 {
	b := int64(math.Float64bits(x))
	return math.Float64frombits(uint64(b &^ (b >> 63)))
}

// addRelu adds c·max(x, 0) to dst.
func addRelu(dst []float64, c float64, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] += c * relu(v)
	}
}

// dotRelu returns Σ_i a_i·max(x_i, 0).
func dotRelu(a, x []float64) float64 {
	s := 0.0
	x = x[:len(a)]
	for i, v := range x {
		s += a[i] * relu(v)
	}
	return s
}

// where overwrites x with c·y where x is positive, else with 0.
func where(x []float64, c float64, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		if v > 0 {
			x[i] = c * y[i]
		} else {
			x[i] = 0
		}
	}
}
