package nodescore

import "math"

// arcCosine writes the lower triangle of the centred arc-cosine kernel matrix of
// order one, n rows of n elements, of inputs x, one slice of n numbers for each
// parent. With u = (x, 1) and φ the angle between u and u',
//
//	K0(x, x') = E[relu(w·x+b) relu(w·x'+b)] = ‖u‖‖u'‖ (sin φ + (π−φ) cos φ)/(2π)
//
// for independent standard normal w and b (Cho and Saul 2009), and the result is H
// K0 H with H = I − 11ᵀ/n. norm and sum are scratch of n elements.
func arcCosine(dst []float64, n int, x [][]float64, norm, sum []float64) {
	for r := range n {
		row := dst[r*n : r*n+r+1]
		for s := range row {
			row[s] = 1
		}
		for _, column := range x {
			f := column[r]
			for s, c := range column[:len(row)] {
				row[s] += f * c
			}
		}
		norm[r] = math.Sqrt(row[r])
		sum[r] = 0
	}
	total := 0.0
	for r := range n {
		row := dst[r*n : r*n+r+1]
		f := norm[r]
		own := 0.0
		for s, g := range row[:r] {
			scale := f * norm[s]
			k := scale * angular(g/scale)
			row[s] = k
			own += k
			sum[s] += k
		}
		row[r] = f * f / 2
		sum[r] += own + row[r]
	}
	for r := range sum[:n] {
		sum[r] /= float64(n)
		total += sum[r]
	}
	total /= float64(n)
	for r := range n {
		row := dst[r*n : r*n+r+1]
		f := total - sum[r]
		for s := range row {
			row[s] += f - sum[s]
		}
	}
}

// angular is (sin φ + (π−φ) cos φ)/(2π) for c = cos φ, to about 1e-16. φ is
// π/2 − arcsin c for |c| < ½, and 2 arcsin √((1−|c|)/2) or its supplement beyond;
// arcsin is the rational approximation of FreeBSD's e_asin.c.
func angular(c float64) float64 {
	if c >= 1 {
		return 0.5
	}
	if c <= -1 {
		return 0
	}
	sin := math.Sqrt((1 - c) * (1 + c))
	if math.Abs(c) < 0.5 {
		return (sin + (math.Pi/2+arcsine(c, c*c))*c) / (2 * math.Pi)
	}
	z := (1 - math.Abs(c)) / 2
	rest := 2 * arcsine(math.Sqrt(z), z) // φ for c > 0, π − φ for c < 0
	if c > 0 {
		rest = math.Pi - rest
	}
	return (sin + rest*c) / (2 * math.Pi)
}

// arcsine is arcsin x for |x| ≤ ½, with z = x².
func arcsine(x, z float64) float64 {
	p := z * (1.66666666666666657415e-01 +
		z*(-3.25565818622400915405e-01+z*(2.01212532134862925881e-01+
			z*(-4.00555345006794114027e-02+
				z*(7.91534994289814532176e-04+z*3.47933107596021167570e-05)))))
	q := 1 + z*(-2.40339491173441421878e+00+
		z*(2.02094576023350569471e+00+z*(-6.88283971605453293030e-01+z*7.70381505559019352791e-02)))
	return x + x*p/q
}
