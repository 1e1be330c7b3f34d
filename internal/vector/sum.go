package vector

// sumBlocks is the number of numbers that assembly adds at a time.
const sumBlocks = 32

// Sum is Σ a: of 32 interleaved sums, which are added 8 apart in pairs, then 4 apart, 2 and
// 1, and of what is behind the last 32 numbers, in four interleaved sums, as is all of it
// with [Portable]. The result is 0 if a is empty.
func (s Set) Sum(a []float64) float64 {
	n := 0
	if s != Portable {
		n = len(a) &^ (sumBlocks - 1)
	}
	rest := sumOf(a[n:])
	if n == 0 {
		return rest
	}
	return sumKernel(a[:n], s == AVX512) + rest
}

func sumOf(a []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 {
		s0 += a[0]
		s1 += a[1]
		s2 += a[2]
		s3 += a[3]
		a = a[4:]
	}
	for _, v := range a {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}

// Dot is Σ aᵢ·bᵢ, in four interleaved sums.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}
