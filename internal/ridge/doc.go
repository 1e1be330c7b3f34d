// Package ridge is Bayesian linear regression on few features with a known noise
// variance, from a Gram matrix:
//
//	y = Φw + ε,   w ~ N(0, I),   ε ~ N(0, s²I),   Φ of n×m
//	B = I + ΦᵀΦ/s²,   b = Φᵀy/s²
//	log p(y) = −(n/2) ln(2πs²) − ½ ln|B| − ½ (yᵀy/s² − bᵀB⁻¹b)
//	w | y    ~ N(B⁻¹b, B⁻¹)
//
// The Gram matrix is that of the columns of Φ and, last, y: (m+1)×(m+1), row-major, of
// which only the lower triangle is read. Another prior variance of w is a factor of Φ.
//
// Nothing allocates but [New]. A [Solver] serves one goroutine at a time.
package ridge
